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

// The node of every cell: bodies are nodes, a joint belongs to the node of its body, or is one when no body
// has room for it.
std::vector<int> tie_joints(const CellGraph& graph, int& num_nodes) {
  const int bodies = graph.num_bodies, count = static_cast<int>(graph.sizes.size());
  std::vector<int> node(count, -1), joints_left(bodies, 0);
  std::iota(node.begin(), node.begin() + bodies, 0);
  std::set<std::pair<int, int>> queue;  // (joints left, body)
  for (int b = 0; b < bodies; ++b) {
    for (int other : graph.neighbours[b]) joints_left[b] += other >= bodies ? 1 : 0;
    queue.emplace(joints_left[b], b);
  }
  while (!queue.empty()) {
    const int body = queue.begin()->second;
    queue.erase(queue.begin());
    int room = graph.sizes[body];
    for (int joint : graph.neighbours[body]) {
      if (joint < bodies || node[joint] >= 0 || graph.sizes[joint] > room) continue;
      node[joint] = body;
      room -= graph.sizes[joint];
      for (int other : graph.neighbours[joint])
        if (other < bodies && queue.erase({joints_left[other], other}) > 0)
          queue.emplace(--joints_left[other], other);
    }
  }
  num_nodes = bodies;
  for (int cell = bodies; cell < count; ++cell)
    if (node[cell] < 0) node[cell] = num_nodes++;
  return node;
}

// Cells by the nodes they belong to, the first `num_ordered` nodes by approximate minimum degree, the others behind them.
std::vector<int> order_nodes(const CellGraph& graph, const std::vector<int>& node, int num_nodes,
                             int num_ordered) {
  std::vector<std::vector<int>> members(num_nodes);  // velocities before multipliers
  for (int cell = 0; cell < static_cast<int>(node.size()); ++cell) members[node[cell]].push_back(cell);
  std::vector<int> node_starts{0}, node_rows;
  for (int i = 0; i < num_ordered; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(node_rows.size());
    for (int cell : members[i])
      for (int other : graph.neighbours[cell])
        if (node[other] != i && node[other] < num_ordered) node_rows.push_back(node[other]);
    std::sort(node_rows.begin() + begin, node_rows.end());
    node_rows.erase(std::unique(node_rows.begin() + begin, node_rows.end()), node_rows.end());
    node_starts.push_back(static_cast<int>(node_rows.size()));
  }
  std::vector<int> node_order(num_nodes);
  std::iota(node_order.begin(), node_order.end(), 0);
  if (amd_order(num_ordered, node_starts.data(), node_rows.data(), node_order.data(), nullptr, nullptr) < 0)
    std::iota(node_order.begin(), node_order.end(), 0);
  std::vector<int> order;
  order.reserve(node.size());
  for (int i : node_order) order.insert(order.end(), members[i].begin(), members[i].end());
  return order;
}

}  // namespace

std::vector<int> order_saddle_point(int nv, const std::vector<int>& starts, const std::vector<int>& row_of) {
  if (starts.size() <= 1) return {};
  const Runs runs = find_runs(nv, starts, row_of);
  CellGraph graph{
      .sizes = {}, .num_bodies = runs.num_bodies, .neighbours = find_neighbours(runs, starts, row_of)};
  for (int run = 0; run < runs.count(); ++run) graph.sizes.push_back(runs.size(run));
  int num_nodes = 0;
  const std::vector<int> node = tie_joints(graph, num_nodes);
  std::vector<int> order;
  order.reserve(runs.run_of.size());
  for (int run : order_nodes(graph, node, num_nodes, num_nodes))
    for (int k = runs.first[run]; k < runs.first[run + 1]; ++k) order.push_back(k);
  return order;
}

std::vector<int> order_cells(const CellGraph& graph) {
  int num_nodes = 0;
  const std::vector<int> node = tie_joints(graph, num_nodes);
  return order_nodes(graph, node, num_nodes, graph.num_bodies);
}

}  // namespace delassus
