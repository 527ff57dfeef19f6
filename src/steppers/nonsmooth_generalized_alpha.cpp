// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/nonsmooth_generalized_alpha.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "delassus/steppers/dae/implicit_stepper.hpp"

namespace delassus {
namespace {

// A slip that is expected to keep its direction and more than this part of its speed goes on [-].
constexpr double k_goes_on = 0.5;
// Axes of a contact whose product is less have jumped [-].
constexpr double k_same_frame = 0.8;
// Forces that change the momentum in a step by less than this part need not be met [-].
constexpr double k_small_force = 1e-6;
constexpr double k_tiny = std::numeric_limits<double>::min();

// A contact that held in the last step, and neither hits nor rebounds in this one.
bool holds_on(const ContactMemory* memory, const RowShift& shift) {
  return memory != nullptr && memory->closed && !shift.impact && !shift.rebounds;
}

// Whether the frame of a contact has turned from one place to the other and not jumped; true where there is no picture of it.
bool turns_with(const ContactPlace& a, const ContactPlace& b) {
  for (int k = 0; k < 3; ++k)
    if (a.frame.col(k).dot(b.frame.col(k)) < k_same_frame) return false;
  return true;
}

}  // namespace

bool NonsmoothGeneralizedAlpha::predict(StepInProgress& step, double h, const ContactSet& contacts,
                                        std::span<const ContactMemory* const> memory,
                                        std::span<RowShift> shifts) {
  const System& system = *step.system;
  const PhasePoint& begin = step.now;
  failure_.clear();
  if (!accelerations_.prepare(formula_, system, begin, h, step.history.acceleration)) {
    failure_ = "the accelerations are not finite, or the mass matrix is not positive definite";
    return false;
  }
  StepPrediction& p = prediction_;
  w_ = 0.5 * h * begin.phase.v;
  system.retract(begin.phase.q, w_, q_);
  system.configure(begin.phase.t + 0.5 * h, q_, p.middle);
  system.bilateral(p.middle, p.joints);
  system.friction_rows(p.middle, p.friction);
  // Where contacts slip at the end is not known yet.
  p.v.resize(0);
  place_contacts(step, contacts, memory, shifts);
  add_remembered_impulses(h, memory);
  if (!solve_smooth(step, h)) return false;
  take_mean_slips(contacts, memory, shifts);
  return true;
}

void NonsmoothGeneralizedAlpha::place_contacts(const StepInProgress& step, const ContactSet& contacts,
                                               std::span<const ContactMemory* const> memory,
                                               std::span<RowShift> shifts) {
  const System& system = *step.system;
  StepPrediction& p = prediction_;
  p.contacts = contacts;
  p.turning.setZero(contacts.rows.rows.rows());
  mean_slip_.assign(contacts.size(), 0);
  places_.clear();
  ids_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!holds_on(memory[c], shifts[c])) continue;
    places_.push_back(c);
    ids_.push_back(contacts.ids[c]);
  }
  if (places_.empty()) return;
  system.evaluate_contacts(ids_, p.middle, middle_);
  middle_.update_velocities(step.now.phase.v);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t c = places_[i];
    if (!middle_.valid(i) || !turns_with(contacts.places[c], middle_.places[i])) continue;
    p.contacts.copy_from(middle_, i, c);
    const int row = contacts.first_row(c), rows = contacts.num_rows(c);
    p.turning.segment(row, rows) =
        middle_.u.segment(middle_.first_row(i), rows) - contacts.u.segment(row, rows);
    shifts[c].drift.setZero();
  }
  if (p.v.size() > 0) take_mean_slips(contacts, memory, shifts);
}

// H r₀ to ℘, and W₀, Λ₀.
void NonsmoothGeneralizedAlpha::add_remembered_impulses(double h,
                                                        std::span<const ContactMemory* const> memory) {
  StepPrediction& p = prediction_;
  const BlockRows& rows = p.contacts.rows.rows;
  u_.setZero(rows.rows());
  for (std::size_t c : places_)
    for (int k = 0; k < p.contacts.num_rows(c); ++k)
      u_[p.contacts.first_row(c) + k] = h * memory[c]->force[k];
  p.impulse.setZero(rows.columns());
  rows.add_transposed_product(u_, p.impulse);
}

// The friction of what goes on sliding opposes the mean slip: law on u_T⁺ + u_T⁻.
void NonsmoothGeneralizedAlpha::take_mean_slips(const ContactSet& contacts,
                                                std::span<const ContactMemory* const> memory,
                                                std::span<RowShift> shifts) {
  const bool any_impact =
      std::any_of(shifts.begin(), shifts.end(), [](const RowShift& shift) { return shift.impact; });
  mean_slip_.assign(contacts.size(), 0);
  for (std::size_t c : places_) shifts[c].velocity.tail<2>().setZero();
  if (any_impact || places_.empty()) return;
  const StepPrediction& p = prediction_;
  p.contacts.rows.rows.multiply(VectorRef(p.v), u_);
  for (std::size_t c : places_) {
    const int tangents = std::min(contacts.num_rows(c), 3) - 1, row = contacts.first_row(c) + 1;
    if (memory[c]->status != ContactStatus::slip || tangents < 1) continue;
    const auto before = contacts.u.segment(row, tangents);
    u_.segment(row, tangents) +=
        p.contacts.rows.drift_velocity.segment(row, tangents) + p.turning.segment(row, tangents);
    if (!(before.dot(u_.segment(row, tangents)) > k_goes_on * before.squaredNorm())) continue;
    shifts[c].velocity.segment(1, tangents) = before;
    mean_slip_[c] = 1;
  }
}

bool NonsmoothGeneralizedAlpha::solve_smooth(StepInProgress& step, double h) {
  const System& system = *step.system;
  const AccelerationMemory& memory = step.history.acceleration;
  StepPrediction& p = prediction_;
  const BlockMatrix& M = system.mass_at(p.middle, M_);
  const bool jumps = (p.impulse.array() != 0).any();
  jump_joints_.setZero(p.joints.rows.rows());
  if (jumps) {
    zero_.setZero(p.joints.rows.rows());
    if (!kkt_.compute(M, true, p.joints.rows, nullptr, zero_)) {
      failure_ = "the mass matrix is not positive definite";
      return false;
    }
    kkt_.solve(p.impulse, zero_, jump_, jump_joints_);
  }
  equations_.begin(system, step.now.phase, memory, h, x_, Lambda_, jumps ? &jump_ : nullptr);
  const NewtonResult result =
      newton_.solve(equations_, derivative_level(options_), options_.dae.max_iterations, x_, Lambda_);
  step.report->certificate.linear_iterations += result.linear_iterations;
  // Beside momenta forces may be round-off.
  momentum_.setZero(system.nv());
  M.add_product(step.now.phase.v, momentum_);
  const auto residual = [&] {
    return max_abs(equations_.F) /
           std::max({equations_.largest_term, k_small_force * h * max_abs(momentum_), k_tiny});
  };
  if (!result.ok || !(residual() <= k_residual_tolerance)) {
    failure_ =
        fmt::format("the smooth part of the step: {}",
                    result.ok ? "the equations of motion cannot be met with this step" : result.failure);
    // After a failure the equations may stand at an iterate that was refused.
    if (options_.policy != FailurePolicy::warn || !equations_.evaluate(x_, Lambda_)) return false;
    step.report->warn(WarningKind::went_on, fmt::format("t = {:.9g} s: {}; went on as asked (policy warn)",
                                                        step.now.phase.t, failure_));
  }
  p.w = equations_.displacement();
  rate_ = equations_.rate();
  equations_.take_end(end_);
  if (Lambda_.size() > 0) {
    if (!accelerations_.factorize(system, end_) || !accelerations_.project_velocity(end_) ||
        !accelerations_.solve(system, end_, rate_, joint_forces_)) {
      failure_ = "the smooth part of the step: the velocities could not be projected onto the joints";
      return false;
    }
  } else {
    joint_forces_.resize(0);
  }
  p.v = end_.phase.v;
  smooth_impulses_ = 0.5 * h * (memory.joint_forces + joint_forces_);
  jump_joints_ += smooth_impulses_;
  p.joints.rows.add_transposed_product(jump_joints_, p.impulse);
  p.M = M;
  const double ratio = (1 - formula_.alpha_f) / (1 - formula_.alpha_m);
  p.c_v = formula_.gamma * h * ratio;
  p.c_q = 0.5 * h * p.c_v;
  if (options_.derivatives != ForceDerivatives::none)
    system.force_jacobians(end_.at, end_.phase.v, p.jacobians);
  return true;
}

void NonsmoothGeneralizedAlpha::remember(StepInProgress& step, double h, const Vector& joint_impulses) {
  const System& system = *step.system;
  const PhasePoint& now = step.now;
  AccelerationMemory& memory = step.history.acceleration;
  contact_joint_forces_ = (joint_impulses - smooth_impulses_) / h;
  next_rate_ = rate_;
  next_forces_ = joint_forces_;
  if ((now.phase.q != end_.phase.q || now.phase.v != end_.phase.v) &&
      (!accelerations_.factorize(system, now) ||
       !accelerations_.solve(system, now, next_rate_, next_forces_))) {
    memory = {};
    return;
  }
  const double alpha_m = formula_.alpha_m, alpha_f = formula_.alpha_f;
  memory.a = ((1 - alpha_f) * next_rate_ + alpha_f * memory.rate - alpha_m * memory.a) / (1 - alpha_m);
  memory.rate = next_rate_;
  memory.joint_forces = next_forces_;
}

}  // namespace delassus
