// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/cone.hpp"

#include <algorithm>
#include <cassert>
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
  if (cone.polygon) return cone.polygon->corners()[static_cast<std::size_t>(i)];
  const double turn = cone.angle + 2.0 * std::numbers::pi * i / cone.num_directions;
  const Eigen::Vector2d d(std::cos(turn), std::sin(turn));
  // Quarter turns are exact, so that axis-aligned generators do not leak friction across the axes.
  constexpr double snap = 1e-15;
  return {std::abs(d.x()) < snap ? 0.0 : d.x(), std::abs(d.y()) < snap ? 0.0 : d.y()};
}

double cone_support(const Cone& cone, const Eigen::Vector2d& x) {
  if (cone.kind != ConeKind::polyhedral) return x.norm();
  if (cone.dim == 2) return std::abs(x.x());
  if (cone.polygon) return cone.polygon->support(x);
  double support = 0;
  for (int i = 0; i < cone.num_directions; ++i) support = larger(support, cone_direction(cone, i).dot(x));
  return support;
}

double cone_gauge(const Cone& cone, const Eigen::Vector2d& x) {
  if (cone.kind != ConeKind::polyhedral) return x.norm();
  if (cone.dim == 2) return std::abs(x.x());
  if (cone.polygon) return cone.polygon->gauge(x);
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

double inner_friction(const Cone& cone) {
  if (cone.dim < 3) return cone.mu;
  return cone.mu *
         (cone.polygon ? cone.polygon->inner_radius() : std::cos(std::numbers::pi / cone.num_directions));
}

double outer_friction(const Cone& cone) {
  return cone.polygon ? cone.mu * cone.polygon->outer_radius() : cone.mu;
}

Eigen::Vector2d tangential(const Cone& cone, const Eigen::Ref<const Vector>& triple) {
  return {cone.dim > 1 ? triple[1] : 0.0, cone.dim > 2 ? triple[2] : 0.0};
}

FrictionParts friction_parts(const Cone& cone) {
  FrictionParts parts;
  if (cone.kind != ConeKind::coulomb && cone.kind != ConeKind::convex) return parts;
  const auto add = [&](FrictionKind kind, int first, int size, double coefficient) {
    parts.part[parts.count++] = {kind, first, size, coefficient};
  };
  if (cone.dim > 1) add(FrictionKind::sliding, 1, std::min(cone.dim - 1, 2), cone.mu);
  if (cone.dim >= 5) add(FrictionKind::rolling, 3, 2, cone.mu_rolling);
  if (cone.dim == 4 || cone.dim == 6) add(FrictionKind::spinning, cone.dim - 1, 1, cone.mu_spinning);
  return parts;
}

FrictionParts mode_parts(const Cone& cone) {
  FrictionParts parts = friction_parts(cone);
  if (cone.kind == ConeKind::polyhedral && cone.dim > 1)
    parts.part[parts.count++] = {FrictionKind::sliding, 1, std::min(cone.dim - 1, 2), cone.mu};
  return parts;
}

double cone_shift(const Cone& cone, const ContactVectorRef& u) {
  if (cone.kind != ConeKind::coulomb) return 0.0;
  double shift = 0;
  const FrictionParts parts = friction_parts(cone);
  for (int i = 0; i < parts.count; ++i)
    shift += parts.part[i].coefficient * u.segment(parts.part[i].first, parts.part[i].size).norm();
  return shift;
}

// The nearest (n, x_1 … x_k) with ‖x_i‖ ≤ μ_i (n + e), n ≥ 0 minimises (n − a)² + Σ max(0, ‖y_i‖ − μ_i (n + e))²
// over n: the derivative is piecewise linear and grows, its root is found by leaving out the parts that do not bind.
ContactVector project_onto_cone(const Cone& cone, const ContactVectorRef& x) {
  ContactVector out = x;
  switch (cone.kind) {
    case ConeKind::equality:
      return out;
    case ConeKind::box:
      out[0] = std::clamp(x[0], -cone.bound, cone.bound);
      return out;
    case ConeKind::nonnegative:
      out[0] = std::max(x[0], 0.0);
      return out;
    case ConeKind::coulomb:
    case ConeKind::convex:
      break;
    case ConeKind::polyhedral:
      assert(false);
      return out;
  }
  const FrictionParts parts = friction_parts(cone);
  double norms[3] = {0, 0, 0};
  for (int i = 0; i < parts.count; ++i) norms[i] = x.segment(parts.part[i].first, parts.part[i].size).norm();
  // Start with the parts that bind at n = a and take in those that bind at the root: n grows with each of them, so that
  // some may go again; the root of each set bounds the next, and every set is met at most once.
  double n = x[0];
  for (int round = 0; round <= 2 * parts.count; ++round) {
    double sum = x[0], weight = 1.0;
    for (int i = 0; i < parts.count; ++i) {
      const double mu = parts.part[i].coefficient;
      if (norms[i] > mu * (n + cone.extra_normal)) {
        sum += mu * (norms[i] - mu * cone.extra_normal);
        weight += mu * mu;
      }
    }
    const double next = sum / weight;
    if (next == n) break;
    n = next;
  }
  n = std::max(n, 0.0);
  out[0] = n;
  for (int i = 0; i < parts.count; ++i) {
    const double limit = parts.part[i].coefficient * (n + cone.extra_normal);
    if (norms[i] > limit) out.segment(parts.part[i].first, parts.part[i].size) *= limit / norms[i];
  }
  return out;
}

ContactVector natural_map(const Cone& cone, double rho, const ContactVectorRef& r,
                          const ContactVectorRef& u) {
  ContactVector x = r - rho * u;
  x[0] -= rho * cone_shift(cone, u);
  return r - project_onto_cone(cone, x);
}

int lcp_size(const Cone& cone) {
  if (cone.kind == ConeKind::box) return 2;
  return cone.kind == ConeKind::polyhedral ? 2 + cone.num_directions : 1;
}

}  // namespace delassus
