// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/force_core.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace delassus {
namespace {

// Of the rows of a contact in the velocities of a body, beside the largest of them: nearer to dependent they determine no
// impulse [-].
constexpr double k_independent = 1e-6;
// Columns beyond which a dense factorisation is no quick look any more.
constexpr int k_most_columns = 128;

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

bool ForceCore::independent(const ContactMatrix& W, std::span<const Face> faces) {
  face_of_.assign(static_cast<std::size_t>(W.num_contacts()), -1);
  first_.clear();
  int columns = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    face_of_[faces[i].contact] = static_cast<int>(i);
    first_.push_back(columns);
    columns += static_cast<int>(span_face(faces[i]).cols());
  }
  if (columns == 0 || columns > k_most_columns) return false;
  entries_.resize(static_cast<std::size_t>(k_most_columns * k_most_columns));
  Eigen::Map<Matrix> S(entries_.data(), columns, columns);
  S.setZero();
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const int c = faces[i].contact;
    const ContactBlock left = span_face(faces[i]);
    for (int e = W.row_begin(c); e < W.row_end(c); ++e) {
      const int j = face_of_[W.column(e)];
      if (j < 0) continue;
      const ContactBlock right = span_face(faces[static_cast<std::size_t>(j)]);
      const ContactBlock product = W.block(c, e).lazyProduct(right);
      S.block(first_[i], first_[j], left.cols(), right.cols()) = left.transpose().lazyProduct(product);
    }
  }
  // Cholesky's method on the symmetric part, each column measured by its own size.
  for (int j = 0; j < columns; ++j) {
    const double own = S(j, j);
    if (!(own > 0)) return false;
    for (int i = 0; i < columns; ++i) S(j, i) = S(i, j) = 0.5 * (S(i, j) + S(j, i));
  }
  for (int j = 0; j < columns; ++j) {
    const double own = S(j, j);
    const double pivot = own - S.row(j).head(j).squaredNorm();
    if (!(pivot > k_independent * own)) return false;
    S(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < columns; ++i)
      S(i, j) = (S(i, j) - S.row(i).head(j).dot(S.row(j).head(j))) / S(j, j);
  }
  return true;
}

}  // namespace delassus
