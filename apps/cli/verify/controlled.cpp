// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases V1, V2, V8, V9 with a tolerance of 1e-8 instead of a step: impacts and their accumulation, friction, rocking.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"

namespace delassus::cli {
namespace {

constexpr double k_tolerance = 1e-8, k_wanted = 1e-7;
constexpr const char* k_steppers[] = {"trapezoidal-2", "event-capturing-rk"};

std::vector<std::string> controlled(const char* stepper, std::vector<std::string> settings = {}) {
  settings.push_back(std::string("stepper.name=") + stepper);
  settings.push_back(setting("stepper.tolerance", k_tolerance));
  return settings;
}

std::string titled(const char* stepper, const std::string& what) {
  return fmt::format("{}, tolerance {:g}: {}", stepper, k_tolerance, what);
}

}  // namespace

void verify_controlled_ball(Checks& checks) {
  const std::vector<DataTree>& states = paper("analytic").find("V1")->find("states")->list;
  for (const char* stepper : k_steppers) {
    std::size_t next = 0;
    double worst = 0;
    const State end =
        run_scene("bouncing_ball", controlled(stepper), [&](const Simulation& s, const StepReport&) {
          if (next < states.size() && std::abs(s.state().t - number_at(states[next], "time")) < 1e-9) {
            worst = std::max({worst, std::abs(s.state().q[1] - number_at(states[next], "q")),
                              std::abs(s.state().v[1] - number_at(states[next], "v"))});
            ++next;
          }
          return true;
        });
    checks.within(titled(stepper, "states compared"), static_cast<double>(next),
                  static_cast<double>(states.size()), Source::exact, 0);
    checks.at_most(titled(stepper, "error of q and v"), worst, k_wanted);
    checks.at_most(titled(stepper, "height and speed past the accumulation"),
                   std::max(std::abs(end.q[1]), std::abs(end.v[1])), k_wanted);
  }
}

void verify_controlled_rotating_ball(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V2");
  struct Case {
    const char *title, *key;
    std::vector<std::string> settings;
    double speed;
  };
  const Case cases[] = {
      {"(ii)", "ii", {}, -10.0 / 7},
      {"(iii)", "iii", {"constants.spin=10"}, -2.0 / 7},
      {"(iv)",
       "iv_newton",
       {"constants.e=0.5", "constants.x0=-0.5", "constants.speed=1", "constants.spin=50", "duration=1.5"},
       -5.0 / 7}};
  for (const char* stepper : k_steppers)
    for (const Case& c : cases) {
      const State end = run_scene("rotating_ball", controlled(stepper, c.settings));
      const DataTree& exact = *reference.find(c.key);
      checks.at_most(titled(stepper, fmt::format("{} error of x, phi and v_x", c.title)),
                     std::max({std::abs(end.q[0] - number_at(exact, "x")),
                               std::abs(end.q[2] - number_at(exact, "phi")), std::abs(end.v[0] - c.speed)}),
                     k_wanted);
    }
}

void verify_controlled_woodpecker(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V8");
  constexpr double beak_lever = 0.02;
  constexpr std::size_t tenth = 9;
  for (const char* stepper : k_steppers) {
    // The sleeve vibrates at 1000 rad/s: 1e-8 a second takes steps of 1e-7 s at order 2.
    if (!checks.long_cases() && stepper == std::string("trapezoidal-2")) {
      checks.skip(titled(stepper, "beak impacts"), "some minutes: with --all");
      continue;
    }
    std::vector<double> times, heights, speeds;
    double time = 0, height = 0;
    run_scene("woodpecker", controlled(stepper, {"duration=1.45", "stepper.step=2e-5"}),
              [&](const Simulation& s, const StepReport& report) {
                for (const Event& event : report.events) {
                  if (event.kind != EventKind::impact || s.system().contact_name(event.contact) != "beak")
                    continue;
                  const double fraction = (event.time - time) / (s.state().t - time);
                  times.push_back(event.time);
                  heights.push_back(height + fraction * (s.state().q[0] - height));
                  speeds.push_back(-event.velocity_before[0] / beak_lever);
                }
                time = s.state().t;
                height = s.state().q[0];
                return true;
              });
    checks.within(titled(stepper, "beak impacts until t = 1.45"), static_cast<double>(times.size()),
                  tenth + 1, Source::exact, 0);
    if (times.size() <= tenth) continue;
    checks.within(titled(stepper, "first beak impact"), times.front(),
                  number_at(reference, "first_beak_impact"), Source::exact, 1e-5);
    checks.within(titled(stepper, "speed before the tenth"), speeds[tenth],
                  number_at(reference, "speed_before"), Source::exact, 1e-3);
    checks.within(titled(stepper, "period to the tenth"), times[tenth] - times[tenth - 1],
                  number_at(reference, "period"), Source::exact, 1e-5);
    checks.within(titled(stepper, "fall in that period [m]"), heights[tenth - 1] - heights[tenth],
                  number_at(reference, "fall"), Source::exact, 1e-5);
  }
}

void verify_controlled_rocking_block(Checks& checks) {
  const std::vector<DataTree>& times = paper("analytic").find("V9")->find("impacts")->list;
  for (const char* stepper : k_steppers) {
    std::size_t found = 0;
    double last = 0, worst = 0;
    run_scene("rocking_block", controlled(stepper, {"duration=1.4"}),
              [&](const Simulation&, const StepReport& report) {
                for (const Event& event : report.events) {
                  if (event.kind != EventKind::impact || event.time <= last + 1e-6) continue;
                  last = event.time;
                  if (found < times.size()) worst = std::max(worst, std::abs(last - times[found].number));
                  ++found;
                }
                return true;
              });
    checks.within(titled(stepper, "impacts"), static_cast<double>(found), static_cast<double>(times.size()),
                  Source::exact, 0);
    checks.at_most(titled(stepper, "error of their times [s]"), worst, k_wanted);
  }
}

}  // namespace delassus::cli
