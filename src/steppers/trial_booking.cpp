// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/trial_booking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/step_finish.hpp"

namespace delassus {
namespace {

// What limits of friction in joints may be off by: less than a residual may be [-].
constexpr double k_unsettled = 1e-7;
// Contacts from which on a step that no method solves is taken for what it is solved to, after so many halvings: redundant ones of a
// crowd that is hit can keep every method from the last digits, and shorter steps are as hard. A run that stops helps nobody.
constexpr std::size_t k_crowd = 64;
constexpr int k_crowd_halvings = 2;
// What it must be solved to: the laws of the contacts are off by so much of what they stop [-].
constexpr double k_passable = 1e-3;

// What a solution that is not converged may be off by to be taken all the same, with a warning: one of a crowd, or, when no halving
// is left, one that would pass if a solver had been content with it [-].
double passable_residual(const StepperOptions& options, std::size_t num_contacts, const Trial& trial,
                         const Retries& retries) {
  if (options.policy != FailurePolicy::retry || trial.unsettled != 0) return 0;
  const int most = options.max_halvings;
  if (num_contacts >= k_crowd && retries.halvings >= std::min(k_crowd_halvings, most)) return k_passable;
  return retries.halvings >= most || 0.5 * trial.h < options.smallest_step ? k_judged : 0.0;
}

bool is_passable(const StepperOptions& options, std::size_t num_contacts, const StepKernel& kernel,
                 const Trial& trial, const Retries& retries) {
  const double most = passable_residual(options, num_contacts, trial, retries);
  return most > 0 && trial.end.phase.q.size() > 0 && trial.end.phase.q.allFinite() &&
         trial.end.phase.v.allFinite() &&
         judged_residual(trial.residual, kernel.local(), trial.solution) <= most;
}

}  // namespace

bool judge_trial(const StepInProgress& step, const StepperOptions& options, std::span<const ContactId> ids,
                 const StepKernel& kernel, Projector& projector, Trial& trial, Retries& retries) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  const double t = step.now.phase.t;
  Certificate& certificate = report.certificate;
  certificate.count_solves(1);
  certificate.iterations += trial.stats.iterations;
  certificate.linear_iterations += trial.linear_iterations;
  const bool contacts_failed = !trial.ok;
  int lost = -1;
  if (trial.ok && options.projection != Projection::none &&
      !projector.joints_can_be_met(system, trial.end, lost)) {
    trial.ok = false;
    trial.stats.status = SolveStatus::numerical_failure;
    trial.failure = fmt::format("the joints cannot all be met at the end of the step (worst joint '{}')",
                                system.joint_name(lost));
  }
  if (trial.ok) return true;
  ++report.rejected;
  const int worst = trial.residual.worst_contact;
  const std::string where = worst >= 0 && worst < static_cast<int>(ids.size())
                                ? " (worst contact '" + system.contact_name(ids[worst]) + "')"
                                : std::string();
  if (options.policy == FailurePolicy::warn && trial.end.phase.q.allFinite() &&
      trial.end.phase.v.allFinite() && trial.end.phase.q.size() > 0) {
    report.warn(WarningKind::went_on,
                fmt::format("t = {:.9g} s: {}{}; went on as asked (policy warn)", t, trial.failure, where));
    return true;
  }
  if (options.policy == FailurePolicy::retry && trial.unsettled > 0 && trial.unsettled <= k_unsettled) {
    trial.ok = true;
    trial.stats.status = SolveStatus::inexact;
    trial.residual.contact = std::max(trial.residual.contact, trial.unsettled);
    report.warn(WarningKind::residual,
                fmt::format("t = {:.9g} s: {}; went on with limits that are off by {:.2g} %", t,
                            trial.failure, 100 * trial.unsettled));
    return true;
  }
  if (contacts_failed && is_passable(options, ids.size(), kernel, trial, retries) &&
      (options.projection == Projection::none || projector.joints_can_be_met(system, trial.end, lost))) {
    trial.ok = true;
    trial.stats.status = SolveStatus::inexact;
    report.warn(WarningKind::residual,
                fmt::format("t = {:.9g} s: the contact laws of {} contacts are solved to {:.2g} only{}", t,
                            ids.size(), trial.residual.contact, where));
    return true;
  }
  // No shorter step helps a joint that jams.
  const bool jams = std::isinf(trial.unsettled) && !retries.known_limits;
  const bool too_short = 0.5 * trial.h < options.smallest_step;
  if (options.policy == FailurePolicy::retry && !jams && !too_short &&
      retries.halvings < options.max_halvings) {
    ++retries.halvings;
    retries.h_limit = 0.5 * trial.h;
    report.warn(WarningKind::step_halved, fmt::format("t = {:.9g} s: {}{}; step halved to {:.3g} s", t,
                                                      trial.failure, where, retries.h_limit));
    return false;
  }
  if (options.policy == FailurePolicy::retry && trial.unsettled > 0 && !retries.known_limits) {
    retries.known_limits = true;
    report.warn(
        WarningKind::friction_limits,
        fmt::format("t = {:.9g} s: {}; limited by the joint forces of the step before", t, trial.failure));
    return false;
  }
  certificate.status = worse(certificate.status, trial.stats.status);
  const std::string jam = describe_jam(system, kernel.problem(), kernel.local(), ids);
  step.fail(!jam.empty()
                ? jam
                : fmt::format("{}{}{}; a smaller step, another impact law or less stiff data may help",
                              trial.failure, where, smallest_step_note(options.smallest_step, trial.h)));
  return false;
}

// The forces of (1) of step_formula.hpp are those of a point between, up to second order; M (v⁺ − v) does work along the
// mean velocity. A stiff damper takes only what its body has, and not what it would at the velocities of the ends.
double nonconservative_work(const System& system, const PhasePoint& begin, const PhasePoint& end,
                            double alpha, WorkScratch& scratch) {
  if (!system.has_nonconservative_forces()) return 0;
  auto& [mean, v, way, q, at] = scratch;
  mean = 0.5 * (begin.phase.v + end.phase.v);
  v = (1 - alpha) * begin.phase.v + alpha * end.phase.v;
  const double h = end.phase.t - begin.phase.t;
  if (alpha == 0) return h * system.nonconservative_power_along(begin.at, v, mean);
  if (alpha == 1) return h * system.nonconservative_power_along(end.at, v, mean);
  system.difference(end.phase.q, begin.phase.q, way);
  way *= alpha;
  system.retract(begin.phase.q, way, q);
  system.configure(begin.phase.t + alpha * h, q, at);
  return h * system.nonconservative_power_along(at, v, mean);
}

void book_trial(StepInProgress& step, const PhasePoint& end, const Trial& trial,
                std::span<const ContactId> ids, double fraction) {
  const System& system = *step.system;
  const PhasePoint& begin = step.now;
  EnergyLedger& energy = step.history.energy;
  std::vector<int>& held_friction = step.history.held_frictions;
  StepReport& report = *step.report;
  ++report.substeps;
  Certificate& certificate = report.certificate;
  certificate.status = worse(certificate.status, trial.stats.status);
  certificate.momentum_residual = std::max(certificate.momentum_residual, trial.residual.momentum);
  certificate.joint_residual = std::max(certificate.joint_residual, trial.residual.joints);
  certificate.redundant_joint_rows = trial.redundant_joint_rows;
  if (!trial.cones.empty() && !(trial.residual.contact < certificate.contact_residual)) {
    certificate.contact_residual = trial.residual.contact;
    // The worst one may also be the friction of a joint.
    const auto worst = static_cast<std::size_t>(std::max(trial.residual.worst_contact, 0));
    certificate.has_worst_contact = worst < ids.size();
    if (certificate.has_worst_contact) certificate.worst_contact = ids[worst];
  }
  held_friction.clear();
  for (std::size_t i = trial.cones.size() - ids.size(); i-- > 0;)
    if (trial.solution.modes[ids.size() + i].status == ContactStatus::stick)
      held_friction.push_back(static_cast<int>(i));
  energy.normal += fraction * trial.work_normal;
  energy.friction += fraction * trial.work_friction;
  energy.impacts += fraction * (trial.work_impacts + trial.work_beside_impacts);
  energy.joints += fraction * trial.work_joints;
  energy.driven += fraction * (trial.work_surfaces +
                               0.5 * trial.solution.lambda.dot(begin.joints.target + end.joints.target));
  energy.nonconservative += nonconservative_work(system, begin, end, trial.alpha, step.work);
  if (report.joint_impulses.size() != trial.solution.lambda.size())
    report.joint_impulses.setZero(trial.solution.lambda.size());
  report.joint_impulses += fraction * trial.solution.lambda;
  const auto joint_rows = static_cast<std::size_t>(trial.solution.lambda.size());
  for (std::size_t i = 0; i < std::min(joint_rows, trial.shared_rows.size()); ++i) {
    if (trial.shared_rows[i] == 0) continue;
    report.shared_joint_rows.resize(joint_rows, 0);
    report.shared_joint_rows[i] = 1;
  }
  int row = 0;
  for (std::size_t c = 0; c < ids.size(); ++c) {
    ContactReport& contact = contact_report(ids[c], report);
    contact.impulse +=
        fraction * contact_impulse(trial.cones[c], trial.tangent_ratios[c], trial.solution.r, row);
    contact.couple += fraction * contact_couple(trial.cones[c], trial.solution.r, row);
    contact.shared = contact.shared || (c < trial.shared_contacts.size() && trial.shared_contacts[c] != 0);
    row += trial.cones[c].dim;
  }
}

void warn_not_projected(const StepInProgress& step, const ContactSet& contacts) {
  const System& system = *step.system;
  const PhasePoint& now = step.now;
  double worst = 0;
  std::string who = "none is off by more than round-off";
  const auto look = [&](double size, const char* kind, const std::string& name, bool is_angle) {
    if (!(size > worst)) return;
    worst = size;
    who = fmt::format("{} '{}' is off by {:.3g} {}", kind, name, size, is_angle ? "rad" : "m");
  };
  for (int i = 0; i < now.joints.num_holonomic; ++i)
    look(std::abs(now.joints.violation[i]), "joint", system.joint_name(i), system.joint_row_is_angle(i));
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactMemory* memory = find_memory(step.history, contacts.ids[c]);
    const bool closed = memory != nullptr && memory->closed;
    // What is open may be anywhere above its surface.
    if (contacts.valid(c) && (closed || contacts.gap(c) < 0))
      look(std::abs(contacts.gap(c)), "contact", system.contact_name(contacts.ids[c]),
           system.gap_is_angle(contacts.ids[c]));
  }
  step.report->warn(
      WarningKind::not_projected,
      fmt::format("t = {:.9g} s: the constraints could not be projected; worst: {}", now.phase.t, who));
}

ContactReport& contact_report(ContactId id, StepReport& report) {
  auto& contacts = report.contacts;
  auto it = std::lower_bound(contacts.begin(), contacts.end(), id,
                             [](const ContactReport& x, ContactId y) { return x.id < y; });
  if (it == contacts.end() || it->id != id) {
    it = contacts.insert(it, ContactReport{});
    it->id = id;
  }
  return *it;
}

Event captured_impact(const Trial& trial, const ContactSet& contacts, std::size_t c, int row,
                      const RowShift& shift, double sigma) {
  const int known = std::min(trial.cones[c].dim, 3);
  Event event{.time = trial.end.phase.t,
              .kind = EventKind::impact,
              .contact = contacts.ids[c],
              .velocity_before = contacts.velocity(c),
              .energy_change = trial.work_solved};
  event.velocity_after.head(known) =
      (trial.solution.u.segment(row, known) - shift.velocity.head(known)) / sigma;
  event.velocity_after[2] /= trial.tangent_ratios[c];
  event.impulse = contact_impulse(trial.cones[c], trial.tangent_ratios[c], trial.solution.r, row);
  return event;
}

}  // namespace delassus
