// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/reduction.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace delassus {
namespace {

// A part of so many velocities without joints is factorised by Cholesky in place; a rigid body has 6.
constexpr int k_body_velocities = 6;
// Problems below this size are not taken apart: one dense factorisation is as fast.
constexpr int k_whole_velocities = 24;
// A pivot below this times the diagonal entry is the round-off of a zero.
constexpr double k_pivot_tolerance = 6 * std::numeric_limits<double>::epsilon();

using ColumnMajor = Eigen::Map<Matrix>;

// A mobility below this fraction of that without joints is none.
constexpr double k_locked = 1e-12;

// In place, lower triangle. False: not positive definite.
bool factorize_cholesky(double* a, int n) {
  for (int j = 0; j < n; ++j) {
    double pivot = a[j + j * n];
    const double diagonal = pivot;
    for (int k = 0; k < j; ++k) pivot -= a[j + k * n] * a[j + k * n];
    if (!(pivot > k_pivot_tolerance * diagonal)) return false;
    const double root = std::sqrt(pivot);
    a[j + j * n] = root;
    for (int i = j + 1; i < n; ++i) {
      double sum = a[i + j * n];
      for (int k = 0; k < j; ++k) sum -= a[i + k * n] * a[j + k * n];
      a[i + j * n] = sum / root;
    }
  }
  return true;
}

void solve_cholesky(const double* a, int n, double* x) {
  for (int i = 0; i < n; ++i) {
    double sum = x[i];
    for (int k = 0; k < i; ++k) sum -= a[i + k * n] * x[k];
    x[i] = sum / a[i + i * n];
  }
  for (int i = n; i-- > 0;) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= a[k + i * n] * x[k];
    x[i] = sum / a[i + i * n];
  }
}

// L U in place, L with unit diagonal. A positive definite matrix needs no pivoting, symmetric or not.
bool factorize_lu(double* a, int n) {
  for (int k = 0; k < n; ++k) {
    const double pivot = a[k + k * n];
    if (!(pivot > 0)) return false;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i + k * n] /= pivot;
      for (int j = k + 1; j < n; ++j) a[i + j * n] -= factor * a[k + j * n];
    }
  }
  return true;
}

void solve_lu(const double* a, int n, double* x) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) x[i] -= a[i + k * n] * x[k];
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; ++k) x[i] -= a[i + k * n] * x[k];
    x[i] /= a[i + i * n];
  }
}

// out += rowsᵀ response
template <typename Rows, typename Response, typename Out>
void add_product(const Rows& rows, const Response& response, Out out) {
  if constexpr (Rows::ColsAtCompileTime == 3)
    out.template topLeftCorner<3, 3>() += rows.transpose() * response;
  else
    out.noalias() += rows.transpose().lazyProduct(response);
}

}  // namespace

double LocalProblem::velocity_floor() const {
  // Times a tolerance of 1e-10 some fifty machine epsilons: round-off of sums of a dozen terms, and of the velocities in them.
  constexpr double share = 1e-4;
  return terms.size() > 0 ? share * terms.maxCoeff() : 0.0;
}

double LocalProblem::contact_mass(int contact) const {
  const double trace = W.diagonal(contact).trace();
  return trace > 0 ? W.dim(contact) / trace : std::numeric_limits<double>::infinity();
}

bool Reduction::compute(const Problem& problem) {
  problem_ = &problem;
  local_.cones.assign(problem.cones.begin(), problem.cones.end());
  local_.symmetric = problem.symmetric && !problem.separate_directions;
  dims_.resize(problem.cones.size());
  for (int c = 0; c < problem.num_contacts(); ++c) dims_[c] = problem.Ht.group_rows(c);
  find_parts();
  if (!factorize_parts()) return false;
  assemble_delassus();
  // Round-off leaves joints and large mass ratios a little unsymmetric; solvers rely on W = Wᵀ.
  if (local_.symmetric) local_.W.symmetrize();
  if (problem_->Gt.rows() > 0) drop_locked_rows();
  update_free_velocity();
  return v_free_.allFinite() && local_.W.all_finite();
}

// What joints hold does not move, however it is pushed: its mobility in W is the round-off of a zero, and would be taken for that
// of an enormous mass. Σ_k H_ki²/A_kk stands for the mobility without joints.
void Reduction::drop_locked_rows() {
  const Problem& problem = *problem_;
  diagonal_.setZero(problem.A.size());
  for (int b = 0; b < problem.A.num_blocks(); ++b) {
    const auto block = problem.A.block(b);
    const int row = problem.A.block_row(b), column = problem.A.block_column(b);
    for (int i = std::max(row, column),
             end = std::min(row + static_cast<int>(block.rows()), column + static_cast<int>(block.cols()));
         i < end; ++i)
      diagonal_[i] += block(i - row, i - column);
  }
  ContactMatrix& W = local_.W;
  for (int c = 0; c < problem.num_contacts(); ++c)
    for (int i = 0; i < dims_[c]; ++i) {
      double free = 0;
      for (int b = 0; b < problem.Ht.num_blocks(c); ++b) {
        const auto block = problem.Ht.block(c, b);
        for (int j = 0; j < static_cast<int>(block.cols()); ++j)
          if (block(i, j) != 0)
            free += block(i, j) * block(i, j) / diagonal_[problem.Ht.block_column(c, b) + j];
      }
      if (!std::isfinite(free) || !(W.diagonal(c)(i, i) <= k_locked * free)) continue;
      for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
        const int other = W.column(e);
        W.block(c, e).row(i).setZero();
        W.block(other, W.find(other, c)).col(i).setZero();
      }
    }
}

int Reduction::root(int i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

// Velocities that A or a joint couples belong to one part; parts are numbered by their first velocity.
void Reduction::find_parts() {
  const Problem& problem = *problem_;
  const int nv = problem.A.size();
  parent_.resize(nv);
  std::iota(parent_.begin(), parent_.end(), 0);
  if (nv <= k_whole_velocities) {
    std::fill(parent_.begin(), parent_.end(), 0);
  } else {
    const auto join = [&](int a, int b) {
      a = root(a);
      b = root(b);
      parent_[std::max(a, b)] = std::min(a, b);
    };
    const auto join_range = [&](int first, int begin, Eigen::Index size) {
      for (int i = begin; i < begin + static_cast<int>(size); ++i) join(first, i);
    };
    for (int b = 0; b < problem.A.num_blocks(); ++b) {
      const auto block = problem.A.block(b);
      join_range(problem.A.block_row(b), problem.A.block_row(b), block.rows());
      join_range(problem.A.block_row(b), problem.A.block_column(b), block.cols());
    }
    const auto join_rows = [&](const BlockRows& rows) {
      for (int g = 0; g < rows.num_groups(); ++g)
        for (int b = 0; b < rows.num_blocks(g); ++b)
          join_range(rows.block_column(g, 0), rows.block_column(g, b), rows.block(g, b).cols());
    };
    join_rows(problem.Gt);
    if (problem.separate_directions) join_rows(problem.G_directions);
  }
  part_of_.resize(nv);
  place_in_part_.resize(nv);
  part_starts_.assign(1, 0);
  int parts = 0;
  for (int i = 0; i < nv; ++i) {
    const int r = root(i);
    if (r == i) {
      part_of_[i] = parts++;
      part_starts_.push_back(0);
    } else {
      part_of_[i] = part_of_[r];
    }
    place_in_part_[i] = part_starts_[part_of_[i] + 1]++;
  }
  for (int k = 0; k < parts; ++k) part_starts_[k + 1] += part_starts_[k];
  part_velocities_.resize(nv);
  for (int i = 0; i < nv; ++i) part_velocities_[part_starts_[part_of_[i]] + place_in_part_[i]] = i;
  whole_ = parts == 1;
}

bool Reduction::factorize_parts() {
  const Problem& problem = *problem_;
  num_mechanisms_ = 0;
  if (whole_ || problem.A.size() == 0) {
    whole_ = true;
    const BlockRows* directions = problem.separate_directions ? &problem.G_directions : nullptr;
    return kkt_.compute(problem.A, problem.symmetric, problem.Gt, directions, problem.C,
                        1 + problem.Ht.rows());
  }
  const int parts = num_parts();
  mechanism_of_.assign(parts, -1);
  factor_starts_.assign(static_cast<std::size_t>(parts) + 1, 0);
  const auto need_mechanism = [&](int part) {
    if (mechanism_of_[part] >= 0) return;
    if (num_mechanisms_ == static_cast<int>(mechanisms_.size()))
      mechanisms_.push_back(std::make_unique<Mechanism>());
    mechanism_of_[part] = num_mechanisms_;
    Mechanism& mechanism = *mechanisms_[num_mechanisms_++];
    const int size = part_starts_[part + 1] - part_starts_[part];
    mechanism.A.clear(size);
    mechanism.Gt.clear(size);
    mechanism.G_directions.clear(size);
    mechanism.joint_rows.clear();
  };
  for (int k = 0; k < parts; ++k)
    if (part_starts_[k + 1] - part_starts_[k] > k_body_velocities) need_mechanism(k);
  for (int g = 0; g < problem.Gt.num_groups(); ++g)
    if (problem.Gt.num_blocks(g) > 0) need_mechanism(part_of_[problem.Gt.block_column(g, 0)]);
  for (int k = 0; k < parts; ++k) {
    const int size = part_starts_[k + 1] - part_starts_[k];
    factor_starts_[k + 1] =
        factor_starts_[k] + (mechanism_of_[k] < 0 ? static_cast<std::size_t>(size * size) : 0);
  }
  body_factors_.assign(factor_starts_.back(), 0.0);
  for (int b = 0; b < problem.A.num_blocks(); ++b) {
    const auto block = problem.A.block(b);
    const int part = part_of_[problem.A.block_row(b)];
    const int size = part_starts_[part + 1] - part_starts_[part];
    if (mechanism_of_[part] >= 0) {
      // Velocities of a block follow each other in the part, too: those between belong to it.
      mechanisms_[mechanism_of_[part]]->A.add_block(
          place_in_part_[problem.A.block_row(b)], place_in_part_[problem.A.block_column(b)],
          static_cast<int>(block.rows()), static_cast<int>(block.cols())) = block;
      continue;
    }
    ColumnMajor factor(body_factors_.data() + factor_starts_[part], size, size);
    factor.block(place_in_part_[problem.A.block_row(b)], place_in_part_[problem.A.block_column(b)],
                 block.rows(), block.cols()) += block;
  }
  const auto copy_rows = [&](const BlockRows& from, int g, BlockRows& to) {
    to.add_group(from.group_rows(g));
    for (int b = 0; b < from.num_blocks(g); ++b) {
      const auto block = from.block(g, b);
      to.add_block(place_in_part_[from.block_column(g, b)], static_cast<int>(block.cols())) = block;
    }
  };
  for (int g = 0; g < problem.Gt.num_groups(); ++g) {
    if (problem.Gt.num_blocks(g) == 0) continue;
    Mechanism& mechanism = *mechanisms_[mechanism_of_[part_of_[problem.Gt.block_column(g, 0)]]];
    copy_rows(problem.Gt, g, mechanism.Gt);
    if (problem.separate_directions) copy_rows(problem.G_directions, g, mechanism.G_directions);
    for (int i = 0; i < problem.Gt.group_rows(g); ++i)
      mechanism.joint_rows.push_back(problem.Gt.first_row(g) + i);
  }
  for (int k = 0; k < parts; ++k) {
    const int size = part_starts_[k + 1] - part_starts_[k];
    if (mechanism_of_[k] >= 0) {
      if (!factorize_mechanism(k, *mechanisms_[mechanism_of_[k]])) return false;
    } else {
      double* factor = body_factors_.data() + factor_starts_[k];
      if (problem.symmetric ? !factorize_cholesky(factor, size) : !factorize_lu(factor, size)) return false;
    }
  }
  return true;
}

bool Reduction::factorize_mechanism(int part, Mechanism& mechanism) {
  const int size = part_starts_[part + 1] - part_starts_[part];
  const int rows = static_cast<int>(mechanism.joint_rows.size());
  mechanism.C.resize(rows);
  for (int i = 0; i < rows; ++i) mechanism.C[i] = problem_->C[mechanism.joint_rows[i]];
  const BlockRows* directions = problem_->separate_directions ? &mechanism.G_directions : nullptr;
  return mechanism.kkt.compute(mechanism.A, problem_->symmetric, mechanism.Gt, directions, mechanism.C,
                               1 + std::min(problem_->Ht.rows(), size));
}

void Reduction::assemble_delassus() {
  const Problem& problem = *problem_;
  const int num_contacts = problem.num_contacts();
  const BlockRows& H = problem.impulse_H();
  if (num_contacts == 0) {
    pattern_starts_.assign(1, 0);
    local_.W.set_pattern({}, pattern_starts_, {});
    return;
  }
  if (whole_) {
    H.to_dense_transposed(H_);
    kkt_.solve_homogeneous(H_, X_);
    problem.Ht.multiply(MatrixRef(X_), W_);
    pattern_starts_.resize(static_cast<std::size_t>(num_contacts) + 1);
    pattern_columns_.resize(static_cast<std::size_t>(num_contacts) * static_cast<std::size_t>(num_contacts));
    for (int a = 0; a <= num_contacts; ++a) pattern_starts_[a] = a * num_contacts;
    for (std::size_t e = 0; e < pattern_columns_.size(); ++e)
      pattern_columns_[e] = static_cast<int>(e % static_cast<std::size_t>(num_contacts));
    local_.W.set_pattern(dims_, pattern_starts_, pattern_columns_);
    for (int a = 0; a < num_contacts; ++a)
      for (int e = local_.W.row_begin(a); e < local_.W.row_end(a); ++e)
        local_.W.block(a, e) = W_.block(local_.W.first_row(a), local_.W.first_row(local_.W.column(e)),
                                        dims_[a], dims_[local_.W.column(e)]);
    return;
  }

  // The pieces: which parts a contact acts on, and its rows there.
  const int parts = num_parts();
  pieces_.clear();
  contact_piece_starts_.assign(1, 0);
  std::size_t values = 0;
  const auto size_of = [&](int part) { return part_starts_[part + 1] - part_starts_[part]; };
  for (int c = 0; c < num_contacts; ++c) {
    const std::size_t first = pieces_.size();
    const auto need = [&](int part) {
      for (std::size_t i = first; i < pieces_.size(); ++i)
        if (pieces_[i].part == part) return;
      const auto count = static_cast<std::size_t>(dims_[c]) * static_cast<std::size_t>(size_of(part));
      pieces_.push_back({c, part, values, values + count});
      values += 2 * count;
    };
    for (const BlockRows* rows : {&problem.Ht, &H})
      for (int b = 0; b < rows->num_blocks(c); ++b)
        for (int j = 0; j < static_cast<int>(rows->block(c, b).cols()); ++j)
          need(part_of_[rows->block_column(c, b) + j]);
    contact_piece_starts_.push_back(static_cast<int>(pieces_.size()));
  }
  piece_values_.assign(values, 0.0);
  part_piece_starts_.assign(static_cast<std::size_t>(parts) + 1, 0);
  for (const Piece& piece : pieces_) ++part_piece_starts_[piece.part + 1];
  for (int k = 0; k < parts; ++k) part_piece_starts_[k + 1] += part_piece_starts_[k];
  part_pieces_.resize(pieces_.size());
  marks_.assign(part_piece_starts_.begin(), part_piece_starts_.end());
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    part_pieces_[marks_[pieces_[i].part]++] = static_cast<int>(i);

  const auto fill = [&](const BlockRows& rows, const Piece& piece, std::size_t at) {
    const int size = size_of(piece.part);
    // dim columns of `size` values: column i is row i of the contact.
    ColumnMajor out(piece_values_.data() + at, size, dims_[piece.contact]);
    for (int b = 0; b < rows.num_blocks(piece.contact); ++b) {
      const auto block = rows.block(piece.contact, b);
      for (int j = 0; j < static_cast<int>(block.cols()); ++j) {
        const int velocity = rows.block_column(piece.contact, b) + j;
        if (part_of_[velocity] == piece.part) out.row(place_in_part_[velocity]) += block.col(j).transpose();
      }
    }
  };
  for (const Piece& piece : pieces_) {
    fill(problem.Ht, piece, piece.rows);
    if (problem.separate_directions)
      fill(H, piece, piece.response);
    else
      std::copy_n(piece_values_.begin() + static_cast<std::ptrdiff_t>(piece.rows),
                  piece.response - piece.rows,
                  piece_values_.begin() + static_cast<std::ptrdiff_t>(piece.response));
    if (mechanism_of_[piece.part] >= 0) continue;
    const int size = size_of(piece.part);
    for (int i = 0; i < dims_[piece.contact]; ++i)
      solve_body(piece.part, piece_values_.data() + piece.response + static_cast<std::size_t>(i * size));
  }
  for (int k = 0; k < parts; ++k) {
    if (mechanism_of_[k] < 0 || part_piece_starts_[k] == part_piece_starts_[k + 1]) continue;
    Mechanism& mechanism = *mechanisms_[mechanism_of_[k]];
    const int size = size_of(k);
    int columns = 0;
    for (int i = part_piece_starts_[k]; i < part_piece_starts_[k + 1]; ++i)
      columns += dims_[pieces_[part_pieces_[i]].contact];
    mechanism.H.resize(size, columns);
    const auto each_piece = [&](const auto& function) {
      int column = 0;
      for (int i = part_piece_starts_[k]; i < part_piece_starts_[k + 1]; ++i) {
        const Piece& piece = pieces_[part_pieces_[i]];
        const int dim = dims_[piece.contact];
        function(ColumnMajor(piece_values_.data() + piece.response, size, dim), column, dim);
        column += dim;
      }
    };
    each_piece(
        [&](const ColumnMajor& piece, int column, int dim) { mechanism.H.middleCols(column, dim) = piece; });
    mechanism.kkt.solve_homogeneous(mechanism.H, mechanism.X);
    each_piece([&](ColumnMajor piece, int column, int dim) { piece = mechanism.X.middleCols(column, dim); });
  }

  // The pattern, then the sums over common parts.
  pattern_starts_.assign(1, 0);
  pattern_columns_.clear();
  marks_.assign(num_contacts, -1);
  for (int a = 0; a < num_contacts; ++a) {
    const auto begin = static_cast<std::ptrdiff_t>(pattern_columns_.size());
    const auto take = [&](int contact) {
      if (marks_[contact] == a) return;
      marks_[contact] = a;
      pattern_columns_.push_back(contact);
    };
    take(a);
    for (int i = contact_piece_starts_[a]; i < contact_piece_starts_[a + 1]; ++i)
      for (int j = part_piece_starts_[pieces_[i].part]; j < part_piece_starts_[pieces_[i].part + 1]; ++j)
        take(pieces_[part_pieces_[j]].contact);
    std::sort(pattern_columns_.begin() + begin, pattern_columns_.end());
    pattern_starts_.push_back(static_cast<int>(pattern_columns_.size()));
  }
  local_.W.set_pattern(dims_, pattern_starts_, pattern_columns_);
  for (int a = 0; a < num_contacts; ++a)
    for (int i = contact_piece_starts_[a]; i < contact_piece_starts_[a + 1]; ++i) {
      const Piece& left = pieces_[i];
      const int size = size_of(left.part);
      const Eigen::Map<const Matrix> rows(piece_values_.data() + left.rows, size, dims_[a]);
      for (int j = part_piece_starts_[left.part]; j < part_piece_starts_[left.part + 1]; ++j) {
        const Piece& right = pieces_[part_pieces_[j]];
        const auto block = local_.W.block(a, local_.W.find(a, right.contact));
        if (size == 6 && block.rows() == 3 && block.cols() == 3) {
          // A rigid body and contacts without couples: most blocks of most problems.
          using Rows = Eigen::Map<const Eigen::Matrix<double, 6, 3>>;
          add_product(Rows(rows.data()), Rows(piece_values_.data() + right.response), block);
          continue;
        }
        const Eigen::Map<const Matrix> response(piece_values_.data() + right.response, size,
                                                dims_[right.contact]);
        add_product(rows, response, block);
      }
    }
}

void Reduction::solve_body(int part, double* x) const {
  const int size = part_starts_[part + 1] - part_starts_[part];
  const double* factor = body_factors_.data() + factor_starts_[part];
  if (problem_->symmetric)
    solve_cholesky(factor, size, x);
  else
    solve_lu(factor, size, x);
}

void Reduction::solve_parts(const VectorRef& p, Vector& v, Vector& lambda) const {
  if (whole_) {
    kkt_.solve(p, problem_->g, v, lambda);
    return;
  }
  v.resize(p.size());
  lambda.setZero(problem_->Gt.rows());
  for (int k = 0; k < num_parts(); ++k) {
    const int begin = part_starts_[k], size = part_starts_[k + 1] - begin;
    if (mechanism_of_[k] < 0) {
      double x[k_body_velocities];
      for (int i = 0; i < size; ++i) x[i] = p[part_velocities_[begin + i]];
      solve_body(k, x);
      for (int i = 0; i < size; ++i) v[part_velocities_[begin + i]] = x[i];
      continue;
    }
    Mechanism& mechanism = *mechanisms_[mechanism_of_[k]];
    const auto rows = static_cast<int>(mechanism.joint_rows.size());
    mechanism.p.resize(size);
    mechanism.g.resize(rows);
    for (int i = 0; i < size; ++i) mechanism.p[i] = p[part_velocities_[begin + i]];
    for (int i = 0; i < rows; ++i) mechanism.g[i] = problem_->g[mechanism.joint_rows[i]];
    mechanism.kkt.solve(mechanism.p, mechanism.g, mechanism.v, mechanism.lambda);
    for (int i = 0; i < size; ++i) v[part_velocities_[begin + i]] = mechanism.v[i];
    for (int i = 0; i < rows; ++i) lambda[mechanism.joint_rows[i]] = mechanism.lambda[i];
  }
}

void Reduction::update_free_velocity() {
  solve_parts(problem_->p, v_free_, lambda_free_);
  problem_->Ht.multiply(VectorRef(v_free_), local_.u_free);
  local_.u_free += problem_->w;
  local_.terms.setZero(problem_->num_contacts());
  for (int c = 0; c < problem_->num_contacts(); ++c)
    for (int b = 0; b < problem_->Ht.num_blocks(c); ++b) {
      const auto block = problem_->Ht.block(c, b);
      const int column = problem_->Ht.block_column(c, b);
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        local_.terms[c] =
            std::max(local_.terms[c], block.col(j).cwiseAbs().maxCoeff() * std::abs(v_free_[column + j]));
    }
}

void Reduction::recover(const VectorRef& r, Solution& solution) const {
  solution.r = r;
  if (r.size() == 0) {
    solution.v = v_free_;
    solution.lambda = lambda_free_;
  } else {
    p_ = problem_->p;
    problem_->impulse_H().add_transposed_product(r, p_);
    solve_parts(p_, solution.v, solution.lambda);
  }
  problem_->Ht.multiply(VectorRef(solution.v), solution.u);
  solution.u += problem_->w;
}

int Reduction::num_redundant() const {
  if (whole_) return kkt_.num_redundant();
  int sum = 0;
  for (int k = 0; k < num_mechanisms_; ++k) sum += mechanisms_[k]->kkt.num_redundant();
  return sum;
}

}  // namespace delassus
