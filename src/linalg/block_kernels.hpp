// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of the blocks of rigid bodies, six velocities and three rows a contact, for the machine that the program runs on: with
// registers of four numbers and fused products (AVX2, FMA) where there are some. Numbers of different lanes never meet, and every
// a b + c is rounded once, so that every path gives the same bits (tests/unit/block_kernels_test.cpp).
#pragma once
#include <cstddef>

namespace delassus {

struct BlockKernels {
  const char* name;
  // For u < count: the 6×6 block by rows at `targets` + 36 columns[u] loses factor · (6×6 block by rows at `blocks` + 36 u).
  void (*subtract_products)(const double* factor, const double* blocks, const int* columns, int count,
                            double* targets);
  // out = a b, 6×6 by rows.
  void (*multiply)(const double* a, const double* b, double* out);
  // block += a bᵀ; a, b: 6×3 by columns; block: 6×6 by rows.
  void (*add_outer_product)(const double* a, const double* b, double* block);
  // out = a c; a, out: 6×3 by columns; c: 3×3 by columns.
  void (*combine_columns)(const double* a, const double* c, double* out);
};

// For any machine, and the fastest that this one has.
const BlockKernels& plain_kernels();
const BlockKernels& block_kernels();

}  // namespace delassus
