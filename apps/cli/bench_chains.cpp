// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench chains: a step of chains, trees and stars of rods, N = 10 … 10,000, by the stepper that such a
// model gets and by the default for contacts. The exponent p of the fit
//
//   time of a step = c N^p
//
// is 1 where the work is linear in the number of bodies.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "apps/cli/bench.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

constexpr double k_chain_step = 1e-3;  // [s]
constexpr double k_light = 1e-4;       // mass of every second rod of a chain with mass ratio 1 : 10⁴ [kg]
// The chain's slant against the vertical, and its direction in the horizontal plane: nothing is symmetric [rad].
constexpr double k_slant = 0.5, k_azimuth = 0.7;
// Between two branches of the tree [rad].
constexpr double k_fork = 0.8;
constexpr double k_hub_radius = 1.0;  // [m]

struct ChainSize {
  int n, steps;
};
// More steps where they are short; the first few are not counted: memory grows to its final size in them.
constexpr ChainSize k_chain_sizes[] = {{10, 200}, {100, 60}, {1000, 20}, {10000, 9}};
constexpr int k_warm_up = 3;
// Smaller systems take other ways (dense factors), and their times are mostly overhead.
constexpr int k_first_fitted = 100;

// A slender rod from `start` along the unit vector `direction`; returns its index.
int add_rod(Model& model, const Vector3& start, const Vector3& direction, double mass) {
  const double axial = 0.5 * mass * k_rod_radius * k_rod_radius,
               across = mass * (k_rod_length * k_rod_length / 12 + k_rod_radius * k_rod_radius / 4);
  return model.add({.name = fmt::format("rod_{}", model.bodies.size()),
                    .mass = mass,
                    .position = start + 0.5 * k_rod_length * direction,
                    .kind = BodyKind::rigid,
                    .inertia = Vector3(across, across, axial).asDiagonal(),
                    .orientation = quaternion_from_matrix(frame_with_axis(direction, Vector3::UnitX()))});
}

void add_hinge(Model& model, int body_a, int body_b, const Vector3& point, const Vector3& axis) {
  model.add(model.joint_at(JointKind::revolute, fmt::format("hinge_{}", model.joints.size()), body_a, body_b,
                           point, axis));
}

Model make_chain(int n) {
  return make_rod_chain(n);
}
Model make_uneven_chain(int n) {
  return make_rod_chain(n, k_light);
}

// Every rod carries two more, which fork in two planes by turns.
Model make_tree(int n) {
  Model model;
  std::vector<Vector3> tips;
  std::vector<double> angles[2];  // of each rod against the vertical, in the two planes
  for (int i = 0; i < n; ++i) {
    const int parent = i == 0 ? k_world : (i - 1) / 2, depth = static_cast<int>(std::log2(i + 1));
    const int plane = depth % 2;
    double angle[2] = {k_slant, k_slant};
    if (parent != k_world) {
      angle[0] = angles[0][parent];
      angle[1] = angles[1][parent];
      angle[plane] += (i % 2 == 0 ? 0.5 : -0.5) * k_fork;
    }
    angles[0].push_back(angle[0]);
    angles[1].push_back(angle[1]);
    const Vector3 direction = Vector3(std::tan(angle[0]), -1, std::tan(angle[1])).normalized();
    const Vector3 start = parent == k_world ? Vector3(0, 0, 0) : tips[parent];
    tips.push_back(start + k_rod_length * direction);
    const int rod = add_rod(model, start, direction, 1.0);
    add_hinge(model, parent, rod, start,
              direction.cross(plane == 0 ? Vector3::UnitX() : Vector3::UnitZ()).normalized());
  }
  return model;
}

// Rods all around a ball that hangs in a spherical joint.
Model make_star(int n) {
  Model model;
  model.add({.name = "hub", .kind = BodyKind::rigid});
  model.add(model.joint_at(JointKind::spherical, "support", k_world, 0, {0, 0.5 * k_hub_radius, 0}));
  for (int i = 0; i < n; ++i) {
    // Evenly over the sphere: a spiral with the golden angle.
    const double height = 1 - (2 * i + 1.0) / n, turn = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double radius = std::sqrt(1 - height * height);
    const Vector3 direction(radius * std::cos(turn), height, radius * std::sin(turn));
    const int rod = add_rod(model, k_hub_radius * direction, direction, 1.0);
    add_hinge(model, 0, rod, k_hub_radius * direction,
              direction.cross(i % 2 == 0 ? Vector3::UnitX() : Vector3::UnitZ()).normalized());
  }
  return model;
}

struct Family {
  const char* name;
  Model (*make)(int n);
};
constexpr Family k_families[] = {{"chain", make_chain},
                                 {"chain_mass_ratio_1e4", make_uneven_chain},
                                 {"tree", make_tree},
                                 {"star", make_star}};
// The one that a model without contacts gets, and the one for contacts.
constexpr const char* k_steppers[] = {"generalized-alpha", "trapezoidal-2"};

struct Entry {
  int n = 0;
  double seconds = 0;  // median of a step
  double drift = 0;    // largest |Θ| [m]
  std::string failure;
};

Entry measure(const Model& model, const char* stepper, const ChainSize& size) {
  const auto system = std::make_shared<MultibodySystem>(model);
  Simulation simulation(system, system->initial_state(),
                        {.step = k_chain_step, .stepper = {.name = stepper}});
  Entry entry{.n = size.n};
  std::vector<double> times;
  for (int k = 0; k < k_warm_up + size.steps; ++k) {
    const double started = cpu_seconds();
    const StepReport& report = simulation.step();
    if (k >= k_warm_up) times.push_back(cpu_seconds() - started);
    if (!report.ok) {
      entry.failure = report.message;
      return entry;
    }
    entry.drift = std::max(entry.drift, report.certificate.joint_drift);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  entry.seconds = *middle;
  return entry;
}

nlohmann::json to_json(const Family& family, const char* stepper, const Entry& entry) {
  nlohmann::json out{{"name", family.name}, {"stepper", stepper}, {"n", entry.n}};
  out["seconds_per_step"] = entry.failure.empty() ? nlohmann::json(entry.seconds) : nlohmann::json(nullptr);
  out["drift"] = entry.drift;
  if (!entry.failure.empty()) out["failure"] = entry.failure;
  return out;
}

}  // namespace

Model make_rod_chain(int n, double light) {
  Model model;
  const Vector3 direction(std::sin(k_slant) * std::cos(k_azimuth), -std::cos(k_slant),
                          std::sin(k_slant) * std::sin(k_azimuth));
  const Vector3 axes[] = {direction.cross(Vector3::UnitX()).normalized(),
                          direction.cross(direction.cross(Vector3::UnitX())).normalized()};
  for (int i = 0; i < n; ++i) {
    const Vector3 start = i * k_rod_length * direction;
    const int rod = add_rod(model, start, direction, i % 2 == 0 ? 1.0 : light);
    add_hinge(model, i == 0 ? k_world : i - 1, rod, start, axes[i % 2]);
  }
  return model;
}

nlohmann::json bench_chains(int max_size) {
  fmt::print(
      "A step of {:g} s of N rods of 1 m with revolute joints: CPU time, median; drift: largest |Θ| of the "
      "run.\n"
      "exponent: p of time = c N^p, fitted from N = {} on.\n\n{:<22}{:<19}{:>6}{:>12}{:>10}\n",
      k_chain_step, k_first_fitted, "family", "stepper", "N", "time", "drift");
  nlohmann::json entries = nlohmann::json::array(), exponents = nlohmann::json::array();
  for (const Family& family : k_families)
    for (const char* stepper : k_steppers) {
      std::vector<Timing> series;
      for (const ChainSize& size : k_chain_sizes) {
        if (size.n > max_size) break;
        const Entry entry = measure(family.make(size.n), stepper, size);
        if (entry.n >= k_first_fitted && entry.failure.empty()) series.push_back({entry.n, entry.seconds});
        fmt::print("{:<22}{:<19}{:>6}{}{:>10.1e}  {}\n", family.name, stepper, entry.n,
                   pad(duration_text(entry.seconds), 12), entry.drift, entry.failure);
        std::fflush(stdout);
        entries.push_back(to_json(family, stepper, entry));
      }
      const std::optional<double> exponent = fit_exponent(series);
      if (!exponent) continue;
      fmt::print("{:<22}{:<19}exponent {:.2f}\n", family.name, stepper, *exponent);
      exponents.push_back({{"family", family.name}, {"stepper", stepper}, {"exponent", *exponent}});
    }
  return {{"entries", entries}, {"exponents", exponents}};
}

}  // namespace delassus::cli
