// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/collision/manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "delassus/collision/feature_outline.hpp"
#include "delassus/collision/feature_placed.hpp"
#include "delassus/collision/inside.hpp"
#include "delassus/collision/mesh_pair.hpp"
#include "delassus/collision/pair_contacts.hpp"
#include "delassus/collision/separation.hpp"
#include "delassus/collision/support_features.hpp"

namespace delassus {
namespace {

// Shapes with at most so many features are tried in full against ridges of meshes, as all are against corners.
constexpr int k_few_features = 1024;
// 2 sin 60°, of the arms of a ridge: normals of a sharper one turn by more than collect_features follows.
constexpr double k_sharp_ridge = 1.7;

// Round-off of feet on nearly parallel edges, relative to the coordinates: a bound must be exceeded by more.
constexpr double k_region_slack = 1e-5;

using feature_pairs::PlacedFeature;

// A feature of a convex pair, placed when it is first evaluated.
struct Candidate {
  FeatureOutline outline;
  Sharpness sharpness;
  std::optional<PlacedFeature> placed = {};
  const PlacedFeature& place(const Geometry& geometry, const Pose& pose) {
    if (!placed) placed.emplace(geometry, pose, outline.feature, Extent::continued);
    return *placed;
  }
};

// Kept between calls for their memory.
struct Scratch {
  FeatureList features;
  std::vector<Candidate> candidates_a, candidates_b;
  PlacedShape placed;
  std::vector<EndBalls> rods;
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

// Of the features of one side of a convex pair that reach into the slab along `direction`.
void collect_candidates(const Side& side, const Vector3& direction, double slab,
                        std::vector<Candidate>& out) {
  FeatureList& features = scratch().features;
  collect_features(side.geometry, side.pose, direction, slab, features);
  // Only edges and circles are cut off there.
  const Geometry& g = side.geometry;
  const bool cut = !g.edges.empty() || !g.circles.empty();
  const double lowest = cut ? direction.dot(support_point(g, side.pose, direction)) - slab : 0;
  out.clear();
  for (const Feature& feature : features)
    out.emplace_back(outline_of(g, side.pose, feature, direction, lowest), sharpness_of(g, feature));
}

void convex_contacts(const Side& a, const Side& b, double envelope, double reach, const ContactSearch& search,
                     std::vector<ShapeContact>& out) {
  const Separation s = search.separation.has_value()
                           ? *search.separation
                           : separation(a.geometry, a.pose, b.geometry, b.pose, envelope);
  if (s.gap > envelope) return;
  Scratch& memory = scratch();
  PairContacts pairs(a, b, envelope, reach, search.exhaustive, out);
  const double slab = envelope - s.gap + pairs.border();
  collect_candidates(a, s.normal, slab, memory.candidates_a);
  collect_candidates(b, -s.normal, slab, memory.candidates_b);
  const double lowest =
      s.gap - pairs.border();  // no two points of separated shapes are nearer than the shapes
  // Features that have passed each other are as far apart as the shapes overlap.
  const double near = envelope + reach + 2 * std::max(-s.gap, 0.0);
  const auto add_all = [&](double floor, bool carrying, bool others) {
    for (Candidate& fa : memory.candidates_a)
      for (Candidate& fb : memory.candidates_b)
        if (can_touch(fa.outline.feature.kind, fb.outline.feature.kind) &&
            (can_carry(fa.sharpness, fb.sharpness) ? carrying : others) &&
            !out_of_reach(fa.outline, fb.outline, near, k_cone_tolerance, s.normal))
          pairs.add(fa.place(a.geometry, a.pose), fb.place(b.geometry, b.pose), floor, &s.normal);
  };
  add_all(lowest, true, !search.carrying);
  // What lies beside its features holds nothing where it is.
  const auto is_inside = [&](const ShapeContact& c) { return c.contact.margin >= -pairs.border(); };
  if (s.gap >= 0 || std::any_of(out.begin(), out.end(), is_inside)) return;
  const auto beside = static_cast<std::ptrdiff_t>(out.size());
  if (search.carrying) {
    add_all(lowest, false, true);
    const bool others = std::any_of(out.begin() + beside, out.end(), is_inside);
    out.resize(static_cast<std::size_t>(beside));
    if (others) return;
  }
  // The tip of a cone that has passed an edge: the best direction belongs to none of their features. The shallowest of
  // the others leads out.
  add_all(2 * lowest, true, true);
  if (out.begin() + beside == out.end()) return;
  std::swap(
      out[static_cast<std::size_t>(beside)],
      *std::max_element(out.begin() + beside, out.end(), [&](const ShapeContact& x, const ShapeContact& y) {
        return is_inside(x) == is_inside(y) ? x.contact.gap < y.contact.gap : is_inside(y);
      }));
  out.resize(static_cast<std::size_t>(beside) +
             (beside == 0 || is_inside(out[static_cast<std::size_t>(beside)]) ? 1 : 0));
}

// `plane_is_b`: the half space is the second shape.
void half_space_contacts(const Side& shape, const Side& plane, bool plane_is_b, double envelope,
                         bool exhaustive, std::vector<ShapeContact>& out) {
  const Vector3 n = plane.pose.vector(plane.geometry.faces[0].normal);
  const Vector3 x0 = plane.pose.point(plane.geometry.faces[0].x);
  double gap = 0;  // of the lowest point of a convex shape
  if (shape.geometry.convex) {
    gap = n.dot(support_point(shape.geometry, shape.pose, -n) - x0);
    if (gap > envelope) return;
  }
  PairContacts pairs(plane_is_b ? shape : plane, plane_is_b ? plane : shape, envelope, 0, exhaustive, out);
  const PlacedFeature face(plane.geometry, plane.pose, {FeatureKind::face, 0, 0}, Extent::continued);
  const auto add = [&](const Feature& f) {
    constexpr double any = -std::numeric_limits<double>::infinity();
    if (!can_touch(f.kind, FeatureKind::face)) return;
    const PlacedFeature feature(shape.geometry, shape.pose, f, Extent::continued);
    plane_is_b ? pairs.add(feature, face, any, nullptr) : pairs.add(face, feature, any, nullptr);
  };
  // No corner of a solid is wrong below a plane, however it is turned: what comes down next is there in time.
  if (shape.geometry.circles.empty()) pairs.set_cone_tolerance(1);
  if (!shape.geometry.convex) {
    for (std::size_t i = 0; i < shape.geometry.points.size(); ++i)
      if (n.dot(shape.pose.point(shape.geometry.points[i].x) - x0) <= envelope)
        add({FeatureKind::point, static_cast<int>(i), 0});
    return;
  }
  FeatureList& features = scratch().features;
  collect_features(shape.geometry, shape.pose, -n, envelope - gap + pairs.border(), features);
  for (const Feature& f : features) add(f);
}

// One of the sides is a mesh; `mesh_is_b`: the second one.
class MeshContacts {
 public:
  MeshContacts(const Side& shape, const Side& mesh, const MeshIndex& index, bool mesh_is_b, double envelope,
               double reach, bool exhaustive, std::vector<ShapeContact>& out)
      : shape_(shape),
        mesh_(mesh),
        index_(index),
        mesh_is_b_(mesh_is_b),
        envelope_(envelope),
        lowest_(-k_mesh_depth * shape.geometry.size),
        first_(out.size()),
        pairs_(mesh_is_b ? shape : mesh, mesh_is_b ? mesh : shape, envelope, reach, exhaustive, out),
        out_(out) {}

  void find() {
    Scratch& memory = scratch();
    placed_.reset(shape_.geometry, shape_.pose);
    // The shape in the frame of the mesh.
    const Pose local{mesh_.pose.R.transpose() * shape_.pose.R, mesh_.pose.local_point(shape_.pose.p)};
    box_ = bounds_of(shape_.geometry, local);
    index_.tree.query(inflate(box_, envelope_ + pairs_.reach()), memory.faces);
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
    if (!memory.edges.empty() || !memory.points.empty()) prepare_ridges(local);
    for (int edge : memory.edges) {
      const GeometryEdge& e = mesh_.geometry.edges[edge];
      // Of one that is nearly flat both faces have the same normal.
      const Vector3 outward = -(e.arm[0] + e.arm[1]);
      const bool flat = outward.norm() < k_cone_tolerance;
      add_supports({FeatureKind::edge, edge, 0}, flat ? mesh_.geometry.faces[e.face[0]].normal : outward,
                   {.x = e.x[0], .arms = e.arm, .one_sided = !e.arm[1].isZero()});
    }
    for (int point : memory.points) {
      const GeometryPoint& p = mesh_.geometry.points[point];
      const std::span<const Vector3> arms{mesh_.geometry.arms.data() + p.first_arm,
                                          static_cast<std::size_t>(p.num_arms)};
      add_supports({FeatureKind::point, point, 0}, Vector3::Zero(),
                   {.x = p.x, .arms = arms, .one_sided = true});
    }
    drop_far_sides();
  }

 private:
  static void unique(std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  void add(const PlacedFeature& shape, const PlacedFeature& mesh) {
    mesh_is_b_ ? pairs_.add(shape, mesh, lowest_, nullptr) : pairs_.add(mesh, shape, lowest_, nullptr);
  }

  // The features of the shape that reach into the slab over the face.
  void add_face(int face) {
    const GeometryFace& f = mesh_.geometry.faces[face];
    const Vector3 n = mesh_.pose.vector(f.normal);
    const double gap =
        n.dot(support_point(shape_.geometry, shape_.pose, -n) - mesh_.pose.point(f.x)) - f.rounding;
    if (gap > envelope_) return;
    FeatureList& features = scratch().features;
    collect_features(shape_.geometry, shape_.pose, -n, envelope_ - gap + pairs_.border(), features);
    std::erase_if(features, [&](const Feature& feature) {
      return !can_touch(feature.kind, FeatureKind::face) || is_turned_away(shape_, feature, n);
    });
    if (features.empty()) return;
    const PlacedFeature placed(mesh_.geometry, mesh_.pose, {FeatureKind::face, face, 0}, Extent::continued);
    for (const Feature& feature : features) add(placed_.at(feature), placed);
  }

  // The normal of a corner on a face is that of the face.
  bool is_turned_away(const Side& side, const Feature& corner, const Vector3& face_normal) const {
    if (pairs_.exhaustive() || corner.kind != FeatureKind::point || has_one_contact(side.geometry, corner))
      return false;
    return !in_normal_cone(side.geometry, side.pose, corner, Vector3::Zero(), -face_normal,
                           pairs_.cone_tolerance());
  }

  // Edges of the shape with what their continuations reach, and the limits of (2) of feature_outline.
  void prepare_ridges(const Pose& local) {
    const Geometry& g = shape_.geometry;
    const bool balls = g.kind == ShapeKind::ellipsoid || g.points[0].num_arms == 0;
    reach_ = {.envelope = envelope_,
              .depth = envelope_ + pairs_.reach() - lowest_,
              .tolerance = balls ? std::max(pairs_.cone_tolerance(), pairs_.single_tolerance())
                                 : pairs_.cone_tolerance(),
              .slack = k_region_slack * (pairs_.scale() + g.bound)};
    rods_.clear();
    for (const GeometryEdge& edge : g.edges) {
      const Vector3 along = edge.x[1] - edge.x[0];
      const double share = pairs_.reach() / along.norm(), taper = edge.radius[1] - edge.radius[0];
      EndBalls rod;
      for (int i = 0; i < 2; ++i) {
        const double beyond = i == 0 ? -share : share;
        rod.x[i] = local.point(edge.x[i] + beyond * along);
        rod.radius[i] = std::abs(edge.radius[i] + beyond * taper);
      }
      rods_.push_back(rod);
    }
  }

  // The features of the shape that look against a ridge or corner of the mesh. `outward`: between the faces of a ridge.
  void add_supports(const Feature& ridge, const Vector3& outward, const RidgeRegion& region) {
    const Geometry& g = shape_.geometry;
    const bool all = pairs_.exhaustive(), box = all || !region.misses(box_, reach_);
    // Only edges and faces, continued, go beyond the box.
    const auto in_reach = [&](const Feature& f) {
      if (f.kind == FeatureKind::edge) return all || !region.misses(rods_[f.index], reach_);
      if (f.kind == FeatureKind::face)
        return ridge.kind == FeatureKind::point &&
               !is_turned_away(mesh_, ridge, shape_.pose.vector(g.faces[f.index].normal));
      return box;
    };
    FeatureList& features = scratch().features;
    features.clear();
    const bool wide = ridge.kind == FeatureKind::point || outward.norm() > k_sharp_ridge;
    if (all || wide || g.num_features() <= k_few_features) {
      // Cheaper than a selection, which would also need the whole normal cone of the ridge.
      const auto append = [&](FeatureKind kind, std::size_t count, int branches = 1) {
        for (int i = 0; i < static_cast<int>(count); ++i)
          for (int branch = 0; branch < branches; ++branch)
            if (in_reach({kind, i, branch})) features.push_back({kind, i, branch});
      };
      if (box) append(FeatureKind::point, g.points.size());
      append(FeatureKind::edge, g.edges.size());
      append(FeatureKind::face, ridge.kind == FeatureKind::point ? g.faces.size() : 0);
      if (box) append(FeatureKind::circle, g.circles.size(), 2);
      if (box) append(FeatureKind::ellipsoid, g.kind == ShapeKind::ellipsoid ? 1 : 0);
    } else {
      collect_features(g, shape_.pose, -mesh_.pose.vector(outward).normalized(), 2 * g.bound, features);
      std::erase_if(features, [&](const Feature& f) { return !in_reach(f); });
    }
    if (features.empty()) return;
    const PlacedFeature placed(mesh_.geometry, mesh_.pose, ridge, Extent::continued);
    for (const Feature& f : features) add(placed_.at(f), placed);
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
      if (is_cut_off(out_[i]) || is_beside(out_[i])) dropped_[i] = 1;
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

  // A corner or an edge of the mesh that lies below a feature of the shape, but not in the shape, nor the feature in the
  // solid: of an acute rim that has just gone below a ridge only the latter is true.
  bool is_beside(const ShapeContact& c) const {
    const Feature feature = mesh_.geometry.feature(mesh_is_b_ ? c.feature_b : c.feature_a);
    const Vector3 &on_mesh = mesh_is_b_ ? c.contact.point_b : c.contact.point_a,
                  &on_shape = mesh_is_b_ ? c.contact.point_a : c.contact.point_b;
    return feature.kind != FeatureKind::face &&
           !is_inside(shape_.geometry, shape_.pose.local_point(on_mesh), pairs_.border()) &&
           !(feature.kind == FeatureKind::edge &&
             is_below_ridge(mesh_.geometry.edges[feature.index], mesh_.pose.local_point(on_mesh),
                            mesh_.pose.local_point(on_shape)));
  }

  // From a point of the edge to x the way goes down into the solid, and does not leave it.
  bool is_below_ridge(const GeometryEdge& edge, const Vector3& on_edge, const Vector3& x) const {
    for (int face : edge.face) {
      if (face < 0) return false;
      const GeometryFace& f = mesh_.geometry.faces[face];
      if (f.normal.dot(x - f.x) - f.rounding > pairs_.border()) return false;
    }
    return edge.ridge && !leaves_between(mesh_.geometry, index_, edge.face[0], on_edge, x, scratch().faces);
  }

  // The way from the surface of the mesh down to the shape's point passes another face.
  bool is_cut_off(const ShapeContact& c) {
    const Feature feature = mesh_.geometry.feature(mesh_is_b_ ? c.feature_b : c.feature_a);
    if (feature.kind != FeatureKind::face) return false;
    const Vector3 from = mesh_.pose.local_point(mesh_is_b_ ? c.contact.point_b : c.contact.point_a),
                  to = mesh_.pose.local_point(mesh_is_b_ ? c.contact.point_a : c.contact.point_b);
    return leaves_between(mesh_.geometry, index_, feature.index, from, to, scratch().faces);
  }

  const Side &shape_, &mesh_;
  const MeshIndex& index_;
  bool mesh_is_b_;
  double envelope_, lowest_;
  std::size_t first_;
  PairContacts pairs_;
  std::vector<ShapeContact>& out_;
  Bounds box_;  // of the shape, in the frame of the mesh
  RidgeRegion::Reach reach_;
  PlacedShape& placed_ = scratch().placed;
  std::vector<EndBalls>& rods_ = scratch().rods;  // edges of the shape, in the frame of the mesh
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
                   double envelope, double reach, std::vector<ShapeContact>& out,
                   const ContactSearch& search) {
  const Side side_a{*a.geometry, pose_a}, side_b{*b.geometry, pose_b};
  const auto is_plane = [](const Collider& c) { return c.geometry->kind == ShapeKind::plane; };
  out.clear();
  if (is_plane(a) && is_plane(b)) return;
  if (is_plane(b))
    half_space_contacts(side_a, side_b, true, envelope, search.exhaustive, out);
  else if (is_plane(a))
    half_space_contacts(side_b, side_a, false, envelope, search.exhaustive, out);
  else if (a.mesh == nullptr && b.mesh == nullptr)
    convex_contacts(side_a, side_b, envelope, reach, search, out);
  else if (a.mesh == nullptr)
    MeshContacts(side_a, side_b, *b.mesh, true, envelope, reach, search.exhaustive, out).find();
  else if (b.mesh == nullptr)
    MeshContacts(side_b, side_a, *a.mesh, false, envelope, reach, search.exhaustive, out).find();
  else
    find_mesh_contacts(side_a, *a.mesh, side_b, *b.mesh, envelope, reach, search.exhaustive, out);
  // On a half space all of them carry. The search of convex pairs has left out the others, unless it had to fall back on
  // them.
  const bool may_not_carry = a.mesh != nullptr || b.mesh != nullptr || out.size() == 1;
  if (search.carrying && may_not_carry && !is_plane(a) && !is_plane(b))
    std::erase_if(out, [&](const ShapeContact& c) {
      return !can_carry(*a.geometry, a.geometry->feature(c.feature_a), *b.geometry,
                        b.geometry->feature(c.feature_b));
    });
  // Contacts are large, and mostly in order.
  if (!std::is_sorted(out.begin(), out.end(), by_features)) std::sort(out.begin(), out.end(), by_features);
}

}  // namespace delassus
