// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts with one normal: those inside of the polygon of the others go.
#include <algorithm>
#include <cmath>

#include "delassus/collision/contact_geometry.hpp"
#include "delassus/collision/manifold.hpp"

namespace delassus {
namespace {

// Normals that differ by less are one patch [rad].
constexpr double k_same_normal = 1e-6;
// Points that are nearer to a corner or an edge of the polygon than this fraction of the size lie on it.
constexpr double k_same_point = 1e-7;
// Contacts that lie outside of their features by more, as a fraction of the size, are none yet.
constexpr double k_border = 1e-8;
// Gaps that differ by less, as a fraction of the size, are equal.
constexpr double k_same_gap = 1e-9;

using Vector2 = Eigen::Vector2d;

double cross(const Vector2& a, const Vector2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

struct PatchPoint {
  Vector2 x;
  double gap = 0;
  int contact = 0;
};

// Corners of the convex hull, counter-clockwise from the lowest (x, then y, then gap, then order). Points within `near`
// of a corner or of a side are none.
void find_corners(double near, std::vector<PatchPoint>& points, std::vector<PatchPoint>& corners) {
  std::sort(points.begin(), points.end(), [](const PatchPoint& a, const PatchPoint& b) {
    return std::tuple(a.x.x(), a.x.y(), a.contact) < std::tuple(b.x.x(), b.x.y(), b.contact);
  });
  corners.clear();
  const auto turns_left = [&](const PatchPoint& a, const PatchPoint& b, const PatchPoint& c) {
    return cross(b.x - a.x, c.x - a.x) > near * (c.x - a.x).norm();
  };
  const auto half = [&](auto begin, auto end) {
    const std::size_t first = corners.size();
    for (auto p = begin; p != end; ++p) {
      while (corners.size() >= first + 2 && !turns_left(corners[corners.size() - 2], corners.back(), *p))
        corners.pop_back();
      corners.push_back(*p);
    }
    corners.pop_back();
  };
  half(points.begin(), points.end());
  half(points.rbegin(), points.rend());
}

// Gap of the corners at x, linearly between them; x lies within the polygon, up to round-off.
double gap_of_corners(const std::vector<PatchPoint>& corners, const Vector2& x) {
  const std::size_t n = corners.size();
  if (n == 1) return corners[0].gap;
  if (n == 2) {
    const Vector2 d = corners[1].x - corners[0].x;
    const double s = std::clamp(d.dot(x - corners[0].x) / d.squaredNorm(), 0.0, 1.0);
    return (1 - s) * corners[0].gap + s * corners[1].gap;
  }
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const Vector2 e1 = corners[i].x - corners[0].x, e2 = corners[i + 1].x - corners[0].x,
                  d = x - corners[0].x;
    const double area = cross(e1, e2), u = cross(d, e2) / area, v = cross(e1, d) / area;
    // The last triangle takes what round-off left over.
    if (i + 2 < n && (u < 0 || v < 0 || u + v > 1)) continue;
    return corners[0].gap + u * (corners[i].gap - corners[0].gap) + v * (corners[i + 1].gap - corners[0].gap);
  }
  return corners[0].gap;
}

}  // namespace

void reduce_contacts(double size, std::vector<ShapeContact>& contacts) {
  if (contacts.size() < 2) return;
  thread_local std::vector<PatchPoint> patch, unique, corners;
  thread_local std::vector<char> seen, dropped;
  seen.assign(contacts.size(), 0);
  dropped.assign(contacts.size(), 0);
  const double near = k_same_point * size;
  for (std::size_t first = 0; first < contacts.size(); ++first) {
    if (seen[first] != 0) continue;
    const Vector3& n = contacts[first].contact.normal;
    Vector3 t1, t2;
    make_tangents(n, t1, t2);
    patch.clear();
    for (std::size_t c = first; c < contacts.size(); ++c) {
      const FeatureContact& contact = contacts[c].contact;
      if (seen[c] != 0 || (contact.normal - n).norm() > k_same_normal) continue;
      if (contact.margin < -k_border * size) continue;  // outside of its features
      seen[c] = 1;
      const Vector3 x = 0.5 * (contact.point_a + contact.point_b);
      patch.push_back({{t1.dot(x), t2.dot(x)}, contact.gap, static_cast<int>(c)});
    }
    // Of contacts at one point the first one stays, or the one with the smaller gap.
    unique.clear();
    for (const PatchPoint& p : patch) {
      const auto same = std::find_if(unique.begin(), unique.end(),
                                     [&](const PatchPoint& u) { return (u.x - p.x).norm() <= near; });
      if (same == unique.end()) {
        unique.push_back(p);
        continue;
      }
      if (p.gap < same->gap - k_same_gap * size) *same = p;
    }
    for (const PatchPoint& p : patch) dropped[p.contact] = 1;
    for (const PatchPoint& p : unique) dropped[p.contact] = 0;
    if (unique.size() < 3) continue;
    patch = unique;
    find_corners(near, patch, corners);
    for (const PatchPoint& p : unique) {
      const bool corner = std::any_of(corners.begin(), corners.end(),
                                      [&](const PatchPoint& c) { return c.contact == p.contact; });
      if (!corner && p.gap >= gap_of_corners(corners, p.x) - k_same_gap * size) dropped[p.contact] = 1;
    }
  }
  std::size_t kept = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (dropped[c] == 0) contacts[kept++] = contacts[c];
  contacts.resize(kept);
}

}  // namespace delassus
