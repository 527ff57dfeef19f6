// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/impact/restitution_bound.hpp"

#include <numeric>

namespace delassus {
namespace {

// Gains below this share of ½ rᵀ W r are the solver's tolerance.
constexpr double k_no_gain = 1e-9;
// Halvings of the interval of a share, the last of which takes the end that gains nothing.
constexpr int k_max_reductions = 6;

}  // namespace

// Groups are numbered by their first contact.
void RestitutionBound::find_groups(const ContactMatrix& W) {
  const int n = W.num_contacts();
  parent_.resize(static_cast<std::size_t>(n));
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto root = [&](int c) {
    while (parent_[static_cast<std::size_t>(c)] != c) {
      parent_[static_cast<std::size_t>(c)] =
          parent_[static_cast<std::size_t>(parent_[static_cast<std::size_t>(c)])];
      c = parent_[static_cast<std::size_t>(c)];
    }
    return c;
  };
  for (int c = 0; c < n; ++c)
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
      const int a = root(c), b = root(W.column(e));
      parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  groups_.clear();
  group_of_.assign(static_cast<std::size_t>(n), -1);
  for (int c = 0; c < n; ++c) {
    const int first = root(c);
    if (first == c) {
      group_of_[static_cast<std::size_t>(c)] = static_cast<int>(groups_.size());
      groups_.emplace_back();
    } else {
      group_of_[static_cast<std::size_t>(c)] = group_of_[static_cast<std::size_t>(first)];
    }
  }
}

void RestitutionBound::begin(const LocalProblem& local, const Vector& restitution, const Vector& other,
                             const Vector& forces) {
  find_groups(local.W);
  restitution_ = restitution;
  other_ = other;
  forces_ = forces;
  reductions_ = 0;
  update_shift(local);
}

void RestitutionBound::update_shift(const LocalProblem& local) {
  shift_ = other_;
  for (int c = 0; c < local.W.num_contacts(); ++c) {
    const int row = local.W.first_row(c), dim = local.W.dim(c);
    shift_.segment(row, dim) += share(c) * restitution_.segment(row, dim);
  }
}

bool RestitutionBound::reduce(const LocalProblem& local, const Solution& solution) {
  // The shares of this solution were chosen as the last ones.
  if (reductions_ > k_max_reductions) return false;
  for (Group& group : groups_) group.gain = group.scale = 0;
  for (int c = 0; c < local.W.num_contacts(); ++c) {
    // What the friction of joints takes does not pay for what a law of impact gains.
    if (local.cones[static_cast<std::size_t>(c)].kind == ConeKind::box) continue;
    Group& group = groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(c)])];
    const int row = local.W.first_row(c), dim = local.W.dim(c);
    const VectorRef r = solution.r.segment(row, dim), u = solution.u.segment(row, dim),
                    free = local.u_free.segment(row, dim), shift = shift_.segment(row, dim),
                    forces = forces_.segment(row, dim);
    group.gain += 0.5 * r.dot(u + free - forces - 2 * shift);
    group.scale += 0.5 * r.dot(u - free);
  }
  const bool last = ++reductions_ > k_max_reductions;
  bool again = false;
  for (Group& group : groups_) {
    const bool gains = group.gain > k_no_gain * group.scale;
    if (group.bad > 1 && !gains) continue;  // it never gained
    (gains ? group.bad : group.good) = group.share;
    // At the end with the share that is known to be good.
    const double next = last ? group.good : 0.5 * (group.good + group.bad);
    again = again || next != group.share;
    group.share = next;
  }
  if (again) update_shift(local);
  return again;
}

}  // namespace delassus
