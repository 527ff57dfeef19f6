// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A point, sharp or rounded, against points, edges, faces and circles.
//
// Against a rod at axial distance z and radial distance h:  min over s of  √(h² + (s − z)²) − ρ(s)  is convex, with
//
//   s = z + h k/√(1−k²),    gap = h/√(1−k²) − ρ(s) − r                                                            (1)
#include "delassus/collision/feature_pairs.hpp"

namespace delassus::feature_pairs {

FeatureContact ball_ball(const Ball& a, const Ball& b, const Vector3& hint, const Limits& limits) {
  if (limits.exclude_distance((b.x - a.x).squaredNorm(), a.radius + b.radius)) return no_contact();
  const Vector3 n = direction_between(a.x, b.x, {a.outward - b.outward, hint});
  FeatureContact out = make_contact(a.x, a.radius, b.x, b.radius, n);
  out.patch_a = ball_patch(a.radius, n, k_side_a);
  out.patch_b = ball_patch(b.radius, n, k_side_b);
  return out;
}

FeatureContact ball_rod(const Ball& a, const Rod& b, const Vector3& hint, const Limits& limits) {
  const Vector3 from_end = a.x - b.x;
  const double z = b.e.dot(from_end);
  const Vector3 foot = b.at(z);
  const Vector3 across = a.x - foot;
  if (b.slope == 0 && limits.exclude_distance(across.squaredNorm(), a.radius + b.radius)) return no_contact();
  const double s = z + across.norm() * b.slope / b.cosine;
  FeatureContact out;
  if (!b.continued && (s < 0 || s > b.length)) {
    const int end = s < 0 ? 0 : 1;
    out = b.open[end] ? ball_rim(a, b.end_rim(end), hint) : ball_ball(a, b.end_ball(end), hint);
    hand_over(out, b.margin(s));
    return out;
  }
  // −n is the outward normal of the rod: (1) of the header.
  const Vector3 preferred = a.outward - b.outward;
  const Vector3 to_axis = coincide(a.x, foot)
                              ? usable_direction(b.e, {preferred, hint})
                              : usable_direction(b.e, {-across.normalized(), preferred, hint});
  const Vector3 n = b.cosine * to_axis + b.slope * b.e;
  out = make_contact(a.x, a.radius, b.at(s), b.radius_at(s), n);
  out.margin = b.margin(s);
  settle(out);
  if (limits.exclude(out)) return out;
  out.patch_a = ball_patch(a.radius, n, k_side_a);
  out.patch_b = rod_patch(b, s, n, k_side_b);
  return out;
}

FeatureContact ball_face(const Ball& a, const Face& b, const Vector3& hint, const Limits& limits) {
  const double height = b.normal.dot(a.x) - b.offset;
  if (b.continued && height - a.radius > limits.gap) return no_contact();
  const double inner = b.inner_distance(a.x);
  if (inner >= 0 || b.continued) {
    const Vector3 n = -b.normal;
    FeatureContact out = make_contact(a.x, a.radius, a.x + height * n, 0, n);
    out.gap = height - a.radius;
    out.margin = inner;
    settle(out);
    if (limits.exclude(out)) return out;
    out.patch_a = ball_patch(a.radius, n, k_side_a);
    out.patch_b = flat_patch(n);
    return out;
  }
  FeatureContact best = no_contact();
  if (b.is_polygon())
    for (int i = 0; i < b.face->count; ++i) keep_nearer(best, ball_rod(a, b.border(i), hint));
  else
    best = ball_rim(a, b.rim(), hint);
  hand_over(best, inner);
  return best;
}

FeatureContact ball_rim(const Ball& a, const Rim& b, const Vector3& hint, const Limits& limits) {
  const Vector3 from_center = a.x - b.center;
  const double height = b.axis.dot(from_center);
  if (limits.exclude_distance(height * height, a.radius) ||
      limits.exclude_distance(from_center.squaredNorm(), a.radius + b.radius))
    return no_contact();
  // On the axis every point of the circle is as near as another.
  const Vector3 radial = usable_direction(b.axis, {from_center, -hint});
  const Vector3 x = b.center + b.radius * radial;
  const Vector3 n = direction_between(a.x, x, {a.outward - b.outward(radial), hint});
  FeatureContact out = make_contact(a.x, a.radius, x, 0, n);
  if (limits.exclude(out)) return out;
  out.patch_a = ball_patch(a.radius, n, k_side_a);
  out.patch_b = rim_patch(b, radial, n);
  return out;
}

}  // namespace delassus::feature_pairs
