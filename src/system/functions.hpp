// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Scalar functions φ(t, q) and row functions a(t, q) with the derivatives that constraints, gaps and springs
// need. Three ways to make one: from a formula (exact), from functions with all derivatives (exact), from the
// value alone (central differences).
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "delassus/base/expression.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

struct ScalarFunction {
  std::function<double(double t, const VectorRef& q)> value;
  std::function<void(double t, const VectorRef& q, Vector& out)> gradient;  // ∂φ/∂q
  std::function<void(double t, const VectorRef& q, Matrix& out)> hessian;   // ∂²φ/∂q²
  std::function<double(double t, const VectorRef& q)> rate;                 // ∂φ/∂t
  // 2 (∂²φ/∂t∂q) v + ∂²φ/∂t²: what is left of φ̈ beside the gradient and the Hessian.
  std::function<double(double t, const VectorRef& q, const VectorRef& v)> time_bias;

  explicit operator bool() const { return static_cast<bool>(value); }
};

struct RowFunction {
  std::function<void(double t, const VectorRef& q, Vector& out)> values;         // a(t, q)
  std::function<double(double t, const VectorRef& q, const VectorRef& v)> bias;  // (da/dt) v along (1, v)
};

// A function of time alone with its derivative, e.g. the right side of a Pfaffian constraint.
struct TimeFunction {
  std::function<double(double t)> value = [](double) { return 0.0; };
  std::function<double(double t)> rate = [](double) { return 0.0; };
};

// Names for formulas: t, then the coordinates, then the velocities.
struct FormulaVariables {
  std::vector<std::string> coordinates;
  std::vector<std::string> velocities;
  std::vector<std::string> all() const;
  int num() const { return static_cast<int>(coordinates.size()); }
  int coordinate(int i) const { return 1 + i; }
  int velocity(int i) const { return 1 + num() + i; }
};

// From formulas over FormulaVariables::all(); formulas of φ and a may not contain velocities.
ScalarFunction scalar_from_expression(const Expression& formula, int nq);
RowFunction row_from_expressions(const std::vector<Expression>& formulas, int nq);
TimeFunction time_from_expression(const Expression& formula);

// From the value alone.
ScalarFunction scalar_from_value(std::function<double(double t, const VectorRef& q)> value);
RowFunction row_from_values(std::function<void(double t, const VectorRef& q, Vector& out)> values);

// Evaluates formulas at (t, q, v) without allocation for up to 64 coordinates.
class FormulaPoint {
 public:
  FormulaPoint(double t, const VectorRef& q);
  FormulaPoint(double t, const VectorRef& q, const VectorRef& v);
  double operator()(const Expression& formula) const { return formula.evaluate(values_); }

 private:
  static constexpr int k_inline = 129;
  double inline_[k_inline];
  std::vector<double> large_;
  std::span<const double> values_;
};

}  // namespace delassus
