// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases V1, V2, V8: impacts and friction with known motions.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"

namespace delassus::cli {
namespace {

struct Events {
  std::vector<Event> impacts, others;
  StepWatcher observer() {
    return [this](const Simulation&, const StepReport& report) {
      for (const Event& event : report.events)
        (event.kind == EventKind::impact ? impacts : others).push_back(event);
      return true;
    };
  }
};

}  // namespace

void verify_bouncing_ball(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V1");
  const std::vector<DataTree>& states = reference.find("states")->list;
  std::size_t next = 0;
  double last_impact = 0, zeno = 0;
  const State end = run_scene("bouncing_ball", {}, [&](const Simulation& s, const StepReport& report) {
    for (const Event& event : report.events) {
      if (event.kind == EventKind::impact) last_impact = event.time;
      if (event.kind == EventKind::zeno) zeno = event.time;
    }
    if (next < states.size() && std::abs(s.state().t - number_at(states[next], "time")) < 1e-9) {
      const std::string at = fmt::format("({:g})", s.state().t);
      checks.within("q" + at, s.state().q[1], number_at(states[next], "q"), Source::exact, 1e-10);
      checks.within("v" + at, s.state().v[1], number_at(states[next], "v"), Source::exact, 1e-10);
      ++next;
    }
    return true;
  });
  checks.within("states compared", static_cast<double>(next), static_cast<double>(states.size()),
                Source::exact, 0);
  checks.within("Zeno time", std::max(last_impact, zeno), number_at(reference, "zeno"), Source::exact, 1e-6);
  checks.at_most("height at rest", std::abs(end.q[1]), 1e-9);
  checks.at_most("speed at rest", std::abs(end.v[1]), 1e-12);
}

void verify_rotating_ball(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V2");
  const auto compare = [&](const std::string& name, const State& state, const std::string& key) {
    checks.near(name + " x", state.q[0], number_at(*reference.find(key), "x"), Source::exact, k_close);
    checks.near(name + " phi", state.q[2], number_at(*reference.find(key), "phi"), Source::exact, k_close);
  };
  {
    Events events;
    const State state = run_scene("rotating_ball", {"constants.e=0.5", "constants.spin=0", "duration=1.5"},
                                  events.observer());
    checks.within("(i) Zeno time", events.impacts.empty() ? NAN : events.impacts.back().time,
                  number_at(reference, "zeno"), Source::exact, 1e-6);
    checks.at_most("(i) speed at rest", state.v.norm(), 1e-12);
    checks.at_most("(i) gap at rest", std::abs(state.q[1] - 0.1), 1e-9);
  }
  {
    Events events;
    const State state = run_scene("rotating_ball", {}, events.observer());
    checks.within("(ii) impact", events.impacts.empty() ? NAN : events.impacts.front().time,
                  number_at(reference, "impact"), Source::exact, 1e-9);
    checks.within("(ii) end of slip", events.others.empty() ? NAN : events.others.front().time,
                  number_at(reference, "slip_end"), Source::exact, 1e-8);
    compare("(ii)", state, "ii");
    checks.near("(ii) v_x", state.v[0], -10.0 / 7, Source::exact, k_close);
  }
  {
    const State state = run_scene("rotating_ball", {"constants.spin=10"});
    compare("(iii)", state, "iii");
    checks.near("(iii) v_x", state.v[0], -2.0 / 7, Source::exact, k_close);
  }
  const std::vector<std::string> fourth{"constants.e=0.5", "constants.x0=-0.5", "constants.speed=1",
                                        "constants.spin=50", "duration=1.5"};
  {
    const State state = run_scene("rotating_ball", fourth);
    compare("(iv) Newton", state, "iv_newton");
    checks.near("(iv) Newton v_x", state.v[0], -5.0 / 7, Source::exact, k_close);
    checks.near("(iv) Newton v_phi", state.v[2], 50.0 / 7, Source::exact, k_close);
  }
  {
    std::vector<std::string> settings = fourth;
    settings.push_back("impact.law=poisson");
    compare("(iv) Poisson", run_scene("rotating_ball", settings), "iv_poisson");
  }
  // Captured impacts come up to a step late, and the ball turns on with its old spin until then: order 1.
  struct Run {
    const char *title, *key;
    std::vector<std::string> settings;
    double spin;
  };
  for (const char* stepper : {"moreau-jean", "dvi-euler"})
    for (const Run& run : {Run{"(ii)", "ii", {}, 50}, Run{"(iii)", "iii", {"constants.spin=10"}, 10},
                           Run{"(iv)", "iv_newton", fourth, 50}}) {
      const DataTree& exact = *reference.find(run.key);
      double worst = 0;
      for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
        std::vector<std::string> settings = run.settings;
        settings.insert(settings.end(),
                        {std::string("stepper.name=") + stepper, "law.name=coulomb-polyhedral",
                         "solver.name=lemke", setting("stepper.step", h)});
        const State state = run_scene("rotating_ball", settings);
        worst = std::max(
            worst, std::hypot(state.q[0] - number_at(exact, "x"), state.q[2] - number_at(exact, "phi")) / h);
      }
      checks.at_most(fmt::format("{} {}, error/step", run.title, stepper), worst, run.spin);
    }
}

void verify_woodpecker(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V8");
  constexpr double beak_lever = 0.02;  // hS: the gap of the beak falls by hS per radian of the bird
  struct BeakImpact {
    double time, height, speed;
  };
  std::vector<BeakImpact> impacts;
  double height = 0, time = 0;
  run_scene("woodpecker", {"duration=1.45", "stepper.step=2e-5"},
            [&](const Simulation& s, const StepReport& report) {
              const double t1 = s.state().t, y1 = s.state().q[0];
              for (const Event& event : report.events) {
                if (event.kind != EventKind::impact || s.system().contact_name(event.contact) != "beak")
                  continue;
                const double fraction = (event.time - time) / (t1 - time);
                impacts.push_back(
                    {event.time, height + fraction * (y1 - height), -event.velocity_before[0] / beak_lever});
              }
              height = y1, time = t1;
              return true;
            });
  // The motion approaches its limit cycle with periods that alternate around it; the reference is the tenth impact.
  constexpr std::size_t tenth = 9;
  checks.within("beak impacts until t = 1.45", static_cast<double>(impacts.size()), tenth + 1, Source::exact,
                0);
  if (impacts.size() <= tenth) return;
  checks.within("first beak impact", impacts.front().time, number_at(reference, "first_beak_impact"),
                Source::exact, 1e-5);
  checks.within("speed before the tenth", impacts[tenth].speed, number_at(reference, "speed_before"),
                Source::exact, 1e-3);
  checks.within("period to the tenth", impacts[tenth].time - impacts[tenth - 1].time,
                number_at(reference, "period"), Source::exact, 1e-5);
  checks.within("fall in that period [m]", impacts[tenth - 1].height - impacts[tenth].height,
                number_at(reference, "fall"), Source::exact, 1e-5);
}

}  // namespace delassus::cli
