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

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

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

// TBB promises that a chunk sees what was written before the loop, and the caller what the chunks wrote. Its binary is not made for the
// thread sanitizer, which is told of both here and would otherwise take every loop for a race.
class Loop {
 public:
#ifdef __SANITIZE_THREAD__
  Loop() {
    __tsan_release(&begin_);
  }
  ~Loop() {
    __tsan_acquire(&end_);
  }
  void begin_chunk() {
    __tsan_acquire(&begin_);
  }
  void end_chunk() {
    __tsan_release(&end_);
  }

 private:
  char begin_ = 0, end_ = 0;
#else
  void begin_chunk() {}
  void end_chunk() {}
#endif
};

// This thread is within a body, and its number there.
thread_local bool t_in_body = false;
thread_local std::size_t t_slot = 0;

class InBody {
 public:
  explicit InBody(Loop& loop) : loop_(loop) {
    loop_.begin_chunk();
    t_in_body = true;
    t_slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
  }
  ~InBody() {
    t_in_body = false;
    t_slot = 0;
    loop_.end_chunk();
  }
  InBody(const InBody&) = delete;
  InBody& operator=(const InBody&) = delete;

 private:
  Loop& loop_;
};

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
  Loop loop;
  pool()->arena.execute([&] {
    // Isolated: while it waits for its last chunk this thread takes nothing from the loops of others, which would find
    // its thread_local memory in use.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          std::size_t{0}, num_chunks(count, grain),
          [&](std::size_t chunk) {
            const InBody guard(loop);
            call(body, chunk * grain, std::min(count, (chunk + 1) * grain));
          },
          tbb::simple_partitioner());
    });
  });
}

}  // namespace detail
}  // namespace delassus
