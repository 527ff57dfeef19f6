// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/least_correction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"

namespace delassus {
namespace {

// Masses of its row that Σ is as stiff as. Larger ones leave fewer digits to a solve, smaller ones less to a round.
constexpr double k_stiffness = 1e6;
// The same for a row that pushes, at most: beyond it a factorisation has no digits left.
constexpr double k_stiffest = 1e8;
constexpr int k_max_rounds = 30, k_max_steps = 60;
// Rounds in vain after which there is no use in more, and how much of the violation a round may leave to be of use [-].
constexpr int k_patience = 3;
constexpr double k_progress = 0.5;
// The same for steps with rows that push.
constexpr int k_step_patience = 6;
// Part of the way to the boundary.
constexpr double k_to_boundary = 0.99;

double largest_of(const VectorRef& x) {
  return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff();
}

}  // namespace

bool LeastCorrection::solve(const BlockMatrix& M, const BlockRows& R, const VectorRef& b, double tolerance,
                            Vector& delta, Vector& lambda) {
  return solve_equations(M, R, R, b, true, tolerance, delta, lambda);
}

bool LeastCorrection::solve_along(const BlockMatrix& M, const BlockRows& R, const BlockRows& D,
                                  const VectorRef& b, double tolerance, Vector& delta, Vector& lambda) {
  return solve_equations(M, R, D, b, false, tolerance, delta, lambda);
}

bool LeastCorrection::solve_equations(const BlockMatrix& M, const BlockRows& R, const BlockRows& D,
                                      const VectorRef& b, bool symmetric, double tolerance, Vector& delta,
                                      Vector& lambda) {
  factorizations_ = 0;
  if (!factor_.analyze(M, R)) return false;
  weights_ = k_stiffness * factor_.row_masses();
  ++factorizations_;
  if (!factor_.factorize(M, R, D, weights_, symmetric)) return false;
  lambda.setZero(b.size());
  delta.setZero(M.size());
  image_.setZero(b.size());
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0, in_vain = 0; round < k_max_rounds && in_vain < k_patience; ++round) {
    pull_ = lambda + weights_.cwiseProduct(b - image_);
    momentum_.setZero(M.size());
    M.add_product(delta, momentum_, -1.0);
    D.add_transposed_product(pull_, momentum_);
    factor_.solve(momentum_, step_);
    delta += step_;
    R.multiply(VectorRef(delta), image_);
    lambda += weights_.cwiseProduct(b - image_);
    const double off = largest_of(b - image_);
    if (!std::isfinite(off)) return false;
    if (off <= tolerance) return delta.allFinite();
    in_vain = off <= k_progress * best ? 0 : in_vain + 1;
    best = std::min(best, off);
  }
  return false;
}

void LeastCorrection::begin_pushing(const BlockRows& R, const VectorRef& b, double size, Vector& delta,
                                    Vector& lambda) {
  delta.setZero(R.columns());
  lambda.setZero(b.size());
  slack_.setZero(b.size());
  for (Eigen::Index i = first_pushing_; i < b.size(); ++i) {
    slack_[i] = std::max(-b[i], size);
    lambda[i] = factor_.row_masses()[i] * size * (size / slack_[i]);
  }
}

double LeastCorrection::find_residuals(const BlockMatrix& M, const BlockRows& R, const VectorRef& b,
                                       const Vector& delta, const Vector& lambda) {
  momentum_.setZero(M.size());
  M.add_product(delta, momentum_, -1.0);
  R.add_transposed_product(lambda, momentum_);
  R.multiply(VectorRef(delta), image_);
  slack_off_ = b + slack_ - image_;
  double off = 0;
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    const double mass = factor_.row_masses()[i];
    double left = b[i] - image_[i];
    if (i >= first_pushing_) left = std::max(left, mass > 0 ? std::min(slack_[i], lambda[i] / mass) : 0.0);
    off = std::max(off, i < first_pushing_ ? std::abs(left) : left);
  }
  return off;
}

void LeastCorrection::find_step(const BlockRows& R, const Vector& lambda) {
  pull_ = weights_.cwiseProduct(slack_off_);
  for (Eigen::Index i = first_pushing_; i < pull_.size(); ++i) pull_[i] += products_[i] * per_slack_[i];
  image_ = momentum_;
  R.add_transposed_product(pull_, image_);
  factor_.solve(image_, step_);
  R.multiply(VectorRef(step_), image_);
  slack_step_ = image_ - slack_off_;
  lambda_step_ = -weights_.cwiseProduct(slack_step_);
  for (Eigen::Index i = first_pushing_; i < pull_.size(); ++i) {
    if (factor_.row_masses()[i] == 0) slack_step_[i] = 0;
    lambda_step_[i] = (products_[i] - lambda[i] * slack_step_[i]) * per_slack_[i];
  }
}

double LeastCorrection::longest_step(const Vector& lambda) const {
  double length = 1 / k_to_boundary;  // a whole step where no boundary is near
  for (Eigen::Index i = first_pushing_; i < slack_.size(); ++i) {
    if (slack_step_[i] < 0) length = std::min(length, -slack_[i] / slack_step_[i]);
    if (lambda_step_[i] < 0) length = std::min(length, -lambda[i] / lambda_step_[i]);
  }
  return k_to_boundary * length;
}

// Of slacks and multipliers in units of their masses, after a step.
double LeastCorrection::mean_product(const Vector& lambda, double length) const {
  double sum = 0;
  int count = 0;
  for (Eigen::Index i = first_pushing_; i < slack_.size(); ++i) {
    const double mass = factor_.row_masses()[i];
    if (mass == 0) continue;
    sum += (slack_[i] + length * slack_step_[i]) * (lambda[i] + length * lambda_step_[i]) / mass;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

bool LeastCorrection::solve_pushing(const BlockMatrix& M, const BlockRows& R, const VectorRef& b,
                                    int first_pushing, double tolerance, Vector& delta, Vector& lambda) {
  factorizations_ = 0;
  violation_ = std::numeric_limits<double>::infinity();
  first_pushing_ = first_pushing;
  if (!factor_.analyze(M, R)) return false;
  const double size =
      std::max({tolerance, largest_of(b.head(first_pushing)), b.tail(b.size() - first_pushing).maxCoeff()});
  begin_pushing(R, b, size, delta, lambda);
  slack_step_.setZero(b.size());
  lambda_step_.setZero(b.size());
  products_.setZero(b.size());
  per_slack_.setZero(b.size());
  double unbalanced = 1;  // what steps have left of M δ − Rᵀ λ at the beginning
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0, in_vain = 0; i < k_max_steps; ++i) {
    throw_if_stop_requested();
    violation_ = std::max(find_residuals(M, R, b, delta, lambda), unbalanced * size);
    if (violation_ <= tolerance) return delta.allFinite();
    in_vain = violation_ <= k_progress * best ? 0 : in_vain + 1;
    best = std::min(best, violation_);
    if (in_vain > k_step_patience || !std::isfinite(violation_)) return false;
    weights_ = k_stiffness * factor_.row_masses();
    for (Eigen::Index k = first_pushing_; k < b.size(); ++k) {
      per_slack_[k] = 1 / slack_[k];
      if (lambda[k] > 0)
        per_slack_[k] = std::min(per_slack_[k], k_stiffest * factor_.row_masses()[k] / lambda[k]);
      weights_[k] = lambda[k] * per_slack_[k];
    }
    ++factorizations_;
    if (!factor_.factorize(M, R, R, weights_, true)) return false;
    // Predictor: s ∘ λ = 0. How far that goes says how much of the mean to aim at.
    const double mean = mean_product(lambda, 0.0);
    for (Eigen::Index k = first_pushing_; k < b.size(); ++k) products_[k] = -slack_[k] * lambda[k];
    find_step(R, lambda);
    if (!step_.allFinite()) return false;
    const double aim = mean * std::pow(mean_product(lambda, longest_step(lambda)) / mean, 3);
    for (Eigen::Index k = first_pushing_; k < b.size(); ++k)
      products_[k] += aim * factor_.row_masses()[k] - slack_step_[k] * lambda_step_[k];
    find_step(R, lambda);
    const double length = longest_step(lambda);
    if (!(length > 0) || !step_.allFinite()) return false;
    delta += length * step_;
    slack_.tail(b.size() - first_pushing_) += length * slack_step_.tail(b.size() - first_pushing_);
    lambda += length * lambda_step_;
    unbalanced *= 1 - length;
  }
  return false;
}

}  // namespace delassus
