// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// THE WAIST: the one-step problem that every stepper forms and every solver takes (Anitescu and Potra 1997, 2.13, Potra et al. 2006, 6.10,
// Gavrea et al. 2008, 4.7):
//
//   A v − G λ − H r = p                 momentum                                                      (1)
//   Gᵀ v + C λ      = g                 joints, springs as compliant rows                             (2)
//   u = Hᵀ v + w,   u and r obey the contact law of `cones`                                           (3)
//
//   A (nv×nv) [kg], positive definite, symmetric or not · v (nv) the unknown velocity (v⁺ or a weighted mean)
//   G (nv×nj) · λ (nj) joint impulses [N·s] · C (nj) compliance [1/kg]
//   H (nv×m) · r (m) contact impulses [N·s]
//   u (m) relative contact velocities [m/s]; contact triples have the normal first; u_N > 0 separates,
//   r_N ≥ 0 pushes
//
// Contact laws:
//   nonnegative:  0 ≤ u_N ⟂ r_N ≥ 0.
//   polyhedral:   maximal dissipation over the polygon (Anitescu and Potra 1997, 2.6-2.7).
//   coulomb:      exact Coulomb friction, K* ∋ u + (shift, 0) ⟂ r ∈ K (De Saxcé); with rolling and spinning parts.
//   convex:       the relaxed law K* ∋ u ⟂ r ∈ K: a sliding contact separates at μ‖u_T‖ (Tasora 2017, 121-122).
//   box:          |r| ≤ bound, and r = −bound sign(u) where u ≠ 0: dry friction with a given limit.
//   equality:     u = 0, r free.
// Some schemes push along other directions than those their rows measure: then (1) has G_directions,
// H_directions in place of G, H.
//
// A plain value: build it by hand, print, save, load and solve it without any model.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "delassus/base/contact_status.hpp"
#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"
#include "delassus/linalg/contact_matrix.hpp"
#include "delassus/problems/cone.hpp"
#include "delassus/problems/contact_mobility.hpp"

namespace delassus {

// The global form: velocities and joints are still there.
struct Problem {
  BlockMatrix A;
  bool symmetric = true;  // of A
  Vector p;
  BlockRows Gt;  // rows of Gᵀ
  Vector g, C;
  BlockRows Ht;  // rows of Hᵀ, one group a contact
  Vector w;
  std::vector<Cone> cones;
  bool separate_directions = false;
  BlockRows G_directions, H_directions;  // in the layout of Gt and Ht; only when separate_directions

  int num_contacts() const { return static_cast<int>(cones.size()); }
  const BlockRows& impulse_G() const { return separate_directions ? G_directions : Gt; }
  const BlockRows& impulse_H() const { return separate_directions ? H_directions : Ht; }
  bool operator==(const Problem&) const = default;
};

// The local form: velocities and joints eliminated, u = W r + u_free (W the Delassus operator).
struct LocalProblem {
  ContactMatrix W;  // m×m [1/kg]
  Vector u_free;    // m [m/s]
  std::vector<Cone> cones;
  bool symmetric = true;  // of W
  // Largest term of the sums u_free = Hᵀ v_free + w of each contact; empty where they are not known [m/s]
  Vector terms;
  ContactMobility mobility;  // where it is known and smaller than W; empty otherwise
  int num_contacts() const { return static_cast<int>(cones.size()); }
  int first_row(int contact) const { return W.first_row(contact); }
  // ρ_c = dim / tr W_cc: impulse that a velocity of 1 m/s corresponds to at contact c [kg].
  double contact_mass(int contact) const;
  // The velocity below which errors are measured against this and not against u_free: bodies that touch and move together
  // have a free velocity of round-off, but the terms it is the difference of are not [m/s].
  double velocity_floor() const;
};

// Mode of a contact in a solution. The direction d of a slipping contact is the one its friction opposes,
// r_T = −μ r_N d: the unit vector of u_T, or with a polyhedral law the generator (or mean of two) nearest to
// it.
//
// Couples that resist rolling and spinning stick or slip on their own while the contact is closed, and status and
// direction are then those of the translation. A part without friction slips along no direction, one that the contact
// does not have is open.
struct PartMode {
  ContactStatus status = ContactStatus::open;
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  // of the spin: its sign in the first component
};
struct ContactMode {
  ContactStatus status = ContactStatus::open;
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();
  PartMode rolling = {}, spinning = {};
  PartMode part(FrictionKind kind) const {
    if (kind == FrictionKind::sliding) return {status, direction};
    return kind == FrictionKind::rolling ? rolling : spinning;
  }
  void set_part(FrictionKind kind, const PartMode& mode) {
    if (kind == FrictionKind::sliding) {
      status = mode.status;
      direction = mode.direction;
    } else {
      (kind == FrictionKind::rolling ? rolling : spinning) = mode;
    }
  }
};

// A solver fills r, u, modes and basis; v and λ follow from r (Reduction::recover).
struct Solution {
  Vector v, lambda, r, u;
  std::vector<ContactMode> modes;
  std::vector<std::uint8_t> basis;  // of an LCP solver: lcp_size(cone) entries a contact; empty otherwise
};

// What a solver may start from; empty members mean nothing is known.
// How much a solution is worth; what it takes at most is up to the solver.
enum class SolveEffort : std::uint8_t {
  full,   // whatever it takes
  some,   // no last resorts: of one that is looked for in every step
  brief,  // only if it is cheap: of one that a search asks for at many points
};

struct WarmStart {
  std::vector<std::uint8_t> basis;
  Vector r;                        // impulses of about the solution
  std::vector<ContactMode> modes;  // modes of about the solution, one a contact
  SolveEffort effort = SolveEffort::full;
  // The error that its user is content with where the tolerance takes very many iterations; 0: none but the tolerance [-].
  double contentment = 0;
};

// What is wrong with a cone, or nothing.
std::string check_cone(const Cone& cone);
// Throws std::invalid_argument naming the mismatch when sizes do not agree.
void require_consistent(const Problem& problem);
// Readable summary, with all numbers for small problems.
std::string describe(const Problem& problem);
// Text with hexadecimal floats; loading gives back every bit. load throws InputError on malformed input.
void save(const Problem& problem, std::ostream& out);
Problem load_problem(std::istream& in, const std::string& name);
void save(const LocalProblem& problem, std::ostream& out);
LocalProblem load_local_problem(std::istream& in, const std::string& name);
// The first words of these texts.
inline constexpr const char* k_problem_header = "delassus-problem";
inline constexpr const char* k_local_problem_header = "delassus-local-problem";

}  // namespace delassus
