// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench peers: the swinging chain of `chains` beside Simbody and ODE, at the same accuracy: each engine runs
// through its steps (Simbody: its accuracies), and what counts is the time of the cheapest run whose bodies end within
// a given distance of the reference. The reference is ours, extrapolated from two fine steps; that Simbody, which has
// other coordinates and another integrator, comes as near to it as its accuracy says shows that it is right.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/bench.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/simulation/simulation.hpp"

#ifdef DELASSUS_HAS_SIMBODY
#include "apps/cli/peers/simbody_chain.hpp"
#endif
#ifdef DELASSUS_HAS_ODE
#include <ode/ode.h>
#endif

namespace delassus::cli {
namespace {

constexpr double k_duration = 1.0;  // [s]
constexpr int k_peer_sizes[] = {10, 100};
// The reference is extrapolated from steps of 2^-12 and 2^-13 s: far nearer to the limit than any run below.
constexpr int k_reference = 13;
// Steps 2^-k s and accuracies 10^-k that are tried, coarse to fine.
constexpr int k_first_step = 5, k_last_step = 14, k_first_accuracy = 1, k_last_accuracy = 9;
// A finer setting is not tried after a run of this much CPU time [s].
constexpr double k_longest = 20;
// Distances to the reference at which times are compared [m].
constexpr double k_targets[] = {1e-2, 1e-3, 1e-4};

using Positions = std::vector<Vector3>;  // of the bodies

struct Outcome {
  Positions positions;
  double seconds = 0;  // CPU time
  double drift = 0;    // of the joints, largest at the end of a step [m]
};
struct PeerRun {
  std::string setting;
  double seconds = 0;  // CPU time of a simulated second
  double error = 0;    // [m]
  double drift = 0;
};
struct PeerEngine {
  std::string name;
  bool accuracies = false;  // settings are 10^-k, else steps of 2^-k s
  std::function<Outcome(const Model& model, double setting)> run;
};

Outcome run_ours(const Model& model, const char* stepper, double step) {
  const auto system = std::make_shared<MultibodySystem>(model);
  Simulation simulation(system, system->initial_state(), {.step = step, .stepper = {.name = stepper}});
  Outcome out;
  simulation.observe([&](const Simulation&, const StepReport& report) {
    out.drift = std::max(out.drift, report.certificate.joint_drift);
    return report.ok;
  });
  const double started = cpu_seconds();
  const bool reached = simulation.run_until(k_duration);
  out.seconds = cpu_seconds() - started;
  if (!reached) out.drift = std::numeric_limits<double>::quiet_NaN();
  std::vector<BodyMotion> motions;
  const State& state = simulation.state();
  system->body_motions(state.t, state.q, state.v, motions);
  for (const BodyMotion& motion : motions) out.positions.push_back(motion.position);
  return out;
}

#ifdef DELASSUS_HAS_SIMBODY
PeerFrame peer_frame(const Attachment& attachment) {
  const Vector3& p = attachment.point;
  const Quaternion& q = attachment.orientation;
  return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

Outcome run_simbody(const Model& model, double accuracy) {
  std::vector<PeerLink> links;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Joint& joint = model.joints[i];
    const Matrix3& J = model.bodies[i].inertia;
    links.push_back({model.bodies[i].mass,
                     {J(0, 0), J(1, 1), J(2, 2)},
                     joint.a.body,
                     peer_frame(joint.a),
                     peer_frame(joint.b)});
  }
  const Vector3& g = model.gravity;
  const PeerResult result = run_simbody(links, {g[0], g[1], g[2]}, k_duration, accuracy, cpu_seconds);
  Outcome out{.seconds = result.seconds};
  for (const std::array<double, 3>& x : result.positions) out.positions.emplace_back(x[0], x[1], x[2]);
  return out;
}
#endif

#ifdef DELASSUS_HAS_ODE
// Its exact solver (dWorldStep) with its own error reduction and softness of joints.
Outcome run_ode(const Model& model, double step) {
  dInitODE2(0);
  const dWorldID world = dWorldCreate();
  dWorldSetGravity(world, model.gravity[0], model.gravity[1], model.gravity[2]);
  std::vector<dBodyID> bodies;
  std::vector<dJointID> joints;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const dBodyID id = bodies.emplace_back(dBodyCreate(world));
    dMass mass;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia(0, 0), body.inertia(1, 1), body.inertia(2, 2),
                       0, 0, 0);
    dBodySetMass(id, &mass);
    dBodySetPosition(id, body.position[0], body.position[1], body.position[2]);
    const dQuaternion q = {body.orientation[0], body.orientation[1], body.orientation[2],
                           body.orientation[3]};
    dBodySetQuaternion(id, q);
    const Joint& joint = model.joints[i];
    const Vector3 anchor = body.position + rotate(body.orientation, joint.b.point),
                  axis = rotate(body.orientation, rotate(joint.b.orientation, Vector3::UnitZ()));
    const dJointID hinge = joints.emplace_back(dJointCreateHinge(world, nullptr));
    dJointAttach(hinge, id, joint.a.body == k_world ? nullptr : bodies[joint.a.body]);
    dJointSetHingeAnchor(hinge, anchor[0], anchor[1], anchor[2]);
    dJointSetHingeAxis(hinge, axis[0], axis[1], axis[2]);
  }
  Outcome out;
  const int steps = static_cast<int>(std::lround(k_duration / step));
  for (int k = 0; k < steps; ++k) {
    const double started = cpu_seconds();
    dWorldStep(world, step);
    out.seconds += cpu_seconds() - started;
    for (const dJointID hinge : joints) {
      dVector3 a, b;
      dJointGetHingeAnchor(hinge, a);
      dJointGetHingeAnchor2(hinge, b);
      out.drift = std::max(out.drift, Vector3(a[0] - b[0], a[1] - b[1], a[2] - b[2]).norm());
    }
    if (out.seconds > 2 * k_longest) break;
  }
  for (const dBodyID body : bodies) {
    const dReal* x = dBodyGetPosition(body);
    out.positions.emplace_back(x[0], x[1], x[2]);
  }
  dWorldDestroy(world);
  dCloseODE();
  return out;
}
#endif

std::vector<PeerEngine> list_peer_engines() {
  std::vector<PeerEngine> out;
  for (const char* stepper : {"generalized-alpha", "trapezoidal-2"})
    out.push_back({stepper, false,
                   [stepper](const Model& model, double step) { return run_ours(model, stepper, step); }});
#ifdef DELASSUS_HAS_SIMBODY
  out.push_back(
      {"Simbody", true, [](const Model& model, double accuracy) { return run_simbody(model, accuracy); }});
#endif
#ifdef DELASSUS_HAS_ODE
  out.push_back({"ODE", false, run_ode});
#endif
  return out;
}

double distance(const Positions& a, const Positions& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

// Richardson: the error of a scheme of order 2 goes with the square of the step.
Positions make_reference(const Model& model) {
  const Positions coarse = run_ours(model, "generalized-alpha", std::exp2(-k_reference + 1)).positions;
  Positions fine = run_ours(model, "generalized-alpha", std::exp2(-k_reference)).positions;
  for (std::size_t i = 0; i < fine.size(); ++i) fine[i] += (fine[i] - coarse[i]) / 3;
  return fine;
}

// From coarse to fine, until all targets are met.
std::vector<PeerRun> run_engine(const PeerEngine& engine, const Model& model, const Positions& reference) {
  std::vector<PeerRun> runs;
  const int first = engine.accuracies ? k_first_accuracy : k_first_step,
            last = engine.accuracies ? k_last_accuracy : k_last_step;
  for (int k = first; k <= last; ++k) {
    const double setting = engine.accuracies ? std::pow(10.0, -k) : std::exp2(-k);
    const Outcome outcome = engine.run(model, setting);
    runs.push_back({fmt::format("{} {:.3g}", engine.accuracies ? "accuracy" : "step", setting),
                    outcome.seconds / k_duration, distance(outcome.positions, reference), outcome.drift});
    if (outcome.seconds > k_longest || runs.back().error < k_targets[std::size(k_targets) - 1]) break;
  }
  return runs;
}

const PeerRun* find_cheapest(const std::vector<PeerRun>& runs, double target) {
  const PeerRun* best = nullptr;
  for (const PeerRun& run : runs)
    if (run.error <= target && (best == nullptr || run.seconds < best->seconds)) best = &run;
  return best;
}

}  // namespace

nlohmann::json bench_peers(int max_size) {
  fmt::print(
      "A chain of N rods swings for {:g} s. Time: CPU time of a simulated second; error: largest distance of "
      "a body to "
      "the\nreference at the end; drift: largest gap of a joint. ratio: time over that of "
      "generalized-alpha.\n",
      k_duration);
  nlohmann::json entries = nlohmann::json::array(), ratios = nlohmann::json::array();
  for (int n : k_peer_sizes) {
    if (n > max_size) break;
    const Model model = make_rod_chain(n);
    const Positions reference = make_reference(model);
    std::vector<PeerEngine> engines = list_peer_engines();
    std::vector<std::vector<PeerRun>> runs;
    fmt::print("\n{:>4}  {:<19}{:<20}{:>12}{:>10}{:>10}\n", "N", "engine", "setting", "time", "error",
               "drift");
    for (const PeerEngine& engine : engines) {
      for (const PeerRun& run : runs.emplace_back(run_engine(engine, model, reference))) {
        fmt::print("{:>4}  {:<19}{:<20}{}{:>10.1e}{:>10.1e}\n", n, engine.name, run.setting,
                   pad(duration_text(run.seconds), 12), run.error, run.drift);
        entries.push_back({{"engine", engine.name},
                           {"n", n},
                           {"setting", run.setting},
                           {"seconds_per_second", run.seconds},
                           {"error", run.error},
                           {"drift", run.drift}});
      }
      std::fflush(stdout);
    }
    for (double target : k_targets) {
      const PeerRun* ours = find_cheapest(runs[0], target);
      for (std::size_t e = 0; e < engines.size(); ++e) {
        const PeerRun* run = find_cheapest(runs[e], target);
        nlohmann::json row{{"engine", engines[e].name}, {"n", n}, {"error", target}, {"ratio", nullptr}};
        if (run != nullptr && ours != nullptr) row["ratio"] = run->seconds / ours->seconds;
        fmt::print("{:>4}  error {:<8.0e} {:<19}{:<20}{}{:>10}\n", n, target, engines[e].name,
                   run != nullptr ? run->setting : "not reached",
                   pad(run != nullptr ? duration_text(run->seconds) : "-", 12),
                   row["ratio"].is_null() ? "-" : fmt::format("{:.2f}", row["ratio"].get<double>()));
        ratios.push_back(row);
      }
    }
  }
  return {{"entries", entries}, {"ratios", ratios}};
}

}  // namespace delassus::cli
