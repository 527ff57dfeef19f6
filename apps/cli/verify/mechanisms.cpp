// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases V3 … V7, U5: mechanisms of rigid bodies and joints, without contact.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/cli/load.hpp"
#include "apps/cli/verify/checks.hpp"
#include "delassus/formulation/multibody_system.hpp"

namespace delassus::cli {
namespace {

using Settings = std::vector<std::string>;

// Schemes of order 2 on rigid bodies and joints: every case runs with each of them.
struct Scheme {
  std::string name;
  Settings settings;
};
const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> all{
      {"trapezoidal-2", {"stepper.name=trapezoidal-2"}},
      {"alpha-gamma",
       {"stepper.name=alpha-gamma", "stepper.alpha=0.5", "stepper.gamma=0.5", "stepper.data=middle"}}};
  return all;
}

Settings with(const Scheme& scheme, double h, const Settings& more = {}) {
  Settings all = scheme.settings;
  all.push_back(setting("stepper.step", h));
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A model built here, run with the settings of a scene.
State run_model(const Model& model, const Settings& settings, double duration,
                const Simulation::Observer& observer = {}) {
  const auto system = std::make_shared<MultibodySystem>(model);
  const LoadedScene defaults = load_scene("pendulum", {settings.begin(), settings.end()});
  Simulation simulation(system, system->initial_state(), simulation_options(defaults.desc.run));
  if (observer) simulation.observe(observer);
  if (!simulation.run_until(duration) && !simulation.report().ok)
    throw InputError(fmt::format("the run stopped: {}", simulation.report().message));
  return simulation.state();
}

// Where a point of a body is.
Vector3 place(const System& system, const State& state, int body, const Vector3& local) {
  std::vector<BodyMotion> motions;
  system.body_motions(state.t, state.q, state.v, motions);
  return motions[body].position + rotate(motions[body].orientation, local);
}

Vector3 vector_at(const Value& table, const std::string& key) {
  const std::vector<Value>& list = table.find(key)->list;
  Vector3 out = Vector3::Zero();
  for (std::size_t i = 0; i < list.size(); ++i) out[static_cast<int>(i)] = list[i].number;
  return out;
}

// Errors at h, h/2, h/4, h/8 and their fitted order.
double order_over_halvings(double h, const std::function<double(double)>& error) {
  std::vector<double> steps, errors;
  for (int i = 0; i < 4; ++i, h /= 2) {
    steps.push_back(h);
    errors.push_back(error(h));
  }
  return fitted_order(steps, errors);
}

constexpr double k_order_low = 1.9, k_order_high = 2.1;
constexpr double k_drift = 1e-10;  // what a joint may be off, in metres

// Largest joint drift of a run.
Simulation::Observer watch_drift(double& drift) {
  return [&drift](const Simulation&, const StepReport& report) {
    drift = std::max(drift, report.certificate.joint_drift);
    return true;
  };
}

// 2N+1 bars of 1 m and 1 kg: N+1 verticals on the ground, N horizontals on top, all tops with velocity 1. Each bar is
// held in the plane, each pin takes its two directions there: 6(2N+1) − 1 equations, none of which depends on others
// until the bars lie flat.
Model make_four_bars(int n) {
  constexpr double length = 1, mass = 1, speed = 1, inertia = mass * length * length / 12;
  Model model;
  const auto bar = [&](const std::string& name, const Vector3& at, const Vector3& velocity, double turn) {
    Body body{.name = name, .mass = mass, .position = at, .velocity = velocity};
    body.kind = BodyKind::rigid;
    body.inertia = inertia * Matrix3::Identity();
    body.angular_velocity = {0, 0, turn};
    const int index = model.add(body);
    model.add(model.joint_at(JointKind::planar, name + "_plane", k_world, index, at));
    return index;
  };
  std::vector<int> verticals, horizontals;
  for (int i = 0; i <= n; ++i)
    verticals.push_back(
        bar(fmt::format("v{}", i), {i * length, length / 2, 0}, {speed / 2, 0, 0}, -speed / length));
  for (int i = 0; i < n; ++i)
    horizontals.push_back(bar(fmt::format("h{}", i), {(i + 0.5) * length, length, 0}, {speed, 0, 0}, 0));
  const auto pin = [&](const std::string& name, int a, int b, const Vector3& at) {
    model.add(model.joint_at(JointKind::point_on_line, name, a, b, at));
  };
  for (int i = 0; i <= n; ++i) pin(fmt::format("A{}", i), k_world, verticals[i], {i * length, 0, 0});
  for (int i = 0; i < n; ++i) {
    pin(fmt::format("B{}", i), verticals[i], horizontals[i], {i * length, length, 0});
    pin(fmt::format("C{}", i), horizontals[i], verticals[i + 1], {(i + 1) * length, length, 0});
  }
  return model;
}

Vector3 top_corner(const System& system, const State& state) {
  return place(system, state, 0, {0, 0.5, 0});
}

std::filesystem::path shared_data(const std::string& name) {
  const char* folder = std::getenv("DELASSUS_SHARED_DATA_DIR");
  return std::filesystem::path(folder != nullptr ? folder : "../shared/data") / name;
}

// Rows of numbers of a text file; empty when there is none.
std::vector<std::vector<double>> read_rows(const std::filesystem::path& path) {
  std::vector<std::vector<double>> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    std::vector<double> row;
    for (double x = 0; numbers >> x;) row.push_back(x);
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

// A model of data/adams_joints: a pendulum of 1 kg on the ground, gravity along −z.
struct AdamsCase {
  std::string name;
  JointKind kind;
  Vector3 joint, center;  // of the joint and of the centre of mass, at the start
  Vector3 axis, second;   // of the joint
  Vector3 inertia;        // along world axes at the start
};

Model make_adams(const AdamsCase& c) {
  Model model;
  model.gravity = {0, 0, -9.80665};
  Body body{.name = "pendulum", .mass = 1, .position = c.center};
  body.kind = BodyKind::rigid;
  body.inertia = c.inertia.asDiagonal();
  model.add(body);
  model.add(model.joint_at(c.kind, "joint", k_world, 0, c.joint, c.axis, c.second));
  return model;
}

// The largest differences to the histories over 5 s.
void compare_history(const AdamsCase& c, const Scheme& scheme, Checks& checks) {
  constexpr double h = 1e-3, interval = 0.01;
  const std::string label = c.name + ", " + scheme.name;
  const auto positions = read_rows(shared_data("adams_joints/" + c.name + "_Pos.txt")),
             forces = read_rows(shared_data("adams_joints/" + c.name + "_Rforce.txt")),
             torques = read_rows(shared_data("adams_joints/" + c.name + "_Rtorque.txt"));
  if (positions.empty() || forces.size() != positions.size() || torques.size() != positions.size()) {
    checks.skip(label, "shared data not found");
    return;
  }
  const Model model = make_adams(c);
  const Matrix3 frame = rotation_matrix(model.joints[0].a.orientation);
  double position_error = 0, force_error = 0, torque_error = 0;
  std::size_t compared = 0;
  // A step gives the mean reaction over it: the mean of two neighbours is the one between them, up to h².
  std::vector<JointReaction> reactions;
  JointReaction previous;
  Vector3 position_before = Vector3::Zero();
  run_model(model, with(scheme, h), positions.back()[0] + h,
            [&](const Simulation& s, const StepReport& report) {
              const State& state = s.state();
              const double length = report.t_end - report.t_begin;
              s.system().reactions(state.t, state.q, report.joint_impulses / length, reactions);
              const std::size_t row = static_cast<std::size_t>(std::lround(report.t_begin / interval));
              if (row > 0 && row < positions.size() && std::abs(report.t_begin - positions[row][0]) < 1e-6) {
                const auto at = [row](const std::vector<std::vector<double>>& rows) {
                  return Vector3(rows[row][1], rows[row][2], rows[row][3]);
                };
                // The histories have what the ground feels, in world axes.
                const Vector3 force = -0.5 * frame * (previous.force + reactions[0].force),
                              torque = -0.5 * frame * (previous.torque + reactions[0].torque);
                position_error =
                    std::max(position_error, (position_before - at(positions)).lpNorm<Eigen::Infinity>());
                force_error = std::max(force_error, (force - at(forces)).lpNorm<Eigen::Infinity>());
                torque_error = std::max(torque_error, (torque - at(torques)).lpNorm<Eigen::Infinity>());
                ++compared;
              }
              previous = reactions[0];
              position_before = place(s.system(), state, 0, Vector3::Zero());
              return true;
            });
  checks.within(label + " instants compared", static_cast<double>(compared),
                static_cast<double>(positions.size() - 1), Source::exact, 0);
  checks.at_most(label + " position [m]", position_error, 1e-4);
  checks.at_most(label + " force [N]", force_error, 2e-3);
  checks.at_most(label + " torque [N·m]", torque_error, 2e-3);
}

}  // namespace

void verify_pendulum(Checks& checks) {
  const Value& reference = *paper("mechanisms").find("V3");
  const Vector3 end = vector_at(reference, "position");
  Model model;
  model.add(Body{.name = "bob", .mass = 1, .position = {-1, 0, 0}});
  model.add(distance_joint("rod", {.body = k_world}, {.body = 0}, 1));
  for (const Scheme& scheme : schemes()) {
    // The period: the bob is back where it started, at rest, when its velocity along the circle changes sign for the
    // second time.
    double period = 0, last_speed = 0, drift = 0;
    int turns = 0;
    const double h = 1e-3;
    const State state =
        run_model(model, with(scheme, h), 10, [&](const Simulation& s, const StepReport& report) {
          const double speed = s.state().v[1] * s.state().q[0] - s.state().v[0] * s.state().q[1];
          if (last_speed * speed < 0 && ++turns == 2)
            period = report.t_begin + h * last_speed / (last_speed - speed);
          last_speed = speed;
          drift = std::max(drift, report.certificate.joint_drift);
          return true;
        });
    const std::string label = ", " + scheme.name;
    checks.within("period, h = 1e-3" + label, period, number_at(reference, "period"), Source::exact, 1e-4);
    checks.within("x(10), h = 1e-3" + label, state.q[0], end[0], Source::exact, 1e-4);
    checks.within("y(10), h = 1e-3" + label, state.q[1], end[1], Source::exact, 1e-4);
    checks.at_most("joint drift [m]" + label, drift, k_drift);
    const double order = order_over_halvings(
        8e-3, [&](double step) { return (run_model(model, with(scheme, step), 10).q - end).norm(); });
    checks.between("order" + label, order, k_order_low, k_order_high);
  }
}

void verify_four_bars(Checks& checks) {
  const Value& reference = *paper("mechanisms").find("V4");
  const auto corner = [](int n, const Settings& settings, double duration, double& drift) {
    const Model model = make_four_bars(n);
    const MultibodySystem system(model);
    return top_corner(system, run_model(model, settings, duration, watch_drift(drift)));
  };
  const Vector3 two = vector_at(reference, "two_10");
  for (const Scheme& scheme : schemes()) {
    const std::string label = ", " + scheme.name;
    double drift = 0;
    const Vector3 end = corner(2, with(scheme, 1e-3), 10, drift);
    checks.within("N = 2 x(10)" + label, end[0], two[0], Source::exact, 1e-3);
    checks.within("N = 2 y(10)" + label, end[1], two[1], Source::exact, 1e-3);
    checks.at_most("N = 2 joint drift [m]" + label, drift, k_drift);
    const double order = order_over_halvings(
        4e-3, [&](double h) { return (corner(2, with(scheme, h), 10, drift) - two).norm(); });
    checks.between("N = 2 order" + label, order, k_order_low, k_order_high);
  }
  // The scene has hinges in space instead: equations that depend on others from the start.
  {
    double drift = 0;
    const LoadedScene scene = load_scene("n_four_bars", {});
    const Simulation initial = make_simulation(scene);
    const State state = run_scene("n_four_bars", {}, watch_drift(drift));
    checks.within("N = 2 hinges in space x(10)", top_corner(initial.system(), state)[0], two[0],
                  Source::exact, 1e-3);
    checks.at_most("N = 2 hinges in space joint drift [m]", drift, k_drift);
  }
  if (!checks.long_cases()) {
    checks.skip("N = 40", "long");
    return;
  }
  const Vector3 forty_10 = vector_at(reference, "forty_10"), forty_20 = vector_at(reference, "forty_20");
  const Model model = make_four_bars(40);
  const MultibodySystem system(model);
  double drift = 0;
  Vector3 at_10 = Vector3::Zero();
  const State state =
      run_model(model, with(schemes().front(), 1e-3), 20, [&](const Simulation& s, const StepReport& report) {
        drift = std::max(drift, report.certificate.joint_drift);
        if (std::abs(s.state().t - 10) < 1e-6) at_10 = top_corner(s.system(), s.state());
        return true;
      });
  const Vector3 at_20 = top_corner(system, state);
  for (int i = 0; i < 2; ++i) {
    const char* name = i == 0 ? "x" : "y";
    checks.within(fmt::format("N = 40 {}(10)", name), at_10[i], forty_10[i], Source::exact, 1e-3);
    checks.within(fmt::format("N = 40 {}(20)", name), at_20[i], forty_20[i], Source::exact, 1e-3);
  }
  checks.at_most("N = 40 joint drift [m]", drift, k_drift);
}

void verify_andrews(Checks& checks) {
  const Value& reference = *paper("mechanisms").find("V5");
  struct Angles {
    double beta, theta, gamma, beta_rate;
  };
  const double beta_0 = number_at(reference, "beta_0"), gamma_0 = number_at(reference, "gamma_0");
  const LoadedScene scene = load_scene("andrews", {});
  const Simulation initial = make_simulation(scene);
  const System& system = initial.system();
  BilateralRows rows;
  system.bilateral(0, initial.state().q, rows);
  checks.at_most("loop closure of the start [m]", rows.violation.lpNorm<Eigen::Infinity>(), 1e-12);
  const auto coordinate = [&](const std::string& joint) {
    for (int i = 0; i < system.num_joint_coordinates(); ++i)
      if (system.joint_coordinate_name(i).rfind(joint, 0) == 0) return i;
    throw std::logic_error("no coordinate of joint " + joint);
  };
  const int crank = coordinate("O"), second = coordinate("E"), third = coordinate("B");
  const auto run = [&](const Scheme& scheme, double h, double& drift) {
    const State state = run_scene("andrews", with(scheme, h), watch_drift(drift));
    Vector values, rates;
    system.joint_coordinates(state.t, state.q, state.v, values, rates);
    return Angles{beta_0 + values[crank], values[second], gamma_0 + values[third], rates[crank]};
  };
  constexpr double coarse = 1e-5;
  for (const Scheme& scheme : schemes()) {
    double drift = 0;
    const Angles a = run(scheme, coarse, drift), b = run(scheme, coarse / 2, drift);
    const auto extrapolate = [](double x, double y) { return y + (y - x) / 3; };
    const std::string label = ", " + scheme.name + ", extrapolated from h = 1e-5 and 5e-6";
    checks.near("beta" + label, extrapolate(a.beta, b.beta), number_at(reference, "beta"), Source::exact,
                1e-6);
    checks.near("theta" + label, extrapolate(a.theta, b.theta), number_at(reference, "theta"), Source::exact,
                1e-6);
    checks.near("gamma" + label, extrapolate(a.gamma, b.gamma), number_at(reference, "gamma"), Source::exact,
                1e-6);
    checks.near("beta rate" + label, extrapolate(a.beta_rate, b.beta_rate), number_at(reference, "beta_rate"),
                Source::exact, 1e-6);
    checks.at_most("joint drift [m], " + scheme.name, drift, k_drift);
  }
}

void verify_bricard(Checks& checks) {
  const Value& reference = *paper("mechanisms").find("V6");
  const auto corner = [](const System& system, const State& state) {
    return place(system, state, 2, {0, 0, 0.5});
  };
  const LoadedScene scene = load_scene("bricard", {});
  const Simulation initial = make_simulation(scene);
  const std::vector<Value>& states = reference.find("states")->list;
  for (const Scheme& scheme : schemes()) {
    double drift = 0, redundant = 0;
    std::size_t next = 0;
    run_scene("bricard", with(scheme, 1e-3, {"duration=10"}),
              [&](const Simulation& s, const StepReport& report) {
                drift = std::max(drift, report.certificate.joint_drift);
                redundant = std::max(redundant, static_cast<double>(report.certificate.redundant_joint_rows));
                if (next < states.size() && std::abs(s.state().t - number_at(states[next], "time")) < 1e-9) {
                  const Vector3 error = corner(s.system(), s.state()) - vector_at(states[next], "P3");
                  checks.at_most(fmt::format("error of P3({:g}), h = 1e-3, {}", s.state().t, scheme.name),
                                 error.norm(), 1e-4);
                  ++next;
                }
                return true;
              });
    checks.within("states compared, " + scheme.name, static_cast<double>(next),
                  static_cast<double>(states.size()), Source::exact, 0);
    checks.at_most("joint drift over 10 s [m], " + scheme.name, drift, k_drift);
    checks.within("redundant rows, " + scheme.name, redundant, 1, Source::exact, 0);
    const Vector3 exact = vector_at(
        *std::find_if(states.begin(), states.end(), [](const Value& v) { return number_at(v, "time") == 2; }),
        "P3");
    const double order = order_over_halvings(8e-3, [&](double h) {
      return (corner(initial.system(), run_scene("bricard", with(scheme, h, {"duration=2"}))) - exact).norm();
    });
    checks.between("order at t = 2, " + scheme.name, order, k_order_low, k_order_high);
  }
}

void verify_joint_histories(Checks& checks) {
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), z = Vector3::UnitZ(), o = Vector3::Zero(),
                slanted = Vector3(0, 1, 1).normalized(), along_x(0.04, 0.1, 0.1), along_y(0.1, 0.04, 0.1);
  const Vector3 tilted(1, 2, 3);
  const AdamsCase cases[] = {
      {"Revolute_Case01", JointKind::revolute, o, 2 * x, y, x, along_x},
      {"Revolute_Case02", JointKind::revolute, tilted, tilted + 2 * x, slanted, x, along_x},
      {"Spherical_Case01", JointKind::spherical, o, 2 * x, z, x, along_x},
      {"Spherical_Case02", JointKind::spherical, tilted, tilted + 2 * x, slanted, x, along_x},
      {"Universal_Case01", JointKind::universal, o, 2 * y, x, z, along_y},
      {"Universal_Case02", JointKind::universal, o, -2 * x, -z, y, along_x},
      {"Prismatic_Case01", JointKind::prismatic, o, 2 * x, z, x, along_x},
      {"Cylindrical_Case02", JointKind::cylindrical, o, 2 * x, y, x, along_x}};
  for (const Scheme& scheme : schemes())
    for (const AdamsCase& c : cases) compare_history(c, scheme, checks);
}

void verify_light_rod(Checks& checks) {
  const double duration = checks.long_cases() ? 60 : 6;
  double drift = 0, energy = 0;
  run_scene("light_rod_pendulum", {setting("duration", duration)},
            [&](const Simulation&, const StepReport& report) {
              drift = std::max(drift, report.certificate.joint_drift);
              energy = std::max(energy, std::abs(report.energy.kinetic + report.energy.potential));
              return true;
            });
  constexpr double scale = 10 * 9.81;  // the bob's energy of fall: the sum is 0 at the start
  checks.at_most(fmt::format("joint drift over {:g} s [m]", duration), drift, k_drift);
  checks.at_most(fmt::format("energy error over {:g} s, relative", duration), energy / scale, 1e-4);
}

}  // namespace delassus::cli
