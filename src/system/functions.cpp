// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/functions.hpp"

#include <cmath>
#include <memory>

namespace delassus {
namespace {

constexpr int k_time = 0;  // index of t among the variables of a formula

// Steps of central differences that balance truncation and round-off: ε^{1/3} for first, ε^{1/4} for second
// derivatives.
constexpr double k_first_step = 6e-6;
constexpr double k_second_step = 1.2e-4;

double step_for(double scale, double x) {
  return scale * (1.0 + std::abs(x));
}

// The nonzero second derivatives of a formula.
struct Entry {
  int i, j;
  Expression formula;
};

}  // namespace

std::vector<std::string> FormulaVariables::all() const {
  std::vector<std::string> names{"t"};
  names.insert(names.end(), coordinates.begin(), coordinates.end());
  names.insert(names.end(), velocities.begin(), velocities.end());
  return names;
}

FormulaPoint::FormulaPoint(double t, const VectorRef& q) : FormulaPoint(t, q, Vector()) {}

FormulaPoint::FormulaPoint(double t, const VectorRef& q, const VectorRef& v) {
  // Formulas without velocities may still have velocity variables: they read zeros.
  const Eigen::Index n = q.size(), size = 1 + 2 * n;
  double* values = inline_;
  if (size > k_inline) {
    large_.resize(size);
    values = large_.data();
  }
  values[0] = t;
  for (Eigen::Index i = 0; i < n; ++i) {
    values[1 + i] = q[i];
    values[1 + n + i] = v.size() == n ? v[i] : 0.0;
  }
  values_ = {values, static_cast<std::size_t>(size)};
}

ScalarFunction scalar_from_expression(const Expression& formula, int nq) {
  struct Formulas {
    Expression value, rate, second_rate;
    std::vector<Expression> gradient, gradient_rate;
    std::vector<Entry> hessian;
  };
  auto f = std::make_shared<Formulas>();
  f->value = formula;
  f->rate = formula.derivative(k_time);
  f->second_rate = f->rate.derivative(k_time);
  for (int i = 0; i < nq; ++i) {
    f->gradient.push_back(formula.derivative(1 + i));
    f->gradient_rate.push_back(f->gradient[i].derivative(k_time));
    for (int j = 0; j <= i; ++j) {
      const Expression second = f->gradient[i].derivative(1 + j);
      if (second.is_zero()) continue;
      f->hessian.push_back({i, j, second});
      if (j < i) f->hessian.push_back({j, i, second});
    }
  }
  ScalarFunction out;
  out.value = [f](double t, const VectorRef& q) { return FormulaPoint(t, q)(f->value); };
  out.gradient = [f](double t, const VectorRef& q, Vector& g) {
    const FormulaPoint at(t, q);
    g.resize(q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) g[i] = at(f->gradient[i]);
  };
  out.hessian = [f](double t, const VectorRef& q, Matrix& H) {
    const FormulaPoint at(t, q);
    H.setZero(q.size(), q.size());
    for (const Entry& entry : f->hessian) H(entry.i, entry.j) = at(entry.formula);
  };
  out.rate = [f](double t, const VectorRef& q) { return FormulaPoint(t, q)(f->rate); };
  out.time_bias = [f](double t, const VectorRef& q, const VectorRef& v) {
    const FormulaPoint at(t, q);
    double bias = at(f->second_rate);
    for (Eigen::Index i = 0; i < q.size(); ++i)
      if (!f->gradient_rate[i].is_zero()) bias += 2.0 * at(f->gradient_rate[i]) * v[i];
    return bias;
  };
  return out;
}

RowFunction row_from_expressions(const std::vector<Expression>& formulas, int nq) {
  struct Formulas {
    std::vector<Expression> values;
    std::vector<Entry> derivatives;  // of component i by variable j (0: t, 1 + k: q_k)
  };
  auto f = std::make_shared<Formulas>();
  f->values = formulas;
  for (int i = 0; i < static_cast<int>(formulas.size()); ++i)
    for (int j = 0; j <= nq; ++j) {
      const Expression derivative = formulas[i].derivative(j);
      if (!derivative.is_zero()) f->derivatives.push_back({i, j, derivative});
    }
  RowFunction out;
  out.values = [f](double t, const VectorRef& q, Vector& row) {
    const FormulaPoint at(t, q);
    row.resize(static_cast<Eigen::Index>(f->values.size()));
    for (Eigen::Index i = 0; i < row.size(); ++i) row[i] = at(f->values[i]);
  };
  out.bias = [f](double t, const VectorRef& q, const VectorRef& v) {
    const FormulaPoint at(t, q);
    double bias = 0;
    for (const Entry& entry : f->derivatives)
      bias += at(entry.formula) * (entry.j == k_time ? 1.0 : v[entry.j - 1]) * v[entry.i];
    return bias;
  };
  return out;
}

TimeFunction time_from_expression(const Expression& formula) {
  auto value = std::make_shared<Expression>(formula),
       rate = std::make_shared<Expression>(formula.derivative(k_time));
  const auto evaluate = [](const std::shared_ptr<Expression>& e) {
    return [e](double t) { return e->evaluate(std::span<const double>(&t, 1)); };
  };
  return {evaluate(value), evaluate(rate)};
}

ScalarFunction scalar_from_value(std::function<double(double, const VectorRef&)> value) {
  ScalarFunction out;
  out.value = value;
  out.gradient = [value](double t, const VectorRef& q, Vector& g) {
    Vector x = q;
    g.resize(q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double d = step_for(k_first_step, q[i]);
      x[i] = q[i] + d;
      const double up = value(t, x);
      x[i] = q[i] - d;
      g[i] = (up - value(t, x)) / (2 * d);
      x[i] = q[i];
    }
  };
  out.hessian = [value](double t, const VectorRef& q, Matrix& H) {
    Vector x = q;
    const auto at = [&](Eigen::Index i, double di, Eigen::Index j, double dj) {
      x = q;
      x[i] += di;
      x[j] += dj;
      return value(t, x);
    };
    H.resize(q.size(), q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i)
      for (Eigen::Index j = 0; j <= i; ++j) {
        const double a = step_for(k_second_step, q[i]), b = step_for(k_second_step, q[j]);
        H(i, j) = H(j, i) =
            (at(i, a, j, b) - at(i, a, j, -b) - at(i, -a, j, b) + at(i, -a, j, -b)) / (4 * a * b);
      }
  };
  out.rate = [value](double t, const VectorRef& q) {
    const double d = step_for(k_first_step, t);
    return (value(t + d, q) - value(t - d, q)) / (2 * d);
  };
  out.time_bias = [value](double t, const VectorRef& q, const VectorRef& v) {
    const double d = step_for(k_second_step, t);
    const Vector ahead = q + d * v, behind = q - d * v;
    const double mixed =
        (value(t + d, ahead) - value(t + d, behind) - value(t - d, ahead) + value(t - d, behind)) /
        (4 * d * d);
    return 2 * mixed + (value(t + d, q) - 2 * value(t, q) + value(t - d, q)) / (d * d);
  };
  return out;
}

RowFunction row_from_values(std::function<void(double, const VectorRef&, Vector&)> values) {
  RowFunction out;
  out.values = values;
  out.bias = [values = std::move(values)](double t, const VectorRef& q, const VectorRef& v) {
    const double d = k_first_step * (1.0 + std::abs(t)) / (1.0 + v.cwiseAbs().maxCoeff());
    const Vector ahead = q + d * v, behind = q - d * v;
    Vector up, down;
    values(t + d, ahead, up);
    values(t - d, behind, down);
    return (up - down).dot(v) / (2 * d);
  };
  return out;
}

}  // namespace delassus
