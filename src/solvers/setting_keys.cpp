// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/setting_keys.hpp"

namespace delassus {
namespace {

// With more, the friction of a step is below what is accepted as zero.
constexpr double k_loosest_tolerance = 1e-2;
// Sweeps with more diverge.
constexpr double k_largest_relaxation = 2;

std::vector<SettingKey<SolverSettings>> make_keys() {
  using S = SolverSettings;
  std::vector<std::string> names;
  for (const SolverInfo& info : list_solvers()) names.push_back(info.name);
  return {
      name_key("name", "solver", names, "the solver", &S::name),
      number_key("tolerance", "-", number_above(0, k_loosest_tolerance),
                 "wanted relative residual; automatic: 1e-10, with moreau-jean and dvi-euler 1e-9",
                 &S::tolerance),
      number_key("captured_tolerance", "-", number_above(0, k_loosest_tolerance),
                 "the same where a stepper that locates events captures those of a crowd; automatic: "
                 "`tolerance` where that is "
                 "given, otherwise 1e-9",
                 &S::captured_tolerance),
      number_key("max_iterations", "-", number_between(1, 1e9),
                 "automatic: by the method and the size of the problem", &S::max_iterations),
      number_key("relaxation", "-", number_above(0, k_largest_relaxation),
                 "psor, ssor, nsgs, jacobi: ω, scales every step of a sweep; automatic: that of the method",
                 &S::relaxation),
      flag_key("symmetric_sweeps", "psor, nsgs: every second sweep in the opposite order",
               &S::symmetric_sweeps),
  };
}

}  // namespace

const std::vector<SettingKey<SolverSettings>>& solver_keys() {
  static const std::vector<SettingKey<SolverSettings>> keys = make_keys();
  return keys;
}

}  // namespace delassus
