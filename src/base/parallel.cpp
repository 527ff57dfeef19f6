// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// By oneTBB. One arena serves the whole process; its threads sleep while there is nothing to do.
#include "delassus/base/parallel.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "delassus/base/error.hpp"

namespace delassus {
namespace {

struct Pool {
  explicit Pool(int threads) : arena(threads) {
    // Left alone, TBB has no more threads than the machine, whatever an arena asks for.
    if (threads > tbb::info::default_concurrency())
      control.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
  std::optional<tbb::global_control> control;
  tbb::task_arena arena;
};

std::atomic<int> g_num_threads{1};

std::unique_ptr<Pool>& pool() {
  static std::unique_ptr<Pool> p;
  return p;
}

// This thread is within a body, and its number there.
thread_local bool t_in_body = false;
thread_local std::size_t t_slot = 0;

class InBody {
 public:
  explicit InBody(std::size_t slot) {
    t_in_body = true;
    t_slot = slot;
  }
  ~InBody() {
    t_in_body = false;
    t_slot = 0;
  }
  InBody(const InBody&) = delete;
  InBody& operator=(const InBody&) = delete;
};

#ifdef __SANITIZE_THREAD__
// TBB's binary is not made for the thread sanitizer, which does not see how it hands chunks from one thread to another and takes the
// memory of its tasks, on the stack of the caller, for a race with whatever comes to lie there next. So under the sanitizer
// chunks go to threads of the loop itself, which it understands: what it judges are the bodies.
template <class Chunk>
void for_each_chunk(std::size_t count, const Chunk& chunk) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t slot) {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        chunk(i, slot);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> others;
  for (int slot = 1; slot < num_threads(); ++slot) others.emplace_back(work, static_cast<std::size_t>(slot));
  work(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}
#else
template <class Chunk>
void for_each_chunk(std::size_t count, const Chunk& chunk) {
  pool()->arena.execute([&] {
    // Isolated: while it waits for its last chunk this thread takes nothing from the loops of others, which would find
    // its thread_local memory in use.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          std::size_t{0}, count,
          [&](std::size_t i) {
            chunk(i, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
          },
          tbb::simple_partitioner());
    });
  });
}
#endif

}  // namespace

void set_num_threads(int n) {
  if (n < 1 || n > k_max_threads)
    throw InputError(
        fmt::format("{} threads are not possible; allowed: 1 to {}, of which this machine runs {} at once", n,
                    k_max_threads, hardware_threads()));
  if (n == g_num_threads) return;
  pool() = n > 1 ? std::make_unique<Pool>(n) : nullptr;
  g_num_threads = n;
}

int num_threads() {
  return g_num_threads.load(std::memory_order_relaxed);
}

int hardware_threads() {
  return tbb::info::default_concurrency();
}

std::size_t thread_slot() {
  return t_slot;
}

namespace detail {

void run_chunks(std::size_t count, std::size_t grain, ChunkCall call, const void* body) {
  if (t_in_body) return call(body, 0, count);
  for_each_chunk(num_chunks(count, grain), [&](std::size_t chunk, std::size_t slot) {
    const InBody guard(slot);
    call(body, chunk * grain, std::min(count, (chunk + 1) * grain));
  });
}

}  // namespace detail
}  // namespace delassus
