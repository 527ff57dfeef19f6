// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/capturing_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// ϰ of (5): what has sunk is up again after some hundred steps, and a step gains no more than this of what was lost [-].
constexpr double k_slow_lifting = 1e-5;

}  // namespace

CapturingStepper::CapturingStepper(CapturingFormula formula, StepperOptions options,
                                   std::unique_ptr<Solver> solver)
    : formula_(std::move(formula)),
      options_(options),
      solver_(std::move(solver)),
      kernel_(formula_.step, options_, *solver_),
      gap_projector_(*solver_) {}

void CapturingStepper::advance(const System& system, State& state, const StepRequest& request,
                               StepReport& report) {
  CapturingStep& step = step_;
  step.begin(system, state, request, report);
  // Of another scheme; the velocities may jump from here on.
  step.history.acceleration = {};
  // Ends: a failed trial halves the step, at most max_halvings times in all.
  Retries retries{.h_limit = std::numeric_limits<double>::infinity()};
  while (step.goes_on()) {
    const double h = std::min(step.rest(), retries.h_limit);
    update_contacts(step, h);
    kernel_.solve(system, step.now, h, step.contacts, step.now.phase.v, step.memory, trial_, step.shifts);
    if (judge_trial(step, options_, step.contacts.ids, kernel_, projector_, trial_, retries)) accept(step);
  }
  step.snap_to_end();
  finisher_.finish_contacts(step, step.now.contacts);
  finisher_.finish(step, state);
}

void CapturingStepper::update_contacts(CapturingStep& step, double h) {
  const Phase& phase = step.now.phase;
  Rest rest;
  rest.touching = std::max(touching_gap(options_, h), k_gap_round_off * system_size(*step.system, phase.q));
  rest.speed = k_rest_tolerance * max_abs(phase.v);
  rest.gap = k_gap_at_rest * system_size(*step.system, phase.q);
  finisher_.find_contacts(step, h);
  memories_.hand_over(*step.system, step.now, rest.touching, step.history);
  const ContactSet& contacts = step.now.contacts;
  rest.fastest = max_abs(contacts.u);
  step.followed.assign(contacts.ids.begin(), contacts.ids.end());
  step.entering.clear();
  step.memory.clear();
  step.shifts.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactMemory* memory = find_memory(step.history, contacts.ids[c]);
    RowShift shift;
    if (!contacts.valid(c) || !enters(contacts, c, h, rest, memory != nullptr && memory->closed, shift))
      continue;
    step.entering.push_back(c);
    step.memory.push_back(memory);
    step.shifts.push_back(shift);
  }
  step.contacts.select(contacts, step.entering);
  follow_surfaces(step, h);
}

// u⁺ is relative to surfaces as they move at the end of the step.
void CapturingStepper::follow_surfaces(CapturingStep& step, double h) {
  const System& system = *step.system;
  if (!system.has_moving_surfaces() && max_abs(step.now.contacts.rows.drift_velocity) == 0) return;
  zero_.setZero(step.now.phase.v.size());
  system.contact_bias(step.contacts, step.now.at, zero_, bias_);
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const int known = std::min(step.contacts.num_rows(c), 3);
    step.shifts[c].drift.head(known) = h * bias_.segment(step.contacts.first_row(c), known);
  }
}

bool CapturingStepper::enters(const ContactSet& contacts, std::size_t c, double h, const Rest& rest,
                              bool closed, RowShift& shift) const {
  const double gap = contacts.gap(c), u_N = contacts.normal_velocity(c);
  const double e = contacts.surface(c).restitution;
  const bool approaches = !closed && -u_N > rest.speed;
  const double prediction = formula_.gaps_in_rows ? 1.0 : formula_.prediction;
  const bool touches = gap + prediction * h * u_N <= rest.touching;
  shift.impact = approaches && touches;
  if (formula_.gaps_in_rows)
    shift.slow[0] = std::max(gap / h, -options_.recovery_speed);  // (4)
  else if (closed && gap > rest.gap)
    shift.slow[0] = gap / h;  // (3)
  shift.velocity = shift.slow;
  const double e_T = options_.impact.tangential_restitution;
  // What separates counts as well: with the velocity that it has left Newton's law of all contacts gains no energy.
  const bool separates = !closed && !formula_.gaps_in_rows && u_N > rest.speed;
  if ((approaches || separates) && std::abs(u_N) > options_.impact.threshold && (e > 0 || e_T > 0)) {
    shift.rebounds = true;
    shift.velocity = e_T * contacts.velocity(c);  // (2)
    shift.velocity[2] *= contacts.surface(c).tangent_ratio;
    shift.velocity[0] = e * u_N;
    return touches;
  }
  const double reach = formula_.gaps_in_rows ? h * (rest.fastest + options_.recovery_speed) : 0.0;
  return closed || touches || gap <= reach;
}

void CapturingStepper::accept(CapturingStep& step) {
  book_trial(step, trial_.end, trial_, step.contacts.ids, 1.0);
  drop_slow_impacts(step);
  report_impacts(step);
  memories_.remember(trial_, step.contacts.ids, step.history);
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    ContactMemory& memory = step.history.contacts[c];
    // The impulse of an impact says nothing about the next step.
    if (step.shifts[c].impact) std::fill(std::begin(memory.force), std::end(memory.force), 0.0);
    // What rebounds is not held any more.
    if (step.shifts[c].rebounds && step.shifts[c].velocity[0] != 0) {
      memory.status = ContactStatus::open;
      memory.closed = false;
    }
  }
  step.history.weighted_velocity = trial_.y;
  std::swap(step.now, trial_.end);
  project(step);
}

// An approach that is round-off beside what the forces of the step do to the velocities is none: the contact rests.
void CapturingStepper::drop_slow_impacts(CapturingStep& step) const {
  const double slow = k_rest_tolerance * max_abs(kernel_.local().u_free);
  for (std::size_t c = 0; c < step.contacts.size(); ++c)
    if (-step.contacts.normal_velocity(c) <= slow) step.shifts[c].impact = false;
}

void CapturingStepper::report_impacts(const CapturingStep& step) const {
  int row = 0;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const int dim = trial_.cones[c].dim, known = std::min(dim, 3);
    if (step.shifts[c].impact && trial_.solution.r[row] > 0) {
      Event event{.time = trial_.end.phase.t,
                  .kind = EventKind::impact,
                  .contact = step.contacts.ids[c],
                  .velocity_before = step.contacts.velocity(c),
                  .energy_change = trial_.work_impacts};
      event.velocity_after.head(known) =
          trial_.solution.u.segment(row, known) - step.shifts[c].velocity.head(known);
      event.velocity_after[2] /= trial_.tangent_ratios[c];
      event.impulse = contact_impulse(trial_.cones[c], trial_.tangent_ratios[c], trial_.solution.r, row);
      step.report->events.push_back(event);
      if (step.shifts[c].share < 1) {
        event.kind = EventKind::reduced;
        step.report->events.push_back(event);
      }
    }
    row += dim;
  }
}

void CapturingStepper::project(CapturingStep& step) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  const bool all = options_.projection == Projection::all || formula_.lift_rebounding;
  if (options_.projection == Projection::none && !all) return;
  book_projection(step, projector_, M_, [&] {
    bool done = true;
    if (all) done = lift(step);
    system.evaluate_contacts({}, now.at, none_);
    return projector_.project_position(system, none_, now) &&
           projector_.project_velocity(system, none_, {}, true, now, step.history.held_frictions, {},
                                       kernel_.step_speed()) &&
           done;
  });
}

bool CapturingStepper::lift(CapturingStep& step) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  lift_.assign(step.followed.size(), 0);
  int row = 0;
  for (std::size_t a = 0; a < step.entering.size(); ++a) {
    lift_[step.entering[a]] =
        step.history.contacts[a].closed || (formula_.lift_rebounding && trial_.solution.r[row] > 0);
    row += trial_.cones[a].dim;
  }
  system.evaluate_contacts(step.followed, now.at, now.contacts);
  lifted_from_ = now.phase.q;
  const double before = total_energy(system, now);
  const bool done = gap_projector_.project(system, lift_, now);
  step.report->certificate.solves += gap_projector_.solves();
  step.report->certificate.iterations += gap_projector_.iterations();
  if (gap_projector_.solves() > 0) bound_lifting(step, total_energy(system, now) - before);
  return done;
}

// (5)
void CapturingStepper::bound_lifting(CapturingStep& step, double gain) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  const EnergyLedger& ledger = step.history.energy;
  const double lost = -(trial_.work_normal + trial_.work_friction + trial_.work_impacts);
  const double owed = -(ledger.normal + ledger.friction + ledger.impacts + ledger.projection);
  const double allowed = std::max(lost, 0.0) + k_slow_lifting * std::max(owed, 0.0);
  if (gain <= allowed) return;
  system.difference(now.phase.q, lifted_from_, displacement_);
  if (formula_.lift_rebounding) {
    momentum_.setZero(displacement_.size());
    system.mass_at(now.at, M_).add_product(displacement_, momentum_);
    const double along = momentum_.dot(now.phase.v), mass = momentum_.dot(displacement_);
    if (along <= 0) return;
    const double left = std::max(0.0, along * along - 2 * (gain - allowed) * mass);
    now.phase.v -= (along - std::sqrt(left)) / mass * displacement_;
    return;
  }
  displacement_ *= allowed / gain;
  system.retract(lifted_from_, VectorRef(displacement_), now.phase.q);
  now.place(system);
  system.evaluate_contacts(step.followed, now.at, now.contacts);
}

}  // namespace delassus
