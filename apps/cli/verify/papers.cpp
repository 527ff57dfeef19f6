// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases A, B, C, D: the tables of Potra et al. 2006 and Gavrea et al. 2008.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"

namespace delassus::cli {
namespace {

// Three printed digits.
constexpr double k_printed_3 = 5e-3;
constexpr double k_printed_4 = 5e-4;
constexpr double k_reproduced = 1e-6;

// q = (x1, y1, x2, y2) of the two masses.
Eigen::Vector4d planar(const State& state) {
  return {state.q[0], state.q[1], state.q[3], state.q[4]};
}

}  // namespace

void verify_double_pendulum(Checks& checks) {
  const DataTree& table = paper("s0_table_10_1");
  Eigen::Vector4d exact;
  for (int i = 0; i < 4; ++i) exact[i] = table.find("exact")->list[i].number;
  std::vector<double> steps, errors;
  for (const DataTree& row : table.find("rows")->list) {
    const double h = number_at(row, "step");
    const std::string at = fmt::format("h = {}", row.find("step")->text);
    const State state = run_scene("double_pendulum_wall", {setting("stepper.step", h)});
    const double error = (planar(state) - exact).norm();
    const Vector3 x1 = state.q.head<3>(), x2 = state.q.tail<3>();
    checks.near("E_h, " + at, error, number_at(row, "error"), Source::scheme, k_reproduced);
    checks.near("E_h, " + at + ", printed", error, number_at(row, "paper"), Source::paper, k_printed_3);
    checks.near("Theta1, " + at, x1.squaredNorm() - 1, number_at(row, "theta1"), Source::scheme,
                k_reproduced);
    checks.near("Theta2, " + at, (x2 - x1).squaredNorm() - 1, number_at(row, "theta2"), Source::scheme,
                k_reproduced);

    // Beyond the paper: joints that hold, at the same order.
    double drift = 0;
    const State held =
        run_scene("double_pendulum_wall", {setting("stepper.step", h), "stepper.projection=all"},
                  [&](const Simulation&, const StepReport& report) {
                    drift = std::max(drift, report.certificate.joint_drift);
                    return true;
                  });
    checks.at_most("joint drift with projection, " + at, drift, 1e-12);
    steps.push_back(h);
    errors.push_back((planar(held) - exact).norm());
  }
  checks.between("order with projection", fitted_order(steps, errors), 1.9, 2.1);

  const std::vector<DataTree>& impacts = table.find("impacts")->list;
  std::size_t next = 0;
  run_scene("double_pendulum_wall", {"stepper.step=2^-11", "stepper.projection=all"},
            [&](const Simulation& s, const StepReport& report) {
              for (const Event& event : report.events) {
                if (event.kind != EventKind::impact || next >= impacts.size()) continue;
                const std::string name =
                    fmt::format("impact {} ({})", next + 1, s.system().contact_name(event.contact));
                checks.within(name + " time", event.time, number_at(impacts[next], "time"), Source::exact,
                              1e-6);
                checks.within(name + " velocity", event.velocity_before[0],
                              number_at(impacts[next], "velocity"), Source::exact, 1e-5);
                ++next;
              }
              return true;
            });
  checks.within("number of impacts", static_cast<double>(next), static_cast<double>(impacts.size()),
                Source::exact, 0);
}

void verify_block(Checks& checks) {
  const DataTree& table = paper("s0_block");
  const double exact_2 = number_at(table, "exact_2"), exact_10 = number_at(table, "exact_10");
  const auto error = [&](const std::vector<std::string>& settings, double exact) {
    return std::abs(run_scene("block_on_table", settings).q[0] - exact);
  };
  double previous = 0;
  std::vector<double> steps, errors;
  for (const DataTree& row : table.find("rows")->list) {
    const std::string at = fmt::format("h = {}", row.find("step")->text),
                      h = setting("stepper.step", number_at(row, "step"));
    const double first =
        error({h, "duration=2", "stepper.name=trapezoidal-1", "stepper.detect_transitions=false"}, exact_2);
    const double second = error({h, "duration=2", "stepper.detect_transitions=false"}, exact_2);
    checks.near("scheme 1, " + at, first, number_at(row, "scheme1"), Source::scheme, k_reproduced);
    if (row.find("paper1") != nullptr)
      checks.near("scheme 1, " + at + ", printed", first, number_at(row, "paper1"), Source::paper,
                  k_printed_4);
    checks.near("scheme 2, " + at, second, number_at(row, "scheme2"), Source::scheme, k_reproduced);
    checks.near("scheme 2, " + at + ", printed", second, number_at(row, "paper2"), Source::paper,
                k_printed_4);
    checks.near("located, T = 2, " + at, error({h, "duration=2"}, exact_2), number_at(row, "detected2"),
                Source::scheme, k_reproduced);
    const double located = error({h}, exact_10);
    checks.near("located, T = 10, " + at, located, number_at(row, "detected10"), Source::scheme,
                k_reproduced);
    if (previous > 0) checks.between("located, T = 10, ratio at " + at, previous / located, 3.9, 4.1);
    previous = located;
    steps.push_back(number_at(row, "step"));
    errors.push_back(located);
  }
  checks.between("order with located transitions, T = 10", fitted_order(steps, errors), 1.95, 2.05);

  const std::vector<DataTree>& transitions = table.find("transitions")->list;
  std::size_t next = 0;
  run_scene("block_on_table", {"stepper.step=2^-10"}, [&](const Simulation&, const StepReport& report) {
    for (const Event& event : report.events)
      if (next < transitions.size()) {
        checks.within(fmt::format("transition {} ({})", next + 1, to_string(event.kind)), event.time,
                      transitions[next].number, Source::exact, 1e-5);
        ++next;
      }
    return true;
  });
  checks.within("number of transitions", static_cast<double>(next), static_cast<double>(transitions.size()),
                Source::exact, 0);

  // Gavrea et al. 2008, §9.2: positions of the family and the total variation of v and of the weighted velocity.
  const DataTree& s4 = *table.find("s4");
  for (const DataTree& row : s4.find("positions")->list) {
    double variation = 0, weighted = 0, last_v = 0, last_w = 0;
    const State state = run_scene(
        "block_on_table",
        {"stepper.step=0.01", "stepper.name=alpha-gamma", setting("stepper.alpha", number_at(row, "alpha")),
         setting("stepper.gamma", number_at(row, "gamma")), "stepper.detect_transitions=false"},
        [&](const Simulation& s, const StepReport&) {
          const double v = s.state().v[0], w = s.state().history.weighted_velocity[0];
          variation += std::abs(v - last_v);
          weighted += std::abs(w - last_w);
          last_v = v, last_w = w;
          return true;
        });
    const std::string name =
        fmt::format("alpha-gamma ({:g}, {:g})", number_at(row, "alpha"), number_at(row, "gamma"));
    checks.near(name + " x(10)", state.q[0], number_at(row, "x"), Source::scheme, 1e-11);
    if (number_at(row, "alpha") != 0.5) continue;
    checks.near(name + " variation of v", variation, number_at(s4, "variation_v"), Source::scheme,
                k_reproduced);
    checks.near(name + " variation of weighted v", weighted, number_at(s4, "variation_weighted"),
                Source::scheme, k_reproduced);
  }
}

void verify_carts(Checks& checks) {
  for (const DataTree& row : paper("s0_carts").find("rows")->list) {
    const double energy = number_at(row, "energy");
    double highest = 0;
    const State state = run_scene(
        "two_carts",
        {setting("constants.delta", number_at(row, "delta")),
         setting("constants.gamma", number_at(row, "gamma")), setting("constants.x0", number_at(row, "x0")),
         setting("constants.v0", number_at(row, "v0")), setting("duration", number_at(row, "duration"))},
        [&](const Simulation&, const StepReport& report) {
          highest = std::max(highest, report.energy.kinetic + report.energy.potential);
          return true;
        });
    const std::string name =
        fmt::format("delta = {:g}, gamma = {:g}", number_at(row, "delta"), number_at(row, "gamma"));
    checks.near("distance, " + name, state.q[3] - state.q[0], number_at(row, "scheme"), Source::scheme,
                k_reproduced);
    checks.near("distance, " + name + ", exact", state.q[3] - state.q[0], number_at(row, "exact"),
                Source::exact, 1e-3);
    checks.at_most("highest energy / initial, " + name, highest / energy, 1 + 1e-12);
  }
}

void verify_held_point(Checks& checks) {
  constexpr double epsilon = 1e-3, h = 0.01, T = 1;
  for (double alpha : {0.5, 0.75, 1.0}) {
    double variation = 0, last = epsilon, weighted = 0;
    double alternating = 0;
    int step = 0;
    run_scene("held_point",
              {setting("stepper.alpha", alpha), setting("stepper.step", h), setting("duration", T),
               setting("constants.eps", epsilon)},
              [&](const Simulation& s, const StepReport&) {
                const double v = s.state().v[0];
                variation += std::abs(v - last);
                weighted = std::max(weighted, std::abs(s.state().history.weighted_velocity[0]));
                alternating = std::max(alternating, std::abs(v - (++step % 2 == 0 ? epsilon : -epsilon)));
                last = v;
                return true;
              });
    const std::string name = fmt::format("alpha = {:g}", alpha);
    checks.at_most("weighted velocity, " + name, weighted, 1e-18);
    if (alpha == 0.5) {
      checks.at_most("v alternates, " + name, alternating, 1e-15);
      checks.near("variation of v, " + name, variation, 2 * epsilon * T / h, Source::exact, 1e-9);
    } else {
      checks.near("variation of v, " + name, variation, epsilon / (2 * alpha - 1), Source::exact, 1e-9);
    }
  }
}

}  // namespace delassus::cli
