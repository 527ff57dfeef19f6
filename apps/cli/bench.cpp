// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/names.hpp"

namespace delassus::cli {
namespace {

struct Bench {
  const char* name;
  const char* meaning;
  nlohmann::json (*run)(const BenchArguments& arguments);
};
template <nlohmann::json (*bench)(int)>
nlohmann::json at_most(const BenchArguments& arguments) {
  return bench(arguments.max_size);
}

constexpr Bench k_benches[] = {
    {"lemke", "Lemke's method on heaps of 50 to 2000 LCP variables, beside Siconos where it is installed",
     at_most<bench_lemke>},
    {"chains", "a step of chains, trees and stars of 10 to 10,000 bodies", at_most<bench_chains>},
    {"peers", "a swinging chain beside Simbody and ODE where they are installed", at_most<bench_peers>},
    {"collision",
     "pairs of 100 to 100,000 boxes; distances of shapes beside Bullet and FCL where they are installed",
     at_most<bench_collision>},
    {"threads", "contacts of 1,000 and 10,000 shapes with one and with more threads", at_most<bench_threads>},
    {"contact",
     "steps with contact: every solver on a stack, an arch and a column, beside Bullet where it is "
     "installed; 100 to 10,000 spheres; boxes against real time",
     bench_contact}};

}  // namespace

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<double> fit_exponent(const std::vector<Timing>& timings) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Timing& timing : timings) {
    const double u = std::log(timing.n), v = std::log(timing.seconds);
    count += 1;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  if (count < 2) return std::nullopt;
  return (count * xy - x * y) / (count * xx - x * x);
}

std::string duration_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} µs", 1e6 * seconds)
         : seconds < 1  ? fmt::format("{:.2f} ms", 1e3 * seconds)
                        : fmt::format("{:.2f} s", seconds);
}

std::string pad(const std::string& text, std::size_t width) {
  const std::size_t length = text.size() - (text.find("µ") != std::string::npos ? 1 : 0);
  return std::string(width > length ? width - length : 0, ' ') + text;
}

int bench_command(const BenchArguments& arguments) {
  if (arguments.name.empty()) {
    for (const Bench& bench : k_benches) fmt::print("{:<12}{}\n", bench.name, bench.meaning);
    return k_done;
  }
  std::vector<std::string> known;
  for (const Bench& bench : k_benches) {
    known.push_back(bench.name);
    if (arguments.name != bench.name) continue;
    if (!arguments.part.empty() && bench.run != bench_contact)
      throw InputError(fmt::format("--part {}: the benchmark '{}' has no parts", arguments.part, bench.name));
    const nlohmann::json table = bench.run(arguments);
    if (!arguments.json.empty()) write_file(arguments.json, table.dump(2) + "\n");
    return k_done;
  }
  const std::string near = nearest_name(arguments.name, known);
  throw InputError(fmt::format("there is no benchmark '{}'; {}allowed: {}", arguments.name,
                               near.empty() ? "" : "did you mean '" + near + "'? ", fmt::join(known, ", ")));
}

}  // namespace delassus::cli
