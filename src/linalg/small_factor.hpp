// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Factors of small positive definite matrices in place, stored by columns: the bodies of a problem, one after the other
// in one array. Symmetric ones by Cholesky's method, L Lᵀ in the lower triangle; others by L U without pivoting, which a
// positive definite matrix does not need. The sizes of a rigid body and of a point have loops of fixed length.
//
// Cost: n³/6 (Cholesky) or n³/3 multiplications; n² a right side. Nothing is allocated.
#pragma once
#include <cmath>
#include <limits>

namespace delassus {
namespace small_factor_detail {

// A pivot below this times the diagonal entry is the round-off of a zero.
inline constexpr double k_pivot_tolerance = 6 * std::numeric_limits<double>::epsilon();

// N: the size where it is known at compile time, otherwise 0.
template <int N>
bool factorize_cholesky(double* a, int size) {
  const int n = N > 0 ? N : size;
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

template <int N>
void solve_cholesky(const double* a, int size, double* x) {
  const int n = N > 0 ? N : size;
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

// L has a unit diagonal.
template <int N>
bool factorize_lu(double* a, int size) {
  const int n = N > 0 ? N : size;
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

template <int N>
void solve_lu(const double* a, int size, double* x) {
  const int n = N > 0 ? N : size;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) x[i] -= a[i + k * n] * x[k];
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; ++k) x[i] -= a[i + k * n] * x[k];
    x[i] /= a[i + i * n];
  }
}

template <int N>
bool factorize(double* a, int size, bool symmetric) {
  return symmetric ? factorize_cholesky<N>(a, size) : factorize_lu<N>(a, size);
}

template <int N>
void solve(const double* a, int size, bool symmetric, double* x, int count) {
  const int n = N > 0 ? N : size;
  for (int c = 0; c < count; ++c, x += n)
    if (symmetric)
      solve_cholesky<N>(a, size, x);
    else
      solve_lu<N>(a, size, x);
}

}  // namespace small_factor_detail

// False: not positive definite.
inline bool factorize_small(double* a, int n, bool symmetric) {
  using namespace small_factor_detail;
  if (n == 6) return factorize<6>(a, n, symmetric);
  if (n == 3) return factorize<3>(a, n, symmetric);
  return factorize<0>(a, n, symmetric);
}

// `count` right sides of n values one after the other, in place.
inline void solve_small(const double* a, int n, bool symmetric, double* x, int count) {
  using namespace small_factor_detail;
  if (n == 6) return solve<6>(a, n, symmetric, x, count);
  if (n == 3) return solve<3>(a, n, symmetric, x, count);
  solve<0>(a, n, symmetric, x, count);
}

// Every bit of the entries (i, j) and (j, i) agrees.
inline bool is_symmetric_small(const double* a, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i)
      if (a[i + j * n] != a[j + i * n]) return false;
  return true;
}

}  // namespace delassus
