// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/laws.hpp"

#include <array>
#include <cmath>
#include <memory>

namespace delassus {
namespace {

// Steps of central differences that balance truncation and round-off: ε^{1/3} for first derivatives, ε^{1/4} for
// second ones.
constexpr double k_first_step = 6e-6, k_second_step = 1e-4;

double step_at(double x, double step) {
  return step * (1.0 + std::abs(x));
}

}  // namespace

TimeLaw constant_law(double value) {
  return {[value](double) { return value; }, [](double) { return 0.0; }, [](double) { return 0.0; }};
}

TimeLaw time_law_from_expression(const Expression& formula) {
  const auto evaluator = [](const Expression& f) {
    return [f](double t) { return f.evaluate(std::array<double, 1>{t}); };
  };
  const Expression rate = formula.derivative(0);
  return {evaluator(formula), evaluator(rate), evaluator(rate.derivative(0))};
}

TimeLaw time_law_from_function(const std::function<double(double)>& value) {
  return {value,
          [value](double t) {
            const double h = step_at(t, k_first_step);
            return (value(t + h) - value(t - h)) / (2 * h);
          },
          [value](double t) {
            const double h = step_at(t, k_second_step);
            return (value(t + h) - 2 * value(t) + value(t - h)) / (h * h);
          }};
}

const std::vector<std::string>& coordinate_law_variables() {
  static const std::vector<std::string> names{"t", "x", "v"};
  return names;
}

CoordinateLaw coordinate_law_from_expression(const Expression& formula) {
  return [f = formula, by_x = formula.derivative(1), by_v = formula.derivative(2)](double t, double x,
                                                                                   double v) {
    const std::array<double, 3> at{t, x, v};
    return CoordinateForce{f.evaluate(at), by_x.evaluate(at), by_v.evaluate(at)};
  };
}

CoordinateLaw coordinate_law_from_function(std::function<double(double, double, double)> function) {
  return [f = std::move(function)](double t, double x, double v) {
    const double dx = step_at(x, k_first_step), dv = step_at(v, k_first_step);
    return CoordinateForce{f(t, x, v), (f(t, x + dx, v) - f(t, x - dx, v)) / (2 * dx),
                           (f(t, x, v + dv) - f(t, x, v - dv)) / (2 * dv)};
  };
}

const std::vector<std::string>& force_variables() {
  static const std::vector<std::string> names{"t", "x", "y", "z", "vx", "vy", "vz"};
  return names;
}

ForceFunction force_from_expressions(const Expression (&components)[3]) {
  struct Formulas {
    std::array<Expression, 3> f;
    std::array<std::array<Expression, 6>, 3> df;
  };
  auto formulas = std::make_shared<Formulas>();
  for (int i = 0; i < 3; ++i) {
    formulas->f[i] = components[i];
    for (int j = 0; j < 6; ++j) formulas->df[i][j] = components[i].derivative(1 + j);
  }
  return [formulas](double t, const Vector3& x, const Vector3& v, Vector3& force, Matrix3* df_dx,
                    Matrix3* df_dv) {
    const std::array<double, 7> values{t, x[0], x[1], x[2], v[0], v[1], v[2]};
    for (int i = 0; i < 3; ++i) {
      force[i] = formulas->f[i].evaluate(values);
      for (int j = 0; j < 3; ++j) {
        if (df_dx != nullptr) (*df_dx)(i, j) = formulas->df[i][j].evaluate(values);
        if (df_dv != nullptr) (*df_dv)(i, j) = formulas->df[i][3 + j].evaluate(values);
      }
    }
  };
}

ForceFunction force_from_function(std::function<Vector3(double, const Vector3&, const Vector3&)> function) {
  return [function = std::move(function)](double t, const Vector3& x, const Vector3& v, Vector3& force,
                                          Matrix3* df_dx, Matrix3* df_dv) {
    force = function(t, x, v);
    for (int j = 0; j < 3; ++j) {
      const double dx = step_at(x[j], k_first_step), dv = step_at(v[j], k_first_step);
      const Vector3 ex = dx * Vector3::Unit(j), ev = dv * Vector3::Unit(j);
      if (df_dx != nullptr) df_dx->col(j) = (function(t, x + ex, v) - function(t, x - ex, v)) / (2 * dx);
      if (df_dv != nullptr) df_dv->col(j) = (function(t, x, v + ev) - function(t, x, v - ev)) / (2 * dv);
    }
  };
}

}  // namespace delassus
