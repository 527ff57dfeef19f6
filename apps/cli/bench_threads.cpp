// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench threads: what collision and contacts of a dense cloud of mixed shapes gain by threads. Wall time, so that
// other work on the machine matters.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "apps/cli/bench.hpp"
#include "delassus/base/parallel.hpp"
#include "delassus/formulation/multibody_system.hpp"

namespace delassus::cli {
namespace {

constexpr int k_sizes[] = {1000, 10'000};
constexpr int k_repeats = 10;
constexpr double k_threads_step = 1e-3;  // [s]
constexpr double k_spacing = 1.0;        // cube root of the volume a body: about as much filled as empty [m]

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Model make_cloud(int n) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double size) {
    return size * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1);
  };
  const auto vector = [&](double size) { return Vector3(uniform(size), uniform(size), uniform(size)); };
  const Shape kinds[] = {{.kind = ShapeKind::sphere, .radius = 0.4},
                         {.kind = ShapeKind::box, .size = {0.8, 0.7, 0.6}},
                         {.kind = ShapeKind::cylinder, .radius = 0.3, .length = 0.7},
                         {.kind = ShapeKind::capsule, .radius = 0.25, .length = 0.5},
                         {.kind = ShapeKind::cone, .radius = 0.4, .length = 0.7},
                         {.kind = ShapeKind::ellipsoid, .size = {0.8, 0.7, 0.5}}};
  const double half = 0.5 * k_spacing * std::cbrt(n);
  Model model;
  Body ground{.name = "ground", .kind = BodyKind::fixed};
  ground.position.z() = -half;
  ground.shapes = {{.kind = ShapeKind::plane}};
  model.bodies.push_back(ground);
  for (int i = 0; i < n; ++i) {
    Body body{.name = fmt::format("body{}", i), .kind = BodyKind::rigid};
    body.position = vector(half);
    body.orientation = quaternion_exponential(vector(2));
    body.velocity = vector(1);
    body.angular_velocity = vector(1);
    body.shapes = {kinds[i % std::size(kinds)]};
    model.bodies.push_back(body);
  }
  return model;
}

}  // namespace

nlohmann::json bench_threads(int max_size) {
  // Those of the command line, or twice as many each time up to what the machine has.
  std::vector<int> counts{1};
  if (num_threads() > 1)
    counts.push_back(num_threads());
  else
    for (int n = 2; n <= hardware_threads(); n *= 2) counts.push_back(n);
  fmt::print(
      "Contacts of N mixed shapes, half of the space filled. Wall time of a call, and its "
      "gain.\n\n{:<8}{:<14}",
      "N", "call");
  for (int n : counts) fmt::print("{:>12}{:>8}", fmt::format("{} thread{}", n, n > 1 ? "s" : ""), "");
  fmt::print("\n");
  nlohmann::json out = nlohmann::json::array();
  for (int size : k_sizes) {
    if (size > max_size) break;
    const MultibodySystem system(make_cloud(size));
    const State state = system.initial_state();
    const Configuration at = system.configuration(0, state.q);
    ContactSet found, evaluated;
    Vector bias;
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"find", [&] { system.find_contacts(at, state.v, k_threads_step, nullptr, found); }},
        {"evaluate", [&] { system.evaluate_contacts(found.ids, at, evaluated); }},
        {"contact_bias", [&] { system.contact_bias(found, at, state.v, bias); }}};
    for (const auto& [name, call] : calls) {
      fmt::print("{:<8}{:<14}", size, name);
      double one = 0;
      for (int n : counts) {
        set_num_threads(n);
        call();  // memory grows to its final size
        double best = std::numeric_limits<double>::infinity();
        for (int k = 0; k < k_repeats; ++k) {
          const double started = wall_seconds();
          call();
          best = std::min(best, wall_seconds() - started);
        }
        if (n == 1) one = best;
        fmt::print("{}{:>8}", pad(duration_text(best), 12), n == 1 ? "" : fmt::format("x{:.2f}", one / best));
        out.push_back({{"n", size}, {"call", name}, {"threads", n}, {"seconds", best}});
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
  return out;
}

}  // namespace delassus::cli
