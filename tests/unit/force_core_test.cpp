// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "delassus/problems/force_core.hpp"

namespace delassus::force_core_test {
namespace {

// Contacts of rigid bodies with 6 velocities each; body -1 is the ground.
struct Heap {
  BlockRows H;
  std::vector<int> contacts;
  std::vector<char> held;

  explicit Heap(int bodies) : held(static_cast<std::size_t>(6 * bodies), 0) { H.clear(6 * bodies); }
  void touch(int a, int b, const Vector3& arm) {
    contacts.push_back(H.add_group(3));
    for (int body : {a, b}) {
      if (body < 0) continue;
      auto block = H.add_block(6 * body, 6);
      block.setZero();
      block.leftCols<3>().setIdentity();
      for (int k = 0; k < 3; ++k) block.row(k).tail<3>() = arm.cross(Vector3::Unit(k));
    }
  }
  std::vector<int> core() {
    ForceCore core;
    const std::span<const int> found = core.find(H, contacts, held);
    return {found.begin(), found.end()};
  }
};

TEST(ForceCore, ChainsAreKnown) {
  Heap heap(3);
  heap.touch(-1, 0, {0, -1, 0});
  heap.touch(0, 1, {0, 1, 0});
  heap.touch(1, 2, {0, 1, 0});
  EXPECT_TRUE(heap.core().empty());
}

TEST(ForceCore, FeetOfATableShareItsLoad) {
  Heap heap(2);
  heap.touch(-1, 0, {1, -1, 0});
  heap.touch(-1, 0, {-1, -1, 0});
  heap.touch(0, 1, {0, 1, 0});  // a ball on it
  EXPECT_EQ(heap.core(), (std::vector<int>{0, 1}));
}

TEST(ForceCore, RingsAreLeft) {
  Heap heap(4);
  heap.touch(0, 1, {1, 0, 0});
  heap.touch(1, 2, {0, 1, 0});
  heap.touch(2, 0, {0, 0, 1});
  heap.touch(2, 3, {0, 0, -1});
  EXPECT_EQ(heap.core(), (std::vector<int>{0, 1, 2}));
}

TEST(ForceCore, WhatJointsHoldIsLeft) {
  Heap heap(2);
  heap.touch(-1, 0, {0, -1, 0});
  heap.touch(0, 1, {0, 1, 0});
  heap.held[9] = 1;  // a joint of body 1
  EXPECT_EQ(heap.core(), (std::vector<int>{0, 1}));
  heap.held[9] = 0;
  EXPECT_TRUE(heap.core().empty());
}

// A body that turns about an axis only: three components of an impulse are not known from one angular momentum.
TEST(ForceCore, DependentRowsAreLeft) {
  Heap heap(1);
  heap.contacts.push_back(heap.H.add_group(3));
  auto block = heap.H.add_block(0, 6);
  block.setZero();
  block.col(5).setOnes();
  EXPECT_EQ(heap.core(), (std::vector<int>{0}));
}

}  // namespace
}  // namespace delassus::force_core_test
