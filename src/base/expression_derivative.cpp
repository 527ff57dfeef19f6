// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Symbolic differentiation. The rules reuse the operand trees as they are (shared, not copied) and rely on
// the make_ functions to drop what vanishes.
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "delassus/base/expression_nodes.hpp"

namespace delassus::detail {
namespace {

NodePtr operator+(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::add, a, b);
}
NodePtr operator-(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::subtract, a, b);
}
NodePtr operator*(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::multiply, a, b);
}
NodePtr operator/(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::divide, a, b);
}
NodePtr operator-(const NodePtr& a) {
  return make_unary(Op::negate, a);
}
NodePtr power(const NodePtr& a, const NodePtr& b) {
  return make_binary(Op::power, a, b);
}
NodePtr square(const NodePtr& a) {
  return power(a, make_constant(2));
}

class Differentiator {
 public:
  explicit Differentiator(int variable) : variable_(variable) {}

  // Operands shared by several nodes are differentiated once.
  NodePtr derive(const NodePtr& node) {
    if (node->op == Op::constant) return zero_;
    if (node->op == Op::variable) return node->variable == variable_ ? one_ : zero_;
    const auto found = known_.find(node.get());
    if (found != known_.end()) return found->second;
    NodePtr result = derive_operation(node);
    known_.emplace(node.get(), result);
    return result;
  }

 private:
  NodePtr derive_operation(const NodePtr& node) {
    if (node->op == Op::select) return make_select(node->a, derive(node->b), derive(node->c));
    const NodePtr da = derive(node->a);
    if (is_unary(node->op)) return is_constant(da, 0) ? zero_ : derive_unary(node, da);
    const NodePtr db = derive(node->b);
    return is_constant(da, 0) && is_constant(db, 0) ? zero_ : derive_binary(node, da, db);
  }

  // f(a)' for a' = da ≠ 0.
  NodePtr derive_unary(const NodePtr& f, const NodePtr& da) const {
    const NodePtr& a = f->a;
    switch (f->op) {
      case Op::negate:
        return -da;
      case Op::sin:
        return make_unary(Op::cos, a) * da;
      case Op::cos:
        return -(make_unary(Op::sin, a) * da);
      case Op::tan:
        return (one_ + square(f)) * da;
      case Op::asin:
        return da / make_unary(Op::sqrt, one_ - square(a));
      case Op::acos:
        return -(da / make_unary(Op::sqrt, one_ - square(a)));
      case Op::atan:
        return da / (one_ + square(a));
      case Op::sinh:
        return make_unary(Op::cosh, a) * da;
      case Op::cosh:
        return make_unary(Op::sinh, a) * da;
      case Op::tanh:
        return da / square(make_unary(Op::cosh, a));
      case Op::exp:
        return f * da;
      case Op::log:
        return da / a;
      case Op::log10:
        return da / (make_constant(std::numbers::ln10) * a);
      case Op::sqrt:
        return da / (make_constant(2) * f);
      case Op::cbrt:
        return da / (make_constant(3) * square(f));
      case Op::abs:
        return make_unary(Op::sign, a) * da;
      default:  // sign, floor, ceil, !
        return zero_;
    }
  }

  NodePtr derive_binary(const NodePtr& f, const NodePtr& da, const NodePtr& db) const {
    const NodePtr& a = f->a;
    const NodePtr& b = f->b;
    switch (f->op) {
      case Op::add:
        return da + db;
      case Op::subtract:
        return da - db;
      case Op::multiply:
        return da * b + a * db;
      case Op::divide:  // shorter than (da b − a db)/b², and b² cannot overflow
        return is_constant(db, 0) ? da / b : (da - f * db) / b;
      case Op::power: {
        // b a^(b−1) a' + a^b ln(a) b'; the second part only where the exponent varies.
        const NodePtr by_base = is_constant(da, 0) ? zero_ : b * power(a, b - one_) * da;
        const NodePtr by_exponent = is_constant(db, 0) ? zero_ : f * make_unary(Op::log, a) * db;
        return by_base + by_exponent;
      }
      case Op::min:
        return make_select(make_binary(Op::less_equal, a, b), da, db);
      case Op::max:
        return make_select(make_binary(Op::greater_equal, a, b), da, db);
      case Op::atan2:  // atan2(a, b) = atan(a/b)
        return (b * da - a * db) / (square(a) + square(b));
      case Op::hypot:
        return (a * da + b * db) / f;
      case Op::mod:
        return da - make_unary(Op::floor, a / b) * db;
      default:  // comparisons, logic
        return zero_;
    }
  }

  int variable_;
  NodePtr zero_ = make_constant(0);
  NodePtr one_ = make_constant(1);
  std::unordered_map<const Node*, NodePtr> known_;
};

}  // namespace

NodePtr make_derivative(const NodePtr& node, int variable) {
  return Differentiator(variable).derive(node);
}

}  // namespace delassus::detail
