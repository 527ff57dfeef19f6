// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/start_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "delassus/base/error.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/solvers/registry.hpp"
#include "delassus/steppers/consistent_start.hpp"
#include "delassus/steppers/separate_start.hpp"

namespace delassus {

std::vector<std::string> find_start_problems(const System& system, const State& state, double tolerance,
                                             double share) {
  struct Found {
    double size;
    std::string text;
  };
  std::vector<Found> problems;
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&system);
  const ContactSet contacts = system.contacts_within(0.0, state.t, state.q, state.v);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double depth = -contacts.gap(c);
    const ContactId id = contacts.ids[c];
    // Shapes are told as pairs, below.
    if (depth <= tolerance || id >= CollisionWorld::k_first_id) continue;
    const bool stop = multibody != nullptr && multibody->is_stop(id);
    problems.push_back({depth, fmt::format("{} '{}' {} by {:.3g} {} at the start", stop ? "stop" : "contact",
                                           system.contact_name(id), stop ? "is passed" : "penetrates", depth,
                                           system.gap_is_angle(id) ? "rad" : "m")});
  }
  if (multibody != nullptr)
    for (const CollisionWorld::Overlap& overlap : multibody->overlaps(state.t, state.q, tolerance)) {
      if (overlap.depth <= share * multibody->overlap_size(overlap)) continue;
      problems.push_back({overlap.depth, fmt::format("shapes '{}' and '{}' overlap by {:.3g} m at the start",
                                                     multibody->shape_name(overlap.shape_a),
                                                     multibody->shape_name(overlap.shape_b), overlap.depth)});
    }
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Found& a, const Found& b) { return a.size > b.size; });
  std::vector<std::string> texts;
  for (Found& problem : problems) texts.push_back(std::move(problem.text));
  return texts;
}

std::string refused_start(const std::vector<std::string>& problems) {
  const std::string others =
      problems.size() > 1 ? fmt::format(" (and {} more such problems)", problems.size() - 1) : "";
  return fmt::format(
      "{}{}; `--start resolve` or `start: resolve` in the scene moves the bodies as little as possible until "
      "all is well, `accept` begins all the same",
      problems[0], others);
}

double resolve_start(const System& system, State& state) {
  // Gaps are opened with joints that hold to first order; put back onto them, some may close again, by less each time.
  constexpr int max_rounds = 20;
  constexpr double settled = 1e-9;  // [m, rad]
  State moved = state;
  const std::unique_ptr<Solver> solver = make_solver({});
  for (int round = 0; round < max_rounds; ++round) {
    const SeparateResult result = separate_start(system, *solver, moved);
    if (!result.ok) throw InputError("the start cannot be resolved: " + result.message);
    const StartResult joints = assemble_start(system, moved);
    if (!joints.ok) throw InputError("the start cannot be resolved: " + joints.message);
    if (find_start_problems(system, moved, settled, 0.0).empty()) break;
  }
  const std::vector<std::string> left = find_start_problems(system, moved, k_start_overlap, 0.0);
  if (!left.empty())
    throw InputError(fmt::format(
        "the start cannot be resolved: {} still, as no direction leads out; move the bodies by hand",
        left[0]));
  Vector displacement;
  system.difference(moved.q, state.q, displacement);
  state = std::move(moved);
  return displacement.size() > 0 ? displacement.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace delassus
