// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/base/stop_request.hpp"
#include "delassus/linalg/kkt.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Damping: from nothing to the first value when a step does not help, then by this factor up and down.
constexpr double k_first_damping = 1e-4, k_damping_factor = 8, k_largest_damping = 1e8;
// Share of the predicted decrease that a step must bring (Armijo).
constexpr double k_sufficient = 1e-4;
constexpr double k_smallest_step = 1.0 / 64;
// Below this relative improvement in one iteration the least violation is reached.
constexpr double k_stalled = 1e-9;
// A velocity row that is met to less than this, relative to the velocities, is contradicted by the others.
constexpr double k_velocity_tolerance = 1e-9;
constexpr std::size_t k_max_named = 5;

// Largest entry of each row, at least one.
void compute_row_gradients(const BlockRows& rows, Vector& gradients) {
  gradients.setOnes(rows.rows());
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b)
      for (int i = 0; i < rows.group_rows(g); ++i) {
        double& gradient = gradients[rows.first_row(g) + i];
        gradient = std::max(gradient, rows.block(g, b).row(i).cwiseAbs().maxCoeff());
      }
}

// Names of the joints with the largest |values|, worst first, each once.
std::vector<std::string> name_worst(const System& system, const Vector& values, double least) {
  std::vector<int> order(static_cast<std::size_t>(values.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(values[a]) > std::abs(values[b]); });
  std::vector<std::string> names;
  for (int row : order) {
    if (names.size() == k_max_named || !(std::abs(values[row]) > least)) break;
    const std::string name = system.joint_name(row);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The positions (1).
class Assembly {
 public:
  Assembly(const System& system, double t, Vector q) : system_(system), t_(t), q_(std::move(q)) {
    evaluate(q_);
  }

  const Vector& q() const { return q_; }
  // |Θ| of every holonomic row against its gradient.
  const Vector& violation() const { return scaled_; }
  double extent() const { return system_size(system_, q_); }
  double worst() const { return max_abs(scaled_); }

  // One damped step; false when no damping brings Θ down any more.
  bool iterate() {
    const double before = scaled_.squaredNorm();
    if (!std::isfinite(before)) return false;
    const Vector q_before = q_;
    for (;;) {
      if (solve_step()) {
        // With rows that depend on each other, or with damping, a part of Θ stays: the decrease predicted for a step.
        rows_.multiply(VectorRef(delta_), predicted_);
        const double decrease = -2 * scaled_.dot(predicted_.cwiseQuotient(gradients_));
        for (double s = 1; s >= k_smallest_step && decrease > 0; s *= 0.5) {
          step_ = s * delta_;
          system_.retract(q_before, step_, q_);
          evaluate(q_);
          if (scaled_.squaredNorm() <= before - k_sufficient * s * decrease) {
            damping_ = damping_ <= k_first_damping ? 0 : damping_ / k_damping_factor;
            return before - scaled_.squaredNorm() > k_stalled * before;
          }
        }
        q_ = q_before;
        evaluate(q_);
      }
      damping_ = damping_ == 0 ? k_first_damping : damping_ * k_damping_factor;
      if (damping_ > k_largest_damping) return false;
    }
  }

 private:
  void evaluate(const Vector& q) {
    system_.bilateral(t_, q, bilateral_);
    rows_.clear(system_.nv());
    for (int g = 0; g < bilateral_.rows.num_groups(); ++g)
      if (bilateral_.rows.first_row(g) < bilateral_.num_holonomic)
        rows_.add_group(bilateral_.rows, g, bilateral_.rows.group_rows(g));
    compute_row_gradients(rows_, gradients_);
    scaled_ = bilateral_.violation.head(bilateral_.num_holonomic).cwiseQuotient(gradients_);
  }

  // δ of (1) at q_: the rows with compliance ν/m, so that ν has no unit.
  bool solve_step() {
    system_.mass(t_, q_, M_);
    double trace = 0;
    for (int b = 0; b < M_.num_blocks(); ++b)
      if (M_.block_row(b) == M_.block_column(b)) trace += M_.block(b).trace();
    const double mass = trace / system_.nv();
    C_ = (damping_ / mass) * gradients_.cwiseAbs2();
    if (!kkt_.compute(M_, true, rows_, nullptr, C_)) return false;
    zero_.setZero(system_.nv());
    rhs_ = -bilateral_.violation.head(bilateral_.num_holonomic);
    kkt_.solve(zero_, rhs_, delta_, lambda_);
    return delta_.allFinite();
  }

  const System& system_;
  double t_;
  Vector q_;
  double damping_ = 0;
  BilateralRows bilateral_;
  BlockRows rows_;
  BlockMatrix M_;
  KktFactor kkt_;
  Vector scaled_, gradients_, C_, zero_, rhs_, delta_, lambda_, predicted_, step_;
};

}  // namespace

StartResult assemble_start(const System& system, State& state, const StartOptions& options) {
  StartResult result;
  Assembly assembly(system, state.t, state.q);
  while (assembly.worst() > options.tolerance * assembly.extent() &&
         result.iterations < options.max_iterations) {
    throw_if_stop_requested();
    ++result.iterations;
    if (!assembly.iterate()) break;
  }
  result.violation = assembly.worst();
  const double allowed = options.tolerance * assembly.extent();
  // Round-off may leave a little more than asked for.
  constexpr double slack = 10;
  if (!(result.violation <= slack * allowed)) {
    result.worst_joints = name_worst(system, assembly.violation(), slack * allowed);
    result.message = fmt::format(
        "the joints cannot be put together from this start: after {} iterations {} still violated by up to "
        "{:.3g} m; "
        "check their lengths and anchors, or start nearer to the mechanism",
        result.iterations,
        result.worst_joints.empty()
            ? std::string("they are")
            : fmt::format("{} '{}' {}", result.worst_joints.size() == 1 ? "joint" : "joints",
                          fmt::join(result.worst_joints, "', '"),
                          result.worst_joints.size() == 1 ? "is" : "are"),
        assembly.worst());
    return result;
  }

  Phase phase{state.t, assembly.q(), state.v};
  Projector projector;
  const bool projected = !options.velocities || projector.project_velocity(system, phase);
  BilateralRows rows;
  Vector u;
  system.bilateral(phase.t, phase.q, rows);
  rows.rows.multiply(VectorRef(phase.v), u);
  u -= rows.target;
  const double least = k_velocity_tolerance * std::max({max_abs(phase.v), max_abs(state.v),
                                                        max_abs(rows.target), max_abs(rows.violation)});
  if (!projected || (options.velocities && max_abs(u) > least)) {
    result.worst_joints = name_worst(system, u, least);
    result.message = fmt::format("the velocities cannot obey all joints at the start; worst: '{}'",
                                 fmt::join(result.worst_joints, "', '"));
    return result;
  }
  Vector moved;
  system.difference(phase.q, state.q, moved);
  result.moved = max_abs(moved);
  result.velocity_change = max_abs(phase.v - state.v);
  state.q = phase.q;
  state.v = phase.v;
  result.ok = true;
  return result;
}

}  // namespace delassus
