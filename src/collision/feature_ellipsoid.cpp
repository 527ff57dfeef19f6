// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Ellipsoids against everything, by their signed distance φ, a convex function with ∇φ the normal at the foot.
//
// Foot of y (in the ellipsoid's axes):  xᵢ = aᵢ² yᵢ/(aᵢ² + t)  with the largest t that solves
//
//   Σ (aᵢ yᵢ/(aᵢ² + t))² = 1,     φ = t |(xᵢ/aᵢ²)|                                                                (1)
//
// Newton's method from the left, in τ = t + min aᵢ² so that nothing cancels near the medial axis. It is taken on 1 − 1/√S, S the
// sum, which is concave and almost a line: it stays left of the root, and three or four steps are enough (as for the radius of a
// trust region, Moré and Sorensen 1983). At t = −min aᵢ² a coordinate of the foot follows from the surface's equation instead.
//
// Rods, rims: minimise φ along the curve, φ' = ∇φᵀ tangent. Faces: the support point. Two ellipsoids (axes A R):
//
//   max over unit n of  s(n) = nᵀ(c_b − c_a) − |A_a R_aᵀ n| − |A_b R_bᵀ n|                                          (2)
//
// by Newton's method on the sphere; unique where s > 0.
#include <numbers>

#include "delassus/collision/contact_geometry.hpp"
#include "delassus/collision/feature_pairs.hpp"
#include "delassus/collision/feature_search.hpp"

namespace delassus::feature_pairs {

namespace {

constexpr double k_epsilon = std::numeric_limits<double>::epsilon();
constexpr int k_rim_ellipsoid_samples = 24;  // the distance from a convex set has wide valleys

// The part of (1) in the ellipsoid's axes: returns t, and xᵢ/aᵢ² in `gradient`.
double solve_foot(const Vector3& a, const Vector3& y, Vector3& gradient) {
  // Coordinates that are nothing beside the axes would only make denominators underflow.
  constexpr double nothing = 1e-150;
  int smallest = 0;
  const double a_min = a.minCoeff(&smallest);
  Vector3 p = y, excess;  // aᵢ² − a_min²
  double tau = 0;
  for (int i = 0; i < 3; ++i) {
    excess[i] = (a[i] - a_min) * (a[i] + a_min);
    if (std::abs(p[i]) <= nothing * a_min) p[i] = 0;
    if (p[i] != 0)
      tau = std::max(tau, a[i] * std::abs(p[i]) - excess[i]);  // one term alone is 1: left of the root
  }
  constexpr int max_iterations = 100;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    double sum = 0, slope = 0;  // S, −S'/2
    for (int i = 0; i < 3; ++i) {
      if (p[i] == 0) continue;
      const double inverse = 1 / (excess[i] + tau), term = a[i] * p[i] * inverse;
      sum += term * term;
      slope += term * term * inverse;
    }
    if (!(sum > 1)) break;
    const double next = tau + (sum / slope) * (std::sqrt(sum) - 1);
    if (!(next > tau)) break;
    tau = next;
  }
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    gradient[i] = p[i] == 0 ? 0 : p[i] / (excess[i] + tau);
    sum += std::pow(a[i] * gradient[i], 2);
  }
  if (tau == 0 && sum < 1) gradient[smallest] = std::sqrt(1 - sum) / a_min;
  return tau - a_min * a_min;
}

// dᵀ (∂²φ) d at the point with this foot: curvatures κ of the surface become κ/(1 + φ κ).
double second_derivative(const Ellipsoid& ellipsoid, const EllipsoidFoot& foot, const Vector3& d) {
  const SurfacePatch patch = ellipsoid_patch(ellipsoid, foot.normal, foot.normal, 1);
  const double d0 = d.dot(patch.tangents[0]), d1 = d.dot(patch.tangents[1]), phi = foot.distance;
  const double* k = patch.second;
  const double r0 = k[0] * d0 + k[1] * d1, r1 = k[1] * d0 + k[2] * d1;
  const double m00 = 1 + phi * k[0], m01 = phi * k[1], m11 = 1 + phi * k[2];
  const double det = m00 * m11 - m01 * m01;
  return (d0 * (m11 * r0 - m01 * r1) + d1 * (m00 * r1 - m01 * r0)) / det;
}

// From the contact point on the ellipsoid b: n = −∇φ.
FeatureContact contact_at(const EllipsoidFoot& foot, double radius_a, const Ellipsoid& b) {
  FeatureContact out;
  out.normal = -foot.normal;
  out.gap = foot.distance - radius_a;
  out.point_b = foot.x;
  out.point_a = foot.x - out.gap * out.normal;
  out.margin = std::numeric_limits<double>::infinity();
  out.patch_b = ellipsoid_patch(b, foot.normal, out.normal, k_side_b);
  return out;
}

}  // namespace

EllipsoidFoot nearest_foot(const Ellipsoid& ellipsoid, const Vector3& y) {
  Vector3 gradient;
  const double t = solve_foot(ellipsoid.a, ellipsoid.R.transpose() * (y - ellipsoid.center), gradient);
  const double length = gradient.norm();
  EllipsoidFoot out;
  out.distance = t * length;
  out.normal = ellipsoid.R * (gradient / length);
  out.x = ellipsoid.center + ellipsoid.R * gradient.cwiseProduct(ellipsoid.a).cwiseProduct(ellipsoid.a);
  return out;
}

FeatureContact ball_ellipsoid(const Ball& a, const Ellipsoid& b, const Limits& limits) {
  if (limits.exclude_distance((a.x - b.center).squaredNorm(), a.radius + b.a.maxCoeff())) return no_contact();
  FeatureContact out = contact_at(nearest_foot(b, a.x), a.radius, b);
  out.patch_a = ball_patch(a.radius, out.normal, k_side_a);
  return out;
}

FeatureContact rod_ellipsoid(const Rod& a, const Ellipsoid& b, const Limits& limits) {
  const Vector3 from_end = b.center - a.x;
  if (a.slope == 0 &&
      limits.exclude_distance((from_end - a.e * a.e.dot(from_end)).squaredNorm(), a.radius + b.a.maxCoeff()))
    return no_contact();
  const auto derivative = [&](double s) -> ValueAndSlope {
    const EllipsoidFoot foot = nearest_foot(b, a.at(s));
    return {foot.normal.dot(a.e) - a.slope, second_derivative(b, foot, a.e)};
  };
  // Far enough beyond the ends for any motion of a step.
  const double beyond = a.continued ? 8 * a.length : 0, first = -beyond, last = a.length + beyond;
  int end = -1;
  if (derivative(first).value > 0)
    end = 0;
  else if (derivative(last).value < 0)
    end = 1;
  if (end >= 0) {
    FeatureContact out = a.open[end] ? rim_ellipsoid(a.end_rim(end), b) : ball_ellipsoid(a.end_ball(end), b);
    hand_over(out);
    return out;
  }
  const double s = solve_increasing(derivative, first, last);
  FeatureContact out = contact_at(nearest_foot(b, a.at(s)), a.radius_at(s), b);
  out.margin = a.margin(s);
  settle(out);
  out.patch_a = rod_patch(a, s, out.normal, k_side_a);
  return out;
}

FeatureContact rim_ellipsoid(const Rim& a, const Ellipsoid& b, const Limits& limits) {
  // From the centre of the ellipsoid to the nearest point of the circle.
  const Vector3 from_center = b.center - a.center;
  const double height = a.axis.dot(from_center), beside = (from_center - height * a.axis).norm() - a.radius;
  if (limits.exclude_distance(height * height + beside * beside, b.a.maxCoeff())) return no_contact();
  const auto derivative = [&](double angle) -> ValueAndSlope {
    const Vector3 radial = a.radial(angle), tangent = a.axis.cross(radial);
    const EllipsoidFoot foot = nearest_foot(b, a.center + a.radius * radial);
    return {foot.normal.dot(tangent),
            a.radius * second_derivative(b, foot, tangent) - foot.normal.dot(radial)};
  };
  // φ falls by no more than the way: few arcs of the circle come within the limit.
  constexpr int arcs = 6;
  std::array<double, arcs> ends = {};  // φ where they begin
  const bool limited = std::isfinite(limits.gap);
  for (int i = 0; limited && i < arcs; ++i)
    ends[static_cast<std::size_t>(i)] =
        nearest_foot(b, a.center + a.radius * a.radial(i * 2 * std::numbers::pi / arcs)).distance;
  const auto may_matter = [&](int sample) {
    const auto arc = static_cast<std::size_t>(sample / (k_rim_ellipsoid_samples / arcs));
    const double mean = 0.5 * (ends[arc] + ends[(arc + 1) % arcs]), half = a.radius * std::numbers::pi / arcs;
    return !limited || mean - half <= limits.gap + limits.slack;
  };
  const Minima minima = find_minima(derivative, 0, k_rim_ellipsoid_samples, may_matter);
  Vector3 radial = a.u;  // coaxial with an ellipsoid of revolution: every point is as near as another
  EllipsoidFoot best = nearest_foot(b, a.center + a.radius * radial);
  for (int i = 0; i < minima.count; ++i) {
    const Vector3 candidate = a.radial(minima.angle[static_cast<std::size_t>(i)]);
    const EllipsoidFoot foot = nearest_foot(b, a.center + a.radius * candidate);
    if (i > 0 && foot.distance >= best.distance) continue;
    radial = candidate;
    best = foot;
  }
  FeatureContact out = contact_at(best, 0, b);
  out.patch_a = rim_patch(a, radial, out.normal);
  return out;
}

FeatureContact face_ellipsoid(const Face& a, const Ellipsoid& b, const Limits& limits) {
  const Vector3 n = a.normal, local = b.a.cwiseProduct(b.R.transpose() * n);
  const double support = local.norm(), height = n.dot(b.center) - a.offset - support;
  if (a.continued && height > limits.gap) return no_contact();
  const Vector3 x = b.center - b.R * b.a.cwiseProduct(local) / support;
  const double inner = a.inner_distance(x);
  FeatureContact out;
  if (inner >= 0 || a.continued) {
    out = make_contact(x - height * n, 0, x, 0, n);
    out.gap = height;
    out.margin = inner;
    settle(out);
    if (limits.exclude(out)) return out;
    out.patch_a = flat_patch(n);
    out.patch_b = ellipsoid_patch(b, -n, n, k_side_b);
    return out;
  }
  if (a.is_polygon()) {
    out = no_contact();
    for (int i = 0; i < a.face->count; ++i) keep_nearer(out, rod_ellipsoid(a.border(i), b));
  } else {
    out = rim_ellipsoid(a.rim(), b);
  }
  hand_over(out, inner);
  return out;
}

namespace {

// (2) at n.
struct EllipsoidPair {
  const Ellipsoid &a, &b;
  Vector3 d;     // c_b − c_a
  double scale;  // of lengths
  EllipsoidPair(const Ellipsoid& first, const Ellipsoid& second)
      : a(first),
        b(second),
        d(second.center - first.center),
        scale(d.norm() + a.a.maxCoeff() + b.a.maxCoeff()) {}

  struct Value {
    Vector3 n, x_a, x_b;  // support points relative to the centres, of a along n, of b along −n
    double support_a, support_b, s;
    Vector3 residual;  // of x_b − x_a = s n
  };
  Value at(const Vector3& n) const {
    Value out;
    out.n = n;
    const Vector3 l_a = a.a.cwiseProduct(a.R.transpose() * n), l_b = b.a.cwiseProduct(b.R.transpose() * n);
    out.support_a = l_a.norm();
    out.support_b = l_b.norm();
    out.x_a = a.R * a.a.cwiseProduct(l_a) / out.support_a;
    out.x_b = -(b.R * b.a.cwiseProduct(l_b)) / out.support_b;
    const Vector3 g = d + out.x_b - out.x_a;
    out.s = n.dot(d) - out.support_a - out.support_b;
    out.residual = g - n * n.dot(g);
    return out;
  }

  // Step in the tangent plane: (curvature of the supports + s) y = residual, made definite where s is negative.
  Vector3 step(const Value& v) const {
    Vector3 t[2];
    make_tangents(v.n, t[0], t[1]);
    double m[2][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        m[i][j] = hessian(a, t[i], t[j], v.x_a, v.support_a) + hessian(b, t[i], t[j], v.x_b, v.support_b) +
                  (i == j ? v.s : 0);
    const double mean = 0.5 * (m[0][0] + m[1][1]), radius = std::hypot(0.5 * (m[0][0] - m[1][1]), m[0][1]);
    constexpr double definite = 1e-3;  // of the size: steps uphill stay below a radian or so
    const double smallest = mean - radius, floor = definite * scale;
    // A small positive eigenvalue is a flat maximum and is kept: only a saddle is bent.
    const double shift = smallest > 0 ? 0 : floor - smallest;
    const double m00 = m[0][0] + shift, m11 = m[1][1] + shift, det = m00 * m11 - m[0][1] * m[0][1];
    const double r0 = v.residual.dot(t[0]), r1 = v.residual.dot(t[1]);
    Vector3 y = ((m11 * r0 - m[0][1] * r1) * t[0] + (m00 * r1 - m[0][1] * r0) * t[1]) / det;
    const double length = y.norm();
    if (!std::isfinite(length)) return v.residual / scale;
    return length > 1 ? Vector3(y / length) : y;
  }

  static double hessian(const Ellipsoid& e, const Vector3& t0, const Vector3& t1, const Vector3& x,
                        double support) {
    const Vector3 l0 = e.a.cwiseProduct(e.R.transpose() * t0), l1 = e.a.cwiseProduct(e.R.transpose() * t1);
    return (l0.dot(l1) - t0.dot(x) * t1.dot(x)) / support;
  }

  // The local maximum uphill from n.
  Value climb(const Vector3& n) const {
    constexpr int max_iterations = 60, max_halvings = 40;
    const double round_off = 4 * k_epsilon * scale;
    Value now = at(n);
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      const double error = now.residual.norm();
      if (error == 0) break;
      Vector3 y = step(now);
      bool better = false;
      for (int halving = 0; halving < max_halvings && !better; ++halving, y *= 0.5) {
        const Value next = at((now.n + y).normalized());
        // At the top s says nothing more: there the residual decides.
        better =
            next.s > now.s + round_off || (next.s > now.s - round_off && next.residual.norm() < 0.5 * error);
        if (better) now = next;
      }
      if (!better) break;
    }
    return now;
  }
};

// Depths up to this part of the smallest radius of curvature have one maximum only near the centres' direction.
constexpr double k_shallow = 0.05;

double smallest_radius(const Ellipsoid& e) {
  return e.a.minCoeff() * e.a.minCoeff() / e.a.maxCoeff();
}

}  // namespace

FeatureContact ellipsoid_ellipsoid(const Ellipsoid& a, const Ellipsoid& b, const Limits& limits) {
  if (limits.exclude_distance((b.center - a.center).squaredNorm(), a.a.maxCoeff() + b.a.maxCoeff()))
    return no_contact();
  const EllipsoidPair pair(a, b);
  const auto facing = [&](const Vector3& n) { return pair.d.dot(n) >= 0 ? n : Vector3(-n); };
  EllipsoidPair::Value best = pair.climb(usable_direction(Vector3::Zero(), {pair.d, a.R.col(2)}));
  if (best.s < -k_shallow * std::min(smallest_radius(a), smallest_radius(b)))
    for (const Matrix3* R : {&a.R, &b.R})
      for (int i = 0; i < 3; ++i) {
        const EllipsoidPair::Value other = pair.climb(facing(R->col(i)));
        if (other.s > best.s) best = other;
      }
  FeatureContact out = make_contact(a.center + best.x_a, 0, b.center + best.x_b, 0, best.n);
  out.gap = best.s;
  out.patch_a = ellipsoid_patch(a, best.n, best.n, k_side_a);
  out.patch_b = ellipsoid_patch(b, -best.n, best.n, k_side_b);
  return out;
}

}  // namespace delassus::feature_pairs
