// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/modes.hpp"

#include <Eigen/QR>
#include <cmath>

namespace delassus {
namespace {

// A slip below this, relative to the largest free velocity, is the round-off of a zero.
constexpr double k_slip_tolerance = 1e-11;
// Below this ratio of the pivots the contacts are taken as redundant and the minimum-norm impulses as the
// answer.
constexpr double k_rank_tolerance = 1e-11;
// Contradiction of the mode equations, relative to the right side.
constexpr double k_consistency_tolerance = 1e-8;

// Of a circular cone: the mode that the natural map would choose. Its point x = r − ρ (u + shift N) lies as far from the
// border as r and u together say, so that a solution with errors is not judged by a slip of their size.
ContactMode circular_mode(const Cone& cone, double contact_mass, const ContactVectorRef& r,
                          const ContactVectorRef& u, double slip_scale) {
  ContactMode mode;
  if (!std::isfinite(contact_mass)) return mode;  // fixed against fixed
  ContactVector x = r - contact_mass * u;
  x[0] -= contact_mass * cone_shift(cone, u);
  const double normal = project_onto_cone(cone, x)[0];
  if (normal <= 0) return mode;
  mode.status = ContactStatus::slip;
  for (const FrictionPart& part : friction_parts(cone)) {
    PartMode here{.status = ContactStatus::slip};
    if (part.coefficient > 0) {
      Eigen::Vector2d friction = Eigen::Vector2d::Zero();
      friction.head(part.size) = x.segment(part.first, part.size);
      const bool inside = friction.norm() <= part.coefficient * (normal + cone.extra_normal);
      if (inside || u.segment(part.first, part.size).norm() <= slip_scale)
        here.status = ContactStatus::stick;
      else
        here.direction = -friction.stableNormalized();
    }
    mode.set_part(part.kind, here);
  }
  return mode;
}

}  // namespace

void derive_modes(const LocalProblem& problem, Solution& solution) {
  const double slip_scale =
      k_slip_tolerance * (problem.u_free.size() > 0 ? problem.u_free.cwiseAbs().maxCoeff() : 0.0);
  solution.modes.resize(problem.cones.size());
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const int row = problem.first_row(static_cast<int>(c));
    ContactMode& mode = solution.modes[c];
    mode = {};
    if (cone.kind == ConeKind::box) {
      // Never open: it sticks, or slips against its whole force.
      const bool moves = std::abs(solution.u[row]) > slip_scale;
      const bool slips = moves || std::abs(solution.r[row]) >= cone.bound;
      mode.status = slips ? ContactStatus::slip : ContactStatus::stick;
      if (slips) mode.direction.x() = (moves ? solution.u[row] : -solution.r[row]) > 0 ? 1.0 : -1.0;
      continue;
    }
    if (cone.kind == ConeKind::equality) {
      mode.status = ContactStatus::stick;
      continue;
    }
    if (cone.kind == ConeKind::coulomb || cone.kind == ConeKind::convex) {
      mode = circular_mode(cone, problem.contact_mass(static_cast<int>(c)), solution.r.segment(row, cone.dim),
                           solution.u.segment(row, cone.dim), slip_scale);
      continue;
    }
    if (solution.r[row] <= 0) continue;
    const Eigen::Vector2d slip = tangential(cone, solution.u.segment(row, cone.dim));
    const double speed = slip.norm();
    // A frictionless contact has no stick: it slides freely, and calling it slip keeps its mode constant.
    if (cone.dim > 1 && speed <= slip_scale) {
      mode.status = ContactStatus::stick;
    } else {
      mode.status = ContactStatus::slip;
      // The direction that the friction opposes, so that r_T = −μ r_N d holds whatever the law.
      if (cone.mu > 0)
        mode.direction = -tangential(cone, solution.r.segment(row, cone.dim)) / (cone.mu * solution.r[row]);
    }
  }
}

bool solve_with_modes(const Reduction& reduction, std::span<const ContactMode> modes, Solution& solution) {
  ModeScratch scratch;
  return solve_with_modes(reduction, modes, solution, scratch);
}

namespace {

// The equations of the contacts of one island. `W`: the island's block of the operator.
bool solve_island(const LocalProblem& local, std::span<const ContactMode> modes,
                  std::span<const int> contacts, ModeScratch& scratch) {
  auto& [redundant, islands, equations, rows, W, pattern, reach, S, rhs, x, r, check, lu] = scratch;
  // Column j of `pattern` is the impulse of unknown j; row i of `equations` the measured velocity that must
  // vanish; `rows` says where the rows of the island are in the problem.
  rows.clear();
  for (int c : contacts)
    for (int k = 0; k < local.cones[c].dim; ++k) rows.push_back(local.first_row(c) + k);
  const auto m = static_cast<Eigen::Index>(rows.size());
  pattern.setZero(m, m);
  equations.clear();
  int unknowns = 0, row = 0;
  bool any_given = false;
  for (int c : contacts) {
    const Cone& cone = local.cones[c];
    const int first = row;
    row += cone.dim;
    if (modes[c].status == ContactStatus::open) continue;
    if (cone.kind == ConeKind::box && modes[c].status == ContactStatus::slip) {
      // A box that slips pushes with its bound, whatever the others do.
      r[local.first_row(c)] = -cone.bound * modes[c].direction.x();
      any_given = true;
      continue;
    }
    equations.push_back(first);
    const int normal = unknowns++;
    pattern(first, normal) = 1.0;
    const auto hold = [&](int k, double scale) {
      equations.push_back(first + k);
      pattern(first + k, unknowns++) = scale;
    };
    if (cone.kind == ConeKind::equality)
      for (int k = 1; k < cone.dim; ++k) hold(k, 1.0);
    for (const FrictionPart& part : mode_parts(cone)) {
      const PartMode mode = modes[c].part(part.kind);
      const bool couple = part.kind != FrictionKind::sliding;
      for (int k = 0; k < part.size; ++k) {
        if (mode.status == ContactStatus::stick && (part.coefficient > 0 || !couple))
          hold(part.first + k, couple ? part.coefficient : 1.0);
        else
          pattern(first + part.first + k, normal) = -part.coefficient * mode.direction[k];
      }
    }
  }
  if (unknowns == 0) return true;
  W.setZero(m, m);
  row = 0;
  for (int c : contacts) {
    int column = 0, entry = local.W.row_begin(c);
    for (int b : contacts) {
      while (entry < local.W.row_end(c) && local.W.column(entry) < b) ++entry;
      if (entry == local.W.row_end(c)) break;
      if (local.W.column(entry) == b)
        W.block(row, column, local.W.dim(c), local.W.dim(b)) = local.W.block(c, entry);
      column += local.W.dim(b);
    }
    row += local.W.dim(c);
  }
  reach.noalias() = W * pattern.leftCols(unknowns);
  S.resize(unknowns, unknowns);
  rhs.resize(unknowns);
  for (int i = 0; i < unknowns; ++i) {
    S.row(i) = reach.row(equations[i]);
    rhs[i] = -local.u_free[rows[equations[i]]];
    for (Eigen::Index j = 0; any_given && j < m; ++j) rhs[i] -= W(equations[i], j) * r[rows[j]];
  }
  lu.compute(S);
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (pivots.minCoeff() > k_rank_tolerance * pivots.maxCoeff()) {
    x.noalias() = lu.solve(rhs);
  } else {
    redundant = true;
    x = S.completeOrthogonalDecomposition().solve(rhs);
  }
  check = rhs;
  check.noalias() -= S * x;
  for (Eigen::Index j = 0; j < m; ++j) r[rows[j]] += pattern.row(j).head(unknowns).dot(x);
  return check.cwiseAbs().maxCoeff() <= k_consistency_tolerance * (rhs.cwiseAbs().maxCoeff() + 1e-300);
}

}  // namespace

bool solve_with_modes(const Reduction& reduction, std::span<const ContactMode> modes, Solution& solution,
                      ModeScratch& scratch) {
  const LocalProblem& local = reduction.local();
  scratch.redundant = false;
  scratch.r.setZero(local.u_free.size());
  scratch.islands.find(local.W);
  bool consistent = true;
  for (int i = 0; i < scratch.islands.size(); ++i)
    consistent = solve_island(local, modes, scratch.islands.contacts(i), scratch) && consistent;
  reduction.recover(scratch.r, solution);
  solution.modes.assign(modes.begin(), modes.end());
  return consistent;
}

}  // namespace delassus
