// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/gap_projection.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// Newton's method converges quadratically; where the features that touch change on the way it is stopped [-].
constexpr int k_max_iterations = 8;
// Penetrations below this are round-off for systems of metre size [m].
constexpr double k_gap_tolerance = 1e-12;
// Contacts farther apart than this many of the deepest penetration do not take part: should they be reached all the
// same, they do in the next iteration [-].
constexpr double k_reach = 4;

}  // namespace

double GapProjector::evaluate(const System& system, double t, std::span<const ContactId> ids) {
  system.bilateral(t, q_, bilateral_);
  system.gaps(ids, t, q_, gaps_, &margins_);
  double violation = 0;
  for (int i = 0; i < bilateral_.num_holonomic; ++i)
    violation = std::max(violation, std::abs(bilateral_.violation[i]));
  for (std::size_t c = 0; c < ids.size(); ++c)
    if (margins_[c] >= 0) violation = std::max(violation, floor_[c] - gaps_[c]);
  return violation;
}

bool GapProjector::project(const System& system, std::span<const ContactId> ids, std::span<const char> lift,
                           const Vector& gaps, const Vector& margins, Phase& phase) {
  solves_ = iterations_ = 0;
  q_ = phase.q;
  const double tolerance = k_gap_tolerance * (1.0 + (q_.size() > 0 ? q_.cwiseAbs().maxCoeff() : 0.0));
  floor_.setZero(gaps.size());
  bool any = false;
  for (std::size_t c = 0; c < ids.size(); ++c) {
    if (margins[c] < 0) continue;
    any = any || (lift[c] && gaps[c] < -tolerance);
    if (!lift[c]) floor_[c] = std::min(gaps[c], 0.0);
  }
  if (!any) return true;
  const double before = evaluate(system, phase.t, ids);
  double violation = before, best = before;
  for (int i = 0; i < k_max_iterations && violation > tolerance; ++i) {
    if (!improve(system, phase.t, ids, k_reach * violation)) break;
    violation = evaluate(system, phase.t, ids);
    if (!(violation < best)) break;
    best = violation;
    phase.q = q_;
  }
  return best < before;
}

bool GapProjector::improve(const System& system, double t, std::span<const ContactId> ids, double reach) {
  near_.clear();
  near_gaps_.clear();
  for (std::size_t c = 0; c < ids.size(); ++c) {
    if (margins_[c] < 0 || gaps_[c] - floor_[c] > reach) continue;
    near_.push_back(ids[c]);
    near_gaps_.push_back(gaps_[c] - floor_[c]);
  }
  problem_.w = Eigen::Map<const Vector>(near_gaps_.data(), static_cast<Eigen::Index>(near_gaps_.size()));
  problem_.A.clear(system.nv());
  system.mass(t, q_, problem_.A);
  problem_.symmetric = true;
  problem_.p.setZero(system.nv());
  problem_.Gt.clear(system.nv());
  const int holonomic = bilateral_.num_holonomic;
  for (int g = 0; g < bilateral_.rows.num_groups() && bilateral_.rows.first_row(g) < holonomic; ++g)
    problem_.Gt.add_group(bilateral_.rows, g, bilateral_.rows.group_rows(g));
  problem_.g = -bilateral_.violation.head(holonomic);
  problem_.C.setZero(holonomic);
  system.contact_rows(near_, t, q_, contacts_);
  problem_.Ht.clear(system.nv());
  for (int c = 0; c < contacts_.rows.num_groups(); ++c) problem_.Ht.add_group(contacts_.rows, c, 1);
  problem_.cones.assign(near_.size(), Cone{});
  if (!reduction_.compute(problem_)) return false;
  SolveStats stats;
  solve(solver_, reduction_, warm_, solution_, stats);
  ++solves_;
  iterations_ += stats.iterations;
  if (!usable(stats.status) || !solution_.v.allFinite()) return false;
  system.retract(VectorRef(q_), VectorRef(solution_.v), q_next_);
  std::swap(q_, q_next_);
  return true;
}

}  // namespace delassus
