// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/cone.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace delassus {
namespace {

// b where it is larger or not a number: a maximum that does not lose it.
double larger(double a, double b) {
  return b <= a ? a : b;
}

}  // namespace

Eigen::Vector2d cone_direction(const Cone& cone, int i) {
  if (cone.dim == 2) return {i == 0 ? 1.0 : -1.0, 0.0};
  const double turn = cone.angle + 2.0 * std::numbers::pi * i / cone.num_directions;
  const Eigen::Vector2d d(std::cos(turn), std::sin(turn));
  // Quarter turns are exact, so that axis-aligned generators do not leak friction across the axes.
  constexpr double snap = 1e-15;
  return {std::abs(d.x()) < snap ? 0.0 : d.x(), std::abs(d.y()) < snap ? 0.0 : d.y()};
}

double cone_support(const Cone& cone, const Eigen::Vector2d& x) {
  if (cone.kind == ConeKind::coulomb) return x.norm();
  if (cone.dim == 2) return std::abs(x.x());
  double support = 0;
  for (int i = 0; i < cone.num_directions; ++i) support = larger(support, cone_direction(cone, i).dot(x));
  return support;
}

double cone_gauge(const Cone& cone, const Eigen::Vector2d& x) {
  if (cone.kind == ConeKind::coulomb) return x.norm();
  if (cone.dim == 2) return std::abs(x.x());
  if (cone.num_directions == 2) {
    // The hull is a segment; across it everything but round-off is outside.
    constexpr double round_off = 1e-12;
    const Eigen::Vector2d d = cone_direction(cone, 0);
    const double across = std::abs(d.x() * x.y() - d.y() * x.x());
    return across > round_off * x.norm() ? std::numeric_limits<double>::infinity() : std::abs(d.dot(x));
  }
  // The hull of m unit vectors has m facets with normals halfway between neighbours at distance cos(π/m).
  const double half = std::numbers::pi / cone.num_directions;
  double gauge = 0;
  for (int i = 0; i < cone.num_directions; ++i) {
    const double turn = cone.angle + half * (2 * i + 1);
    gauge = larger(gauge, (std::cos(turn) * x.x() + std::sin(turn) * x.y()) / std::cos(half));
  }
  return gauge;
}

Eigen::Vector2d tangential(const Cone& cone, const Eigen::Ref<const Vector>& triple) {
  return {cone.dim > 1 ? triple[1] : 0.0, cone.dim > 2 ? triple[2] : 0.0};
}

int lcp_size(const Cone& cone) {
  if (cone.kind == ConeKind::box) return 2;
  return cone.kind == ConeKind::polyhedral ? 2 + cone.num_directions : 1;
}

}  // namespace delassus
