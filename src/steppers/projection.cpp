// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "delassus/base/stop_request.hpp"
#include "delassus/base/work_time.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Newton converges quadratically from O(h³); more iterations mean the configuration is singular.
constexpr int k_max_iterations = 24;
// The part of a correction that is taken at least, and how much of what it promises it must keep [-].
constexpr double k_smallest_share = 1.0 / 32, k_least_progress = 0.25;
// Violations below this are round-off for systems of metre size [m].
constexpr double k_position_tolerance = 1e-15;
// Above it by what the gradients amplify; there Newton's method has ended when it no longer improves [m].
constexpr double k_stalled_tolerance = 1e-13;
// Rows that are off by less, as a fraction of the velocities in the step, are off by the tolerance of the solver [-].
constexpr double k_small_correction = 1e-9;
// A correction along directions (1) may take this many times the energy of the least one [-].
constexpr double k_largest_tilt = 10;
// One that takes less than this part of the kinetic energy, and gains none, is not compared with the least one [-].
constexpr double k_harmless_tilt = 1e-6;
// Velocities from which on a mechanism is taken by blocks: two bodies.
constexpr int k_mechanism_velocities = 12;
// Rows that are many: beside each other and beside the velocities [-].
constexpr int k_many_rows = 60;
constexpr double k_crowded = 0.7;
// What may be left of many rows, beside the velocities or the size of the system [-].
constexpr double k_many_tolerance = 1e-15;
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

bool Projector::project_position(const System& system, ContactSet& closed, PhasePoint& point) {
  const WorkScope scope(WorkKind::projection);
  return find_position(system, false, closed, point) || find_position(system, true, closed, point);
}

bool Projector::find_position(const System& system, bool leveled, ContactSet& closed, PhasePoint& point) {
  double previous = std::numeric_limits<double>::infinity();
  // Round-off of Θ grows with the size of the coordinates.
  const double scale = system_size(system, point.phase.q);
  const auto violation_of = [&](const BilateralRows& joints, const ContactSet& contacts) {
    const int holonomic = joints.num_holonomic;
    gap_rhs_.resize(holonomic + contacts.gaps.size());
    gap_rhs_ << -joints.violation.head(holonomic), -contacts.gaps;
    return max_abs(gap_rhs_);
  };
  double violation = violation_of(point.joints, closed);
  const auto take_iterate = [&] {
    std::swap(point.phase.q, iterate_.phase.q);
    std::swap(point.at, iterate_.at);
    std::swap(point.joints, iterate_.joints);
    std::swap(closed, iterate_.contacts);
    return true;
  };
  for (int i = 0; i < k_max_iterations; ++i) {
    throw_if_stop_requested();
    if (gap_rhs_.size() == 0) return true;
    if (!std::isfinite(violation)) return false;
    // Quadratic convergence has ended at round-off when the violation no longer falls.
    if (violation <= k_position_tolerance * scale ||
        (violation < k_stalled_tolerance * scale && violation >= 0.5 * previous)) {
      return i == 0 || take_iterate();
    }
    previous = violation;
    const BilateralRows& joints = i == 0 ? point.joints : iterate_.joints;
    const ContactSet& contacts = i == 0 ? closed : iterate_.contacts;
    rows_.clear(system.nv());
    for (int g = 0; g < joints.rows.num_groups() && joints.rows.first_row(g) < joints.num_holonomic; ++g)
      rows_.add_group(joints.rows, g, joints.rows.group_rows(g));
    for (int c = 0; c < contacts.rows.rows.num_groups(); ++c) rows_.add_group(contacts.rows.rows, c, 1);
    const Configuration& at = i == 0 ? point.at : iterate_.at;
    if (leveled) system.leveled_mass(at, M_);
    const BlockMatrix& M = leveled ? M_ : system.mass_at(at, M_);
    if (!correct_mechanism(positions_, M, nullptr, joints.num_holonomic, gap_rhs_, KktAccuracy::correction) &&
        !correct_many(M, true, nullptr, gap_rhs_, k_many_tolerance * scale)) {
      if (!factorize(M, true, nullptr)) return false;
      factors_.solve(zero_, gap_rhs_, delta_, lambda_);
    }
    begin_q_ = i == 0 ? point.phase.q : iterate_.at.q;
    iterate_.phase.t = point.phase.t;
    // Far from the joints a whole correction may lead to another place: it must bring violations down.
    for (double share = 1; share >= k_smallest_share; share *= 0.5) {
      if (share < 1) delta_ *= 0.5;
      system.retract(begin_q_, VectorRef(delta_), iterate_.phase.q);
      // A correction that no coordinate can show.
      if (share == 1 && violation < k_stalled_tolerance * scale && iterate_.phase.q == begin_q_)
        return i == 0 || take_iterate();
      iterate_.place(system);
      system.evaluate_contacts(closed.ids, iterate_.at, iterate_.contacts);
      violation = violation_of(iterate_.joints, iterate_.contacts);
      if (violation <= (1 - k_least_progress * share) * previous || violation < k_stalled_tolerance * scale)
        break;
    }
    if (!(violation < previous || violation < k_stalled_tolerance * scale)) return false;
  }
  return false;
}

bool Projector::joints_can_be_met(const System& system, const PhasePoint& point, int& worst_row) {
  const WorkScope scope(WorkKind::projection);
  const auto violation = point.joints.violation.head(point.joints.num_holonomic);
  worst_row = -1;
  if (violation.size() == 0) return true;
  const double worst = violation.cwiseAbs().maxCoeff(&worst_row);
  if (worst <= k_harmless * system_size(system, point.phase.q)) return true;
  probe_.phase = point.phase;
  probe_.at = point.at;
  probe_.joints = point.joints;
  system.evaluate_contacts({}, point.at, none_);
  return project_position(system, none_, probe_);
}

bool Projector::project_velocity(const System& system, const ContactSet& closed,
                                 std::span<const HeldParts> held, bool joints_and_normals, PhasePoint& point,
                                 std::span<const int> held_friction, std::span<const FrictionRatios> ratios,
                                 double step_speed) {
  const WorkScope scope(WorkKind::projection);
  const BilateralRows& bilateral = point.joints;
  const ContactRows& contacts = closed.rows;
  rows_.clear(system.nv());
  for (int g = 0; g < bilateral.rows.num_groups(); ++g)
    rows_.add_group(bilateral.rows, g, bilateral.rows.group_rows(g));
  held_rows_.clear();
  for (int c = 0; c < contacts.rows.num_groups(); ++c) add_held_rows(contacts, c, held[c]);
  if (!held_friction.empty()) system.friction_rows(point.at, friction_);
  for (int i : held_friction) rows_.add_group(friction_.rows, i, 1);
  rows_.multiply(VectorRef(point.phase.v), u_);
  rhs_.setZero(rows_.rows());
  const int joints = bilateral.rows.rows();
  if (joints_and_normals) rhs_.head(joints) = bilateral.target - u_.head(joints);
  for (int c = 0; c < contacts.rows.num_groups(); ++c) {
    const int g = bilateral.rows.num_groups() + c, row = rows_.first_row(g);
    for (int k = joints_and_normals ? 0 : 1; k < rows_.group_rows(g); ++k)
      rhs_[row + k] = -u_[row + k] - contacts.drift_velocity[held_rows_[row + k - joints]];
  }
  const Eigen::Index first_held = rows_.rows() - static_cast<Eigen::Index>(held_friction.size());
  for (std::size_t i = 0; i < held_friction.size(); ++i) {
    const Eigen::Index row = first_held + static_cast<Eigen::Index>(i);
    rhs_[row] = -u_[row] - friction_.drift_velocity[held_friction[i]];
  }
  const BlockMatrix& M = system.mass_at(point.at, M_);
  const auto slips = [](const FrictionRatios& one) {
    return std::any_of(one.begin(), one.end(), [](double ratio) { return ratio != 0; });
  };
  // Friction that goes with an impulse of the size of round-off is none.
  const bool small = max_abs(rhs_) <= k_small_correction * step_speed;
  if (!joints_and_normals || small || std::none_of(ratios.begin(), ratios.end(), slips))
    return correct_velocity(M, true, nullptr, joints, point.phase, step_speed);
  tilt_normals(contacts, bilateral.rows.num_groups(), ratios);
  // Where friction is so large that a normal impulse does not open the contact there is nothing to gain by it.
  before_ = point.phase.v;
  const bool tilted = correct_velocity(M, true, &directions_, joints, point.phase);
  const double kinetic = kinetic_energy(M, before_);
  if (tilted && kinetic_energy(M, point.phase.v) <= kinetic &&
      kinetic_energy(M, point.phase.v - before_) <= k_harmless_tilt * kinetic)
    return true;
  // Nor where it takes the bodies much farther than the least correction, as it may where friction nearly keeps the contact from
  // opening, and along rows that are nearly dependent.
  std::swap(point.phase.v, before_);
  tilted_v_ = before_;
  tilted_lambda_ = lambda_;
  before_ = point.phase.v;
  if (!correct_velocity(M, true, nullptr, joints, point.phase)) return false;
  if (!tilted ||
      kinetic_energy(M, tilted_v_ - before_) > k_largest_tilt * kinetic_energy(M, point.phase.v - before_))
    return true;
  std::swap(point.phase.v, tilted_v_);
  std::swap(lambda_, tilted_lambda_);
  return true;
}

bool Projector::project_position(const System& system, Phase& phase) {
  probe_.phase = phase;
  probe_.place(system);
  system.evaluate_contacts({}, probe_.at, none_);
  if (!project_position(system, none_, probe_)) return false;
  phase.q = probe_.phase.q;
  return true;
}

bool Projector::project_velocity(const System& system, Phase& phase) {
  probe_.phase = phase;
  probe_.place(system);
  system.evaluate_contacts({}, probe_.at, none_);
  if (!project_velocity(system, none_, {}, true, probe_)) return false;
  phase.v = probe_.phase.v;
  return true;
}

// The directions (1) of the rows.
void Projector::tilt_normals(const ContactRows& contacts, int first_group,
                             std::span<const FrictionRatios> ratios) {
  directions_ = rows_;
  for (int c = 0; c < contacts.rows.num_groups(); ++c) {
    const int g = first_group + c;
    for (int b = 0; b < contacts.rows.num_blocks(c); ++b) {
      const auto source = contacts.rows.block(c, b);
      auto direction = directions_.block(g, b);
      for (int k = 1; k < contacts.rows.group_rows(c); ++k)
        if (ratios[c][k] != 0) direction.row(0) += ratios[c][k] * source.row(k);
    }
  }
}

// The normal row of a closed contact and the rows of the parts that are held.
void Projector::add_held_rows(const ContactRows& contacts, int contact, HeldParts held) {
  const int rows = contacts.rows.group_rows(contact), first = contacts.rows.first_row(contact);
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
  for (int b = 0; b < contacts.rows.num_blocks(contact); ++b) {
    const auto source = contacts.rows.block(contact, b);
    auto block = rows_.add_block(contacts.rows.block_column(contact, b), static_cast<int>(source.cols()));
    for (int k = 0; k < count; ++k)
      block.row(k) = source.row(held_rows_[begin + static_cast<std::size_t>(k)] - first);
  }
}

bool Projector::project_velocity_along(const Problem& step, PhasePoint& point) {
  rows_ = point.joints.rows;
  directions_.clear(rows_.columns());
  const BlockRows& directions = step.impulse_G();
  for (int g = 0; g < rows_.num_groups(); ++g) directions_.add_group(directions, g, directions.group_rows(g));
  rows_.multiply(VectorRef(point.phase.v), u_);
  rhs_ = point.joints.target - u_;
  return correct_velocity(step.A, step.symmetric, &directions_, rows_.rows(), point.phase);
}

bool Projector::correct_mechanism(Mechanism& mechanism, const BlockMatrix& A, const BlockRows* directions,
                                  int joint_rows, const Vector& b, KktAccuracy accuracy) {
  if (2 * joint_rows < rows_.rows() || A.size() < k_mechanism_velocities) return false;
  zero_.setZero(A.size());
  mechanism.no_compliance.setZero(rows_.rows());
  return mechanism.factor.compute(A, rows_, directions != nullptr ? *directions : rows_,
                                  mechanism.no_compliance) &&
         mechanism.factor.solve(zero_, b, delta_, mechanism.lambda, accuracy) && delta_.allFinite();
}

bool Projector::are_many(const BlockMatrix& A) const {
  return rows_.rows() >= k_many_rows && rows_.rows() >= k_crowded * A.size();
}

bool Projector::correct_many(const BlockMatrix& A, bool symmetric, const BlockRows* directions,
                             const Vector& b, double tolerance) {
  if (!are_many(A)) return false;
  if (directions != nullptr) return many_.solve_along(A, rows_, *directions, b, tolerance, delta_, lambda_);
  return symmetric && many_.solve(A, rows_, b, tolerance, delta_, lambda_);
}

bool Projector::factorize(const BlockMatrix& A, bool symmetric, const BlockRows* directions) {
  saddle_point_.A = A;
  saddle_point_.symmetric = symmetric;
  saddle_point_.Gt = rows_;
  saddle_point_.C.setZero(rows_.rows());
  saddle_point_.separate_directions = directions != nullptr;
  if (directions != nullptr) saddle_point_.G_directions = *directions;
  zero_.setZero(A.size());
  parts_.find(saddle_point_);
  return factors_.compute(saddle_point_, parts_);
}

// v ← v + δ with rows δ = rhs.
bool Projector::correct_velocity(const BlockMatrix& A, bool symmetric, const BlockRows* directions,
                                 int joint_rows, Phase& phase, double step_speed) {
  lambda_.setZero(rhs_.size());
  const double largest = max_abs(rhs_);
  if (largest == 0) return true;
  constexpr double round_off = std::numeric_limits<double>::epsilon();
  const bool small = directions == nullptr && largest <= k_small_correction * step_speed;
  if (small && largest <= round_off * step_speed) return true;
  if (correct_mechanism(velocities_, A, directions, joint_rows, rhs_,
                        small ? KktAccuracy::correction : KktAccuracy::round_off)) {
    lambda_ = velocities_.lambda;
    phase.v += delta_;
    return true;
  }
  if (small) {
    if (!are_many(A) && correction_.solve(A, rows_, rhs_, round_off * step_speed, delta_, lambda_)) {
      phase.v += delta_;
      return true;
    }
    lambda_.setZero(rhs_.size());
  }
  const double speed = std::max({step_speed, max_abs(phase.v), largest});
  if (!correct_many(A, symmetric, directions, rhs_, k_many_tolerance * speed)) {
    if (!factorize(A, symmetric, directions)) return false;
    factors_.solve(zero_, rhs_, delta_, lambda_);
  }
  if (!delta_.allFinite()) return false;
  phase.v += delta_;
  return true;
}

}  // namespace delassus
