// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/convex_polygon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace delassus {
namespace {

// Corners that stick out by less than this part of the size, and an origin that lies as near to a side, are none [-].
constexpr double k_smallest = 1e-9;

double angle_of(const Eigen::Vector2d& corner) {
  return std::atan2(corner.y(), corner.x());
}

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

}  // namespace

// The same polygon has the same first corner, wherever it comes from.
ConvexPolygon::ConvexPolygon(std::vector<Eigen::Vector2d> corners) : corners_(std::move(corners)) {
  const auto first = std::min_element(corners_.begin(), corners_.end(),
                                      [](const auto& a, const auto& b) { return angle_of(a) < angle_of(b); });
  std::rotate(corners_.begin(), first, corners_.end());
  for (std::size_t k = 0; k < corners_.size(); ++k) {
    const Eigen::Vector2d &a = corners_[k], &b = corners_[(k + 1) % corners_.size()];
    const Eigen::Vector2d outward(b.y() - a.y(), a.x() - b.x());
    facets_.push_back(outward / outward.dot(a));
  }
}

std::string ConvexPolygon::make(const std::vector<Eigen::Vector2d>& corners, ConvexPolygon& out) {
  const std::size_t n = corners.size();
  if (n < 3) return fmt::format("it has {} corners; allowed: 3 or more", n);
  double size = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (!corners[k].allFinite()) return fmt::format("corner {} is not finite", k);
    size = std::max(size, corners[k].norm());
  }
  // Seen from the origin, which must be inside, they follow each other around.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(angle_of(corners[a]), a) < std::pair(angle_of(corners[b]), b);
  });
  std::vector<Eigen::Vector2d> sorted;
  for (const std::size_t k : order) sorted.push_back(corners[k]);
  const double smallest = k_smallest * size * size;
  for (std::size_t k = 0; k < n; ++k)
    if (!(cross(sorted[k], sorted[(k + 1) % n]) > smallest))
      return "the origin is not inside of it: a contact must be able to do without friction";
  for (std::size_t k = 0; k < n; ++k) {
    const Eigen::Vector2d &a = sorted[k], &b = sorted[(k + 1) % n], &c = sorted[(k + 2) % n];
    if (!(cross(b - a, c - b) > smallest))
      return fmt::format(
          "corner {} ([{}, {}]) is none: it lies on a side, or the polygon is not convex there",
          order[(k + 1) % n], b.x(), b.y());
  }
  out = ConvexPolygon(std::move(sorted));
  return {};
}

double ConvexPolygon::support(const Eigen::Vector2d& x) const {
  double support = 0;
  // NaN stays.
  for (const Eigen::Vector2d& corner : corners_)
    if (!(corner.dot(x) <= support)) support = corner.dot(x);
  return support;
}

double ConvexPolygon::gauge(const Eigen::Vector2d& x) const {
  double gauge = 0;
  for (const Eigen::Vector2d& facet : facets_)
    if (!(facet.dot(x) <= gauge)) gauge = facet.dot(x);
  return gauge;
}

double ConvexPolygon::inner_radius() const {
  double largest = 0;
  for (const Eigen::Vector2d& facet : facets_) largest = std::max(largest, facet.norm());
  return 1 / largest;
}

double ConvexPolygon::outer_radius() const {
  double largest = 0;
  for (const Eigen::Vector2d& corner : corners_) largest = std::max(largest, corner.norm());
  return largest;
}

ConvexPolygon ConvexPolygon::turned() const {
  std::vector<Eigen::Vector2d> corners;
  for (const Eigen::Vector2d& corner : corners_) corners.emplace_back(-corner);
  return ConvexPolygon(std::move(corners));
}

ConvexPolygon ConvexPolygon::mirrored() const {
  std::vector<Eigen::Vector2d> corners;
  for (auto corner = corners_.rbegin(); corner != corners_.rend(); ++corner)
    corners.emplace_back(corner->x(), -corner->y());
  return ConvexPolygon(std::move(corners));
}

}  // namespace delassus
