// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/sat.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace delassus {
namespace {

// Arcs that miss each other by less are tried all the same [rad].
constexpr double k_arc_slack = 1e-7;
// Edges at a smaller angle span no direction: what is found is round-off [rad].
constexpr double k_parallel_edges = 1e-15;
// Of a sum of coordinates, relative to them.
constexpr double k_round_off = 1e-15;
// Edges of b that are turned into the frame of a at a time.
constexpr std::size_t k_block = 64;

// An edge in the frame of a, with the normals of its faces, reversed for b. A segment alone has none.
struct Ridge {
  Vector3 x, u;  // a point and the unit direction
  std::array<Vector3, 2> normal;
  bool has_faces = false;
};

void take(BestDirection& best, const Vector3& n, double s) {
  if (s > best.s) best.s = s, best.n = n;
}

void try_direction(const ConvexPair& pair, const Vector3& n, BestDirection& best) {
  take(best, n, pair.support(n).w.dot(n));
}

Ridge make_ridge(const Geometry& geometry, const GeometryEdge& edge, const Matrix3& R, const Vector3& p,
                 double sign) {
  Ridge ridge;
  ridge.x = R * edge.x[0] + p;
  ridge.u = R * (edge.x[1] - edge.x[0]).normalized();
  ridge.has_faces = edge.face[0] >= 0 && edge.face[1] >= 0;
  for (int i = 0; i < 2 && ridge.has_faces; ++i)
    ridge.normal[i] = sign * (R * geometry.faces[edge.face[i]].normal);
  return ridge;
}

// True when the plane across u separates the ends of the arc.
bool crosses(const Ridge& arc, const Vector3& u) {
  if (!arc.has_faces) return true;
  const double x = arc.normal[0].dot(u), y = arc.normal[1].dot(u);
  return std::min(x, y) <= k_arc_slack && std::max(x, y) >= -k_arc_slack;
}

// −1, 0, 1: on which side of the arc's middle n is; 0 where it has none or cannot tell.
double side_of(const Ridge& arc, const Vector3& n) {
  return arc.has_faces ? n.dot(arc.normal[0] + arc.normal[1]) : 0;
}

void try_edges(const ConvexPair& pair, const Ridge& a, const Ridge& b, BestDirection& best) {
  if (!crosses(a, b.u) || !crosses(b, a.u)) return;
  // Perpendicular to both also where they are nearly parallel and u_a × u_b is mostly round-off.
  Vector3 across = b.u - b.u.dot(a.u) * a.u;
  const double sine = across.norm();
  if (sine <= k_parallel_edges) return;
  across /= sine;
  across -= across.dot(a.u) * a.u;
  Vector3 n = a.u.cross(across).normalized();
  const double side_a = side_of(a, n), side_b = side_of(b, n);
  // Arcs on opposite halves of the sphere do not meet.
  if (side_a * side_b < 0) return;
  const double side = a.has_faces ? side_a : side_b;
  if (side < 0) n = -n;
  const double s = n.dot(b.x - a.x);
  if (s > best.s) try_direction(pair, n, best);
  if (side == 0 && -s > best.s) try_direction(pair, -n, best);
}

}  // namespace

BestDirection separate_by_faces(const ConvexPair& pair) {
  BestDirection best;
  for (const GeometryFace& face : pair.a().geometry().faces) try_direction(pair, face.normal, best);
  for (const GeometryFace& face : pair.b().geometry().faces)
    try_direction(pair, -(pair.R() * face.normal), best);
  return best;
}

BestDirection separate_polytopes(const ConvexPair& pair) {
  const Geometry &a = pair.a().geometry(), &b = pair.b().geometry();
  BestDirection best = separate_by_faces(pair);
  Ridge block[k_block];
  for (std::size_t first = 0; first < b.edges.size(); first += k_block) {
    const std::size_t count = std::min(k_block, b.edges.size() - first);
    for (std::size_t j = 0; j < count; ++j)
      block[j] = make_ridge(b, b.edges[first + j], pair.R(), pair.p(), -1);
    for (const GeometryEdge& edge : a.edges) {
      const Ridge ridge = make_ridge(a, edge, Matrix3::Identity(), Vector3::Zero(), 1);
      for (std::size_t j = 0; j < count; ++j) try_edges(pair, ridge, block[j], best);
    }
  }
  return best;
}

BestDirection separate_boxes(const ConvexPair& pair) {
  const Vector3 &half_a = pair.a().half_edges(), &half_b = pair.b().half_edges();
  const Matrix3& R = pair.R();
  const Vector3& p = pair.p();
  const Matrix3 absolute = R.cwiseAbs();
  BestDirection best;
  const auto towards_b = [](const Vector3& n, double t) { return t < 0 ? Vector3(-n) : n; };
  for (int i = 0; i < 3; ++i) {
    const double t = p[i];
    const double s = std::abs(t) - half_a[i] - absolute.row(i).dot(half_b);
    take(best, towards_b(Vector3::Unit(i), t), s);
  }
  for (int j = 0; j < 3; ++j) {
    const Vector3 axis = R.col(j);
    const double t = axis.dot(p);
    const double s = std::abs(t) - half_b[j] - absolute.col(j).dot(half_a);
    take(best, towards_b(axis, t), s);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      // e_i × R e_j; the widths of the boxes along it, times its length.
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double length = std::hypot(R(i1, j), R(i2, j));
      if (length <= k_parallel_edges) continue;
      const double t = R(i1, j) * p[i2] - R(i2, j) * p[i1];
      const double widths = half_a[i1] * absolute(i2, j) + half_a[i2] * absolute(i1, j) +
                            half_b[j1] * absolute(i, j2) + half_b[j2] * absolute(i, j1);
      const double s = (std::abs(t) - widths) / length;
      // Of nearly parallel edges it is mostly round-off: what counts is s of the direction itself.
      if (s + k_round_off * pair.scale() / length <= best.s) continue;
      Vector3 n = Vector3::Zero();
      n[i1] = -R(i2, j) / length;
      n[i2] = R(i1, j) / length;
      try_direction(pair, towards_b(n, t), best);
    }
  return best;
}

}  // namespace delassus
