// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/separate_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/base/stop_request.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {
namespace {

// Gaps are linear only over small turns: no body moves by more in one iteration [m, rad].
constexpr double k_largest_move = 0.2;

}  // namespace

SeparateResult separate_start(const System& system, Solver& solver, State& state,
                              const SeparateOptions& options) {
  SeparateResult result;
  Vector q = state.q, q_next, total;
  Configuration at;
  BilateralRows joints;
  ContactSet contacts;
  Problem problem;
  Reduction reduction;
  Solution solution;
  for (;; ++result.iterations) {
    throw_if_stop_requested();
    system.configure(state.t, q, at);
    system.find_contacts(at, Vector::Zero(system.nv()), 0.0, nullptr, contacts);
    problem.Ht.clear(system.nv());
    problem.cones.clear();
    problem.w.resize(0);
    ContactId deepest = 0;
    result.penetration = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      if (!contacts.valid(c)) continue;
      problem.Ht.add_group(contacts.rows.rows, static_cast<int>(c), 1);
      problem.cones.emplace_back();
      problem.w.conservativeResize(problem.w.size() + 1);
      problem.w[problem.w.size() - 1] = contacts.gap(c);
      if (-contacts.gap(c) > result.penetration) {
        result.penetration = -contacts.gap(c);
        deepest = contacts.ids[c];
      }
    }
    if (result.penetration <= options.tolerance) {
      result.ok = true;
      break;
    }
    if (result.iterations == options.max_iterations) {
      result.message = fmt::format("contact '{}' is still violated by {:.3g} {} after {} iterations",
                                   system.contact_name(deepest), result.penetration,
                                   system.gap_is_angle(deepest) ? "rad" : "m", result.iterations);
      return result;
    }
    system.mass(at, problem.A);
    problem.p.setZero(system.nv());
    system.bilateral(at, joints);
    problem.Gt.clear(system.nv());
    for (int g = 0; g < joints.rows.num_groups() && joints.rows.first_row(g) < joints.num_holonomic; ++g)
      problem.Gt.add_group(joints.rows, g, joints.rows.group_rows(g));
    problem.g = -joints.violation.head(joints.num_holonomic);
    problem.C.setZero(joints.num_holonomic);
    SolveStats stats;
    if (reduction.compute(problem)) delassus::solve(solver, reduction, {}, solution, stats);
    if (!usable(stats.status) || !solution.v.allFinite()) {
      result.message = fmt::format(
          "contact '{}' is violated by {:.3g} {}, and no small motion separates it from "
          "the others ({})",
          system.contact_name(deepest), result.penetration, system.gap_is_angle(deepest) ? "rad" : "m",
          to_string(stats.status));
      return result;
    }
    Vector move = solution.v;
    const double largest = move.size() > 0 ? move.cwiseAbs().maxCoeff() : 0.0;
    if (largest > k_largest_move) move *= k_largest_move / largest;
    system.retract(VectorRef(q), VectorRef(move), q_next);
    std::swap(q, q_next);
  }
  system.difference(VectorRef(q), VectorRef(state.q), total);
  result.moved = total.size() > 0 ? total.cwiseAbs().maxCoeff() : 0.0;
  state.q = q;
  return result;
}

}  // namespace delassus
