// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/cone/couple_units.hpp"

#include <algorithm>

namespace delassus {
namespace {

bool couples_are_there(const Cone& cone) {
  return (cone.kind == ConeKind::coulomb || cone.kind == ConeKind::convex) && cone.dim > 3;
}

// The cone without the parts that have no friction, the others with the coefficient 1.
Cone cone_in_units(const Cone& cone) {
  if (!couples_are_there(cone)) return cone;
  Cone out = cone;
  out.dim = 3;
  out.mu_rolling = out.mu_spinning = 0;
  for (const FrictionPart& part : friction_parts(cone)) {
    if (part.kind == FrictionKind::sliding || !(part.coefficient > 0)) continue;
    out.dim += part.size;
    (part.kind == FrictionKind::rolling ? out.mu_rolling : out.mu_spinning) = 1;
  }
  return out;
}

}  // namespace

bool CoupleUnits::find(const LocalProblem& original) const {
  return std::any_of(original.cones.begin(), original.cones.end(), couples_are_there);
}

void CoupleUnits::scale(const LocalProblem& original, const WarmStart& original_warm) {
  problem.symmetric = original.symmetric;
  problem.terms = original.terms;
  problem.cones.clear();
  row_of_.clear();
  unit_.clear();
  dims_.clear();
  starts_.assign(1, 0);
  columns_.clear();
  const ContactMatrix& W = original.W;
  for (int c = 0; c < original.num_contacts(); ++c) {
    const Cone& cone = original.cones[c];
    problem.cones.push_back(cone_in_units(cone));
    dims_.push_back(problem.cones.back().dim);
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) columns_.push_back(W.column(e));
    starts_.push_back(static_cast<int>(columns_.size()));
    const FrictionParts parts = friction_parts(cone);
    for (int k = 0; k < cone.dim; ++k) {
      double unit = 1;
      for (const FrictionPart& part : parts)
        if (part.kind != FrictionKind::sliding && k >= part.first && k < part.first + part.size)
          unit = part.coefficient;
      if (!(unit > 0)) continue;
      row_of_.push_back(original.first_row(c) + k);
      unit_.push_back(unit);
    }
  }
  problem.W.set_pattern(dims_, starts_, columns_);
  const auto rows = static_cast<Eigen::Index>(row_of_.size());
  problem.u_free.resize(rows);
  const bool is_warm = original_warm.r.size() == original.u_free.size();
  warm.r.resize(is_warm ? rows : 0);
  for (Eigen::Index i = 0; i < rows; ++i) {
    problem.u_free[i] = unit_[i] * original.u_free[row_of_[i]];
    if (is_warm) warm.r[i] = original_warm.r[row_of_[i]] / unit_[i];
  }
  for (int a = 0; a < original.num_contacts(); ++a)
    for (int e = W.row_begin(a); e < W.row_end(a); ++e) {
      const int b = W.column(e), row = problem.W.first_row(a), column = problem.W.first_row(b);
      const auto from = W.block(a, e);
      auto to = problem.W.block(a, e);
      for (int i = 0; i < dims_[a]; ++i)
        for (int j = 0; j < dims_[b]; ++j)
          to(i, j) =
              unit_[row + i] * unit_[column + j] *
              from(row_of_[row + i] - original.first_row(a), row_of_[column + j] - original.first_row(b));
    }
}

void CoupleUnits::unscale(const LocalProblem& original, Solution& solution) {
  r_.setZero(original.u_free.size());
  for (std::size_t i = 0; i < row_of_.size(); ++i)
    r_[row_of_[i]] = unit_[i] * solution.r[static_cast<Eigen::Index>(i)];
  solution.r = r_;
  original.W.multiply(solution.r, solution.u);
  solution.u += original.u_free;
  // A part without friction slips along no direction.
  for (int c = 0; c < original.num_contacts(); ++c) {
    if (!couples_are_there(original.cones[c]) || solution.modes[c].status == ContactStatus::open) continue;
    for (const FrictionPart& part : friction_parts(original.cones[c]))
      if (part.kind != FrictionKind::sliding && part.coefficient == 0)
        solution.modes[c].set_part(part.kind, {ContactStatus::slip, Eigen::Vector2d::Zero()});
  }
}

}  // namespace delassus
