// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/minres.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// By how much one run of the iteration makes the residual smaller, and how often it is begun anew.
constexpr double k_reduction = 1e-10;
constexpr int k_max_starts = 6;
// A residual below this times that of x = 0 solves the system; one above the second after all starts does not.
constexpr double k_minres_round_off = 4 * std::numeric_limits<double>::epsilon();
constexpr double k_solved = 1e-11;
// Iterations of a run, times the unknowns.
constexpr int k_iterations_per_unknown = 8;
// A pivot of a joint that is below this, on unit diagonal, is a row that depends on others of the joint.
constexpr double k_dependent = 1e-11;

using Block = Eigen::Map<Matrix>;

}  // namespace

bool Minres::compute(const BlockMatrix& A, const BlockRows& rows, const VectorRef& C) {
  A_ = &A;
  rows_ = &rows;
  C_ = C;
  iterations_ = 0;
  factors_.clear();
  values_.clear();
  return find_body_blocks() && find_joint_blocks();
}

// Velocities that a block on the diagonal of A couples belong together.
bool Minres::find_body_blocks() {
  const BlockMatrix& A = *A_;
  const int nv = A.size();
  body_of_.assign(static_cast<std::size_t>(nv), 0);
  // 1: coupled to the next velocity.
  for (int b = 0; b < A.num_blocks(); ++b)
    if (A.block_row(b) == A.block_column(b))
      std::fill_n(body_of_.begin() + A.block_row(b), std::max(0, static_cast<int>(A.block(b).rows()) - 1), 1);
  for (int i = 0, first = 0; i < nv; ++i) {
    if (body_of_[static_cast<std::size_t>(i)] == 1 && i + 1 < nv) continue;
    factors_.push_back({first, i + 1 - first, values_.size()});
    values_.resize(
        values_.size() + static_cast<std::size_t>(i + 1 - first) * static_cast<std::size_t>(i + 1 - first),
        0.0);
    first = i + 1;
  }
  num_bodies_ = static_cast<int>(factors_.size());
  for (int k = 0; k < num_bodies_; ++k)
    std::fill_n(body_of_.begin() + factors_[static_cast<std::size_t>(k)].first,
                factors_[static_cast<std::size_t>(k)].size, k);
  for (int b = 0; b < A.num_blocks(); ++b) {
    const auto block = A.block(b);
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      for (Eigen::Index i = 0; i < block.rows(); ++i) {
        const int row = A.block_row(b) + static_cast<int>(i),
                  column = A.block_column(b) + static_cast<int>(j);
        const int body = body_of_[static_cast<std::size_t>(row)];
        if (body_of_[static_cast<std::size_t>(column)] != body) continue;
        const Factor& factor = factors_[static_cast<std::size_t>(body)];
        Block(values_.data() + factor.offset, factor.size, factor.size)(row - factor.first,
                                                                        column - factor.first) += block(i, j);
      }
  }
  for (int k = 0; k < num_bodies_; ++k)
    if (!factorize(factors_[static_cast<std::size_t>(k)])) return false;
  return true;
}

bool Minres::factorize(const Factor& factor) {
  Block block(values_.data() + factor.offset, factor.size, factor.size);
  if (!block.allFinite()) return false;
  const double smallest = std::numeric_limits<double>::epsilon() * factor.size;
  const Vector diagonal = block.diagonal();
  Eigen::LLT<Eigen::Ref<Matrix>> llt(block);
  return llt.info() == Eigen::Success &&
         (block.diagonal().array().square() > smallest * diagonal.array()).all();
}

// R Â⁻¹ Rᵀ + C of each joint, on unit diagonal while it is factorised.
bool Minres::find_joint_blocks() {
  const BlockRows& rows = *rows_;
  const int nv = A_->size();
  Vector column(nv);
  for (int g = 0; g < rows.num_groups(); ++g) {
    const int size = rows.group_rows(g), first = rows.first_row(g);
    if (size == 0) continue;
    const Factor factor{first, size, values_.size()};
    values_.resize(values_.size() + static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
    Matrix S = Matrix::Zero(size, size);
    for (int k = 0; k < size; ++k) {
      // Only the bodies of the joint are looked at.
      for (int b = 0; b < rows.num_blocks(g); ++b)
        for (int j = 0; j < static_cast<int>(rows.block(g, b).cols()); ++j) {
          const Factor& body = factors_[static_cast<std::size_t>(
              body_of_[static_cast<std::size_t>(rows.block_column(g, b) + j)])];
          column.segment(body.first, body.size).setZero();
        }
      for (int b = 0; b < rows.num_blocks(g); ++b) {
        const auto block = rows.block(g, b);
        column.segment(rows.block_column(g, b), block.cols()) += block.row(k).transpose();
      }
      int last = -1;
      std::vector<int> bodies;
      for (int b = 0; b < rows.num_blocks(g); ++b)
        for (int j = 0; j < static_cast<int>(rows.block(g, b).cols()); ++j) {
          const int body = body_of_[static_cast<std::size_t>(rows.block_column(g, b) + j)];
          if (body != last && std::find(bodies.begin(), bodies.end(), body) == bodies.end())
            bodies.push_back(body);
          last = body;
        }
      for (const int body : bodies) {
        const Factor& own = factors_[static_cast<std::size_t>(body)];
        apply_inverse(own, column.data() + own.first);
      }
      for (int b = 0; b < rows.num_blocks(g); ++b) {
        const auto block = rows.block(g, b);
        S.col(k) += block * column.segment(rows.block_column(g, b), block.cols());
      }
      S(k, k) += C_[first + k];
    }
    if (!S.allFinite()) return false;
    // A row that nothing that moves answers to, or that depends on others of its joint: by its diagonal.
    const Vector scale = S.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
    Matrix scaled = scale.asDiagonal() * S * scale.asDiagonal();
    Eigen::LLT<Matrix> llt(scaled);
    Block L(values_.data() + factor.offset, size, size);
    if (llt.info() == Eigen::Success && llt.matrixLLT().diagonal().array().square().minCoeff() > k_dependent)
      L = scale.cwiseInverse().asDiagonal() * Matrix(llt.matrixL());
    else
      L = scale.cwiseInverse().asDiagonal().toDenseMatrix();
    factors_.push_back(factor);
  }
  return true;
}

void Minres::apply_inverse(const Factor& factor, double* x) const {
  const Eigen::Map<const Matrix> L(values_.data() + factor.offset, factor.size, factor.size);
  Eigen::Map<Vector> part(x, factor.size);
  L.triangularView<Eigen::Lower>().solveInPlace(part);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(part);
}

void Minres::precondition(const Vector& x, Vector& out) const {
  out = x;
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const int offset = static_cast<int>(k) < num_bodies_ ? 0 : A_->size();
    apply_inverse(factors_[k], out.data() + offset + factors_[k].first);
  }
}

void Minres::multiply(const Vector& x, Vector& out) const {
  const Eigen::Index nv = A_->size(), nj = rows_->rows();
  head_ = x.head(nv);
  tail_ = x.tail(nj);
  head_out_.setZero(nv);
  A_->add_product(head_, head_out_);
  rows_->add_transposed_product(tail_, head_out_);
  rows_->multiply(VectorRef(head_), tail_out_);
  tail_out_ -= C_.cwiseProduct(tail_);
  out.resize(nv + nj);
  out.head(nv) = head_out_;
  out.tail(nj) = tail_out_;
}

// Elman, Silvester and Wathen 2014, algorithm 4.1.
int Minres::reduce(double tolerance, int most) const {
  const Eigen::Index n = residual_.size();
  v_last_.setZero(n);
  w_last_.setZero(n);
  w_.setZero(n);
  v_ = residual_;
  precondition(v_, z_);
  double gamma_last = 1, gamma = std::sqrt(std::max(0.0, z_.dot(v_)));
  double eta = gamma, s_last = 0, s = 0, c_last = 1, c = 1;
  const double wanted = tolerance * gamma;
  for (int k = 1; k <= most; ++k) {
    if (!(gamma > 0)) return k - 1;
    z_ /= gamma;
    multiply(z_, product_);
    const double delta = product_.dot(z_);
    v_next_ = product_ - (delta / gamma) * v_ - (gamma / gamma_last) * v_last_;
    precondition(v_next_, z_next_);
    const double gamma_next = std::sqrt(std::max(0.0, z_next_.dot(v_next_)));
    const double a0 = c * delta - c_last * s * gamma, a1 = std::hypot(a0, gamma_next),
                 a2 = s * delta + c_last * c * gamma, a3 = s_last * gamma;
    if (!(a1 > 0)) return k;
    c_last = c;
    s_last = s;
    c = a0 / a1;
    s = gamma_next / a1;
    w_next_ = (z_ - a3 * w_last_ - a2 * w_) / a1;
    x_ += (c * eta) * w_next_;
    eta *= -s;
    if (!(std::abs(eta) > wanted)) return k;
    v_last_.swap(v_);
    v_.swap(v_next_);
    z_.swap(z_next_);
    w_last_.swap(w_);
    w_.swap(w_next_);
    gamma_last = gamma;
    gamma = gamma_next;
  }
  return most;
}

bool Minres::solve(const VectorRef& p, const VectorRef& g, Vector& v, Vector& lambda) const {
  const Eigen::Index nv = A_->size(), nj = rows_->rows();
  b_.resize(nv + nj);
  b_.head(nv) = p;
  b_.tail(nj) = g;
  x_.setZero(nv + nj);
  const auto norm = [&](const Vector& x) {
    precondition(x, z_);
    return std::sqrt(std::max(0.0, z_.dot(x)));
  };
  const double size = norm(b_);
  const int most = k_iterations_per_unknown * static_cast<int>(nv + nj);
  double last = std::numeric_limits<double>::infinity(), now = size;
  residual_ = b_;
  for (int start = 0; start < k_max_starts && now > k_minres_round_off * size && now < 0.5 * last; ++start) {
    product_ = x_;
    before_ = x_;
    iterations_ += reduce(k_reduction, most);
    last = now;
    multiply(x_, product_);
    residual_ = b_ - product_;
    now = norm(residual_);
    // What round-off has made worse is not taken.
    if (!(now <= last)) {
      x_ = before_;
      now = last;
      break;
    }
  }
  v = x_.head(nv);
  lambda = -x_.tail(nj);
  return std::isfinite(size) && (size == 0 || now <= k_solved * size);
}

}  // namespace delassus
