// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lesson 3: the one-step problem by hand: build, solve, judge, save, load. Question and equations: README.md.
//
// Sample runs:  example_03_one_step_problem
//               example_03_one_step_problem --quick
#include <cmath>
#include <cstdio>
#include <sstream>

#include "delassus/problems/residual.hpp"
#include "delassus/solvers/registry.hpp"

using namespace delassus;

namespace {

constexpr double k_mass = 2, k_gravity = 9.81, k_step = 0.01;

int failures = 0;

void check(bool holds, const char* what) {
  std::printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
  if (!holds) ++failures;
}

// A block on a table that moves with velocity v: one step of length h under gravity along −z.
Problem make_block(const Vector3& v, double mu) {
  Problem problem;
  problem.A.clear(3);
  problem.A.add_block(0, 0, 3, 3) = k_mass * Matrix3::Identity();
  problem.p = k_mass * (v - k_step * k_gravity * Vector3::UnitZ());
  problem.Gt.clear(3);  // no joints
  problem.Ht.clear(3);
  problem.Ht.add_group(3);  // one contact: normal z first, then the tangents x and y
  auto rows = problem.Ht.add_block(0, 3);
  rows.row(0) = Vector3::UnitZ().transpose();
  rows.row(1) = Vector3::UnitX().transpose();
  rows.row(2) = Vector3::UnitY().transpose();
  problem.w.setZero(3);
  // Eight friction directions, one of them along the slip: friction is then exactly opposed to it.
  problem.cones = {{.kind = ConeKind::polyhedral,
                    .dim = 3,
                    .mu = mu,
                    .num_directions = 8,
                    .angle = std::atan2(v.y(), v.x())}};
  require_consistent(problem);
  return problem;
}

Solution solve(const Problem& problem) {
  Reduction reduction;
  Solution solution;
  SolveStats stats;
  if (!reduction.compute(problem)) return solution;
  delassus::solve(*make_solver({.name = "lemke"}), reduction, {}, solution, stats);
  const Residual residual = compute_residual(problem, reduction, solution);
  std::printf("  %s after %d pivots; residual: momentum %.1e, contact %.1e; mode %s\n",
              to_string(stats.status), stats.iterations, residual.momentum, residual.contact,
              to_string(solution.modes[0].status));
  check(usable(stats.status) && residual.momentum < 1e-12 && residual.contact < 1e-12,
        "the certificate, which does not ask the solver");
  return solution;
}

}  // namespace

int main() {
  const Vector3 v(0.3, 0.4, 0);
  const double r_N = k_mass * k_gravity * k_step;  // holds the weight for one step [N·s]

  std::printf("Slipping block, mu = 0.5:\n");
  const Problem problem = make_block(v, 0.5);
  std::printf("%s", describe(problem).c_str());
  const Solution slip = solve(problem);
  const Vector3 expected(r_N, -0.5 * r_N * 0.6, -0.5 * r_N * 0.8);
  check((slip.r - expected).norm() < 1e-14, "r = (m g h, −μ m g h d)");
  check((slip.v - (1 - 0.5 * k_gravity * k_step / v.norm()) * v).norm() < 1e-14, "v⁺ = v − μ g h d");

  std::printf("Sticking block, mu = 6:\n");
  const Solution stick = solve(make_block(v, 6));
  check(stick.modes[0].status == ContactStatus::stick && stick.v.norm() < 1e-15, "v⁺ = 0");

  std::printf("Saved and loaded:\n");
  std::stringstream file;
  save(problem, file);
  const Problem loaded = load_problem(file, "memory");
  check(loaded == problem, "the same bits");
  check(solve(loaded).r == slip.r, "and the same solution");
  return failures == 0 ? 0 : 1;
}
