// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract of parallel_for: chunks, order, exceptions, loops within loops.
#include "delassus/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "delassus/base/error.hpp"

namespace delassus::parallel_test {
namespace {

class Parallel : public ::testing::Test {
 protected:
  ~Parallel() override { set_num_threads(1); }
};

TEST_F(Parallel, StartsWithOneThread) {
  EXPECT_EQ(num_threads(), 1);
  EXPECT_GE(hardware_threads(), 1);
}

TEST_F(Parallel, RefusesNumbersThatMakeNoSense) {
  for (int n : {0, -1, k_max_threads + 1, -2147483647}) EXPECT_THROW(set_num_threads(n), InputError) << n;
  EXPECT_EQ(num_threads(), 1);
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
}

TEST_F(Parallel, ReachesEveryItemOnceInChunksOfTheGrain) {
  for (int threads : {1, 2, 4}) {
    set_num_threads(threads);
    for (std::size_t count : {0, 1, 7, 8, 9, 1000})
      for (std::size_t grain : {1, 8, 300}) {
        std::vector<int> visits(count, 0);
        std::atomic<std::size_t> calls{0};
        std::atomic<bool> borders{true};
        parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
          ++calls;
          if (begin % grain != 0 || begin >= end || end > count) borders = false;
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_EQ(visits, std::vector<int>(count, 1)) << count << " by " << grain;
        EXPECT_TRUE(borders);
        const std::size_t expected =
            threads == 1 ? std::min<std::size_t>(count, 1) : num_chunks(count, grain);
        EXPECT_EQ(calls, expected) << count << " by " << grain << ", threads: " << threads;
      }
  }
}

TEST_F(Parallel, OneThreadIsTheCallers) {
  parallel_for(100, 1, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(std::pair(begin, end), std::pair(std::size_t{0}, std::size_t{100}));
  });
  // And one chunk, with any number of threads.
  set_num_threads(4);
  const std::thread::id caller = std::this_thread::get_id();
  for (int k = 0; k < 100; ++k)
    parallel_for(8, 8, [&](std::size_t, std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

// A chunk waits for another one, which only another thread can begin. Also with more threads than the machine has.
TEST_F(Parallel, ThreadsWorkAtOnce) {
  for (int threads : {2, 4}) {
    set_num_threads(threads);
    std::atomic<int> inside{0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    parallel_for(static_cast<std::size_t>(threads), 1, [&](std::size_t, std::size_t) {
      ++inside;
      while (inside < threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    EXPECT_EQ(inside, threads);
    EXPECT_LT(std::chrono::steady_clock::now(), deadline);
  }
}

TEST_F(Parallel, ExceptionsReachTheCaller) {
  for (int threads : {1, 4}) {
    set_num_threads(threads);
    const auto loop = [&] {
      parallel_for(100, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          if (i == 37) throw InputError("item 37");
      });
    };
    EXPECT_THROW(loop(), InputError);
    // And the next loop is as good as ever.
    std::atomic<int> items{0};
    parallel_for(100, 1, [&](std::size_t begin, std::size_t end) { items += static_cast<int>(end - begin); });
    EXPECT_EQ(items, 100);
  }
}

TEST_F(Parallel, LoopsWithinALoopRunInPlace) {
  set_num_threads(4);
  std::atomic<int> items{0};
  parallel_for(50, 1, [&](std::size_t, std::size_t) {
    const std::thread::id outer = std::this_thread::get_id();
    parallel_for(10, 1, [&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      items += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(items, 500);
}

// Memory one a thread: nobody else is in it, and there is no more of it than threads.
TEST_F(Parallel, SlotsAreOfOneThreadAtATime) {
  EXPECT_EQ(thread_slot(), 0U);
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    std::vector<std::atomic<int>> inside(static_cast<std::size_t>(threads));
    std::atomic<int> shared{0}, outside{0};
    for (int k = 0; k < 50; ++k)
      parallel_for(200, 1, [&](std::size_t, std::size_t) {
        const std::size_t slot = thread_slot();
        if (slot >= inside.size()) {
          ++outside;
          return;
        }
        if (++inside[slot] > 1) ++shared;
        parallel_for(3, 1, [&](std::size_t, std::size_t) { EXPECT_EQ(thread_slot(), slot); });
        --inside[slot];
      });
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(outside, 0);
    EXPECT_EQ(thread_slot(), 0U);
  }
}

// Two threads of the user's with loops of their own: a thread that waits takes no work of the other's loop, which may
// use the same thread_local memory.
TEST_F(Parallel, LoopsOfSeveralCallersDoNotMix) {
  set_num_threads(3);
  std::atomic<int> mixed{0};
  const auto work = [&](int caller) {
    thread_local int under_way = 0;
    for (int k = 0; k < 200; ++k) {
      under_way = caller;
      int* const mine = &under_way;
      parallel_for(20, 1, [&, mine](std::size_t, std::size_t) {
        if (&under_way == mine && *mine != caller) ++mixed;
      });
      if (under_way != caller) ++mixed;
    }
  };
  std::thread first(work, 1), second(work, 2);
  first.join();
  second.join();
  EXPECT_EQ(mixed, 0);
}

}  // namespace
}  // namespace delassus::parallel_test
