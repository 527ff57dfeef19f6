// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace delassus {

// How a saddle-point system of velocities and joints is solved.
enum class LinearSolver : std::uint8_t {
  direct,  // by factorisation (kkt.hpp)
  minres,  // by iteration; symmetric systems only (minres.hpp)
};

}  // namespace delassus
