// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The matrix of Newton's method for contacts, D + Y B P Bᵀ, inverted where it is small: with D and Y blocks a contact, and as
// many velocities in P as bodies have (problems/contact_mobility.hpp),
//
//   (I + P G) w = P Bᵀ D⁻¹ b,   G = Bᵀ D⁻¹ Y B                                                       (1)
//   x = D⁻¹ (b − Y B w)                                                                              (2)
//
// B: the rows of the contacts, scaled. (2) loses digits where D is small beside B P Bᵀ: the caller refines x. Dense L U of
// (1) for some bodies, and sparse ones by bodies above (linalg/block_lu.hpp). Methods that have velocities as unknowns give
// Z = D⁻¹ Y, and solve (1) alone.
#pragma once
#include <Eigen/LU>
#include <span>
#include <vector>

#include "delassus/linalg/block_lu.hpp"
#include "delassus/problems/cone.hpp"
#include "delassus/problems/contact_mobility.hpp"

namespace delassus {

class VelocityFactor {
 public:
  // A contact that takes part: its number in the mobility, its first unknown, and √ρ of its scale.
  struct Member {
    int contact, first, dim;
    double scale;
  };
  // False: singular. The mobility and the members must outlive the solves.
  bool compute(const ContactMobility& mobility, std::span<const Member> members,
               std::span<const ContactBlock> D, std::span<const ContactBlock> Y);
  // x ← (D + Y B P Bᵀ)⁻¹ x
  void solve_in_place(Vector& x) const;

  // The factors of I + P Bᵀ Z B alone. False: singular.
  bool compute_weighted(const ContactMobility& mobility, std::span<const Member> members,
                        std::span<const ContactBlock> Z);
  // v ← (I + P Bᵀ Z B)⁻¹ v
  void solve_velocities(Vector& v) const;
  // v += P Bᵀ x and u = B v for the members' rows.
  void add_impulses(const Vector& x, Vector& v) const;
  void find_velocities(const Vector& v, Vector& u) const;

 private:
  // g += P Bᵀ y and B v of one contact.
  void add_impulse(const Member& member, const Vector3& y, Vector& g) const;
  void add_impulse(const Member& member, const ContactVector& y, Vector& g) const;
  Vector3 velocity_of_three(const Member& member, const Vector& v) const;
  ContactVector velocity_of(const Member& member, const Vector& v) const;
  bool factorize();
  // Z = D⁻¹ Y. False: D is singular.
  bool invert(std::span<const ContactBlock> D);
  bool compute_dense();
  bool compute_blocks();
  void add_couplings(bool dense);
  void find_pattern();

  const ContactMobility* mobility_ = nullptr;
  std::span<const Member> members_;
  std::span<const ContactBlock> Y_;
  std::vector<ContactBlock> inverse_;  // D⁻¹
  std::vector<ContactBlock> Z_;        // D⁻¹ Y
  bool dense_ = true;
  Matrix S_;
  Eigen::PartialPivLU<Matrix> lu_;
  // Of all contacts of the mobility, so that the pattern stays while contacts open and close.
  ContactMatrix blocks_;
  BlockLu block_lu_;
  std::vector<int> parts_of_contacts_, last_parts_of_contacts_;  // and −1 after each contact
  std::vector<int> entries_,
      contact_entries_;  // of blocks_, for each pair of pieces; the first of each contact
  std::vector<int> dims_, starts_, columns_;
  std::vector<std::vector<int>> neighbours_;
  mutable Vector g_;
};

}  // namespace delassus
