// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over independent items on several threads, with the same bits for any number of them.
//
//   items 0 … count − 1 in chunks [0, grain), [grain, 2 grain), …, the last one shorter                        (1)
//
// The contract of a body:
//   - it is called with begin < end, several consecutive chunks of (1) at once: one call for all of them where the loop
//     runs in place, one call a chunk elsewhere; begin is a multiple of the grain;
//   - what it computes for an item depends neither on the chunk nor on the thread;
//   - it writes to places of its own items, or of its chunk, begin / grain. What the chunks leave behind is put together by
//     the caller in ascending order, after the loop: no sums on the way, whose round-off would depend on who is first;
//   - it may use thread_local memory, also that of functions which the caller has under way only if these keep nothing in
//     it across the loop: the caller's thread takes part in the work, but in no other loop meanwhile;
//   - memory that is too large for every chunk, or that must outlive the loop, may be kept one a thread, under
//     thread_slot(); what it holds from other chunks may not change a result;
//   - loops within a body run in place.
// An exception of a body reaches the caller, after all chunks that have begun are done; of several exceptions any one.
//
// A loop of one chunk, and every loop with one thread, is a plain call: no thread is woken and nothing is allocated. Choose a
// grain of ten or more microseconds: handing out a chunk costs about one.
#pragma once
#include <cstddef>

namespace delassus {

// More than any machine of today has; what asks for more is a mistake.
inline constexpr int k_max_threads = 1024;

// Of this process, 1 at the start. Not while loops run. Throws InputError outside of 1 … k_max_threads.
void set_num_threads(int n);
int num_threads();
// That the machine runs at once.
int hardware_threads();

// Within a body: a number below num_threads() that no other thread has in this loop at the same time. 0 elsewhere.
std::size_t thread_slot();

namespace detail {
using ChunkCall = void (*)(const void* body, std::size_t begin, std::size_t end);
void run_chunks(std::size_t count, std::size_t grain, ChunkCall call, const void* body);
}  // namespace detail

// body(begin, end) for all items, `grain` ≥ 1.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, const Body& body) {
  if (count == 0) return;
  if (count <= grain || num_threads() == 1) return body(std::size_t{0}, count);
  detail::run_chunks(
      count, grain,
      [](const void* any, std::size_t begin, std::size_t end) {
        (*static_cast<const Body*>(any))(begin, end);
      },
      &body);
}

// Chunks of (1), for memory of their own.
inline std::size_t num_chunks(std::size_t count, std::size_t grain) {
  return (count + grain - 1) / grain;
}

}  // namespace delassus
