// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lesson 2: a system in your own coordinates, given by C++ functions. Question and equations: README.md.
//
// Sample runs:  example_02_lagrangian_system
//               example_02_lagrangian_system --quick
#include <cmath>
#include <cstdio>
#include <cstring>

#include "delassus/delassus.hpp"

using namespace delassus;

namespace {

constexpr double k_cart = 2, k_bob = 1, k_length = 1, k_gravity = 9.81;

int failures = 0;

void check(bool holds, const char* what) {
  std::printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
  if (!holds) ++failures;
}

// Coordinates q = (x, θ): the cart on its rail, and the angle of the pendulum that hangs from it.
LagrangianDefinition make_crane() {
  LagrangianDefinition d;
  d.coordinates = {"x", "theta"};
  d.q0 = Eigen::Vector2d(0, 1.2);
  d.v0 = Eigen::Vector2d(0, 0);
  d.mass = [](double, const VectorRef& q, Matrix& M) {
    const double coupling = k_bob * k_length * std::cos(q[1]);
    M.resize(2, 2);
    M << k_cart + k_bob, coupling, coupling, k_bob * k_length * k_length;
  };
  // M varies with θ: let Lagrange's equations add the terms −Ṁ v + ½ ∂(vᵀMv)/∂q.
  d.automatic_coriolis = true;
  // With all derivatives given: nothing is approximated.
  d.potential = {
      .value = [](double, const VectorRef& q) { return -k_bob * k_gravity * k_length * std::cos(q[1]); },
      .gradient =
          [](double, const VectorRef& q, Vector& out) {
            out = Eigen::Vector2d(0, k_bob * k_gravity * k_length * std::sin(q[1]));
          },
      .hessian =
          [](double, const VectorRef& q, Matrix& out) {
            out.setZero(2, 2);
            out(1, 1) = k_bob * k_gravity * k_length * std::cos(q[1]);
          },
      .rate = [](double, const VectorRef&) { return 0.0; },
      .time_bias = [](double, const VectorRef&, const VectorRef&) { return 0.0; },
  };
  // From the value alone: derivatives by central differences.
  d.contacts.push_back({.name = "wall",
                        .gap = scalar_from_value([](double, const VectorRef& q) {
                          return q[0] + k_length * std::sin(q[1]);  // the bob may not pass x = 0
                        }),
                        .restitution = 1});
  return d;
}

struct Outcome {
  double energy_error = 0;  // largest |E(t) − E(0)| [J]
  int impacts = 0;
  Vector q;
};

Outcome run(const std::shared_ptr<const LagrangianSystem>& system, double step, double t_end) {
  Simulation simulation(system, system->initial_state(), {.step = step});
  const EnergyReport start = energy_of(*system, simulation.state());
  Outcome outcome;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    const double energy = report.energy.kinetic + report.energy.potential;
    outcome.energy_error = std::max(outcome.energy_error, std::abs(energy - start.kinetic - start.potential));
    for (const Event& event : report.events) outcome.impacts += event.kind == EventKind::impact;
  });
  check(simulation.run_until(t_end), "the run reaches its end");
  outcome.q = simulation.state().q;
  std::printf("  step %g s: %d impacts, energy error %.2e J, x = %.8f m, theta = %.8f\n", step,
              outcome.impacts, outcome.energy_error, outcome.q[0], outcome.q[1]);
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const double t_end = quick ? 1.0 : 5.0;
  const auto system = std::make_shared<const LagrangianSystem>(make_crane());
  const Outcome coarse = run(system, 2e-3, t_end), middle = run(system, 1e-3, t_end),
                fine = run(system, 5e-4, t_end);
  const double ratio = coarse.energy_error / middle.energy_error;
  const double order = std::log2((coarse.q - middle.q).norm() / (middle.q - fine.q).norm());
  std::printf("  energy error falls by %.2f, observed order of q %.2f\n", ratio, order);
  check(fine.impacts > 0 && coarse.impacts == fine.impacts, "the bob hits the wall, as often with each step");
  check(ratio > 3.5 && ratio < 4.5, "half the step, a quarter of the energy error");
  check(order > 1.8 && order < 2.2, "order 2 across the impacts");
  return failures == 0 ? 0 : 1;
}
