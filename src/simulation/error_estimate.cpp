// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/error_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// (1): runs with a larger r do not converge [-].
constexpr double k_converges = 0.7;
// The same where events are captured by steps that are finer by four: a fourth is expected, chance brings some more [-].
constexpr double k_converges_captured = 0.5;
// How far d₁ falls below d₂ before it can be trusted again [-].
constexpr double k_again = 0.1;
// Differences of runs that diverge are more than this many sums of the errors of their steps [-].
constexpr double k_amplified = 10;
// Nor do those that agree to this part of what is tolerated: outputs within steps are that much off [-].
constexpr double k_agrees = 0.1;
// Differences below this part of the largest coordinate (or of 1 m) are round-off that has summed up [-].
constexpr double k_round_off = 1e-11;
// The window, as a part of all comparisons to each side, and at least [-].
constexpr std::size_t k_window_share = 50, k_least_window = 2;
// Of steps, where all events are captured by them, and of tolerances.
constexpr double k_finer_step = 2, k_finer_captured_step = 4, k_finer_tolerance = 4;
// No tolerance is smaller than the range of its setting allows [-].
constexpr double k_smallest_tolerance = 1e-13;

// Steps are what is finer, and all events are captured by them.
bool captures_by_steps(const Simulation& simulation) {
  const StepperSettings& asked = simulation.options().stepper;
  return !asked.tolerance && asked.name && captures_all_events(*asked.name);
}

std::unique_ptr<Simulation> make_finer(const Scene& scene, const Simulation& simulation, int level) {
  Scene finer = scene;
  SimulationOptions& options = finer.desc.run.options;
  if (StepperSettings& finest = options.stepper; simulation.options().stepper.tolerance) {
    const double factor = std::pow(k_finer_tolerance, level);
    finest = simulation.options().stepper;
    *finest.tolerance = std::max(*finest.tolerance / factor, k_smallest_tolerance);
    for (auto* absolute : {&finest.absolute_tolerance, &finest.length_tolerance, &finest.angle_tolerance,
                           &finest.speed_tolerance, &finest.angular_speed_tolerance})
      if (*absolute) **absolute /= factor;
  }
  // With a tolerance it is the interval of outputs, which may be what bounds the steps.
  options.step = simulation.options().step /
                 std::pow(captures_by_steps(simulation) ? k_finer_captured_step : k_finer_step, level);
  // The start has been judged.
  options.start = StartPolicy::accept;
  auto out = std::make_unique<Simulation>(finer);
  out->set_state(simulation.state());
  return out;
}

// What a tolerance allows of positions; 0 without one [m, rad].
double tolerated(const Simulation& simulation) {
  const StepperSettings& asked = simulation.options().stepper;
  if (!asked.tolerance) return 0;
  const double absolute = asked.absolute_tolerance.value_or(*asked.tolerance);
  return std::min(asked.length_tolerance.value_or(absolute), asked.angle_tolerance.value_or(absolute)) +
         *asked.tolerance * largest_coordinate(simulation.system(), simulation.state().q);
}

// The largest of some values within `reach` places of each.
std::vector<double> largest_around(const std::vector<double>& values, std::size_t reach) {
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = i > reach ? i - reach : 0, last = std::min(i + reach, values.size() - 1);
    out[i] = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                               values.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }
  return out;
}

std::vector<double> largest_so_far(std::vector<double> values) {
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = std::max(values[i], values[i - 1]);
  return values;
}

}  // namespace

ErrorEstimator::ErrorEstimator(const Scene& scene, const Simulation& simulation)
    : fine_(make_finer(scene, simulation, 1)), finest_(make_finer(scene, simulation, 2)) {}

void ErrorEstimator::compare(const Simulation& simulation) {
  if (!failure_.empty()) return;
  Comparison now{.t = simulation.time(), .steps = simulation.report().local_errors};
  if (!comparisons_.empty()) now.steps += comparisons_.back().steps;
  for (Simulation* finer : {fine_.get(), finest_.get()}) {
    if (finer->run_until(now.t)) continue;
    failed_from_ = finer->time();
    failure_ = fmt::format("a finer run stopped at t = {:.6g} s: {}", finer->time(), finer->report().message);
    return;
  }
  const System& system = simulation.system();
  system.difference(finest_->state().q, fine_->state().q, difference_);
  if (difference_.size() > 0) now.d2 = difference_.cwiseAbs().maxCoeff();
  system.difference(fine_->state().q, simulation.state().q, difference_);
  if (difference_.size() > 0) now.d1 = difference_.cwiseAbs().maxCoeff(&now.worst);
  comparisons_.push_back(now);
}

ErrorEstimate ErrorEstimator::at_end(const Simulation& simulation) const {
  ErrorEstimate out;
  if (!failure_.empty()) {
    out.predictable_until = failed_from_;
    out.reason = failure_;
    return out;
  }
  if (comparisons_.empty()) {
    out.reason = "no step was taken";
    return out;
  }
  std::vector<double> d1, d2;
  for (const Comparison& c : comparisons_) {
    d1.push_back(c.d1);
    d2.push_back(c.d2);
  }
  const std::size_t window = std::max(k_least_window, comparisons_.size() / k_window_share);
  const bool captured = captures_by_steps(simulation);
  for (std::vector<double>* d : {&d1, &d2}) *d = captured ? largest_so_far(*d) : largest_around(*d, window);
  const double none = k_round_off * (1 + largest_coordinate(simulation.system(), simulation.state().q));
  const double agreed = k_agrees * tolerated(simulation);
  const double limit = captured ? k_converges_captured : k_converges;
  double diverged = 0;  // the largest d₂ where the runs did not converge
  double from = 0;
  for (std::size_t i = 0; i < d1.size(); ++i) {
    const bool converges = d2[i] <= std::max(limit * d1[i], none) ||
                           std::max(d1[i], d2[i]) <= std::max(k_amplified * comparisons_[i].steps, agreed);
    if (!converges && diverged == 0) from = comparisons_[i].t;
    if (!converges)
      diverged = std::max(diverged, d2[i]);
    else if (captured || d1[i] <= k_again * diverged || diverged <= k_again * d1[i])
      diverged = 0;
  }
  if (diverged > 0) {
    out.predictable_until = from;
    out.reason = fmt::format("finer runs differ by {:.2g} m or rad, and do not converge", diverged);
    return out;
  }
  const double ratio = d1.back() > none ? std::min(d2.back() / d1.back(), k_converges) : k_converges;
  const Comparison& end = comparisons_.back();
  out.predictable = true;
  out.predictable_until = end.t;
  // At the end itself, not in the window.
  out.error = std::max(end.d1, end.d2) / (1 - ratio);
  if (end.worst >= 0) out.worst = simulation.system().velocity_name(end.worst);
  return out;
}

}  // namespace delassus
