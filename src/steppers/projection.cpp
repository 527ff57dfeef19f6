// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// Newton converges quadratically from O(h³); more iterations mean the configuration is singular.
constexpr int k_max_iterations = 12;
// Violations below this are round-off for systems of metre size [m].
constexpr double k_position_tolerance = 1e-15;
// Above it by what the gradients amplify; there Newton's method has ended when it no longer improves [m].
constexpr double k_stalled_tolerance = 1e-13;
// Violations that a step may leave without asking whether they can be taken back: should they grow, a later step asks [m].
constexpr double k_harmless = 1e-6;

}  // namespace

FrictionRatios friction_ratios(const ContactMemory& memory) {
  FrictionRatios ratios{};
  const double normal = memory.force[0];
  if (normal <= 0) return ratios;
  const auto set = [&](ContactStatus status, int from, int to) {
    for (int k = from; status == ContactStatus::slip && k < to; ++k) ratios[k] = memory.force[k] / normal;
  };
  set(memory.status, 1, 3);
  set(memory.rolling, 3, 5);
  set(memory.spinning, 5, 6);
  return ratios;
}

bool Projector::project_position(const System& system, std::span<const ContactId> closed, Phase& phase) {
  q_ = phase.q;
  double previous = std::numeric_limits<double>::infinity();
  // Round-off of Θ grows with the size of the coordinates.
  const double scale = 1.0 + q_.cwiseAbs().maxCoeff();
  for (int i = 0; i < k_max_iterations; ++i) {
    system.bilateral(phase.t, q_, bilateral_);
    system.gaps(closed, phase.t, q_, gaps_);
    const int holonomic = bilateral_.num_holonomic;
    gap_rhs_.resize(holonomic + gaps_.size());
    gap_rhs_ << -bilateral_.violation.head(holonomic), -gaps_;
    if (gap_rhs_.size() == 0) return true;
    const double violation = gap_rhs_.cwiseAbs().maxCoeff();
    if (!std::isfinite(violation)) return false;
    // Quadratic convergence has ended at round-off when the violation no longer falls.
    if (violation <= k_position_tolerance * scale ||
        (violation < k_stalled_tolerance * scale && violation >= 0.5 * previous)) {
      phase.q = q_;
      return true;
    }
    previous = violation;
    rows_.clear(system.nv());
    for (int g = 0; g < bilateral_.rows.num_groups() && bilateral_.rows.first_row(g) < holonomic; ++g)
      rows_.add_group(bilateral_.rows, g, bilateral_.rows.group_rows(g));
    system.contact_rows(closed, phase.t, q_, contacts_);
    for (int c = 0; c < contacts_.rows.num_groups(); ++c) rows_.add_group(contacts_.rows, c, 1);
    system.mass(phase.t, q_, M_);
    C_.setZero(rows_.rows());
    zero_.setZero(system.nv());
    if (!kkt_.compute(M_, true, rows_, nullptr, C_)) return false;
    kkt_.solve(zero_, gap_rhs_, delta_, lambda_);
    system.retract(VectorRef(q_), VectorRef(delta_), q_next_);
    std::swap(q_, q_next_);
  }
  return false;
}

bool Projector::joints_can_be_met(const System& system, const Phase& phase, int& worst_row) {
  system.bilateral(phase.t, phase.q, bilateral_);
  const auto violation = bilateral_.violation.head(bilateral_.num_holonomic);
  worst_row = -1;
  if (violation.size() == 0) return true;
  const double worst = violation.cwiseAbs().maxCoeff(&worst_row);
  if (worst <= k_harmless * (1.0 + phase.q.cwiseAbs().maxCoeff())) return true;
  probe_ = phase;
  return project_position(system, {}, probe_);
}

bool Projector::project_velocity(const System& system, std::span<const ContactId> closed,
                                 std::span<const HeldParts> held, bool joints_and_normals, Phase& phase,
                                 std::span<const int> held_friction, std::span<const FrictionRatios> ratios) {
  system.bilateral(phase.t, phase.q, bilateral_);
  system.contact_rows(closed, phase.t, phase.q, contacts_);
  rows_.clear(system.nv());
  for (int g = 0; g < bilateral_.rows.num_groups(); ++g)
    rows_.add_group(bilateral_.rows, g, bilateral_.rows.group_rows(g));
  held_rows_.clear();
  for (int c = 0; c < contacts_.rows.num_groups(); ++c) add_held_rows(c, held[c]);
  if (!held_friction.empty()) system.friction_rows(phase.t, phase.q, friction_);
  for (int i : held_friction) rows_.add_group(friction_.rows, i, 1);
  rows_.multiply(VectorRef(phase.v), u_);
  rhs_.setZero(rows_.rows());
  const int joints = bilateral_.rows.rows();
  if (joints_and_normals) rhs_.head(joints) = bilateral_.target - u_.head(joints);
  for (int c = 0; c < contacts_.rows.num_groups(); ++c) {
    const int g = bilateral_.rows.num_groups() + c, row = rows_.first_row(g);
    for (int k = joints_and_normals ? 0 : 1; k < rows_.group_rows(g); ++k)
      rhs_[row + k] = -u_[row + k] - contacts_.drift_velocity[held_rows_[row + k - joints]];
  }
  const Eigen::Index first_held = rows_.rows() - static_cast<Eigen::Index>(held_friction.size());
  for (std::size_t i = 0; i < held_friction.size(); ++i) {
    const Eigen::Index row = first_held + static_cast<Eigen::Index>(i);
    rhs_[row] = -u_[row] - friction_.drift_velocity[held_friction[i]];
  }
  system.mass(phase.t, phase.q, M_);
  const auto slips = [](const FrictionRatios& one) {
    return std::any_of(one.begin(), one.end(), [](double ratio) { return ratio != 0; });
  };
  if (!joints_and_normals || std::none_of(ratios.begin(), ratios.end(), slips))
    return correct_velocity(M_, true, nullptr, phase);
  tilt_normals(ratios);
  // Where friction is so large that a normal impulse does not open the contact there is nothing to gain by it.
  return correct_velocity(M_, true, &directions_, phase) || correct_velocity(M_, true, nullptr, phase);
}

// The directions (1) of the rows.
void Projector::tilt_normals(std::span<const FrictionRatios> ratios) {
  directions_ = rows_;
  for (int c = 0; c < contacts_.rows.num_groups(); ++c) {
    const int g = bilateral_.rows.num_groups() + c;
    for (int b = 0; b < contacts_.rows.num_blocks(c); ++b) {
      const auto source = contacts_.rows.block(c, b);
      auto direction = directions_.block(g, b);
      for (int k = 1; k < contacts_.rows.group_rows(c); ++k)
        if (ratios[c][k] != 0) direction.row(0) += ratios[c][k] * source.row(k);
    }
  }
}

// The normal row of a closed contact and the rows of the parts that are held.
void Projector::add_held_rows(int contact, HeldParts held) {
  const int rows = contacts_.rows.group_rows(contact), first = contacts_.rows.first_row(contact);
  const std::size_t begin = held_rows_.size();
  const auto add = [&](int from, int to) {
    for (int k = from; k < to; ++k) held_rows_.push_back(first + k);
  };
  add(0, 1);
  if ((held & held_part(FrictionKind::sliding)) != 0) add(1, std::min(rows, 3));
  if (rows == 6 && (held & held_part(FrictionKind::rolling)) != 0) add(3, 5);
  if (rows == 6 && (held & held_part(FrictionKind::spinning)) != 0) add(5, 6);
  const int count = static_cast<int>(held_rows_.size() - begin);
  rows_.add_group(count);
  for (int b = 0; b < contacts_.rows.num_blocks(contact); ++b) {
    const auto source = contacts_.rows.block(contact, b);
    auto block = rows_.add_block(contacts_.rows.block_column(contact, b), static_cast<int>(source.cols()));
    for (int k = 0; k < count; ++k)
      block.row(k) = source.row(held_rows_[begin + static_cast<std::size_t>(k)] - first);
  }
}

bool Projector::project_velocity_along(const System& system, const Problem& step, Phase& phase) {
  system.bilateral(phase.t, phase.q, bilateral_);
  rows_ = bilateral_.rows;
  directions_.clear(system.nv());
  const BlockRows& directions = step.impulse_G();
  for (int g = 0; g < rows_.num_groups(); ++g) directions_.add_group(directions, g, directions.group_rows(g));
  rows_.multiply(VectorRef(phase.v), u_);
  rhs_ = bilateral_.target - u_;
  return correct_velocity(step.A, step.symmetric, &directions_, phase);
}

// v ← v + δ with rows δ = rhs.
bool Projector::correct_velocity(const BlockMatrix& A, bool symmetric, const BlockRows* directions,
                                 Phase& phase) {
  lambda_.setZero(rhs_.size());
  if (rhs_.size() == 0 || rhs_.cwiseAbs().maxCoeff() == 0) return true;
  C_.setZero(rows_.rows());
  zero_.setZero(A.size());
  if (!kkt_.compute(A, symmetric, rows_, directions, C_)) return false;
  kkt_.solve(zero_, rhs_, delta_, lambda_);
  if (!delta_.allFinite()) return false;
  phase.v += delta_;
  return true;
}

}  // namespace delassus
