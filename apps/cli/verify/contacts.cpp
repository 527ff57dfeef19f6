// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases U1 … U11 (U5 is in mechanisms.cpp): contact that must be right with the default law, solver and stepper.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

constexpr double k_still = 1e-10;  // [m/s]
constexpr double k_round_off = 1e-12;

// What a run showed at the end of its steps; bodies as they are recorded, fixed ones too.
struct Motion {
  std::vector<BodyMotion> start, end;
  double speed = 0;         // largest of all origins [m/s]
  double displacement = 0;  // largest distance of an origin from its start [m]
  double lift = 0;          // largest |y − y at the start| [m]
  double penetration = 0;   // [m]
  double energy_low = 0, energy_high = 0;
  int warm_iterations = 0;  // most of a step but the first
  int contacts = 0;         // most at a time
  int steps = 0;
  std::vector<Event> impacts;

  void see(const Simulation& s, const StepReport& report) {
    s.system().body_motions(s.state().t, s.state().q, s.state().v, end);
    for (std::size_t i = 0; i < end.size(); ++i) {
      const Vector3 moved = end[i].position - start[i].position;
      speed = std::max(speed, end[i].velocity.norm());
      displacement = std::max(displacement, moved.norm());
      lift = std::max(lift, std::abs(moved.y()));
    }
    penetration = std::max(penetration, report.certificate.penetration);
    const double energy = report.energy.kinetic + report.energy.potential;
    energy_low = steps == 0 ? energy : std::min(energy_low, energy);
    energy_high = steps == 0 ? energy : std::max(energy_high, energy);
    if (steps > 0) warm_iterations = std::max(warm_iterations, report.certificate.iterations);
    contacts = std::max(contacts, static_cast<int>(report.contacts.size()));
    for (const Event& event : report.events)
      if (event.kind == EventKind::impact) impacts.push_back(event);
    ++steps;
  }
};

Motion watch(const std::string& scene, const std::vector<std::string>& settings,
             const StepWatcher& more = {}) {
  Motion motion;
  {
    const Simulation initial(load_scene(scene, {settings.begin(), settings.end()}));
    initial.system().body_motions(0, initial.state().q, initial.state().v, motion.start);
  }
  run_scene(scene, settings, [&](const Simulation& s, const StepReport& report) {
    motion.see(s, report);
    return !more || more(s, report);
  });
  return motion;
}

}  // namespace

void verify_pulled_box(Checks& checks) {
  constexpr double limit = 0.5 * k_gravity, duration = 1;
  const Motion held = watch("pulled_box", {"constants.pull=4.900"});
  checks.at_most("4.900 N: largest speed [m/s]", held.speed, k_still);
  checks.at_most("4.900 N: displacement [m]", held.displacement, k_still);
  const Motion slips = watch("pulled_box", {"constants.pull=4.906"});
  checks.near("4.906 N: speed after 1 s [m/s]", slips.end.back().velocity.x(), (4.906 - limit) * duration,
              Source::exact, k_close);
  checks.near("4.906 N: way after 1 s [m]", slips.displacement, 0.5 * (4.906 - limit) * duration * duration,
              Source::exact, k_close);
}

void verify_sliding_cube(Checks& checks) {
  constexpr double speed = 6, deceleration = 0.5 * k_gravity;
  double worst = 0;
  const Motion motion = watch("sliding_cube", {}, [&](const Simulation& s, const StepReport&) {
    const double t = s.state().t;
    worst = std::max(worst, std::abs(s.state().v[0] - std::max(0.0, speed - deceleration * t)));
    return true;
  });
  checks.at_most("lift [m]", motion.lift, 1e-9);
  checks.at_most("|speed − (6 − μ g t)| at any time [m/s]", worst, k_close);
  checks.near("way until it stands [m]", motion.end.back().position.x(), speed * speed / (2 * deceleration),
              Source::exact, k_close);
  checks.at_most("speed at rest [m/s]", motion.end.back().velocity.norm(), k_still);
}

void verify_pinched_capsule(Checks& checks) {
  constexpr double duration = 10;
  const Motion motion = watch("gripper_pinch", {setting("duration", duration)});
  checks.at_most("creep over 10 s [m/s]", motion.displacement / duration, 1e-9);
  checks.at_most("largest speed [m/s]", motion.speed, 1e-9);
  checks.at_most("penetration [m]", motion.penetration, 1e-9);
  checks.within("contacts of both fingers, at least", std::min(motion.contacts, 2), 2, Source::exact, 0);
}

void verify_heavy_on_light(Checks& checks) {
  for (double ratio : {1.0, 10.0, 100.0, 1e3, 1e4}) {
    const Motion motion = watch("heavy_on_light", {setting("constants.ratio", ratio)});
    checks.at_most(fmt::format("1:{:g}: penetration [m]", ratio), motion.penetration, 1e-6);
    checks.at_most(fmt::format("1:{:g}: displacement [m]", ratio), motion.displacement, 1e-6);
  }
}

void verify_ball_ball_wall(Checks& checks) {
  for (double gap : {0.0, 0.1}) {
    const Motion motion = watch("ball_ball_wall", {setting("constants.gap", gap)});
    const std::string name = gap > 0 ? "apart from the wall" : "touching the wall";
    checks.near("highest energy, " + name + " [J]", motion.energy_high, 0.5, Source::exact, k_round_off);
    checks.near("lowest energy, " + name + " [J]", motion.energy_low, 0.5, Source::exact, k_round_off);
    checks.near("speed of the ball that hit, " + name + " [m/s]", motion.end.back().velocity.x(), -1,
                Source::exact, k_round_off);
  }
}

void verify_dropped_ball(Checks& checks) {
  // Both are in the scene, too.
  constexpr double height = 1, radius = 0.1;
  const double fall_time = std::sqrt(2 * height / k_gravity);
  for (double e : {0.0, 1.0}) {
    double peak = 0, speed = 0;
    const Motion motion =
        watch("dropped_ball", {setting("constants.e", e)}, [&](const Simulation& s, const StepReport&) {
          if (s.state().t < fall_time + s.options().step) return true;
          // The top of the parabola through this state.
          peak = std::max(peak, s.state().q[1] - radius + s.state().v[1] * s.state().v[1] / (2 * k_gravity));
          speed = std::max(speed, s.state().v.norm());
          return true;
        });
    const std::string name = fmt::format("e = {:g}: ", e);
    checks.within(name + "time of the first impact [s]",
                  motion.impacts.empty() ? NAN : motion.impacts.front().time, fall_time, Source::exact,
                  1e-10);
    checks.within(name + "height it returns to [m]", peak, e * height, Source::exact, k_round_off);
    if (e == 0) {
      checks.at_most(name + "speed after the impact [m/s]", speed, k_round_off);
      checks.within(name + "impacts", static_cast<double>(motion.impacts.size()), 1, Source::exact, 0);
    } else {
      checks.within(name + "impacts", static_cast<double>(motion.impacts.size()), 3, Source::exact, 0);
    }
  }
}

void verify_box_stack(Checks& checks) {
  const double duration = checks.long_cases() ? 60 : 4;
  const Motion motion = watch("box_stack", {setting("duration", duration)});
  checks.at_most(fmt::format("drift over {:g} s [m]", duration), motion.displacement, 1e-9);
  checks.at_most("largest speed [m/s]", motion.speed, 1e-9);
  checks.at_most("penetration [m]", motion.penetration, 1e-9);
  checks.within("contacts", motion.contacts, 40, Source::exact, 0);
}

void verify_resting_cube(Checks& checks) {
  const Motion motion = watch("sliding_cube", {"constants.speed=0"});
  checks.at_most("iterations of a warm step", motion.warm_iterations, 5);
  checks.within("contacts", motion.contacts, 4, Source::exact, 0);
  checks.at_most("displacement [m]", motion.displacement, k_round_off);
  checks.at_most("penetration [m]", motion.penetration, k_round_off);
}

void verify_incline(Checks& checks) {
  constexpr double mu = 0.5, excess = 1e-6, duration = 1;
  const Motion sticks = watch("box_on_incline", {setting("constants.excess", -excess)});
  checks.at_most("atan μ − 1e-6: largest speed [m/s]", sticks.speed, k_still);
  checks.at_most("atan μ − 1e-6: displacement [m]", sticks.displacement, k_still);
  const double slope = std::atan(mu) + excess;
  const double acceleration = k_gravity * (std::sin(slope) - mu * std::cos(slope));
  const Motion slips = watch("box_on_incline", {setting("constants.excess", excess)});
  checks.near("atan μ + 1e-6: speed after 1 s [m/s]", slips.end.back().velocity.norm(),
              acceleration * duration, Source::exact, k_close);
  checks.near("atan μ + 1e-6: way after 1 s [m]", slips.displacement,
              0.5 * acceleration * duration * duration, Source::exact, k_close);
}

void verify_three_balls(Checks& checks) {
  const Motion motion = watch("three_balls", {});
  const double expected[] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
  for (int i = 0; i < 3; ++i)
    checks.near(fmt::format("speed of ball {}", i + 1), motion.end[i].velocity.x(), expected[i],
                Source::exact, k_round_off);
  checks.near("energy after [J]", motion.energy_low, 0.5, Source::exact, k_round_off);
}

}  // namespace delassus::cli
