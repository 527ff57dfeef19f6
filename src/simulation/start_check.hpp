// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a start beside its joints: stops that are passed, contacts and shapes that overlap. Of such a start
// the first step would make velocities that nothing in the scene explains.
#pragma once
#include <string>
#include <vector>

#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// A stop that is passed or an overlap up to this counts as touching: the digits that a scene is written with [m, rad].
inline constexpr double k_start_overlap = 1e-6;
// Shapes may overlap by this part of the smaller one: a run begins, and its certificate says how deep they are [-].
inline constexpr double k_start_share = 0.01;

// One sentence each, worst first: "stop 'hinge.upper' is passed by 0.2 rad at the start".
std::vector<std::string> find_start_problems(const System& system, const State& state,
                                             double tolerance = k_start_overlap,
                                             double share = k_start_share);

// The message that refuses such a start, and what can be done about it.
std::string refused_start(const std::vector<std::string>& problems);

// Moves the bodies as little as possible until nothing overlaps and all stops are kept (steppers/separate_start.hpp), and
// the velocities back onto the joints. The largest displacement [m, rad]. Throws InputError where there is no way out.
double resolve_start(const System& system, State& state);

}  // namespace delassus
