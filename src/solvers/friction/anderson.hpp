// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Anderson's acceleration of a fixed-point iteration v ← g(v) with residual f = g(v) − v. Of the last m steps,
//
//   γ = argmin ‖f − ΔF γ‖,   v ← g − ΔG γ,   ΔF, ΔG: differences of f and g from step to step             (1)
//
// in a weighted norm. Near a solution where g is affine it is about what GMRES is for linear equations.
#pragma once
#include "delassus/linalg/types.hpp"

namespace delassus {

class Anderson {
 public:
  static constexpr int k_memory = 10;
  // Forgets everything. Residuals are measured by ‖weights · f‖.
  void begin(const Vector& weights);
  void forget() { count_ = 0, has_last_ = false; }
  // Takes v and g(v) and returns the next v in `next`.
  void step(const Vector& v, const Vector& g, Vector& next);

 private:
  Vector weights_, f_, last_f_, last_g_, gamma_, rhs_;
  Matrix dF_, dG_;               // one column a step, the oldest is overwritten
  Matrix gram_, system_;         // dFᵀ dF
  int count_ = 0, column_ = 0;
  bool has_last_ = false;
};

}  // namespace delassus
