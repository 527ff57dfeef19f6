// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/contact_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace delassus {

ContactMatrix::ContactMatrix(const Matrix& dense, std::span<const int> dims) {
  const int n = static_cast<int>(dims.size());
  std::vector<int> starts(dims.size() + 1), columns;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) columns.push_back(b);
    starts[a + 1] = static_cast<int>(columns.size());
  }
  set_pattern(dims, starts, columns);
  for (int a = 0; a < n; ++a)
    for (int e = row_begin(a); e < row_end(a); ++e)
      block(a, e) = dense.block(first_row(a), first_row(column(e)), dim(a), dim(column(e)));
}

void ContactMatrix::set_pattern(std::span<const int> dims, std::span<const int> row_starts,
                                std::span<const int> columns) {
  assert(row_starts.size() == dims.size() + 1);
  first_row_.resize(dims.size() + 1);
  first_row_[0] = 0;
  for (std::size_t c = 0; c < dims.size(); ++c) first_row_[c + 1] = first_row_[c] + dims[c];
  starts_.assign(row_starts.begin(), row_starts.end());
  columns_.assign(columns.begin(), columns.end());
  offsets_.resize(columns.size());
  diagonal_.assign(dims.size(), -1);
  std::size_t size = 0;
  for (std::size_t a = 0; a < dims.size(); ++a)
    for (int e = starts_[a]; e < starts_[a + 1]; ++e) {
      offsets_[e] = size;
      size += static_cast<std::size_t>(dims[a]) * static_cast<std::size_t>(dims[columns_[e]]);
      if (columns_[e] == static_cast<int>(a)) diagonal_[a] = e;
    }
  values_.assign(size, 0.0);
  assert(std::find(diagonal_.begin(), diagonal_.end(), -1) == diagonal_.end());
}

int ContactMatrix::find(int a, int b) const {
  const auto begin = columns_.begin() + starts_[a], end = columns_.begin() + starts_[a + 1];
  const auto it = std::lower_bound(begin, end, b);
  return it != end && *it == b ? static_cast<int>(it - columns_.begin()) : -1;
}

void ContactMatrix::multiply_row(int contact, const double* r, double* out) const {
  const int d = dim(contact);
  if (d == 3) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int e = starts_[contact]; e < starts_[contact + 1]; ++e) {
      const int b = columns_[e];
      const double* x = r + first_row_[b];
      if (dim(b) == 3)
        sum += Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(values(e)) *
               Eigen::Map<const Eigen::Vector3d>(x);
      else
        sum.noalias() += block(contact, e) * Eigen::Map<const Vector>(x, dim(b));
    }
    Eigen::Map<Eigen::Vector3d>{out} = sum;
    return;
  }
  Eigen::Map<Vector> sum(out, d);
  sum.setZero();
  for (int e = starts_[contact]; e < starts_[contact + 1]; ++e) {
    const int b = columns_[e];
    sum.noalias() += block(contact, e) * Eigen::Map<const Vector>(r + first_row_[b], dim(b));
  }
}

void ContactMatrix::multiply(const VectorRef& r, Vector& out) const {
  out.resize(rows());
  for (int c = 0; c < num_contacts(); ++c) multiply_row(c, r.data(), out.data() + first_row_[c]);
}

Vector ContactMatrix::operator*(const Vector& r) const {
  Vector out;
  multiply(r, out);
  return out;
}

void ContactMatrix::to_dense(Matrix& out) const {
  out.resize(rows(), rows());
  write_dense(out);
}

void ContactMatrix::write_dense(Eigen::Ref<Matrix> out) const {
  out.setZero();
  for (int a = 0; a < num_contacts(); ++a)
    for (int e = row_begin(a); e < row_end(a); ++e)
      out.block(first_row(a), first_row(column(e)), dim(a), dim(column(e))) = block(a, e);
}

Matrix ContactMatrix::dense() const {
  Matrix out;
  to_dense(out);
  return out;
}

SparseMatrix ContactMatrix::to_sparse() const {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(values_.size());
  for (int a = 0; a < num_contacts(); ++a)
    for (int e = row_begin(a); e < row_end(a); ++e) {
      const ConstBlock values = block(a, e);
      for (int i = 0; i < values.rows(); ++i)
        for (int j = 0; j < values.cols(); ++j)
          triplets.emplace_back(first_row(a) + i, first_row(column(e)) + j, values(i, j));
    }
  SparseMatrix out(rows(), rows());
  out.setFromTriplets(triplets.begin(), triplets.end());
  return out;
}

void ContactMatrix::symmetrize() {
  for (int a = 0; a < num_contacts(); ++a)
    for (int e = row_begin(a); e < row_end(a); ++e) {
      const int b = column(e);
      if (b < a) continue;
      Block upper = block(a, e), lower = block(b, find(b, a));
      for (int i = 0; i < upper.rows(); ++i)
        for (int j = 0; j < upper.cols(); ++j) upper(i, j) = lower(j, i) = 0.5 * (upper(i, j) + lower(j, i));
    }
}

void ContactMatrix::copy_upper_to_lower() {
  // Rows are gone through in order, so the next block of row b below the diagonal is the one for a.
  thread_local std::vector<int> next;
  next.assign(starts_.begin(), starts_.end());
  for (int a = 0; a < num_contacts(); ++a) {
    Block diagonal = block(a, diagonal_[a]);
    for (int i = 0; i < diagonal.rows(); ++i)
      for (int j = i + 1; j < diagonal.cols(); ++j)
        diagonal(i, j) = diagonal(j, i) = 0.5 * (diagonal(i, j) + diagonal(j, i));
    for (int e = diagonal_[a] + 1; e < row_end(a); ++e) {
      const int b = columns_[e], below = next[b]++;
      assert(columns_[below] == a);
      const int rows = dim(a), columns = dim(b);
      const double* from = values(e);
      double* to = values(below);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
    }
  }
}

bool ContactMatrix::all_finite() const {
  return std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); });
}

void ContactMatrix::extract(std::span<const int> contacts, ContactMatrix& out) const {
  // Kept from call to call, so that islands of a step allocate nothing.
  thread_local std::vector<int> dims, starts, columns, entries;
  dims.clear();
  starts.assign(1, 0);
  columns.clear();
  entries.clear();
  for (int a : contacts) {
    dims.push_back(dim(a));
    auto next = contacts.begin();
    for (int e = row_begin(a); e < row_end(a); ++e) {
      next = std::lower_bound(next, contacts.end(), column(e));
      if (next == contacts.end()) break;
      if (*next != column(e)) continue;
      columns.push_back(static_cast<int>(next - contacts.begin()));
      entries.push_back(e);
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  out.set_pattern(dims, starts, columns);
  for (std::size_t a = 0; a < contacts.size(); ++a)
    for (int e = starts[a]; e < starts[a + 1]; ++e)
      out.block(static_cast<int>(a), e) = block(contacts[a], entries[e]);
}

}  // namespace delassus
