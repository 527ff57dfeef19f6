// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of a solver: the table `solver` of a scene, and the ranges of the members for C++ programs. A new setting is
// a member of SolverSettings and an entry in setting_keys.cpp.
#pragma once
#include "delassus/base/setting_key.hpp"
#include "delassus/solvers/registry.hpp"

namespace delassus {

const std::vector<SettingKey<SolverSettings>>& solver_keys();

}  // namespace delassus
