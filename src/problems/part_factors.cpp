// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/part_factors.hpp"

#include <algorithm>

#include "delassus/base/parallel.hpp"
#include "delassus/base/work_counts.hpp"
#include "delassus/linalg/small_factor.hpp"

namespace delassus {
namespace {

// A part of so many velocities without joints is factorised in place; a rigid body has 6.
constexpr int k_body_velocities = 6;
// Parts that a thread takes at once: factors of bodies cost some tenths of a microsecond each.
constexpr std::size_t k_grain = 64;

// The same of n×n values by columns.
bool is_definite_small(const double* values, int n) {
  double symmetric[k_body_velocities * k_body_velocities];
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) symmetric[i + j * n] = 0.5 * (values[i + j * n] + values[j + i * n]);
  return factorize_small(symmetric, n, true);
}

}  // namespace

bool PartFactors::compute(const Problem& problem, const Parts& parts, bool check_definite) {
  ++work_counts().factorisations;
  problem_ = &problem;
  parts_ = &parts;
  check_definite_ = check_definite;
  num_mechanisms_ = 0;
  whole_ = parts.size() <= 1;
  symmetric_ = problem.symmetric;
  if (whole_) {
    symmetric_ = symmetric_ || problem.A.is_symmetric();
    kkt_.use(linear_solver_);
    if (check_definite && (!symmetric_ || iterates()) &&
        !definiteness_.check_symmetric_part(problem.A, symmetric_part_))
      return false;
    const BlockRows* directions = problem.separate_directions ? &problem.G_directions : nullptr;
    return kkt_.compute(problem.A, symmetric_, problem.Gt, directions, problem.C, 1 + problem.Ht.rows());
  }
  sort_parts();
  copy_blocks();
  copy_joints();
  const auto count = static_cast<std::size_t>(parts.size());
  part_symmetric_.assign(count, problem.symmetric ? 1 : 0);
  part_factorized_.assign(count, 0);
  parallel_for(count, k_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) part_factorized_[k] = factorize(static_cast<int>(k)) ? 1 : 0;
  });
  symmetric_ = std::find(part_symmetric_.begin(), part_symmetric_.end(), 0) == part_symmetric_.end();
  return std::find(part_factorized_.begin(), part_factorized_.end(), 0) == part_factorized_.end();
}

void PartFactors::need_mechanism(int part) {
  if (!is_body(part)) return;
  if (num_mechanisms_ == static_cast<int>(mechanisms_.size()))
    mechanisms_.push_back(std::make_unique<Mechanism>());
  mechanism_of_[part] = num_mechanisms_;
  Mechanism& mechanism = *mechanisms_[num_mechanisms_++];
  const int size = parts_->num_velocities(part);
  mechanism.A.clear(size);
  mechanism.Gt.clear(size);
  mechanism.G_directions.clear(size);
  mechanism.joint_rows.clear();
}

// Which parts are bodies, which mechanisms.
void PartFactors::sort_parts() {
  const Parts& parts = *parts_;
  const BlockRows& Gt = problem_->Gt;
  mechanism_of_.assign(parts.size(), -1);
  for (int k = 0; k < parts.size(); ++k)
    if (parts.num_velocities(k) > k_body_velocities) need_mechanism(k);
  for (int g = 0; g < Gt.num_groups(); ++g)
    if (Gt.num_blocks(g) > 0) need_mechanism(parts.part_of(Gt.block_column(g, 0)));
  factor_starts_.assign(static_cast<std::size_t>(parts.size()) + 1, 0);
  for (int k = 0; k < parts.size(); ++k) {
    const auto size = static_cast<std::size_t>(parts.num_velocities(k));
    factor_starts_[k + 1] = factor_starts_[k] + (is_body(k) ? size * size : 0);
  }
}

void PartFactors::copy_blocks() {
  const Parts& parts = *parts_;
  const BlockMatrix& A = problem_->A;
  body_factors_.assign(factor_starts_.back(), 0.0);
  for (int b = 0; b < A.num_blocks(); ++b) {
    const auto block = A.block(b);
    const int part = parts.part_of(A.block_row(b));
    const int row = parts.place(A.block_row(b)), column = parts.place(A.block_column(b));
    // Velocities of a block follow each other in the part, too: those between belong to it.
    if (!is_body(part)) {
      mechanisms_[mechanism_of_[part]]->A.add_block(row, column, static_cast<int>(block.rows()),
                                                    static_cast<int>(block.cols())) = block;
      continue;
    }
    const int size = parts.num_velocities(part);
    double* factor = body_factors_.data() + factor_starts_[part];
    const double* values = block.data();
    for (int j = column; j < column + static_cast<int>(block.cols()); ++j)
      for (int i = row; i < row + static_cast<int>(block.rows()); ++i) factor[i + j * size] += *values++;
  }
}

void PartFactors::copy_joints() {
  const Parts& parts = *parts_;
  const BlockRows& Gt = problem_->Gt;
  const auto copy_group = [&](const BlockRows& from, int g, BlockRows& to) {
    to.add_group(from.group_rows(g));
    for (int b = 0; b < from.num_blocks(g); ++b) {
      const auto block = from.block(g, b);
      to.add_block(parts.place(from.block_column(g, b)), static_cast<int>(block.cols())) = block;
    }
  };
  for (int g = 0; g < Gt.num_groups(); ++g) {
    if (Gt.num_blocks(g) == 0) continue;
    Mechanism& mechanism = *mechanisms_[mechanism_of_[parts.part_of(Gt.block_column(g, 0))]];
    copy_group(Gt, g, mechanism.Gt);
    if (problem_->separate_directions) copy_group(problem_->G_directions, g, mechanism.G_directions);
    for (int i = 0; i < Gt.group_rows(g); ++i) mechanism.joint_rows.push_back(Gt.first_row(g) + i);
  }
}

bool PartFactors::factorize(int part) {
  if (!is_body(part)) return factorize_mechanism(part, *mechanisms_[mechanism_of_[part]]);
  const int size = parts_->num_velocities(part);
  double* factor = body_factors_.data() + factor_starts_[part];
  if (part_symmetric_[part] == 0) part_symmetric_[part] = is_symmetric_small(factor, size) ? 1 : 0;
  if (check_definite_ && part_symmetric_[part] == 0 && !is_definite_small(factor, size)) return false;
  return factorize_small(factor, size, part_symmetric_[part] != 0);
}

bool PartFactors::factorize_mechanism(int part, Mechanism& mechanism) {
  const int rows = static_cast<int>(mechanism.joint_rows.size());
  mechanism.C.resize(rows);
  for (int i = 0; i < rows; ++i) mechanism.C[i] = problem_->C[mechanism.joint_rows[i]];
  const BlockRows* directions = problem_->separate_directions ? &mechanism.G_directions : nullptr;
  if (part_symmetric_[part] == 0) part_symmetric_[part] = mechanism.A.is_symmetric() ? 1 : 0;
  mechanism.kkt.use(linear_solver_);
  if (check_definite_ && (part_symmetric_[part] == 0 || iterates()) &&
      !mechanism.definiteness.check_symmetric_part(mechanism.A, mechanism.symmetric_part))
    return false;
  return mechanism.kkt.compute(mechanism.A, part_symmetric_[part] != 0, mechanism.Gt, directions, mechanism.C,
                               1 + std::min(problem_->Ht.rows(), parts_->num_velocities(part)));
}

void PartFactors::solve_body(int part, double* x, int count) const {
  solve_small(body_factors_.data() + factor_starts_[part], parts_->num_velocities(part),
              part_symmetric_[part] != 0, x, count);
}

void PartFactors::respond(int part, const double* P, int count, double* X) const {
  const int size = parts_->num_velocities(part);
  if (is_body(part)) {
    std::copy_n(P, size * count, X);
    solve_body(part, X, count);
    return;
  }
  Mechanism& mechanism = *mechanisms_[mechanism_of_[part]];
  mechanism.kkt.solve_homogeneous(Eigen::Map<const Matrix>(P, size, count), mechanism.X);
  std::copy_n(mechanism.X.data(), size * count, X);
}

void PartFactors::solve_mechanism(int part, const VectorRef& p, const VectorRef& g, Vector& v,
                                  Vector& lambda) const {
  Mechanism& mechanism = *mechanisms_[mechanism_of_[part]];
  const std::span<const int> velocities = parts_->velocities(part);
  const auto rows = static_cast<int>(mechanism.joint_rows.size());
  mechanism.p.resize(static_cast<Eigen::Index>(velocities.size()));
  mechanism.g.resize(rows);
  for (std::size_t i = 0; i < velocities.size(); ++i)
    mechanism.p[static_cast<Eigen::Index>(i)] = p[velocities[i]];
  for (int i = 0; i < rows; ++i) mechanism.g[i] = g[mechanism.joint_rows[i]];
  mechanism.kkt.solve(mechanism.p, mechanism.g, mechanism.v, mechanism.lambda);
  for (std::size_t i = 0; i < velocities.size(); ++i)
    v[velocities[i]] = mechanism.v[static_cast<Eigen::Index>(i)];
  for (int i = 0; i < rows; ++i) lambda[mechanism.joint_rows[i]] = mechanism.lambda[i];
}

void PartFactors::solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const {
  if (whole_) {
    kkt_.solve(p, g, v, lambda);
    return;
  }
  v.resize(p.size());
  lambda.setZero(problem_->Gt.rows());
  for (int k = 0; k < parts_->size(); ++k) {
    if (!is_body(k)) {
      solve_mechanism(k, p, g, v, lambda);
      continue;
    }
    const std::span<const int> velocities = parts_->velocities(k);
    double x[k_body_velocities];
    for (std::size_t i = 0; i < velocities.size(); ++i) x[i] = p[velocities[i]];
    solve_body(k, x, 1);
    for (std::size_t i = 0; i < velocities.size(); ++i) v[velocities[i]] = x[i];
  }
}

int PartFactors::linear_iterations() const {
  if (whole_) return kkt_.iterations();
  int sum = 0;
  for (int k = 0; k < num_mechanisms_; ++k) sum += mechanisms_[k]->kkt.iterations();
  return sum;
}

const char* PartFactors::trouble() const {
  if (whole_) return kkt_.trouble();
  for (int k = 0; k < num_mechanisms_; ++k)
    if (*mechanisms_[k]->kkt.trouble() != '\0') return mechanisms_[k]->kkt.trouble();
  return "";
}

int PartFactors::num_redundant() const {
  if (whole_) return kkt_.num_redundant();
  int sum = 0;
  for (int k = 0; k < num_mechanisms_; ++k) sum += mechanisms_[k]->kkt.num_redundant();
  return sum;
}

}  // namespace delassus
