// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench: how long things take, beside a peer where one is installed (bench/README.md). Numbers, never a
// verdict: nothing here fails because a machine is slow.
#pragma once
#include <algorithm>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "delassus/model/model.hpp"

namespace delassus::cli {

// The benchmarks: each prints its table, problems up to `max_size`, and returns it.
nlohmann::json bench_lemke(int max_size);
nlohmann::json bench_chains(int max_size);
nlohmann::json bench_peers(int max_size);
nlohmann::json bench_collision(int max_size);
nlohmann::json bench_threads(int max_size);
nlohmann::json bench_contact(const BenchArguments& arguments);

// A chain of n rods that hangs from the world in a slant and begins to swing: revolute joints whose axes alternate
// between two directions across the rods. Every second rod has the mass `light` instead of 1 kg.
Model make_rod_chain(int n, double light = 1.0);
inline constexpr double k_rod_length = 1.0, k_rod_radius = 0.05;  // [m]

// CPU time of this thread, so that other work on the machine matters little; all solvers here use one thread.
double cpu_seconds();

template <class Function>
double time_best(int repeats, const Function& function) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    const double started = cpu_seconds();
    function();
    best = std::min(best, cpu_seconds() - started);
  }
  return best;
}

struct Timing {
  int n = 0;
  double seconds = 0;
};
// p of seconds = c n^p by least squares in logarithms; none from fewer than two sizes.
std::optional<double> fit_exponent(const std::vector<Timing>& timings);

std::string duration_text(double seconds);
// On the right of a field. A width of fmt counts bytes, and µ has two.
std::string pad(const std::string& text, std::size_t width);

}  // namespace delassus::cli
