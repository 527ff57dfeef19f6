// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Lesson 4: a slider-crank in code: rigid bodies, joints, a motor, a force element of our own, reactions, statics and
// modes. Question and equations: README.md.
//
// Sample runs:  example_04_rigid_mechanism
//               example_04_rigid_mechanism --quick
#include <cmath>
#include <cstdio>
#include <cstring>

#include "delassus/delassus.hpp"

using namespace delassus;

namespace {

constexpr double r = 0.1, l = 0.3, force = 50, speed = 6, step = 1e-3;  // [m, m, N, rad/s, s]

int failures = 0;

void check(bool holds, const char* what) {
  std::printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
  if (!holds) ++failures;
}

// The gas pushes the slider outwards with a constant force: V = −F x.
class Gas final : public ForceElement {
 public:
  explicit Gas(int slider) : slider_(slider) {}
  std::string name() const override { return "gas"; }
  std::vector<int> bodies() const override { return {slider_}; }
  void add_wrenches(double, std::span<const BodyKinematics>, std::span<Vector6> wrenches) const override {
    wrenches[0][0] += force;
  }
  bool has_potential() const override { return true; }
  double potential(double, std::span<const BodyKinematics> bodies) const override {
    return -force * bodies[0].x.x();
  }

 private:
  int slider_;
};

Body bar(const char* name, double length, const Vector3& from, double angle) {
  Body body{.name = name, .kind = BodyKind::rigid};
  body.shapes = {{.kind = ShapeKind::box, .size = {length, 0.02, 0.02}}};
  const MassProperties steel = mass_properties(body.shapes, 7800);
  body.mass = steel.mass;
  body.inertia = steel.inertia;
  body.orientation = quaternion_exponential(angle * Vector3::UnitZ());
  body.position = from + rotate(body.orientation, Vector3(length / 2, 0, 0));
  return body;
}

struct SliderCrank {
  Model model;
  int crank = 0, rod = 0, slider = 0, shaft = 0, wrist = 0;
};

// Laid out at the crank angle theta; joints are made where the bodies lie.
SliderCrank make_slider_crank(double theta) {
  SliderCrank out;
  Model& model = out.model;
  model.gravity = {0, 0, 0};
  const Vector3 pin(r * std::cos(theta), r * std::sin(theta), 0);
  const double lean = -std::asin(pin.y() / l);
  const Vector3 end(pin.x() + l * std::cos(lean), 0, 0);
  out.crank = model.add(bar("crank", r, Vector3::Zero(), theta));
  out.rod = model.add(bar("rod", l, pin, lean));
  Body slider{.name = "slider", .mass = 0.6, .position = end, .kind = BodyKind::rigid};
  slider.inertia = 4e-4 * Matrix3::Identity();
  out.slider = model.add(slider);
  out.shaft = model.add(model.joint_at(JointKind::revolute, "shaft", k_world, out.crank, {0, 0, 0}));
  model.add(model.joint_at(JointKind::revolute, "pin", out.crank, out.rod, pin));
  // From the slider to the rod: the reaction is then given in axes of the slider, which does not turn.
  out.wrist = model.add(model.joint_at(JointKind::revolute, "wrist", out.slider, out.rod, end));
  model.add(model.joint_at(JointKind::prismatic, "rail", k_world, out.slider, end, Vector3::UnitX()));
  model.elements.push_back(std::make_shared<Gas>(out.slider));
  return out;
}

void run_with_motor(double t_end) {
  std::printf("A motor turns the crank at %g rad/s:\n", speed);
  SliderCrank mechanism = make_slider_crank(0);
  mechanism.model.motors.push_back({.name = "motor",
                                    .kind = Motor::Kind::velocity,
                                    .coordinate = {.joint = mechanism.shaft},
                                    .target = constant_law(speed)});
  const auto system = std::make_shared<MultibodySystem>(mechanism.model);
  // The bodies rest at the start; assembly gives them the velocities that the motor asks for.
  Simulation simulation(system, system->initial_state(), {.step = step});
  double angle_error = 0, position_error = 0, reaction_error = 0, drift = 0;
  const JointHandle shaft = simulation.find_joint("shaft"), wrist = simulation.find_joint("wrist");
  const BodyHandle slider = simulation.find_body("slider");
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    const double theta = speed * now.time(), c = std::cos(theta), s = std::sin(theta),
                 root = std::sqrt(l * l - r * r * s * s);
    const double x = r * c + root, acceleration = -speed * speed *
                                                  (r * c + r * r * (c * c - s * s) / root +
                                                   std::pow(r, 4) * s * s * c * c / std::pow(root, 3));
    const double on_rod = force - system->model().bodies[mechanism.slider].mass * acceleration;
    angle_error = std::max(angle_error, std::abs(now.joint(shaft).angle() - theta));
    position_error = std::max(position_error, std::abs(now.body(slider).position().x() - x));
    reaction_error = std::max(reaction_error, std::abs(now.joint(wrist).force().x() - on_rod));
    drift = std::max(drift, report.certificate.joint_drift);
  });
  check(simulation.run_until(t_end), "the run reaches its end");
  const Vector3 on_rod = simulation.joint(wrist).force();
  std::printf("  shaft at %.6f rad, wrist pushes the rod by (%.4f, %.4f) N\n",
              simulation.joint(shaft).angle(), on_rod.x(), on_rod.y());
  // Second order: (speed · step)² = 4e-5 of the size of the motion, and of the forces m r speed² = 2 N.
  check(angle_error < 1e-6, "the angle counts turns and follows the motor");
  check(position_error < 4e-5 * r, "the slider is where geometry puts it");
  check(reaction_error < 4e-5 * 2 * 5, "force on the rod = gas − mass × acceleration of the slider");
  check(drift < 1e-14, "joints hold to round-off");
}

void rest_and_swing() {
  std::printf("Without the motor:\n");
  const SliderCrank mechanism = make_slider_crank(1);
  const MultibodySystem system(mechanism.model);
  State state = system.initial_state();
  const EquilibriumResult rest = find_equilibrium(system, state);
  check(rest.ok, "there is an equilibrium");
  Vector values, rates;
  system.joint_coordinates(state.t, state.q, state.v, values, rates);
  std::printf("  the crank turns by %.9f rad\n", values[0]);
  check(std::abs(values[0] + 1) < 1e-6, "the gas stretches the mechanism: the crank comes to angle 0");

  const Linearization small = compute_linearization(system, state);
  check(small.ok && small.num_freedoms == 1 && small.modes.size() == 1, "one motion is left free");
  const Body &crank = mechanism.model.bodies[mechanism.crank], &rod = mechanism.model.bodies[mechanism.rod];
  const double inertia = crank.inertia(2, 2) + crank.mass * r * r / 4 + rod.mass * r * r / 4 +
                         rod.inertia(2, 2) * r * r / (l * l);
  const double exact = std::sqrt(force * r * (1 + r / l) / inertia) / (2 * M_PI);
  std::printf("  it swings about it with %.6f Hz\n", small.modes.empty() ? 0.0 : small.modes[0].frequency);
  check(!small.modes.empty() && std::abs(small.modes[0].frequency / exact - 1) < 1e-6,
        "with the frequency of README.md");
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  run_with_motor(quick ? 1.5 : 10.0);
  rest_and_swing();
  return failures == 0 ? 0 : 1;
}
