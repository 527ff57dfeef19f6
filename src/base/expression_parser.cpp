// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Parser of formulas: recursive descent for nesting, precedence climbing for the infix operators. The grammar
// is in expression.hpp.
#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "delassus/base/expression_nodes.hpp"
#include "delassus/base/expression_tokens.hpp"
#include "delassus/base/names.hpp"

namespace delassus::detail {
namespace {

struct Infix {
  std::string_view text;
  Op op;
  int level;
};
constexpr int k_compare_level = 3;
constexpr auto k_infix = std::to_array<Infix>({
    {"||", Op::logical_or, 1},
    {"&&", Op::logical_and, 2},
    {"<=", Op::less_equal, k_compare_level},
    {"<", Op::less, k_compare_level},
    {">=", Op::greater_equal, k_compare_level},
    {">", Op::greater, k_compare_level},
    {"==", Op::equal, k_compare_level},
    {"!=", Op::not_equal, k_compare_level},
    {"+", Op::add, 4},
    {"-", Op::subtract, 4},
    {"*", Op::multiply, 5},
    {"/", Op::divide, 5},
});

// Functions that are not one operation.
constexpr auto k_special_functions = std::to_array<std::string_view>({"if", "step", "clamp"});

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> variables,
         const std::map<std::string, double>& constants)
      : text_(text), variables_(variables), constants_(constants), reader_(text) {}

  NodePtr parse() {
    if (text_.size() > k_max_text)
      fail(0, "the formula has " + std::to_string(text_.size()) + " bytes; at most " +
                  std::to_string(k_max_text) + " are allowed");
    advance();
    if (token_.kind == Kind::end) fail(0, "the formula is empty; expected a number, a name or (");
    NodePtr result = parse_conditional();
    if (token_.kind != Kind::end) fail_after_operand();
    return result;
  }

 private:
  // Counts nested calls of the parser for the time it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > k_max_nesting)
        parser_.fail(parser_.token_.begin,
                     "nested too deeply; at most " + std::to_string(k_max_nesting) + " levels are allowed");
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  NodePtr parse_conditional() {
    const Nesting nesting(*this);
    NodePtr condition = parse_infix(1);
    const std::size_t place = token_.begin;
    if (!accept("?")) return condition;
    const NodePtr a = parse_conditional();
    if (!accept(":")) fail(token_.begin, "expected : of the conditional c ? a : b, got " + describe_token());
    const NodePtr b = parse_conditional();
    return checked(make_select(condition, a, b), place);
  }

  NodePtr parse_infix(int lowest_level) {
    NodePtr left = parse_signed();
    while (const Infix* infix = find_infix(lowest_level)) {
      const std::size_t place = token_.begin;
      advance();
      const NodePtr right = parse_infix(infix->level + 1);
      const Infix* next = find_infix(k_compare_level);
      if (infix->level == k_compare_level && next != nullptr && next->level == k_compare_level)
        fail(token_.begin, "comparisons cannot be chained; write a < b && b < c");
      left = checked(make_binary(infix->op, left, right), place);
    }
    return left;
  }

  NodePtr parse_signed() {
    const std::size_t place = token_.begin;
    if (accept("+")) return parse_inner_signed();
    if (accept("-")) return checked(make_unary(Op::negate, parse_inner_signed()), place);
    if (accept("!")) return checked(make_unary(Op::logical_not, parse_inner_signed()), place);
    NodePtr base = parse_operand();
    const std::size_t power_place = token_.begin;
    if (!accept("^") && !accept("**")) return base;
    return checked(make_binary(Op::power, base, parse_inner_signed()), power_place);
  }

  NodePtr parse_inner_signed() {
    const Nesting nesting(*this);
    return parse_signed();
  }

  NodePtr parse_operand() {
    const Token token = token_;
    if (token.kind == Kind::number) {
      advance();
      return make_constant(token.value);
    }
    if (token.kind == Kind::name) {
      advance();
      return token_.text == "(" ? parse_call(token) : make_named(token);
    }
    if (accept("(")) {
      NodePtr inner = parse_conditional();
      if (!accept(")"))
        fail(token_.begin, "expected ) for the ( in column " + std::to_string(reader_.column(token.begin)) +
                               ", got " + describe_token());
      return inner;
    }
    fail(token.begin, "expected a number, a name or (, got " + describe_token());
  }

  NodePtr make_named(const Token& token) const {
    const auto variable = std::ranges::find(variables_, token.text);
    if (variable != variables_.end()) return make_variable(static_cast<int>(variable - variables_.begin()));
    const std::string name(token.text);
    const auto constant = constants_.find(name);
    if (constant != constants_.end()) return make_constant(constant->second);
    if (name == "pi") return make_constant(std::numbers::pi);

    if (is_function(name)) fail(token.begin, "the function " + quote(name) + " needs its arguments in ( )");
    const std::vector<std::string> known = known_names();
    std::string message = "unknown name " + quote(name);
    const std::string nearest = nearest_name(name, known);
    if (!nearest.empty()) message += "; did you mean " + quote(nearest) + "?";
    if (name == "e") message += "; Euler's number is exp(1)";
    fail(token.begin, message + "; known: " + list(known));
  }

  NodePtr parse_call(const Token& token) {
    const std::string name(token.text);
    if (!is_function(name)) {
      const std::vector<std::string> known = known_names();
      if (std::ranges::find(known, name) != known.end())
        fail(token.begin, quote(name) + " is not a function; a product is written " + name + "*( )");
      const std::vector<std::string> functions = function_names();
      const std::string nearest = nearest_name(name, functions);
      fail(token.begin, "unknown function " + quote(name) +
                            (nearest.empty() ? "" : "; did you mean " + quote(nearest) + "?") +
                            "; known: " + list(functions));
    }
    const std::size_t open = token_.begin;
    advance();
    std::vector<NodePtr> operands;
    if (token_.text != ")") {
      do {
        operands.push_back(parse_conditional());
      } while (accept(","));
    }
    if (!accept(")"))
      fail(token_.begin, "expected , or ) for the ( in column " + std::to_string(reader_.column(open)) +
                             ", got " + describe_token());
    return make_call(token, name, operands);
  }

  NodePtr make_call(const Token& token, const std::string& name, const std::vector<NodePtr>& operands) const {
    const std::size_t place = token.begin;
    if (name == "if") {
      require_operands(token, operands, 3);
      return checked(make_select(operands[0], operands[1], operands[2]), place);
    }
    if (name == "clamp") {
      require_operands(token, operands, 3);
      const NodePtr above = checked(make_binary(Op::max, operands[0], operands[1]), place);
      return checked(make_binary(Op::min, above, operands[2]), place);
    }
    if (name == "step") {
      require_operands(token, operands, 1);
      return checked(make_binary(Op::greater_equal, operands[0], make_constant(0)), place);
    }
    const Op op = std::ranges::find(k_functions, name, &Function::name)->op;
    if (op == Op::min || op == Op::max) {
      if (operands.size() < 2) require_operands(token, operands, 2);
      NodePtr result = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i)
        result = checked(make_binary(op, result, operands[i]), place);
      return result;
    }
    require_operands(token, operands, is_unary(op) ? 1 : 2);
    return checked(is_unary(op) ? make_unary(op, operands[0]) : make_binary(op, operands[0], operands[1]),
                   place);
  }

  void require_operands(const Token& token, const std::vector<NodePtr>& operands,
                        std::size_t expected) const {
    if (operands.size() == expected) return;
    fail(token.begin, quote(token.text) + " takes " + std::to_string(expected) +
                          (expected == 1 ? " argument, got " : " arguments, got ") +
                          std::to_string(operands.size()));
  }

  NodePtr checked(NodePtr node, std::size_t place) const {
    if (node->depth > k_max_parsed_depth)
      fail(place, "too many operations in one chain; at most " + std::to_string(k_max_parsed_depth) +
                      " are allowed");
    if (node->size > k_max_parsed_size)
      fail(place, "too many operations; at most " + std::to_string(k_max_parsed_size) + " are allowed");
    if (node->stack > k_stack) fail(place, "nested too deeply for the evaluation stack");
    return node;
  }

  // The infix operator at hand when it binds at least as tightly as `lowest_level`.
  const Infix* find_infix(int lowest_level) const {
    if (token_.kind != Kind::symbol) return nullptr;
    const auto* infix = std::ranges::find(k_infix, token_.text, &Infix::text);
    return infix != k_infix.end() && infix->level >= lowest_level ? infix : nullptr;
  }

  bool accept(std::string_view symbol) {
    if (token_.kind != Kind::symbol || token_.text != symbol) return false;
    advance();
    return true;
  }

  [[noreturn]] void fail_after_operand() const {
    std::string message = "expected an operator or the end, got " + describe_token();
    if (token_.kind == Kind::name || token_.kind == Kind::number || token_.text == "(")
      message += "; a product is written *";
    if (token_.text == ")") message = "this ) has no (";
    if (token_.text == ",")
      message = "a comma is allowed only between the arguments of a function; decimals use a point";
    fail(token_.begin, message);
  }

  std::string describe_token() const { return token_.kind == Kind::end ? "the end" : quote(token_.text); }

  static std::vector<std::string> function_names() {
    std::vector<std::string> names;
    names.reserve(k_functions.size() + k_special_functions.size());
    for (const Function& function : k_functions) names.emplace_back(function.name);
    names.insert(names.end(), k_special_functions.begin(), k_special_functions.end());
    return names;
  }

  static bool is_function(std::string_view name) {
    return std::ranges::find(k_functions, name, &Function::name) != k_functions.end() ||
           std::ranges::find(k_special_functions, name) != k_special_functions.end();
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names(variables_.begin(), variables_.end());
    for (const auto& constant : constants_) names.push_back(constant.first);
    names.emplace_back("pi");
    return names;
  }

  static std::string list(const std::vector<std::string>& names) {
    constexpr std::size_t most = 40;
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) out += (i == 0 ? "" : ", ") + names[i];
    return names.size() > most ? out + ", …" : out;
  }

  void advance() { token_ = reader_.read(); }
  [[noreturn]] void fail(std::size_t place, const std::string& message) const {
    reader_.fail(place, message);
  }

  std::string_view text_;
  std::span<const std::string> variables_;
  const std::map<std::string, double>& constants_;
  TokenReader reader_;
  Token token_;
  int nesting_ = 0;
};

}  // namespace

NodePtr parse_formula(const std::string& text, std::span<const std::string> variables,
                      const std::map<std::string, double>& constants) {
  return Parser(text, variables, constants).parse();
}

}  // namespace delassus::detail
