// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/impact/restitution_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace delassus {
namespace {

// Gains below this share of ½ rᵀ W r are the solver's tolerance.
constexpr double k_no_gain = 1e-9;
// A body of mass m that leaves so slowly that forces, which change its velocity by f in the step, would bring it back within it, and
// that is stopped instead, gains up to m f²/8; what rests on it may double that [-].
constexpr double k_stopped_gain = 0.25;
// A contact whose mobility is less than this part of the largest one is held by joints; it carries no body [-].
constexpr double k_held = 1e-9;
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
                             const Vector& before, std::span<const char> rebounds) {
  find_groups(local.W);
  restitution_ = restitution;
  other_ = other;
  before_ = before;
  rebounds_.assign(rebounds.begin(), rebounds.end());
  reductions_ = 0;
  good_r_.setZero(local.u_free.size());
  first_row_.clear();
  for (int c = 0; c <= local.W.num_contacts(); ++c)
    first_row_.push_back(c < local.W.num_contacts() ? local.W.first_row(c) : local.W.rows());
  update_shift(local);
  allow_stops(local);
}

// What forces do to u⁻ is u_free − u⁻, at the start of the search; what presses the bodies of a contact together may act on
// them through others. What approaches and shall rebound is none that falls back.
void RestitutionBound::allow_stops(const LocalProblem& local) {
  const ContactMatrix& W = local.W;
  const auto mobility = [&](int c) {
    for (int e = W.row_begin(c); e < W.row_end(c); ++e)
      if (W.column(e) == c) return W.block(c, e)(0, 0);
    return 0.0;
  };
  double largest = 0;
  for (int c = 0; c < W.num_contacts(); ++c) largest = std::max(largest, mobility(c));
  allowed_.assign(static_cast<std::size_t>(W.num_contacts()), 0.0);
  stopping_.assign(static_cast<std::size_t>(W.num_contacts()), std::numeric_limits<double>::infinity());
  for (int c = 0; c < W.num_contacts(); ++c) {
    const bool carries = mobility(c) > k_held * largest;
    const bool rebounds = rebounds_[static_cast<std::size_t>(c)] != 0 && before_[W.first_row(c)] < 0;
    if (rebounds || !carries) continue;
    double f = 0;
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
      const int row = W.first_row(W.column(e));
      f = std::max(f, std::abs(local.u_free[row] - shift_[row] - before_[row]));
    }
    allowed_[static_cast<std::size_t>(c)] = k_stopped_gain * f * f / mobility(c);
    stopping_[static_cast<std::size_t>(c)] = f / mobility(c);
  }
}

void RestitutionBound::update_shift(const LocalProblem& local) {
  shift_ = other_;
  for (int c = 0; c < local.W.num_contacts(); ++c) {
    const int row = local.W.first_row(c), dim = local.W.dim(c);
    shift_.segment(row, dim) += share(c) * restitution_.segment(row, dim);
  }
}

// (1), of one contact; its normal and its other directions are turned round on their own.
double RestitutionBound::gain(const LocalProblem& local, const Solution& solution, int contact) const {
  const int row = local.W.first_row(contact), dim = local.W.dim(contact);
  double sum = 0;
  for (const auto& [first, size] : {std::pair(row, 1), std::pair(row + 1, dim - 1)}) {
    const VectorRef r = solution.r.segment(first, size), shift = shift_.segment(first, size);
    const double before = r.dot(before_.segment(first, size));
    const bool is_turned = before > 0 && r.dot(local.u_free.segment(first, size) - shift) <= 0;
    const bool counts = rebounds_[static_cast<std::size_t>(contact)] != 0 || !is_turned;
    // Beyond what stops the work of forces the impulse answers to others, which are of the law.
    const double by_forces =
        counts ? 0.0 : std::min(1.0, stopping_[static_cast<std::size_t>(contact)] / r.norm());
    sum += r.dot(solution.u.segment(first, size) - shift) + (1 - by_forces) * before;
  }
  return 0.5 * sum;
}

void RestitutionBound::keep_good(const Solution& solution, int group) {
  groups_[static_cast<std::size_t>(group)].is_known = true;
  for (std::size_t c = 0; c < group_of_.size(); ++c)
    if (group_of_[c] == group) {
      const int row = first_row_[c], size = first_row_[c + 1] - row;
      good_r_.segment(row, size) = solution.r.segment(row, size);
    }
}

void RestitutionBound::start_from_good(WarmStart& warm) const {
  const auto known = [](const Group& group) { return group.is_known; };
  if (std::none_of(groups_.begin(), groups_.end(), known)) return;
  if (warm.r.size() != good_r_.size()) warm.r.setZero(good_r_.size());
  warm.basis.clear();
  warm.modes.clear();
  for (std::size_t c = 0; c < group_of_.size(); ++c)
    if (groups_[static_cast<std::size_t>(group_of_[c])].is_known) {
      const int row = first_row_[c], size = first_row_[c + 1] - row;
      warm.r.segment(row, size) = good_r_.segment(row, size);
    }
}

bool RestitutionBound::reduce(const LocalProblem& local, const Solution& solution) {
  // A solution with the shares that were chosen as the last ones is judged once more.
  const bool chosen = reductions_ > k_max_reductions;
  if (reductions_ > k_max_reductions + 1) return false;
  for (Group& group : groups_) group.gain = group.scale = 0;
  for (int c = 0; c < local.W.num_contacts(); ++c) {
    Group& group = groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(c)])];
    const int row = local.W.first_row(c), dim = local.W.dim(c);
    // What one contact is allowed does not pay for another one.
    const double gained = gain(local, solution, c);
    // What the friction of joints takes does not pay for what a law of impact gains; but it may give, to what a stop turns round.
    if (local.cones[static_cast<std::size_t>(c)].kind == ConeKind::box && gained <= 0) continue;
    group.gain += gained > 0 ? std::max(0.0, gained - allowed_[static_cast<std::size_t>(c)]) : gained;
    group.scale +=
        0.5 * solution.r.segment(row, dim).dot(solution.u.segment(row, dim) - local.u_free.segment(row, dim));
  }
  const bool last = ++reductions_ > k_max_reductions;
  bool again = false;
  for (Group& group : groups_) {
    const bool gains = group.gain > k_no_gain * group.scale;
    if (!gains) keep_good(solution, static_cast<int>(&group - groups_.data()));
    if (chosen) {
      again = again || (gains && group.share > 0);
      if (gains) group.share = 0;
      continue;
    }
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
