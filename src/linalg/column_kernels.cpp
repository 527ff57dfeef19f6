// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/column_kernels.hpp"

#include <cstring>

namespace delassus {
namespace column_kernels_detail {
namespace {

// Six numbers in lanes of four and two. As macros of functions that are compiled once a machine: what is inlined takes the
// instructions of its caller.
typedef double Lanes4 __attribute__((vector_size(32)));
typedef double Lanes2 __attribute__((vector_size(16)));
#define DELASSUS_COLUMN_INLINE inline __attribute__((always_inline))

struct Six {
  Lanes4 head;
  Lanes2 tail;
};
DELASSUS_COLUMN_INLINE void load(const double* from, Six& six) {
  std::memcpy(&six.head, from, sizeof six.head);
  std::memcpy(&six.tail, from + 4, sizeof six.tail);
}
DELASSUS_COLUMN_INLINE void store(const Six& six, double* to) {
  std::memcpy(to, &six.head, sizeof six.head);
  std::memcpy(to + 4, &six.tail, sizeof six.tail);
}
DELASSUS_COLUMN_INLINE void multiply(double a, const Six& x, Six& out) {
  out.head = a * x.head;
  out.tail = a * x.tail;
}
DELASSUS_COLUMN_INLINE void add_multiple(double a, const Six& x, Six& out) {
  out.head += a * x.head;
  out.tail += a * x.tail;
}

DELASSUS_COLUMN_INLINE void subtract_multiple(double a, const Six& x, Six& out) {
  out.head -= a * x.head;
  out.tail -= a * x.tail;
}
DELASSUS_COLUMN_INLINE void scale(double a, Six& x) {
  x.head *= a;
  x.tail *= a;
}

// Column k of the identity, and ones elsewhere.
struct Units {
  constexpr Units() {
    for (int k = 0; k < 6; ++k)
      for (int i = 0; i < 6; ++i) {
        unit[6 * k + i] = i == k ? 1 : 0;
        others[6 * k + i] = i == k ? 0 : 1;
      }
  }
  double unit[36] = {}, others[36] = {};
};
constexpr Units k_units;

DELASSUS_COLUMN_INLINE void invert_body(double* a, int n, double* inverse_pivots) {
  Six unit, others, column, factors;
  for (int k = 0; k < n; ++k) {
    const double inverse = 1.0 / a[7 * k];
    inverse_pivots[k] = inverse;
    load(k_units.unit + 6 * k, unit);
    load(k_units.others + 6 * k, others);
    // e_k − (column k without its entry k): what is in row k goes there, what is elsewhere is taken away.
    load(a + 6 * k, factors);
    factors.head = unit.head - factors.head * others.head;
    factors.tail = unit.tail - factors.tail * others.tail;
    for (int j = 0; j < n; ++j) {
      const double row = a[6 * j + k] * inverse;
      load(a + 6 * j, column);
      column.head = column.head * others.head + row * factors.head;
      column.tail = column.tail * others.tail + row * factors.tail;
      if (j != k) store(column, a + 6 * j);
    }
    factors.head *= inverse;
    factors.tail *= inverse;
    store(factors, a + 6 * k);
  }
}
DELASSUS_COLUMN_INLINE void multiply_right_body(const double* a, int n, double* x) {
  Six columns[6], sum;
  for (int k = 0; k < n; ++k) load(x + 6 * k, columns[k]);
  for (int j = 0; j < n; ++j) {
    multiply(a[6 * j], columns[0], sum);
    for (int k = 1; k < n; ++k) add_multiple(a[6 * j + k], columns[k], sum);
    store(sum, x + 6 * j);
  }
}
DELASSUS_COLUMN_INLINE void multiply_left_body(const double* a, int n, double* x) {
  Six column, sum;
  load(a, column);
  multiply(x[0], column, sum);
  for (int k = 1; k < n; ++k) {
    load(a + 6 * k, column);
    add_multiple(x[k], column, sum);
  }
  store(sum, x);
}
DELASSUS_COLUMN_INLINE void subtract_product_body(const double* a, const double* b, int k, int n,
                                                  double* target) {
  Six columns[6], sum;
  for (int i = 0; i < k; ++i) load(a + 6 * i, columns[i]);
  for (int j = 0; j < n; ++j) {
    load(target + 6 * j, sum);
    for (int i = 0; i < k; ++i) subtract_multiple(b[6 * j + i], columns[i], sum);
    store(sum, target + 6 * j);
  }
}
DELASSUS_COLUMN_INLINE void subtract_image_body(const double* a, const double* y, int n, double* x) {
  Six column, sum;
  load(x, sum);
  for (int i = 0; i < n; ++i) {
    load(a + 6 * i, column);
    subtract_multiple(y[i], column, sum);
  }
  store(sum, x);
}

DELASSUS_COLUMN_INLINE void subtract_terms_body(const double* a, const double* y, int n, double* x,
                                                double* m) {
  Six term, difference, sizes;
  load(x, difference);
  load(m, sizes);
  for (int i = 0; i < n; ++i) {
    load(a + 6 * i, term);
    scale(y[i], term);
    difference.head -= term.head;
    difference.tail -= term.tail;
    sizes.head += term.head < 0 ? -term.head : term.head;
    sizes.tail += term.tail < 0 ? -term.tail : term.tail;
  }
  store(difference, x);
  store(sizes, m);
}

// Loops over a known number are worth a copy: rigid bodies, and the rows of hinges.
#define DELASSUS_FIXED(call)   \
  switch (n) {                 \
    case 6: {                  \
      constexpr int fixed = 6; \
      return call;             \
    }                          \
    case 5: {                  \
      constexpr int fixed = 5; \
      return call;             \
    }                          \
    default: {                 \
      const int fixed = n;     \
      return call;             \
    }                          \
  }

#define DELASSUS_COLUMN_KERNELS(machine, attribute)                                                          \
  attribute void invert_##machine(double* a, int n, double* inverse_pivots){DELASSUS_FIXED(invert_body(      \
      a, fixed, inverse_pivots))} attribute void multiply_right_##machine(const double* a, int n,            \
                                                                          double* x){DELASSUS_FIXED(         \
      multiply_right_body(a, fixed, x))} attribute void multiply_left_##machine(const double* a, int n,      \
                                                                                double* x){                  \
      DELASSUS_FIXED(multiply_left_body(                                                                     \
          a, fixed, x))} attribute void subtract_product_##machine(const double* a, const double* b, int n,  \
                                                                   int columns, double* target){             \
      DELASSUS_FIXED(subtract_product_body(                                                                  \
          a, b, fixed, columns, target))} attribute void subtract_image_##machine(const double* a,           \
                                                                                  const double* y, int n,    \
                                                                                  double* x){DELASSUS_FIXED( \
      subtract_image_body(a, y, fixed, x))} attribute void subtract_terms_##machine(const double* a,         \
                                                                                    const double* y, int n,  \
                                                                                    double* x, double* m) {  \
    DELASSUS_FIXED(subtract_terms_body(a, y, fixed, x, m))                                                   \
  }                                                                                                          \
  constexpr ColumnKernels k_##machine##_columns{#machine,                                                    \
                                                invert_##machine,                                            \
                                                multiply_right_##machine,                                    \
                                                subtract_product_##machine,                                  \
                                                multiply_left_##machine,                                     \
                                                subtract_image_##machine,                                    \
                                                subtract_terms_##machine};

DELASSUS_COLUMN_KERNELS(plain, )
#ifdef __x86_64__
DELASSUS_COLUMN_KERNELS(avx2, __attribute__((target("avx2"))))
#endif

}  // namespace
}  // namespace column_kernels_detail
using namespace column_kernels_detail;

const ColumnKernels& plain_column_kernels() {
  return k_plain_columns;
}

const ColumnKernels& column_kernels() {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return k_avx2_columns;
#endif
  return k_plain_columns;
}

}  // namespace delassus
