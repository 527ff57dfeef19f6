// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/block_kernels.hpp"

#include <cmath>
#include <cstring>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define DELASSUS_INLINE inline __attribute__((always_inline))

namespace delassus {
namespace plain_machine {

typedef double Four __attribute__((vector_size(32)));
typedef double Two __attribute__((vector_size(16)));
// Where the machine cannot do it at once, the C library does it right and slowly.
DELASSUS_INLINE void fuse(double a, const Four& x, Four& sum) {
  for (int i = 0; i < 4; ++i) sum[i] = std::fma(a, x[i], sum[i]);
}
DELASSUS_INLINE void fuse(double a, const Two& x, Two& sum) {
  for (int i = 0; i < 2; ++i) sum[i] = std::fma(a, x[i], sum[i]);
}
#include "delassus/linalg/block_kernel_bodies.hpp"
constexpr BlockKernels k_kernels{"plain", subtract_products, multiply, add_outer_product, combine_columns};

}  // namespace plain_machine

#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2_machine {

typedef __m256d Four;
typedef __m128d Two;
DELASSUS_INLINE void fuse(double a, const Four& x, Four& sum) {
  sum = _mm256_fmadd_pd(_mm256_set1_pd(a), x, sum);
}
DELASSUS_INLINE void fuse(double a, const Two& x, Two& sum) {
  sum = _mm_fmadd_pd(_mm_set1_pd(a), x, sum);
}
#include "delassus/linalg/block_kernel_bodies.hpp"
constexpr BlockKernels k_kernels{"avx2", subtract_products, multiply, add_outer_product, combine_columns};

}  // namespace avx2_machine
#pragma GCC pop_options
#endif

const BlockKernels& plain_kernels() {
  return plain_machine::k_kernels;
}

const BlockKernels& block_kernels() {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return avx2_machine::k_kernels;
#endif
  return plain_machine::k_kernels;
}

}  // namespace delassus
