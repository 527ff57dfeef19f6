// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The Delassus operator once more, by what it is made of:
//
//   W_ab = Σ_k H_akᵀ R_bk,   R_bk = K_k⁻¹ H_bk: what impulses of contact b do to part k, a body or a mechanism   (1)
//
// Boxes that lie on each other have many more contact rows than velocities: what is factorised for them is smaller by the
// velocities (solvers/friction/velocity_factor.hpp). Only where impulses act along what measures velocities; bodies that turn make K_k
// unsymmetric.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "delassus/linalg/contact_matrix.hpp"

namespace delassus {

struct ContactMobility {
  // Velocities of a part, at most.
  static constexpr int k_largest_part = 60;
  static constexpr int k_body_velocities = 6;
  // What a contact has on a part: from `column` on in H, its dim columns of as many values as the part has velocities.
  struct Piece {
    int part;
    std::size_t column;
    bool operator==(const Piece&) const = default;
  };
  std::vector<int> part_starts{0};  // first velocity of each part; in the end their number
  std::vector<int> contact_starts{0};
  std::vector<Piece> pieces;  // contact by contact
  std::vector<double> H, R;   // in the same places

  // Up to so many velocities beside the rows of contacts, and from so many of these on, factors by velocities are the cheaper ones.
  static constexpr double k_fewer_velocities = 1.5;
  static constexpr int k_least_rows = 48;

  bool empty() const { return pieces.empty(); }
  bool serves(int rows) const {
    return !empty() && rows >= k_least_rows && num_velocities() <= k_fewer_velocities * rows;
  }
  int num_parts() const { return static_cast<int>(part_starts.size()) - 1; }
  int num_velocities() const { return part_starts.back(); }
  int part_size(int part) const { return part_starts[part + 1] - part_starts[part]; }
  std::span<const Piece> pieces_of(int contact) const {
    return std::span(pieces).subspan(
        static_cast<std::size_t>(contact_starts[contact]),
        static_cast<std::size_t>(contact_starts[contact + 1] - contact_starts[contact]));
  }
  Eigen::Map<const Matrix> columns(const Piece& piece, int dim) const {
    return {H.data() + piece.column, part_size(piece.part), dim};
  }
  Eigen::Map<const Matrix> responses(const Piece& piece, int dim) const {
    return {R.data() + piece.column, part_size(piece.part), dim};
  }
  void clear();
  // out = W r, over the velocities: cheaper than by the blocks of W where contacts are many beside bodies.
  void multiply(const ContactMatrix& W, const VectorRef& r, Vector& out) const;
  // That of some contacts, and of the parts that they act on. `W`: of all contacts.
  void extract(const ContactMatrix& W, std::span<const int> contacts, ContactMobility& out) const;
  bool operator==(const ContactMobility&) const = default;
};

}  // namespace delassus
