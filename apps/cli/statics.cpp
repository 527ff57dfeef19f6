// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// `delassus statics` and `delassus modes`.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/steppers/equilibrium.hpp"
#include "delassus/steppers/linearization.hpp"

namespace delassus::cli {
namespace {

using nlohmann::json;

json vector(const Vector3& x) {
  return {x.x(), x.y(), x.z()};
}

json describe_bodies(const System& system, const State& state) {
  std::vector<BodyMotion> motions;
  system.body_motions(state.t, state.q, state.v, motions);
  json out = json::array();
  for (int i = 0; i < system.num_bodies(); ++i) {
    const Quaternion& rho = motions[i].orientation;
    out.push_back({{"name", system.body_name(i)},
                   {"position", vector(motions[i].position)},
                   {"orientation", {rho[0], rho[1], rho[2], rho[3]}}});
  }
  return out;
}

json describe_reactions(const System& system, const State& state, const Vector& joint_forces) {
  std::vector<JointReaction> reactions;
  system.reactions(state.t, state.q, state.v, joint_forces, reactions);
  json out = json::array();
  for (std::size_t i = 0; i < reactions.size(); ++i)
    out.push_back({{"joint", system.reaction_name(static_cast<int>(i))},
                   {"force", vector(reactions[i].force)},
                   {"torque", vector(reactions[i].torque)}});
  return out;
}

json describe_coordinates(const System& system, const State& state) {
  Vector values, rates;
  system.joint_coordinates(state.t, state.q, state.v, values, rates);
  json out = json::array();
  for (int i = 0; i < system.num_joint_coordinates(); ++i)
    out.push_back({{"name", system.joint_coordinate_name(i)},
                   {"value", values[i]},
                   {"unit", system.joint_coordinate_is_angle(i) ? "rad" : "m"}});
  return out;
}

void write_json(const std::string& path, const json& data) {
  if (!path.empty()) write_file(path, data.dump(2) + "\n");
}

// Joints hold the start; contacts and dry friction would need to be asked, which statics does not.
State start_of(const Scene& scene, const Simulation& simulation) {
  const State& state = simulation.state();
  if (!is_joints_only(default_stepper(simulation.system(), state)))
    fmt::print(stderr, "note: {}: contacts, stops and dry friction take no part in the equilibrium\n",
               scene.desc.name);
  return state;
}

int stopped(const std::string& name, const char* what, const std::string& message) {
  fmt::print(stderr, "delassus: {}: {}: {}\n", name, what, message);
  return k_stopped;
}

// The velocity that moves most.
std::string dominant(const System& system, const VibrationMode& mode) {
  Eigen::Index largest = 0;
  mode.shape.cwiseAbs().maxCoeff(&largest);
  return system.velocity_name(static_cast<int>(largest));
}

}  // namespace

int statics_command(const StaticsArguments& arguments) {
  require_writable(arguments.json);
  require_writable(arguments.state);
  const Scene scene = load_scene(arguments.scene, arguments.settings);
  const Simulation simulation(scene);
  const System& system = simulation.system();
  State state = start_of(scene, simulation);
  const EquilibriumResult result = find_equilibrium(system, state);
  if (!result.ok) return stopped(scene.desc.name, "no equilibrium was found", result.message);

  fmt::print("{}: equilibrium after {} iterations, unbalanced force {:.1e} N, joint drift {:.1e} m\n",
             scene.desc.name, result.iterations, result.residual, result.joint_drift);
  fmt::print("softest motion: {}\n\n",
             result.num_freedoms == 0 ? std::string("none, the joints leave no degree of freedom")
             : result.least_stiffness > 0
                 ? fmt::format("{:.6g} Hz", std::sqrt(result.least_stiffness) / (2 * M_PI))
                 : std::string("free (no stiffness)"));
  const json bodies = describe_bodies(system, state), coordinates = describe_coordinates(system, state),
             reactions = describe_reactions(system, state, result.joint_forces);
  const auto numbers = [](const json& x) {
    return fmt::format("{:>13.6g}{:>13.6g}{:>13.6g}", x[0].get<double>(), x[1].get<double>(),
                       x[2].get<double>());
  };
  if (!bodies.empty()) fmt::print("{:<24}{:>13}{:>13}{:>13}\n", "body", "x [m]", "y [m]", "z [m]");
  for (const json& body : bodies)
    fmt::print("{:<24}{}\n", body["name"].get<std::string>(), numbers(body["position"]));
  if (!coordinates.empty()) fmt::print("\n{:<24}{:>13}\n", "coordinate", "value");
  for (const json& c : coordinates)
    fmt::print("{:<24}{:>13.6g} {}\n", c["name"].get<std::string>(), c["value"].get<double>(),
               c["unit"].get<std::string>());
  if (!reactions.empty())
    fmt::print("\n{:<24}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}\n", "joint", "fx [N]", "fy [N]", "fz [N]",
               "tx [N·m]", "ty [N·m]", "tz [N·m]");
  for (const json& r : reactions)
    fmt::print("{:<24}{}{}\n", r["joint"].get<std::string>(), numbers(r["force"]), numbers(r["torque"]));
  write_json(arguments.json, {{"scene", scene.desc.name},
                              {"iterations", result.iterations},
                              {"residual", result.residual},
                              {"joint_drift", result.joint_drift},
                              {"least_stiffness", result.least_stiffness},
                              {"bodies", bodies},
                              {"coordinates", coordinates},
                              {"reactions", reactions}});
  if (!arguments.state.empty()) save_file(state, arguments.state);
  return k_done;
}

int modes_command(const ModesArguments& arguments) {
  require_writable(arguments.json);
  const Scene scene = load_scene(arguments.scene, arguments.settings);
  const Simulation simulation(scene);
  const System& system = simulation.system();
  State state = start_of(scene, simulation);
  if (!arguments.at_start) {
    const EquilibriumResult equilibrium = find_equilibrium(system, state);
    if (!equilibrium.ok) return stopped(scene.desc.name, "no equilibrium was found", equilibrium.message);
  }
  const Linearization result = compute_linearization(system, state);
  if (!result.ok) return stopped(scene.desc.name, "it cannot be linearised", result.message);

  fmt::print("{}: {} degrees of freedom, {} without stiffness, unbalanced force {:.1e} N{}\n\n",
             scene.desc.name, result.num_freedoms, result.rigid_modes, result.residual,
             result.unstable ? ", UNSTABLE" : "");
  fmt::print("{:>5}{:>18}{:>14}{:>14}{:>14}  {}\n", "mode", "frequency [Hz]", "damping [-]", "Re s [1/s]",
             "Im s [1/s]", "largest motion");
  json modes = json::array();
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    const VibrationMode& mode = result.modes[i];
    fmt::print("{:>5}{:>18.10g}{:>14.6g}{:>14.6g}{:>14.6g}  {}\n", i + 1, mode.frequency,
               mode.damping_ratio + 0.0,  // no −0
               mode.eigenvalue.real(), mode.eigenvalue.imag(), dominant(system, mode));
    json shape = json::array();
    for (const std::complex<double>& x : mode.shape) shape.push_back({x.real(), x.imag()});
    modes.push_back({{"frequency", mode.frequency},
                     {"damping_ratio", mode.damping_ratio},
                     {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
                     {"shape", shape}});
  }
  write_json(arguments.json, {{"scene", scene.desc.name},
                              {"degrees_of_freedom", result.num_freedoms},
                              {"rigid_modes", result.rigid_modes},
                              {"unstable", result.unstable},
                              {"residual", result.residual},
                              {"modes", modes}});
  return k_done;
}

}  // namespace delassus::cli
