// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Products and inverses of blocks of up to six unknowns, bodies and joints, stored by columns of six entries (linalg/block_kkt.hpp),
// with registers of four numbers (AVX2) where there are some. Numbers of different lanes never meet and nothing is contracted, so
// that every path gives the same bits (tests/unit/block_kernels_test.cpp).
#pragma once

namespace delassus {

struct ColumnKernels {
  const char* name;
  // All take blocks by columns of six entries, of which more than the first n are zero or of no account.
  // a (n×n) ← a⁻¹ by Gauss and Jordan without pivoting; the inverses of the pivots, which are those of L U.
  void (*invert)(double* a, int n, double* inverse_pivots);
  // x ← x a for x (6×n), a (n×n).
  void (*multiply_right)(const double* a, int n, double* x);
  // target −= a b for a (6×k), b (k×n), target (6×n).
  void (*subtract_product)(const double* a, const double* b, int k, int n, double* target);
  // x ← a x for a (n×n)
  void (*multiply_left)(const double* a, int n, double* x);
  // x −= a y for a (6×n).
  void (*subtract_image)(const double* a, const double* y, int n, double* x);
  // The same, and the sizes of its terms: m += |a| |y|.
  void (*subtract_terms)(const double* a, const double* y, int n, double* x, double* m);
};

// For any machine, and the fastest that this one has.
const ColumnKernels& plain_column_kernels();
const ColumnKernels& column_kernels();

}  // namespace delassus
