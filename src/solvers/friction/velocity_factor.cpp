// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/velocity_factor.hpp"

#include <algorithm>

#include "delassus/linalg/block_kernels.hpp"

namespace delassus {
namespace {

// Velocities up to which one dense factorisation is faster than many small blocks.
constexpr int k_dense_velocities = 96;
// Of the blocks of sparse factors.
constexpr int k_largest_block = 6;

// Most contacts are such of rigid bodies with three rows; their columns are stored one after the other.
using Columns63 = Eigen::Map<const Eigen::Matrix<double, 6, 3>>;

}  // namespace

bool VelocityFactor::invert(std::span<const ContactBlock> D) {
  inverse_.resize(D.size());
  Z_.resize(D.size());
  for (std::size_t i = 0; i < D.size(); ++i) {
    if (D[i].rows() == 3) {
      const Matrix3 inverse = Eigen::PartialPivLU<Matrix3>(Matrix3(D[i])).inverse();
      inverse_[i] = inverse;
      Z_[i] = inverse * Matrix3(Y_[i]);
    } else {
      inverse_[i] = Eigen::PartialPivLU<ContactBlock>(D[i]).inverse();
      Z_[i].noalias() = inverse_[i] * Y_[i];
    }
    if (!Z_[i].allFinite()) return false;
  }
  return true;
}

bool VelocityFactor::compute(const ContactMobility& mobility, std::span<const Member> members,
                             std::span<const ContactBlock> D, std::span<const ContactBlock> Y) {
  mobility_ = &mobility;
  members_ = members;
  Y_ = Y;
  return invert(D) && factorize();
}

bool VelocityFactor::compute_weighted(const ContactMobility& mobility, std::span<const Member> members,
                                      std::span<const ContactBlock> Z) {
  mobility_ = &mobility;
  members_ = members;
  Z_.assign(Z.begin(), Z.end());
  return factorize();
}

bool VelocityFactor::factorize() {
  bool small_parts = true;
  for (int k = 0; k < mobility_->num_parts(); ++k)
    small_parts = small_parts && mobility_->part_size(k) <= k_largest_block;
  dense_ = mobility_->num_velocities() <= k_dense_velocities || !small_parts;
  return dense_ ? compute_dense() : compute_blocks();
}

bool VelocityFactor::compute_dense() {
  const ContactMobility& mobility = *mobility_;
  S_.setZero(mobility.num_velocities(), mobility.num_velocities());
  add_couplings(true);
  S_.diagonal().array() += 1.0;
  if (!S_.allFinite()) return false;
  lu_.compute(S_);
  return true;
}

bool VelocityFactor::compute_blocks() {
  find_pattern();
  blocks_.set_zero();
  add_couplings(false);
  for (int k = 0; k < mobility_->num_parts(); ++k)
    blocks_.block(k, blocks_.diagonal_entry(k)).diagonal().array() += 1.0;
  return block_lu_.factorize(blocks_, false);
}

// P G, into S_ or blocks_.
void VelocityFactor::add_couplings(bool dense) {
  const BlockKernels& kernels = block_kernels();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, ContactMobility::k_largest_part, k_max_cone_dim>
      RZ;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const double scale = member.scale * member.scale;
    const auto pieces = mobility_->pieces_of(member.contact);
    const int* entry = dense ? nullptr : entries_.data() + contact_entries_[member.contact];
    Matrix3 scaled_Z;
    if (member.dim == 3) scaled_Z = scale * Z_[i].topLeftCorner<3, 3>();
    for (const ContactMobility::Piece& left : pieces) {
      const int height = mobility_->part_size(left.part);
      const bool fixed = !dense && height == 6 && member.dim == 3;
      double fixed_RZ[18];
      if (fixed)
        kernels.combine_columns(mobility_->R.data() + left.column, scaled_Z.data(), fixed_RZ);
      else
        RZ.noalias() = mobility_->responses(left, member.dim).lazyProduct(scale * Z_[i]);
      for (const ContactMobility::Piece& right : pieces) {
        const int width = mobility_->part_size(right.part);
        if (dense) {
          S_.block(mobility_->part_starts[left.part], mobility_->part_starts[right.part], height, width) +=
              RZ.lazyProduct(mobility_->columns(right, member.dim).transpose());
          continue;
        }
        double* block = blocks_.values(*entry++);
        if (fixed && width == 6)
          kernels.add_outer_product(fixed_RZ, mobility_->H.data() + right.column, block);
        else if (fixed)
          ContactMatrix::Block(block, height, width) +=
              Columns63(fixed_RZ).lazyProduct(mobility_->columns(right, member.dim).transpose());
        else
          ContactMatrix::Block(block, height, width) +=
              RZ.lazyProduct(mobility_->columns(right, member.dim).transpose());
      }
    }
  }
}

void VelocityFactor::find_pattern() {
  const auto count = static_cast<std::size_t>(mobility_->num_parts());
  const int contacts = static_cast<int>(mobility_->contact_starts.size()) - 1;
  dims_.clear();
  for (std::size_t k = 0; k < count; ++k) dims_.push_back(mobility_->part_size(static_cast<int>(k)));
  parts_of_contacts_.assign(dims_.begin(), dims_.end());
  for (int c = 0; c < contacts; ++c) {
    for (const ContactMobility::Piece& piece : mobility_->pieces_of(c))
      parts_of_contacts_.push_back(piece.part);
    parts_of_contacts_.push_back(-1);
  }
  if (parts_of_contacts_ == last_parts_of_contacts_) return;
  last_parts_of_contacts_ = parts_of_contacts_;
  neighbours_.resize(count);
  for (std::size_t k = 0; k < count; ++k) neighbours_[k].assign(1, static_cast<int>(k));
  for (int c = 0; c < contacts; ++c)
    for (const ContactMobility::Piece& left : mobility_->pieces_of(c))
      for (const ContactMobility::Piece& right : mobility_->pieces_of(c))
        neighbours_[static_cast<std::size_t>(left.part)].push_back(right.part);
  starts_.assign(1, 0);
  columns_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<int>& list = neighbours_[k];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    columns_.insert(columns_.end(), list.begin(), list.end());
    starts_.push_back(static_cast<int>(columns_.size()));
  }
  blocks_.set_pattern(dims_, starts_, columns_);
  entries_.clear();
  contact_entries_.clear();
  for (int c = 0; c < contacts; ++c) {
    contact_entries_.push_back(static_cast<int>(entries_.size()));
    for (const ContactMobility::Piece& left : mobility_->pieces_of(c))
      for (const ContactMobility::Piece& right : mobility_->pieces_of(c))
        entries_.push_back(blocks_.find(left.part, right.part));
  }
}

void VelocityFactor::add_impulse(const Member& member, const Vector3& y, Vector& g) const {
  for (const ContactMobility::Piece& piece : mobility_->pieces_of(member.contact)) {
    double* values = g.data() + mobility_->part_starts[piece.part];
    if (mobility_->part_size(piece.part) == 6)
      Eigen::Map<Eigen::Matrix<double, 6, 1>>(values).noalias() +=
          Columns63(mobility_->R.data() + piece.column).lazyProduct(y);
    else
      Eigen::Map<Vector>(values, mobility_->part_size(piece.part)).noalias() +=
          mobility_->responses(piece, 3).lazyProduct(y);
  }
}

void VelocityFactor::add_impulse(const Member& member, const ContactVector& y, Vector& g) const {
  for (const ContactMobility::Piece& piece : mobility_->pieces_of(member.contact)) {
    const auto columns = mobility_->responses(piece, member.dim);
    g.segment(mobility_->part_starts[piece.part], columns.rows()).noalias() += columns.lazyProduct(y);
  }
}

Vector3 VelocityFactor::velocity_of_three(const Member& member, const Vector& v) const {
  Vector3 u = Vector3::Zero();
  for (const ContactMobility::Piece& piece : mobility_->pieces_of(member.contact)) {
    const double* values = v.data() + mobility_->part_starts[piece.part];
    if (mobility_->part_size(piece.part) == 6)
      u.noalias() += Columns63(mobility_->H.data() + piece.column)
                         .transpose()
                         .lazyProduct(Eigen::Map<const Eigen::Matrix<double, 6, 1>>(values));
    else
      u.noalias() += mobility_->columns(piece, 3).transpose().lazyProduct(
          Eigen::Map<const Vector>(values, mobility_->part_size(piece.part)));
  }
  return u;
}

ContactVector VelocityFactor::velocity_of(const Member& member, const Vector& v) const {
  ContactVector u = ContactVector::Zero(member.dim);
  for (const ContactMobility::Piece& piece : mobility_->pieces_of(member.contact)) {
    const auto columns = mobility_->columns(piece, member.dim);
    u.noalias() +=
        columns.transpose().lazyProduct(v.segment(mobility_->part_starts[piece.part], columns.rows()));
  }
  return u;
}

void VelocityFactor::solve_velocities(Vector& v) const {
  if (dense_)
    v = lu_.solve(v);
  else
    block_lu_.solve_in_place(v);
}

void VelocityFactor::add_impulses(const Vector& x, Vector& g) const {
  for (const Member& member : members_) {
    if (member.dim == 3)
      add_impulse(member, Vector3(member.scale * x.segment<3>(member.first)), g);
    else
      add_impulse(member, ContactVector(member.scale * x.segment(member.first, member.dim)), g);
  }
}

void VelocityFactor::find_velocities(const Vector& v, Vector& u) const {
  for (const Member& member : members_) {
    if (member.dim == 3)
      u.segment<3>(member.first) = member.scale * velocity_of_three(member, v);
    else
      u.segment(member.first, member.dim) = member.scale * velocity_of(member, v);
  }
}

void VelocityFactor::solve_in_place(Vector& x) const {
  g_.setZero(mobility_->num_velocities());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.dim == 3) {
      const Vector3 y = member.scale * (inverse_[i].topLeftCorner<3, 3>() * x.segment<3>(member.first));
      add_impulse(member, y, g_);
    } else {
      const ContactVector y = member.scale * (inverse_[i] * x.segment(member.first, member.dim));
      add_impulse(member, y, g_);
    }
  }
  solve_velocities(g_);
  // D⁻¹ (b − Y u): one product after the difference, which is small beside both.
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.dim == 3) {
      const Vector3 u = member.scale * velocity_of_three(member, g_);
      const Vector3 left = x.segment<3>(member.first) - Y_[i].topLeftCorner<3, 3>() * u;
      x.segment<3>(member.first) = inverse_[i].topLeftCorner<3, 3>() * left;
    } else {
      ContactVector left = x.segment(member.first, member.dim);
      left.noalias() -= Y_[i] * (member.scale * velocity_of(member, g_));
      x.segment(member.first, member.dim).noalias() = inverse_[i] * left;
    }
  }
}

}  // namespace delassus
