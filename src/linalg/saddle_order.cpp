// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/saddle_order.hpp"

#include <suitesparse/amd.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace delassus {
namespace {

// Runs of consecutive unknowns: bodies first, then joints. A body is what the same joints hold, also where its mass
// matrix falls into blocks: a joint needs room in all of it.
struct Runs {
  std::vector<int> first;  // one more than runs
  std::vector<int> run_of;
  int num_bodies = 0;

  int count() const { return static_cast<int>(first.size()) - 1; }
  int size(int run) const { return first[run + 1] - first[run]; }
};

Runs find_runs(int nv, const std::vector<int>& starts, const std::vector<int>& row_of) {
  const int n = static_cast<int>(starts.size()) - 1;
  // Multipliers are compared without their own diagonal entry, the only one behind the velocities; velocities by
  // their multipliers, or as a whole where they have none.
  const auto same_pattern = [&](int i, int j) {
    const auto begin = [&](int column) { return row_of.begin() + starts[column]; };
    const auto end = [&](int column) { return row_of.begin() + starts[column + 1]; };
    const auto joints = [&](int column) { return std::lower_bound(begin(column), end(column), nv); };
    if (i >= nv) return std::equal(begin(i), joints(i), begin(j), joints(j));
    const bool held = joints(i) != end(i);
    return held ? std::equal(joints(i), end(i), joints(j), end(j))
                : std::equal(begin(i), end(i), begin(j), end(j));
  };
  Runs runs;
  runs.run_of.resize(n);
  for (int i = 0; i < n; ++i) {
    if (i == 0 || i == nv || !same_pattern(i - 1, i)) runs.first.push_back(i);
    runs.run_of[i] = static_cast<int>(runs.first.size()) - 1;
    if (i < nv) runs.num_bodies = static_cast<int>(runs.first.size());
  }
  runs.first.push_back(n);
  return runs;
}

// Runs that a run touches, itself left out, ascending.
std::vector<std::vector<int>> find_neighbours(const Runs& runs, const std::vector<int>& starts,
                                              const std::vector<int>& row_of) {
  std::vector<std::vector<int>> out(runs.count());
  for (int run = 0; run < runs.count(); ++run) {
    std::vector<int>& others = out[run];
    for (int k = starts[runs.first[run]]; k < starts[runs.first[run + 1]]; ++k) {
      const int other = runs.run_of[row_of[k]];
      if (other != run && (others.empty() || others.back() != other)) others.push_back(other);
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
  }
  return out;
}

// The node of every run: bodies are nodes, a joint belongs to the node of its body, or is one when no body
// has room for it.
std::vector<int> tie_joints(const Runs& runs, const std::vector<std::vector<int>>& neighbours,
                            int& num_nodes) {
  const int bodies = runs.num_bodies;
  std::vector<int> node(runs.count(), -1), joints_left(bodies, 0);
  std::iota(node.begin(), node.begin() + bodies, 0);
  std::set<std::pair<int, int>> queue;  // (joints left, body)
  for (int b = 0; b < bodies; ++b) {
    for (int other : neighbours[b]) joints_left[b] += other >= bodies ? 1 : 0;
    queue.emplace(joints_left[b], b);
  }
  while (!queue.empty()) {
    const int body = queue.begin()->second;
    queue.erase(queue.begin());
    int room = runs.size(body);
    for (int joint : neighbours[body]) {
      if (joint < bodies || node[joint] >= 0 || runs.size(joint) > room) continue;
      node[joint] = body;
      room -= runs.size(joint);
      for (int other : neighbours[joint])
        if (other < bodies && queue.erase({joints_left[other], other}) > 0)
          queue.emplace(--joints_left[other], other);
    }
  }
  num_nodes = bodies;
  for (int run = bodies; run < runs.count(); ++run)
    if (node[run] < 0) node[run] = num_nodes++;
  return node;
}

}  // namespace

std::vector<int> order_saddle_point(int nv, const std::vector<int>& starts, const std::vector<int>& row_of) {
  if (starts.size() <= 1) return {};
  const Runs runs = find_runs(nv, starts, row_of);
  const std::vector<std::vector<int>> neighbours = find_neighbours(runs, starts, row_of);
  int num_nodes = 0;
  const std::vector<int> node = tie_joints(runs, neighbours, num_nodes);

  std::vector<std::vector<int>> members(num_nodes);  // velocities before multipliers
  for (int run = 0; run < runs.count(); ++run) members[node[run]].push_back(run);
  std::vector<int> node_starts{0}, node_rows;
  for (int i = 0; i < num_nodes; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(node_rows.size());
    for (int run : members[i])
      for (int other : neighbours[run])
        if (node[other] != i) node_rows.push_back(node[other]);
    std::sort(node_rows.begin() + begin, node_rows.end());
    node_rows.erase(std::unique(node_rows.begin() + begin, node_rows.end()), node_rows.end());
    node_starts.push_back(static_cast<int>(node_rows.size()));
  }
  std::vector<int> node_order(num_nodes);
  if (amd_order(num_nodes, node_starts.data(), node_rows.data(), node_order.data(), nullptr, nullptr) < 0)
    std::iota(node_order.begin(), node_order.end(), 0);

  std::vector<int> order;
  order.reserve(runs.run_of.size());
  for (int i : node_order)
    for (int run : members[i])
      for (int k = runs.first[run]; k < runs.first[run + 1]; ++k) order.push_back(k);
  return order;
}

}  // namespace delassus
