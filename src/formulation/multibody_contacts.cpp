// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts of a multibody system: particles against planes and each other, limits of joints, and shapes.
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "delassus/base/parallel.hpp"
#include "delassus/formulation/multibody_system.hpp"

namespace delassus {
namespace {

// Contacts of a chunk of parallel_for: the geometry of one takes 0.3 to 2 µs.
constexpr std::size_t k_contact_grain = 64;
// An axis of friction nearer to the normal than this has no direction along the surface [-].
constexpr double k_shortest_axis = 1e-6;

}  // namespace

void MultibodySystem::make_contacts() {
  for (const PairContact& contact : model_.pair_contacts) {
    const Vector3 d = model_.bodies[contact.body_b].position - model_.bodies[contact.body_a].position;
    reference_normals_.push_back(d.norm() > 0 ? Vector3(d.normalized()) : Vector3(Vector3::UnitX()));
  }
  for (std::size_t i = 0; i < model_.limits.size(); ++i) {
    const CoordinateLimit& limit = model_.limits[i];
    if (std::isfinite(limit.lower)) limits_.push_back({static_cast<int>(i), 1.0, limit.lower});
    if (std::isfinite(limit.upper)) limits_.push_back({static_cast<int>(i), -1.0, limit.upper});
  }
  world_ = CollisionWorld(model_);
}

std::string MultibodySystem::contact_name(ContactId id) const {
  if (is_shape(id)) return world_.name(id);
  if (is_limit(id)) return model_.limits[limit(id).limit].name + (limit(id).sign > 0 ? ".lower" : ".upper");
  return is_plane(id) ? model_.plane_contacts[id].name : pair(id).name;
}

bool MultibodySystem::has_contacts() const {
  return num_listed() > 0 || world_.any_pair();
}

void MultibodySystem::candidates(double t, const VectorRef& q, const VectorRef& v, double h,
                                 std::vector<ContactId>& ids) const {
  // The pairs that the user lists one by one are all candidates: none can be missed.
  ids.resize(num_listed());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  if (!world_.any_pair()) return;
  thread_local std::vector<BodyPlacement> bodies;
  place_shapes(t, q, v.data(), bodies);
  // Beside the velocity: what gravity adds within the step.
  world_.candidates(bodies, h, 0.5 * h * h * model_.gravity.norm(), ids);
}

void MultibodySystem::place_shapes(double t, const VectorRef& q, const double* v,
                                   std::vector<BodyPlacement>& out) const {
  out.resize(model_.bodies.size());
  for (int i = 0; i < num_bodies(); ++i) {
    const BodyKinematics b = kinematics(i, t, q, v);
    out[i] = {{b.R, b.x},
              b.velocity.head<3>(),
              b.R * b.velocity.tail<3>(),
              b.acceleration.head<3>(),
              b.R * b.acceleration.tail<3>()};
  }
}

std::vector<CollisionWorld::Overlap> MultibodySystem::overlaps(double t, const VectorRef& q,
                                                               double tolerance) const {
  std::vector<BodyPlacement> bodies;
  place_shapes(t, q, nullptr, bodies);
  std::vector<CollisionWorld::Overlap> out;
  world_.overlaps(bodies, tolerance, out);
  return out;
}

double MultibodySystem::contact_step_limit(std::span<const ContactId> ids, double t, const VectorRef& q,
                                           const VectorRef& v, double h) const {
  // Over a turn by less the gap of a feature that turns is nearly a cubic [rad].
  constexpr double largest_turn = 0.3;
  // Curved and sharp features can be passed altogether: no farther than this fraction of the smaller shape at once.
  constexpr double largest_way = 0.4;
  const auto limit_of = [&](ContactId id, std::span<const BodyKinematics> prescribed) {
    double limit = h;
    const CollisionWorld::Ends ends = world_.ends(id);
    const ShapeContactState s = shape_contact(ends, prescribed, q, v.data());
    const double speed = (s.velocity_b - s.velocity_a).norm(), gap = std::abs(s.contact.gap);
    const bool flat = ends.feature_a.kind == FeatureKind::face || ends.feature_b.kind == FeatureKind::face;
    if (!flat && speed * h > gap) limit = std::min(limit, largest_way * world_.pair_size(ends) / speed);
    const auto turn = [&](int shape, const Vector3& arm, const Vector3& omega) {
      // A ball about its centre of mass looks the same however it turns.
      const double lever = std::abs(arm.norm() - world_.ball_radius(shape));
      if (omega.norm() * lever * h > gap && lever > 1e-9 * arm.norm())
        limit = std::min(limit, largest_turn / omega.norm());
    };
    turn(ends.shape_a, s.arm_a, s.omega_a);
    turn(ends.shape_b, s.arm_b, s.omega_b);
    return limit;
  };
  const std::span<const BodyKinematics> prescribed = prescribed_motions(t);
  thread_local std::vector<double> memory;
  std::vector<double>& limits = memory;  // that of this thread, on whichever the body runs
  limits.assign(ids.size(), h);
  parallel_for(ids.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_shape(ids[i])) limits[i] = limit_of(ids[i], prescribed);
  });
  double limit = h;
  for (double one : limits) limit = std::min(limit, one);
  return limit;
}

ContactId MultibodySystem::successor(ContactId id, double t, const VectorRef& q) const {
  if (!is_shape(id)) return id;
  std::vector<BodyPlacement> bodies;
  place_shapes(t, q, nullptr, bodies);
  return world_.successor(id, bodies);
}

std::span<const BodyKinematics> MultibodySystem::prescribed_motions(double t) const {
  thread_local std::vector<BodyKinematics> motions;
  motions.clear();
  const Vector none;
  for (int body : kinematic_bodies_) motions.push_back(kinematics(body, t, none, nullptr));
  return motions;
}

BodyKinematics MultibodySystem::contact_kinematics(int body, std::span<const BodyKinematics> prescribed,
                                                   const VectorRef& q, const double* v) const {
  // What is not prescribed does not depend on time.
  return kinematic_index_[body] >= 0 ? prescribed[kinematic_index_[body]] : kinematics(body, 0, q, v);
}

MultibodySystem::ShapeContactState MultibodySystem::shape_contact(const CollisionWorld::Ends& ends,
                                                                  std::span<const BodyKinematics> prescribed,
                                                                  const VectorRef& q, const double* v) const {
  return shape_contact(ends, contact_kinematics(ends.body_a, prescribed, q, v),
                       contact_kinematics(ends.body_b, prescribed, q, v));
}

MultibodySystem::ShapeContactState MultibodySystem::shape_contact(const CollisionWorld::Ends& ends,
                                                                  const BodyKinematics& a,
                                                                  const BodyKinematics& b) const {
  ShapeContactState out;
  out.body_a = ends.body_a;
  out.body_b = ends.body_b;
  out.a = a;
  out.b = b;
  out.contact = world_.contact(ends, {.pose = {out.a.R, out.a.x}}, {.pose = {out.b.R, out.b.x}});
  out.omega_a = out.a.R * out.a.velocity.tail<3>();
  out.omega_b = out.b.R * out.b.velocity.tail<3>();
  const Material &surface_a = world_.surface(ends.shape_a), &surface_b = world_.surface(ends.shape_b);
  out.surface_velocity_a = out.a.R * surface_a.surface_velocity;
  out.surface_velocity_b = out.b.R * surface_b.surface_velocity;
  // The axis of the first surface that has one.
  const bool axis_of_a = !surface_a.friction_axis.isZero(0);
  if (axis_of_a || !surface_b.friction_axis.isZero(0)) {
    out.axis =
        axis_of_a ? Vector3(out.a.R * surface_a.friction_axis) : Vector3(out.b.R * surface_b.friction_axis);
    out.axis_rate = (axis_of_a ? out.omega_a : out.omega_b).cross(out.axis);
    out.has_axis = out.contact.normal.cross(out.axis).norm() > k_shortest_axis;
  }
  Vector3 t1, t2;
  if (out.has_axis) {
    make_tangents(out.contact.normal, out.axis, t1, t2);
    out.tangent_ratio = world_.material(ends).friction_ratio();
  } else {
    make_tangents(out.contact.normal, t1, t2);
  }
  out.frame << out.contact.normal.transpose(), t1.transpose(), t2.transpose();
  out.arm_a = out.contact.point_a - out.a.x;
  out.arm_b = out.contact.point_b - out.b.x;
  out.velocity_a = out.a.velocity.head<3>() + out.omega_a.cross(out.arm_a);
  out.velocity_b = out.b.velocity.head<3>() + out.omega_b.cross(out.arm_b);
  return out;
}

int MultibodySystem::num_contact_rows(ContactId id) const {
  if (is_limit(id)) return 1;
  return is_shape(id) && world_.any_turning() && world_.material(world_.ends(id)).resists_turning() ? 6 : 3;
}

// The group of a contact, still empty.
void MultibodySystem::add_shape_group(ContactId id, ContactRows& out) const {
  const CollisionWorld::Ends ends = world_.ends(id);
  const Material material = world_.material(ends);
  out.rows.add_group(material.resists_turning() ? 6 : 3);
  for (int body : {ends.body_a, ends.body_b})
    if (places_[body].nv > 0) out.rows.add_block(places_[body].v, places_[body].nv);
  out.surfaces.push_back({.friction = material.friction,
                          .restitution = material.restitution,
                          .rolling = material.rolling_friction,
                          .spinning = material.spinning_friction,
                          .curve = {.kinetic = material.kinetic_friction,
                                    .speed = material.stribeck_speed,
                                    .exponent = material.stribeck_exponent,
                                    .viscous = material.viscous_friction}});
}

// Relative velocity of the material points in the frame of the contact: for each of its directions f the row of a body
// is  ± (f, Rᵀ(arm × f)), and that of the relative turning about f, in the order (t1, t2, n),  ± (0, Rᵀ f).
FeatureContact MultibodySystem::fill_shape_rows(ContactId id, int group,
                                                std::span<const BodyKinematics> prescribed,
                                                const VectorRef& q, ContactRows& out) const {
  // Velocities of prescribed bodies only.
  const ShapeContactState s = shape_contact(world_.ends(id), prescribed, q, nullptr);
  int next_block = 0;
  const auto fill_body = [&](int body, const BodyKinematics& k, const Vector3& arm, double sign) {
    const Place& place = places_[body];
    if (place.nv == 0) return;
    BlockRows::Block block = out.rows.block(group, next_block++);
    block.topLeftCorner(3, 3) = sign * s.frame;
    if (place.nv == 6)
      for (int i = 0; i < 3; ++i)
        block.row(i).tail(3) = sign * (k.R.transpose() * arm.cross(s.frame.row(i).transpose())).transpose();
    block.row(2) *= s.tangent_ratio;
    if (block.rows() == 6 && place.nv == 6) {
      block.block(3, 3, 2, 3) = sign * s.frame.bottomRows(2) * k.R;
      block.row(5).tail(3) = sign * s.frame.row(0) * k.R;
    }
  };
  fill_body(s.body_a, s.a, s.arm_a, -1);
  fill_body(s.body_b, s.b, s.arm_b, 1);
  const int first = out.rows.first_row(group);
  out.surfaces[group].tangent_ratio = s.tangent_ratio;
  Vector3 drift = s.frame * (s.velocity_b - s.velocity_a);
  drift.tail<2>() += s.frame.bottomRows<2>() * (s.surface_velocity_b - s.surface_velocity_a);
  drift[2] *= s.tangent_ratio;
  out.drift_velocity.segment<3>(first) = drift;
  if (out.rows.group_rows(group) == 6)
    out.drift_velocity.segment<3>(first + 3) = s.turning(s.omega_b - s.omega_a);
  return s.contact;
}

Vector3 MultibodySystem::ShapeContactState::turning(const Vector3& omega) const {
  return {frame.row(1).dot(omega), frame.row(2).dot(omega), frame.row(0).dot(omega)};
}

// d/dt of fᵀ(v_b − v_a) at the wandering points of contact:  ḟᵀ(v_b − v_a) + fᵀ(a_b − a_a),
// a = v̇ + ω̇ × arm + ω × (ẋ_point − ẋ), where v̇ and ω̇ are those of prescribed bodies (ω is constant in both axes).
// The velocity w of a moving surface turns with its body, ẇ = ω × w; the rows of turning have ḟᵀ(ω_b − ω_a) + fᵀ(ω̇_b − ω̇_a).
void MultibodySystem::shape_bias(ContactId id, std::span<const BodyKinematics> prescribed, const VectorRef& q,
                                 const VectorRef& v, Eigen::Ref<Vector> out) const {
  const ShapeContactState s = shape_contact(world_.ends(id), prescribed, q, v.data());
  const ContactRates rates = contact_rates(s.contact, s.velocity_a, s.omega_a, s.velocity_b, s.omega_b);
  const auto acceleration = [](const BodyKinematics& k, const Vector3& omega, const Vector3& arm,
                               const Vector3& point_rate) {
    const Vector3 alpha = k.R * k.acceleration.tail<3>();
    return Vector3(k.acceleration.head<3>() + alpha.cross(arm) +
                   omega.cross(point_rate - k.velocity.head<3>()));
  };
  const Vector3 relative = acceleration(s.b, s.omega_b, s.arm_b, rates.point_b) -
                           acceleration(s.a, s.omega_a, s.arm_a, rates.point_a),
                slip = s.velocity_b - s.velocity_a;
  Matrix3 frame_rate;
  if (s.has_axis)
    tangent_rates(s.contact.normal, rates.normal, s.axis, s.axis_rate, frame_rate);
  else
    tangent_rates(s.contact.normal, rates.normal, frame_rate);
  const Vector3 surface = s.surface_velocity_b - s.surface_velocity_a,
                surface_rate = s.omega_b.cross(s.surface_velocity_b) - s.omega_a.cross(s.surface_velocity_a);
  out.head<3>() = frame_rate * slip + s.frame * relative;
  out.segment<2>(1) += frame_rate.bottomRows<2>() * surface + s.frame.bottomRows<2>() * surface_rate;
  out[2] *= s.tangent_ratio;
  if (out.size() < 6) return;
  const Vector3 turning = s.omega_b - s.omega_a;
  const Vector3 acceleration_of_turning =
      s.b.R * s.b.acceleration.tail<3>() - s.a.R * s.a.acceleration.tail<3>();
  out.segment<3>(3) = s.turning(acceleration_of_turning);
  out.segment<2>(3) += frame_rate.bottomRows<2>() * turning;
  out[5] += frame_rate.row(0).dot(turning);
}

ContactGeometry MultibodySystem::geometry(ContactId id, const VectorRef& q, const VectorRef* v) const {
  const auto part = [&](const VectorRef& x, int at) { return Vector3(x.segment<3>(at)); };
  if (is_plane(id)) {
    const PlaneContact& c = model_.plane_contacts[id];
    return plane_geometry(c, part(q, places_[c.body].q));
  }
  const PairContact& c = pair(id);
  const Place &a = places_[c.body_a], &b = places_[c.body_b];
  const Vector3 rate = v != nullptr ? Vector3(part(*v, b.v) - part(*v, a.v)) : Vector3(Vector3::Zero());
  return pair_geometry(c, reference_normals_[id - model_.plane_contacts.size()], part(q, a.q), part(q, b.q),
                       rate);
}

void MultibodySystem::gaps(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps,
                           Vector* margins) const {
  gaps.resize(static_cast<Eigen::Index>(ids.size()));
  if (margins != nullptr) margins->setConstant(gaps.size(), std::numeric_limits<double>::infinity());
  const std::span<const BodyKinematics> prescribed = prescribed_motions(t);
  parallel_for(ids.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_shape(ids[i])) continue;
      const CollisionWorld::Ends ends = world_.ends(ids[i]);
      const BodyKinematics a = contact_kinematics(ends.body_a, prescribed, q, nullptr),
                           b = contact_kinematics(ends.body_b, prescribed, q, nullptr);
      const FeatureContact contact = world_.contact(ends, {.pose = {a.R, a.x}}, {.pose = {b.R, b.x}});
      gaps[i] = contact.gap;
      if (margins != nullptr) (*margins)[i] = contact.margin;
    }
  });
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!is_shape(ids[i])) gaps[i] = listed_gap(ids[i], t, q);
}

double MultibodySystem::listed_gap(ContactId id, double t, const VectorRef& q) const {
  if (!is_limit(id)) return geometry(id, q, nullptr).gap;
  Evaluation x;
  const LimitContact& c = limit(id);
  evaluate_coordinate(coordinate_index(model_.limits[c.limit].coordinate), t, q, nullptr, false, x);
  return c.sign * (x.pair.value - c.bound);
}

void MultibodySystem::contact_rows(std::span<const ContactId> ids, double t, const VectorRef& q,
                                   ContactRows& out) const {
  add_groups(ids, t, q, out);
  const std::span<const BodyKinematics> prescribed = prescribed_motions(t);
  parallel_for(ids.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_shape(ids[i])) fill_shape_rows(ids[i], static_cast<int>(i), prescribed, q, out);
  });
}

void MultibodySystem::gaps_and_rows(std::span<const ContactId> ids, double t, const VectorRef& q,
                                    Vector& gaps, Vector& margins, ContactRows& out) const {
  add_groups(ids, t, q, out);
  gaps.resize(static_cast<Eigen::Index>(ids.size()));
  margins.setConstant(gaps.size(), std::numeric_limits<double>::infinity());
  const std::span<const BodyKinematics> prescribed = prescribed_motions(t);
  parallel_for(ids.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_shape(ids[i])) continue;
      const FeatureContact contact = fill_shape_rows(ids[i], static_cast<int>(i), prescribed, q, out);
      gaps[i] = contact.gap;
      margins[i] = contact.margin;
    }
  });
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!is_shape(ids[i])) gaps[i] = listed_gap(ids[i], t, q);
}

void MultibodySystem::add_groups(std::span<const ContactId> ids, double t, const VectorRef& q,
                                 ContactRows& out) const {
  out.rows.clear(nv());
  out.surfaces.clear();
  Eigen::Index num_rows = 0;
  for (ContactId id : ids) num_rows += num_contact_rows(id);
  out.drift_velocity.setZero(num_rows);
  Evaluation x;
  for (ContactId id : ids) {
    if (is_shape(id)) {
      add_shape_group(id, out);
      continue;
    }
    if (is_limit(id)) {
      const LimitContact& c = limit(id);
      const int coordinate = coordinate_index(model_.limits[c.limit].coordinate);
      evaluate_coordinate(coordinate, t, q, nullptr, false, x);
      const int group = out.rows.add_group(1);
      add_pair_row(coordinates_[coordinate].function, x.pair.gradient, c.sign, out.rows);
      out.drift_velocity[out.rows.first_row(group)] = c.sign * x.pair.gradient.dot(x.V);
      out.surfaces.push_back({.restitution = model_.limits[c.limit].restitution});
      continue;
    }
    const ContactGeometry g = geometry(id, q, nullptr);
    Matrix3 frame;
    frame << g.normal.transpose(), g.tangents[0].transpose(), g.tangents[1].transpose();
    const int group = out.rows.add_group(3);
    if (is_plane(id)) {
      const PlaneContact& c = model_.plane_contacts[id];
      out.rows.add_block(places_[c.body].v, 3) = frame;
      const Vector3 drift = -(frame * c.surface_velocity);
      out.drift_velocity.segment<2>(out.rows.first_row(group) + 1) = drift.tail<2>();
      out.surfaces.push_back({.friction = c.friction, .restitution = c.restitution});
    } else {
      const PairContact& c = pair(id);
      out.rows.add_block(places_[c.body_a].v, 3) = -frame;
      out.rows.add_block(places_[c.body_b].v, 3) = frame;
      out.surfaces.push_back({.friction = c.friction, .restitution = c.restitution});
    }
  }
}

void MultibodySystem::contact_bias(std::span<const ContactId> ids, double t, const VectorRef& q,
                                   const VectorRef& v, Vector& bias) const {
  Eigen::Index num_rows = 0;
  for (ContactId id : ids) num_rows += num_contact_rows(id);
  bias.setZero(num_rows);
  thread_local std::vector<Eigen::Index> memory;
  std::vector<Eigen::Index>& first_rows =
      memory;  // of each contact; that of this thread, on whichever the body runs
  first_rows.clear();
  Evaluation x;
  Eigen::Index row = 0;
  for (ContactId id : ids) {
    first_rows.push_back(row);
    if (is_limit(id)) {
      const LimitContact& c = limit(id);
      const int coordinate = coordinate_index(model_.limits[c.limit].coordinate);
      evaluate_coordinate(coordinate, t, q, v.data(), true, x);
      bias[row++] =
          c.sign * (x.V.dot(x.pair.curvature * x.V) +
                    prescribed_acceleration(coordinates_[coordinate].function, t, q, x.pair.gradient));
      continue;
    }
    if (!is_shape(id) && !is_plane(id)) {
      const PairContact& c = pair(id);
      const Vector3 rate = v.segment<3>(places_[c.body_b].v) - v.segment<3>(places_[c.body_a].v);
      const ContactGeometry g = geometry(id, q, &v);
      bias.segment<3>(row) << g.normal_rate.dot(rate), g.tangent_rates[0].dot(rate),
          g.tangent_rates[1].dot(rate);
    }
    row += num_contact_rows(id);
  }
  const std::span<const BodyKinematics> prescribed = prescribed_motions(t);
  parallel_for(ids.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_shape(ids[i]))
        shape_bias(
            ids[i], prescribed, q, v,
            bias.segment(first_rows[i], (i + 1 < ids.size() ? first_rows[i + 1] : row) - first_rows[i]));
  });
}

void MultibodySystem::contact_frame(ContactId id, double t, const VectorRef& q, Vector3& point,
                                    Matrix3& frame) const {
  if (is_shape(id)) {
    const CollisionWorld::Ends ends = world_.ends(id);
    const ShapeContactState s =
        shape_contact(ends, kinematics(ends.body_a, t, q, nullptr), kinematics(ends.body_b, t, q, nullptr));
    point = 0.5 * (s.contact.point_a + s.contact.point_b);
    frame = s.frame.transpose();
    return;
  }
  if (is_limit(id)) {
    // A stop has no place of its own.
    point.setConstant(std::numeric_limits<double>::quiet_NaN());
    frame.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const ContactGeometry g = geometry(id, q, nullptr);
  point = g.point;
  frame << g.normal, g.tangents[0], g.tangents[1];
}

ContactBodies MultibodySystem::contact_bodies(ContactId id) const {
  if (is_shape(id)) {
    const CollisionWorld::Ends ends = world_.ends(id);
    return {ends.body_a, ends.body_b};
  }
  if (is_limit(id)) return {};
  if (is_plane(id)) return {k_world, model_.plane_contacts[id].body};
  return {pair(id).body_a, pair(id).body_b};
}

}  // namespace delassus
