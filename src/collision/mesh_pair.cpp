// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/mesh_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

#include "delassus/collision/bounds.hpp"

namespace delassus {
namespace {

// The segment leaves the solid through the polygon, strictly between its ends.
bool leaves_through(const Geometry& geometry, const GeometryFace& face, const Vector3& from,
                    const Vector3& to) {
  const double begin = face.normal.dot(from - face.x), end = face.normal.dot(to - face.x);
  if (!(begin < 0 && end > 0)) return false;
  const Vector3 x = from + begin / (begin - end) * (to - from);
  const std::span<const int> loop = geometry.loop(face);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vector3 &a = geometry.points[loop[i]].x, &b = geometry.points[loop[(i + 1) % loop.size()]].x;
    if (face.normal.dot((b - a).cross(x - a)) < 0) return false;
  }
  return true;
}

struct MeshSide {
  const Side& side;
  const MeshIndex& index;
};

// Pairs of features of a and b by their indices.
using IndexPairs = std::vector<std::pair<int, int>>;

// Kept between calls for their memory.
struct MeshPairScratch {
  IndexPairs point_face, face_point, edge_edge;
  std::vector<int> faces_a, faces_b;
  std::vector<char> dropped;
};

MeshPairScratch& mesh_pair_scratch() {
  thread_local MeshPairScratch s;
  return s;
}

void make_unique(IndexPairs& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// A box of one frame in another one.
Bounds moved_box(const Bounds& box, const Pose& pose) {
  const Vector3 center = pose.point(0.5 * (box.lower + box.upper));
  const Vector3 half = pose.R.cwiseAbs() * (0.5 * (box.upper - box.lower));
  return {center - half, center + half};
}

class MeshPairContacts {
 public:
  MeshPairContacts(const MeshSide& a, const MeshSide& b, double envelope, double reach, bool exhaustive,
                   std::vector<ShapeContact>& out)
      : a_(a),
        b_(b),
        distance_(envelope + reach),
        lowest_(-k_mesh_depth * std::min(a.side.geometry.size, b.side.geometry.size)),
        first_(out.size()),
        pairs_(a.side, b.side, envelope, reach, exhaustive, out),
        out_(out) {}

  void find() {
    collect_near();
    for (const auto& [point, face] : memory_.point_face)
      add({FeatureKind::point, point, 0}, {FeatureKind::face, face, 0});
    for (const auto& [face, point] : memory_.face_point)
      add({FeatureKind::face, face, 0}, {FeatureKind::point, point, 0});
    for (const auto& [one, other] : memory_.edge_edge)
      add({FeatureKind::edge, one, 0}, {FeatureKind::edge, other, 0});
    drop_far_sides();
  }

 private:
  // The features of triangles whose boxes come within the envelope of each other. What lies deeper than the triangles are
  // large is found by their neighbours.
  void collect_near() {
    memory_.point_face.clear();
    memory_.face_point.clear();
    memory_.edge_edge.clear();
    const Pose &pose_a = a_.side.pose, &pose_b = b_.side.pose;
    const Pose b_in_a{pose_a.R.transpose() * pose_b.R, pose_a.local_point(pose_b.p)};
    const Pose a_in_b{pose_b.R.transpose() * pose_a.R, pose_b.local_point(pose_a.p)};
    const Geometry &ga = a_.side.geometry, &gb = b_.side.geometry;
    const double near = distance_ - lowest_;
    b_.index.tree.query(inflate(moved_box(a_.index.tree.bounds(), a_in_b), near), memory_.faces_b);
    for (int face_b : memory_.faces_b) {
      const GeometryFace& fb = gb.faces[static_cast<std::size_t>(face_b)];
      a_.index.tree.query(inflate(moved_box(face_bounds(gb, fb), b_in_a), near), memory_.faces_a);
      for (int face_a : memory_.faces_a) add_triangles(ga, face_a, gb, face_b);
    }
    make_unique(memory_.point_face);
    make_unique(memory_.face_point);
    make_unique(memory_.edge_edge);
  }

  void add_triangles(const Geometry& ga, int face_a, const Geometry& gb, int face_b) {
    for (int point : ga.loop(ga.faces[static_cast<std::size_t>(face_a)]))
      if (a_.index.point_on_ridge[static_cast<std::size_t>(point)] != 0)
        memory_.point_face.emplace_back(point, face_b);
    for (int point : gb.loop(gb.faces[static_cast<std::size_t>(face_b)]))
      if (b_.index.point_on_ridge[static_cast<std::size_t>(point)] != 0)
        memory_.face_point.emplace_back(face_a, point);
    const auto is_ridge = [](const Geometry& g, int edge) {
      return edge >= 0 && g.edges[static_cast<std::size_t>(edge)].ridge;
    };
    for (int edge_a : a_.index.face_edges[static_cast<std::size_t>(face_a)])
      for (int edge_b : b_.index.face_edges[static_cast<std::size_t>(face_b)])
        if (is_ridge(ga, edge_a) && is_ridge(gb, edge_b)) memory_.edge_edge.emplace_back(edge_a, edge_b);
  }

  void add(const Feature& feature_a, const Feature& feature_b) {
    const feature_pairs::PlacedFeature placed_a(a_.side.geometry, a_.side.pose, feature_a, Extent::continued),
        placed_b(b_.side.geometry, b_.side.pose, feature_b, Extent::continued);
    pairs_.add(placed_a, placed_b, lowest_, nullptr);
  }

  void drop_far_sides() {
    std::vector<char>& dropped = memory_.dropped;
    dropped.assign(out_.size(), 0);
    for (std::size_t i = first_; i < out_.size(); ++i) {
      if (-out_[i].contact.gap <= pairs_.border()) continue;
      dropped[i] = is_cut_off(out_[i]) || has_shorter_way(i) ? 1 : 0;
    }
    std::size_t kept = first_;
    for (std::size_t i = first_; i < out_.size(); ++i)
      if (dropped[i] == 0) out_[kept++] = out_[i];
    out_.resize(kept);
  }

  // The corner of one mesh below a face of the other one is not in the solid below it.
  bool is_cut_off(const ShapeContact& c) {
    const Feature fa = a_.side.geometry.feature(c.feature_a), fb = b_.side.geometry.feature(c.feature_b);
    const auto cut = [&](const MeshSide& mesh, const Feature& face, const Vector3& on_face,
                         const Vector3& corner) {
      return face.kind == FeatureKind::face &&
             leaves_between(mesh.side.geometry, mesh.index, face.index, mesh.side.pose.local_point(on_face),
                            mesh.side.pose.local_point(corner), memory_.faces_a);
    };
    return cut(a_, fa, c.contact.point_a, c.contact.point_b) ||
           cut(b_, fb, c.contact.point_b, c.contact.point_a);
  }

  // At the same place another contact with another normal is less deep. In a hollow both hold: there the features are not
  // deeper than the border unless a step has made them so, and the shallower one comes first.
  bool has_shorter_way(std::size_t i) const {
    const FeatureContact& far = out_[i].contact;
    const double depth = -far.gap;
    for (std::size_t j = first_; j < out_.size(); ++j) {
      const FeatureContact& near = out_[j].contact;
      if (near.margin < -pairs_.border() || depth <= std::abs(near.gap) + pairs_.border() ||
          near.normal.dot(far.normal) >= k_normal_agreement)
        continue;
      if ((far.point_a - near.point_a).norm() <= depth || (far.point_b - near.point_b).norm() <= depth)
        return true;
    }
    return false;
  }

  MeshSide a_, b_;
  double distance_, lowest_;
  std::size_t first_;
  PairContacts pairs_;
  std::vector<ShapeContact>& out_;
  MeshPairScratch& memory_ = mesh_pair_scratch();
};

}  // namespace

bool leaves_between(const Geometry& mesh, const MeshIndex& index, int face, const Vector3& from,
                    const Vector3& to, std::vector<int>& faces) {
  index.tree.query({from.cwiseMin(to), from.cwiseMax(to)}, faces);
  return std::any_of(faces.begin(), faces.end(), [&](int other) {
    return other != face && leaves_through(mesh, mesh.faces[static_cast<std::size_t>(other)], from, to);
  });
}

void find_mesh_contacts(const Side& a, const MeshIndex& index_a, const Side& b, const MeshIndex& index_b,
                        double envelope, double reach, bool exhaustive, std::vector<ShapeContact>& out) {
  MeshPairContacts({a, index_a}, {b, index_b}, envelope, reach, exhaustive, out).find();
}

}  // namespace delassus
