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

#include "apps/cli/verify/checks.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/front/load_scene.hpp"

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
      {"generalized-alpha", {"stepper.name=generalized-alpha"}},
      {"trapezoidal-2", {"stepper.name=trapezoidal-2"}},
      {"alpha-gamma",
       {"stepper.name=alpha-gamma", "stepper.alpha=0.5", "stepper.gamma=0.5", "stepper.data=middle"}},
      {"trapezoidal-implicit", {"stepper.name=trapezoidal-implicit"}},
      {"trapezoidal-linearized", {"stepper.name=trapezoidal-linearized"}},
      {"newmark", {"stepper.name=newmark"}},
      {"hht (α = −0.02)", {"stepper.name=hht", "stepper.hht_alpha=-0.02"}},
      {"energy-midpoint", {"stepper.name=energy-midpoint"}}};
  return all;
}

// The expensive cases take the default scheme alone in the short suite.
std::vector<Scheme> affordable(const Checks& checks) {
  return checks.long_cases() ? schemes() : std::vector<Scheme>{schemes().front()};
}

Settings with(const Scheme& scheme, double h, const Settings& more = {}) {
  Settings all = scheme.settings;
  all.push_back(setting("stepper.step", h));
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A model built here, run with the settings of a scene.
State run_model(const Model& model, const Settings& settings, double duration,
                const StepWatcher& observer = {}) {
  const auto system = std::make_shared<MultibodySystem>(model);
  const Scene defaults = load_scene("pendulum", {settings.begin(), settings.end()});
  Simulation simulation(system, system->initial_state(), defaults.desc.run.options);
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

Vector3 vector_at(const DataTree& table, const std::string& key) {
  const std::vector<DataTree>& list = table.find(key)->list;
  Vector3 out = Vector3::Zero();
  for (std::size_t i = 0; i < list.size(); ++i) out[static_cast<int>(i)] = list[i].number;
  return out;
}

constexpr double k_order_low = 1.9, k_order_high = 2.1;
// Passing singular positions adds an error of higher order, which the coarse steps still show.
constexpr double k_order_high_singular = 3.5;
constexpr double k_drift = 1e-10;  // what a joint may be off, in metres

// Largest joint drift of a run.
StepWatcher watch_drift(double& drift) {
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

// Angle and rate of a pendulum after `duration`, by Runge-Kutta's method; the reference of these cases.
void swing(const std::function<double(double)>& acceleration, double duration, int steps, double& angle,
           double& rate) {
  const double h = duration / steps;
  for (int k = 0; k < steps; ++k) {
    const double v1 = rate, a1 = acceleration(angle), v2 = rate + h / 2 * a1,
                 a2 = acceleration(angle + h / 2 * v1), v3 = rate + h / 2 * a2,
                 a3 = acceleration(angle + h / 2 * v2), v4 = rate + h * a3, a4 = acceleration(angle + h * v3);
    angle += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

// A model of data/adams_joints: a pendulum of 1 kg on the ground, at rest at the start, gravity along −z. All of them swing about
// an axis that stays (or fall), so that their motion is known exactly too: some of the files have errors larger than ours.
struct AdamsCase {
  std::string name;
  JointKind kind;
  Vector3 joint, center;  // of the joint and of the centre of mass, at the start
  Vector3 axis, second;   // of the joint
  Vector3 inertia;        // along world axes at the start
  Vector3 swing;          // the axis about which it swings; zero: it falls freely
};

constexpr double k_adams_gravity = 9.80665;

Model make_adams(const AdamsCase& c) {
  Model model;
  model.gravity = {0, 0, -k_adams_gravity};
  Body body{.name = "pendulum", .mass = 1, .position = c.center};
  body.kind = BodyKind::rigid;
  body.inertia = c.inertia.asDiagonal();
  model.add(body);
  model.add(model.joint_at(c.kind, "joint", k_world, 0, c.joint, c.axis, c.second));
  return model;
}

// A rod of 1 m along x with its frame in the middle.
Body light_link(const std::string& name, double mass) {
  Body body{.name = name, .mass = mass};
  body.kind = BodyKind::rigid;
  body.shapes = {{.kind = ShapeKind::box, .size = {1, 0.05, 0.05}}};
  body.inertia = mass_properties(body.shapes, mass / shape_volume(body.shapes[0])).inertia;
  return body;
}

// Links on hinges about axes in turn, every other one lighter by the ratio.
Model make_mass_ratio_chain(int n, double ratio) {
  Model model;
  for (int i = 0; i < n; ++i) {
    Body link = light_link(fmt::format("link{}", i), i % 2 == 0 ? 1 / ratio : 1);
    link.position = {i + 0.5, 0, 0};
    model.add(link);
    model.add(model.joint_at(JointKind::revolute, fmt::format("hinge{}", i), i - 1, i,
                             {static_cast<double>(i), 0, 0},
                             i % 3 == 0 ? Vector3::UnitY() : Vector3::UnitZ()));
  }
  return model;
}

// Position of the centre of mass, force and torque on the ground at the joint; the exact one has no torques.
struct History {
  std::vector<Vector3> positions, forces, torques;
};

// J θ̈ = swing · (r × m g)
History exact_history(const AdamsCase& c, std::size_t count, double interval) {
  constexpr int substeps = 100;
  const Vector3 gravity(0, 0, -k_adams_gravity), r_0 = c.center - c.joint;
  const bool falls = c.swing.isZero();
  const double inertia = falls ? 1 : c.swing.dot(c.inertia.asDiagonal() * c.swing) + r_0.squaredNorm();
  const auto arm = [&](double angle) { return rotate(quaternion_exponential(angle * c.swing), r_0); };
  const auto acceleration = [&](double angle) { return c.swing.dot(arm(angle).cross(gravity)) / inertia; };
  History out;
  double x = 0, v = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) * interval;
    if (falls) {
      out.positions.emplace_back(c.center + 0.5 * t * t * gravity);
      out.forces.emplace_back(Vector3::Zero());
      continue;
    }
    const Vector3 r = arm(x);
    out.positions.emplace_back(c.joint + r);
    out.forces.emplace_back(gravity - acceleration(x) * c.swing.cross(r) + v * v * r);
    swing(acceleration, interval, substeps, x, v);
  }
  return out;
}

// Ours at the same instants. A step gives the mean reaction over it: the mean of two neighbours is the one between them, up to h².
History our_history(const AdamsCase& c, const Settings& settings, std::size_t count, double interval,
                    double h) {
  const Model model = make_adams(c);
  const Matrix3 frame = rotation_matrix(model.joints[0].a.orientation);
  History out;
  out.positions.push_back(c.center);
  std::vector<JointReaction> reactions;
  Vector3 force_before = Vector3::Zero(), torque_before = Vector3::Zero(), position_before = Vector3::Zero();
  const auto per_interval = static_cast<std::size_t>(std::lround(interval / h));
  std::size_t step = 0;
  const double end = static_cast<double>(count - 1) * interval + h;
  run_model(model, settings, end, [&](const Simulation& s, const StepReport& report) {
    const State& state = s.state();
    s.system().reactions(state.t, state.q, state.v, report.joint_impulses / (report.t_end - report.t_begin),
                         reactions);
    const Vector3 force = -frame * reactions[0].force, torque = -frame * reactions[0].torque;
    if (step == 0) {
      out.forces.push_back(force);
      out.torques.push_back(torque);
    }
    if (step > 0 && step % per_interval == 0) {
      out.positions.push_back(position_before);
      out.forces.emplace_back(0.5 * (force_before + force));
      out.torques.emplace_back(0.5 * (torque_before + torque));
    }
    force_before = force;
    torque_before = torque;
    position_before = place(s.system(), state, 0, Vector3::Zero());
    ++step;
    return true;
  });
  return out;
}

// The start is left out: a first step knows the force only up to h.
double largest_difference(const std::vector<Vector3>& a, const std::vector<Vector3>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 1; i < a.size(); ++i) worst = std::max(worst, (a[i] - b[i]).lpNorm<Eigen::Infinity>());
  return worst;
}

std::vector<Vector3> vectors(const std::vector<std::vector<double>>& rows) {
  std::vector<Vector3> out;
  for (const auto& row : rows) out.emplace_back(row.at(1), row.at(2), row.at(3));
  return out;
}

void compare_history(const AdamsCase& c, const Scheme& scheme, Checks& checks) {
  constexpr double h = 1e-3, interval = 0.01, position_tolerance = 1e-4, force_tolerance = 2e-3;
  constexpr std::size_t count = 501;
  const std::string label = c.name + ", " + scheme.name;
  const History exact = exact_history(c, count, interval),
                ours = our_history(c, with(scheme, h), count, interval, h);
  checks.at_most(label + ", position to exact [m]", largest_difference(ours.positions, exact.positions),
                 position_tolerance);
  checks.at_most(label + ", force to exact [N]", largest_difference(ours.forces, exact.forces),
                 force_tolerance);
  const History file{vectors(read_rows(shared_data("adams_joints/" + c.name + "_Pos.txt"))),
                     vectors(read_rows(shared_data("adams_joints/" + c.name + "_Rforce.txt"))),
                     vectors(read_rows(shared_data("adams_joints/" + c.name + "_Rtorque.txt")))};
  if (file.positions.empty() || file.forces.empty() || file.torques.empty()) {
    checks.skip(label + ", file", "shared data not found");
    return;
  }
  const double file_position = largest_difference(file.positions, exact.positions),
               file_force = largest_difference(file.forces, exact.forces);
  checks.at_most(fmt::format("{}, position to file (off by {:.0e}) [m]", label, file_position),
                 largest_difference(ours.positions, file.positions), position_tolerance + file_position);
  checks.at_most(fmt::format("{}, force to file (off by {:.0e}) [N]", label, file_force),
                 largest_difference(ours.forces, file.forces), force_tolerance + file_force);
  checks.at_most(label + ", torque to file [N·m]", largest_difference(ours.torques, file.torques),
                 force_tolerance);
}

}  // namespace

// A rod on a ball joint that swings round and spins: the conservative scheme keeps its energy.
static void verify_spatial_energy(Checks& checks) {
  Model model;
  Body rod = light_link("rod", 1);
  rod.position = {0.5, 0, 0};
  rod.angular_velocity = {5, 1, 0};
  model.add(rod);
  model.add(model.joint_at(JointKind::spherical, "ball", k_world, 0, Vector3::Zero()));
  // Small swings take 2π √(2L/3g); those with this amplitude somewhat longer.
  const double period = 2 * M_PI * std::sqrt(2.0 / (3 * 9.81)), scale = 9.81 * 0.5;
  const int periods = checks.long_cases() ? 1000 : 10;
  double start = 0, drift = 0;
  bool first = true;
  run_model(model, {"stepper.name=energy-midpoint", setting("stepper.step", period / 200)}, periods * period,
            [&](const Simulation&, const StepReport& report) {
              const double energy = report.energy.kinetic + report.energy.potential;
              if (first) start = energy;
              first = false;
              drift = std::max(drift, std::abs(energy - start));
              return true;
            });
  checks.at_most(
      fmt::format("energy of a spatial pendulum over {} periods, energy-midpoint, relative", periods),
      drift / scale, 1e-6);
}

void verify_pendulum(Checks& checks) {
  const DataTree& reference = *paper("mechanisms").find("V3");
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
    checks.order(
        "order", scheme.name, 2e-3,
        [&](double step) { return (run_model(model, with(scheme, step), 10).q - end).norm(); }, k_order_low,
        k_order_high);
  }
  verify_spatial_energy(checks);
}

void verify_four_bars(Checks& checks) {
  const DataTree& reference = *paper("mechanisms").find("V4");
  const auto corner = [](int n, const Settings& settings, double duration, double& drift) {
    const Model model = make_four_bars(n);
    const MultibodySystem system(model);
    return top_corner(system, run_model(model, settings, duration, watch_drift(drift)));
  };
  const Vector3 two = vector_at(reference, "two_10");
  for (const Scheme& scheme : affordable(checks)) {
    const std::string label = ", " + scheme.name;
    double drift = 0;
    const Vector3 end = corner(2, with(scheme, 1e-3), 10, drift);
    checks.within("N = 2 x(10)" + label, end[0], two[0], Source::exact, 1e-3);
    checks.within("N = 2 y(10)" + label, end[1], two[1], Source::exact, 1e-3);
    checks.at_most("N = 2 joint drift [m]" + label, drift, k_drift);
    checks.order(
        "N = 2 order", scheme.name, 4e-3,
        [&](double h) { return (corner(2, with(scheme, h), 10, drift) - two).norm(); }, k_order_low,
        k_order_high_singular);
  }
  if (!checks.long_cases()) {
    checks.skip("N = 2 with hinges in space, N = 40", "long");
    return;
  }
  {
    // The scene has hinges in space instead: equations that depend on others from the start.
    double drift = 0;
    const Scene scene = load_scene("n_four_bars", {});
    const Simulation initial(scene);
    const State state = run_scene("n_four_bars", {}, watch_drift(drift));
    checks.within("N = 2 hinges in space x(10)", top_corner(initial.system(), state)[0], two[0],
                  Source::exact, 1e-3);
    checks.at_most("N = 2 hinges in space joint drift [m]", drift, k_drift);
  }
  const Vector3 forty_10 = vector_at(reference, "forty_10"), forty_20 = vector_at(reference, "forty_20");
  // One scheme, for its time. The positions of linearly implicit schemes leave the joints by h³ before they are projected,
  // which the flat positions of many loops magnify; the default is not sensitive to it.
  const Scheme& scheme = schemes().front();
  const Model model = make_four_bars(40);
  const MultibodySystem system(model);
  double drift = 0;
  Vector3 at_10 = Vector3::Zero();
  const State state =
      run_model(model, with(scheme, 1e-3), 20, [&](const Simulation& s, const StepReport& report) {
        drift = std::max(drift, report.certificate.joint_drift);
        if (std::abs(s.state().t - 10) < 1e-6) at_10 = top_corner(s.system(), s.state());
        return true;
      });
  const Vector3 at_20 = top_corner(system, state);
  for (int i = 0; i < 2; ++i) {
    const char* name = i == 0 ? "x" : "y";
    checks.within(fmt::format("N = 40 {}(10), {}", name, scheme.name), at_10[i], forty_10[i], Source::exact,
                  1e-3);
    checks.within(fmt::format("N = 40 {}(20), {}", name, scheme.name), at_20[i], forty_20[i], Source::exact,
                  1e-3);
  }
  checks.at_most("N = 40 joint drift [m]", drift, k_drift);
}

void verify_andrews(Checks& checks) {
  const DataTree& reference = *paper("mechanisms").find("V5");
  struct Angles {
    double beta, theta, gamma, beta_rate;
  };
  const double beta_0 = number_at(reference, "beta_0"), gamma_0 = number_at(reference, "gamma_0");
  const Scene scene = load_scene("andrews", {});
  const Simulation initial(scene);
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
  for (const Scheme& scheme : affordable(checks)) {
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
  const DataTree& reference = *paper("mechanisms").find("V6");
  const auto corner = [](const System& system, const State& state) {
    return place(system, state, 2, {0, 0, 0.5});
  };
  const Scene scene = load_scene("bricard", {});
  const Simulation initial(scene);
  const std::vector<DataTree>& states = reference.find("states")->list;
  for (const Scheme& scheme : affordable(checks)) {
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
    // Fitted at the first of the times, or at t = 2 in the long suite.
    const DataTree& fitted = states[checks.long_cases() ? 2 : 0];
    const double T = number_at(fitted, "time");
    const Vector3 exact = vector_at(fitted, "P3");
    checks.order(
        fmt::format("order at t = {:g}", T), scheme.name, 2e-3,
        [&](double h) {
          const State end = run_scene("bricard", with(scheme, h, {setting("duration", T)}));
          return (corner(initial.system(), end) - exact).norm();
        },
        k_order_low, k_order_high);
  }
}

void verify_joint_histories(Checks& checks) {
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), z = Vector3::UnitZ(), o = Vector3::Zero(),
                slanted = Vector3(0, 1, 1).normalized(), along_x(0.04, 0.1, 0.1), along_y(0.1, 0.04, 0.1);
  const Vector3 aside(1, 2, 3);
  const AdamsCase cases[] = {
      {"Revolute_Case01", JointKind::revolute, o, 2 * x, y, x, along_x, y},
      {"Revolute_Case02", JointKind::revolute, aside, aside + 2 * x, slanted, x, along_x, slanted},
      {"Spherical_Case01", JointKind::spherical, o, 2 * x, z, x, along_x, y},
      {"Spherical_Case02", JointKind::spherical, aside, aside + 2 * x, slanted, x, along_x, y},
      {"Universal_Case01", JointKind::universal, o, 2 * y, x, z, along_y, x},
      {"Universal_Case02", JointKind::universal, o, -2 * x, -z, y, along_x, y},
      {"Prismatic_Case01", JointKind::prismatic, o, 2 * x, z, x, along_x, o},
      {"Cylindrical_Case02", JointKind::cylindrical, o, 2 * x, y, x, along_x, y}};
  for (const Scheme& scheme : affordable(checks))
    for (const AdamsCase& c : cases) compare_history(c, scheme, checks);
}

void verify_light_rod(Checks& checks) {
  const double duration = checks.long_cases() ? 60 : 6;
  // As in the scene; both together are one compound pendulum.
  constexpr double length = 1, rod_mass = 1e-3, rod_radius = 0.01, bob_mass = 10, bob_radius = 0.1, g = 9.81;
  constexpr double inertia = rod_mass * (rod_radius * rod_radius / 4 + length * length / 3) +
                             bob_mass * (0.4 * bob_radius * bob_radius + length * length),
                   moment = (rod_mass / 2 + bob_mass) * length * g;
  double drift = 0, stretch = 0, energy = 0;
  const State state =
      run_scene("light_rod_pendulum", {setting("duration", duration)},
                [&](const Simulation& s, const StepReport& report) {
                  drift = std::max(drift, report.certificate.joint_drift);
                  stretch = std::max(
                      stretch, std::abs(place(s.system(), s.state(), 1, Vector3::Zero()).norm() - length));
                  // The sum is 0 at the start.
                  energy = std::max(energy, std::abs(report.energy.kinetic + report.energy.potential));
                  return true;
                });
  double angle = 0, rate = 0;
  swing([&](double x) { return -moment / inertia * std::cos(x); }, duration,
        static_cast<int>(std::lround(duration * 1000)), angle, rate);
  const Simulation initial(load_scene("light_rod_pendulum", {}));
  const Vector3 bob = place(initial.system(), state, 1, Vector3::Zero());
  checks.at_most(fmt::format("joint drift over {:g} s [m]", duration), drift, k_drift);
  checks.at_most(fmt::format("|distance of the bob − 1| over {:g} s [m]", duration), stretch, k_drift);
  checks.at_most(fmt::format("energy error over {:g} s, relative", duration), energy / moment, 1e-4);
  // The phase error of the default step grows with the time.
  checks.within(fmt::format("angle({:g})", duration), std::atan2(bob[1], bob[0]),
                std::remainder(angle, 2 * M_PI), Source::exact, 1e-4 * duration);
  // Ten links of 1 kg and 1e-4 kg in turns.
  double chain_drift = 0;
  run_model(make_mass_ratio_chain(10, 1e4), {}, duration, watch_drift(chain_drift));
  checks.at_most(fmt::format("chain 1:10⁴: joint drift over {:g} s [m]", duration), chain_drift, k_drift);
}

}  // namespace delassus::cli
