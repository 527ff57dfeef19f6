// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/feature_outline.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace delassus {
namespace {

// Sines below which the lines of two edges are parallel: their distance is then left to the exact test.
constexpr double k_parallel = 1e-6;

bool out_of_reach_of_face(const FeatureOutline& face, const FeatureOutline& point, double envelope) {
  return face.axis.dot(point.center) - face.offset - point.rounding > envelope;
}

bool out_of_reach_of_line(const FeatureOutline& edge, const FeatureOutline& point, double envelope) {
  const Vector3 d = point.center - edge.center;
  const double along = edge.axis.dot(d), reach = envelope + edge.rounding + point.rounding;
  return d.squaredNorm() - along * along > reach * reach;
}

// All of b lies on one side of the plane of the circle a, by more than the envelope.
bool out_of_reach_of_disk(const FeatureOutline& circle, const FeatureOutline& b, double envelope) {
  const double height = circle.axis.dot(b.center - circle.center);
  // Of a circle or an edge less than the radius of its ball: as far as it is tilted.
  double half = b.radius;
  if (b.feature.kind == FeatureKind::edge)
    half = b.rounding + b.size * std::abs(circle.axis.dot(b.axis));
  else if (b.feature.kind == FeatureKind::circle)
    half = std::min(b.radius, (b.radius < b.size ? 2 : 1) * b.size * circle.axis.cross(b.axis).norm());
  return std::abs(height) - half > envelope;
}

bool edges_out_of_reach(const FeatureOutline& a, const FeatureOutline& b, double envelope, double tolerance,
                        const Vector3& direction) {
  Vector3 n = a.axis.cross(b.axis);
  const double sine = n.norm();
  if (sine < k_parallel) return false;
  n /= sine;
  const double reach = envelope + a.rounding + b.rounding;
  if (std::abs(n.dot(b.center - a.center)) > reach && a.sharp && b.sharp) return true;
  if (!a.sharp || !b.sharp || a.rounding > 0 || b.rounding > 0) return false;
  if (n.dot(direction) < 0) n = -n;
  for (int i = 0; i < 2; ++i)
    if (n.dot(a.arms[i]) > tolerance || -n.dot(b.arms[i]) > tolerance) return true;
  return false;
}

struct Interval {
  double low = 0, high = 0;
};

// `along(d)`: the interval of dᵀp.
template <class Along>
bool misses_region(const RidgeRegion& region, const RidgeRegion::Reach& reach, const Along& along) {
  bool outside = true, inside = true;  // g ≥ 0, g < 0
  Vector3 sum = Vector3::Zero();
  for (const Vector3& arm : region.arms) {
    const Interval at = along(arm);
    const double from = arm.dot(region.x) - reach.slack, to = from + 2 * reach.slack;
    outside = outside && at.high >= from - reach.envelope && at.low <= to + reach.envelope * reach.tolerance;
    inside = inside && at.high >= from - reach.depth * reach.tolerance && at.low <= to + reach.depth;
    if (!outside && !inside) return true;
    sum += arm;
  }
  if (!region.one_sided || reach.tolerance >= 1) return false;
  const Interval at = along(sum);
  const double middle = sum.dot(region.x), slack = static_cast<double>(region.arms.size()) * reach.slack;
  return !(outside && at.low <= middle + slack) && !(inside && at.high >= middle - slack);
}

}  // namespace

bool RidgeRegion::misses(const Bounds& box, const Reach& reach) const {
  const Vector3 center = 0.5 * (box.lower + box.upper), half = box.upper - center;
  return misses_region(*this, reach, [&](const Vector3& d) -> Interval {
    const double middle = d.dot(center), extent = d.cwiseAbs().dot(half);
    return {middle - extent, middle + extent};
  });
}

bool RidgeRegion::misses(const EndBalls& rod, const Reach& reach) const {
  return misses_region(*this, reach, [&](const Vector3& d) -> Interval {
    const double length = d.norm(), first = d.dot(rod.x[0]), last = d.dot(rod.x[1]);
    return {std::min(first - length * rod.radius[0], last - length * rod.radius[1]),
            std::max(first + length * rod.radius[0], last + length * rod.radius[1])};
  });
}

FeatureOutline outline_of(const Geometry& geometry, const Pose& pose, const Feature& feature,
                          const Vector3& direction, double lowest) {
  FeatureOutline out;
  out.feature = feature;
  const auto index = static_cast<std::size_t>(feature.index);
  switch (feature.kind) {
    case FeatureKind::point:
      out.center = pose.point(geometry.points[index].x);
      out.rounding = out.radius = geometry.points[index].radius;
      return out;
    case FeatureKind::edge: {
      const GeometryEdge& edge = geometry.edges[index];
      const Vector3 half = 0.5 * (edge.x[1] - edge.x[0]);
      const double length = half.norm();
      out.center = pose.point(edge.x[0] + half);
      out.axis = pose.vector(half / length);
      out.rounding = std::max(edge.radius[0], edge.radius[1]);
      // The part of −length ≤ z ≤ length in the slab.
      const double slope = direction.dot(out.axis), depth = direction.dot(out.center) + out.rounding - lowest;
      double first = -length, last = length;
      if (slope > 0) first = std::clamp(-depth / slope, -length, length);
      if (slope < 0) last = std::clamp(-depth / slope, -length, length);
      out.center += 0.5 * (first + last) * out.axis;
      out.size = 0.5 * (last - first);
      out.radius = out.size + out.rounding;
      out.sharp = !edge.arm[0].isZero() || !edge.arm[1].isZero();
      for (int i = 0; i < 2; ++i) out.arms[i] = pose.vector(edge.arm[i]);
      return out;
    }
    case FeatureKind::face: {
      const GeometryFace& face = geometry.faces[index];
      out.axis = pose.vector(face.normal);
      out.center = pose.point(face.x);
      if (face.count > 0) {
        // The ball of the first corner: that of the middle would have to be searched for.
        const std::span<const int> loop = geometry.loop(face);
        const Vector3& first = geometry.points[loop[0]].x;
        for (const int i : loop) out.radius = std::max(out.radius, (geometry.points[i].x - first).norm());
        out.center = pose.point(first);
        out.radius += face.rounding;
        out.offset = out.axis.dot(out.center) + face.rounding;
      } else {
        out.radius = face.radius;
        out.offset = out.axis.dot(out.center);
      }
      return out;
    }
    case FeatureKind::circle: {
      const GeometryCircle& circle = geometry.circles[index];
      out.center = pose.point(circle.center);
      out.axis = pose.vector(circle.axis);
      out.radius = out.size = circle.radius;
      // The arc about its highest point in the slab; its ball is smaller than that of the circle up to a third of it.
      const Vector3 across = direction - out.axis * out.axis.dot(direction);
      const double tilt = across.norm(), height = direction.dot(out.center) + circle.radius * tilt - lowest;
      if (height < 0.5 * circle.radius * tilt) {
        const double chord = std::sqrt(2 * std::max(height, 0.0) / (circle.radius * tilt)) * circle.radius;
        out.center += circle.radius / tilt * across;
        out.radius = chord;
      }
      return out;
    }
    case FeatureKind::ellipsoid:
      out.center = pose.p;
      out.radius = geometry.semi_axes.maxCoeff();
      return out;
  }
  return out;
}

bool out_of_reach(const FeatureOutline& a, const FeatureOutline& b, double envelope, double tolerance,
                  const Vector3& direction) {
  const double reach = a.radius + b.radius + envelope;
  if ((b.center - a.center).squaredNorm() > reach * reach) return true;
  const FeatureKind kind_a = a.feature.kind, kind_b = b.feature.kind;
  if (kind_a == FeatureKind::circle && out_of_reach_of_disk(a, b, envelope)) return true;
  if (kind_b == FeatureKind::circle && out_of_reach_of_disk(b, a, envelope)) return true;
  if (kind_a == FeatureKind::edge && kind_b == FeatureKind::edge)
    return edges_out_of_reach(a, b, envelope, tolerance, direction);
  if (kind_a == FeatureKind::point && kind_b == FeatureKind::face)
    return out_of_reach_of_face(b, a, envelope);
  if (kind_a == FeatureKind::face && kind_b == FeatureKind::point)
    return out_of_reach_of_face(a, b, envelope);
  if (kind_a == FeatureKind::point && kind_b == FeatureKind::edge)
    return out_of_reach_of_line(b, a, envelope);
  if (kind_a == FeatureKind::edge && kind_b == FeatureKind::point)
    return out_of_reach_of_line(a, b, envelope);
  return false;
}

}  // namespace delassus
