// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The Delassus operator of a problem from the factors of its parts:
//
//   W_ab = Σ_k H_akᵀ K_k⁻¹ H_bk        over the parts k on which both contacts act                       (1)
//
//   H_ak (size of the part × dim of the contact): the rows of contact a on part k, or its directions on the right side
//
// Per part, the columns of H and those of K⁻¹H lie one after the other, in the order of its contacts. For symmetric parts
// and rows that are the directions the blocks above the diagonal are computed, and those below are their copies.
//
// Cost: grows with the number of contacts a part has, not with the number of parts. Parts, then contacts, on threads
// (base/parallel.hpp); nothing is allocated after warm-up.
#pragma once
#include <cstddef>
#include <vector>

#include "delassus/problems/part_factors.hpp"

namespace delassus {

class DelassusOperator {
 public:
  // W of the contacts, and what it is made of where that is smaller. Rows that the joints lock have no mobility
  // (drop_locked_rows).
  void assemble(const Problem& problem, const Parts& parts, const PartFactors& factors, ContactMatrix& W,
                ContactMobility& mobility);

 private:
  // What a contact has on a part.
  struct Piece {
    int contact, part;
    std::size_t column;  // where its dim columns begin in those of the part, in rows_ and responses_
  };

  void assemble_whole(const Problem& problem, const PartFactors& factors, ContactMatrix& W);
  void find_pieces(const Problem& problem, const Parts& parts);
  void lay_out_columns(const Parts& parts);
  void fill_rows(const BlockRows& rows, const Parts& parts, int contact, std::vector<double>& out) const;
  void respond(const Problem& problem, const Parts& parts, const PartFactors& factors);
  void set_pattern(ContactMatrix& W);
  void number_parts(const Parts& parts, ContactMobility& out);
  void fill_mobility(const Parts& parts, int rows, ContactMobility& out);
  void fill_blocks(const Parts& parts, int contact, bool upper_only, ContactMatrix& W) const;

  std::vector<int> dims_;
  std::vector<Piece> pieces_;  // contact by contact
  std::vector<int> contact_starts_, part_starts_, part_pieces_, marks_;
  std::vector<std::size_t> value_starts_;  // of a part in rows_ and responses_
  std::vector<int> part_columns_;
  std::vector<double> rows_, responses_, directions_;
  std::vector<int> pattern_starts_, pattern_columns_;
  Matrix H_, X_, W_;
  std::vector<int> part_numbers_, part_offsets_;  // of parts among those of the mobility, and within these
};

// What joints hold does not move, however it is pushed: its mobility in W is the round-off of a zero, and would be taken
// for that of an enormous mass. `diagonal` is scratch.
void drop_locked_rows(const Problem& problem, Vector& diagonal, ContactMatrix& W);

}  // namespace delassus
