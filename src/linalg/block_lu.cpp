// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/block_lu.hpp"

#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "delassus/linalg/block_kernels.hpp"

namespace delassus {
namespace {

constexpr int k_max_dim = 6;
// A pivot within a diagonal block below this part of the block's largest entry is the round-off of a zero.
constexpr double k_singular = 1e-14;

// For blocks by rows of m × k and k × n entries; N: all three where they are known at compile time, otherwise 0.
template <int N>
void multiply(const double* a, const double* b, int m, int k, int n, double* out) {
  if constexpr (N > 0) m = k = n = N;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = a[i * k] * b[j];
      for (int l = 1; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      out[i * n + j] = sum;
    }
}

// x −= a b
template <int N>
void subtract_product(const double* a, const double* b, int m, int k, int n, double* x) {
  if constexpr (N > 0) m = k = n = N;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = a[i * k] * b[j];
      for (int l = 1; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      x[i * n + j] -= sum;
    }
}

// x −= a bᵀ for a, b of m × k entries
template <int N>
void subtract_product_transposed(const double* a, const double* b, int m, int k, double* x) {
  if constexpr (N > 0) m = k = N;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = a[i * k] * b[j * k];
      for (int l = 1; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
      x[i * m + j] -= sum;
    }
}

// y −= a x for a block by rows.
template <int N>
void subtract_image(const double* a, const double* x, int m, int n, double* y) {
  if constexpr (N > 0) m = n = N;
  for (int i = 0; i < m; ++i) {
    double sum = a[i * n] * x[0];
    for (int j = 1; j < n; ++j) sum += a[i * n + j] * x[j];
    y[i] -= sum;
  }
}

// Gauss-Jordan with pivots sought in the column. False: singular.
bool invert(const double* block, int n, double* out) {
  if (n == 1) {
    out[0] = 1.0 / block[0];
    return std::isfinite(out[0]) && std::isfinite(block[0]);
  }
  double a[k_max_dim * k_max_dim];
  double largest = 0;
  for (int i = 0; i < n * n; ++i) {
    a[i] = block[i];
    largest = std::max(largest, std::abs(block[i]));
    out[i] = 0;
  }
  if (!(largest <= std::numeric_limits<double>::max())) return false;
  for (int i = 0; i < n; ++i) out[i * n + i] = 1;
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n; ++i)
      if (std::abs(a[i * n + c]) > std::abs(a[pivot * n + c])) pivot = i;
    if (!(std::abs(a[pivot * n + c]) > k_singular * largest)) return false;
    if (pivot != c) {
      std::swap_ranges(a + c * n, a + c * n + n, a + pivot * n);
      std::swap_ranges(out + c * n, out + c * n + n, out + pivot * n);
    }
    const double scale = 1.0 / a[c * n + c];
    for (int j = 0; j < n; ++j) {
      a[c * n + j] *= scale;
      out[c * n + j] *= scale;
    }
    for (int i = 0; i < n; ++i) {
      const double factor = a[i * n + c];
      if (i == c || factor == 0) continue;
      for (int j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[c * n + j];
        out[i * n + j] -= factor * out[c * n + j];
      }
    }
  }
  return true;
}

}  // namespace

bool BlockLu::has_pattern_of(const ContactMatrix& A) const {
  const int n = A.num_contacts();
  if (static_cast<int>(pattern_dims_.size()) != n ||
      static_cast<int>(pattern_columns_.size()) != A.num_entries())
    return false;
  for (int c = 0; c < n; ++c)
    if (pattern_dims_[c] != A.dim(c) || pattern_starts_[c] != A.row_begin(c)) return false;
  for (int e = 0; e < A.num_entries(); ++e)
    if (pattern_columns_[e] != A.column(e)) return false;
  return true;
}

void BlockLu::find_order(const ContactMatrix& A) {
  const int n = A.num_contacts();
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.resizeNonZeros(A.num_entries());
  for (int c = 0; c <= n; ++c) pattern.outerIndexPtr()[c] = c < n ? A.row_begin(c) : A.num_entries();
  std::copy(pattern_columns_.begin(), pattern_columns_.end(), pattern.innerIndexPtr());
  std::fill_n(pattern.valuePtr(), A.num_entries(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Lower>(), permutation);
  order_.assign(permutation.indices().data(), permutation.indices().data() + n);
  place_.resize(order_.size());
  for (int j = 0; j < n; ++j) place_[order_[j]] = j;
}

// Row j of L has the places that the paths from its entries left of the diagonal up the elimination tree meet before j; U has the
// transposed structure.
void BlockLu::find_structure(const ContactMatrix& A) {
  const int n = size();
  parent_.assign(order_.size(), -1);
  marks_.assign(order_.size(), -1);
  next_.assign(order_.size(), 0);  // blocks in a row of U
  lower_starts_.assign(1, 0);
  lower_columns_.clear();
  for (int j = 0; j < n; ++j) {
    marks_[j] = j;
    const int c = order_[j];
    for (int e = A.row_begin(c); e < A.row_end(c); ++e)
      for (int k = place_[A.column(e)]; k < j && marks_[k] != j; k = parent_[k]) {
        marks_[k] = j;
        if (parent_[k] < 0) parent_[k] = j;
        lower_columns_.push_back(k);
        ++next_[k];
      }
    std::sort(lower_columns_.begin() + lower_starts_.back(), lower_columns_.end());
    lower_starts_.push_back(static_cast<int>(lower_columns_.size()));
  }
  upper_starts_.assign(1, 0);
  for (int k = 0; k < n; ++k) upper_starts_.push_back(upper_starts_.back() + next_[k]);
  upper_columns_.resize(lower_columns_.size());
  std::copy(upper_starts_.begin(), upper_starts_.end() - 1, next_.begin());
  for (int j = 0; j < n; ++j)
    for (int i = lower_starts_[j]; i < lower_starts_[j + 1]; ++i)
      upper_columns_[next_[lower_columns_[i]]++] = j;
}

void BlockLu::analyze(const ContactMatrix& A) {
  const int n = A.num_contacts();
  pattern_dims_.resize(n);
  pattern_starts_.resize(n);
  pattern_columns_.resize(A.num_entries());
  for (int c = 0; c < n; ++c) {
    pattern_dims_[c] = A.dim(c);
    pattern_starts_[c] = A.row_begin(c);
  }
  for (int e = 0; e < A.num_entries(); ++e) pattern_columns_[e] = A.column(e);
  find_order(A);
  find_structure(A);
  dims_.resize(n);
  first_rows_.resize(n);
  int largest = 0;
  uniform_dim_ = n > 0 ? A.dim(0) : 0;
  for (int j = 0; j < n; ++j) {
    dims_[j] = A.dim(order_[j]);
    first_rows_[j] = A.first_row(order_[j]);
    largest = std::max(largest, dims_[j]);
    if (dims_[j] != uniform_dim_) uniform_dim_ = 0;
  }
  assert(largest <= k_max_dim);
  stride_ = static_cast<std::size_t>(largest) * static_cast<std::size_t>(largest);
  const auto lay_out = [&](const std::vector<int>& starts, const std::vector<int>& columns,
                           std::vector<std::size_t>& at, std::vector<double>& values) {
    std::size_t size = 0;
    at.resize(columns.size());
    for (int j = 0; j < n; ++j)
      for (int i = starts[j]; i < starts[j + 1]; ++i) {
        at[i] = size;
        size += static_cast<std::size_t>(dims_[j]) * static_cast<std::size_t>(dims_[columns[i]]);
      }
    values.resize(size);
  };
  lay_out(lower_starts_, lower_columns_, lower_values_at_, lower_);
  lay_out(upper_starts_, upper_columns_, upper_values_at_, upper_);
  inverse_.resize(order_.size() * stride_);
  scratch_.assign(order_.size() * stride_, 0.0);
}

bool BlockLu::factorize(const ContactMatrix& A, bool symmetric) {
  if (!has_pattern_of(A)) analyze(A);
  std::copy(upper_starts_.begin(), upper_starts_.end() - 1, next_.begin());
  if (uniform_dim_ == 6) return factorize_rows<6>(A, symmetric);
  if (uniform_dim_ == 3) return factorize_rows<3>(A, symmetric);
  if (uniform_dim_ == 1) return factorize_rows<1>(A, symmetric);
  return factorize_rows<0>(A, symmetric);
}

template <int N>
bool BlockLu::factorize_rows(const ContactMatrix& A, bool symmetric) {
  for (int j = 0; j < size(); ++j) {
    scatter_row(j, A, symmetric);
    if (symmetric)
      eliminate_symmetric<N>(j);
    else
      eliminate<N>(j);
    if (!invert(scratch(j), dims_[j], inverse(j))) return false;
  }
  return true;
}

// Row j of A into the scratch, with zeros where L and U have more; of a symmetric one up to the diagonal.
void BlockLu::scatter_row(int j, const ContactMatrix& A, bool symmetric) {
  const int dim = dims_[j], contact = order_[j];
  const auto clear = [&](int k) { std::fill_n(scratch(k), dim * dims_[k], 0.0); };
  for (int i = lower_starts_[j]; i < lower_starts_[j + 1]; ++i) clear(lower_columns_[i]);
  for (int i = upper_starts_[j]; i < upper_starts_[j + 1] && !symmetric; ++i) clear(upper_columns_[i]);
  for (int e = A.row_begin(contact); e < A.row_end(contact); ++e) {
    const int k = place_[A.column(e)];
    if (k <= j || !symmetric) std::copy_n(A.values(e), dim * dims_[k], scratch(k));
  }
}

template <int N>
void BlockLu::eliminate(int j) {
  [[maybe_unused]] const BlockKernels& kernels = block_kernels();
  const int dim = dims_[j];
  for (int i = lower_starts_[j]; i < lower_starts_[j + 1]; ++i) {
    const int k = lower_columns_[i];
    double* factor = lower_.data() + lower_values_at_[i];
    if constexpr (N == 6) {
      kernels.multiply(scratch(k), inverse(k), factor);
      kernels.subtract_products(factor, upper_.data() + N * N * static_cast<std::size_t>(upper_starts_[k]),
                                upper_columns_.data() + upper_starts_[k],
                                upper_starts_[k + 1] - upper_starts_[k], scratch(0));
      continue;
    }
    multiply<N>(scratch(k), inverse(k), dim, dims_[k], dims_[k], factor);
    for (int u = upper_starts_[k]; u < upper_starts_[k + 1]; ++u) {
      const int column = upper_columns_[u];
      subtract_product<N>(factor, upper_.data() + upper_values_at_[u], dim, dims_[k], dims_[column],
                          scratch(column));
    }
  }
  for (int i = upper_starts_[j]; i < upper_starts_[j + 1]; ++i) {
    const int k = upper_columns_[i];
    std::copy_n(scratch(k), dim * dims_[k], upper_.data() + upper_values_at_[i]);
  }
}

// Half of the work: row j of what is left of the diagonal is column j of U, transposed, and belongs to the rows above.
template <int N>
void BlockLu::eliminate_symmetric(int j) {
  [[maybe_unused]] const BlockKernels& kernels = block_kernels();
  const int dim = dims_[j];
  for (int i = lower_starts_[j]; i < lower_starts_[j + 1]; ++i) {
    const int k = lower_columns_[i], size = N > 0 ? N : dims_[k], rows = N > 0 ? N : dim;
    double* factor = lower_.data() + lower_values_at_[i];
    const double* left = scratch(k);
    if constexpr (N == 6)
      kernels.multiply(left, inverse(k), factor);
    else
      multiply<N>(left, inverse(k), dim, dims_[k], dims_[k], factor);
    // Columns up to j are there already; j is next.
    const int filled = next_[k]++;
    if constexpr (N == 6)
      kernels.subtract_products(factor, upper_.data() + N * N * static_cast<std::size_t>(upper_starts_[k]),
                                upper_columns_.data() + upper_starts_[k], filled - upper_starts_[k],
                                scratch(0));
    for (int u = upper_starts_[k]; u < filled && N != 6; ++u) {
      const int column = upper_columns_[u];
      subtract_product<N>(factor, upper_.data() + upper_values_at_[u], dim, dims_[k], dims_[column],
                          scratch(column));
    }
    subtract_product_transposed<N>(factor, left, dim, dims_[k], scratch(j));
    double* above = upper_.data() + upper_values_at_[filled];
    for (int a = 0; a < rows; ++a)
      for (int b = 0; b < size; ++b) above[b * rows + a] = left[a * size + b];
  }
}

void BlockLu::solve_in_place(Vector& x) const {
  if (uniform_dim_ == 6) return substitute<6>(x);
  if (uniform_dim_ == 3) return substitute<3>(x);
  if (uniform_dim_ == 1) return substitute<1>(x);
  substitute<0>(x);
}

template <int N>
void BlockLu::substitute(Vector& x) const {
  for (int j = 0; j < size(); ++j) {
    double* own = x.data() + first_rows_[j];
    for (int i = lower_starts_[j]; i < lower_starts_[j + 1]; ++i) {
      const int k = lower_columns_[i];
      subtract_image<N>(lower_.data() + lower_values_at_[i], x.data() + first_rows_[k], dims_[j], dims_[k],
                        own);
    }
  }
  for (int j = size(); j-- > 0;) {
    double* own = x.data() + first_rows_[j];
    for (int i = upper_starts_[j]; i < upper_starts_[j + 1]; ++i) {
      const int k = upper_columns_[i];
      subtract_image<N>(upper_.data() + upper_values_at_[i], x.data() + first_rows_[k], dims_[j], dims_[k],
                        own);
    }
    double y[k_max_dim] = {};
    subtract_image<N>(inverse_.data() + static_cast<std::size_t>(j) * stride_, own, dims_[j], dims_[j], y);
    for (int k = 0; k < dims_[j]; ++k) own[k] = -y[k];
  }
}

}  // namespace delassus
