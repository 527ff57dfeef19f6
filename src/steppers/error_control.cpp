// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/error_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

using Clock = std::chrono::steady_clock;

// (4): α, α_min, α_max [-]
constexpr double k_safety = 0.9, k_least_change = 0.2, k_most_change = 5;
// (5) [-]
constexpr double k_published_least = 0.5, k_published_most = 5;
// (2): τ [s]; (3): η [-]
constexpr double k_second = 1, k_event_share = 0.1;
// Where errors are counted as none, but differences are this part of what is seen: less growth [-].
constexpr double k_begins_to_show = 0.01, k_careful_change = 1.5;
// A step that fails is tried again with this part of it [-].
constexpr double k_after_failure = 0.25;
// The halves of a step have that many times its parts at least; by how much a step that was cut is shortened at once [-].
constexpr double k_more_parts = 1.5;
constexpr long k_most_parts = 64;
// Differences below this, relative to the largest entry, are round-off; those below the other one may be what solvers leave [-].
constexpr double k_no_difference = 1e-12, k_noise = 1e-9;
// Of errors, which fall with a power of the step, less than this is left of half a step; of noise more [-].
constexpr double k_falls = 0.5;
// Shortest steps as parts of the interval of outputs, or of this if that is longer [s]: where something jumps, and where nothing does [-].
constexpr double k_longest_unit = 0.01;
constexpr double k_smallest_event_step = 1.0 / 4096, k_smallest_smooth_step = 1e-7;
// Steps that do not meet the tolerance where something jumps: how many in an interval are followed so far, and the shortest afterwards [-].
constexpr int k_most_not_met = 16;
constexpr double k_smallest_crowded_step = 1.0 / 512;
// Schemes up to this order take friction and forces in the mean of a step [-].
constexpr int k_mean_forces = 2;
// Steps with an event or two whose longest smooth part is more than this part of it in the halves, too, are shortened to that one [-].
constexpr double k_alike = 0.75, k_cut_elsewhere = 0.65;
constexpr std::size_t k_few_times = 4;
// Jumps that no event tells of: how many in an interval are followed, and the step after one as a part of it [-].
constexpr int k_most_silent_jumps = 8;
constexpr double k_after_jump = 1.0 / 16;
// A step that ends before an event ends this part of the way to it; one that ends this part of itself before an output ends there [-].
constexpr double k_approach = 0.9, k_to_output = 1e-3;
// An end that is nearer to an output than this part of their interval is there [-].
constexpr double k_at_output = 1e-9;
// Growth of steps that pass outputs, where nothing tells of an event but that it has happened [-].
constexpr double k_captured_growth = 2;
// Errors of outputs go with this power of the step, at least [-].
constexpr double k_output_order = 5;
// Where contacts are possible: by how much a step may turn a body [rad]. Where forces depend on time: intervals of outputs in a step [-].
constexpr double k_largest_turn = 0.5, k_most_outputs = 10;

bool has_impact(const StepReport& report) {
  return std::any_of(report.events.begin(), report.events.end(),
                     [](const Event& event) { return event.kind == EventKind::impact; });
}

bool has_jump(const StepReport& report) {
  return !report.events.empty() || report.captured > 0;
}

// Velocities may jump in it.
bool leaps(const StepReport& report) {
  return has_impact(report) || report.captured > 0;
}

bool touches(const State& state) {
  const std::vector<ContactMemory>& contacts = state.history.contacts;
  return std::any_of(contacts.begin(), contacts.end(),
                     [](const ContactMemory& contact) { return contact.closed; });
}

bool sticks(const State& state) {
  const std::vector<ContactMemory>& contacts = state.history.contacts;
  return std::any_of(contacts.begin(), contacts.end(), [](const ContactMemory& contact) {
    return contact.closed && contact.status == ContactStatus::stick;
  });
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

ErrorControl::ErrorControl(std::unique_ptr<Stepper> stepper, ControlRule rule)
    : stepper_(std::move(stepper)), rule_(std::move(rule)), scales_(rule_.tolerance, rule_.absolute) {}

bool ErrorControl::take(const System& system, double t_end, double t_next) {
  const double t_middle = 0.5 * (now_.t + t_end);
  const auto advance = [&](State& state, double t, double next, StepReport& report) {
    stepper_->advance(system, state, {.t_end = t, .t_next = next}, report);
    if (!report.ok) failed_ = report;
    return report.ok;
  };
  whole_ = now_;
  if (!advance(whole_, t_end, t_next, whole_report_)) return false;
  middle_ = now_;
  if (!advance(middle_, t_middle, t_end, first_report_)) return false;
  halves_ = middle_;
  return advance(halves_, t_end, t_next, second_report_);
}

double ErrorControl::estimate_shown(const System& system, bool velocities) {
  const State* states[] = {&now_, &middle_, &halves_};
  for (std::size_t i = 0; i < 3; ++i) {
    ahead_.knots[i].t = states[i]->t;
    ahead_.knots[i].q = states[i]->q;
    ahead_.knots[i].v = states[i]->v;
    ahead_.knots[i].energy = states[i]->history.energy;
  }
  dense_.update(system, ahead_);
  dense_.errors(error_, shown_error_);
  const double position = scales_.worst_position(error_).error;
  return velocities ? std::max(position, scales_.worst_velocity(shown_error_).error) : position;
}

ErrorControl::Estimate ErrorControl::estimate(const System& system, double h) {
  Estimate out;
  const bool events = has_jump(whole_report_) || has_jump(first_report_) || has_jump(second_report_);
  out.breaks = events || (rule_.captures && closes_contact());
  out.jumps = rule_.captures || events;
  out.order = rule_.order;
  scales_.update(system, halves_.q, halves_.v);
  // As parts of what ε = 1 would tolerate.
  const auto relative = [&](double error) { return error * scales_.relative(); };
  const auto above_round_off = [&](double error) {
    out.round_off = std::max(out.round_off, relative(error) / k_no_difference);
    return relative(error) > k_no_difference ? error : 0.0;
  };
  if (!out.breaks) out.shown = estimate_shown(system, !rule_.captures);
  const double share = out.jumps ? 1.0 : 1.0 / (std::pow(2.0, rule_.order) - 1);
  const double allowed = out.jumps ? k_event_share : h / k_second;
  system.difference(halves_.q, whole_.q, error_);
  const ErrorScales::Worst way = scales_.worst_position(error_);
  const double ways = std::isnan(way.error) ? way.error : above_round_off(way.error);
  out.worst = way.velocity;
  out.length = std::isfinite(ways) ? share * max_abs(error_) : 0.0;
  out.error = share * ways / allowed;
  out.difference = relative(ways);
  out.moves = !(ways <= k_event_share);
  if (rule_.published) estimate_published(system, out);
  if (const double deeper = rule_.captures ? deepening(system) : 0.0; deeper > 1) {
    // An event all the same.
    out.breaks = out.moves = true;
    if (deeper > out.error) {
      out.error = deeper;
      out.worst = -1;
    }
  }
  if (!rule_.published && system.depends_on_time() &&
      samples_.find_unseen(system, now_.t, h, middle_.q, middle_.v,
                           rule_.order <= k_mean_forces && (sticks(now_) || sticks(halves_)), error_)) {
    const ErrorScales::Worst unseen = scales_.worst_position(error_);
    if (const double error = unseen.error / k_event_share; error > out.error) {
      out.error = error;
      out.worst = unseen.velocity;
    }
    out.difference = std::max(out.difference, relative(unseen.error));
  }
  // Stick and slip begin with the velocities that were there: only impacts change them at once.
  if (out.jumps && (rule_.captures || leaps(whole_report_) || leaps(first_report_) || leaps(second_report_)))
    return out;
  error_ = halves_.v - whole_.v;
  const ErrorScales::Worst change = scales_.worst_velocity(error_);
  const double changes = std::isnan(change.error) ? change.error : above_round_off(change.error);
  out.difference = std::max(out.difference, relative(changes));
  if (const double error = share * changes / allowed; !(error <= out.error)) {
    out.error = error;
    out.worst = change.velocity;
    out.of_speed = true;
  }
  return out;
}

bool ErrorControl::is_cut_alike(double step) const {
  std::vector<double> whole{now_.t, now_.t + step}, halves{now_.t, now_.t + 0.5 * step, now_.t + step};
  for (const Event& event : whole_report_.events) whole.push_back(event.time);
  for (const StepReport* report : {&first_report_, &second_report_})
    for (const Event& event : report->events) halves.push_back(event.time);
  const auto longest_part = [](std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    double longest = 0;
    for (std::size_t i = 1; i < times.size(); ++i) longest = std::max(longest, times[i] - times[i - 1]);
    return longest;
  };
  const double of_whole = longest_part(whole);
  return whole.size() <= k_few_times && longest_part(halves) > k_alike * of_whole;
}

double ErrorControl::deepening(const System& system) const {
  const double length = k_event_share * scales_.gap(false), angle = k_event_share * scales_.gap(true);
  double out = 0;
  // What the whole has missed and the halves have not may be lifted to the same place.
  for (const StepReport* part : {&whole_report_, &first_report_, &second_report_})
    out = std::max({out, part->missed.length / length, part->missed.angle / angle});
  const Certificate& end = second_report_.certificate;
  if (end.penetration <= length && end.stop_excess <= angle) return out;
  const ContactSet after = system.contacts_within(0, halves_.t, halves_.q, halves_.v);
  const ContactSet before = system.contacts_of(after.ids, now_.t, now_.q, now_.v);
  for (std::size_t c = 0; c < after.size(); ++c) {
    if (!after.valid(c)) continue;
    const double deeper = -after.gap(c) - std::max(-before.gap(c), 0.0);
    out = std::max(out, deeper / (system.gap_is_angle(after.ids[c]) ? angle : length));
  }
  return out;
}

bool ErrorControl::closes_contact() const {
  const std::vector<ContactMemory>& after = halves_.history.contacts;
  return std::any_of(after.begin(), after.end(), [&](const ContactMemory& contact) {
    const ContactMemory* before = find_memory(now_.history, contact.id);
    return contact.closed && (before == nullptr || !before->closed);
  });
}

void ErrorControl::estimate_published(const System& system, Estimate& out) {
  switch (*rule_.published) {
    case OrderGuess::none:
      out.order = 0;
      break;
    case OrderGuess::status:
      out.order = closes_contact() || has_impact(whole_report_) || has_impact(first_report_) ||
                          has_impact(second_report_)
                      ? 0
                      : 1;
      break;
    case OrderGuess::events:
      out.order = out.breaks ? 0 : 1;
      break;
  }
  scales_.update(system, now_.q, now_.v, true);
  const ErrorScales::Worst worst = scales_.worst_position(error_);
  out.length = max_abs(error_);
  out.error = worst.error;
}

double ErrorControl::next_step(double h, const Estimate& estimate) const {
  if (rule_.published) {
    const double change =
        estimate.error > 0 ? std::pow(estimate.error, -1.0 / (estimate.order + 1)) : k_published_most;
    return h * std::clamp(change, k_published_least, k_published_most);
  }
  // Differences that are counted as none may be errors that begin to show, or round-off that stays as it is.
  const double change = estimate.error > 0 ? k_safety * std::pow(estimate.error, -1.0 / rule_.order)
                        : estimate.round_off > k_begins_to_show ? k_careful_change
                                                                : k_most_change;
  return h * std::clamp(change, k_least_change, k_most_change);
}

ErrorControl::Cause ErrorControl::cause_of(const Estimate& estimate) {
  return {estimate.breaks     ? StepReason::event
          : estimate.of_speed ? StepReason::velocity
                              : StepReason::position,
          estimate.worst};
}

double ErrorControl::longest_step(const System& system, double unit) const {
  double longest = rule_.longest.value_or(system.depends_on_time() ? k_most_outputs * unit
                                                                   : std::numeric_limits<double>::infinity());
  if (system.has_contacts())
    if (const double turning = scales_.turning(now_.v); turning > 0)
      longest = std::min(longest, k_largest_turn / turning);
  return longest;
}

ErrorControl::Choice ErrorControl::choose(const System& system, const StepRequest& request, double h,
                                          double pass_limit) const {
  const double rest = request.t_end - now_.t, grid = now_.history.grid.step;
  const double unit = grid > 0 ? grid : rest,
               smallest =
                   std::max(k_smallest_smooth_step * std::min(unit, k_longest_unit), rule_.smallest_step);
  Choice out{.cause = cause_};
  double wanted = std::max(h, smallest);
  if (const double longest = longest_step(system, unit); longest < wanted) {
    wanted = std::max(longest, smallest);
    out.cause = {StepReason::longest};
    out.cut = true;
  }
  if (wanted < rest * (1 - k_to_output)) {
    out.step = wanted;
    // No short step before an output that no step passes.
    if (!request.may_pass && wanted > 0.5 * rest) out.step = 0.5 * rest;
    out.cut = out.cut || out.step < wanted;
    return out;
  }
  out.step = request.may_pass ? std::min(wanted, pass_limit) : rest;
  out.passes = out.step > rest * (1 + k_to_output);
  if (out.passes) {
    const double outputs = std::round((out.step - rest) / unit);
    if (std::abs(out.step - rest - outputs * unit) < k_to_output * unit) out.step = rest + outputs * unit;
    out.passes = out.step > rest;
  } else {
    out.step = rest;
  }
  if (out.step < wanted) {
    out.cut = true;
    out.cause = {pass_limit < wanted ? StepReason::event : StepReason::output};
  }
  return out;
}

double ErrorControl::limit_before_events(double step, double rest) const {
  double way = 0.5 * step;
  if (!rule_.captures && whole_report_.captured + first_report_.captured + second_report_.captured == 0) {
    double first = now_.t + step;
    for (const StepReport* report : {&whole_report_, &first_report_, &second_report_})
      for (const Event& event : report->events) first = std::min(first, event.time);
    way = k_approach * (first - now_.t);
  }
  return way > rest ? way : 0.0;
}

std::string ErrorControl::not_met(const System& system, double step, const Estimate& found) const {
  const std::string what = found.worst < 0
                               ? "the depth of a contact"
                               : fmt::format("the {} '{}'", found.of_speed ? "velocity" : "position",
                                             system.velocity_name(found.worst));
  return fmt::format(
      "t = {:.9g} s: the tolerance {:g} is not met by a step of {:.3g} s: {} is off by {:.1f} times what is "
      "tolerated",
      now_.t, rule_.tolerance, step, what, found.error);
}

void ErrorControl::go_on_ahead(const System& system, const StepRequest& request, StepReport& report) {
  if (!now_.history.ahead) return;
  History& history = now_.history;
  if (!follows_step_ahead(now_)) {
    // The state was changed: its step begins anew, from modes that have been the same all along it.
    history.ahead.reset();
    history.acceleration = {};
    history.mid_step = {};
    history.weighted_velocity.resize(0);
    return;
  }
  const double from = now_.t;
  dense_.update(system, *history.ahead);
  const StepAhead::Knot& end = history.ahead->knots[2];
  // No step is to follow that is as short as round-off of the time.
  const double round_off = k_at_output * history.grid.step;
  const bool passed = end.t > request.t_end + round_off;
  if (passed) {
    dense_.show(system, request.t_end, now_);
  } else {
    now_.t = end.t < request.t_end - round_off ? end.t : request.t_end;
    now_.q = end.q;
    now_.v = end.v;
    history.energy = end.energy;
  }
  dense_.report(system, now_, from, now_.t, report);
  if (!passed) history.ahead.reset();
}

void ErrorControl::show(const System& system, double t, StepReport& report) {
  const double from = now_.history.ahead->knots[0].t;
  dense_.show(system, t, now_);
  dense_.report(system, now_, from, t, part_);
  part_.certificate.worst_joint_row = report.certificate.worst_joint_row;
  report.append(part_);
}

void ErrorControl::accept(const System& system, const Choice& choice, const StepRequest& request,
                          StepReport& report) {
  ControlledStep taken{
      .t = now_.t, .length = choice.step, .reason = choice.cause.reason, .velocity = choice.cause.velocity};
  for (const StepReport* part : {&first_report_, &second_report_})
    if (!part->events.empty() && !taken.has_contact) {
      taken.has_contact = true;
      taken.contact = part->events.front().contact;
    }
  report.controlled.push_back(taken);
  report.smallest_step = report.smallest_step > 0 ? std::min(report.smallest_step, choice.step) : choice.step;
  std::optional<StepAhead> ahead;
  if (choice.passes) {
    // Of the interpolant that estimate_shown has made.
    BlockMatrix M;
    Configuration at;
    system.configure(now_.t, now_.q, at);
    ahead_.knots[0].total = kinetic_energy(system.mass_at(at, M), now_.v) + system.potential_energy(at);
    StepReport* const parts[] = {&first_report_, &second_report_};
    ahead_.contacts.clear();
    for (int i = 0; i < 2; ++i) {
      StepReport& part = *parts[i];
      const double h = ahead_.knots[i + 1].t - ahead_.knots[i].t;
      ahead_.knots[i + 1].total = part.energy.kinetic + part.energy.potential;
      ahead_.joint_forces[i] = part.joint_impulses / h;
      for (const ContactReport& contact : part.contacts) {
        auto force =
            std::lower_bound(ahead_.contacts.begin(), ahead_.contacts.end(), contact.id,
                             [](const StepAhead::Force& known, ContactId id) { return known.id < id; });
        if (force == ahead_.contacts.end() || force->id != contact.id)
          force = ahead_.contacts.insert(force, {.id = contact.id});
        force->force[i] = contact.impulse / h;
        force->couple[i] = contact.couple / h;
      }
      // They come with the outputs, part by part.
      part.contacts.clear();
      part.joint_impulses.setZero();
    }
    ahead = ahead_;
  }
  std::swap(now_, halves_);
  report.append(first_report_);
  report.append(second_report_);
  if (!ahead) return;
  now_.history.ahead = std::move(ahead);
  show(system, request.t_end, report);
}

void ErrorControl::advance(const System& system, State& state, const StepRequest& request,
                           StepReport& report) {
  constexpr double none = std::numeric_limits<double>::infinity();
  report.clear();
  report.t_begin = state.t;
  now_ = state;
  const double interval = request.t_end - state.t, grid = now_.history.grid.step;
  const double unit = grid > 0 ? grid : interval, scale = std::min(unit, k_longest_unit);
  const auto shown = Clock::now();
  const double shortest_event = std::max(k_smallest_event_step * scale, rule_.smallest_step),
               shortest_smooth = std::max(k_smallest_smooth_step * scale, rule_.smallest_step);
  go_on_ahead(system, request, report);
  report.seconds.outputs = seconds_since(shown);
  scales_.update(system, now_.q, now_.v);
  double h = now_.history.controlled_step > 0 ? now_.history.controlled_step : unit, pass_limit = none;
  int silent_jumps = 0, times_not_met = 0;
  struct {
    double step = 0, difference = 0, first_step = 0;
  } refused;
  while (now_.t < request.t_end && !now_.history.ahead) {
    const Choice choice = choose(system, request, h, pass_limit);
    const double step = choice.step, rest = request.t_end - now_.t;
    const double t_end = step == rest ? request.t_end : now_.t + step;
    const double smallest_event = times_not_met < k_most_not_met
                                      ? shortest_event
                                      : std::max(k_smallest_crowded_step * scale, rule_.smallest_step);
    const auto begun = Clock::now();
    const auto refuse = [&](double next, Cause why) {
      ++report.rejected;
      report.seconds.refused += seconds_since(begun);
      h = next;
      cause_ = why;
    };
    if (!take(system, t_end, std::min(t_end + 0.5 * step, std::max(request.t_next, t_end)))) {
      if (failed_.stopped || step <= shortest_event) {
        // The state stays before it, and so do energies and forces.
        report.warnings.insert(report.warnings.end(), failed_.warnings.begin(), failed_.warnings.end());
        report.ok = false;
        report.message = failed_.message;
        report.stopped = failed_.stopped;
        break;
      }
      refuse(k_after_failure * step, {StepReason::failure});
      continue;
    }
    // A step that its own stepper has cut into parts says nothing if its halves were cut into the same ones.
    const long parts = whole_report_.substeps, more = first_report_.substeps + second_report_.substeps;
    const bool events = has_jump(whole_report_) || has_jump(first_report_) || has_jump(second_report_);
    if (parts > 1 && static_cast<double>(more) < k_more_parts * static_cast<double>(parts) && !events &&
        step > shortest_event) {
      refuse(step / static_cast<double>(std::min(parts, k_most_parts)), {StepReason::failure});
      continue;
    }
    const Estimate found = estimate(system, step);
    if (choice.passes && found.breaks) {
      // Those that follow do not go so far at once.
      pass_limit = limit_before_events(step, rest);
      refuse(std::max(pass_limit, std::min(h, unit)), {StepReason::event});
      continue;
    }
    if (events && !rule_.captures && step > shortest_event && is_cut_alike(step)) {
      refuse(k_cut_elsewhere * step, {StepReason::event});
      continue;
    }
    // A jump that no event has told of, as from a start that is not consistent: it moves nothing.
    // Or where a slip ends while it turns ever faster: no step is short enough there.
    const bool turns = !found.moves && touches(now_);
    const bool silent_jump =
        !found.moves && step <= shortest_event &&
        (silent_jumps++ < k_most_silent_jumps || (turns && times_not_met >= k_most_not_met));
    // It may fall now and then, but not down to the shortest step.
    const bool stays = step <= shortest_smooth ||
                       (step <= k_falls * refused.step && found.difference > k_falls * refused.difference);
    const bool noise = !(found.error <= 1) && !found.jumps && found.difference < k_noise && stays;
    if (noise) {
      if (step <= shortest_event) ++times_not_met;
      report.warn(
          WarningKind::tolerance,
          fmt::format("t = {:.9g} s: the tolerance {:g} is below what the equations of a step are solved "
                      "to: steps of {:.2g} s and shorter differ by {:.1e} in '{}'",
                      now_.t, rule_.tolerance, refused.first_step, found.difference,
                      system.velocity_name(found.worst)));
    }
    if (!(found.error <= 1) && !silent_jump && !noise) {
      refused = {step, found.difference, refused.first_step > 0 ? refused.first_step : step};
      const bool shortest = step <= (found.jumps ? smallest_event : shortest_smooth);
      if (!shortest) {
        const double next = std::min(next_step(step, found), k_safety * step);
        refuse(std::isfinite(next) ? next : k_after_failure * step, cause_of(found));
        continue;
      }
      if (!found.jumps && !turns) {
        report.ok = false;
        report.message = not_met(system, step, found) +
                         "; a motion that is not smooth without an event, or one too fast for this tolerance";
        break;
      }
      ++times_not_met;
      report.warn(
          WarningKind::tolerance,
          not_met(system, step, found) + (found.jumps ? "; events at once that are not located one by one"
                                                      : "; velocities that change at once without an event"));
    }
    // Outputs within a step are to be as good as its end.
    const double longest_shown =
        found.shown > 0 ? k_safety * step * std::pow(found.shown, -1.0 / k_output_order) : none;
    if (choice.passes && !(found.shown <= 1)) {
      refuse(h, {StepReason::output});
      pass_limit = longest_shown > rest ? std::min(longest_shown, k_safety * step) : 0.0;
      continue;
    }
    report.local_errors += found.length;
    accept(system, choice, request, report);
    report.seconds.taken += seconds_since(begun);
    // What was cut by an output does not shorten the steps that follow; after an event none passes an output at once.
    double next = silent_jump ? k_after_jump * scale : noise ? refused.first_step : next_step(step, found);
    cause_ = next < k_most_change * step ? cause_of(found) : Cause{};
    if (choice.cut && next < h) next = h;
    if (found.breaks) next = std::min(next, unit);
    if (rule_.captures) next = std::min(next, std::max(unit, k_captured_growth * step));
    if (next > unit && next > longest_shown) {
      next = std::max(longest_shown, unit);
      cause_ = {StepReason::output};
    }
    h = next;
    pass_limit = none;
    refused = {};
  }
  now_.history.controlled_step = h;
  std::swap(state, now_);
}

}  // namespace delassus
