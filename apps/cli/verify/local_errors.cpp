// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Case E, what one step of Moreau's scheme is off by when it begins on the exact solution [Acary 2009, section 4]. With a ball
// that falls with f and hits at t_k + σh (restitution ρ), v = v_k, q_k = −σ h v − ½ f σ² h²:
//
//   not caught, p = 0:   e_v = −(1+ρ)(v + σ h f)
//                        e_q = −(1+ρ)(1−σ) h v − f h² (ρσ(1−σ) − ½(1−σ)² + θ − ½σ²)                                (1)
//   caught, p > 0:       e_v = h f (1 − σ − ρσ)
//                        e_q = −(1+ρ)(1−θ−σ) h v − f h² (ρσ(1−σ) − ½(1−σ)² − ½σ²)                                  (2)
//
// and for a step from 3 − h to 3 + h, around the end of all bounces with f = −2, ρ = ½, 2^−n < h ≤ 2^(1−n), that catches none of them
//
//   e_v = 2h + 3/2^n                                                                                             (3)
//
// Differs from the source: (31) has ρ(1−σ+1) for ρ(1−σ) + 1, the wrong sign at ½(1−σ)² in (31) and (32) and at e_v of (2), and in (33)
// that of (3), which it gives for an impact that is caught; there e_v = h − 3/2^(n+1). Proposition 2 holds where the rows do not turn: below.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "apps/cli/verify/checks.hpp"

namespace delassus::cli {
namespace {

struct LocalError {
  double q = 0, v = 0;
};

struct BallStep {
  double sigma, theta, prediction, restitution;
};

constexpr double k_force = -2, k_fall_speed = -3;  // of the ball [m/s², m/s]

// One step of h as published, from a height and a velocity.
State step_ball(double height, double speed, double h, const BallStep& step) {
  return run_scene(
      "bouncing_ball",
      {"stepper.name=moreau-jean", "stepper.projection=none", setting("stepper.theta", step.theta),
       setting("stepper.prediction", step.prediction), setting("stepper.step", h), setting("duration", h),
       fmt::format("gravity=[0,{},0]", k_force), setting("contacts.floor.restitution", step.restitution),
       fmt::format("bodies.ball.position=[0,{:.17g},0]", height),
       fmt::format("bodies.ball.velocity=[0,{:.17g},0]", speed)});
}

LocalError ball_error(double h, const BallStep& step) {
  const double s = step.sigma * h, rest = h - s;
  const State end = step_ball(-s * k_fall_speed - 0.5 * k_force * s * s, k_fall_speed, h, step);
  const double up = -step.restitution * (k_fall_speed + s * k_force);
  return {up * rest + 0.5 * k_force * rest * rest - end.q[1], up + k_force * rest - end.v[1]};
}

// (1), (2)
LocalError expected_error(double h, const BallStep& step, bool caught) {
  const double f = k_force, v = k_fall_speed, s = step.sigma, rho = step.restitution, theta = step.theta;
  const double bend = rho * s * (1 - s) - 0.5 * (1 - s) * (1 - s) - 0.5 * s * s;
  if (caught) return {-(1 + rho) * (1 - theta - s) * h * v - f * h * h * bend, h * f * (1 - s - rho * s)};
  return {-(1 + rho) * (1 - s) * h * v - f * h * h * (bend + theta), -(1 + rho) * (v + s * h * f)};
}

void check_ball(Checks& checks) {
  constexpr double round_off = 1e-13, h = 0.01;
  for (const double theta : {0.5, 0.75, 1.0})
    for (const double restitution : {0.5, 1.0})
      for (const double sigma : {0.25, 0.75}) {
        // Φ + γ h v ≤ 0 where γ is above σ.
        const BallStep step{sigma, theta, 0.5, restitution};
        const bool caught = sigma < step.prediction;
        const LocalError found = ball_error(h, step), expected = expected_error(h, step, caught);
        const std::string title = fmt::format("local error, ball, theta = {:g}, rho = {:g}, {}: ", theta,
                                              restitution, caught ? "caught" : "not caught");
        checks.within(title + "v", found.v, expected.v, Source::exact, round_off);
        checks.within(title + "q", found.q, expected.q, Source::exact, round_off);
      }
}

void check_accumulation(Checks& checks) {
  // (3): x = 2^n h above √2 is not caught with γ = ½.
  constexpr double round_off = 1e-13, x = 1.75;
  for (int n = 3; n <= 9; n += 3) {
    const double part = std::exp2(-n), h = x * part;
    const State end = step_ball((h - part) * (2 * part - h), 2 * h - 3 * part, 2 * h, {0, 0.5, 0.5, 0.5});
    checks.within(fmt::format("local error of v, around the accumulation, n = {}", n), -end.v[1],
                  2 * h + 3 * part, Source::exact, round_off);
  }
  // Caught: the rebound of the scheme's rule, or rest; O(h) both, at most that of ρ for every active contact.
  for (const double caught : {1.1, 1.3}) {
    constexpr double part = 1.0 / 64;
    const double h = caught * part;
    const State end = step_ball((h - part) * (2 * part - h), 2 * h - 3 * part, 2 * h, {0, 0.5, 0.5, 0.5});
    checks.at_most(
        fmt::format("local error of v over h, around the accumulation, caught, h 2^n = {:g}", caught),
        std::abs(end.v[1]) / h, std::abs(1 - 1.5 / caught) + 1e-12);
  }
}

// m = 1, c = 0.2, k = 4 from (x, v) for a time s.
LocalError free_oscillator(double x, double v, double s) {
  const double decay = 0.1, w = std::sqrt(4 - decay * decay), b = (v + decay * x) / w;
  const double c = std::cos(w * s), d = std::sin(w * s), damped = std::exp(-decay * s);
  return {damped * (x * c + b * d), damped * (-decay * (x * c + b * d) + w * (b * c - x * d))};
}

State step_oscillator(const LocalError& from, double theta, double h) {
  return run_scene("oscillator_and_stop",
                   {"stepper.name=moreau-jean", "stepper.projection=none", setting("stepper.theta", theta),
                    setting("stepper.step", h), setting("duration", h),
                    fmt::format("lagrangian.position=[{:.17g}]", from.q),
                    fmt::format("lagrangian.velocity=[{:.17g}]", from.v)});
}

// With an impact of −2 m/s after σh; without one where σ > 1.
LocalError oscillator_error(double sigma, double theta, double h) {
  constexpr double speed = -2, restitution = 0.5;
  const double s = sigma * h;
  const LocalError begin = free_oscillator(0, speed, -s);
  const LocalError exact =
      sigma > 1 ? free_oscillator(begin.q, begin.v, h) : free_oscillator(0, -restitution * speed, h - s);
  const State end = step_oscillator(begin, theta, h);
  return {exact.q - end.q[0], exact.v - end.v[0]};
}

// A bead on a surface y = s(x), always in contact, pulled by a spring and held back by the air; gap and speed of approach are 0 to the bit
// at the start. Frictionless.
State slide_bead(const std::string& surface, std::vector<SceneSetting> settings, double duration) {
  settings.emplace_back(setting("duration", duration));
  settings.emplace_back("stepper.projection=none");
  const Scene scene = parse_scene(
      "{delassus: 1, lagrangian: {coordinates: [x, y], position: [0.5, 0.125], velocity: [1, 0.5], mass: "
      "[[1, 1]], "
      "forces: ['-5*x - v_x', '-9.81'], contacts: [{name: surface, gap: 'y - (" +
          surface + ")'}]}}",
      "bead", settings);
  Simulation simulation(scene);
  if (!simulation.run_until(duration)) throw InputError("the bead stopped: " + simulation.report().message);
  return simulation.state();
}

LocalError bead_error(const std::string& surface, double theta, double h) {
  // Of order 5: exact beside the scheme.
  constexpr double finer = 8;
  const State exact = slide_bead(
      surface,
      {"stepper.name=event-capturing-rk", "stepper.method=radau-5", setting("stepper.step", h / finer)}, h);
  const State end = slide_bead(
      surface, {"stepper.name=moreau-jean", setting("stepper.theta", theta), setting("stepper.step", h)}, h);
  return {(exact.q - end.q).norm(), (exact.v - end.v).norm()};
}

using ErrorAt = std::function<LocalError(double)>;

// Orders of both over h, h/2, h/4, h/8.
void check_orders(Checks& checks, const std::string& title, const std::string& scheme, const ErrorAt& error,
                  double order_q, double order_v) {
  constexpr double h = 0.01, near = 0.2;
  const auto order = [&](const char* of, double LocalError::*which, double expected) {
    checks.order(
        "local error, " + title + ": " + of, scheme, h,
        [&, which](double step) { return std::abs(error(step).*which); }, expected - near, expected + near);
  };
  order("q", &LocalError::q, order_q);
  order("v", &LocalError::v, order_v);
}

}  // namespace

void verify_local_errors(Checks& checks) {
  check_ball(checks);
  check_accumulation(checks);
  // Propositions 1 and 3: across an impact e_q = O(h); e_v = O(h) where it is caught in its step, O(1) where it is not.
  constexpr double caught = 0.25, missed = 0.75, no_impact = 2;
  for (const double theta : {0.5, 1.0}) {
    const std::string scheme = fmt::format("moreau-jean, theta = {:g}", theta);
    const auto of = [&](double sigma) { return [=](double h) { return oscillator_error(sigma, theta, h); }; };
    check_orders(checks, "impact that is caught", scheme, of(caught), 1, 1);
    check_orders(checks, "impact that is not caught", scheme, of(missed), 1, 0);
  }
  // Proposition 2: O(h²) in smooth motion, free or with contacts that persist, one order better at θ = ½. On a curved surface e_v = O(h):
  // rows that hold for v⁺ anywhere but at q⁺ are off by what their directions turn until then, also those at q_k+θ of the source.
  const auto at = [](double theta) { return fmt::format("moreau-jean, theta = {:g}", theta); };
  for (const double theta : {0.5, 1.0}) {
    const double order = theta == 0.5 ? 3 : 2;
    check_orders(
        checks, "free motion", at(theta), [=](double h) { return oscillator_error(no_impact, theta, h); },
        order, order);
    check_orders(
        checks, "persistent contact", at(theta), [=](double h) { return bead_error("x/2 - 1/8", theta, h); },
        order, order);
    check_orders(
        checks, "persistent contact on a curve", at(theta),
        [=](double h) { return bead_error("x^2/2", theta, h); }, 2, 1);
  }
}

}  // namespace delassus::cli
