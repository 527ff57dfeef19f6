// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/runge_kutta/tableau.hpp"

#include <cmath>

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"

namespace delassus {
namespace {

// ∫₀^x of the polynomial with these coefficients, lowest first.
long double integrate(const std::vector<long double>& polynomial, long double x) {
  long double sum = 0, power = x;
  for (std::size_t k = 0; k < polynomial.size(); ++k, power *= x)
    sum += polynomial[k] * power / static_cast<long double>(k + 1);
  return sum;
}

// ℓ_j of the nodes.
std::vector<long double> lagrange(const std::vector<long double>& nodes, std::size_t j) {
  std::vector<long double> out{1};
  for (std::size_t m = 0; m < nodes.size(); ++m) {
    if (m == j) continue;
    const long double scale = 1 / (nodes[j] - nodes[m]);
    std::vector<long double> next(out.size() + 1, 0);
    for (std::size_t k = 0; k < out.size(); ++k) {
      next[k + 1] += scale * out[k];
      next[k] -= scale * nodes[m] * out[k];
    }
    out = std::move(next);
  }
  return out;
}

Tableau make_collocation(std::string name, int order, const std::vector<long double>& nodes) {
  const auto s = static_cast<Eigen::Index>(nodes.size());
  Tableau out{.name = std::move(name),
              .order = order,
              .is_explicit = false,
              .a = Matrix::Zero(s, s),
              .b = Vector::Zero(s),
              .c = Vector::Zero(s)};
  for (Eigen::Index j = 0; j < s; ++j) {
    const std::vector<long double> polynomial = lagrange(nodes, static_cast<std::size_t>(j));
    out.c[j] = static_cast<double>(nodes[static_cast<std::size_t>(j)]);
    out.b[j] = static_cast<double>(integrate(polynomial, 1));
    for (Eigen::Index i = 0; i < s; ++i)
      out.a(i, j) = static_cast<double>(integrate(polynomial, nodes[static_cast<std::size_t>(i)]));
  }
  return out;
}

// Rows of a from the second stage on.
Tableau make_explicit(std::string name, int order, const std::vector<std::vector<double>>& rows,
                      const std::vector<double>& b) {
  const auto s = static_cast<Eigen::Index>(b.size());
  Tableau out{.name = std::move(name),
              .order = order,
              .a = Matrix::Zero(s, s),
              .b = Eigen::Map<const Vector>(b.data(), s),
              .c = Vector::Zero(s)};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      out.a(static_cast<Eigen::Index>(i) + 1, static_cast<Eigen::Index>(j)) = rows[i][j];
  out.c = out.a.rowwise().sum();
  return out;
}

std::vector<Tableau> make_tableaux() {
  const long double r6 = std::sqrt(6.0L), r5 = std::sqrt(5.0L);
  return {
      make_explicit("euler-explicit", 1, {}, {1}),
      make_explicit("midpoint-2", 2, {{0.5}}, {0, 1}),
      make_explicit("heun-2", 2, {{1}}, {0.5, 0.5}),
      make_collocation("lobatto-2", 2, {0, 1}),
      make_explicit("kutta-3", 3, {{0.5}, {-1, 2}}, {1.0 / 6, 2.0 / 3, 1.0 / 6}),
      make_collocation("radau-3", 3, {1.0L / 3, 1}),
      make_explicit("rk4", 4, {{0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}),
      make_collocation("lobatto-4", 4, {0, 0.5L, 1}),
      make_explicit("dopri5", 5,
                    {{1.0 / 5},
                     {3.0 / 40, 9.0 / 40},
                     {44.0 / 45, -56.0 / 15, 32.0 / 9},
                     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
                    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}),
      make_collocation("radau-5", 5, {(4 - r6) / 10, (4 + r6) / 10, 1}),
      make_collocation("lobatto-6", 6, {0, (5 - r5) / 10, (5 + r5) / 10, 1}),
  };
}

}  // namespace

bool Tableau::ends_at_end() const {
  return !is_explicit && c[c.size() - 1] == 1;
}

const std::vector<Tableau>& list_tableaux() {
  static const std::vector<Tableau> all = make_tableaux();
  return all;
}

const Tableau& find_tableau(const std::string& name) {
  std::vector<std::string> names;
  for (const Tableau& tableau : list_tableaux()) {
    if (tableau.name == name) return tableau;
    names.push_back(tableau.name);
  }
  throw InputError(unknown_name("Runge-Kutta method", name, names));
}

}  // namespace delassus
