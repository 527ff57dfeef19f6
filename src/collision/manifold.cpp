// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/collision/feature_outline.hpp"
#include "delassus/collision/separation.hpp"
#include "delassus/collision/support_features.hpp"

namespace delassus {
namespace {

// By how much normal cones are widened [rad]: bodies that lie on each other tilt less.
constexpr double k_cone_tolerance = 0.05;
// Borders of features are soft by this fraction of the size.
constexpr double k_border_tolerance = 2e-11;
// Contacts of convex shapes have normals within 60° of the separating direction; others belong to the far side.
constexpr double k_normal_agreement = 0.5;
// Shapes with at most so many features are tried in full against ridges and corners of meshes.
constexpr int k_few_features = 64;

// Features of both sides, kept between calls for their memory.
struct Scratch {
  FeatureList features_a, features_b;
  std::vector<FeatureOutline> outlines_b;
  std::vector<int> faces, edges, points;
  std::vector<char> dropped;
};

Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

bool by_features(const ShapeContact& x, const ShapeContact& y) {
  return std::pair(x.feature_a, x.feature_b) < std::pair(y.feature_a, y.feature_b);
}

struct Side {
  const Geometry& geometry;
  const Pose& pose;
};

class PairContacts {
 public:
  PairContacts(const Side& a, const Side& b, double envelope, double reach, std::vector<ShapeContact>& out)
      : a_(a),
        b_(b),
        envelope_(envelope),
        border_(border_tolerance(a.geometry, b.geometry)),
        reach_(std::max(reach, border_)),
        out_(out) {}

  // How wide normal cones are taken.
  void set_cone_tolerance(double tolerance) { cone_tolerance_ = tolerance; }
  double border() const { return border_; }
  double reach() const { return reach_; }

  // Adds the pair of features when it touches; `lowest`: a gap below it belongs to the far side of a shape.
  void add(const Feature& fa, const Feature& fb, double lowest, const Vector3* direction) {
    if (!can_touch(fa.kind, fb.kind)) return;
    const FeatureContact c =
        feature_contact(a_.geometry, a_.pose, fa, b_.geometry, b_.pose, fb, Extent::continued);
    if (!(c.gap <= envelope_) || c.margin < -reach_) return;
    if (c.gap <= border_ && crossing_margin(c, fa, fb) < 0) return;
    // Of shapes that overlap, faces that are tilted against each other lie a little deeper along their own normals than
    // the shapes along the best one; in other directions a deeper contact is no way out. Beside its features a gap may be
    // anything: it acts only once it is inside.
    double floor = lowest;
    if (direction != nullptr && (c.normal - *direction).norm() <= k_cone_tolerance)
      floor -= std::max(-lowest, 0.0);
    if (c.margin < -border_) floor -= envelope_ + reach_;
    if (c.gap < floor) return;
    if (direction != nullptr && c.normal.dot(*direction) < k_normal_agreement) return;
    const double tolerance = has_one_contact(a_.geometry, fa) || has_one_contact(b_.geometry, fb)
                                 ? std::min(k_border_tolerance * reach_ / border_, 1.0)
                                 : cone_tolerance_;
    if (!in_normal_cone(a_.geometry, a_.pose, fa, c.point_a, c.normal, tolerance)) return;
    if (!in_normal_cone(b_.geometry, b_.pose, fb, c.point_b, -c.normal, tolerance)) return;
    out_.push_back({a_.geometry.index_of(fa), b_.geometry.index_of(fb), c});
  }

 private:
  const Side &a_, &b_;
  double envelope_, border_, reach_, cone_tolerance_ = k_cone_tolerance;
  std::vector<ShapeContact>& out_;
};

void convex_contacts(const Side& a, const Side& b, double envelope, double reach,
                     std::vector<ShapeContact>& out) {
  const Separation s = separation(a.geometry, a.pose, b.geometry, b.pose, envelope);
  if (s.gap > envelope) return;
  Scratch& memory = scratch();
  PairContacts pairs(a, b, envelope, reach, out);
  const double slab = envelope - s.gap + pairs.border();
  collect_features(a.geometry, a.pose, s.normal, slab, memory.features_a);
  collect_features(b.geometry, b.pose, -s.normal, slab, memory.features_b);
  const double lowest =
      s.gap - pairs.border();  // no two points of separated shapes are nearer than the shapes
  memory.outlines_b.clear();
  const double lowest_a = s.normal.dot(support_point(a.geometry, a.pose, s.normal)) - slab,
               lowest_b = -s.normal.dot(support_point(b.geometry, b.pose, -s.normal)) - slab;
  // Features that have passed each other are as far apart as the shapes overlap.
  const double near = envelope + reach + 2 * std::max(-s.gap, 0.0);
  for (const Feature& fb : memory.features_b)
    memory.outlines_b.push_back(outline_of(b.geometry, b.pose, fb, -s.normal, lowest_b));
  const auto add_all = [&](double floor) {
    for (const Feature& fa : memory.features_a) {
      const FeatureOutline outline_a = outline_of(a.geometry, a.pose, fa, s.normal, lowest_a);
      for (const FeatureOutline& outline_b : memory.outlines_b)
        if (can_touch(fa.kind, outline_b.feature.kind) &&
            !out_of_reach(outline_a, outline_b, near, k_cone_tolerance, s.normal))
          pairs.add(fa, outline_b.feature, floor, &s.normal);
    }
  };
  add_all(lowest);
  if (!out.empty() || s.gap >= 0) return;
  // The tip of a cone that has passed an edge: the best direction belongs to none of their features. The shallowest of
  // the others leads out.
  add_all(2 * lowest);
  if (out.size() < 2) return;
  std::swap(out[0],
            *std::max_element(out.begin(), out.end(), [](const ShapeContact& x, const ShapeContact& y) {
              return x.contact.gap < y.contact.gap;
            }));
  out.resize(1);
}

// `plane_is_b`: the half space is the second shape.
void half_space_contacts(const Side& shape, const Side& plane, bool plane_is_b, double envelope,
                         std::vector<ShapeContact>& out) {
  const Vector3 n = plane.pose.vector(plane.geometry.faces[0].normal);
  const Vector3 x0 = plane.pose.point(plane.geometry.faces[0].x);
  const Feature face{FeatureKind::face, 0, 0};
  Scratch& memory = scratch();
  const auto add = [&](PairContacts& pairs, const Feature& f) {
    constexpr double any = -std::numeric_limits<double>::infinity();
    plane_is_b ? pairs.add(f, face, any, nullptr) : pairs.add(face, f, any, nullptr);
  };
  PairContacts pairs(plane_is_b ? shape : plane, plane_is_b ? plane : shape, envelope, 0, out);
  // No corner of a solid is wrong below a plane, however it is turned: what comes down next is there in time.
  if (shape.geometry.circles.empty()) pairs.set_cone_tolerance(1);
  if (!shape.geometry.convex) {
    for (std::size_t i = 0; i < shape.geometry.points.size(); ++i)
      if (n.dot(shape.pose.point(shape.geometry.points[i].x) - x0) <= envelope)
        add(pairs, {FeatureKind::point, static_cast<int>(i), 0});
    return;
  }
  const double gap = n.dot(support_point(shape.geometry, shape.pose, -n) - x0);
  if (gap > envelope) return;
  collect_features(shape.geometry, shape.pose, -n, envelope - gap + pairs.border(), memory.features_a);
  for (const Feature& f : memory.features_a) add(pairs, f);
}

// The segment leaves the solid through the polygon, strictly between its ends.
bool crosses(const Geometry& geometry, const GeometryFace& face, const Vector3& from, const Vector3& to) {
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

// One of the sides is a mesh; `mesh_is_b`: the second one.
class MeshContacts {
 public:
  MeshContacts(const Side& shape, const Side& mesh, const MeshIndex& index, bool mesh_is_b, double envelope,
               double reach, std::vector<ShapeContact>& out)
      : shape_(shape),
        mesh_(mesh),
        index_(index),
        mesh_is_b_(mesh_is_b),
        envelope_(envelope),
        lowest_(-k_mesh_depth * shape.geometry.size),
        first_(out.size()),
        pairs_(mesh_is_b ? shape : mesh, mesh_is_b ? mesh : shape, envelope, reach, out),
        out_(out) {}

  void find() {
    Scratch& memory = scratch();
    // The shape in the frame of the mesh.
    const Pose local{mesh_.pose.R.transpose() * shape_.pose.R, mesh_.pose.local_point(shape_.pose.p)};
    index_.tree.query(inflate(bounds_of(shape_.geometry, local), envelope_ + pairs_.reach()), memory.faces);
    memory.edges.clear();
    memory.points.clear();
    for (int face : memory.faces) {
      add_face(face);
      for (int edge : index_.face_edges[face])
        if (edge >= 0 && mesh_.geometry.edges[edge].ridge) memory.edges.push_back(edge);
      for (int point : mesh_.geometry.loop(mesh_.geometry.faces[face]))
        if (index_.point_on_ridge[point] != 0) memory.points.push_back(point);
    }
    unique(memory.edges);
    unique(memory.points);
    for (int edge : memory.edges) {
      const GeometryEdge& e = mesh_.geometry.edges[edge];
      add_supports({FeatureKind::edge, edge, 0}, -(e.arm[0] + e.arm[1]));
    }
    for (int point : memory.points) {
      const GeometryPoint& p = mesh_.geometry.points[point];
      Vector3 outward = Vector3::Zero();
      for (int i = 0; i < p.num_arms; ++i) outward -= mesh_.geometry.arms[p.first_arm + i];
      add_supports({FeatureKind::point, point, 0}, outward);
    }
    drop_far_sides();
  }

 private:
  static void unique(std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  void add(const Feature& shape, const Feature& mesh) {
    mesh_is_b_ ? pairs_.add(shape, mesh, lowest_, nullptr) : pairs_.add(mesh, shape, lowest_, nullptr);
  }

  // The features of the shape that reach into the slab over the face.
  void add_face(int face) {
    const GeometryFace& f = mesh_.geometry.faces[face];
    const Vector3 n = mesh_.pose.vector(f.normal);
    const double gap =
        n.dot(support_point(shape_.geometry, shape_.pose, -n) - mesh_.pose.point(f.x)) - f.rounding;
    if (gap > envelope_) return;
    FeatureList& features = scratch().features_a;
    collect_features(shape_.geometry, shape_.pose, -n, envelope_ - gap + pairs_.border(), features);
    for (const Feature& feature : features) add(feature, {FeatureKind::face, face, 0});
  }

  // The features of the shape that look against a ridge or corner of the mesh.
  void add_supports(const Feature& feature, const Vector3& outward) {
    FeatureList& features = scratch().features_a;
    const Geometry& g = shape_.geometry;
    if (g.num_features() <= k_few_features) {
      // Cheaper than a selection, which would also need the whole normal cone of the ridge.
      for (FeatureIndex i = 0; i < g.num_features(); ++i) add(g.feature(i), feature);
      return;
    }
    if (outward.norm() < k_cone_tolerance) return;
    const Vector3 d = -mesh_.pose.vector(outward).normalized();
    collect_features(g, shape_.pose, d, 2 * g.bound, features);
    for (const Feature& f : features) add(f, feature);
  }

  // A feature of the shape that lies below a face is inside of the solid only if nothing of the surface is in between:
  // thin solids have a far side. And where it lies below several faces that meet in a ridge there is one way out, the
  // shortest, while in a hollow all of them hold.
  void drop_far_sides() {
    const auto of_mesh = [&](const ShapeContact& c) -> const Vector3& {
      return mesh_is_b_ ? c.contact.point_b : c.contact.point_a;
    };
    const auto of_shape = [&](const ShapeContact& c) -> const Vector3& {
      return mesh_is_b_ ? c.contact.point_a : c.contact.point_b;
    };
    const double outward = mesh_is_b_ ? -1 : 1;  // the normal points from a to b
    dropped_.assign(out_.size(), 0);
    for (std::size_t i = first_; i < out_.size(); ++i) {
      const FeatureContact& far = out_[i].contact;
      const double depth = -far.gap;
      if (depth <= pairs_.border()) continue;
      if (is_cut_off(out_[i])) dropped_[i] = 1;
      const Vector3 middle =
          middle_of(mesh_.geometry.feature(mesh_is_b_ ? out_[i].feature_b : out_[i].feature_a));
      for (std::size_t j = first_; j < out_.size() && dropped_[i] == 0; ++j) {
        const FeatureContact& near = out_[j].contact;
        if (near.margin < -pairs_.border() || depth <= std::abs(near.gap) + pairs_.border() ||
            near.normal.dot(far.normal) >= k_normal_agreement)
          continue;
        const bool beside = (of_shape(out_[i]) - of_shape(out_[j])).norm() <= depth ||
                            (of_mesh(out_[i]) - of_mesh(out_[j])).norm() <= depth;
        const bool hollow = outward * near.normal.dot(middle - of_mesh(out_[j])) > pairs_.border();
        dropped_[i] = beside && !hollow ? 1 : 0;
      }
    }
    std::size_t kept = first_;
    for (std::size_t i = first_; i < out_.size(); ++i)
      if (dropped_[i] == 0) out_[kept++] = out_[i];
    out_.resize(kept);
  }

  Vector3 middle_of(const Feature& f) const {
    const Geometry& g = mesh_.geometry;
    if (f.kind == FeatureKind::point) return mesh_.pose.point(g.points[f.index].x);
    if (f.kind == FeatureKind::edge)
      return mesh_.pose.point(0.5 * (g.edges[f.index].x[0] + g.edges[f.index].x[1]));
    Vector3 sum = Vector3::Zero();
    for (int i : g.loop(g.faces[f.index])) sum += g.points[i].x;
    return mesh_.pose.point(sum / g.faces[f.index].count);
  }

  // The way from the surface of the mesh down to the shape's point passes another face.
  bool is_cut_off(const ShapeContact& c) {
    const Feature feature = mesh_.geometry.feature(mesh_is_b_ ? c.feature_b : c.feature_a);
    if (feature.kind != FeatureKind::face) return false;
    const Vector3 from = mesh_.pose.local_point(mesh_is_b_ ? c.contact.point_b : c.contact.point_a),
                  to = mesh_.pose.local_point(mesh_is_b_ ? c.contact.point_a : c.contact.point_b);
    std::vector<int>& faces = scratch().faces;
    index_.tree.query({from.cwiseMin(to), from.cwiseMax(to)}, faces);
    return std::any_of(faces.begin(), faces.end(), [&](int face) {
      return face != feature.index && crosses(mesh_.geometry, mesh_.geometry.faces[face], from, to);
    });
  }

  const Side &shape_, &mesh_;
  const MeshIndex& index_;
  bool mesh_is_b_;
  double envelope_, lowest_;
  std::size_t first_;
  PairContacts pairs_;
  std::vector<ShapeContact>& out_;
  std::vector<char>& dropped_ = scratch().dropped;
};

}  // namespace

double border_tolerance(const Geometry& a, const Geometry& b) {
  const double size = std::min(a.size, b.size);
  return k_border_tolerance * (std::isfinite(size) ? size : 1.0);
}

Collider make_collider(const Shape& shape) {
  Collider out{.geometry = make_geometry(shape)};
  const Geometry& g = *out.geometry;
  if (g.convex) return out;
  auto index =
      std::make_shared<MeshIndex>(MeshIndex{.tree = TriangleTree(g), .face_edges = {}, .point_on_ridge = {}});
  index->face_edges.assign(g.faces.size(), {-1, -1, -1});
  index->point_on_ridge.assign(g.points.size(), 0);
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    const GeometryEdge& edge = g.edges[e];
    for (int face : edge.face) {
      if (face < 0) continue;
      auto& list = index->face_edges[face];
      *std::find(list.begin(), list.end(), -1) = static_cast<int>(e);
    }
    if (edge.ridge)
      for (int point : edge.point) index->point_on_ridge[point] = 1;
  }
  out.mesh = std::move(index);
  return out;
}

void find_contacts(const Collider& a, const Pose& pose_a, const Collider& b, const Pose& pose_b,
                   double envelope, double reach, std::vector<ShapeContact>& out) {
  const Side side_a{*a.geometry, pose_a}, side_b{*b.geometry, pose_b};
  const auto is_plane = [](const Collider& c) { return c.geometry->kind == ShapeKind::plane; };
  out.clear();
  if (is_plane(a) && is_plane(b)) return;
  if (is_plane(b))
    half_space_contacts(side_a, side_b, true, envelope, out);
  else if (is_plane(a))
    half_space_contacts(side_b, side_a, false, envelope, out);
  else if (a.mesh == nullptr && b.mesh == nullptr)
    convex_contacts(side_a, side_b, envelope, reach, out);
  else if (a.mesh == nullptr)
    MeshContacts(side_a, side_b, *b.mesh, true, envelope, reach, out).find();
  else if (b.mesh == nullptr)
    MeshContacts(side_b, side_a, *a.mesh, false, envelope, reach, out).find();
  std::sort(out.begin(), out.end(), by_features);
}

}  // namespace delassus
