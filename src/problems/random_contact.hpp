// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Random contact problems with a known outcome, shared by the tests, `delassus verify F` and the benchmark.
//
//   A v = p + G λ + H r,   Gᵀ v = 0,   u = Hᵀ v,   polyhedral friction                             (1)
//
//   A positive definite · 3 … 12 velocities · 1 … 4 contacts with 2 (planar), 4 or 6 directions
//   · p = A v⁻ with |v⁻_i| ≤ 1 · 0 ≤ μ ≤ 1, unless the class says otherwise
//
// All rows are homogeneous, so that every problem has a solution, Lemke's method finds one [Anitescu and Potra 1997, Thm 2.1-2.2],
// and where A is symmetric the kinetic energy of no solution exceeds the free one [Anitescu and Potra 1997, 2.22]. A third of the
// contacts have rows of −1, 0 and 1, as scenes of boxes have: they make ties. Problem i of a class depends on
// nothing but the class and i.
#pragma once
#include <string>
#include <vector>

#include "delassus/problems/lcp.hpp"
#include "delassus/problems/problem.hpp"

namespace delassus {

struct ProblemClass {
  std::string name;
  std::string meaning;
  bool skew = false;              // A = SPD + 3 (S − Sᵀ), |S_ij| ≤ 1
  bool resting = false;           // p = 0
  double mu_min = 0, mu_max = 1;  // friction coefficients [-]
  double mass_ratio = 1;          // A diagonal, from √ratio down to 1/√ratio; 1: full A near 1 [-]
  int max_velocities = 12, max_contacts = 4;
  int copies = 1;        // how often every contact is there
  bool opposed = false;  // the second copy has the opposite normal
  bool joints = false;   // one or two joint rows, each once more with the factor 2
};

// In the order of `delassus verify F`.
const std::vector<ProblemClass>& problem_classes();
// Throws InputError with the known names.
const ProblemClass& find_problem_class(const std::string& name);

Problem make_random_problem(const ProblemClass& problem_class, int i);

// For timing: about three contacts a body, 0 ≤ μ ≤ 1, each of a body of six velocities and unit
// mass against another one or the ground. n is the size of the LCP: n / 6 contacts with four directions, the
// rest without friction.
Problem make_contact_heap(int n, int i);

// The same problem as an LCP, by Reduction and local_as_lcp; throws std::invalid_argument when A is singular.
Lcp make_lcp(const Problem& problem);

}  // namespace delassus
