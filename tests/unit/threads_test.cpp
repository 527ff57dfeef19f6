// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts of large clouds of shapes: the same bits for any number of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <thread>

#include "delassus/base/parallel.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "tests/support/cloud.hpp"

namespace delassus::threads_test {
namespace {

// A slow step, and one in which bodies move by more than their envelopes and are followed along their way.
constexpr double k_slow = 1e-3, k_fast = 0.02;

void append_bits(const Vector& x, std::vector<std::uint64_t>& out) {
  for (double value : x) out.push_back(std::bit_cast<std::uint64_t>(value));
}

// All that collision and contacts say at the start, and a little later.
std::vector<std::uint64_t> contact_bits(const MultibodySystem& system, std::initializer_list<double> steps) {
  std::vector<std::uint64_t> out;
  const State state = system.initial_state();
  Vector q = state.q, moved, bias;
  for (double h : steps) {
    const Configuration at = system.configuration(0, q);
    const ContactSet found = system.contacts_within(h, 0, q, state.v);
    EXPECT_TRUE(std::is_sorted(found.ids.begin(), found.ids.end()));
    out.insert(out.end(), found.ids.begin(), found.ids.end());
    const ContactRows& rows = found.rows;
    system.contact_bias(found, at, state.v, bias);
    append_bits(found.gaps, out);
    append_bits(found.margins, out);
    append_bits(bias, out);
    // What the narrow phase finds is what an evaluation gives.
    const ContactSet again = system.contacts_of(found.ids, 0, q, state.v);
    EXPECT_EQ(again.gaps, found.gaps);
    // Of contacts on the way only, which lie below a surface here, the search knows that they do not touch.
    for (Eigen::Index c = 0; c < found.margins.size(); ++c)
      if (std::isfinite(found.margins[c]) || found.gaps[c] >= 0) {
        EXPECT_EQ(again.margins[c], found.margins[c]);
      }
    EXPECT_EQ(again.u, found.u);
    EXPECT_TRUE(again.rows.rows == found.rows.rows);
    append_bits(rows.drift_velocity, out);
    for (int g = 0; g < rows.rows.num_groups(); ++g)
      for (int b = 0; b < rows.rows.num_blocks(g); ++b) {
        out.push_back(static_cast<std::uint64_t>(rows.rows.block_column(g, b)));
        append_bits(rows.rows.block(g, b).reshaped(), out);
      }
    for (const ContactSurface& surface : rows.surfaces)
      out.push_back(std::bit_cast<std::uint64_t>(surface.friction));
    std::vector<std::size_t> all(found.size());
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = c;
    out.push_back(std::bit_cast<std::uint64_t>(system.contact_step_limit(found, all, at, state.v, h)));
    system.retract(q, h * state.v, moved);
    q = moved;
  }
  for (const CollisionWorld::Overlap& overlap : system.overlaps(0, q, 0)) {
    out.push_back(static_cast<std::uint64_t>(overlap.shape_a) << 32 |
                  static_cast<std::uint64_t>(overlap.shape_b));
    out.push_back(std::bit_cast<std::uint64_t>(overlap.depth));
    append_bits(overlap.normal, out);
  }
  return out;
}

class Threads : public ::testing::Test {
 protected:
  ~Threads() override { set_num_threads(1); }
};

void expect_same_bits(const MultibodySystem& system, std::initializer_list<double> steps) {
  set_num_threads(1);
  const std::vector<std::uint64_t> one = contact_bits(system, steps);
  ASSERT_GT(one.size(), 10'000U);
  for (int threads : {2, 4}) {
    set_num_threads(threads);
    const std::vector<std::uint64_t> many = contact_bits(system, steps);
    ASSERT_EQ(many.size(), one.size()) << threads << " threads";
    EXPECT_TRUE(many == one) << threads << " threads";
  }
}

TEST_F(Threads, ContactsHaveTheSameBitsForAnyNumber) {
  expect_same_bits(MultibodySystem(testing::make_cloud(2000, 1)), {k_slow});
}

TEST_F(Threads, SweepsHaveTheSameBitsForAnyNumber) {
  expect_same_bits(MultibodySystem(testing::make_cloud(200, 2)), {k_slow, k_fast});
}

// Functions of the user's need not be safe for threads: they are called on the thread that asked.
TEST_F(Threads, FunctionsOfTheUserAreCalledByTheCallersThread) {
  Model model = testing::make_cloud(200, 3);
  static std::thread::id caller;
  static std::atomic<int> elsewhere, calls;
  caller = std::this_thread::get_id();
  elsewhere = calls = 0;
  const auto height = [](double t) {
    ++calls;
    if (std::this_thread::get_id() != caller) ++elsewhere;
    return 0.1 * std::sin(t);
  };
  model.bodies[0].kind = BodyKind::kinematic;
  model.bodies[0].motion.position[0] = constant_law(0);
  model.bodies[0].motion.position[1] = constant_law(0);
  model.bodies[0].motion.position[2] = time_law_from_function(height);
  const MultibodySystem system(model);
  set_num_threads(4);
  contact_bits(system, {k_slow});
  EXPECT_GT(calls, 0);
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace delassus::threads_test
