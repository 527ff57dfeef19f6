// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Local contact problems as mechanics makes them, W = Hᵀ M⁻¹ H and u_free = Hᵀ v_free, and an error of a solution that
// shares no code with the solvers.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "delassus/problems/problem.hpp"
#include "random_problem.hpp"

namespace delassus::testing {

struct HeapOptions {
  ConeKind law = ConeKind::coulomb;
  int bodies = 3, contacts = 6;
  double mass_ratio = 1;
  double mu_max = 1.5;
  bool rolling = false;   // dims 4-6 among them
  bool mixed = false;     // unilateral rows, boxes, equalities and planar contacts among them
  bool repeated = false;  // every contact twice
};

// Contacts of random places between bodies of six velocities or with the ground; all velocities of the free motion are
// homogeneous in H, so that rest is reachable and a solution exists.
inline LocalProblem make_heap(Random& random, const HeapOptions& options) {
  const int nv = 6 * options.bodies;
  Vector inverse_mass(nv), v(nv);
  for (int b = 0; b < options.bodies; ++b) {
    const double mass = std::pow(options.mass_ratio, random.uniform(-0.5, 0.5));
    for (int k = 0; k < 3; ++k) {
      inverse_mass[6 * b + k] = 1 / mass;
      inverse_mass[6 * b + 3 + k] = 1 / (mass * random.uniform(0.2, 0.6));
    }
  }
  for (int i = 0; i < nv; ++i) v[i] = random.uniform(-1, 1);
  LocalProblem problem;
  Matrix Ht(0, nv);
  std::vector<int> dims;
  for (int c = 0; c < options.contacts; ++c) {
    Cone cone{.kind = options.law, .dim = 3, .mu = random.uniform(0, options.mu_max)};
    if (options.rolling) {
      cone.dim = random.integer(3, 6);
      cone.mu_rolling = random.uniform(0, 0.3);
      cone.mu_spinning = random.uniform(0, 0.3);
    }
    const int kind = options.mixed ? random.integer(0, 5) : 0;
    if (kind == 2) cone = {.kind = options.law, .dim = 2, .mu = cone.mu};
    if (kind == 3) cone = {};
    if (kind == 4) cone = {.kind = ConeKind::box, .bound = random.uniform(0, 0.3)};
    if (kind == 5) cone = {.kind = ConeKind::equality, .dim = random.integer(1, 3)};
    const Eigen::Quaterniond frame(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                                   random.uniform(-1, 1));
    const Eigen::Matrix3d axes = frame.normalized().toRotationMatrix();  // columns N T T
    Matrix rows = Matrix::Zero(cone.dim, nv);
    const int a = c % options.bodies, b = random.integer(-1, options.bodies - 1);
    for (const int body : {a, b}) {
      if (body < 0) continue;
      const Eigen::Vector3d arm(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      const double sign = body == a ? 1 : -1;
      for (int k = 0; k < cone.dim; ++k) {
        // Rolling turns about the tangents, spinning about the normal.
        const bool turns = k > 2;
        const int axis = !turns ? k : (cone.dim == 4 || k == 5) ? 0 : k - 2;
        if (!turns) rows.block(k, 6 * body, 1, 3) = sign * axes.col(axis).transpose();
        rows.block(k, 6 * body + 3, 1, 3) =
            sign * (turns ? axes.col(axis) : arm.cross(axes.col(axis))).transpose();
      }
      if (a == b) break;
    }
    for (int copy = 0; copy < (options.repeated ? 2 : 1); ++copy) {
      Ht.conservativeResize(Ht.rows() + cone.dim, nv);
      Ht.bottomRows(cone.dim) = rows;
      dims.push_back(cone.dim);
      problem.cones.push_back(cone);
    }
  }
  Matrix W = Ht * inverse_mass.asDiagonal() * Ht.transpose();
  W = 0.5 * (W + W.transpose()).eval();
  problem.W = ContactMatrix(W, dims);
  problem.u_free = Ht * v;
  return problem;
}

// Largest violation of the law, condition by condition, as a velocity: impulses outside of the cone, velocities that
// penetrate, work that is missing or too much.
inline double law_error(const LocalProblem& problem, const Vector& r) {
  const Vector u = problem.W.dense() * r + problem.u_free;
  double worst = 0;
  const auto see = [&](double error) { worst = std::isnan(error) ? error : std::max(worst, error); };
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    const int row = problem.first_row(c);
    const double mass = problem.contact_mass(c);
    if (!std::isfinite(mass)) continue;
    const auto r_c = r.segment(row, cone.dim), u_c = u.segment(row, cone.dim);
    const double force = r_c.norm() / mass + u_c.norm();  // scale of the products below
    const auto product = [&](double x) { return force > 0 ? std::abs(x) / mass / force : 0.0; };
    if (cone.kind == ConeKind::equality) {
      see(u_c.norm());
      continue;
    }
    if (cone.kind == ConeKind::box) {
      see((std::abs(r_c[0]) - cone.bound) / mass);
      const double missing = cone.bound * std::abs(u_c[0]) + r_c[0] * u_c[0];
      see(missing > 0 ? missing / (cone.bound + mass * std::abs(u_c[0])) : 0.0);
      continue;
    }
    see(-r_c[0] / mass);
    double dissipation = 0, bound = 0, reach = 0;  // Σ r_iᵀu_i, Σ μ_i r_N ‖u_i‖, Σ μ_i ‖u_i‖
    const auto part = [&](int first, int size, double mu) {
      const double speed = u_c.segment(first, size).norm();
      see((r_c.segment(first, size).norm() - mu * r_c[0]) / mass);
      dissipation += r_c.segment(first, size).dot(u_c.segment(first, size));
      bound += mu * r_c[0] * speed;
      reach += mu * speed;
    };
    if (cone.dim > 1) part(1, std::min(2, cone.dim - 1), cone.mu);
    if (cone.dim >= 5) part(3, 2, cone.mu_rolling);
    if (cone.dim == 4 || cone.dim == 6) part(cone.dim - 1, 1, cone.mu_spinning);
    see(product(dissipation + bound));  // maximal dissipation
    const double opening = u_c[0] - (cone.kind == ConeKind::convex ? reach : 0.0);
    see(-opening);
    see(product(opening * r_c[0]));
  }
  return worst;
}

}  // namespace delassus::testing
