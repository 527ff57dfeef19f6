// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/force_core.hpp"

#include <Eigen/Cholesky>

namespace delassus {
namespace {

// Of the rows of a contact in the velocities of a body, beside the largest of them: nearer to dependent they determine no
// impulse [-].
constexpr double k_independent = 1e-6;

}  // namespace

// The rows of the contact in the velocities of this body are independent.
bool ForceCore::determines(const BlockRows& H, int contact, int column) const {
  for (int b = 0; b < H.num_blocks(contact); ++b) {
    if (H.block_column(contact, b) != column) continue;
    const auto block = H.block(contact, b);
    if (block.cols() < block.rows()) return false;
    ContactBlock gram = block.lazyProduct(block.transpose());
    const double largest = gram.diagonal().maxCoeff();
    gram.diagonal().array() -= k_independent * largest;
    return largest > 0 && gram.llt().info() == Eigen::Success;
  }
  return false;
}

std::span<const int> ForceCore::find(const BlockRows& H, std::span<const int> contacts,
                                     const std::vector<char>& held) {
  if (bodies_.size() < held.size()) bodies_.resize(held.size());
  const auto for_each_block = [&](const auto& visit) {
    for (std::size_t i = 0; i < contacts.size(); ++i)
      for (int b = 0; b < H.num_blocks(contacts[i]); ++b)
        visit(static_cast<unsigned>(i), H.block_column(contacts[i], b),
              static_cast<int>(H.block(contacts[i], b).cols()));
  };
  for_each_block([&](unsigned, int first, int size) {
    for (int v = first; v < first + size; ++v) bodies_[v] = {.first = first};
  });
  for_each_block([&](unsigned i, int first, int size) {
    bodies_[first].left += 1;
    bodies_[first].sum ^= i;
    // Joints take part of its momentum, or contacts see different parts of it.
    for (int v = first; v < first + size; ++v)
      if (held[v] || bodies_[v].first != first) bodies_[first].held = bodies_[bodies_[v].first].held = true;
  });
  known_.assign(contacts.size(), 0);
  single_.clear();
  for_each_block([&](unsigned, int first, int) {
    if (bodies_[first].left == 1) single_.push_back(first);
  });
  while (!single_.empty()) {
    const int column = single_.back();
    single_.pop_back();
    if (bodies_[column].left != 1 || bodies_[column].held) continue;
    const auto i = static_cast<std::size_t>(bodies_[column].sum);
    if (!determines(H, contacts[i], column)) continue;
    known_[i] = 1;
    for (int b = 0; b < H.num_blocks(contacts[i]); ++b) {
      const int other = H.block_column(contacts[i], b);
      Body& body = bodies_[other];
      body.left -= 1;
      body.sum ^= static_cast<unsigned>(i);
      if (body.left == 1) single_.push_back(other);
    }
  }
  core_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (!known_[i]) core_.push_back(contacts[i]);
  return core_;
}

}  // namespace delassus
