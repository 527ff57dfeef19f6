// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/capturing_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// Gaps below this are round-off for systems of metre size [m].
constexpr double k_gap_round_off = 1e-13;
// A closed contact that has drifted apart by less, as a fraction of the size of the system, stays as it is: one corner of
// four that closes on its own account makes a problem in which two carry all, and no sweeps solve that.
constexpr double k_gap_at_rest = 1e-10;
// An approach below this fraction of the largest velocity is the round-off of a contact at rest.
constexpr double k_rest_tolerance = 1e-12;

double largest(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

CapturingStepper::CapturingStepper(CapturingFormula formula, StepperOptions options,
                                   std::unique_ptr<Solver> solver)
    : formula_(std::move(formula)),
      options_(options),
      solver_(std::move(solver)),
      kernel_(formula_.step, options_, *solver_),
      gap_projector_(*solver_) {
  kernel_.set_known(at_candidates_);
}

void CapturingStepper::advance(const System& system, State& state, const StepRequest& request,
                               StepReport& report) {
  report.clear();
  report.t_begin = state.t;
  report_ = &report;
  history_ = state.history;
  phase_.t = state.t;
  phase_.q = state.q;
  phase_.v = state.v;
  // Of another scheme; the velocities may jump from here on.
  history_.acceleration = {};
  if (!history_.energy.started) finisher_.start_ledger(system, phase_, history_.energy);
  candidates_.clear();

  // Ends: a failed trial halves the step, at most max_halvings times in all.
  Retries retries{.h_limit = std::numeric_limits<double>::infinity()};
  while (report.ok && !reached(phase_.t, request.t_end)) {
    const double h = std::min(request.t_end - phase_.t, retries.h_limit);
    update_contacts(system, h);
    kernel_.solve(system, phase_, h, active_, phase_.v, active_memory_, trial_, shifts_);
    if (judge_trial(system, options_, phase_.t, active_, kernel_, projector_, trial_, retries, report))
      accept(system);
  }
  if (report.ok) phase_.t = request.t_end;
  finisher_.finish_contacts(system, phase_, candidates_, history_, report, &at_end_);
  finisher_.finish(system, phase_, history_, report, state);
}

void CapturingStepper::update_contacts(const System& system, double h) {
  const double touching = std::max(
      {options_.epsilon_a, options_.epsilon_b * h * h * h, k_gap_round_off * (1.0 + largest(phase_.q))});
  system.candidates(phase_.t, phase_.q, phase_.v, h, candidates_);
  memories_.hand_over(system, phase_, candidates_, touching, history_);
  at_candidates_.update(system, phase_, candidates_, finisher_.at_reported());
  fastest_ = largest(at_candidates_.u);
  at_rest_ = k_rest_tolerance * largest(phase_.v);
  gap_at_rest_ = k_gap_at_rest * (1.0 + largest(phase_.q));
  active_.clear();
  active_memory_.clear();
  shifts_.clear();
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const ContactMemory* memory = find_memory(history_, candidates_[c]);
    RowShift shift;
    if (!at_candidates_.valid(c) || !enters(c, h, touching, memory != nullptr && memory->closed, shift))
      continue;
    active_.push_back(candidates_[c]);
    active_memory_.push_back(memory);
    shifts_.push_back(shift);
  }
  follow_surfaces(system, h);
}

// u⁺ is relative to surfaces as they move at the end of the step.
void CapturingStepper::follow_surfaces(const System& system, double h) {
  if (!system.has_moving_surfaces() && largest(at_candidates_.rows.drift_velocity) == 0) return;
  rest_.setZero(phase_.v.size());
  system.contact_bias(active_, phase_.t, phase_.q, rest_, bias_);
  for (std::size_t a = 0, c = 0, row = 0; a < active_.size(); ++a) {
    while (candidates_[c] != active_[a]) ++c;
    const int rows = at_candidates_.num_rows(c), known = std::min(rows, 3);
    shifts_[a].drift.head(known) = h * bias_.segment(static_cast<Eigen::Index>(row), known);
    row += static_cast<std::size_t>(rows);
  }
}

bool CapturingStepper::enters(std::size_t c, double h, double touching, bool closed, RowShift& shift) const {
  const double gap = at_candidates_.gap(c), u_N = at_candidates_.normal_velocity(c);
  const double e = at_candidates_.rows.surfaces[c].restitution;
  const bool approaches = !closed && -u_N > at_rest_;
  const double prediction = formula_.gaps_in_rows ? 1.0 : formula_.prediction;
  const bool touches = gap + prediction * h * u_N <= touching;
  shift.impact = approaches && touches;
  if (formula_.gaps_in_rows)
    shift.slow[0] = std::max(gap / h, -options_.recovery_speed);  // (4)
  else if (closed && gap > gap_at_rest_)
    shift.slow[0] = gap / h;  // (3)
  shift.velocity = shift.slow;
  const double e_T = options_.impact.tangential_restitution;
  if (approaches && -u_N > options_.impact.threshold && (e > 0 || e_T > 0)) {
    shift.rebounds = true;
    shift.velocity = e_T * at_candidates_.velocity(c);  // (2)
    shift.velocity[2] *= at_candidates_.rows.surfaces[c].tangent_ratio;
    shift.velocity[0] = e * u_N;
    return touches;
  }
  const double reach = formula_.gaps_in_rows ? h * (fastest_ + options_.recovery_speed) : 0.0;
  return closed || touches || gap <= reach;
}

void CapturingStepper::accept(const System& system) {
  book_trial(system, phase_, trial_.end, trial_, active_, 1.0, held_friction_, history_.energy, *report_);
  drop_slow_impacts();
  report_impacts();
  memories_.remember(trial_, active_, history_);
  for (std::size_t c = 0; c < active_.size(); ++c) {
    ContactMemory& memory = history_.contacts[c];
    // The impulse of an impact says nothing about the next step.
    if (shifts_[c].impact) std::fill(std::begin(memory.force), std::end(memory.force), 0.0);
    // What rebounds is not held any more.
    if (shifts_[c].rebounds && shifts_[c].velocity[0] < 0) {
      memory.status = ContactStatus::open;
      memory.closed = false;
    }
  }
  history_.weighted_velocity = trial_.y;
  phase_ = trial_.end;
  project(system);
}

// An approach that is round-off beside what the forces of the step do to the velocities is none: the contact rests.
void CapturingStepper::drop_slow_impacts() {
  const double slow = k_rest_tolerance * largest(kernel_.local().u_free);
  for (std::size_t a = 0, c = 0; a < active_.size(); ++a) {
    while (candidates_[c] != active_[a]) ++c;
    if (-at_candidates_.normal_velocity(c) <= slow) shifts_[a].impact = false;
  }
}

void CapturingStepper::report_impacts() {
  int row = 0;
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const int dim = trial_.cones[c].dim, known = std::min(dim, 3);
    if (shifts_[c].impact && trial_.solution.r[row] > 0) {
      const auto at =
          std::lower_bound(candidates_.begin(), candidates_.end(), active_[c]) - candidates_.begin();
      Event event{.time = trial_.end.t,
                  .kind = EventKind::impact,
                  .contact = active_[c],
                  .velocity_before = at_candidates_.velocity(static_cast<std::size_t>(at)),
                  .energy_change = trial_.work_impacts};
      event.velocity_after.head(known) =
          trial_.solution.u.segment(row, known) - shifts_[c].velocity.head(known);
      event.velocity_after[2] /= trial_.tangent_ratios[c];
      event.impulse = contact_impulse(trial_.cones[c], trial_.tangent_ratios[c], trial_.solution.r, row);
      report_->events.push_back(event);
    }
    row += dim;
  }
}

void CapturingStepper::project(const System& system) {
  const bool all = options_.projection == Projection::all || formula_.lift_rebounding;
  if (options_.projection == Projection::none && !all) return;
  book_projection(system, phase_, projector_, M_, history_.energy, *report_, [&] {
    bool done = true;
    if (all) {
      lift_.assign(candidates_.size(), 0);
      int row = 0;
      for (std::size_t c = 0, a = 0; c < candidates_.size() && a < active_.size(); ++c) {
        if (candidates_[c] != active_[a]) continue;
        lift_[c] = history_.contacts[a].closed || (formula_.lift_rebounding && trial_.solution.r[row] > 0);
        row += trial_.cones[a++].dim;
      }
      at_end_.update(system, phase_, candidates_);
      done = gap_projector_.project(system, candidates_, lift_, at_end_.gaps, at_end_.margins, phase_);
      report_->certificate.solves += gap_projector_.solves();
      report_->certificate.iterations += gap_projector_.iterations();
    }
    return projector_.project_position(system, {}, phase_) &&
           projector_.project_velocity(system, {}, {}, true, phase_, held_friction_) && done;
  });
}

}  // namespace delassus
