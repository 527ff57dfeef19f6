// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/delassus_operator.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/parallel.hpp"

namespace delassus {
namespace {

// A mobility below this fraction of that without joints is none.
constexpr double k_locked = 1e-12;
// Parts and contacts that a thread takes at once: some tenths of a microsecond a part and column, or a block.
constexpr std::size_t k_part_grain = 32;
constexpr std::size_t k_contact_grain = 16;

// out += rowsᵀ response of one part; columns of `size` values.
void add_product(const double* rows, const double* response, int size, ContactMatrix::Block out) {
  if (size == 6 && out.rows() == 3 && out.cols() == 3) {
    // A rigid body and contacts without couples: most blocks of most problems.
    using Columns = Eigen::Map<const Eigen::Matrix<double, 6, 3>>;
    out.topLeftCorner<3, 3>() += Columns(rows).transpose() * Columns(response);
    return;
  }
  out.noalias() += Eigen::Map<const Matrix>(rows, size, out.rows())
                       .transpose()
                       .lazyProduct(Eigen::Map<const Matrix>(response, size, out.cols()));
}

}  // namespace

void DelassusOperator::assemble(const Problem& problem, const Parts& parts, const PartFactors& factors,
                                ContactMatrix& W, ContactMobility& mobility) {
  mobility.clear();
  const int num_contacts = problem.num_contacts();
  dims_.resize(problem.cones.size());
  for (int c = 0; c < num_contacts; ++c) dims_[c] = problem.Ht.group_rows(c);
  if (num_contacts == 0) {
    pattern_starts_.assign(1, 0);
    W.set_pattern({}, pattern_starts_, {});
    return;
  }
  // Round-off leaves joints and large mass ratios a little unsymmetric; solvers rely on W = Wᵀ.
  const bool symmetric = factors.symmetric() && !problem.separate_directions;
  if (factors.whole()) {
    assemble_whole(problem, factors, W);
    if (symmetric) W.symmetrize();
    return;
  }
  find_pieces(problem, parts);
  lay_out_columns(parts);
  respond(problem, parts, factors);
  set_pattern(W);
  const auto count = static_cast<std::size_t>(num_contacts);
  parallel_for(count, k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) fill_blocks(parts, static_cast<int>(c), symmetric, W);
  });
  if (symmetric) W.copy_upper_to_lower();
  if (!problem.separate_directions) fill_mobility(parts, W.rows(), mobility);
}

void DelassusOperator::fill_mobility(const Parts& parts, int rows, ContactMobility& out) {
  int velocities = 0;
  for (int k = 0; k < parts.size(); ++k) {
    if (part_columns_[k] == 0) continue;
    if (parts.num_velocities(k) > ContactMobility::k_largest_part) return;
    velocities += parts.num_velocities(k);
  }
  if (rows < ContactMobility::k_least_rows || velocities > ContactMobility::k_fewer_velocities * rows) return;
  number_parts(parts, out);
  // Rows of one part among those of the part that it is joined to.
  const auto copy_rows = [&](const std::vector<double>& from, const Piece& piece, std::size_t column,
                             int size, std::vector<double>& to) {
    const auto height = static_cast<std::size_t>(parts.num_velocities(piece.part));
    const auto offset = static_cast<std::size_t>(part_offsets_[static_cast<std::size_t>(piece.part)]);
    for (int k = 0; k < dims_[piece.contact]; ++k)
      std::copy_n(from.data() + piece.column + static_cast<std::size_t>(k) * height, height,
                  to.data() + column + static_cast<std::size_t>(k * size) + offset);
  };
  for (std::size_t c = 0; c < dims_.size(); ++c) {
    const auto first = static_cast<std::ptrdiff_t>(out.pieces.size());
    for (int i = contact_starts_[c]; i < contact_starts_[c + 1]; ++i) {
      const int part = part_numbers_[static_cast<std::size_t>(pieces_[i].part)], size = out.part_size(part);
      auto piece = std::find_if(out.pieces.begin() + first, out.pieces.end(),
                                [&](const ContactMobility::Piece& one) { return one.part == part; });
      if (piece == out.pieces.end()) {
        piece = out.pieces.insert(piece, {part, out.H.size()});
        out.H.resize(out.H.size() + static_cast<std::size_t>(size * dims_[c]));
        out.R.resize(out.H.size());
      }
      copy_rows(rows_, pieces_[i], piece->column, size, out.H);
      copy_rows(responses_, pieces_[i], piece->column, size, out.R);
    }
    out.contact_starts.push_back(static_cast<int>(out.pieces.size()));
  }
}

// Velocities of translation and rotation of a body are parts of their own, on which the same contacts act: one part there.
void DelassusOperator::number_parts(const Parts& parts, ContactMobility& out) {
  const auto has_contacts_of = [&](int a, int b) {
    const int begin = part_starts_[a], count = part_starts_[a + 1] - begin, other = part_starts_[b];
    if (part_starts_[b + 1] - other != count) return false;
    for (int i = 0; i < count; ++i)
      if (pieces_[part_pieces_[begin + i]].contact != pieces_[part_pieces_[other + i]].contact) return false;
    return true;
  };
  part_numbers_.assign(static_cast<std::size_t>(parts.size()), -1);
  part_offsets_.assign(part_numbers_.size(), 0);
  for (int k = 0; k < parts.size(); ++k) {
    if (part_columns_[k] == 0) continue;
    const int size = parts.num_velocities(k);
    const bool joins = k > 0 && part_columns_[k - 1] > 0 && out.num_parts() > 0 &&
                       out.part_size(out.num_parts() - 1) + size <= ContactMobility::k_body_velocities &&
                       has_contacts_of(k - 1, k);
    if (joins) {
      part_offsets_[static_cast<std::size_t>(k)] = out.part_size(out.num_parts() - 1);
      out.part_starts.back() += size;
    } else {
      out.part_starts.push_back(out.part_starts.back() + size);
    }
    part_numbers_[static_cast<std::size_t>(k)] = out.num_parts() - 1;
  }
}

void DelassusOperator::assemble_whole(const Problem& problem, const PartFactors& factors, ContactMatrix& W) {
  const auto n = static_cast<std::size_t>(problem.num_contacts());
  problem.impulse_H().to_dense_transposed(H_);
  factors.respond(H_, X_);
  problem.Ht.multiply(MatrixRef(X_), W_);
  pattern_starts_.resize(n + 1);
  pattern_columns_.resize(n * n);
  for (std::size_t a = 0; a <= n; ++a) pattern_starts_[a] = static_cast<int>(a * n);
  for (std::size_t e = 0; e < n * n; ++e) pattern_columns_[e] = static_cast<int>(e % n);
  W.set_pattern(dims_, pattern_starts_, pattern_columns_);
  for (int a = 0; a < problem.num_contacts(); ++a)
    for (int e = W.row_begin(a); e < W.row_end(a); ++e)
      W.block(a, e) = W_.block(W.first_row(a), W.first_row(W.column(e)), dims_[a], dims_[W.column(e)]);
}

// The parts that a contact acts on or is moved by.
void DelassusOperator::find_pieces(const Problem& problem, const Parts& parts) {
  pieces_.clear();
  contact_starts_.assign(1, 0);
  const auto need = [&](std::size_t first, int contact, int part) {
    for (std::size_t i = first; i < pieces_.size(); ++i)
      if (pieces_[i].part == part) return;
    pieces_.push_back({contact, part, 0});
  };
  const auto add = [&](const BlockRows& rows, std::size_t first, int contact) {
    for (int b = 0; b < rows.num_blocks(contact); ++b) {
      int last = -1;
      for (int j = 0; j < static_cast<int>(rows.block(contact, b).cols()); ++j) {
        const int part = parts.part_of(rows.block_column(contact, b) + j);
        if (part != last) need(first, contact, part);
        last = part;
      }
    }
  };
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const std::size_t first = pieces_.size();
    add(problem.Ht, first, c);
    if (problem.separate_directions) add(problem.H_directions, first, c);
    contact_starts_.push_back(static_cast<int>(pieces_.size()));
  }
}

// Places of the columns, part by part.
void DelassusOperator::lay_out_columns(const Parts& parts) {
  const auto num_parts = static_cast<std::size_t>(parts.size());
  part_starts_.assign(num_parts + 1, 0);
  part_columns_.assign(num_parts, 0);
  for (const Piece& piece : pieces_) {
    ++part_starts_[piece.part + 1];
    part_columns_[piece.part] += dims_[piece.contact];
  }
  value_starts_.assign(num_parts + 1, 0);
  for (int k = 0; k < parts.size(); ++k) {
    part_starts_[k + 1] += part_starts_[k];
    value_starts_[k + 1] =
        value_starts_[k] + static_cast<std::size_t>(part_columns_[k]) * parts.num_velocities(k);
  }
  part_pieces_.resize(pieces_.size());
  marks_.assign(part_starts_.begin(), part_starts_.end());
  part_columns_.assign(num_parts, 0);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    part_pieces_[marks_[piece.part]++] = static_cast<int>(i);
    piece.column = value_starts_[piece.part] +
                   static_cast<std::size_t>(part_columns_[piece.part]) * parts.num_velocities(piece.part);
    part_columns_[piece.part] += dims_[piece.contact];
  }
}

// The rows of a contact as columns of its parts.
void DelassusOperator::fill_rows(const BlockRows& rows, const Parts& parts, int contact,
                                 std::vector<double>& out) const {
  for (int i = contact_starts_[contact]; i < contact_starts_[contact + 1]; ++i) {
    const Piece& piece = pieces_[i];
    const int size = parts.num_velocities(piece.part), dim = dims_[contact];
    double* columns = out.data() + piece.column;
    std::fill_n(columns, size * dim, 0.0);
    for (int b = 0; b < rows.num_blocks(contact); ++b) {
      const auto block = rows.block(contact, b);
      for (int j = 0; j < static_cast<int>(block.cols()); ++j) {
        const int velocity = rows.block_column(contact, b) + j;
        if (parts.part_of(velocity) != piece.part) continue;
        const int place = parts.place(velocity);
        for (int k = 0; k < dim; ++k) columns[place + k * size] += block(k, j);
      }
    }
  }
}

void DelassusOperator::respond(const Problem& problem, const Parts& parts, const PartFactors& factors) {
  rows_.resize(value_starts_.back());
  responses_.resize(value_starts_.back());
  if (problem.separate_directions) directions_.resize(value_starts_.back());
  parallel_for(static_cast<std::size_t>(problem.num_contacts()), k_contact_grain,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t c = begin; c < end; ++c) {
                   fill_rows(problem.Ht, parts, static_cast<int>(c), rows_);
                   if (problem.separate_directions)
                     fill_rows(problem.H_directions, parts, static_cast<int>(c), directions_);
                 }
               });
  const std::vector<double>& H = problem.separate_directions ? directions_ : rows_;
  parallel_for(static_cast<std::size_t>(parts.size()), k_part_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      if (part_columns_[k] > 0)
        factors.respond(static_cast<int>(k), H.data() + value_starts_[k], part_columns_[k],
                        responses_.data() + value_starts_[k]);
  });
}

void DelassusOperator::set_pattern(ContactMatrix& W) {
  const int num_contacts = static_cast<int>(dims_.size());
  pattern_starts_.assign(1, 0);
  pattern_columns_.clear();
  marks_.assign(dims_.size(), -1);
  for (int a = 0; a < num_contacts; ++a) {
    const auto begin = static_cast<std::ptrdiff_t>(pattern_columns_.size());
    const auto take = [&](int contact) {
      if (marks_[contact] == a) return;
      marks_[contact] = a;
      pattern_columns_.push_back(contact);
    };
    for (int i = contact_starts_[a]; i < contact_starts_[a + 1]; ++i)
      for (int j = part_starts_[pieces_[i].part]; j < part_starts_[pieces_[i].part + 1]; ++j)
        take(pieces_[part_pieces_[j]].contact);
    take(a);  // one that acts on nothing
    // The contacts of a part are in ascending order already.
    if (contact_starts_[a + 1] - contact_starts_[a] > 1)
      std::sort(pattern_columns_.begin() + begin, pattern_columns_.end());
    pattern_starts_.push_back(static_cast<int>(pattern_columns_.size()));
  }
  W.set_pattern(dims_, pattern_starts_, pattern_columns_);
}

// The blocks of a contact, all of them or those of itself and later contacts.
void DelassusOperator::fill_blocks(const Parts& parts, int contact, bool upper_only, ContactMatrix& W) const {
  for (int i = contact_starts_[contact]; i < contact_starts_[contact + 1]; ++i) {
    const Piece& left = pieces_[i];
    const int size = parts.num_velocities(left.part);
    int entry = upper_only ? W.diagonal_entry(contact) : W.row_begin(contact);
    for (int j = part_starts_[left.part]; j < part_starts_[left.part + 1]; ++j) {
      const Piece& right = pieces_[part_pieces_[j]];
      if (upper_only && right.contact < contact) continue;
      // Contacts of the part and columns of W are both in ascending order.
      while (W.column(entry) != right.contact) ++entry;
      add_product(rows_.data() + left.column, responses_.data() + right.column, size,
                  W.block(contact, entry));
    }
  }
}

void drop_locked_rows(const Problem& problem, Vector& diagonal, ContactMatrix& W) {
  diagonal.setZero(problem.A.size());
  for (int b = 0; b < problem.A.num_blocks(); ++b) {
    const auto block = problem.A.block(b);
    const int row = problem.A.block_row(b), column = problem.A.block_column(b);
    for (int i = std::max(row, column),
             end = std::min(row + static_cast<int>(block.rows()), column + static_cast<int>(block.cols()));
         i < end; ++i)
      diagonal[i] += block(i - row, i - column);
  }
  for (int c = 0; c < problem.num_contacts(); ++c)
    for (int i = 0; i < W.dim(c); ++i) {
      // Σ_k H_ki²/A_kk stands for the mobility without joints.
      double free = 0;
      for (int b = 0; b < problem.Ht.num_blocks(c); ++b) {
        const auto block = problem.Ht.block(c, b);
        for (int j = 0; j < static_cast<int>(block.cols()); ++j)
          if (block(i, j) != 0)
            free += block(i, j) * block(i, j) / diagonal[problem.Ht.block_column(c, b) + j];
      }
      if (!std::isfinite(free) || !(W.diagonal(c)(i, i) <= k_locked * free)) continue;
      for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
        const int other = W.column(e);
        W.block(c, e).row(i).setZero();
        W.block(other, W.find(other, c)).col(i).setZero();
      }
    }
}

}  // namespace delassus
