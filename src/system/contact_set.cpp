// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/contact_set.hpp"

#include <algorithm>

namespace delassus {
namespace {

// Contact `from` of `source` becomes the next one of `out`, whose vectors have their sizes already.
void append(const ContactSet& source, std::size_t from, ContactSet& out) {
  const std::size_t to = out.ids.size();
  const auto group = static_cast<int>(from);
  out.ids.push_back(source.ids[from]);
  out.gaps[static_cast<Eigen::Index>(to)] = source.gaps[static_cast<Eigen::Index>(from)];
  out.margins[static_cast<Eigen::Index>(to)] = source.margins[static_cast<Eigen::Index>(from)];
  out.rows.rows.add_group(source.rows.rows, group, source.num_rows(from));
  out.rows.surfaces.push_back(source.rows.surfaces[from]);
  out.places.push_back(source.places[from]);
  const int rows = source.num_rows(from);
  out.rows.drift_velocity.segment(out.first_row(to), rows) =
      source.rows.drift_velocity.segment(source.first_row(from), rows);
}

// No contacts yet, room for so many. Vectors of the size they had allocate nothing.
void start(const ContactSet& like, std::size_t contacts, Eigen::Index rows, ContactSet& out) {
  out.t = like.t;
  out.q = like.q;
  out.ids.clear();
  out.places.clear();
  out.rows.surfaces.clear();
  out.rows.rows.clear(like.rows.rows.columns());
  out.gaps.resize(static_cast<Eigen::Index>(contacts));
  out.margins.resize(static_cast<Eigen::Index>(contacts));
  out.rows.drift_velocity.resize(rows);
}

}  // namespace

Vector3 ContactSet::velocity(std::size_t c) const {
  const int known = std::min(num_rows(c), 3);
  Vector3 out = Vector3::Zero();
  out.head(known) = u.segment(first_row(c), known);
  out[2] /= rows.surfaces[c].tangent_ratio;
  return out;
}

void ContactSet::update_velocities(const VectorRef& v) {
  rows.rows.multiply(v, u);
  u += rows.drift_velocity;
}

bool ContactSet::is_at(double t_other, const VectorRef& q_other) const {
  return t == t_other && q.size() == q_other.size() && q == q_other;
}

std::size_t ContactSet::find(ContactId id) const {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  return at != ids.end() && *at == id ? static_cast<std::size_t>(at - ids.begin()) : ids.size();
}

void ContactSet::select(const ContactSet& all, std::span<const std::size_t> some) {
  Eigen::Index num = 0;
  for (std::size_t c : some) num += all.num_rows(c);
  start(all, some.size(), num, *this);
  for (std::size_t c : some) append(all, c, *this);
  u.resize(num);
  if (all.u.size() != all.rows.rows.rows()) return;
  for (std::size_t i = 0; i < some.size(); ++i)
    u.segment(first_row(i), num_rows(i)) = all.u.segment(all.first_row(some[i]), num_rows(i));
}

void ContactSet::copy_from(const ContactSet& other, std::size_t from, std::size_t to) {
  gaps[static_cast<Eigen::Index>(to)] = other.gaps[static_cast<Eigen::Index>(from)];
  margins[static_cast<Eigen::Index>(to)] = other.margins[static_cast<Eigen::Index>(from)];
  rows.surfaces[to] = other.rows.surfaces[from];
  places[to] = other.places[from];
  rows.drift_velocity.segment(first_row(to), num_rows(to)) =
      other.rows.drift_velocity.segment(other.first_row(from), num_rows(to));
  for (int b = 0; b < rows.rows.num_blocks(static_cast<int>(to)); ++b)
    rows.rows.block(static_cast<int>(to), b) = other.rows.rows.block(static_cast<int>(from), b);
}

void ContactSet::merge(const ContactSet& a, const ContactSet& b) {
  start(a, a.size() + b.size(), a.rows.rows.rows() + b.rows.rows.rows(), *this);
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool from_a = j == b.size() || (i < a.size() && a.ids[i] < b.ids[j]);
    if (from_a)
      append(a, i++, *this);
    else
      append(b, j++, *this);
  }
}

}  // namespace delassus
