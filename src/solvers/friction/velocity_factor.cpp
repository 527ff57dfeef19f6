// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/velocity_factor.hpp"

#include <algorithm>

namespace delassus {
namespace {

// Velocities up to which one dense factorisation is faster than many small blocks.
constexpr int k_dense_velocities = 180;
// Of the blocks of sparse factors.
constexpr int k_largest_block = 6;

}  // namespace

// x ← P_k x
template <typename Column>
void VelocityFactor::multiply_part(int part, Column&& x) const {
  const PartVector product = mobility_->part_mobility(part).lazyProduct(x);
  x = product;
}

bool VelocityFactor::compute(const ContactMobility& mobility, std::span<const Member> members,
                             std::span<const ContactBlock> D, std::span<const ContactBlock> Y) {
  mobility_ = &mobility;
  members_ = members;
  Y_ = Y;
  inverse_.resize(members.size());
  Z_.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    inverse_[i] = Eigen::PartialPivLU<ContactBlock>(D[i]).inverse();
    Z_[i].noalias() = inverse_[i] * Y[i];
    if (!Z_[i].allFinite()) return false;
  }
  bool small_parts = true;
  for (int k = 0; k < mobility.num_parts(); ++k)
    small_parts = small_parts && mobility.part_size(k) <= k_largest_block;
  dense_ = mobility.num_velocities() <= k_dense_velocities || !small_parts;
  if (dense_) {
    S_.setZero(mobility.num_velocities(), mobility.num_velocities());
    add_couplings(true);
    for (int k = 0; k < mobility.num_parts(); ++k) {
      auto rows = S_.middleRows(mobility.part_starts[k], mobility.part_size(k));
      for (Eigen::Index j = 0; j < rows.cols(); ++j) multiply_part(k, rows.col(j));
    }
    S_.diagonal().array() += 1.0;
    if (!S_.allFinite()) return false;
    lu_.compute(S_);
    return true;
  }
  set_pattern();
  add_couplings(false);
  for (int k = 0; k < mobility.num_parts(); ++k)
    for (int e = blocks_.row_begin(k); e < blocks_.row_end(k); ++e) {
      auto block = blocks_.block(k, e);
      for (Eigen::Index j = 0; j < block.cols(); ++j) multiply_part(k, block.col(j));
      if (blocks_.column(e) == k) block.diagonal().array() += 1.0;
    }
  return block_lu_.factorize(blocks_, false);
}

// G, into S_ or blocks_.
void VelocityFactor::add_couplings(bool dense) {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, ContactMobility::k_largest_part, k_max_cone_dim>
      BZ;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    for (const ContactMobility::Piece& left : mobility_->pieces_of(member.contact)) {
      BZ.noalias() = mobility_->columns(left, member.dim).lazyProduct(Z_[i]);
      BZ *= member.scale * member.scale;
      for (const ContactMobility::Piece& right : mobility_->pieces_of(member.contact)) {
        const auto columns = mobility_->columns(right, member.dim);
        if (dense)
          S_.block(mobility_->part_starts[left.part], mobility_->part_starts[right.part], BZ.rows(),
                   columns.rows()) += BZ.lazyProduct(columns.transpose());
        else
          blocks_.block(left.part, blocks_.find(left.part, right.part)) +=
              BZ.lazyProduct(columns.transpose());
      }
    }
  }
}

void VelocityFactor::set_pattern() {
  const auto count = static_cast<std::size_t>(mobility_->num_parts());
  neighbours_.resize(count);
  for (std::size_t k = 0; k < count; ++k) neighbours_[k].assign(1, static_cast<int>(k));
  for (const Member& member : members_)
    for (const ContactMobility::Piece& left : mobility_->pieces_of(member.contact))
      for (const ContactMobility::Piece& right : mobility_->pieces_of(member.contact))
        neighbours_[static_cast<std::size_t>(left.part)].push_back(right.part);
  dims_.clear();
  starts_.assign(1, 0);
  columns_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<int>& list = neighbours_[k];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    columns_.insert(columns_.end(), list.begin(), list.end());
    starts_.push_back(static_cast<int>(columns_.size()));
    dims_.push_back(mobility_->part_size(static_cast<int>(k)));
  }
  blocks_.set_pattern(dims_, starts_, columns_);
}

void VelocityFactor::solve_in_place(Vector& x) const {
  g_.setZero(mobility_->num_velocities());
  y_.resize(x.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    auto y = y_.segment(member.first, member.dim);
    y.noalias() = inverse_[i] * x.segment(member.first, member.dim);
    for (const ContactMobility::Piece& piece : mobility_->pieces_of(member.contact)) {
      const auto columns = mobility_->columns(piece, member.dim);
      g_.segment(mobility_->part_starts[piece.part], columns.rows()).noalias() +=
          member.scale * columns.lazyProduct(y);
    }
  }
  for (int k = 0; k < mobility_->num_parts(); ++k)
    multiply_part(k, g_.segment(mobility_->part_starts[k], mobility_->part_size(k)));
  if (dense_) {
    w_ = lu_.solve(g_);
  } else {
    w_ = g_;
    block_lu_.solve_in_place(w_);
  }
  ContactVector u;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    u.setZero(member.dim);
    for (const ContactMobility::Piece& piece : mobility_->pieces_of(member.contact)) {
      const auto columns = mobility_->columns(piece, member.dim);
      u.noalias() +=
          columns.transpose().lazyProduct(w_.segment(mobility_->part_starts[piece.part], columns.rows()));
    }
    // D⁻¹ (b − Y u): one product after the difference, which is small beside both.
    ContactVector left = x.segment(member.first, member.dim);
    left.noalias() -= Y_[i] * (member.scale * u);
    x.segment(member.first, member.dim).noalias() = inverse_[i] * left;
  }
}

}  // namespace delassus
