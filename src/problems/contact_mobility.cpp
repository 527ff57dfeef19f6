// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/contact_mobility.hpp"

namespace delassus {

void ContactMobility::clear() {
  part_starts.assign(1, 0);
  contact_starts.assign(1, 0);
  P_starts.clear();
  P.clear();
  pieces.clear();
  H.clear();
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
        out.P_starts.push_back(out.P.size());
        const double* from = P.data() + P_starts[static_cast<std::size_t>(piece.part)];
        out.P.insert(out.P.end(), from, from + static_cast<std::ptrdiff_t>(size) * size);
      }
      out.pieces.push_back({part, out.H.size()});
      const double* from = H.data() + piece.column;
      out.H.insert(out.H.end(), from, from + static_cast<std::ptrdiff_t>(size) * W.dim(c));
    }
    out.contact_starts.push_back(static_cast<int>(out.pieces.size()));
  }
}

}  // namespace delassus
