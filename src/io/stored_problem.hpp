// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A friction problem as files of FCLIB and Siconos hold it, with the letters of the file:
//
//   local     u = W r + V l + q,   0 = Vᵀ r + R l + s                                              (1)
//   global    M v = H r + G l + f,   u = Hᵀ v + w,   0 = Gᵀ v + b                                  (2)
//
//   exact Coulomb friction with coefficient mu at every contact; rolling: also mu_r, and five unknowns a contact
//   (N T1 T2 R1 R2). Contact a owns the components d a … d a + d − 1, normal first; d = contact_dim().
//   M (n×n) · H (n×m) · G (n×p) · W (m×m) · V (m×p) · R (p×p) · m = d num_contacts(); p may be 0.
//
// Conversions to and from the problems of problems/problem.hpp: W = Hᵀ M⁻¹ H with G eliminated, redundant rows allowed.
// Unlike linalg/kkt.hpp, which takes blocks of bodies, M is any regular sparse matrix here.
#pragma once
#include <string>
#include <vector>

#include "delassus/problems/problem.hpp"
#include "delassus/recorder/hdf5_file.hpp"

namespace delassus {

enum class StoredForm : std::uint8_t { local, global, global_rolling };

// What a file says about its problem.
struct StoredInfo {
  std::string title, description, math_info;
  std::vector<Hdf5Attribute> attributes;  // e.g. numberOfDegreeOfFreedom
  bool operator==(const StoredInfo&) const = default;
};

struct StoredProblem {
  StoredForm form = StoredForm::local;
  int spacedim = 3;      // 2 or 3
  SparseMatrix W, V, R;  // local; V and R empty without equality rows
  Vector q, s;
  SparseMatrix M, H, G;  // global; G without columns when there are no equality rows
  Vector f, w, b;
  Vector mu;    // friction coefficients, one a contact [-]
  Vector mu_r;  // of rolling, one a contact; rolling only [m]
  StoredInfo info;

  int num_contacts() const { return static_cast<int>(mu.size()); }
  int contact_dim() const { return form == StoredForm::global_rolling ? 5 : spacedim; }
  int num_equalities() const { return static_cast<int>(form == StoredForm::local ? s.size() : b.size()); }
};

// Empty when sizes agree and all numbers are allowed; otherwise which datum is wrong, and what is allowed.
std::string check_consistent(const StoredProblem& problem);

// (1) with a coulomb cone a contact and, for each equality row, an equality cone of dim 1 behind them. The blocks of W
// that are zero together with their transposed are left out; `symmetric` tells whether W is, up to round-off. Throws
// InputError, with `name` in front, when the problem is not consistent, M is singular or the rows of G contradict each
// other. Cost: a sparse factorisation of M, a solve a column of H, O(p³) with equality rows.
LocalProblem to_local(const StoredProblem& problem, const std::string& name = "problem");
// A global form as it stands. Throws InputError for a local one.
Problem to_problem(const StoredProblem& problem, const std::string& name = "problem");

// The global form (2) of a step; rolling when a cone has rolling parts. Compliant joint rows are part of M:
// M = A + G_c C⁻¹ G_cᵀ, f = p + G_c C⁻¹ g. Equality cones become columns of G. Contacts with fewer components than the
// file has get zero columns of H for those missing (and mu = 0 where frictionless): their u is 0 whatever happens.
// Throws InputError naming the cone that cannot be stored: polyhedral, box, convex, with a spinning part or with
// `extra_normal`; also separate directions.
StoredProblem from_problem(const Problem& problem);
// The local form (1), in the same manner; rolling parts cannot be stored.
StoredProblem from_local(const LocalProblem& problem);
// A solution in the layout of from_problem or from_local: zeros for components that were added, λ of the rigid joint rows
// and then r of the equality cones.
Solution to_stored(const Problem& problem, const Solution& solution);
Solution to_stored(const LocalProblem& problem, const Solution& solution);

}  // namespace delassus
