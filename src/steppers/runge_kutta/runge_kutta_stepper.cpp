// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/runge_kutta/runge_kutta_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "delassus/base/stop_request.hpp"
#include "delassus/steppers/tolerances.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {
namespace {

// Parts of a step beside its events.
constexpr long k_max_parts = 1024;
// A part of a step that is shorter than this does not count as progress [-].
constexpr double k_moves = 1e-9;

// What is left of a slip is approached in halves; the share of (2) [-].
constexpr double k_slip_parts = 2, k_straight = 1e-11, k_beyond = 3;

// Forces beyond what their modes allow that are more than round-off, as a part of the largest one [-].
constexpr double k_contradicts = 1e-3;
// Explicit methods resolve what turns slips by less than this in a step [-].
constexpr double k_stiff = 0.5;
// Slips that turn by less are straight but for round-off [rad].
constexpr double k_turns = 1e-9;

// Accelerations below this part of those without contact forces are what solvers leave [-].
constexpr double k_same_acceleration = 1e-6;

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a[0] * b[1] - a[1] * b[0];
}

bool contains(const std::vector<ContactId>& ids, ContactId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

RungeKuttaStepper::RungeKuttaStepper(RungeKuttaSettings settings, const StepperOptions& options,
                                     std::unique_ptr<Solver> solver, std::unique_ptr<Stepper> captured)
    : settings_(std::move(settings)),
      options_(options),
      tableau_(find_tableau(settings_.method)),
      solver_(std::move(solver)),
      captured_(std::move(captured)),
      formula_(trapezoidal_2_formula()),
      kernel_(formula_, options_, *solver_),
      impacts_(options_, *solver_),
      smooth_(tableau_),
      stiff_(find_tableau("radau-5")) {}

void RungeKuttaStepper::advance(const System& system, State& state, const StepRequest& request,
                                StepReport& report) {
  MotionInProgress& step = step_;
  step.begin(system, state, request, report);
  motion_.set_interval(request.t_end - state.t);
  step.history.acceleration = {};
  step.hit.clear();
  step.released.clear();
  step.h_limit = std::numeric_limits<double>::infinity();
  step.halvings = step.num_events = step.idle = 0;
  step.last_event = -std::numeric_limits<double>::infinity();
  const std::string refused = check(step);
  if (!refused.empty()) step.fail(refused);
  const long max_rounds =
      2 * k_max_parts + 4L * options_.max_events + (1L << std::min(options_.max_halvings, 20));
  for (long rounds = 0; step.goes_on(); ++rounds) {
    throw_if_stop_requested();
    if (rounds == max_rounds)
      step.fail("the step makes no progress");
    else
      take_part(step);
  }
  if (report.stopped_at_event) return;
  step.snap_to_end();
  if (request.reach != nullptr) system.extend_reach(step.now.at, step.now.phase.v, 0.0, *request.reach);
  step.history.weighted_velocity = step.now.phase.v;
  step.history.held_frictions.clear();
  finisher_.finish_contacts(step, step.now.contacts);
  finisher_.finish(step, state);
}

std::string RungeKuttaStepper::check(MotionInProgress& step) {
  if (settings_.joints_only) return finisher_.check_joints_only(step, settings_.name);
  step.system->friction_rows(step.now.at, friction_);
  if (friction_.constant.empty()) return {};
  return fmt::format(
      "the stepper '{}' takes no dry friction in joints; take one that does, e.g. 'trapezoidal-2'",
      settings_.name);
}

void RungeKuttaStepper::take_part(MotionInProgress& step) {
  const System& system = *step.system;
  double h = std::min(step.rest(), step.h_limit);
  if (step.request.reach != nullptr)
    system.extend_reach(step.now.at, step.now.phase.v, step.rest(), *step.request.reach);
  sort_contacts(step, h);
  h = contact_step(step, h);
  if (!due_.empty()) return stops_at_event(step) ? void() : resolve_impact(step, h, due_, false);
  if (!step.history.modes_known && !establish_modes(step, h)) {
    refuse(step, h, "the contact forces at an instant have no solution");
    return;
  }
  motion_.begin(system, options_, step.closed, step.modes);
  begin_.point.phase = step.now.phase;
  motion_.place(begin_);
  if (!motion_.solve(begin_))
    return refuse(step, h, "the accelerations are not finite, or the mass matrix is not positive definite");
  if (modes_break(step)) return;
  h = slip_step(step, h);
  if (!try_step(step, h)) return;
  if (!straight_slips_hold(step)) {
    motion_.straighten_none();
    h = std::min(h, straight_rest_);
    if (!try_step(step, h)) return;
  }
  double tried = h;
  std::optional<MotionEvent> event;
  // Each round finds an event before the last one.
  constexpr int max_rounds = 16;
  for (int round = 0; round < max_rounds; ++round) {
    const std::optional<MotionEvent> next = find_event(step, tried);
    if (!next || (event && next->contact == event->contact && next->kind == event->kind)) break;
    if (stops_at_event(step)) return;
    event = next;
    if (!locate(step, *event, tried)) return;
  }
  accept(step, tried);
  if (!event || !step.report->ok) return;
  if (event->kind == MotionEvent::Kind::collision) {
    const ContactId hit[] = {event->contact};
    return resolve_impact(step, h, hit, true);
  }
  apply(step, *event);
}

// The law is asked again where the modes that were found, or that an event has left, break it at once. Where the law and the forces in its modes
// contradict each other, no part of the step can be followed.
bool RungeKuttaStepper::modes_break(MotionInProgress& step) {
  if (step.closed.empty()) return false;
  const double force = force_scale(begin_);
  const auto broken = broken_mode(begin_, 1e-9 * force, std::numeric_limits<double>::infinity());
  if (!broken || (begin_.num_redundant > 0 && is_lawful(step, begin_))) return false;
  if (step.idle < 2) {
    ++step.idle;
    step.history.modes_known = false;
    return true;
  }
  if (!(-event_value(begin_, *broken) > k_contradicts * force)) return false;
  step.report->events.push_back(
      {.time = step.now.phase.t, .kind = EventKind::zeno, .contact = broken->contact});
  step.report->warn(
      WarningKind::captured,
      fmt::format("t = {:.9g} s: the force of contact '{}' contradicts its mode; the rest of the "
                  "step is captured, not located",
                  step.now.phase.t, step.system->contact_name(broken->contact)));
  capture_rest(step);
  return true;
}

// --- contacts and modes

void RungeKuttaStepper::sort_contacts(MotionInProgress& step, double h) {
  const double touching = touching_gap(options_, h);
  const PhasePoint& now = step.now;
  History& history = step.history;
  due_.clear();
  step.closed.clear();
  step.modes.clear();
  step.open.clear();
  if (!step.system->has_contacts()) {
    history.contacts.clear();
    history.modes_known = true;
    return;
  }
  finisher_.find_contacts(step, h);
  memories_.hand_over(*step.system, now, touching, history);
  const ContactSet& contacts = now.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactId id = contacts.ids[c];
    const ContactMemory* memory = find_memory(history, id);
    const bool closed = memory != nullptr && memory->closed;
    const double way = contacts.normal_velocity(c) * h;
    const bool released = contains(step.released, id) && way >= -touching;
    const bool touches = contacts.gap(c) <= touching && way <= touching && !released;
    if (!contacts.valid(c) || !(closed || touches)) {
      step.open.push_back(c);
      continue;
    }
    if (!closed && way < -touching) due_.push_back(id);
    step.closed.push_back(id);
    step.modes.push_back(memory != nullptr ? mode_of(*memory) : ContactMode{});
    if (memory == nullptr || !closed) history.modes_known = false;
  }
}

double RungeKuttaStepper::contact_step(const MotionInProgress& step, double h) const {
  if (step.open.empty()) return h;
  const double limit =
      step.system->contact_step_limit(step.now.contacts, step.open, step.now.at, step.now.phase.v, h);
  const double shortest = (step.request.t_end - step.report->t_begin) / static_cast<double>(k_max_parts);
  return std::min(h, std::max(limit, shortest));
}

double RungeKuttaStepper::slip_step(MotionInProgress& step, double h) {
  const ContactSet& contacts = begin_.point.contacts;
  const auto slips = [&](std::size_t c, FrictionKind kind) {
    return ConstrainedMotion::part_rows(kind, contacts.num_rows(c)).size == 2 &&
           step.modes[c].part(kind).status == ContactStatus::slip &&
           motion_.coefficient(contacts, c, kind) > 0;
  };
  straight_rest_ = std::numeric_limits<double>::infinity();
  straight_speed_ = 0;
  slips_grow_ = true;
  bool any = false;
  for (std::size_t c = 0; c < step.closed.size() && !any; ++c)
    for (FrictionKind kind : k_friction_kinds) any = any || slips(c, kind);
  if (!any) return h;
  contacts.rows.rows.multiply(VectorRef(begin_.rate), work_);
  step.system->contact_bias(contacts, begin_.point.at, begin_.point.phase.v, bias_);
  const double grid_step = step.request.t_end - step.report->t_begin;
  for (std::size_t c = 0; c < step.closed.size(); ++c)
    for (FrictionKind kind : k_friction_kinds) {
      if (!slips(c, kind)) continue;
      const Eigen::Vector2d u = part_velocity(contacts, c, kind);
      const double speed = u.norm();
      if (speed <= begin_.slow) continue;
      const int row = contacts.first_row(c) + ConstrainedMotion::part_rows(kind, contacts.num_rows(c)).first;
      const Eigen::Vector2d a(work_[row] + bias_[row], work_[row + 1] + bias_[row + 1]);
      const double along = speed > 0 ? a.dot(u) / speed : 0;
      slips_grow_ = slips_grow_ && along >= 0;
      if (!(along < 0) || !(speed < -along * k_slip_parts * h)) continue;
      const double half = -speed / (along * k_slip_parts), across = std::abs(cross(u, a)) / speed;
      if (across * speed > along * along * k_straight * grid_step) {
        h = std::min(h, half);
        continue;
      }
      step.modes[c].set_part(kind, {ContactStatus::slip, u / speed});
      motion_.set_mode(c, step.modes[c]);
      motion_.straighten(c, kind);
      straight_rest_ = std::min(straight_rest_, half);
      straight_speed_ = std::max(straight_speed_, -along * k_straight * grid_step);
    }
  // A straight slip is judged just beyond its end.
  h = std::min(h, k_beyond * straight_rest_);
  return h;
}

bool RungeKuttaStepper::straight_slips_hold(const MotionInProgress& step) const {
  const double round_off = 1e-12 * max_abs(end_.point.phase.v);
  for (std::size_t c = 0; c < step.closed.size(); ++c)
    for (FrictionKind kind : k_friction_kinds)
      if (motion_.is_straight(c, kind) &&
          std::abs(cross(part_velocity(end_.point.contacts, c, kind), step.modes[c].part(kind).direction)) >
              std::max(10 * straight_speed_, round_off))
        return false;
  return true;
}

bool RungeKuttaStepper::creeps(const ContactSet& contacts, double slow, double fast) {
  for (std::size_t c = 0; c < contacts.size(); ++c)
    for (FrictionKind kind : k_friction_kinds) {
      const double speed = part_velocity(contacts, c, kind).norm();
      if (speed > slow && speed <= fast) return true;
    }
  return false;
}

// What the law makes of `contacts`: those that stay closed, sticking or slipping, and those that leave.
bool RungeKuttaStepper::find_lawful_modes(const PhasePoint& point, const ContactSet& contacts,
                                          std::vector<ContactMode>& modes, std::vector<char>& leaves) {
  double at_rest = k_rest_tolerance * max_abs(point.phase.v);
  if (!kernel_.find_modes(*step_.system, point, contacts, at_rest, modes)) return false;
  // Where everything rests velocities are round-off of what forces do in a step.
  const double round_off =
      k_rest_tolerance * kernel_.free_acceleration() * (step_.request.t_end - step_.report->t_begin);
  if (creeps(contacts, at_rest, round_off)) {
    if (!kernel_.find_modes(*step_.system, point, contacts, round_off, modes)) return false;
  }
  at_rest = std::max(at_rest, round_off);
  leaves.assign(contacts.size(), 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (modes[c].status == ContactStatus::slip &&
        part_velocity(contacts, c, FrictionKind::sliding).norm() <= at_rest) {
      // A slip begins the way it accelerates. A share of friction that is at its limit moves nothing where others hold.
      const Eigen::Vector2d a = kernel_.slip_acceleration(static_cast<int>(c));
      const bool begins = a.norm() > 0.5 * k_same_acceleration * kernel_.free_acceleration();
      modes[c].set_part(FrictionKind::sliding, begins ? PartMode{ContactStatus::slip, a.normalized()}
                                                      : PartMode{ContactStatus::stick, {0, 0}});
    }
    if (modes[c].status != ContactStatus::open) continue;
    leaves[c] = kernel_.take_off_acceleration(static_cast<int>(c)) > 0;
    if (leaves[c] != 0) continue;
    // It carries nothing but moves with the others.
    const Eigen::Vector2d slip = part_velocity(contacts, c, FrictionKind::sliding);
    const bool slips = slip.norm() > at_rest;
    modes[c] = {.status = slips ? ContactStatus::slip : ContactStatus::stick};
    if (slips) modes[c].direction = slip.normalized();
  }
  return true;
}

bool RungeKuttaStepper::establish_modes(MotionInProgress& step, double h) {
  (void)h;
  if (!step.closed.empty()) {
    const ContactSet& contacts = step.now.contacts;
    some_.clear();
    for (ContactId id : step.closed) some_.push_back(contacts.find(id));
    touching_.select(contacts, some_);
    if (!find_lawful_modes(step.now, touching_, lawful_, leaves_)) return false;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < step.closed.size(); ++c) {
      if (leaves_[c] != 0) {
        if (!contains(step.released, step.closed[c])) step.released.push_back(step.closed[c]);
        step.open.push_back(some_[c]);
        continue;
      }
      step.closed[kept] = step.closed[c];
      step.modes[kept++] = lawful_[c];
    }
    step.closed.resize(kept);
    step.modes.resize(kept);
    std::sort(step.open.begin(), step.open.end());
  }
  memories_.store_modes(step.closed, step.modes, step.history);
  return true;
}

bool RungeKuttaStepper::is_lawful(const MotionInProgress& step, const MotionPoint& at) {
  // What sticks does not slip, whatever the velocities that a step has drifted by.
  touching_ = at.point.contacts;
  for (std::size_t c = 0; c < step.closed.size(); ++c)
    for (FrictionKind kind : k_friction_kinds) {
      const auto part = ConstrainedMotion::part_rows(kind, touching_.num_rows(c));
      if (step.modes[c].part(kind).status == ContactStatus::stick)
        touching_.u.segment(touching_.first_row(c) + part.first, part.size).setZero();
    }
  if (!find_lawful_modes(at.point, touching_, lawful_, leaves_)) return false;
  if (std::any_of(leaves_.begin(), leaves_.end(), [](char leaves) { return leaves != 0; })) return false;
  for (std::size_t c = 0; c < step.closed.size(); ++c)
    for (FrictionKind kind : k_friction_kinds) {
      const bool sticks = step.modes[c].part(kind).status == ContactStatus::stick;
      if (!sticks || kind != FrictionKind::sliding) continue;
      if (kernel_.slip_acceleration(static_cast<int>(c)).norm() >
          k_same_acceleration * kernel_.free_acceleration())
        return false;
    }
  return true;
}

// --- the smooth step

bool RungeKuttaStepper::slips_turn(const MotionInProgress& step) const {
  for (int i = 0; i < smooth_.num_stages(); ++i) {
    const MotionPoint& at = smooth_.stage(begin_, i);
    for (std::size_t c = 0; c < step.closed.size(); ++c)
      for (FrictionKind kind : k_friction_kinds) {
        const ContactSet& contacts = at.point.contacts;
        if (step.modes[c].part(kind).status != ContactStatus::slip || motion_.is_straight(c, kind) ||
            ConstrainedMotion::part_rows(kind, contacts.num_rows(c)).size != 2)
          continue;
        const Eigen::Vector2d u = part_velocity(contacts, c, kind);
        if (std::abs(cross(u, motion_.slip_direction(begin_, c, kind))) > k_turns * u.norm() + at.slow)
          return true;
      }
  }
  return false;
}

bool RungeKuttaStepper::try_step(MotionInProgress& step, double h) {
  Certificate& certificate = step.report->certificate;
  taken_ = &smooth_;
  bool ok = smooth_.take(motion_, begin_, h, options_.derivatives, slips_grow_, end_.point.phase);
  if (tableau_.is_explicit && motion_.slip_rate(begin_) * h > k_stiff && (!ok || slips_turn(step))) {
    taken_ = &stiff_;
    ok = stiff_.take(motion_, begin_, h, options_.derivatives, slips_grow_, end_.point.phase);
  }
  certificate.count_solves(1);
  certificate.iterations += taken_->iterations();
  if (!ok) {
    refuse(step, h, taken_->failure);
    return false;
  }
  motion_.place(end_);
  if (motion_.solve(end_)) return true;
  refuse(step, h, "the accelerations at the end of the step are not finite");
  return false;
}

void RungeKuttaStepper::refuse(MotionInProgress& step, double h, const std::string& why) {
  StepReport& report = *step.report;
  ++report.rejected;
  if (options_.policy != FailurePolicy::stop && step.halvings < options_.max_halvings &&
      0.5 * h >= options_.smallest_step) {
    ++step.halvings;
    step.h_limit = 0.5 * h;
    report.warn(WarningKind::step_halved, fmt::format("t = {:.9g} s: {}; step halved to {:.3g} s",
                                                      step.now.phase.t, why, step.h_limit));
    return;
  }
  report.certificate.status = worse(report.certificate.status, SolveStatus::numerical_failure);
  step.fail(why + smallest_step_note(options_.smallest_step, h) +
            "; a smaller step or another stepper may help");
}

void RungeKuttaStepper::accept(MotionInProgress& step, double h) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  Certificate& certificate = report.certificate;
  ++report.substeps;
  taken_->integrate(system, begin_, integrals_);
  EnergyLedger& energy = step.history.energy;
  energy.nonconservative += integrals_.nonconservative;
  energy.friction += integrals_.friction;
  energy.normal += integrals_.normal;
  energy.joints += integrals_.joints;
  energy.driven += integrals_.driven;
  if (report.joint_impulses.size() != integrals_.joint_impulses.size())
    report.joint_impulses.setZero(integrals_.joint_impulses.size());
  report.joint_impulses += integrals_.joint_impulses;
  certificate.status = worse(certificate.status, SolveStatus::converged);
  certificate.redundant_joint_rows = step.closed.empty() ? end_.num_redundant : 0;
  certificate.momentum_residual = std::max(certificate.momentum_residual, taken_->residual());
  const double scale = force_scale(end_);
  if (!step.closed.empty() && scale > 0)
    if (const auto broken = broken_mode(end_, 0, std::numeric_limits<double>::infinity())) {
      const double off = -event_value(end_, *broken) / scale;
      // Forces that are shared in many ways are one choice of many: the law has been asked.
      if (end_.num_redundant == 0 && off > certificate.contact_residual) {
        certificate.contact_residual = off;
        certificate.has_worst_contact = true;
        certificate.worst_contact = broken->contact;
      }
    }
  remember(step, h);
  // Of a part that is as short as an event is located nothing has moved.
  if (h > k_moves * (step.request.t_end - report.t_begin)) step.idle = 0;
  std::swap(step.now.phase, end_.point.phase);
  std::swap(step.now.at, end_.point.at);
  std::swap(step.now.joints, end_.point.joints);
  std::swap(step.now.contacts, end_.point.contacts);
  if (options_.projection != Projection::none) project(step);
}

void RungeKuttaStepper::remember(MotionInProgress& step, double h) {
  memory_.assign(step.closed.size(), {});
  const ContactSet& contacts = end_.point.contacts;
  for (std::size_t c = 0; c < step.closed.size(); ++c) {
    ContactMemory& memory = memory_[c];
    memory.id = step.closed[c];
    for (FrictionKind kind : k_friction_kinds) {
      PartMode part = step.modes[c].part(kind);
      if (part.status == ContactStatus::slip) part.direction = motion_.slip_direction(end_, c, kind);
      step.modes[c].set_part(kind, part);
    }
    set_mode(step.modes[c], memory);
    memory.closed = true;
    const int first = contacts.first_row(c), n = contacts.num_rows(c);
    const auto impulse = integrals_.contact_impulses.segment(first, n);
    ContactReport& report = contact_report(step.closed[c], *step.report);
    for (int i = 0; i < n; ++i) memory.force[i] = impulse[i] / h;
    for (int i = 0; i < std::min(n, 3); ++i)
      report.impulse[i] += (i == 2 ? contacts.surface(c).tangent_ratio : 1.0) * impulse[i];
    if (n == 6) report.couple += Vector3(impulse[5], impulse[3], impulse[4]);
    report.shared = report.shared || end_.num_redundant > 0;
  }
  std::swap(step.history.contacts, memory_);
  step.history.modes_known = true;
}

void RungeKuttaStepper::project(MotionInProgress& step) {
  const System& system = *step.system;
  PhasePoint& now = step.now;
  ids_.clear();
  held_.clear();
  ratios_.clear();
  if (options_.projection == Projection::all)
    for (const ContactMemory& memory : step.history.contacts) {
      ids_.push_back(memory.id);
      held_.push_back(held_parts(mode_of(memory)));
      ratios_.push_back(friction_ratios(memory));
    }
  if (ids_.empty() && now.joints.rows.rows() == 0) return;
  system.evaluate_contacts(ids_, now.at, touching_);
  book_projection(step, projector_, M_, touching_, [&] {
    if (!projector_.project_position(system, touching_, now)) return false;
    return projector_.project_velocity(system, touching_, held_, true, now, step.history.held_frictions,
                                       ratios_, max_abs(now.phase.v));
  });
}

}  // namespace delassus
