// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases V9 … V12: a rocking block, and the contact cases of SimBenchmark, with the default law, solver and stepper.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"

namespace delassus::cli {
namespace {

// Of Hermite's cubic through both ends of a step of length h, where its rate changes sign.
double turning_point(double h, double x0, double rate0, double x1, double rate1) {
  const double a = 2 * (x0 - x1) + h * (rate0 + rate1), b = 3 * (x1 - x0) - h * (2 * rate0 + rate1),
               c = h * rate0;
  // 3 a s² + 2 b s + c = 0 in the form that also holds for a → 0.
  const double root = std::sqrt(std::max(0.0, b * b - 3 * a * c));
  const double s = b < 0 ? c / (root - b) : -c / (root + b);
  return x0 + s * (c + s * (b + s * a));
}

}  // namespace

void verify_rocking_block(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V9");
  const std::vector<DataTree>& times = reference.find("impacts")->list;
  const std::vector<DataTree>& peaks = reference.find("peaks")->list;
  // As in the scene: the block turns with this inertia about the edge it stands on.
  constexpr double half_width = 0.1, half_height = 0.4;
  constexpr double inertia = 4.0 / 3 * (half_width * half_width + half_height * half_height);
  std::vector<double> ratios, highest;
  double angle = 0, rate = 0, last_impact = 0;
  run_scene("rocking_block", {"duration=1.6"}, [&](const Simulation& s, const StepReport& report) {
    std::vector<BodyMotion> motions;
    s.system().body_motions(s.state().t, s.state().q, s.state().v, motions);
    const BodyMotion& block = motions.back();
    const double angle_now = 2 * std::atan2(block.orientation[3], block.orientation[0]),
                 rate_now = block.angular_velocity.z();
    // Both corners of an edge land at once; `energy_change` is that of the whole impact.
    for (const Event& event : report.events)
      if (event.kind == EventKind::impact && event.time > last_impact) {
        last_impact = event.time;
        const double rate_before = event.velocity_before[0] / (2 * half_width);
        const std::string at = fmt::format("impact {}", ratios.size() + 1);
        if (ratios.size() < times.size())
          checks.near(at + " [s]", event.time, times[ratios.size()].number, Source::exact, k_close);
        ratios.push_back(std::sqrt(1 + event.energy_change / (0.5 * inertia * rate_before * rate_before)));
        checks.near(at + ": ratio of velocities", ratios.back(), number_at(reference, "ratio"), Source::exact,
                    k_close);
      }
    if (report.events.empty() && rate * rate_now < 0) {
      const double peak =
          std::abs(turning_point(report.t_end - report.t_begin, angle, rate, angle_now, rate_now));
      if (highest.size() < peaks.size())
        checks.near(fmt::format("peak {} [rad]", highest.size() + 1), peak, peaks[highest.size()].number,
                    Source::exact, k_close);
      highest.push_back(peak);
    }
    angle = angle_now, rate = rate_now;
    return true;
  });
  checks.within("impacts", static_cast<double>(ratios.size()), static_cast<double>(times.size()),
                Source::exact, 0);
  checks.within("peaks", static_cast<double>(highest.size()), static_cast<double>(peaks.size()),
                Source::exact, 0);
}

void verify_rolling_balls(Checks& checks) {
  const DataTree& reference = *paper("analytic").find("V10");
  // As in the scene.
  constexpr double force = 150, g = 9.81, plate_mass = 10, balls = 25, duration = 4;
  const Vector3 direction(0.5, 0, std::sqrt(0.75));
  const double plate_acceleration = (force - 0.4 * (plate_mass + balls) * g) / (plate_mass + balls * 2 / 7);
  double squared = 0, plate = 0, ball = 0;
  int samples = 0;
  run_scene("rolling_balls", {setting("duration", duration)}, [&](const Simulation& s, const StepReport&) {
    std::vector<BodyMotion> motions;
    s.system().body_motions(s.state().t, s.state().q, s.state().v, motions);
    for (std::size_t i = 1; i < motions.size(); ++i) {
      const double expected = (i == 1 ? 1.0 : 2.0 / 7) * plate_acceleration * s.state().t;
      squared += (motions[i].velocity - expected * direction).squaredNorm();
      ++samples;
    }
    plate = motions[1].velocity.norm() / s.state().t;
    ball = motions[2].velocity.norm() / s.state().t;
    return true;
  });
  // Printed with four decimals.
  constexpr double printed = 5e-5;
  checks.within("acceleration of the plate [m/s²]", plate, number_at(reference, "plate"), Source::exact,
                printed);
  checks.within("acceleration of a ball [m/s²]", ball, number_at(reference, "ball"), Source::exact, printed);
  checks.at_most("mean squared velocity error over 4 s [m²/s²]", squared / samples,
                 number_at(reference, "squared_error"));
  checks.within("samples", samples, 26 * 4000, Source::exact, 0);
}

void verify_frictionless_spheres(Checks& checks) {
  // 27 of the 216 spheres, and the tenth part of the time, where it must be short.
  const int spheres = checks.long_cases() ? 6 : 3;
  const double duration = checks.long_cases() ? 10 : 1;
  double sum = 0, deepest = 0;
  int steps = 0, most_contacts = 0;
  run_scene("frictionless_spheres", {setting("duration", duration), setting("constants.n", spheres)},
            [&](const Simulation&, const StepReport& report) {
              for (const ContactReport& contact : report.contacts) {
                const double depth = std::max(0.0, -contact.gap);
                sum += depth * depth;
                deepest = std::max(deepest, depth);
              }
              most_contacts = std::max(most_contacts, static_cast<int>(report.contacts.size()));
              ++steps;
              return true;
            });
  checks.at_most("mean of the summed squared penetration [m²]", sum / steps,
                 number_at(*paper("analytic").find("V11"), "squared_penetration"));
  checks.at_most("deepest penetration [m]", deepest, 1e-3);
  checks.within("steps", steps, std::round(duration * 1000), Source::exact, 0);
  // Every sphere of the lowest layer lies on the ground.
  checks.within("spheres in contact, at least", std::min(most_contacts, spheres * spheres), spheres * spheres,
                Source::exact, 0);
}

void verify_bouncing_balls(Checks& checks) {
  const double duration = checks.long_cases() ? 20 : 2;
  // As in the scene.
  constexpr double energy = 49 * 10 * 9.81 * 5;
  double squared = 0, worst = 0;
  int steps = 0, impacts = 0;
  run_scene("bouncing_balls", {setting("duration", duration)},
            [&](const Simulation&, const StepReport& report) {
              const double error = report.energy.kinetic + report.energy.potential - energy;
              squared += error * error;
              worst = std::max(worst, std::abs(error));
              for (const Event& event : report.events) impacts += event.kind == EventKind::impact;
              ++steps;
              return true;
            });
  checks.at_most(fmt::format("mean squared energy error over {:g} s [J²]", duration), squared / steps,
                 number_at(*paper("analytic").find("V12"), "squared_energy_error"));
  checks.at_most("largest energy error, relative", worst / energy, 1e-9);
  checks.within("steps", steps, std::round(duration * 1000), Source::exact, 0);
  // The centres fall by 4.9 m.
  const double fall_time = std::sqrt(2 * 4.9 / 9.81);
  checks.within("impacts", impacts, 49 * std::floor((duration / fall_time + 1) / 2), Source::exact, 0);
}

}  // namespace delassus::cli
