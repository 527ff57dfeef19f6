// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/hull.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include "delassus/base/error.hpp"

namespace delassus {
namespace {

// Corners of a face lie in a plane up to this part of the size: a hundred times what rotating them rounds off, a
// hundredth of the accuracy of distances.
constexpr double k_coplanar = 1e-12;
// Dual points are as far apart as the faces of the hull are long and short: only what rounding leaves may be joined.
constexpr double k_dual_coplanar = 1e-14;
// Thinner than this part of its size a hull has no inside that doubles can tell.
constexpr double k_flat = 1e-10;
// The margin may take this part of the inner ball: the core keeps an inside.
constexpr double k_max_margin = 1 - 1e-6;

// Pivots are far fewer than faces; the bound ends a cycle that rounding might close.
constexpr int k_pivots_per_face = 10;
// A face that cuts off less than this part of the size does not count beside the rounding of faces; smaller pivots than
// that, of unit vectors, are rounding.
constexpr double k_cut = 1e-14, k_smallest_pivot = 1e-12;

// Corners of a face, counter-clockwise from outside.
using Loop = std::vector<int>;

// Copies the faces out of Qhull. Its errors jump here; nothing with a destructor lives between.
bool copy_polygons(qhT* qh, std::vector<Loop>& polygons) {
  if (setjmp(qh->errexit) != 0) return false;
  qh->NOerrexit = False;
  facetT* facet;
  FORALLfacets {
    setT* corners = qh_facet3vertex(qh, facet);
    polygons.emplace_back();
    vertexT *corner, **cornerp;
    FOREACHsetelement_(vertexT, corners, corner) polygons.back().push_back(qh_pointid(qh, corner->point));
    std::reverse(polygons.back().begin(), polygons.back().end());  // they are clockwise
    qh_settempfree(qh, &corners);
  }
  return true;
}

// Polygons of the hull as Qhull finds them: flat up to round-off, not all neighbours joined. `text` gets its complaints
// when it fails.
bool run_qhull(const std::vector<Vector3>& points, std::FILE* text, std::vector<Loop>& polygons) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vector3& x : points) coordinates.insert(coordinates.end(), x.data(), x.data() + 3);
  char options[] = "qhull Pp";  // Pp: no remarks on precision
  qhT memory;
  qh_zero(&memory, text);
  const int status = qh_new_qhull(&memory, 3, static_cast<int>(points.size()), coordinates.data(), False,
                                  options, nullptr, text);
  const bool good = status == 0 && copy_polygons(&memory, polygons);
  memory.NOerrexit = True;
  int left = 0, left_bytes = 0;
  qh_freeqhull(&memory, !qh_ALL);
  qh_memfreeshort(&memory, &left, &left_bytes);
  return good;
}

std::vector<Loop> find_polygons(const std::vector<Vector3>& points) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  std::vector<Loop> polygons;
  const bool good = run_qhull(points, stream, polygons);
  std::fclose(stream);
  const std::string complaint(text, size);
  std::free(text);
  if (!good)
    throw InputError(
        fmt::format("its convex hull cannot be found: {}", complaint.substr(0, complaint.find('\n'))));
  return polygons;
}

// Joins neighbours that lie in a plane.
class FaceMerger {
 public:
  FaceMerger(const std::vector<Vector3>& points, const std::vector<Loop>& polygons, double tolerance)
      : points_(points), polygons_(polygons), tolerance_(tolerance), owner_(polygons.size()) {
    std::iota(owner_.begin(), owner_.end(), 0);
    for (const Loop& loop : polygons_) areas_.push_back(area(loop)), corners_.push_back(loop);
    for (std::size_t k = 0; k < polygons_.size(); ++k)
      for (std::size_t i = 0; i < polygons_[k].size(); ++i)
        sides_[{polygons_[k][i], polygons_[k][(i + 1) % polygons_[k].size()]}] = static_cast<int>(k);
  }

  std::vector<Loop> merge() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [side, face] : sides_) {
        const auto twin = sides_.find({side.second, side.first});
        if (twin != sides_.end() && join(owner(face), owner(twin->second))) changed = true;
      }
    }
    return borders();
  }

 private:
  using Side = std::pair<int, int>;

  // Twice the area, times the normal: those of parts add up.
  Vector3 area(const Loop& loop) const {
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 1; i + 1 < loop.size(); ++i)
      sum += (points_[loop[i]] - points_[loop[0]]).cross(points_[loop[i + 1]] - points_[loop[0]]);
    return sum;
  }

  int owner(int face) {
    while (owner_[face] != face) face = owner_[face] = owner_[owner_[face]];
    return face;
  }

  bool join(int a, int b) {
    if (a == b) return false;
    const Vector3 n = (areas_[a] + areas_[b]).stableNormalized();
    double low = n.dot(points_[corners_[a][0]]), high = low;
    for (int face : {a, b})
      for (int i : corners_[face]) {
        const double s = n.dot(points_[i]);
        low = std::min(low, s), high = std::max(high, s);
        if (high - low > tolerance_) return false;
      }
    if (a > b) std::swap(a, b);
    owner_[b] = a;
    areas_[a] += areas_[b];
    corners_[a].insert(corners_[a].end(), corners_[b].begin(), corners_[b].end());
    return true;
  }

  // Sides between different faces, chained to loops; a corner of fewer than three faces is none.
  std::vector<Loop> borders() {
    std::vector<std::map<int, int>> next(polygons_.size());
    std::vector<int> count(points_.size(), 0);
    for (const auto& [side, face] : sides_) {
      const auto twin = sides_.find({side.second, side.first});
      if (twin != sides_.end() && owner(twin->second) == owner(face)) continue;
      next[owner(face)][side.first] = side.second;
      ++count[side.first];
    }
    std::vector<Loop> out;
    for (const std::map<int, int>& border : next) {
      if (border.empty()) continue;
      Loop loop;
      int i = border.begin()->first;
      for (std::size_t k = 0; k < border.size(); ++k) {
        if (count[i] > 2) loop.push_back(i);
        const auto step = border.find(i);
        if (step == border.end()) break;
        i = step->second;
      }
      if (loop.size() < 3) continue;
      std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
      out.push_back(loop);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  const std::vector<Vector3>& points_;
  const std::vector<Loop>& polygons_;
  double tolerance_;
  std::vector<int> owner_;      // of each polygon: the first of its face, or one nearer to it
  std::vector<Vector3> areas_;  // of the face that a polygon owns
  std::vector<Loop> corners_;   // the same
  std::map<Side, int> sides_;   // from corner to corner: the polygon
};

// A body with one closed surface: V − E + F = 2, and every edge has two faces.
bool closed(const Polyhedron& hull) {
  for (const PolygonEdge& edge : hull.edges)
    if (edge.face[1] < 0) return false;
  return hull.vertices.size() + hull.faces.size() == hull.edges.size() + 2;
}

Polyhedron find_hull(std::span<const Vector3> points, double tolerance) {
  if (const std::string why = check_hull_points(points); !why.empty()) throw InputError(why);
  Vector3 low = points[0], high = low;
  for (const Vector3& x : points) low = low.cwiseMin(x), high = high.cwiseMax(x);
  // Far from the origin Qhull would tell less apart.
  const Vector3 center = 0.5 * low + 0.5 * high;
  const double scale = 1 / (high - low).maxCoeff();
  std::vector<Vector3> unit;
  unit.reserve(points.size());
  for (const Vector3& x : points) unit.push_back(scale * (x - center));
  const std::vector<Loop> polygons = find_polygons(unit);
  std::vector<int> loops, first{0};
  for (const Loop& loop : FaceMerger(unit, polygons, tolerance).merge()) {
    loops.insert(loops.end(), loop.begin(), loop.end());
    first.push_back(static_cast<int>(loops.size()));
  }
  Polyhedron hull = make_polyhedron({points.begin(), points.end()}, loops, first);
  if (!closed(hull)) throw InputError("its convex hull cannot be found: faces and edges do not close");
  return hull;
}

// The same errors, with the name of the shape.
Polyhedron named(const Shape& shape, const auto& make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", describe(shape), error.what()));
  }
}

}  // namespace

std::string check_hull_points(std::span<const Vector3> points) {
  if (points.size() < 4) return fmt::format("it has {} points; allowed: at least 4", points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      return fmt::format("point {} is ({}, {}, {}); allowed: finite numbers", i + 1, points[i].x(),
                         points[i].y(), points[i].z());
  const auto farthest = [&](const auto& distance) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (distance(points[i]) > distance(points[best])) best = i;
    return points[best];
  };
  const Vector3 a = farthest([&](const Vector3& x) { return (x - points[0]).stableNorm(); });
  const Vector3 b = farthest([&](const Vector3& x) { return (x - a).stableNorm(); });
  const double length = (b - a).stableNorm();
  if (!(length > 0)) return "all its points are the same; allowed: at least 4 that do not lie in a plane";
  const Vector3 d = (b - a) / length;
  const auto from_line = [&](const Vector3& x) { return d.cross(x - a).stableNorm(); };
  const Vector3 c = farthest(from_line);
  if (!(from_line(c) > k_flat * length))
    return fmt::format(
        "its points lie in a line: its width is {:.3g} m at a length of {:.6g} m; allowed: > {:.3g} m",
        from_line(c), length, k_flat * length);
  const Vector3 n = d.cross(c - a).stableNormalized();
  const auto from_plane = [&](const Vector3& x) { return std::abs(n.dot(x - a)); };
  const double height = from_plane(farthest(from_plane));
  if (!(height > k_flat * length))
    return fmt::format(
        "its points lie in a plane: its thickness is {:.3g} m at a length of {:.6g} m; allowed: > {:.3g} m",
        height, length, k_flat * length);
  return "";
}

Polyhedron convex_hull(std::span<const Vector3> points) {
  return find_hull(points, k_coplanar);
}

Polyhedron hull_of(const Shape& shape) {
  return named(shape, [&] { return convex_hull(shape.surface->vertices); });
}

InnerBall inner_ball(const Polyhedron& hull) {
  const SolidMoments moments = compute_moments(hull);
  double size = 0;
  for (const Vector3& x : hull.vertices) size = std::max(size, (x - moments.center).norm());
  // Columns (n, 1) and offsets c from the centre of mass; the first four are a tetrahedron around all.
  const int m = static_cast<int>(hull.faces.size()) + 4;
  Eigen::Matrix4Xd columns(4, m);
  Vector offsets(m);
  columns.leftCols<4>() << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1, 0, 0, 0, 0;
  columns.leftCols<4>() /= std::sqrt(3.0);
  offsets.head<4>().setConstant(2 * size);
  for (int i = 4; i < m; ++i) {
    const PolygonFace& face = hull.faces[i - 4];
    columns.col(i).head<3>() = face.normal;
    offsets[i] = face.normal.dot(hull.center(face) - moments.center);
  }
  columns.row(3).setOnes();
  // Pivots of the dual problem  min cᵀ y,  Σ y_i (n_i, 1) = (0, 1),  y ≥ 0:  y of the tetrahedron is ¼ each.
  std::array<int, 4> basis = {0, 1, 2, 3};
  Eigen::Vector4d x = Eigen::Vector4d::Zero();
  const double tolerance = k_cut * size;
  for (int pivot = 0; pivot < k_pivots_per_face * m; ++pivot) {
    Eigen::Matrix4d B;
    Eigen::Vector4d c;
    for (int k = 0; k < 4; ++k) B.col(k) = columns.col(basis[k]), c[k] = offsets[basis[k]];
    const Eigen::PartialPivLU<Eigen::Matrix4d> lu(B);
    x = lu.transpose().solve(c);
    int enters = 0;
    if ((offsets - columns.transpose() * x).minCoeff(&enters) >= -tolerance) break;
    const Eigen::Vector4d y = lu.solve(Eigen::Vector4d::Unit(3)), step = lu.solve(columns.col(enters));
    int leaves = -1;
    for (int k = 0; k < 4; ++k)
      if (step[k] > k_smallest_pivot && (leaves < 0 || y[k] * step[leaves] < y[leaves] * step[k])) leaves = k;
    if (leaves < 0) break;
    basis[leaves] = enters;
  }
  // The radius as it is, wherever the pivots ended.
  const double radius = (offsets - columns.topRows<3>().transpose() * x.head<3>()).tail(m - 4).minCoeff();
  return {moments.center + x.head<3>(), radius};
}

Polyhedron make_core(const Polyhedron& hull, double margin) {
  const InnerBall ball = inner_ball(hull);
  if (!(margin >= 0 && margin < k_max_margin * ball.radius))
    throw InputError(
        fmt::format("margin is {}; allowed: >= 0 and smaller than its largest inner ball, radius {:.6g} m",
                    margin, ball.radius));
  std::vector<Vector3> dual;
  for (const PolygonFace& face : hull.faces)
    dual.emplace_back(face.normal / (face.normal.dot(hull.center(face) - ball.center) - margin));
  const Polyhedron planes = find_hull(dual, k_dual_coplanar);
  std::vector<Vector3> corners;
  for (const PolygonFace& corner : planes.faces) {
    Eigen::MatrixX3d N(corner.count, 3);
    Vector c(corner.count);
    int row = 0;
    for (int i : planes.loop(corner)) {
      const double length = planes.vertices[i].norm();
      N.row(row) = planes.vertices[i] / length;
      c[row++] = 1 / length;
    }
    corners.emplace_back(ball.center + N.colPivHouseholderQr().solve(c));
  }
  return convex_hull(corners);
}

Polyhedron make_core(const Shape& shape, const Polyhedron& hull) {
  return named(shape, [&] { return make_core(hull, shape.margin); });
}

}  // namespace delassus
