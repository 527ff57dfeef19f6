// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The coefficients of Runge-Kutta methods,
//
//   Y_i = y + h Σ_j a_ij Y'_j,   Y'_i = f(t + c_i h, Y_i),   y⁺ = y + h Σ_i b_i Y'_i                  (1)
//
// Collocation methods are their nodes c: a_ij = ∫₀^{c_i} ℓ_j, b_j = ∫₀¹ ℓ_j with the Lagrange polynomials ℓ_j of c.
//   Radau IIA      c_s = 1, order 2s − 1, L-stable                   [Hairer and Wanner 1996, IV.5]
//   Lobatto IIIA   c_1 = 0, c_s = 1, order 2s − 2, A-stable, symmetric
// Explicit ones: Heun's of order 2, Kutta's of order 3 and 4, Dormand's and Prince's of order 5 [Hairer et al. 1993, II].
#pragma once
#include <string>
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

struct Tableau {
  std::string name;
  int order = 1;
  bool is_explicit = true;
  Matrix a;
  Vector b, c;
  int num_stages() const { return static_cast<int>(c.size()); }
  // The first stage is the beginning of the step.
  bool starts_at_beginning() const { return c[0] == 0; }
  // The last stage is the end of the step.
  bool ends_at_end() const;
};

// All of them, by rising order.
const std::vector<Tableau>& list_tableaux();
// Throws InputError for an unknown name.
const Tableau& find_tableau(const std::string& name);

}  // namespace delassus
