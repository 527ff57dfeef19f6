// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts every allocation, also those of Eigen, which calls malloc and not operator new. Replaces malloc: include it in one file of
// an executable of its own. Not with the address sanitizer, which has its own; then DELASSUS_COUNTS_ALLOCATIONS is not defined.
#pragma once
#include <atomic>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define DELASSUS_COUNTS_ALLOCATIONS 1

inline std::atomic<long> allocation_count{0};

extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_realloc(void* memory, size_t size);
extern "C" void* malloc(size_t size) noexcept {
  ++allocation_count;
  return __libc_malloc(size);
}
extern "C" void* realloc(void* memory, size_t size) noexcept {
  ++allocation_count;
  return __libc_realloc(memory, size);
}
#endif
