// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lesson 1: a model in code, stepped, observed, cloned, saved and restored. Question and equations:
// README.md.
//
// Sample runs:  example_01_first_steps
//               example_01_first_steps --quick
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "delassus/delassus.hpp"

using namespace delassus;

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  std::printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
  if (!holds) ++failures;
}

// A point mass on a rod of 1 m, released from the horizontal; it meets the wall x = 0 at its lowest point.
Model make_pendulum() {
  Model model;
  const int bob = model.add({.name = "bob", .mass = 2, .position = {1, 0, 0}});
  model.add(distance_joint("rod", {}, {.body = bob}, 1));
  model.plane_contacts.push_back(
      {.name = "wall", .body = bob, .normal = Vector3::UnitX(), .restitution = 0.5});
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const double t_end = quick ? 1.5 : 10.0;

  // A system is made of a model once and never changes; the state is all that moves.
  const auto system = std::make_shared<MultibodySystem>(make_pendulum());
  const SimulationOptions options{.step = 1e-3};
  Simulation simulation(system, system->initial_state(), options);

  std::printf("Step one by one:\n");
  for (int i = 0; i < 3; ++i) {
    const StepReport& report = simulation.step();
    std::printf("  t = %.3f s  y = %.9f m  joint drift %.1e m  residual %.1e\n", simulation.state().t,
                simulation.state().q[1], report.certificate.joint_drift,
                report.certificate.momentum_residual);
  }

  // A state is a value: copy it to branch off, or write it as text that keeps every bit.
  const State clone = simulation.state();
  std::stringstream file;
  save(simulation.state(), file);

  std::printf("Run and observe:\n");
  std::vector<Event> impacts;
  double worst_drift = 0;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    worst_drift = std::max(worst_drift, report.certificate.joint_drift);
    for (const Event& event : report.events) {
      if (event.kind != EventKind::impact) continue;
      if (impacts.size() < 3)
        std::printf("  impact at %.6f s: %.6f m/s before, %.6f m/s after\n", event.time,
                    event.velocity_before[0], event.velocity_after[0]);
      impacts.push_back(event);
    }
  });
  check(simulation.run_until(t_end), "the run reaches its end");
  check(!impacts.empty() && std::abs(impacts[0].time - 0.591960486894) < 1e-6,
        "first impact after a quarter of the pendulum's period");
  check(!impacts.empty() && std::abs(impacts[0].velocity_before[0] + std::sqrt(2 * 9.81)) < 1e-5,
        "with the speed of a free fall of 1 m");
  check(!impacts.empty() &&
            std::abs(impacts[0].velocity_after[0] + 0.5 * impacts[0].velocity_before[0]) < 1e-12,
        "and it rebounds with half of it");
  check(worst_drift < 1e-12, "the rod keeps its length to round-off");

  Simulation second(system, clone, options);
  second.run_until(t_end);
  check(second.state() == simulation.state(), "the clone arrives at the same bits");
  Simulation third(system, load_state(file, "memory"), options);
  third.run_until(t_end);
  check(third.state() == simulation.state(), "so does the state that was saved and loaded");
  return failures == 0 ? 0 : 1;
}
