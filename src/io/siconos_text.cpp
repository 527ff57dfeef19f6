// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/siconos_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/text_reader.hpp"

namespace delassus {
namespace {

constexpr int k_dense = 0, k_sparse_blocks = 1;
// Some files end with a flag behind mu that says nothing here.
constexpr std::size_t k_trailing_words = 1;

// --- reading

using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr double k_any = -std::numeric_limits<double>::infinity();

// `size` values, column by column, of a block at (row, column). Zeros are not kept.
void read_values(TextReader& reader, const char* name, int row, int column, int rows, int columns,
                 Triplets& out) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      if (const double value = reader.finite_number(name, k_any); value != 0)
        out.emplace_back(row + i, column + j, value);
}

// Where `count` parts of a range of `size` end; the last one at `size`.
std::vector<int> read_ends(TextReader& reader, int count, int size) {
  std::vector<int> ends;
  int last = 0;
  for (int k = 0; k < count; ++k) {
    const bool at_end = k + 1 == count;
    last = static_cast<int>(reader.integer(at_end ? size : last, size));
    ends.push_back(last);
  }
  if (count == 0 && size > 0) reader.fail("a matrix has rows or columns, but no blocks of them");
  return ends;
}

std::vector<int> read_indices(TextReader& reader, int count, int lowest, int highest) {
  std::vector<int> indices;
  for (int k = 0; k < count; ++k) indices.push_back(static_cast<int>(reader.integer(lowest, highest)));
  return indices;
}

void read_blocks(TextReader& reader, const char* name, int rows, int columns, Triplets& out) {
  const int num_blocks = reader.count(), block_rows = reader.count(), block_columns = reader.count();
  const std::vector<int> row_ends = read_ends(reader, block_rows, rows);
  const std::vector<int> column_ends = read_ends(reader, block_columns, columns);
  // Block rows behind the last one with blocks may be left out.
  const int filled_rows = static_cast<int>(reader.integer(0, block_rows + 1L));
  const int filled_blocks = static_cast<int>(reader.integer(num_blocks, num_blocks));
  const std::vector<int> starts = read_indices(reader, filled_rows, 0, num_blocks);
  if (!std::is_sorted(starts.begin(), starts.end()) || (num_blocks > 0 && starts.empty()) ||
      (!starts.empty() && (starts.front() != 0 || starts.back() != num_blocks)))
    reader.fail(fmt::format("the starts of the block rows of {} must ascend from 0 to {}", name, num_blocks));
  const std::vector<int> block_column = read_indices(reader, filled_blocks, 0, block_columns - 1);
  const auto begin_of = [](const std::vector<int>& ends, int k) { return k == 0 ? 0 : ends[k - 1]; };
  for (int row = 0; row + 1 < filled_rows; ++row)
    for (int b = starts[row]; b < starts[row + 1]; ++b) {
      reader.integer(b, b);
      const int first_row = begin_of(row_ends, row), first_column = begin_of(column_ends, block_column[b]);
      read_values(reader, name, first_row, first_column, row_ends[row] - first_row,
                  column_ends[block_column[b]] - first_column, out);
    }
}

SparseMatrix read_matrix(TextReader& reader, const char* name) {
  const long storage = reader.integer(0, 2);
  if (storage != k_dense && storage != k_sparse_blocks)
    reader.fail(fmt::format(
        "{} is stored in form {}, which has 6 digits a number; allowed: 0 (dense), 1 (sparse blocks)", name,
        storage));
  const int rows = reader.count(), columns = reader.count();
  Triplets triplets;
  if (storage == k_dense) {
    reader.integer(rows, rows);
    reader.integer(columns, columns);
    read_values(reader, name, 0, 0, rows, columns, triplets);
  } else {
    read_blocks(reader, name, rows, columns, triplets);
  }
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

Vector read_vector(TextReader& reader, const char* name, Eigen::Index size, double lowest = k_any) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < size; ++i) values.push_back(reader.finite_number(name, lowest));
  return Eigen::Map<const Vector>(values.data(), size);
}

// Words from here to the end; the stream stays where it is.
std::size_t count_words(std::istream& in) {
  const std::streampos here = in.tellg();
  const auto words = static_cast<std::size_t>(
      std::distance(std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()));
  in.clear();
  in.seekg(here);
  return words;
}

// --- writing

void write_vector(std::ostream& out, const Vector& values) {
  for (double x : values) out << fmt::format("{:.16e} ", x);
  out << '\n';
}

void write_list(std::ostream& out, const std::vector<int>& values) {
  out << fmt::format("{}\n", fmt::join(values, "\t"));
}

// Where parts of equal size end.
std::vector<int> even_ends(int count, int size) {
  std::vector<int> ends(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) ends[k] = (k + 1) * size;
  return ends;
}

// Where M can be cut into diagonal blocks.
std::vector<int> diagonal_ends(const SparseMatrix& M) {
  std::vector<int> ends,
      reach(static_cast<std::size_t>(M.rows()), 0);  // last unknown coupled with one up to i
  for (int j = 0; j < M.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it) {
      const int i = static_cast<int>(it.row()), low = std::min(i, j);
      reach[low] = std::max(reach[low], std::max(i, j));
    }
  for (int i = 0, last = 0; i < M.rows(); ++i) {
    last = std::max(last, reach[i]);
    if (last <= i) ends.push_back(i + 1);
  }
  return ends;
}

void write_matrix(std::ostream& out, const SparseMatrix& matrix, const std::vector<int>& row_ends,
                  const std::vector<int>& column_ends) {
  // Block column and dense values of the blocks of every block row.
  const auto part_of = [](const std::vector<int>& ends, int index) {
    return static_cast<int>(std::upper_bound(ends.begin(), ends.end(), index) - ends.begin());
  };
  std::vector<std::vector<int>> columns_of(row_ends.size());
  for (int j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it)
      columns_of[part_of(row_ends, static_cast<int>(it.row()))].push_back(part_of(column_ends, j));
  std::vector<int> starts{0}, columns;
  for (std::vector<int>& list : columns_of) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    columns.insert(columns.end(), list.begin(), list.end());
    starts.push_back(static_cast<int>(columns.size()));
  }
  out << fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", k_sparse_blocks, matrix.rows(), matrix.cols(),
                     columns.size(), row_ends.size(), column_ends.size());
  write_list(out, row_ends);
  write_list(out, column_ends);
  out << fmt::format("{}\n{}\n", starts.size(), columns.size());
  write_list(out, starts);
  write_list(out, columns);
  for (std::size_t row = 0; row < row_ends.size(); ++row)
    for (int b = starts[row]; b < starts[row + 1]; ++b) {
      const int first_row = row == 0 ? 0 : row_ends[row - 1];
      const int first_column = columns[b] == 0 ? 0 : column_ends[columns[b] - 1];
      const Matrix block = matrix.block(first_row, first_column, row_ends[row] - first_row,
                                        column_ends[columns[b]] - first_column);
      out << b << '\n';
      for (double x : block.reshaped()) out << fmt::format("{:.16e}\n", x);
    }
}

}  // namespace

StoredProblem read_siconos_text(const std::string& path) {
  std::istringstream in(read_file(path));
  TextReader reader(in, path, "friction problem of Siconos");
  StoredProblem problem;
  problem.spacedim = static_cast<int>(reader.integer(2, 3));
  const int num_contacts = reader.count();
  const long components = static_cast<long>(problem.spacedim) * num_contacts;
  SparseMatrix first = read_matrix(reader, "the first matrix");
  // A local problem ends with q and mu; a global one goes on with another matrix.
  const auto tail = static_cast<std::size_t>(components) + static_cast<std::size_t>(num_contacts);
  const std::size_t words = count_words(in);
  const bool local = first.rows() == components && words >= tail && words <= tail + k_trailing_words;
  if (local) {
    problem.form = StoredForm::local;
    problem.W = std::move(first);
    problem.q = read_vector(reader, "q", components);
  } else {
    problem.form = StoredForm::global;
    problem.M = std::move(first);
    problem.H = read_matrix(reader, "H");
    problem.f = read_vector(reader, "f", problem.M.rows());
    problem.w = read_vector(reader, "w", components);
    problem.G.resize(problem.M.rows(), 0);
  }
  problem.mu = read_vector(reader, "mu", num_contacts, 0.0);
  if (count_words(in) > k_trailing_words) reader.fail("it goes on after the last friction coefficient");
  if (const std::string wrong = check_consistent(problem); !wrong.empty())
    throw InputError(path + ": " + wrong);
  return problem;
}

void write_siconos_text(const std::string& path, const StoredProblem& problem) {
  std::string wrong = check_consistent(problem);
  if (wrong.empty() && problem.num_equalities() > 0)
    wrong = "the problem has equality rows, which the text of Siconos cannot hold; allowed: .hdf5";
  if (wrong.empty() && problem.form == StoredForm::global_rolling)
    wrong = "the problem has rolling parts, which the text of Siconos cannot hold; allowed: .hdf5";
  if (!wrong.empty()) throw InputError("cannot write " + path + ": " + wrong);
  std::ostringstream out;
  out << problem.spacedim << '\n' << problem.num_contacts() << '\n';
  const std::vector<int> contacts = even_ends(problem.num_contacts(), problem.spacedim);
  if (problem.form == StoredForm::local) {
    write_matrix(out, problem.W, contacts, contacts);
    write_vector(out, problem.q);
  } else {
    const std::vector<int> unknowns = diagonal_ends(problem.M);
    write_matrix(out, problem.M, unknowns, unknowns);
    write_matrix(out, problem.H, unknowns, contacts);
    write_vector(out, problem.f);
    write_vector(out, problem.w);
  }
  write_vector(out, problem.mu);
  write_file(path, out.str());
}

}  // namespace delassus
