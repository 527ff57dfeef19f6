// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of block_kernels.hpp, in words that mean something else on every machine: Four and Two, numbers in lanes, and
// `fuse(a, x, sum)` = a x + sum, rounded once. Included by block_kernels.cpp once a machine, within a namespace of its own; hence
// no guard.

// Six numbers in lanes of four and two.
struct Six {
  Four head;
  Two tail;
};
DELASSUS_INLINE void load(const double* from, Six& six) {
  std::memcpy(&six.head, from, sizeof six.head);
  std::memcpy(&six.tail, from + 4, sizeof six.tail);
}
DELASSUS_INLINE void store(const Six& six, double* to) {
  std::memcpy(to, &six.head, sizeof six.head);
  std::memcpy(to + 4, &six.tail, sizeof six.tail);
}
DELASSUS_INLINE void multiply(double a, const Six& x, Six& out) {
  out.head = a * x.head;
  out.tail = a * x.tail;
}
DELASSUS_INLINE void add_multiple(double a, const Six& x, Six& out) {
  fuse(a, x.head, out.head);
  fuse(a, x.tail, out.tail);
}

inline void subtract_products(const double* factor, const double* blocks, const int* columns, int count,
                              double* targets) {
  double negative[36];
  for (int i = 0; i < 36; ++i) negative[i] = -factor[i];
  for (int u = 0; u < count; ++u) {
    const double* block = blocks + 36 * static_cast<std::ptrdiff_t>(u);
    double* target = targets + 36 * static_cast<std::ptrdiff_t>(columns[u]);
    Six rows[6], sum;
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) load(block + 6 * k, rows[k]);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      load(target + 6 * i, sum);
#pragma GCC unroll 6
      for (int k = 0; k < 6; ++k) add_multiple(negative[6 * i + k], rows[k], sum);
      store(sum, target + 6 * i);
    }
  }
}

inline void multiply(const double* a, const double* b, double* out) {
  Six rows[6], sum;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) load(b + 6 * k, rows[k]);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    multiply(a[6 * i], rows[0], sum);
#pragma GCC unroll 6
    for (int k = 1; k < 6; ++k) add_multiple(a[6 * i + k], rows[k], sum);
    store(sum, out + 6 * i);
  }
}

inline void add_outer_product(const double* a, const double* b, double* block) {
  Six columns[3], sum;
#pragma GCC unroll 6
  for (int k = 0; k < 3; ++k) load(b + 6 * k, columns[k]);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    load(block + 6 * i, sum);
#pragma GCC unroll 6
    for (int k = 0; k < 3; ++k) add_multiple(a[6 * k + i], columns[k], sum);
    store(sum, block + 6 * i);
  }
}

inline void combine_columns(const double* a, const double* c, double* out) {
  Six columns[3], sum;
#pragma GCC unroll 6
  for (int k = 0; k < 3; ++k) load(a + 6 * k, columns[k]);
#pragma GCC unroll 6
  for (int j = 0; j < 3; ++j) {
    multiply(c[3 * j], columns[0], sum);
#pragma GCC unroll 6
    for (int k = 1; k < 3; ++k) add_multiple(c[3 * j + k], columns[k], sum);
    store(sum, out + 6 * j);
  }
}
