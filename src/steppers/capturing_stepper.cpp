// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/capturing_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Parts that fast bodies near contacts cut a step into at most.
constexpr double k_max_parts = 64;

void find_inertia(const BlockMatrix& M, Vector& diagonal) {
  diagonal.setZero(M.size());
  for (int b = 0; b < M.num_blocks(); ++b)
    if (M.block_row(b) == M.block_column(b))
      diagonal.segment(M.block_row(b), M.block(b).rows()) += M.block(b).diagonal();
}

// The approach at contact c that the impulses of `change` could bring, were they turned along it: √(n M⁻¹ nᵀ · δᵀ M δ), body by body,
// with the diagonal of M.
double turned_speed(const BlockRows& rows, int c, const Vector& change, const Vector& inertia) {
  double sum = 0;
  for (int b = 0; b < rows.num_blocks(c); ++b) {
    const auto normal = rows.block(c, b).row(0).transpose().array();
    const auto delta = change.segment(rows.block_column(c, b), normal.size()).array();
    const auto mass = inertia.segment(rows.block_column(c, b), normal.size()).array();
    sum += std::sqrt((normal.square() / mass).sum() * (mass * delta.square()).sum());
  }
  return sum;
}

// ϰ of (8): what has sunk is up again after some hundred steps, and a step gains no more than this of what was lost [-].
constexpr double k_slow_lifting = 1e-5;
// What is deeper than this part of the smaller body is lifted at once, whatever it takes [-].
constexpr double k_shallow = 5e-5;
// What nothing has followed and is deeper than this part of the smaller body is lifted in the same step [-].
constexpr double k_found = 1e-4;
// A depth of a contact that does not rebound, as a part of the smaller body, that is left to lifting: to solve the step again
// costs as much as the step [-].
constexpr double k_slight = 5e-3;
// So many contacts are a crowd, in which each pushes others onto the next ones.
constexpr std::size_t k_crowd = 48;

// Neither is a corner, an edge or a rim.
bool is_smooth(const ContactPlace& place) {
  return place.patch_a.dim == 2 && place.patch_b.dim == 2;
}

double grid_step(const CapturingStep& step) {
  return step.request.t_end - step.report->t_begin;
}

// (6)
RowShift stop_at_surface(double gap, double h) {
  RowShift shift{.impact = true};
  shift.slow[0] = std::max(gap, 0.0) / h;
  shift.velocity = shift.slow;
  return shift;
}

}  // namespace

CapturingStepper::CapturingStepper(CapturingFormula formula, StepperOptions options,
                                   std::unique_ptr<Solver> solver)
    : formula_(std::move(formula)),
      options_(options),
      solver_(std::move(solver)),
      kernel_(formula_.step, options_, *solver_),
      gap_projector_(*solver_) {
  if (formula_.smooth) smooth_ = std::make_unique<NonsmoothGeneralizedAlpha>(*formula_.smooth, options_);
}

void CapturingStepper::advance(const System& system, State& state, const StepRequest& request,
                               StepReport& report) {
  gains_.restart();
  take_or_halve(
      report, [&](const Retries& retries) { take_step(system, state, request, retries, report); },
      [&](Retries& retries) {
        return halve_deep_step(state, retries) || halve_gaining_step(state, retries);
      });
  if (judges_blow_ups() && gains_.refuses(step_, kernel_.free_velocity(), true)) return;
  if (retries_step()) gains_.take_out(step_, kernel_.free_velocity(), true);
  finisher_.finish(step_, state);
  if (smooth_ && report.joint_forces.size() == smooth_->contact_joint_forces().size())
    report.joint_forces += smooth_->contact_joint_forces();
}

bool CapturingStepper::retries_step() const {
  if (options_.policy != FailurePolicy::retry || options_.projection != Projection::all || formula_.lift_all)
    return false;
  const ContactSet& contacts = step_.now.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (is_kept_apart(*step_.system, contacts, c)) return true;
  return false;
}

bool CapturingStepper::judges_blow_ups() const {
  return options_.policy == FailurePolicy::retry && options_.projection != Projection::none;
}

bool CapturingStepper::halve_deep_step(const State& state, Retries& retries) {
  if (!retries_step() ||
      !may_halve(step_, state, options_, retries, std::min(deep_halvings(step_), options_.max_halvings)))
    return false;
  const std::string deep = deepened(step_, state, k_halving_depth);
  if (!deep.empty()) halve_step(step_, state, deep, retries);
  return !deep.empty();
}

bool CapturingStepper::halve_gaining_step(const State& state, Retries& retries) {
  const bool judges = retries_step();
  if (!judges && !judges_blow_ups()) return false;
  const double gain = gains_.gained(step_, kernel_.free_velocity(), true);
  if (!judges && !gains_.blows_up()) return false;
  if (!may_halve(step_, state, options_, retries, gains_.halvings_worth(options_.max_halvings))) return false;
  if (gain > 0) halve_step(step_, state, fmt::format("{:.3g} J have come from nowhere", gain), retries);
  return gain > 0;
}

void CapturingStepper::take_step(const System& system, const State& state, const StepRequest& request,
                                 Retries retries, StepReport& report) {
  CapturingStep& step = step_;
  step.begin(system, state, request, report);
  gains_.begin(step);
  // Of another scheme; the velocities may jump from here on.
  if (!smooth_) step.history.acceleration = {};
  // Ends: a failed trial halves the step, at most max_halvings times in all, and fast bodies cut it into a bounded
  // number of parts.
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double part = infinite;
  while (step.goes_on()) {
    const double h = std::min({step.rest(), retries.h_limit, part});
    if (request.reach != nullptr)
      system.extend_reach(step.now.at, step.now.phase.v, step.rest(), *request.reach);
    update_contacts(step, h);
    predict(step, h);
    if (!take_trial(step, h, retries)) continue;
    part = passing_limit(step, h);
    if (part < h || !add_passed_contacts(step, h, part, retries)) continue;
    accept(step);
    // What has cut the step is likely to be near yet: to find it again takes a solve.
    constexpr double growth = 4;
    part = part < step.rest() ? growth * h : infinite;
  }
  step.snap_to_end();
  if (request.reach != nullptr) system.extend_reach(step.now.at, step.now.phase.v, 0.0, *request.reach);
  finisher_.finish_contacts(step, step.now.contacts);
  if (report.ok && lifts() && lift_found(step)) finisher_.finish_contacts(step, step.now.contacts);
}

void CapturingStepper::predict(CapturingStep& step, double h) {
  if (smooth_) predicted_ = smooth_->predict(step, h, step.contacts, step.memory, step.shifts);
}

bool CapturingStepper::drop_mean_slips(CapturingStep& step) const {
  bool any = false;
  for (std::size_t c = 0; c < step.shifts.size(); ++c) {
    if (!smooth_->takes_mean_slip(c) || trial_.solution.modes[c].status == ContactStatus::slip) continue;
    step.shifts[c].velocity.tail<2>().setZero();
    any = true;
  }
  return any;
}

bool CapturingStepper::take_trial(CapturingStep& step, double h, Retries& retries) {
  if (!predicted_) {
    trial_ = {};
    trial_.h = h;
    trial_.failure = smooth_->failure();
    trial_.stats.status = SolveStatus::numerical_failure;
    return judge_trial(step, options_, step.contacts.ids, kernel_, projector_, trial_, retries);
  }
  if (retries.known_limits) step.find_last_joint_forces(joint_forces_);
  const auto solve = [&] {
    kernel_.solve(*step.system, step.now, h, step.contacts, step.now.phase.v, step.memory, trial_,
                  step.shifts, step.last_places,
                  {.joint_forces = retries.known_limits ? &joint_forces_ : nullptr,
                   .prediction = smooth_ ? &smooth_->prediction() : nullptr});
  };
  solve();
  if (smooth_ && trial_.ok && drop_mean_slips(step)) solve();
  return judge_trial(step, options_, step.contacts.ids, kernel_, projector_, trial_, retries);
}

void CapturingStepper::update_contacts(CapturingStep& step, double h) {
  const Phase& phase = step.now.phase;
  Rest rest;
  rest.touching = std::max(touching_gap(options_, h), k_gap_round_off * system_size(*step.system, phase.q));
  rest.speed = k_rest_tolerance * max_abs(phase.v);
  rest.gap = step.rest_gap = k_gap_at_rest * system_size(*step.system, phase.q);
  finisher_.find_contacts(step, h);
  memories_.hand_over(*step.system, step.now, rest.touching, step.history);
  const ContactSet& contacts = step.now.contacts;
  step.followed.assign(contacts.ids.begin(), contacts.ids.end());
  step.entering.clear();
  step.last_places.clear();
  step.memory.clear();
  step.shifts.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactMemory* memory = find_memory(step.history, contacts.ids[c]);
    RowShift shift;
    if (!contacts.valid(c) ||
        !enters(*step.system, contacts, c, h, rest, memory != nullptr && memory->closed, shift))
      continue;
    shift.parts = grid_step(step) / h;
    step.entering.push_back(c);
    step.memory.push_back(memory);
    step.shifts.push_back(shift);
  }
  add_near_contacts(step, h);
  step.contacts.select(contacts, step.entering);
  follow_surfaces(step, h);
}

void CapturingStepper::add_near_contacts(CapturingStep& step, double h) {
  const ContactSet& contacts = step.now.contacts;
  if (!lifts() || formula_.gaps_in_rows || step.entering.size() < k_crowd) return;
  // More contacts than bodies can feel apart make the problem of the step harder than a second one is.
  constexpr Eigen::Index rows = 3;
  if (rows * static_cast<Eigen::Index>(step.entering.size()) > step.now.phase.v.size()) return;
  double sum = 0;
  for (std::size_t c : step.entering) sum += std::pow(std::min(contacts.normal_velocity(c), 0.0), 2);
  const double near = h * std::sqrt(sum / static_cast<double>(step.entering.size()));
  some_.clear();
  for (std::size_t c = 0, next = 0; c < contacts.size(); ++c) {
    if (next < step.entering.size() && step.entering[next] == c)
      ++next;
    else if (contacts.valid(c) && contacts.gap(c) >= 0 && contacts.gap(c) <= near &&
             contacts.surface(c).restitution == 0 && is_kept_apart(*step.system, contacts, c))
      some_.push_back(c);
  }
  step.last_places.resize(step.entering.size());
  for (std::size_t c : some_) enter(step, c, stop_at_surface(contacts.gap(c), h));
  step.last_places.clear();
}

void CapturingStepper::update_mean_velocity(const CapturingStep& step) {
  const double weight = formula_.step.gamma;
  mean_ = weight * trial_.end.phase.v + (1 - weight) * step.now.phase.v;
}

double CapturingStepper::passing_limit(const CapturingStep& step, double h) {
  const ContactSet& contacts = step.now.contacts;
  const double shortest = grid_step(step) / k_max_parts;
  some_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactMemory* memory = find_memory(step.history, contacts.ids[c]);
    if (memory == nullptr || !memory->closed) some_.push_back(c);
  }
  if (some_.empty()) return h;
  update_mean_velocity(step);
  const double limit = step.system->contact_step_limit(contacts, some_, step.now.at, mean_, h);
  if (!(limit < h)) return h;
  if (h <= shortest) {
    warn_too_fast(step);
    return h;
  }
  // By a good part at least: a shorter step may be found too long in its turn.
  constexpr double largest_part = 0.7;
  return std::max(std::min(limit, largest_part * h), shortest);
}

bool CapturingStepper::add_passed_contacts(CapturingStep& step, double h, double& part, Retries& retries) {
  const System& system = *step.system;
  const ContactSet& begin = step.now.contacts;
  // Each round adds a contact: what one of them pushes may meet the next one.
  constexpr int max_rounds = 8;
  for (int round = 0; round < max_rounds; ++round) {
    search_along_trial(step, h);
    system.evaluate_contacts(step.followed, trial_.end.at, trial_.end.contacts);
    trial_.end.contacts.update_velocities(trial_.end.phase.v);
    find_passed(step, h);
    if (some_.empty()) return true;
    step.last_places.resize(step.entering.size());
    std::iota(step.last_places.begin(), step.last_places.end(), 0);
    motion_.update(system, step.now.phase, trial_.end.phase);
    bool added = false;
    change_ = kernel_.free_velocity() - step.now.phase.v;
    if (round == 0) find_inertia(system.mass_at(step.now.at, M_), inertia_);
    for (std::size_t c : some_) added = add_if_passed(step, c, h, part) || added;
    if (part < h) return false;
    if (!added) return true;
    step.contacts.select(begin, step.entering);
    follow_surfaces(step, h);
    if (smooth_) smooth_->place_contacts(step, step.contacts, step.memory, step.shifts);
    if (!take_trial(step, h, retries)) return false;
  }
  system.evaluate_contacts(step.followed, trial_.end.at, trial_.end.contacts);
  return true;
}

void CapturingStepper::find_passed(const CapturingStep& step, double h) {
  const ContactSet& begin = step.now.contacts;
  const ContactSet& end = trial_.end.contacts;
  const double by_forces = std::max(step.rest_gap, h * force_speed(step));
  some_.clear();
  std::size_t next = 0;
  for (std::size_t c = 0; c < begin.size(); ++c) {
    if (next < step.entering.size() && step.entering[next] == c) {
      ++next;
      continue;
    }
    if (!end.valid(c) || !(end.gap(c) < -by_forces) || !is_kept_apart(*step.system, begin, c)) continue;
    // To lift what rebounds would add energy.
    const double slight = begin.surface(c).restitution > 0 ? 0.0 : k_slight;
    const double allowed = std::max(by_forces, slight * step.system->contact_size(begin.ids[c]));
    if (end.gap(c) < -allowed && begin.gap(c) > -allowed) some_.push_back(c);
  }
}

void CapturingStepper::enter(CapturingStep& step, std::size_t c, const RowShift& shift) {
  const auto at = std::lower_bound(step.entering.begin(), step.entering.end(), c) - step.entering.begin();
  step.entering.insert(step.entering.begin() + at, c);
  step.memory.insert(step.memory.begin() + at, find_memory(step.history, step.now.contacts.ids[c]));
  step.shifts.insert(step.shifts.begin() + at, shift);
  step.last_places.insert(step.last_places.begin() + at, -1);
}

void CapturingStepper::search_along_trial(CapturingStep& step, double h) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  some_.clear();
  for (std::size_t a = 0, row = 0; a < step.entering.size(); ++a) {
    if (step.shifts[a].impact && trial_.solution.r[static_cast<Eigen::Index>(row)] > 0)
      some_.push_back(step.entering[a]);
    row += static_cast<std::size_t>(trial_.cones[a].dim);
  }
  if (some_.empty()) return;
  // A change of the velocity by which bodies move by less than this part of (5) brings nothing new near.
  constexpr double least_part = 0.25;
  update_mean_velocity(step);
  change_ = (mean_ - now.phase.v) / least_part;
  if (!(system.contact_step_limit(now.contacts, some_, now.at, change_, h) < h)) return;
  system.find_contacts(now.at, mean_, h, &now.contacts, found_);
  some_.clear();
  for (std::size_t c = 0; c < found_.size(); ++c)
    if (now.contacts.find(found_.ids[c]) == now.contacts.size()) some_.push_back(c);
  if (some_.empty()) return;
  new_contacts_.select(found_, some_);
  merged_.merge(now.contacts, new_contacts_);
  merged_.update_velocities(now.phase.v);
  std::swap(now.contacts, merged_);
  step.followed.assign(now.contacts.ids.begin(), now.contacts.ids.end());
  for (std::size_t a = 0; a < step.entering.size(); ++a)
    step.entering[a] = now.contacts.find(step.contacts.ids[a]);
}

double CapturingStepper::force_speed(const CapturingStep& step) const {
  const Vector& u_free = kernel_.local().u_free;
  double sum = 0;
  for (std::size_t a = 0, row = 0; a < step.contacts.size(); ++a) {
    sum += std::abs(u_free[static_cast<Eigen::Index>(row)] - step.shifts[a].velocity[0] -
                    step.contacts.normal_velocity(a));
    row += static_cast<std::size_t>(trial_.cones[a].dim);
  }
  return step.contacts.empty() ? 0.0 : sum / static_cast<double>(step.contacts.size());
}

bool CapturingStepper::add_if_passed(CapturingStep& step, std::size_t c, double h, double& part) {
  const ContactSet& begin = step.now.contacts;
  // Where it meets the surface, by the secant: beside it there is nothing to meet.
  const double gap = std::max(begin.gap(c), 0.0), s = gap / (gap - trial_.end.contacts.gap(c));
  if (!begin.valid(c) && !(motion_.gap(*step.system, begin, c, s).margin >= 0)) return false;
  const double u_N = begin.normal_velocity(c), e = begin.surface(c).restitution;
  // A later step takes it, by (1).
  if (begin.valid(c) && gap + h * u_N <= 0 && !lifts() && !formula_.gaps_in_rows) return false;
  // Pushed by an impact of this step, and it rebounds: how fast it comes a part of the step tells that ends before it (7), unless
  // it is so slow that forces make an approach as fast, in whatever direction: other contacts turn them, as those of a pile
  // turn its weight against the walls.
  const double shortest = grid_step(step) / k_max_parts;
  const bool is_pushed = !(-u_N * h > gap);
  const bool rebounds =
      is_pushed && e > 0 &&
      -trial_.end.contacts.normal_velocity(c) * h >
          turned_speed(begin.rows.rows, static_cast<int>(c), change_, inertia_) * grid_step(step);
  // In the shortest part it is stopped, but left to the next one where its features are not lost below the surface.
  if (rebounds && h > shortest) part = std::min(part, std::max(s * h, shortest));
  if (rebounds && (h > shortest || is_smooth(begin.places[c]))) return false;
  RowShift shift = stop_at_surface(gap, h);
  if (!is_pushed && -u_N > options_.impact.threshold && e > 0) {
    shift.rebounds = true;
    shift.velocity = {e * u_N, 0, 0};  // (2)
    shift.parts = grid_step(step) / h;
  }
  enter(step, c, shift);
  return true;
}

void CapturingStepper::warn_too_fast(const CapturingStep& step) {
  const std::size_t c = *std::min_element(some_.begin(), some_.end(), [&](std::size_t a, std::size_t b) {
    return step.now.contacts.velocity(a).norm() > step.now.contacts.velocity(b).norm();
  });
  step.report->warn(WarningKind::penetration,
                    fmt::format("t = {:.9g} s: bodies at contact '{}' move by more than their size in the "
                                "shortest part of a step; they "
                                "may pass each other; take a smaller step",
                                step.now.phase.t, step.system->contact_name(step.now.contacts.ids[c])));
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

bool CapturingStepper::enters(const System& system, const ContactSet& contacts, std::size_t c, double h,
                              const Rest& rest, bool closed, RowShift& shift) const {
  const double gap = contacts.gap(c), u_N = contacts.normal_velocity(c);
  const double e = contacts.surface(c).restitution;
  const bool approaches = !closed && -u_N > rest.speed;
  // Shapes and stops are kept apart, (1) with γ = 1; other contacts enter as the setting says.
  const bool early = formula_.gaps_in_rows || (lifts() && is_kept_apart(system, contacts, c));
  const bool touches = gap + (early ? 1.0 : formula_.prediction) * h * u_N <= rest.touching;
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
    // Whether it gets as far as to touch, the forces of the step have a say in, too (StepKernel::drop_slow_rebounds).
    shift.impact = shift.impact || (approaches && formula_.gaps_in_rows);
    shift.velocity = e_T * contacts.velocity(c);  // (2)
    shift.velocity[2] *= contacts.surface(c).tangent_ratio;
    shift.velocity[0] = e * u_N;
    return touches || formula_.gaps_in_rows;
  }
  return closed || touches || formula_.gaps_in_rows;
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
  if (smooth_) smooth_->remember(step, trial_.h, trial_.solution.lambda);
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
    if (step.shifts[c].impact && trial_.solution.r[row] > 0) {
      Event event = captured_impact(trial_, step.contacts, c, row, step.shifts[c], 1.0);
      step.report->events.push_back(event);
      if (step.shifts[c].share < 1) {
        event.kind = EventKind::reduced;
        step.report->events.push_back(event);
      }
    }
    row += trial_.cones[c].dim;
  }
}

void CapturingStepper::find_floors(const CapturingStep& step) {
  if (formula_.lift_all) {
    floors_.setZero(step.now.contacts.gaps.size());
    return;
  }
  find_free_floors(*step.system, step.now.contacts, false, floors_);
  // The contacts at the beginning are in the trial's place now. What was below its surface there, but did not enter, is behind
  // others, inside of a body.
  const ContactSet& begin = trial_.end.contacts;
  for (std::size_t c = 0; c < begin.size(); ++c)
    if (begin.gap(c) < -k_shallow * step.system->contact_size(begin.ids[c]))
      floors_[static_cast<Eigen::Index>(c)] = std::min(step.now.contacts.gap(c), 0.0);
  int row = 0;
  for (std::size_t a = 0; a < step.entering.size(); ++a) {
    double& floor = floors_[static_cast<Eigen::Index>(step.entering[a])];
    const bool pushed = trial_.solution.r[row] > 0;
    if (step.history.contacts[a].closed)
      floor = 0;
    else if (pushed || step.contacts.surface(a).restitution > 0)
      floor = std::min(step.now.contacts.gap(step.entering[a]), 0.0);
    if (pushed && !step.history.contacts[a].closed)
      floor = std::max(floor, std::min(step.contacts.gap(a), 0.0));
    row += trial_.cones[a].dim;
  }
}

bool CapturingStepper::lift_found(CapturingStep& step) {
  const Certificate& certificate = step.report->certificate;
  if (certificate.relative_depth <= k_found ||
      certificate.penetration <= std::max(step.rest_gap, 2 * trial_.h * force_speed(step)))
    return false;
  return gap_projector_.lift_found(step, false, std::numeric_limits<double>::infinity(), finisher_.found());
}

void CapturingStepper::project(CapturingStep& step) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  if (options_.projection == Projection::none && !lifts() && !smooth_) return;
  book_projection(step, projector_, M_, now.contacts, [&] {
    bool done = true;
    if (lifts()) done = lift(step);
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
  now.contacts.update_velocities(now.phase.v);
  find_floors(step);
  lifted_from_ = now.phase.q;
  double deepest = 0;  // relative to the size of the bodies
  for (std::size_t c = 0; c < now.contacts.size(); ++c) {
    const double depth = floors_[static_cast<Eigen::Index>(c)] - now.contacts.gap(c);
    if (!now.contacts.valid(c) || depth <= 0) continue;
    deepest = std::max(deepest, depth / system.contact_size(now.contacts.ids[c]));
    if (std::find(step.entering.begin(), step.entering.end(), c) != step.entering.end()) continue;
    double& missed =
        system.gap_is_angle(now.contacts.ids[c]) ? step.report->missed.angle : step.report->missed.length;
    missed = std::max(missed, depth - std::max(-trial_.end.contacts.gap(c), 0.0));
  }
  const double before = energies(system, now, M_).total();
  const bool done = gap_projector_.project(system, floors_, now);
  step.report->certificate.count_solves(gap_projector_.solves());
  step.report->certificate.iterations += gap_projector_.iterations();
  if (gap_projector_.solves() > 0) bound_lifting(step, energies(system, now, M_).total() - before, deepest);
  return done;
}

// (8)
void CapturingStepper::bound_lifting(CapturingStep& step, double gain, double deepest) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  const EnergyLedger& ledger = step.history.energy;
  const double lost =
      -(trial_.work_normal + trial_.work_friction + trial_.work_impacts + trial_.work_beside_impacts);
  const double owed = -(ledger.normal + ledger.friction + ledger.impacts + ledger.projection);
  const double allowed = std::max(lost, 0.0) + k_slow_lifting * std::max(owed, 0.0);
  // Surfaces that move do work of their own.
  if (gain <= allowed || system.has_moving_surfaces()) return;
  system.difference(now.phase.q, lifted_from_, displacement_);
  if (formula_.lift_all) {
    momentum_.setZero(displacement_.size());
    system.mass_at(now.at, M_).add_product(displacement_, momentum_);
    const double along = momentum_.dot(now.phase.v), mass = momentum_.dot(displacement_);
    if (along <= 0) return;
    const double left = std::max(0.0, along * along - 2 * (gain - allowed) * mass);
    now.phase.v -= (along - std::sqrt(left)) / mass * displacement_;
    return;
  }
  const double share = std::max(allowed / gain, 1 - k_shallow / deepest);
  if (share <= 0) return gap_projector_.take_back(now);
  displacement_ *= share;
  system.retract(lifted_from_, VectorRef(displacement_), now.phase.q);
  now.place(system);
  system.evaluate_contacts(step.followed, now.at, now.contacts);
}

}  // namespace delassus
