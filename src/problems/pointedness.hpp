// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Is the total friction cone pointed, and do contacts jam? Both are questions about impulses that cancel:
//
//   pointed   no r ∈ K, r ≠ 0 has H r ∈ range G: contact impulses never cancel each other, with the help of joints
//             or without. Then forces are bounded by the motion they cause [Gavrea et al. 2008, 3.1, 3.3; Tasora 2017, 206].
//   wedged    not pointed: some r does nothing but press bodies together. Forces can be arbitrarily large, and a
//             problem with such contacts may have no solution.
//
// Measured by the kinetic energy of H r with the joints held, ‖r‖²_W = rᵀ W r:
//
//   κ = min ‖r‖_W   over   r ∈ K,   Σ_c a_c r_N,c = 1,   a_c = ‖normal of c‖ without joints                    (1)
//
// κ ∈ [0, 1] [-] is the part of the normal impulses that cannot cancel: 1 for one contact whose friction does nothing for
// its normal motion, 0 for wedged ones. It is the constant of [Gavrea et al. 2008, 3.9] in this metric and for the sum of the normals:
// there is a unit velocity u₀ with u₀ᵀ z ≥ κ Σ a r_N for all z = H r, and ‖z_r‖ ≥ κ Σ a r_N. The constant c_FC of
// [Gavrea et al. 2008, 3.3] is at most √(1 + max μ²)/(κ min a) for the contact part.
//
// Certificates. Any r of (1) gives κ ≤ ‖r‖_W; and with u = W r, as sᵀ W r ≤ ‖s‖_W ‖r‖_W for every s,
//
//   κ ≥ min_c (u_N − μ‖u_T‖ − …)_c / (a_c ‖r‖_W)                                                              (2)
//
// so the minimiser tells both: a small ‖r‖_W are impulses that cancel, a positive (2) says that the velocity u (that
// of the impulse r) opens all contacts at once, faster than friction could hold any of them. Between the two the answer is
// "undecided".
//
// Jam. No velocity of a norm below S satisfies contacts with the free velocity u_free, when some r ∈ K has
//
//   S = −u_freeᵀ r / ‖r‖_W > 0                                                                                 (3)
//
// (a Farkas direction, S = ∞ where the impulses cancel exactly), because 0 ≤ rᵀ u = rᵀ W r' + u_freeᵀ r. For normal
// impulses alone this holds for every law. With friction it is proof for the relaxed law (convex) only; for the exact one
// it tells which contacts block each other by friction.
#pragma once
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus {

enum class Pointed : std::uint8_t { yes, no, undecided };

struct Pointedness {
  Pointed answer = Pointed::yes;
  double lower = 1, upper = 1;  // bounds of κ, (2) and ‖r‖_W [-]
  Vector r, u;                  // minimiser of (1) and W r; empty without contacts
  std::vector<double> shares;   // a_c r_N,c: parts of the normal impulses, one a contact; their sum is 1 [-]
  int iterations = 0;
};

// κ below this is zero. W holds κ² to round-off, so that κ is known to about 1e-8.
constexpr double k_pointed_tolerance = 1e-7;

// a_c of (1): norms of the unit normal impulses, as if there were no joints [kg^(-1/2)]. 0 where A is not positive
// definite.
Vector compute_normal_norms(const Problem& problem);

// Of a local problem and its a_c. Contacts with a_c = 0 act on nothing that moves and are left out. `friction` false: of
// the normals alone (MFCQ). Dense: meant for an island of some hundred contacts.
Pointedness find_pointedness(const LocalProblem& problem, const Vector& normal_norms, bool friction = true);

struct Jam {
  bool found = false;
  bool by_friction = false;  // not by the normals alone
  double speed_ratio = 0;    // S over the largest free velocity of a contact [-]
  std::vector<double> shares;
};

// Velocities this many times larger than those of the free motion are no solution of a step.
constexpr double k_jam_ratio = 1e4;

Jam find_jam(const LocalProblem& problem, const Vector& normal_norms);

}  // namespace delassus
