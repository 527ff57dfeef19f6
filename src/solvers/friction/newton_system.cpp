// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/newton_system.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

constexpr int k_max_refinements = 6;
// Up to so many rows open contacts stay in the system, with the identity, and the factors are always L U: nothing changes from
// step to step, and nothing is allocated.
constexpr int k_whole_rows = 24;
// Factors without pivots between contacts are taken when they leave less than this of the right side.
constexpr double k_solved = 1e-8;
// By velocities: ε (the digits that a smaller one loses in the factors a larger one loses before refinement), larger ones for contacts
// that hardly determine each other, and what factors that serve leave of the right side [-].
constexpr double k_velocity_epsilons[] = {1e-8, 1e-6, 1e-4}, k_factored = 3e-2;

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

}  // namespace

void NewtonSystem::prepare(const LocalProblem& problem, const PreparedContacts& contacts) {
  problem_ = &problem;
  contacts_ = &contacts;
  const auto n = static_cast<std::size_t>(contacts.size());
  scale_.resize(n);
  parts_.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    scale_[c] = std::sqrt(contacts[static_cast<int>(c)].rho);
    parts_[c] = friction_parts(problem.cones[c]);
  }
  F_.resize(problem.u_free.size());
  place_.resize(n);
  weight_ = 0;
}

void NewtonSystem::set_proximal(double weight, const Vector& centre) {
  weight_ = weight;
  centre_ = centre;
}

ContactVector NewtonSystem::scaled_velocity(int contact, const Vector& r, const Vector& u) const {
  const auto& [row, dim] = std::pair((*contacts_)[contact].row, (*contacts_)[contact].dim);
  ContactVector scaled = scale_[contact] * u.segment(row, dim);
  if (weight_ > 0) scaled += (weight_ / scale_[contact]) * (r.segment(row, dim) - centre_.segment(row, dim));
  return scaled;
}

// What the exact law has in place of u_N: the velocity by which a sliding contact of the convex law separates is its due.
double NewtonSystem::normal_velocity(int contact, const ContactVector& u) const {
  double normal = u[0];
  if (problem_->cones[contact].kind == ConeKind::convex)
    for (int i = 0; i < parts_[contact].count; ++i) {
      const FrictionPart& part = parts_[contact].part[i];
      normal -= part.coefficient * u.segment(part.first, part.size).norm();
    }
  return normal;
}

bool NewtonSystem::is_open(int contact, const ContactVector& r, const ContactVector& u) const {
  const Cone& cone = problem_->cones[contact];
  if (cone.kind == ConeKind::equality) return false;
  if (cone.kind == ConeKind::box) return false;
  return cone.extra_normal == 0 && r[0] - normal_velocity(contact, u) <= 0;
}

void NewtonSystem::evaluate_contact(int contact, const ContactVector& r, const ContactVector& u,
                                    ContactVector& F) const {
  const Cone& cone = problem_->cones[contact];
  const double scale = scale_[contact];
  if (cone.kind == ConeKind::equality) {
    F = u;
    return;
  }
  if (cone.kind == ConeKind::box) {
    const double bound = cone.bound / scale;
    F = r;
    F[0] -= std::clamp(r[0] - u[0], -bound, bound);
    return;
  }
  const double normal = std::max(r[0] - normal_velocity(contact, u), 0.0);
  F = r;
  F[0] -= normal;
  for (int i = 0; i < parts_[contact].count; ++i) {
    const FrictionPart& part = parts_[contact].part[i];
    const double radius = part.coefficient * (normal + cone.extra_normal / scale);
    Eigen::Vector2d x = Eigen::Vector2d::Zero();
    x.head(part.size) = r.segment(part.first, part.size) - u.segment(part.first, part.size);
    const double size = x.norm();
    F.segment(part.first, part.size) -= (size > radius ? radius / size : 1.0) * x.head(part.size);
  }
}

double NewtonSystem::evaluate(const Vector& r, const Vector& u) {
  double sum = 0;
  ContactVector F;
  for (int c = 0; c < contacts_->size(); ++c) {
    const PreparedContact& contact = (*contacts_)[c];
    if (contact.rho == 0) {
      F_.segment(contact.row, contact.dim).setZero();
      continue;
    }
    evaluate_contact(c, r.segment(contact.row, contact.dim) / scale_[c], scaled_velocity(c, r, u), F);
    F_.segment(contact.row, contact.dim) = F;
    sum += F.squaredNorm();
  }
  return std::sqrt(sum);
}

void NewtonSystem::differentiate(int contact, const ContactVector& r, const ContactVector& u, ContactBlock& X,
                                 ContactBlock& Y) const {
  const Cone& cone = problem_->cones[contact];
  const int dim = cone.dim;
  const double scale = scale_[contact];
  X.setZero(dim, dim);
  Y.setZero(dim, dim);
  if (cone.kind == ConeKind::equality) {
    Y.setIdentity();
    return;
  }
  if (cone.kind == ConeKind::box) {
    (std::abs(r[0] - u[0]) <= cone.bound / scale ? Y : X)(0, 0) = 1.0;
    return;
  }
  const double normal = r[0] - normal_velocity(contact, u);
  const bool closed = normal > 0;
  // Row of the derivative of the normal velocity by u.
  ContactVector slope = ContactVector::Zero(dim);
  slope[0] = 1.0;
  if (cone.kind == ConeKind::convex)
    for (int i = 0; i < parts_[contact].count; ++i) {
      const FrictionPart& part = parts_[contact].part[i];
      const double speed = u.segment(part.first, part.size).norm();
      if (speed > 0)
        slope.segment(part.first, part.size) -= part.coefficient / speed * u.segment(part.first, part.size);
    }
  if (closed)
    Y.row(0) = slope.transpose();
  else
    X(0, 0) = 1.0;
  for (int i = 0; i < parts_[contact].count; ++i) {
    const FrictionPart& part = parts_[contact].part[i];
    const double radius = part.coefficient * (std::max(normal, 0.0) + cone.extra_normal / scale);
    Eigen::Vector2d x = Eigen::Vector2d::Zero();
    x.head(part.size) = r.segment(part.first, part.size) - u.segment(part.first, part.size);
    const double size = x.norm();
    if (size <= radius) {
      Y.block(part.first, part.first, part.size, part.size).setIdentity();
      continue;
    }
    // δF = δr − d μ δx_N − (radius/‖x‖)(I − d dᵀ)(δr − δu)
    const Eigen::Vector2d d = x / size;
    const Eigen::Matrix2d across = (radius / size) * (Eigen::Matrix2d::Identity() - d * d.transpose()).eval();
    for (int a = 0; a < part.size; ++a) {
      const int row = part.first + a;
      X(row, row) += 1.0;
      for (int b = 0; b < part.size; ++b) {
        // One component has no direction across it.
        const double value = part.size == 1 ? 0.0 : across(a, b);
        X(row, part.first + b) -= value;
        Y(row, part.first + b) += value;
      }
      if (closed) {
        X(row, 0) -= part.coefficient * d[a];
        Y.row(row) += part.coefficient * d[a] * slope.transpose();
      }
    }
  }
}

bool NewtonSystem::step(const Vector& r, const Vector& u, double epsilon, Vector& delta) {
  active_.clear();
  X_.clear();
  Y_.clear();
  unknowns_ = 0;
  symmetric_ = problem_->symmetric && r.size() > k_whole_rows;
  delta.setZero(r.size());
  ContactBlock X, Y;
  for (int c = 0; c < contacts_->size(); ++c) {
    const PreparedContact& contact = (*contacts_)[c];
    place_[c] = -1;
    if (contact.rho == 0) continue;
    const ContactVector scaled_r = r.segment(contact.row, contact.dim) / scale_[c];
    const ContactVector scaled_u = scaled_velocity(c, r, u);
    if (r.size() > k_whole_rows && is_open(c, scaled_r, scaled_u)) {
      delta.segment(contact.row, contact.dim) = -r.segment(contact.row, contact.dim);
      continue;
    }
    differentiate(c, scaled_r, scaled_u, X, Y);
    place_[c] = static_cast<int>(active_.size());
    active_.push_back({c, unknowns_});
    X_.push_back(X);
    Y_.push_back(Y);
    unknowns_ += contact.dim;
    symmetric_ = symmetric_ && X.isZero(0.0) && Y.isIdentity(0.0);
  }
  if (unknowns_ == 0) return true;
  epsilon += weight_;
  // Right side: −F, less what the contacts that open leave to the others.
  rhs_.resize(unknowns_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const int c = active_[i].contact;
    const PreparedContact& contact = (*contacts_)[c];
    ContactVector left = ContactVector::Zero(contact.dim);
    for (int e = problem_->W.row_begin(c); e < problem_->W.row_end(c); ++e) {
      const int b = problem_->W.column(e);
      if (place_[b] >= 0 || (*contacts_)[b].rho == 0) continue;
      left += problem_->W.block(c, e) * delta.segment((*contacts_)[b].row, (*contacts_)[b].dim);
    }
    rhs_.segment(active_[i].first, contact.dim) =
        -F_.segment(contact.row, contact.dim) - Y_[i] * left * scale_[c];
  }
  if (!solve_by_velocities(epsilon)) {
    if (dense_factors_win(unknowns_, num_entries())) {
      if (!factorize_dense(epsilon) || !solve_once()) return false;
    } else if (!solve_sparse(epsilon)) {
      return false;
    }
  }
  refine();
  for (const Unknowns& active : active_) {
    const PreparedContact& contact = (*contacts_)[active.contact];
    delta.segment(contact.row, contact.dim) = x_.segment(active.first, contact.dim) * scale_[active.contact];
  }
  return delta.allFinite();
}

bool NewtonSystem::solve_by_velocities(double epsilon) {
  if (!problem_->mobility.serves(unknowns_)) return false;
  factors_ = Factors::velocities;
  for (const double least : k_velocity_epsilons)
    if (try_velocities(std::max(epsilon, least))) return true;
  return false;
}

bool NewtonSystem::try_velocities(double epsilon) {
  members_.clear();
  D_.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const int c = active_[i].contact;
    members_.push_back({c, active_[i].first, (*contacts_)[c].dim, scale_[c]});
    D_.push_back(X_[i] + epsilon * Y_[i]);
  }
  if (!velocity_factor_.compute(problem_->mobility, members_, D_, Y_) || !solve_once()) return false;
  // What ε does to the solution is not the factors' fault.
  multiply(x_, residual_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const int first = active_[i].first, dim = members_[i].dim;
    residual_.segment(first, dim) += (epsilon - weight_) * (Y_[i] * x_.segment(first, dim));
  }
  residual_ -= rhs_;
  return residual_.norm() <= k_factored * rhs_.norm();
}

// Of the matrix that are not empty.
double NewtonSystem::num_entries() const {
  double entries = 0;
  for (const Unknowns& active : active_)
    for (int e = problem_->W.row_begin(active.contact); e < problem_->W.row_end(active.contact); ++e)
      if (place_[problem_->W.column(e)] >= 0)
        entries += (*contacts_)[active.contact].dim * (*contacts_)[problem_->W.column(e)].dim;
  return entries;
}

void NewtonSystem::assemble_dense(double epsilon) {
  J_.setZero(unknowns_, unknowns_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto& [c, first] = active_[i];
    const int dim = (*contacts_)[c].dim;
    for (int e = problem_->W.row_begin(c); e < problem_->W.row_end(c); ++e) {
      const int b = problem_->W.column(e);
      if (place_[b] < 0) continue;
      const int column = active_[place_[b]].first, width = (*contacts_)[b].dim;
      const double scale = scale_[c] * scale_[b];
      if (dim == 1 && width == 1)
        J_(first, column) = Y_[i](0, 0) * *problem_->W.values(e) * scale;
      else
        J_.block(first, column, dim, width).noalias() = Y_[i].lazyProduct(problem_->W.block(c, e)) * scale;
    }
    J_.block(first, first, dim, dim) += X_[i] + epsilon * Y_[i];
  }
}

bool NewtonSystem::factorize_dense(double epsilon) {
  assemble_dense(epsilon);
  if (!J_.allFinite()) return false;
  if (symmetric_) {
    factors_ = Factors::cholesky;
    if (Eigen::LLT<Eigen::Ref<Matrix>>(J_).info() == Eigen::Success) return true;
    assemble_dense(epsilon);
  }
  factors_ = Factors::dense;
  lu_.compute(J_);
  return true;
}

// The matrix of (3) between contacts that are not open.
void NewtonSystem::assemble_blocks(double epsilon) {
  const ContactMatrix& W = problem_->W;
  block_dims_.clear();
  block_starts_.assign(1, 0);
  block_columns_.clear();
  for (const Unknowns& active : active_) {
    block_dims_.push_back((*contacts_)[active.contact].dim);
    for (int e = W.row_begin(active.contact); e < W.row_end(active.contact); ++e)
      if (place_[W.column(e)] >= 0) block_columns_.push_back(place_[W.column(e)]);
    block_starts_.push_back(static_cast<int>(block_columns_.size()));
  }
  blocks_.set_pattern(block_dims_, block_starts_, block_columns_);
  for (int i = 0; i < blocks_.num_contacts(); ++i) {
    const int c = active_[i].contact;
    int at = block_starts_[i];
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
      const int b = W.column(e);
      if (place_[b] < 0) continue;
      const double scale = scale_[c] * scale_[b];
      auto block = blocks_.block(i, at);
      if (block.rows() == 3 && block.cols() == 3)
        Eigen::Map<RowMajor3>(block.data()) =
            (Y_[i].topLeftCorner<3, 3>() * Eigen::Map<const RowMajor3>(W.values(e))) * scale;
      else
        block.noalias() = Y_[i].lazyProduct(W.block(c, e)) * scale;
      ++at;
    }
    blocks_.block(i, blocks_.diagonal_entry(i)) += X_[i] + epsilon * Y_[i];
  }
}

bool NewtonSystem::solve_sparse(double epsilon) {
  assemble_blocks(epsilon);
  factors_ = Factors::blocks;
  if (block_lu_.factorize(blocks_, symmetric_) && solve_once()) {
    // Beside the right side, not beside x: of contacts that share their forces x is large.
    blocks_.multiply(x_, residual_);
    residual_ -= rhs_;
    if (residual_.norm() <= k_solved * rhs_.norm()) return true;
  }
  factors_ = Factors::pivoted;
  return factorize_pivoted() && solve_once();
}

bool NewtonSystem::factorize_pivoted() {
  // Rows of the matrix are columns of its transpose, and the pattern is symmetric.
  starts_.assign(1, 0);
  row_of_.clear();
  values_.clear();
  for (int j = 0; j < blocks_.num_contacts(); ++j)
    for (int k = 0; k < blocks_.dim(j); ++k) {
      for (int e = blocks_.row_begin(j); e < blocks_.row_end(j); ++e) {
        const int i = blocks_.column(e);
        const auto block = blocks_.block(i, blocks_.find(i, j));
        for (int row = 0; row < blocks_.dim(i); ++row) {
          row_of_.push_back(blocks_.first_row(i) + row);
          values_.push_back(block(row, k));
        }
      }
      starts_.push_back(static_cast<int>(row_of_.size()));
    }
  if (starts_ != last_starts_ || row_of_ != last_row_of_) {
    last_starts_ = starts_;
    last_row_of_ = row_of_;
    if (!sparse_lu_.analyze(starts_, row_of_, order_with_little_fill(starts_, row_of_))) return false;
  }
  return sparse_lu_.factorize(values_, SparseLu::Pivots::sought);
}

// The same by the velocities of the bodies.
void NewtonSystem::multiply_by_velocities(const Vector& x, Vector& out) const {
  const ContactMatrix& W = problem_->W;
  impulses_.setZero(W.rows());
  for (const auto& [c, first] : active_) {
    const int dim = (*contacts_)[c].dim;
    impulses_.segment(W.first_row(c), dim) = scale_[c] * x.segment(first, dim);
  }
  problem_->mobility.multiply(W, impulses_, velocities_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto& [c, first] = active_[i];
    const int dim = (*contacts_)[c].dim;
    ContactVector u = scale_[c] * velocities_.segment(W.first_row(c), dim);
    if (weight_ > 0) u += weight_ * x.segment(first, dim);
    out.segment(first, dim) = X_[i] * x.segment(first, dim) + Y_[i] * u;
  }
}

// out = (X + Y Ŵ) x
void NewtonSystem::multiply(const Vector& x, Vector& out) const {
  const ContactMatrix& W = problem_->W;
  out.resize(unknowns_);
  if (factors_ == Factors::velocities) return multiply_by_velocities(x, out);
  ContactVector u;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto& [c, first] = active_[i];
    const int dim = (*contacts_)[c].dim;
    u.setZero(dim);
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
      const int b = W.column(e);
      if (place_[b] < 0) continue;
      const int at = active_[place_[b]].first;
      if (dim == 1 && (*contacts_)[b].dim == 1)
        u[0] += *W.values(e) * (scale_[b] * x[at]);
      else if (dim == 3 && (*contacts_)[b].dim == 3)
        u.head<3>() += Eigen::Map<const RowMajor3>(W.values(e)) * (scale_[b] * x.segment<3>(at));
      else
        u += W.block(c, e) * (scale_[b] * x.segment(at, (*contacts_)[b].dim));
    }
    u *= scale_[c];
    if (weight_ > 0) u += weight_ * x.segment(first, dim);
    if (dim == 1)
      out[first] = X_[i](0, 0) * x[first] + Y_[i](0, 0) * u[0];
    else
      out.segment(first, dim) = X_[i] * x.segment(first, dim) + Y_[i] * u;
  }
}

void NewtonSystem::apply_factor(Vector& x) const {
  switch (factors_) {
    case Factors::cholesky:
      J_.triangularView<Eigen::Lower>().solveInPlace(x);
      J_.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
      break;
    case Factors::dense:
      x = lu_.solve(x);
      break;
    case Factors::blocks:
      block_lu_.solve_in_place(x);
      break;
    case Factors::pivoted:
      sparse_lu_.solve_in_place(x);
      break;
    case Factors::velocities:
      velocity_factor_.solve_in_place(x);
      break;
  }
}

bool NewtonSystem::solve_once() {
  x_ = rhs_;
  apply_factor(x_);
  return x_.allFinite();
}

// x ← x + (X + Y (Ŵ + ε))⁻¹ (rhs − (X + Y Ŵ) x) while that improves.
void NewtonSystem::refine() {
  multiply(x_, residual_);
  residual_ = rhs_ - residual_;
  double error = residual_.norm();
  for (int i = 0; i < k_max_refinements && error > 1e-15 * rhs_.norm(); ++i) {
    correction_ = residual_;
    apply_factor(correction_);
    correction_ += x_;
    multiply(correction_, residual_);
    residual_ = rhs_ - residual_;
    const double next = residual_.norm();
    if (!(next < 0.5 * error)) break;
    error = next;
    x_ = correction_;
  }
}

}  // namespace delassus
