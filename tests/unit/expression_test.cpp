// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/expression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace {
long g_allocations = 0;
}

// Counts every allocation of this test program. Not inlined: g++ would take free() for a mismatch of new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace delassus::expression_test {
namespace {

const std::vector<std::string> k_xyt = {"x", "y", "t"};
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_inf = std::numeric_limits<double>::infinity();

Expression parse(const std::string& text) {
  return Expression::parse(text, k_xyt, {{"m", 2.5}, {"k_1", 100.0}});
}

double value(const std::string& text, double x = 0, double y = 0, double t = 0) {
  return parse(text).evaluate(std::array{x, y, t});
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The error of a text that must be refused; column 0 and an empty message when it is accepted.
ExpressionError error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ExpressionError& error) {
    return error;
  }
  return {0, ""};
}

void expect_error(const std::string& text, int column, const std::string& part) {
  const ExpressionError error = error_of(text);
  EXPECT_EQ(error.column(), column) << text << ": " << error.what();
  EXPECT_NE(error.message().find(part), std::string::npos) << text << ": " << error.what();
}

TEST(Expression, DefaultIsZero) {
  const Expression zero;
  EXPECT_TRUE(zero.is_zero());
  EXPECT_TRUE(zero.is_constant());
  EXPECT_EQ(zero.evaluate({}), 0);
  EXPECT_EQ(zero.text(), "0");
  EXPECT_TRUE(zero.derivative(0).is_zero());
  EXPECT_EQ(Expression::constant(-1.5).evaluate({}), -1.5);
}

TEST(Expression, Numbers) {
  EXPECT_EQ(value("1"), 1);
  EXPECT_EQ(value("1.5"), 1.5);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1."), 1);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("2.5E+2"), 250);
  EXPECT_EQ(value("5e-324"), 5e-324);
  EXPECT_EQ(value(" \t\n1 \r\n"), 1);
}

TEST(Expression, Names) {
  EXPECT_EQ(value("x + 10*y + 100*t", 1, 2, 3), 321);
  EXPECT_EQ(value("m*k_1"), 250);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  const std::vector<std::string> names = {"φ", "ẋ_2", "x₁", "e", "pi", "max"};
  const std::array values = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  EXPECT_EQ(Expression::parse("φ + 10*ẋ_2 + 100*x₁ + 1000*e", names).evaluate(values), 4321);
  EXPECT_EQ(Expression::parse("pi", names).evaluate(values), 5);  // hides the constant
  EXPECT_EQ(Expression::parse("max(max, 7)", names).evaluate(values), 7);
  EXPECT_EQ(Expression::parse("pi", {}, {{"pi", 3}}).evaluate({}), 3);
}

TEST(Expression, Precedence) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("16/4/2"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2**3**2"), 512);
  EXPECT_EQ(value("-x^2", 3), -9);
  EXPECT_EQ(value("(-x)^2", 3), 9);
  EXPECT_EQ(value("2^-2"), 0.25);
  EXPECT_EQ(value("2^-x^2", 2), 0.0625);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("- -x", 3), 3);
  EXPECT_EQ(value("+x - +y", 3, 1), 2);
  EXPECT_EQ(value("1 + 2 < 4"), 1);
  EXPECT_EQ(value("x > 1 && y > 1 || t > 1", 0, 0, 2), 1);
  EXPECT_EQ(value("x > 1 && (y > 1 || t > 1)", 0, 0, 2), 0);
  EXPECT_EQ(value("!x == y", 0, 1), 1);  // (!x) == y
  EXPECT_EQ(value("!(x == y)", 0, 1), 1);
  EXPECT_EQ(value("x < 0 ? 1 : x < 1 ? 2 : 3", 0.5), 2);
  EXPECT_EQ(value("x < 0 ? 1 : x < 1 ? 2 : 3", 1.5), 3);
  EXPECT_EQ(value("x ? y ? 1 : 2 : 3", 1, 0), 2);
}

TEST(Expression, ComparisonsAndLogic) {
  for (const double x : {-1.0, 0.0, 1.0}) {
    EXPECT_EQ(value("x < 0", x), x < 0);
    EXPECT_EQ(value("x <= 0", x), x <= 0);
    EXPECT_EQ(value("x > 0", x), x > 0);
    EXPECT_EQ(value("x >= 0", x), x >= 0);
    EXPECT_EQ(value("x == 0", x), x == 0);
    EXPECT_EQ(value("x != 0", x), x != 0);
    EXPECT_EQ(value("!x", x), x == 0);
    EXPECT_EQ(value("x && y", x, 2), x != 0);
    EXPECT_EQ(value("x || y", x, 0), x != 0);
  }
}

TEST(Expression, Functions) {
  volatile double x_at_run_time = 0.7;  // else the compiler folds the right-hand sides with its own rounding
  const double x = x_at_run_time;
  const double y = -1.3;
  EXPECT_EQ(value("sin(x)", x), std::sin(x));
  EXPECT_EQ(value("cos(x)", x), std::cos(x));
  EXPECT_EQ(value("tan(x)", x), std::tan(x));
  EXPECT_EQ(value("asin(x)", x), std::asin(x));
  EXPECT_EQ(value("acos(x)", x), std::acos(x));
  EXPECT_EQ(value("atan(x)", x), std::atan(x));
  EXPECT_EQ(value("atan2(y, x)", x, y), std::atan2(y, x));
  EXPECT_EQ(value("sinh(x)", x), std::sinh(x));
  EXPECT_EQ(value("cosh(x)", x), std::cosh(x));
  EXPECT_EQ(value("tanh(x)", x), std::tanh(x));
  EXPECT_EQ(value("exp(x)", x), std::exp(x));
  EXPECT_EQ(value("log(x)", x), std::log(x));
  EXPECT_EQ(value("ln(x)", x), std::log(x));
  EXPECT_EQ(value("log10(x)", x), std::log10(x));
  EXPECT_EQ(value("sqrt(x)", x), std::sqrt(x));
  EXPECT_EQ(value("cbrt(y)", x, y), std::cbrt(y));
  EXPECT_EQ(value("abs(y)", x, y), 1.3);
  EXPECT_EQ(value("sign(y) + 10*sign(x) + sign(t)", x, y), 9);
  EXPECT_EQ(value("min(x, y)", x, y), y);
  EXPECT_EQ(value("max(x, y)", x, y), x);
  EXPECT_EQ(value("max(x, y, 3, 2)", x, y), 3);
  EXPECT_EQ(value("pow(x, y)", x, y), std::pow(x, y));
  EXPECT_EQ(value("x^2.5", x), std::pow(x, 2.5));
  EXPECT_EQ(value("hypot(x, y)", x, y), std::hypot(x, y));
  EXPECT_EQ(value("floor(y)", x, y), -2);
  EXPECT_EQ(value("ceil(y)", x, y), -1);
  EXPECT_EQ(value("step(x)", 0), 1);
  EXPECT_EQ(value("step(x)", -1e-300), 0);
  EXPECT_EQ(value("clamp(x, -1, 1)", 5), 1);
  EXPECT_EQ(value("clamp(x, -1, 1)", -5), -1);
  EXPECT_EQ(value("clamp(x, -1, 1)", 0.25), 0.25);
  EXPECT_EQ(value("mod(x, 3)", 7), 1);
  EXPECT_EQ(value("mod(x, 3)", -7), 2);
  EXPECT_EQ(value("mod(x, -3)", 7), -2);
  EXPECT_EQ(value("mod(x, 3)", 6), 0);
  EXPECT_EQ(value("if(x > 0, 1, 2)", x), 1);
}

TEST(Expression, WholePowersByMultiplication) {
  const double x = 1.1;
  EXPECT_EQ(value("x^2", x), x * x);
  EXPECT_EQ(value("x^3", x), x * (x * x));
  EXPECT_EQ(value("x^-1", x), 1 / x);
  EXPECT_EQ(value("x^y", x, 2), x * x);
  for (int n = -20; n <= 20; ++n) EXPECT_NEAR(value("x^y", x, n) / std::pow(x, n), 1, 4e-15) << n;  // 16 ulp
  EXPECT_EQ(value("x^16", -1), 1);
  EXPECT_EQ(value("x^15", -1), -1);
  EXPECT_EQ(value("x^0", 0), 1);
}

TEST(Expression, UnchosenBranchDoesNotLeak) {
  EXPECT_EQ(value("if(x > 0, log(x), 0)", -1), 0);
  EXPECT_EQ(value("x == 0 ? 1 : sin(x)/x", 0), 1);
  EXPECT_EQ(value("2 + 3*if(x > 0, 1/0, 5)", -1), 17);
  const Expression root = parse("if(x > 0, sqrt(x), 0)");
  EXPECT_EQ(root.derivative(0).evaluate(std::array{0.0, 0.0, 0.0}), 0);
  EXPECT_EQ(root.derivative(0).derivative(0).evaluate(std::array{-1.0, 0.0, 0.0}), 0);
  EXPECT_EQ(root.derivative(0).evaluate(std::array{4.0, 0.0, 0.0}), 0.25);
}

TEST(Expression, NanIsNotHidden) {
  for (const char* text : {"min(x, y)", "max(x, y)", "sign(x) + sign(y)", "clamp(x, y, 1)"}) {
    EXPECT_TRUE(std::isnan(value(text, k_nan, 1))) << text;
    EXPECT_TRUE(std::isnan(value(text, 1, k_nan))) << text;
  }
  EXPECT_TRUE(std::isnan(value("0/0")));
  EXPECT_EQ(value("-1/0"), -k_inf);
}

TEST(Expression, ErrorsNameTheColumn) {
  expect_error("", 1, "empty");
  expect_error("   ", 1, "empty");
  expect_error("1 +", 4, "expected a number, a name or (, got the end");
  expect_error("1 + * 2", 5, "got '*'");
  expect_error("(1 + 2", 7, "expected ) for the ( in column 1");
  expect_error("1 + 2)", 6, "this ) has no (");
  expect_error("2 x", 3, "a product is written *");
  expect_error("2x", 2, "a product is written *");
  expect_error("1,5", 2, "decimals use a point");
  expect_error("x y", 3, "expected an operator");
  expect_error("sin", 1, "needs its arguments");
  expect_error("x(2)", 1, "x*( )");
  expect_error("1 + sin(x, y)", 5, "'sin' takes 1 argument, got 2");
  expect_error("atan2(x)", 1, "'atan2' takes 2 arguments, got 1");
  expect_error("max(x)", 1, "'max' takes 2 arguments, got 1");
  expect_error("if(x, y)", 1, "'if' takes 3 arguments, got 2");
  expect_error("sin()", 1, "got 0");
  expect_error("sin(x", 6, "expected , or ) for the ( in column 4");
  expect_error("sin(x,)", 7, "got ')'");
  expect_error("0 < x < 1", 7, "cannot be chained");
  expect_error("x == y != t", 8, "cannot be chained");
  expect_error("x = 1", 3, "==");
  expect_error("x & y", 3, "&&");
  expect_error("x ? 1", 6, "expected :");
  expect_error("x : 1", 3, "expected an operator");
  expect_error("1e999", 1, "out of range");
  expect_error("1.5.2", 4, "expected an operator");
  expect_error("x $ y", 3, "unexpected character '$'");
  expect_error("x − 1", 3, "the minus sign is written -");
  expect_error("x²", 2, "^2");
  expect_error("[x]", 1, "round brackets");
  expect_error(std::string("x\0", 2), 2, "'\\x00'");
  expect_error("x + \xff", 5, "not UTF-8");
  expect_error("\xce", 1, "not UTF-8");
}

TEST(Expression, ErrorsSuggestNames) {
  expect_error("1 + mm", 5, "unknown name 'mm'; did you mean 'm'?");
  expect_error("K_1", 1, "did you mean 'k_1'?");
  expect_error("x*k1", 3, "did you mean 'k_1'?");
  expect_error("friction", 1, "unknown name 'friction'; known: x, y, t, k_1, m, pi");
  expect_error("e", 1, "exp(1)");
  expect_error("2*sine(x)", 3, "unknown function 'sine'; did you mean 'sin'?");
  expect_error("φ + x", 1, "unknown name 'φ'");
  expect_error("1 + (φ + x", 6, "unknown name 'φ'");
  expect_error("x*(1 + ü)*$", 8, "unknown name 'ü'");
  const ExpressionError error = error_of("1 + mm");
  EXPECT_EQ(std::string(error.what()), "column 5: " + error.message());
  EXPECT_LT(error_of(std::string(1000, 'q')).message().size(), 200U);
}

TEST(Expression, SurvivesHugeInput) {
  const auto repeat = [](const std::string& piece, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += piece;
    return text;
  };
  EXPECT_GT(error_of(repeat("(", 100000)).column(), 0);
  EXPECT_GT(error_of(repeat("-", 100000) + "x").column(), 0);
  EXPECT_GT(error_of(repeat("!", 100000)).column(), 0);
  EXPECT_GT(error_of(repeat("sin(", 100000)).column(), 0);
  EXPECT_GT(error_of(repeat("x^", 100000) + "x").column(), 0);
  EXPECT_GT(error_of(repeat("x?x:", 100000) + "x").column(), 0);
  EXPECT_GT(error_of(repeat("x?", 100000)).column(), 0);
  EXPECT_GT(error_of(repeat("x*sin(y)+t+", 80000) + "x").column(), 0);
  EXPECT_GT(error_of(repeat("max(x,", 100000)).column(), 0);
  EXPECT_GT(error_of("max(x" + repeat(",y,x", 100000) + ")").column(), 0);
  EXPECT_EQ(error_of(repeat(" ", 1000001)).column(), 1);
  EXPECT_EQ(value(repeat("1+", 100000) + "1"), 100001);
  // Within the limits.
  EXPECT_EQ(value(repeat("(", 199) + "x" + repeat(")", 199), 3), 3);
  EXPECT_EQ(value(repeat("x + sin(y) + ", 450) + "x", 1, 0), 451);
  EXPECT_NEAR(value(repeat("(x + y*", 199) + "1" + repeat(")", 199), 1, 0.5), 2, 1e-12);
}

TEST(Expression, SurvivesGarbage) {
  const std::vector<std::string> pieces = {
      "x", "y", "t",    "1",    "2.5", "1e",  ".",  "sin", "if",  "max(",   "atan2", "(",  ")",   ",", "+",
      "-", "*", "**",   "/",    "^",   "<",   "<=", "==",  "!",   "!=",     "&&",    "|",  "?",   ":", " ",
      "φ", "−", "\xff", "\xce", "$",   "k_1", "pi", "0",   "1e9", "clamp(", "mod(",  "\n", "abs("};
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string text;
    const int length = static_cast<int>(random() % 30);
    for (int j = 0; j < length; ++j) {
      if (i % 3 == 0) {
        text += static_cast<char>(random() % 256);
      } else {
        text += pieces[random() % pieces.size()];
      }
    }
    try {
      const Expression f = parse(text);
      f.evaluate(std::array{0.3, -0.7, 2.0});
      f.derivative(0).derivative(1).evaluate(std::array{0.3, -0.7, 2.0});
      parse(f.text());
      ++accepted;
    } catch (const ExpressionError& error) {
      EXPECT_GE(error.column(), 1) << text << ": " << error.what();
      EXPECT_LE(error.column(), static_cast<int>(text.size()) + 1) << text << ": " << error.what();
    }
  }
  EXPECT_GT(accepted, 20);
}

TEST(Expression, Simplifies) {
  const auto text = [](const std::string& formula) { return parse(formula).text(); };
  EXPECT_EQ(text("0*sin(x)"), "0");
  EXPECT_EQ(text("1*x + 0"), "x");
  EXPECT_EQ(text("0 - x"), "-x");
  EXPECT_EQ(text("2*3 + 4"), "10");
  EXPECT_EQ(text("x*2*3"), "6*x");
  EXPECT_EQ(text("x + x"), "2*x");
  EXPECT_EQ(text("3*x - x"), "2*x");
  EXPECT_EQ(text("x - x"), "0");
  EXPECT_EQ(text("x*x*x"), "x^3");
  EXPECT_EQ(text("x^2*x^-2"), "x^2*x^-2");  // not 1: infinite times 0 at x = 0
  EXPECT_EQ(text("x - -y"), "x + y");
  EXPECT_EQ(text("-(x - y)"), "y - x");
  EXPECT_EQ(text("2*x/(2*y)"), "x/y");
  EXPECT_EQ(text("if(1 < 2, x, y)"), "x");
  EXPECT_EQ(text("1/0"), "1/0");
  EXPECT_EQ(text("x - (y - t)"), "x - (y - t)");
  EXPECT_EQ(text("(x^2)^y"), "(x^2)^y");
  EXPECT_EQ(text("x < y && !(t > 1)"), "x < y && !(t > 1)");
}

TEST(Expression, Queries) {
  EXPECT_TRUE(parse("2 + pi").is_constant());
  EXPECT_TRUE(parse("1/0").is_constant());
  EXPECT_FALSE(parse("x").is_constant());
  EXPECT_TRUE(parse("x - x").is_zero());
  EXPECT_FALSE(parse("1").is_zero());
  const Expression f = parse("x + sin(t)");
  EXPECT_TRUE(f.depends_on(0));
  EXPECT_FALSE(f.depends_on(1));
  EXPECT_TRUE(f.depends_on(2));
  EXPECT_TRUE(f.derivative(0).is_constant());
  EXPECT_TRUE(f.derivative(1).is_zero());
  EXPECT_TRUE(f.derivative(99).is_zero());
}

TEST(Expression, DerivativeTexts) {
  const auto text = [](const std::string& formula) { return parse(formula).derivative(0).text(); };
  EXPECT_EQ(text("x^2"), "2*x");
  EXPECT_EQ(text("x^3"), "3*x^2");
  EXPECT_EQ(text("x^y"), "y*x^(y - 1)");
  EXPECT_EQ(text("y^x"), "y^x*log(y)");
  EXPECT_EQ(text("abs(x)"), "sign(x)");
  EXPECT_EQ(text("min(x, y)"), "if(x <= y, 1, 0)");
  EXPECT_EQ(text("floor(x) + ceil(x) + sign(x) + step(x) + (x < y) + !x"), "0");
  EXPECT_EQ(text("if(x > y, x^2, y)"), "if(x > y, 2*x, 0)");
  EXPECT_EQ(text("sqrt(x^2 + y^2)"), "x/sqrt(x^2 + y^2)");
}

TEST(Expression, SecondDerivativesStayModest) {
  const Expression gap = parse("sqrt((x - 1.5)^2 + (y - 0.3)^2) - 0.25");
  EXPECT_LE(gap.derivative(0).size(), 15);
  EXPECT_LE(gap.derivative(0).derivative(0).size(), 40);
  EXPECT_LE(gap.derivative(0).derivative(1).size(), 45);
  const Expression pendulum = parse("m*x*cos(y)*sin(t)^2 + k_1*x^2/2");
  EXPECT_LE(pendulum.derivative(2).derivative(2).size(), 40);
}

struct Case {
  const char* text;
  double low;  // range of the random x and y
  double high;
};

// Every function, with arguments that vary in x and y.
constexpr auto k_cases = std::to_array<Case>({
    {"x + 2*y - x*y/3", -2, 2},
    {"(x - y)/(x^2 + y^2 + 1)", -2, 2},
    {"-(x*y)^3", -2, 2},
    {"x^-2*y", 0.5, 2},
    {"x^2.5 + y^1.5", 0.3, 2},
    {"x^y", 0.3, 2},
    {"2^(x*y)", -2, 2},
    {"pow(x + y, x)", 0.3, 2},
    {"sin(2*x + y^2)", -2, 2},
    {"cos(x*y)", -2, 2},
    {"tan(x*y)", -1, 1},
    {"asin(x*y)", -0.9, 0.9},
    {"acos(x - y)", -0.45, 0.45},
    {"atan(x*y)", -2, 2},
    {"atan2(y, x)", 0.3, 2},
    {"atan2(x*y - 1, x - 3)", -2, 2},
    {"sinh(x*y)", -1.5, 1.5},
    {"cosh(x + y)", -1.5, 1.5},
    {"tanh(x*y + x)", -1.5, 1.5},
    {"exp(x*y)", -1.5, 1.5},
    {"log(x + y^2)", 0.3, 2},
    {"log10(x*y)", 0.3, 2},
    {"sqrt(x^2 + y)", 0.3, 2},
    {"cbrt(x*y)", 0.3, 2},
    {"abs(x*y - 0.1)", -2, 2},
    {"sign(x - y)*x*y", -2, 2},
    {"min(x*y, x + y)", -2, 2},
    {"max(x*y, x - y, y^2)", -2, 2},
    {"clamp(x*y, -0.5, y)", -2, 2},
    {"hypot(x, y - 3)", -2, 2},
    {"floor(3*x)*y*x + ceil(y)*x^2", -2, 2},
    {"step(x - y)*sin(x*y)", -2, 2},
    {"mod(3*x, 0.7) + mod(x*y, y - 3)", -2, 2},
    {"x > y ? x^2*y : sin(y)*x", -2, 2},
    {"if(x > 0 && y < 1 || x*y == 2, exp(x)*y, x^3)", -2, 2},
    {"(x < y)*x^2 + !(x >= y)*y^3 + (x != y)*x*y", -2, 2},
    {"sqrt((x - 5)^2 + (y - 4)^2) - 0.5", -2, 2},
    {"1/(1 + exp(-(x - y)/0.3))", -2, 2},
    {"sin(cos(tanh(x*y))*x)/sqrt(1 + x^2)", -2, 2},
});

// df/d(variable) by central differences; error about 1e-10 for derivatives of order 1.
double compute_difference(const Expression& f, std::array<double, 3> at, int variable) {
  const double h = 1e-5;
  std::array<double, 3> left = at;
  std::array<double, 3> right = at;
  left[static_cast<std::size_t>(variable)] -= h;
  right[static_cast<std::size_t>(variable)] += h;
  return (f.evaluate(right) - f.evaluate(left)) / (2 * h);
}

TEST(Expression, DerivativesAgreeWithDifferences) {
  std::mt19937 random(1);
  for (const Case& c : k_cases) {
    const Expression f = parse(c.text);
    std::uniform_real_distribution<double> draw(c.low, c.high);
    for (int point = 0; point < 20; ++point) {
      const std::array at = {draw(random), draw(random), 0.0};
      for (const int i : {0, 1}) {
        const Expression df = f.derivative(i);
        const double exact = df.evaluate(at);
        const double difference = compute_difference(f, at, i);
        ASSERT_NEAR(exact, difference, 1e-7 * (1 + std::abs(exact)))
            << c.text << " by " << i << ": " << df.text();
        for (const int j : {0, 1}) {
          const double exact2 = df.derivative(j).evaluate(at);
          const double difference2 = compute_difference(df, at, j);
          ASSERT_NEAR(exact2, difference2, 1e-6 * (1 + std::abs(exact2)))
              << c.text << " by " << i << ", " << j;
        }
      }
    }
  }
}

// f, f', f'' in one variable, carried along independently of the class under test, with the largest magnitude
// met on the way (the measure for rounding errors).
struct Jet {
  double f = 0;
  double d = 0;
  double dd = 0;
  double scale = 1;
};

struct Sample {
  std::string text;
  Jet jet;
};

Jet make_jet(double f, double d, double dd, double scale) {
  return {f, d, dd, std::max({scale, std::abs(f), std::abs(d), std::abs(dd)})};
}

// g(u) from g, g', g'' at u.
Jet chain(const Jet& u, double g, double g1, double g2) {
  const double steepness = std::max({1.0, std::abs(g1), std::abs(g2)});
  return make_jet(g, g1 * u.d, g2 * u.d * u.d + g1 * u.dd, u.scale * u.scale * steepness);
}

Jet multiply(const Jet& a, const Jet& b) {
  return make_jet(a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd,
                  a.scale * b.scale);
}

Sample make_sample(std::mt19937& random, int depth, double x) {
  const auto choice = depth == 0 ? random() % 3 : 3 + random() % 11;
  if (choice <= 1) return {"x", {x, 1, 0, 1}};
  if (choice == 2) {
    const int n = static_cast<int>(random() % 5) - 1;
    return {"(" + std::to_string(n) + ")", make_jet(n, 0, 0, 1)};
  }
  const Sample a = make_sample(random, depth - 1, x);
  const Jet& u = a.jet;
  if (choice == 3) return {"(-" + a.text + ")", make_jet(-u.f, -u.d, -u.dd, u.scale)};
  if (choice == 4) return {"sin(" + a.text + ")", chain(u, std::sin(u.f), std::cos(u.f), -std::sin(u.f))};
  if (choice == 5) {
    const double s = std::sqrt(u.f * u.f + 1);
    return {"sqrt((" + a.text + ")^2 + 1)", chain(u, s, u.f / s, 1 / (s * s * s))};
  }
  if (choice == 6) {
    const int n = 2 + static_cast<int>(random() % 2);
    return {"(" + a.text + ")^" + std::to_string(n),
            chain(u, std::pow(u.f, n), n * std::pow(u.f, n - 1), n * (n - 1) * std::pow(u.f, n - 2))};
  }
  const Sample b = make_sample(random, depth - 1, x);
  const Jet& v = b.jet;
  const double scale = std::max(u.scale, v.scale);
  if (choice <= 8)
    return {"(" + a.text + " + " + b.text + ")", make_jet(u.f + v.f, u.d + v.d, u.dd + v.dd, scale)};
  if (choice <= 10)
    return {"(" + a.text + " - " + b.text + ")", make_jet(u.f - v.f, u.d - v.d, u.dd - v.dd, scale)};
  if (choice <= 12) return {"(" + a.text + "*" + b.text + ")", multiply(u, v)};
  const double r = 1 / v.f;
  return {"(" + a.text + "/" + b.text + ")", multiply(u, chain(v, r, -r * r, 2 * r * r * r))};
}

TEST(Expression, RandomFormulasAgreeWithJets) {
  std::mt19937 random(2);
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = std::uniform_real_distribution<double>(-2, 2)(random);
    const Sample sample = make_sample(random, 1 + i % 5, x);
    if (!(sample.jet.scale < 1e6)) continue;  // rounding would hide everything
    const Expression f = parse(sample.text);
    const Expression df = f.derivative(0);
    const Expression ddf = df.derivative(0);
    const std::array at = {x, 0.0, 0.0};
    const double tolerance = 1e-12 * sample.jet.scale;
    ASSERT_NEAR(f.evaluate(at), sample.jet.f, tolerance) << sample.text;
    ASSERT_NEAR(df.evaluate(at), sample.jet.d, tolerance) << sample.text << " -> " << df.text();
    ASSERT_NEAR(ddf.evaluate(at), sample.jet.dd, tolerance) << sample.text << " -> " << ddf.text();
    ++compared;
  }
  EXPECT_GT(compared, 5000);
}

void expect_round_trip(const Expression& f, std::mt19937& random) {
  const std::string text = f.text();
  const Expression again = parse(text);
  ASSERT_EQ(again.text(), text);
  for (int point = 0; point < 3; ++point) {
    std::uniform_real_distribution<double> draw(-2, 2);
    const std::array at = {draw(random), draw(random), draw(random)};
    ASSERT_TRUE(same_bits(f.evaluate(at), again.evaluate(at))) << text;
  }
}

// Any formula of the grammar, as text.
std::string make_formula(std::mt19937& random, int depth) {
  static const std::vector<std::string> leaves = {"x", "y", "t",    "2",  "-3", "0.1",
                                                  "0", "1", "1e-7", "pi", "m",  "-0"};
  static const std::vector<std::string> infix = {
      "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  static const std::vector<std::string> unary = {"sin",  "cos",  "tan",   "asin", "acos",  "atan", "sinh",
                                                 "cosh", "tanh", "exp",   "log",  "log10", "sqrt", "cbrt",
                                                 "abs",  "sign", "floor", "ceil", "step",  "-",    "!"};
  static const std::vector<std::string> binary = {"atan2", "min", "max", "pow", "hypot", "mod"};
  if (depth == 0) return leaves[random() % leaves.size()];
  const auto inner = [&random, depth] { return make_formula(random, static_cast<int>(random() % depth)); };
  switch (random() % 5) {
    case 0:
      return unary[random() % unary.size()] + "(" + inner() + ")";
    case 1:
      return binary[random() % binary.size()] + "(" + inner() + ", " + inner() + ")";
    case 2:
      return random() % 2 == 0 ? "(" + inner() + " ? " + inner() + " : " + inner() + ")"
                               : "clamp(" + inner() + ", " + inner() + ", " + inner() + ")";
    default:
      return "(" + inner() + ")" + infix[random() % infix.size()] + "(" + inner() + ")";
  }
}

TEST(Expression, TextRoundTrip) {
  std::mt19937 random(3);
  for (const Case& c : k_cases) {
    const Expression f = parse(c.text);
    expect_round_trip(f, random);
    expect_round_trip(f.derivative(0), random);
    expect_round_trip(f.derivative(0).derivative(1), random);
  }
  for (int i = 0; i < 5000; ++i) {
    const Expression f = parse(make_formula(random, 1 + i % 6));
    expect_round_trip(f, random);
    expect_round_trip(f.derivative(0), random);
  }
  EXPECT_EQ(parse(Expression::constant(k_inf).text()).evaluate(std::array{0.0, 0.0, 0.0}), k_inf);
  EXPECT_EQ(parse(Expression::constant(-k_inf).text()).evaluate(std::array{0.0, 0.0, 0.0}), -k_inf);
  EXPECT_TRUE(std::isnan(parse(Expression::constant(k_nan).text()).evaluate(std::array{0.0, 0.0, 0.0})));
}

TEST(Expression, EvaluateDoesNotAllocate) {
  std::vector<Expression> formulas;
  for (const Case& c : k_cases) {
    formulas.push_back(parse(c.text));
    formulas.push_back(formulas.back().derivative(0).derivative(1));
  }
  const std::array at = {0.3, 0.4, 0.5};
  double sum = 0;
  const long before = g_allocations;
  for (const Expression& f : formulas) {
    const Expression copy = f;
    sum += copy.evaluate(at);
  }
  const long during = g_allocations - before;
  EXPECT_EQ(during, 0);
  EXPECT_FALSE(std::isinf(sum));
  const long control = g_allocations;
  parse("x");
  EXPECT_GT(g_allocations, control);  // the counter counts
}

TEST(Expression, TooLargeDerivativesAreRefused) {
  std::string nested = "x";
  for (int i = 0; i < 190; ++i) nested = "sin(" + nested + "*y)";
  Expression f = parse(nested);
  try {
    for (int i = 0; i < 6; ++i) f = f.derivative(i % 2);
    ADD_FAILURE() << "accepted with " << f.size() << " operations";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.column(), 0);
    EXPECT_NE(error.message().find("too large"), std::string::npos);
  }
}

}  // namespace
}  // namespace delassus::expression_test
