// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/contact_mobility.hpp"

namespace delassus {

void ContactMobility::clear() {
  part_starts.assign(1, 0);
  contact_starts.assign(1, 0);
  pieces.clear();
  H.clear();
  R.clear();
}

void ContactMobility::multiply(const ContactMatrix& W, const VectorRef& r, Vector& out) const {
  // A rigid body, and a contact of three rows: most of most problems.
  using Columns63 = Eigen::Map<const Eigen::Matrix<double, 6, 3>>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  thread_local Vector velocities;
  velocities.setZero(num_velocities());
  const int num_contacts = W.num_contacts();
  for (int c = 0; c < num_contacts; ++c) {
    const auto r_c = r.segment(W.first_row(c), W.dim(c));
    if (r_c.isZero(0.0)) continue;
    for (const Piece& piece : pieces_of(c)) {
      double* sum = velocities.data() + part_starts[piece.part];
      if (W.dim(c) == 3 && part_size(piece.part) == 6)
        Eigen::Map<Vector6>(sum).noalias() += Columns63(R.data() + piece.column).lazyProduct(Vector3(r_c));
      else
        Eigen::Map<Vector>(sum, part_size(piece.part)).noalias() +=
            responses(piece, W.dim(c)).lazyProduct(r_c);
    }
  }
  out.setZero(W.rows());
  for (int c = 0; c < num_contacts; ++c)
    for (const Piece& piece : pieces_of(c)) {
      const double* v = velocities.data() + part_starts[piece.part];
      double* u = out.data() + W.first_row(c);
      if (W.dim(c) == 3 && part_size(piece.part) == 6)
        Eigen::Map<Vector3>(u).noalias() +=
            Columns63(H.data() + piece.column).transpose().lazyProduct(Eigen::Map<const Vector6>(v));
      else
        Eigen::Map<Vector>(u, W.dim(c)).noalias() +=
            columns(piece, W.dim(c))
                .transpose()
                .lazyProduct(Eigen::Map<const Vector>(v, part_size(piece.part)));
    }
}

void ContactMobility::extract(const ContactMatrix& W, std::span<const int> contacts,
                              ContactMobility& out) const {
  out.clear();
  if (empty()) return;
  thread_local std::vector<int> number;  // of the parts of this one among those of `out`
  number.assign(static_cast<std::size_t>(num_parts()), -1);
  for (const int c : contacts) {
    for (const Piece& piece : pieces_of(c)) {
      int& part = number[static_cast<std::size_t>(piece.part)];
      const int size = part_size(piece.part);
      if (part < 0) {
        part = out.num_parts();
        out.part_starts.push_back(out.part_starts.back() + size);
      }
      out.pieces.push_back({part, out.H.size()});
      const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(size) * W.dim(c);
      const auto from = static_cast<std::ptrdiff_t>(piece.column);
      out.H.insert(out.H.end(), H.begin() + from, H.begin() + from + count);
      out.R.insert(out.R.end(), R.begin() + from, R.begin() + from + count);
    }
    out.contact_starts.push_back(static_cast<int>(out.pieces.size()));
  }
}

}  // namespace delassus
