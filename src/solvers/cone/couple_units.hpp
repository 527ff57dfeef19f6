// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts that resist rolling and spinning have rows in two units: forces and velocities, couples and angular velocities.
// With μ_i the coefficient of a part [m],
//
//   r̂_i = r_i/μ_i [N·s],   û_i = μ_i u_i [m/s],   Ŵ = μ W μ                                                 (1)
//
// they have one: the law is the same with the coefficient 1, and one mass of the contact serves for all rows. Parts
// with μ_i = 0 have no couple: their rows are left out.
#pragma once
#include <vector>

#include "delassus/problems/problem.hpp"

namespace delassus {

struct CoupleUnits {
  LocalProblem problem;  // in units (1)
  WarmStart warm;

  // Whether there are such contacts.
  bool find(const LocalProblem& original) const;
  void scale(const LocalProblem& original, const WarmStart& original_warm);
  // r and u of a solution back into the units of the original problem.
  void unscale(const LocalProblem& original, Solution& solution);

 private:
  std::vector<int> row_of_;  // of the original problem
  std::vector<double> unit_;
  std::vector<int> dims_, starts_, columns_;
  Vector r_;
};

}  // namespace delassus
