// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/error_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// (4): α, α_min, α_max [-]
constexpr double k_safety = 0.9, k_least_change = 0.2, k_most_change = 5;
// (5) [-]
constexpr double k_published_least = 0.5, k_published_most = 5;
// (2): τ [s]; (3): η [-]
constexpr double k_second = 1, k_event_share = 0.1;
// A step that fails is tried again with this part of it [-].
constexpr double k_after_failure = 0.25;
// The halves of a step have that many times its parts at least; by how much a step that was cut is shortened at once [-].
constexpr double k_more_parts = 1.5;
constexpr long k_most_parts = 64;
// Differences below this, relative to the largest entry, are round-off; those below the other one may be what solvers leave [-].
constexpr double k_no_difference = 1e-13, k_noise = 1e-9;
// Of errors, which fall with a power of the step, less than this is left of half a step; of noise more [-].
constexpr double k_falls = 0.5;
// Shortest steps as parts of the interval of outputs: where something jumps, and where nothing does [-].
constexpr double k_smallest_event_step = 1.0 / 4096, k_smallest_smooth_step = 1e-7;
// Jumps that no event tells of: how many in an interval are followed, and the step after one as a part of it [-].
constexpr int k_most_silent_jumps = 8;
constexpr double k_after_jump = 1.0 / 16;

bool has_impact(const StepReport& report) {
  return std::any_of(report.events.begin(), report.events.end(),
                     [](const Event& event) { return event.kind == EventKind::impact; });
}

bool has_jump(const StepReport& report) {
  return !report.events.empty() || report.captured > 0;
}

}  // namespace

ErrorControl::ErrorControl(std::unique_ptr<Stepper> stepper, ControlRule rule)
    : stepper_(std::move(stepper)), rule_(std::move(rule)) {}

bool ErrorControl::take(const System& system, double t_end, double t_next) {
  const double t_middle = 0.5 * (now_.t + t_end);
  whole_ = now_;
  stepper_->advance(system, whole_, {.t_end = t_end, .t_next = t_next}, whole_report_);
  if (!whole_report_.ok) {
    std::swap(part_, whole_report_);
    return false;
  }
  halves_ = now_;
  stepper_->advance(system, halves_, {.t_end = t_middle, .t_next = t_end}, halves_report_);
  if (!halves_report_.ok) {
    std::swap(part_, halves_report_);
    return false;
  }
  stepper_->advance(system, halves_, {.t_end = t_end, .t_next = t_next}, part_);
  if (!part_.ok) return false;
  halves_report_.append(part_);
  return true;
}

ErrorControl::Estimate ErrorControl::estimate(const System& system, double h) {
  Estimate out;
  out.jumps = rule_.captures || has_jump(whole_report_) || has_jump(halves_report_);
  out.order = rule_.order;
  const double share = out.jumps ? 1.0 : 1.0 / (std::pow(2.0, rule_.order) - 1);
  const double allowed = rule_.tolerance * (out.jumps ? k_event_share : h / k_second);
  const double size = 1 + largest_coordinate(system, halves_.q), speed_size = 1 + max_abs(halves_.v);
  const auto above_round_off = [](double x, double scale) { return x > k_no_difference * scale ? x : 0.0; };
  system.difference(halves_.q, whole_.q, error_);
  const double way = above_round_off(error_.cwiseAbs().maxCoeff(&out.worst), size);
  out.length = share * way;
  out.error = out.length / (allowed * size);
  out.difference = way / size;
  out.moves = way > k_event_share * rule_.tolerance * size;
  if (rule_.published) estimate_published(system, out);
  if (out.jumps) return out;
  error_ = halves_.v - whole_.v;
  int worst = -1;
  const double change = above_round_off(error_.cwiseAbs().maxCoeff(&worst), speed_size),
               speed = share * change;
  out.difference = std::max(out.difference, change / speed_size);
  if (const double error = speed / (allowed * speed_size); error > out.error) {
    out.error = error;
    out.worst = worst;
    out.of_speed = true;
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
  const bool events = has_jump(whole_report_) || has_jump(halves_report_);
  switch (*rule_.published) {
    case OrderGuess::none:
      out.order = 0;
      break;
    case OrderGuess::status:
      out.order = closes_contact() || has_impact(whole_report_) || has_impact(halves_report_) ? 0 : 1;
      break;
    case OrderGuess::events:
      out.order = events || closes_contact() ? 0 : 1;
      break;
  }
  const double size = std::max(largest_coordinate(system, now_.q), largest_coordinate(system, halves_.q));
  out.length = error_.cwiseAbs().maxCoeff();
  out.error = out.length / (rule_.absolute.value_or(rule_.tolerance) + rule_.tolerance * size);
}

double ErrorControl::next_step(double h, const Estimate& estimate) const {
  if (rule_.published) {
    const double change =
        estimate.error > 0 ? std::pow(estimate.error, -1.0 / (estimate.order + 1)) : k_published_most;
    return h * std::clamp(change, k_published_least, k_published_most);
  }
  const double change =
      estimate.error > 0 ? k_safety * std::pow(estimate.error, -1.0 / rule_.order) : k_most_change;
  return h * std::clamp(change, k_least_change, k_most_change);
}

void ErrorControl::advance(const System& system, State& state, const StepRequest& request,
                           StepReport& report) {
  report.clear();
  report.t_begin = state.t;
  now_ = state;
  const double interval = request.t_end - state.t;
  const double smallest_smooth = std::max(k_smallest_smooth_step * interval, rule_.smallest_step);
  const double smallest_event = std::max(k_smallest_event_step * interval, rule_.smallest_step);
  double h = now_.history.controlled_step > 0 ? now_.history.controlled_step : interval;
  int silent_jumps = 0;
  struct {
    double step = 0, difference = 0, first_step = 0;
  } refused;
  while (now_.t < request.t_end) {
    const double rest = request.t_end - now_.t;
    // No short step before the end of the interval.
    const double wanted = std::max(h, smallest_smooth);
    const double step = wanted >= rest ? rest : wanted > 0.5 * rest ? 0.5 * rest : wanted;
    const double t_end = step == rest ? request.t_end : now_.t + step;
    if (!take(system, t_end, std::min(t_end + 0.5 * step, std::max(request.t_next, t_end)))) {
      if (part_.stopped || step <= smallest_event) {
        // The state stays before it, and so do energies and forces.
        report.warnings.insert(report.warnings.end(), part_.warnings.begin(), part_.warnings.end());
        report.ok = false;
        report.message = part_.message;
        report.stopped = part_.stopped;
        break;
      }
      ++report.rejected;
      h = k_after_failure * step;
      continue;
    }
    // A step that its own stepper has cut into parts says nothing if its halves were cut into the same ones.
    const long parts = whole_report_.substeps;
    if (parts > 1 && halves_report_.substeps < k_more_parts * static_cast<double>(parts) &&
        !has_jump(whole_report_) && !has_jump(halves_report_) && step > smallest_event) {
      ++report.rejected;
      h = step / static_cast<double>(std::min(parts, k_most_parts));
      continue;
    }
    const Estimate found = estimate(system, step);
    // A jump that no event has told of, as from a start that is not consistent: it moves nothing.
    const bool silent_jump = !found.moves && step <= smallest_event && silent_jumps++ < k_most_silent_jumps;
    const bool noise = !(found.error <= 1) && !found.jumps && found.difference < k_noise &&
                       step <= k_falls * refused.step && found.difference > k_falls * refused.difference;
    if (noise)
      report.warn(
          WarningKind::tolerance,
          fmt::format("t = {:.9g} s: the tolerance {:g} is below what the equations of a step are solved "
                      "to: steps of {:.2g} s and shorter differ by {:.1e} in '{}'",
                      now_.t, rule_.tolerance, refused.first_step, found.difference,
                      system.velocity_name(found.worst)));
    if (!(found.error <= 1) && !silent_jump && !noise) {
      refused = {step, found.difference, refused.first_step > 0 ? refused.first_step : step};
      const bool shortest = step <= (found.jumps ? smallest_event : smallest_smooth);
      if (!shortest) {
        ++report.rejected;
        h = std::min(next_step(step, found), k_safety * step);
        if (!std::isfinite(h)) h = k_after_failure * step;
        continue;
      }
      const std::string why = fmt::format(
          "t = {:.9g} s: the tolerance {:g} is not met by a step of {:.3g} s: the {} '{}' is off by {:.1f} "
          "times what is "
          "tolerated",
          now_.t, rule_.tolerance, step, found.of_speed ? "velocity" : "position",
          system.velocity_name(found.worst), found.error);
      if (!found.jumps) {
        report.ok = false;
        report.message =
            why + "; a motion that is not smooth without an event, or one too fast for this tolerance";
        break;
      }
      report.warn(WarningKind::tolerance, why + "; events at once that are not located one by one");
    }
    std::swap(now_, halves_);
    report.append(halves_report_);
    report.local_errors += found.length;
    report.smallest_step = report.smallest_step > 0 ? std::min(report.smallest_step, step) : step;
    // What was cut by the end of the interval does not shorten the steps that follow.
    const double next = silent_jump ? k_after_jump * interval
                        : noise     ? refused.first_step
                                    : next_step(step, found);
    refused = {};
    h = step < wanted ? std::max(wanted, next) : next;
  }
  now_.history.controlled_step = h;
  std::swap(state, now_);
}

}  // namespace delassus
