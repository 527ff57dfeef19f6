// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A joint has pivots only after the velocities that it is tied to: all six of a body, also where the mass matrix of the
// body falls into two blocks.
#include "delassus/linalg/saddle_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace delassus::saddle_order_test {
namespace {

// A chain of bodies (velocities in blocks of `block`) from the world, with joints of five rows.
struct Chain {
  Chain(int bodies, int block) : n(bodies), nv(6 * bodies) {
    std::vector<std::vector<int>> columns(static_cast<std::size_t>(11 * n));
    const auto connect = [&](int i, int j) {
      columns[static_cast<std::size_t>(i)].push_back(j);
      if (i != j) columns[static_cast<std::size_t>(j)].push_back(i);
    };
    for (int i = 0; i < nv; ++i)
      for (int j = i; j < nv && j / block == i / block; ++j) connect(i, j);
    for (int k = 0; k < n; ++k)
      for (int row = 0; row < 5; ++row) {
        const int joint = nv + 5 * k + row;
        connect(joint, joint);
        for (int body : {k - 1, k})
          for (int i = 0; i < 6 && body >= 0; ++i) connect(6 * body + i, joint);
      }
    for (std::vector<int>& column : columns) {
      std::sort(column.begin(), column.end());
      row_of.insert(row_of.end(), column.begin(), column.end());
      starts.push_back(static_cast<int>(row_of.size()));
    }
  }
  int n, nv;
  std::vector<int> starts{0}, row_of;
};

TEST(SaddleOrder, JointsComeAfterAWholeBody) {
  for (int block : {3, 6})
    for (int bodies : {1, 2, 7, 40}) {
      const Chain chain(bodies, block);
      const std::vector<int> order = order_saddle_point(chain.nv, chain.starts, chain.row_of);
      ASSERT_EQ(order.size(), static_cast<std::size_t>(11 * bodies));
      std::vector<int> place(order.size(), -1);
      for (std::size_t k = 0; k < order.size(); ++k)
        place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
      ASSERT_EQ(std::count(place.begin(), place.end(), -1), 0) << "not a permutation";
      for (int k = 0; k < bodies; ++k) {
        const auto first_row = place.begin() + chain.nv + 5 * k;
        const int joint = *std::min_element(first_row, first_row + 5);
        bool after = false;
        for (int body : {k - 1, k})
          if (body >= 0) {
            const auto velocities = place.begin() + 6 * body;
            after = after || *std::max_element(velocities, velocities + 6) < joint;
          }
        EXPECT_TRUE(after) << "joint " << k << " of " << bodies << ", blocks of " << block;
      }
    }
}

}  // namespace
}  // namespace delassus::saddle_order_test
