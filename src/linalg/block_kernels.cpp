// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/block_kernels.hpp"

#include <cstring>

namespace delassus {
namespace {

// Six numbers in lanes of four and two. As macros of functions that are compiled once a machine: what is inlined takes the
// instructions of its caller.
typedef double Lanes4 __attribute__((vector_size(32)));
typedef double Lanes2 __attribute__((vector_size(16)));
#define DELASSUS_INLINE inline __attribute__((always_inline))

struct Six {
  Lanes4 head;
  Lanes2 tail;
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
  out.head += a * x.head;
  out.tail += a * x.tail;
}

template <typename Finish>
DELASSUS_INLINE void for_rows_of_product(const double* a, const double* b, Finish finish) {
  Six rows[6], sum;
  for (int k = 0; k < 6; ++k) load(b + 6 * k, rows[k]);
  for (int i = 0; i < 6; ++i) {
    multiply(a[6 * i], rows[0], sum);
    for (int k = 1; k < 6; ++k) add_multiple(a[6 * i + k], rows[k], sum);
    finish(i, sum);
  }
}

DELASSUS_INLINE void subtract_products_body(const double* factor, const double* blocks, const int* columns,
                                            int count, double* targets) {
  for (int u = 0; u < count; ++u) {
    double* target = targets + 36 * static_cast<std::ptrdiff_t>(columns[u]);
    for_rows_of_product(
        factor, blocks + 36 * static_cast<std::ptrdiff_t>(u),
        [&](int i, const Six& sum) __attribute__((always_inline)) {
          Six row;
          load(target + 6 * i, row);
          row.head -= sum.head;
          row.tail -= sum.tail;
          store(row, target + 6 * i);
        });
  }
}
DELASSUS_INLINE void multiply_body(const double* a, const double* b, double* out) {
  for_rows_of_product(
      a, b, [&](int i, const Six& sum) __attribute__((always_inline)) { store(sum, out + 6 * i); });
}
DELASSUS_INLINE void add_outer_product_body(const double* a, const double* b, double* block) {
  Six columns[3], sum, row;
  for (int k = 0; k < 3; ++k) load(b + 6 * k, columns[k]);
  for (int i = 0; i < 6; ++i) {
    multiply(a[i], columns[0], sum);
    for (int k = 1; k < 3; ++k) add_multiple(a[6 * k + i], columns[k], sum);
    load(block + 6 * i, row);
    row.head += sum.head;
    row.tail += sum.tail;
    store(row, block + 6 * i);
  }
}
DELASSUS_INLINE void combine_columns_body(const double* a, const double* c, double* out) {
  Six columns[3], sum;
  for (int k = 0; k < 3; ++k) load(a + 6 * k, columns[k]);
  for (int j = 0; j < 3; ++j) {
    multiply(c[3 * j], columns[0], sum);
    for (int k = 1; k < 3; ++k) add_multiple(c[3 * j + k], columns[k], sum);
    store(sum, out + 6 * j);
  }
}

#define DELASSUS_KERNELS(machine, attribute)                                                                 \
  attribute void subtract_products_##machine(const double* factor, const double* blocks, const int* columns, \
                                             int count, double* targets) {                                   \
    subtract_products_body(factor, blocks, columns, count, targets);                                         \
  }                                                                                                          \
  attribute void multiply_##machine(const double* a, const double* b, double* out) {                         \
    multiply_body(a, b, out);                                                                                \
  }                                                                                                          \
  attribute void add_outer_product_##machine(const double* a, const double* b, double* block) {              \
    add_outer_product_body(a, b, block);                                                                     \
  }                                                                                                          \
  attribute void combine_columns_##machine(const double* a, const double* c, double* out) {                  \
    combine_columns_body(a, c, out);                                                                         \
  }                                                                                                          \
  constexpr BlockKernels k_##machine{#machine, subtract_products_##machine, multiply_##machine,              \
                                     add_outer_product_##machine, combine_columns_##machine};

DELASSUS_KERNELS(plain, )
#ifdef __x86_64__
DELASSUS_KERNELS(avx2, __attribute__((target("avx2"))))
#endif

}  // namespace

const BlockKernels& plain_kernels() {
  return k_plain;
}

const BlockKernels& block_kernels() {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return k_avx2;
#endif
  return k_plain;
}

}  // namespace delassus
