// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that drive a model: of time (prescribed motions), of a coordinate (motors and springs), of a point
// (applied forces). From formulas they have exact derivatives, from plain functions central differences.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "delassus/base/expression.hpp"
#include "delassus/linalg/types.hpp"

namespace delassus {

// f(t) with its first and second derivative.
struct TimeLaw {
  std::function<double(double t)> value, rate, acceleration;
  explicit operator bool() const { return static_cast<bool>(value); }
};
TimeLaw constant_law(double value);
// A formula in t.
TimeLaw time_law_from_expression(const Expression& formula);
TimeLaw time_law_from_function(const std::function<double(double t)>& value);

// f(t, x, v) of a coordinate x and its rate v, with ∂f/∂x and ∂f/∂v.
struct CoordinateForce {
  double force = 0, by_position = 0, by_rate = 0;
};
using CoordinateLaw = std::function<CoordinateForce(double t, double x, double v)>;
// A formula in t, x, v.
CoordinateLaw coordinate_law_from_expression(const Expression& formula);
CoordinateLaw coordinate_law_from_function(std::function<double(double t, double x, double v)> function);
const std::vector<std::string>& coordinate_law_variables();

// A force at a point as a function of (t, x, v), with its derivatives when they are asked for (non-null).
using ForceFunction = std::function<void(double t, const Vector3& x, const Vector3& v, Vector3& force,
                                         Matrix3* df_dx, Matrix3* df_dv)>;
// Three formulas in t, x, y, z, vx, vy, vz, differentiated exactly.
ForceFunction force_from_expressions(const Expression (&components)[3]);
// Names of the variables of such formulas, in order.
const std::vector<std::string>& force_variables();
// A plain function without derivatives: they are taken by central differences.
ForceFunction force_from_function(
    std::function<Vector3(double t, const Vector3& x, const Vector3& v)> function);

}  // namespace delassus
