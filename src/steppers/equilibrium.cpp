// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/equilibrium.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/steppers/consistent_start.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/static_problem.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// 1/δ² grows by this when a step is refused and falls by it when one is taken.
constexpr double k_damping_factor = 4;
// Refusals of one step before the search ends: 4³⁰ covers every scale of stiffness.
constexpr int k_max_refusals = 30;
// An eigenvalue above −this times the largest is neutral: round-off of a motion without stiffness.
constexpr double k_neutral = 1e-9;
constexpr double k_equilibrium_round_off = 16 * std::numeric_limits<double>::epsilon();
// How far a step off an unstable equilibrium goes, as a share of the largest move.
constexpr double k_nudge = 0.1;

// What velocity component i belongs to.
std::string name_component(const System& system, int i) {
  return "'" + system.velocity_name(i) + "'";
}

class Search {
 public:
  Search(const System& system, const EquilibriumOptions& options, double t, Vector q)
      : system_(system), options_(options), phase_{t, std::move(q), Vector::Zero(system.nv())} {}

  const Vector& q() const { return phase_.q; }
  const StaticProblem& problem() const { return problem_; }
  int num_freedoms() const { return problem_.num_freedoms(); }
  double least_stiffness() const { return problem_.num_freedoms() > 0 ? eigen_.eigenvalues()[0] : 0.0; }

  bool update() {
    if (!update_static_problem(system_, phase_.t, phase_.q, problem_)) return false;
    force_ = std::max(force_, problem_.force);
    if (problem_.num_freedoms() == 0) return true;
    eigen_.compute(0.5 * (problem_.K + problem_.K.transpose()));
    return eigen_.info() == Eigen::Success;
  }

  // Against the largest forces on the way, or the round-off of forces that cancel within k.
  bool balanced() const {
    if (problem_.num_freedoms() == 0) return true;
    const double extent = system_size(system_, phase_.q) / problem_.Z.cwiseAbs().maxCoeff();
    return problem_.f.norm() <=
           std::max(options_.tolerance * force_, k_equilibrium_round_off * stiffest() * extent);
  }
  bool stable() const { return problem_.num_freedoms() == 0 || least_stiffness() >= -k_neutral * stiffest(); }

  // One step of (2); false when none helps.
  bool step() {
    if (balanced()) return nudge();
    const double extent = system_size(system_, phase_.q) * options_.largest_move;
    const double norm = problem_.f.norm();
    const Matrix identity = Matrix::Identity(problem_.num_freedoms(), problem_.num_freedoms());
    for (int refusals = 0; refusals < k_max_refusals; ++refusals) {
      // Positive definite with a margin, whatever the damping asks for.
      const double damping = std::max(damping_, least_stiffness() > 0 ? 0.0 : -2 * least_stiffness());
      y_ = (problem_.K + damping * identity).partialPivLu().solve(problem_.f);
      w_ = problem_.Z * y_;
      const double move = max_abs(w_);
      if (std::isfinite(move) && move <= extent && try_move(norm)) {
        damping_ = damping / k_damping_factor;
        if (damping_ < k_neutral * stiffest()) damping_ = 0;
        return true;
      }
      // At first the damping with which the force alone moves by the extent.
      damping_ = std::max(
          {k_damping_factor * damping, max_abs(problem_.Z * problem_.f) / extent, k_neutral * stiffest()});
    }
    return false;
  }

 private:
  double stiffest() const { return max_abs(eigen_.eigenvalues()); }

  // Accepts the move w_ when the forces work along it or fall.
  bool try_move(double norm) {
    trial_ = phase_;
    system_.retract(phase_.q, w_, trial_.q);
    if (!projector_.project_position(system_, trial_)) return false;
    if (!update_static_problem(system_, trial_.t, trial_.q, next_)) return false;
    system_.difference(trial_.q, phase_.q, w_);
    const bool downhill = w_.dot(problem_.k + next_.k) > 0;
    if (!downhill && !(next_.f.norm() < norm)) return false;
    phase_.q = trial_.q;
    return true;
  }

  // Off an unstable equilibrium along its softest motion, downhill to either side.
  bool nudge() {
    const double extent = system_size(system_, phase_.q) * options_.largest_move;
    w_ = problem_.Z * eigen_.eigenvectors().col(0);
    w_ *= k_nudge * extent / max_abs(w_);
    trial_ = phase_;
    system_.retract(phase_.q, w_, trial_.q);
    if (!projector_.project_position(system_, trial_)) return false;
    phase_.q = trial_.q;
    damping_ = 0;
    return true;
  }

  const System& system_;
  const EquilibriumOptions& options_;
  Phase phase_, trial_;
  StaticProblem problem_, next_;
  Eigen::SelfAdjointEigenSolver<Matrix> eigen_;
  Projector projector_;
  double damping_ = 0;  // 1/δ² [1/s²]
  double force_ = 0;    // largest StaticProblem::force so far
  Vector y_, w_;
};

}  // namespace

EquilibriumResult find_equilibrium(const System& system, State& state, const EquilibriumOptions& options) {
  EquilibriumResult result;
  State start = state;
  start.v.setZero(system.nv());
  // Driven joints do not stand still; only their positions count.
  const StartResult assembled = assemble_start(system, start, {.velocities = false});
  if (!assembled.ok) {
    result.message = assembled.message;
    return result;
  }
  Search search(system, options, state.t, start.q);
  bool found = false, possible = true;
  for (;;) {
    if (!search.update()) {
      result.message =
          "the forces or the mass matrix are not finite, or the mass matrix is not positive definite";
      return result;
    }
    found = search.balanced() && search.stable();
    if (found || !possible || result.iterations == options.max_iterations) break;
    ++result.iterations;
    possible = search.step();
  }
  const StaticProblem& problem = search.problem();
  result.residual = problem.residual;
  result.joint_drift = max_abs(problem.bilateral.violation);
  result.joint_forces = problem.lambda;
  result.least_stiffness = search.least_stiffness();
  result.num_freedoms = search.num_freedoms();
  if (!found) {
    Eigen::Index worst = 0;
    Vector unbalanced = problem.k;
    problem.bilateral.rows.add_transposed_product(problem.lambda, unbalanced);
    unbalanced.cwiseAbs().maxCoeff(&worst);
    result.message = fmt::format(
        "no equilibrium found in {} iterations: {:.3g} N are unbalanced, most of them on {}; is something "
        "free to fall, "
        "or driven all the time?",
        result.iterations, result.residual, name_component(system, static_cast<int>(worst)));
    return result;
  }
  result.ok = true;
  state.q = search.q();
  state.v.setZero(system.nv());
  return result;
}

}  // namespace delassus
