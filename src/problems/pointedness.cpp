// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/pointedness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/problems/cone_program.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {
namespace {

// Weight of the velocities against the energy in the search for a jam: small, so that impulses that cancel come first.
constexpr double k_velocity_weight = 1e-6;

bool has_normal(const Cone& cone) {
  return cone.kind != ConeKind::box && cone.kind != ConeKind::equality;
}

// The contacts that act on something, with impulses x_c = a_c r_c.
struct ScaledContacts {
  std::vector<int> contacts;  // of the problem
  std::vector<Cone> cones;
  std::vector<int> first_rows, row_of;  // row_of: in the problem
  Vector scale;                         // a_c, a row
  Matrix Q;

  ScaledContacts(const LocalProblem& problem, const Vector& norms) {
    std::vector<double> scales;
    for (int c = 0; c < problem.num_contacts(); ++c) {
      const Cone& cone = problem.cones[c];
      if (has_normal(cone) && !(norms[c] > 0)) continue;
      contacts.push_back(c);
      cones.push_back(cone);
      first_rows.push_back(static_cast<int>(row_of.size()));
      for (int k = 0; k < cone.dim; ++k) {
        row_of.push_back(problem.first_row(c) + k);
        scales.push_back(norms[c] > 0 ? norms[c] : 1.0);
      }
    }
    scale = Eigen::Map<const Vector>(scales.data(), static_cast<Eigen::Index>(scales.size()));
    Matrix W;
    problem.W.to_dense(W);
    const int n = static_cast<int>(row_of.size());
    Q.resize(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        Q(i, j) = 0.5 * (W(row_of[i], row_of[j]) + W(row_of[j], row_of[i])) / (scale[i] * scale[j]);
  }

  std::vector<double> shares(const LocalProblem& problem, const Vector& x) const {
    std::vector<double> out(problem.cones.size(), 0.0);
    for (std::size_t i = 0; i < contacts.size(); ++i)
      if (has_normal(cones[i])) out[contacts[i]] = x[first_rows[i]];
    return out;
  }

  // Smallest (u_N − Σ μ_p ‖u_p‖)/a of the contacts.
  double smallest_opening(const Vector& u, bool friction) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const Cone& cone = cones[i];
      const auto u_c = u.segment(first_rows[i], cone.dim);
      if (cone.kind == ConeKind::box) continue;
      if (cone.kind == ConeKind::equality) {
        // Free impulses: only u = 0 bounds them.
        if (u_c.norm() > k_pointed_tolerance * k_pointed_tolerance)
          smallest = std::min(smallest, -u_c.norm());
        continue;
      }
      double opening = u_c[0];
      Cone circular = cone;
      if (cone.kind == ConeKind::polyhedral) {
        circular.kind = ConeKind::convex;
        circular.mu = outer_friction(cone);
      }
      const FrictionParts parts = friction_parts(circular);
      for (int p = 0; friction && p < parts.count; ++p)
        opening -= parts.part[p].coefficient * u_c.segment(parts.part[p].first, parts.part[p].size).norm();
      smallest = std::min(smallest, opening);
    }
    return smallest;
  }
};

Jam find_jam(const LocalProblem& problem, const ScaledContacts& scaled, bool friction) {
  Jam jam;
  const int n = static_cast<int>(scaled.row_of.size());
  Vector u(n);
  for (int i = 0; i < n; ++i) u[i] = problem.u_free[scaled.row_of[i]] / scaled.scale[i];
  const double largest = n > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0)) return jam;
  const ConeProgramResult program = solve_cone_program(scaled.Q, k_velocity_weight / largest * u,
                                                       scaled.cones, scaled.first_rows, friction);
  if (program.x.size() == 0) return jam;
  const double norm = std::sqrt(std::max(program.x.dot(scaled.Q * program.x), 0.0));
  jam.speed_ratio = -u.dot(program.x) / largest / std::max(norm, std::numeric_limits<double>::min());
  jam.found = jam.speed_ratio > k_jam_ratio;
  jam.by_friction = friction;
  jam.shares = scaled.shares(problem, program.x);
  return jam;
}

}  // namespace

Vector compute_normal_norms(const Problem& problem) {
  Problem free = problem;
  free.Gt.clear(problem.Ht.columns());
  free.G_directions.clear(problem.Ht.columns());
  free.g.resize(0);
  free.C.resize(0);
  Reduction reduction;
  Vector norms = Vector::Zero(problem.num_contacts());
  if (!reduction.compute(free)) return norms;
  const LocalProblem& local = reduction.local();
  for (int c = 0; c < problem.num_contacts(); ++c)
    norms[c] = std::sqrt(std::max(local.W.diagonal(c)(0, 0), 0.0));
  return norms;
}

Pointedness find_pointedness(const LocalProblem& problem, const Vector& normal_norms, bool friction) {
  Pointedness result;
  const ScaledContacts scaled(problem, normal_norms);
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(scaled.row_of.size()));
  const ConeProgramResult program =
      solve_cone_program(scaled.Q, zero, scaled.cones, scaled.first_rows, friction);
  result.iterations = program.iterations;
  result.shares.assign(problem.cones.size(), 0.0);
  if (program.x.size() == 0) return result;
  const Vector u = scaled.Q * program.x;
  result.upper = std::sqrt(std::max(program.x.dot(u), 0.0));
  result.lower = result.upper > 0 ? std::max(scaled.smallest_opening(u, friction) / result.upper, 0.0) : 0.0;
  result.answer = result.lower > k_pointed_tolerance    ? Pointed::yes
                  : result.upper <= k_pointed_tolerance ? Pointed::no
                                                        : Pointed::undecided;
  result.r.setZero(problem.u_free.size());
  for (std::size_t i = 0; i < scaled.row_of.size(); ++i)
    result.r[scaled.row_of[i]] =
        program.x[static_cast<Eigen::Index>(i)] / scaled.scale[static_cast<Eigen::Index>(i)];
  problem.W.multiply(result.r, result.u);
  result.shares = scaled.shares(problem, program.x);
  return result;
}

Jam find_jam(const LocalProblem& problem, const Vector& normal_norms) {
  const ScaledContacts scaled(problem, normal_norms);
  const Jam jam = find_jam(problem, scaled, false);
  return jam.found ? jam : find_jam(problem, scaled, true);
}

}  // namespace delassus
