// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/expression_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "delassus/base/expression.hpp"

namespace delassus::detail {
namespace {

double truth(bool b) {
  return b ? 1.0 : 0.0;
}

bool is_number(const NodePtr& node) {
  return node->op == Op::constant;
}

bool is_negative_number(const NodePtr& node) {
  return is_number(node) && node->value < 0;
}

// c·a with a number c in front.
bool is_scaled(const NodePtr& node) {
  return node->op == Op::multiply && is_number(node->a);
}

constexpr double k_whole_limit = 1e9;  // whole exponents are merged up to here, far from rounding

bool is_integer(double x) {
  return std::floor(x) == x && std::abs(x) < k_whole_limit;
}

bool is_integer_power(const NodePtr& node) {
  return node->op == Op::power && is_number(node->b) && is_integer(node->b->value);
}

bool same(const NodePtr& x, const NodePtr& y) {
  if (x == y) return true;
  if (!x || !y || x->hash != y->hash || x->op != y->op || x->size != y->size) return false;
  if (x->variable != y->variable ||
      std::bit_cast<std::uint64_t>(x->value) != std::bit_cast<std::uint64_t>(y->value))
    return false;
  return same(x->a, y->a) && same(x->b, y->b) && same(x->c, y->c);
}

std::size_t mix(std::size_t hash, std::size_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xFF51AFD7ED558CCDULL;
}

// Allocates; called only when no simplification applies.
NodePtr allocate(Node node) {
  node.hash = mix(mix(static_cast<std::size_t>(node.op), static_cast<std::size_t>(node.variable)),
                  std::bit_cast<std::uint64_t>(node.value));
  for (const NodePtr* child : {&node.a, &node.b, &node.c}) {
    if (!*child) continue;
    node.hash = mix(node.hash, (*child)->hash);
    node.size += (*child)->size;
    node.depth = std::max(node.depth, (*child)->depth + 1);
    node.stack = std::max(node.stack, (*child)->stack);
  }
  // Of two operands the one that needs more places is computed first, so only equal needs add up; a select
  // jumps. Hence `stack` grows with the logarithm of the size and k_stack suffices for k_max_size.
  if (is_binary(node.op) && node.a->stack == node.b->stack) ++node.stack;
  if (node.depth > k_max_depth || node.size > k_max_size || node.stack > k_stack)
    throw ExpressionError(0, "the formula or its derivative is too large (at most " +
                                 std::to_string(k_max_size) + " operations, " + std::to_string(k_max_depth) +
                                 " deep)");
  return std::make_shared<const Node>(std::move(node));
}

NodePtr allocate(Op op, const NodePtr& a, const NodePtr& b = nullptr, const NodePtr& c = nullptr) {
  return allocate({.op = op, .a = a, .b = b, .c = c});
}

NodePtr subtract(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::subtract, a, b);
}
NodePtr multiply(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::multiply, a, b);
}
NodePtr divide(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::divide, a, b);
}
NodePtr negate(const NodePtr& a) {
  return make_unary(Op::negate, a);
}

NodePtr simplify_negate(const NodePtr& a) {
  if (a->op == Op::negate) return a->a;
  if (a->op == Op::subtract) return subtract(a->b, a->a);
  if (is_scaled(a)) return multiply(make_constant(-a->a->value), a->b);
  if (a->op == Op::divide && is_number(a->a)) return divide(make_constant(-a->a->value), a->b);
  return nullptr;
}

// a ± b with sign = ±1.
NodePtr simplify_sum(const NodePtr& a, const NodePtr& b, double sign) {
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return sign > 0 ? b : negate(b);
  // Signs inside move into the operation.
  const Op flipped = sign > 0 ? Op::subtract : Op::add;
  if (b->op == Op::negate) return make_binary(flipped, a, b->a);
  if (is_negative_number(b)) return make_binary(flipped, a, make_constant(-b->value));
  if (is_scaled(b) && b->a->value < 0)
    return make_binary(flipped, a, multiply(make_constant(-b->a->value), b->b));
  if (a->op == Op::negate && sign > 0) return subtract(b, a->a);
  // Like terms: m·u ± n·u, and a common factor: m·u ± m·v.
  const double m = is_scaled(a) ? a->a->value : 1;
  const double n = is_scaled(b) ? b->a->value : 1;
  const NodePtr& u = is_scaled(a) ? a->b : a;
  const NodePtr& v = is_scaled(b) ? b->b : b;
  if (same(u, v) && !is_number(u) && std::isfinite(m + sign * n))
    return multiply(make_constant(m + sign * n), u);
  if (is_scaled(a) && is_scaled(b) && m == n)
    return multiply(a->a, make_binary(sign > 0 ? Op::add : Op::subtract, u, v));
  return nullptr;
}

NodePtr simplify_product(const NodePtr& a, const NodePtr& b) {
  if (is_number(b) && !is_number(a)) return multiply(b, a);
  if (is_constant(a, 0)) return make_constant(0);
  if (is_constant(a, 1)) return b;
  if (is_constant(a, -1)) return negate(b);
  if (is_number(a)) {
    if (b->op == Op::negate) return multiply(make_constant(-a->value), b->a);
    const bool inside = is_scaled(b) || (b->op == Op::divide && is_number(b->a));
    const double product = inside ? a->value * b->a->value : 0;
    if (product != 0 && std::isfinite(product)) {
      return is_scaled(b) ? multiply(make_constant(product), b->b) : divide(make_constant(product), b->b);
    }
    return nullptr;
  }
  if (a->op == Op::negate) return negate(multiply(a->a, b));
  if (b->op == Op::negate) return negate(multiply(a, b->a));
  if (is_scaled(a)) return multiply(a->a, multiply(a->b, b));
  if (is_scaled(b)) return multiply(b->a, multiply(a, b->b));
  // u^m · u^n for positive whole m, n.
  const double m = is_integer_power(a) ? a->b->value : 1;
  const double n = is_integer_power(b) ? b->b->value : 1;
  const NodePtr& u = is_integer_power(a) ? a->a : a;
  const NodePtr& v = is_integer_power(b) ? b->a : b;
  if (m > 0 && n > 0 && same(u, v)) return make_binary(Op::power, u, make_constant(m + n));
  return nullptr;
}

NodePtr simplify_quotient(const NodePtr& a, const NodePtr& b) {
  if (is_constant(a, 0) && !is_number(b)) return make_constant(0);
  if (is_constant(b, 1)) return a;
  if (is_constant(b, -1)) return negate(a);
  if (a->op == Op::negate) return negate(divide(a->a, b));
  if (b->op == Op::negate) return negate(divide(a, b->a));
  if (is_number(a) && is_number(b)) return nullptr;
  // (m·u)/(n·v) where m/n is exact.
  const bool above = is_number(a) || is_scaled(a);
  const bool below = is_number(b) || is_scaled(b);
  if (above && below) {
    const double m = is_number(a) ? a->value : a->a->value;
    const double n = is_number(b) ? b->value : b->a->value;
    const double ratio = m / n;
    if (std::isfinite(ratio) && ratio != 0 && std::fma(ratio, n, -m) == 0) {
      const NodePtr u = is_number(a) ? make_constant(1) : a->b;
      const NodePtr v = is_number(b) ? make_constant(1) : b->b;
      return multiply(make_constant(ratio), divide(u, v));
    }
  }
  return nullptr;
}

NodePtr simplify_power(const NodePtr& a, const NodePtr& b) {
  if (is_constant(b, 0) || is_constant(a, 1)) return make_constant(1);
  if (is_constant(b, 1)) return a;
  if (is_number(b) && is_integer(b->value)) {
    const double n = b->value;
    if (a->op == Op::negate) {
      const NodePtr power = make_binary(Op::power, a->a, b);
      return std::fmod(n, 2) == 0 ? power : negate(power);
    }
    const bool nested = is_integer_power(a) && a->b->value > 0 && n > 0 && a->b->value * n < k_whole_limit;
    if (nested) return make_binary(Op::power, a->a, make_constant(a->b->value * n));
  }
  return nullptr;
}

NodePtr simplify_binary(Op op, const NodePtr& a, const NodePtr& b) {
  switch (op) {
    case Op::add:
      return simplify_sum(a, b, 1);
    case Op::subtract:
      return simplify_sum(a, b, -1);
    case Op::multiply:
      return simplify_product(a, b);
    case Op::divide:
      return simplify_quotient(a, b);
    case Op::power:
      return simplify_power(a, b);
    case Op::min:
    case Op::max:
      return same(a, b) ? a : nullptr;
    case Op::logical_and:
      return is_constant(a, 0) || is_constant(b, 0) ? make_constant(0) : nullptr;
    case Op::logical_or:
      return (is_number(a) && a->value != 0) || (is_number(b) && b->value != 0) ? make_constant(1) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

double apply_unary(Op op, double a) {
  switch (op) {
    case Op::negate:
      return -a;
    case Op::logical_not:
      return truth(a == 0);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::log10:
      return std::log10(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::cbrt:
      return std::cbrt(a);
    case Op::abs:
      return std::abs(a);
    case Op::sign:
      return std::isnan(a) ? a : truth(a > 0) - truth(a < 0);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    default:
      return std::nan("");
  }
}

double apply_binary(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return is_small_integer(b) ? integer_power(a, static_cast<int>(b)) : std::pow(a, b);
    case Op::less:
      return truth(a < b);
    case Op::less_equal:
      return truth(a <= b);
    case Op::greater:
      return truth(a > b);
    case Op::greater_equal:
      return truth(a >= b);
    case Op::equal:
      return truth(a == b);
    case Op::not_equal:
      return truth(a != b);
    case Op::logical_and:
      return truth(a != 0 && b != 0);
    case Op::logical_or:
      return truth(a != 0 || b != 0);
    case Op::min:
      return a <= b || std::isnan(a) ? a : b;  // a NaN is never hidden
    case Op::max:
      return a >= b || std::isnan(a) ? a : b;
    case Op::atan2:
      return std::atan2(a, b);
    case Op::hypot:
      return std::hypot(a, b);
    case Op::mod: {
      const double r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    default:
      return std::nan("");
  }
}

bool is_small_integer(double n) {
  return std::abs(n) <= k_max_integer_power && std::floor(n) == n;
}

double integer_power(double a, int n) {
  double result = 1;
  double square = a;
  for (int rest = std::abs(n); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result *= square;
    if (rest > 1) square *= square;
  }
  return n < 0 ? 1 / result : result;
}

bool is_constant(const NodePtr& node, double value) {
  return is_number(node) && node->value == value;
}

NodePtr make_constant(double value) {
  return allocate({.op = Op::constant, .value = value});
}

NodePtr make_variable(int index) {
  return allocate({.op = Op::variable, .variable = index});
}

NodePtr make_unary(Op op, const NodePtr& a) {
  if (is_number(a)) {
    const double value = apply_unary(op, a->value);
    if (std::isfinite(value)) return make_constant(value);
  }
  NodePtr simple = op == Op::negate ? simplify_negate(a) : nullptr;
  return simple ? simple : allocate(op, a);
}

NodePtr make_binary(Op op, const NodePtr& a, const NodePtr& b) {
  if (is_number(a) && is_number(b)) {
    const double value = apply_binary(op, a->value, b->value);
    if (std::isfinite(value)) return make_constant(value);
  }
  NodePtr simple = simplify_binary(op, a, b);
  return simple ? simple : allocate(op, a, b);
}

NodePtr make_select(const NodePtr& condition, const NodePtr& a, const NodePtr& b) {
  if (is_number(condition)) return condition->value != 0 ? a : b;
  if (same(a, b)) return a;
  return allocate(Op::select, condition, a, b);
}

}  // namespace delassus::detail
