// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts of a multibody system: particles against planes and each other, limits of joints, and shapes.
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "delassus/base/parallel.hpp"
#include "delassus/base/work_time.hpp"
#include "delassus/formulation/multibody_system.hpp"

namespace delassus {
namespace {

// Contacts of a chunk of parallel_for: the geometry of one takes 0.3 to 2 µs.
constexpr std::size_t k_contact_grain = 64;
// An axis of friction nearer to the normal than this has no direction along the surface [-].
constexpr double k_shortest_axis = 1e-6;
// Depths of contacts that rest are smaller, as a fraction of the smaller shape [-].
constexpr double k_touching = 1e-6;

// Of an angular velocity: components about t1, t2 and n; the frame has the rows n, t1, t2.
Vector3 turning(const Matrix3& frame, const Vector3& omega) {
  return {frame.row(1).dot(omega), frame.row(2).dot(omega), frame.row(0).dot(omega)};
}

BodyPlacement placement(const BodyKinematics& body) {
  return {.pose = {body.R, body.x}};
}

// Memory of a thread that finds contacts; nothing in it outlives a call.
struct FindScratch {
  std::vector<BodyPlacement> bodies;
  std::vector<CollisionWorld::Found> found;
  std::vector<ContactId> ids;
  std::vector<std::size_t> known;  // of each contact its place in the known set, or the size of that
  std::vector<CollisionWorld::Ends> ends;
};

FindScratch& find_scratch() {
  thread_local FindScratch scratch;
  return scratch;
}

}  // namespace

void MultibodySystem::make_contacts() {
  for (const PairContact& contact : model_.pair_contacts) {
    const Vector3 d = model_.bodies[contact.body_b].position - model_.bodies[contact.body_a].position;
    reference_normals_.push_back(d.norm() > 0 ? Vector3(d.normalized()) : Vector3(Vector3::UnitX()));
  }
  for (std::size_t i = 0; i < model_.limits.size(); ++i) {
    const CoordinateLimit& limit = model_.limits[i];
    const PairFunction& function = coordinates_[coordinate_index(limit.coordinate)].function;
    const double size =
        function.kind == PairKind::angle ? 1.0 : world_.smallest_shape(function.body_a, function.body_b);
    if (std::isfinite(limit.lower)) limits_.push_back({static_cast<int>(i), 1.0, limit.lower, size});
    if (std::isfinite(limit.upper)) limits_.push_back({static_cast<int>(i), -1.0, limit.upper, size});
  }
}

std::string MultibodySystem::contact_name(ContactId id) const {
  if (is_shape(id)) return world_.name(id);
  if (is_limit(id)) return model_.limits[limit(id).limit].name + (limit(id).sign > 0 ? ".lower" : ".upper");
  return is_plane(id) ? model_.plane_contacts[id].name : pair(id).name;
}

bool MultibodySystem::gap_is_angle(ContactId id) const {
  return is_limit(id) &&
         coordinates_[coordinate_index(model_.limits[limit(id).limit].coordinate)].function.kind ==
             PairKind::angle;
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

bool MultibodySystem::has_contacts() const {
  return !present_.listed.empty() || world_.any_pair();
}

void MultibodySystem::place_shapes(const Configuration& at, const double* v,
                                   std::vector<BodyPlacement>& out) const {
  out.resize(model_.bodies.size());
  for (int i : present_.bodies) {
    const BodyKinematics& b = at.bodies[i];
    const Vector6 velocity = velocity_of(i, at, v);
    out[i] = {{b.R, b.x},
              velocity.head<3>(),
              b.R * velocity.tail<3>(),
              b.acceleration.head<3>(),
              b.R * b.acceleration.tail<3>()};
  }
}

std::vector<CollisionWorld::Overlap> MultibodySystem::overlaps(double t, const VectorRef& q,
                                                               double tolerance) const {
  std::vector<BodyPlacement> bodies;
  place_shapes(configuration(t, q), nullptr, bodies);
  std::vector<CollisionWorld::Overlap> out;
  world_.overlaps(bodies, tolerance, out);
  return out;
}

ContactId MultibodySystem::successor(ContactId id, const Configuration& at) const {
  if (!is_shape(id)) return id;
  const CollisionWorld::Ends ends = world_.ends(id);
  return world_.successor(id, placement(at.bodies[ends.body_a]), placement(at.bodies[ends.body_b]));
}

// --- finding and evaluating

void MultibodySystem::find_contacts(const Configuration& at, const VectorRef& v, double h,
                                    const ContactSet* known, ContactSet& out) const {
  const WorkScope scope(WorkKind::collision);
  FindScratch& scratch = find_scratch();
  scratch.found.clear();
  if (world_.any_pair()) {
    place_shapes(at, v.data(), scratch.bodies);
    // Beside the velocity: what gravity adds within the step.
    world_.find(scratch.bodies, present_.shapes, h, fall(h), scratch.found);
  }
  // The pairs that the user lists one by one are all candidates: none can be missed.
  scratch.ids.assign(present_.listed.begin(), present_.listed.end());
  for (const CollisionWorld::Found& found : scratch.found) scratch.ids.push_back(found.id);
  start_contacts(scratch.ids, at, out);
  const std::size_t first = present_.listed.size(), num_known = known != nullptr ? known->size() : 0;
  scratch.known.assign(scratch.found.size(), num_known);
  for (std::size_t i = 0, k = 0; i < scratch.found.size() && k < num_known; ++i) {
    while (k < num_known && known->ids[k] < scratch.found[i].id) ++k;
    if (k < num_known && known->ids[k] == scratch.found[i].id) scratch.known[i] = k;
  }
  parallel_for(scratch.found.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const CollisionWorld::Found& found = scratch.found[i];
      const CollisionWorld::Ends& ends = scratch.ends[first + i];
      if (scratch.known[i] < num_known)
        out.copy_from(*known, scratch.known[i], first + i);
      else if (found.here)
        fill_shape(first + i, ends, found.contact, at, out);
      else
        fill_shape(first + i, ends,
                   world_.contact(ends, placement(at.bodies[ends.body_a]), placement(at.bodies[ends.body_b])),
                   at, out);
      // What the search has found on the way only does not touch here: a gap below zero is that of a continuation, beside
      // the surface or on the far side of the shape.
      const auto group = static_cast<Eigen::Index>(first + i);
      if (!found.here && out.margins[group] >= 0 && out.gaps[group] < -k_touching * world_.pair_size(ends))
        out.margins[group] = -std::numeric_limits<double>::infinity();
    }
  });
  out.update_velocities(v);
}

void MultibodySystem::evaluate_contacts(std::span<const ContactId> ids, const Configuration& at,
                                        ContactSet& out) const {
  const WorkScope scope(WorkKind::contacts);
  start_contacts(ids, at, out);
  const FindScratch& scratch = find_scratch();
  parallel_for(ids.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_shape(ids[i])) continue;
      const CollisionWorld::Ends& ends = scratch.ends[i];
      fill_shape(i, ends,
                 world_.contact(ends, placement(at.bodies[ends.body_a]), placement(at.bodies[ends.body_b])),
                 at, out);
    }
  });
}

void MultibodySystem::start_contacts(std::span<const ContactId> ids, const Configuration& at,
                                     ContactSet& out) const {
  std::vector<CollisionWorld::Ends>& ends = find_scratch().ends;
  ends.resize(ids.size());
  out.t = at.t;
  out.q = at.q;
  out.ids.assign(ids.begin(), ids.end());
  out.places.assign(ids.size(), {});
  const auto count = static_cast<Eigen::Index>(ids.size());
  out.gaps.resize(count);
  out.margins.setConstant(count, std::numeric_limits<double>::infinity());
  out.rows.rows.clear(nv());
  out.rows.surfaces.clear();
  Eigen::Index num_rows = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (is_shape(ids[i])) ends[i] = world_.ends(ids[i]);
    num_rows += num_contact_rows(ids[i], ends[i]);
  }
  out.rows.drift_velocity.setZero(num_rows);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (is_shape(ids[i])) {
      start_shape(ends[i], out);
    } else if (is_limit(ids[i])) {
      add_limit(limit(ids[i]), at, out);
    } else {
      add_particle_contact(ids[i], at, out);
    }
  }
}

int MultibodySystem::num_contact_rows(ContactId id, const CollisionWorld::Ends& ends) const {
  if (is_limit(id)) return 1;
  return is_shape(id) && world_.any_turning() && world_.material(ends).resists_turning() ? 6 : 3;
}

// The group of a contact, still empty.
void MultibodySystem::start_shape(const CollisionWorld::Ends& ends, ContactSet& out) const {
  const Material material = world_.material(ends);
  const int group = out.rows.rows.add_group(material.resists_turning() ? 6 : 3);
  for (int body : {ends.body_a, ends.body_b})
    if (places_[body].nv > 0) out.rows.rows.add_block(places_[body].v, places_[body].nv);
  out.places[group].bodies = {ends.body_a, ends.body_b};
  out.rows.surfaces.push_back({.friction = material.friction,
                               .restitution = material.restitution,
                               .rolling = material.rolling_friction,
                               .spinning = material.spinning_friction,
                               .curve = {.kinetic = material.kinetic_friction,
                                         .speed = material.stribeck_speed,
                                         .exponent = material.stribeck_exponent,
                                         .viscous = material.viscous_friction}});
}

void MultibodySystem::add_limit(const LimitContact& limit, const Configuration& at, ContactSet& out) const {
  const int coordinate = coordinate_index(model_.limits[limit.limit].coordinate);
  Evaluation x;
  evaluate_coordinate(coordinate, at, nullptr, false, x);
  const int group = out.rows.rows.add_group(1);
  out.gaps[group] = limit.sign * (x.pair.value - limit.bound);
  add_pair_row(coordinates_[coordinate].function, x.pair.gradient, limit.sign, out.rows.rows);
  out.rows.drift_velocity[out.rows.rows.first_row(group)] = limit.sign * x.pair.gradient.dot(x.V);
  // A stop has no place of its own.
  out.rows.surfaces.push_back({.restitution = model_.limits[limit.limit].restitution});
}

void MultibodySystem::add_particle_contact(ContactId id, const Configuration& at, ContactSet& out) const {
  const ContactGeometry g = geometry(id, at.q, nullptr);
  Matrix3 frame;
  frame << g.normal.transpose(), g.tangents[0].transpose(), g.tangents[1].transpose();
  const int group = out.rows.rows.add_group(3);
  out.gaps[group] = g.gap;
  ContactPlace& place = out.places[group];
  place.bodies = contact_bodies(id);
  place.point_a = place.point_b = g.point;
  place.frame = frame.transpose();
  if (is_plane(id)) {
    const PlaneContact& c = model_.plane_contacts[id];
    out.rows.rows.add_block(places_[c.body].v, 3) = frame;
    const Vector3 drift = -(frame * c.surface_velocity);
    out.rows.drift_velocity.segment<2>(out.rows.rows.first_row(group) + 1) = drift.tail<2>();
    out.rows.surfaces.push_back({.friction = c.friction, .restitution = c.restitution});
  } else {
    const PairContact& c = pair(id);
    out.rows.rows.add_block(places_[c.body_a].v, 3) = -frame;
    out.rows.rows.add_block(places_[c.body_b].v, 3) = frame;
    out.rows.surfaces.push_back({.friction = c.friction, .restitution = c.restitution});
  }
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

GapAt MultibodySystem::gap_at(ContactId id, double t, const VectorRef& q, const VectorRef& w) const {
  const auto body_after = [&](int body) { return moved(body, t, q, part_of(body, w)); };
  if (is_shape(id)) {
    const CollisionWorld::Ends ends = world_.ends(id);
    const FeatureContact contact =
        world_.contact(ends, placement(body_after(ends.body_a)), placement(body_after(ends.body_b)));
    return {contact.gap, contact.margin};
  }
  if (is_limit(id)) {
    const LimitContact& c = limit(id);
    const Coordinate& coordinate = coordinates_[coordinate_index(model_.limits[c.limit].coordinate)];
    const BodyKinematics a = body_after(coordinate.function.body_a),
                         b = body_after(coordinate.function.body_b);
    const double value = coordinate.turn >= 0 ? followed_angle(coordinate, q, w, a, b)
                                              : evaluate_value(coordinate.function, a, b);
    return {c.sign * (value - c.bound)};
  }
  const auto position = [&](int body) { return body_after(body).x; };
  if (is_plane(id)) {
    const PlaneContact& c = model_.plane_contacts[id];
    return {plane_geometry(c, position(c.body)).gap};
  }
  const PairContact& c = pair(id);
  return {pair_geometry(c, reference_normals_[id - model_.plane_contacts.size()], position(c.body_a),
                        position(c.body_b), Vector3::Zero())
              .gap};
}

// --- contacts of shapes

MultibodySystem::SurfaceMotion MultibodySystem::surface_motion(const CollisionWorld::Ends& ends,
                                                               const ContactPlace& place,
                                                               const Configuration& at,
                                                               const double* v) const {
  SurfaceMotion out;
  const BodyKinematics &a = at.bodies[ends.body_a], &b = at.bodies[ends.body_b];
  const Vector6 velocity_a = velocity_of(ends.body_a, at, v), velocity_b = velocity_of(ends.body_b, at, v);
  out.omega_a = a.R * velocity_a.tail<3>();
  out.omega_b = b.R * velocity_b.tail<3>();
  out.surface_velocity_a = a.R * world_.surface(ends.shape_a).surface_velocity;
  out.surface_velocity_b = b.R * world_.surface(ends.shape_b).surface_velocity;
  out.arm_a = place.point_a - a.x;
  out.arm_b = place.point_b - b.x;
  out.velocity_a = velocity_a.head<3>() + out.omega_a.cross(out.arm_a);
  out.velocity_b = velocity_b.head<3>() + out.omega_b.cross(out.arm_b);
  return out;
}

bool MultibodySystem::friction_axis(const CollisionWorld::Ends& ends, const Configuration& at,
                                    const Vector3& normal, Vector3& axis, int& shape) const {
  const Material &surface_a = world_.surface(ends.shape_a), &surface_b = world_.surface(ends.shape_b);
  // The axis of the first surface that has one.
  const bool axis_of_a = !surface_a.friction_axis.isZero(0);
  if (!axis_of_a && surface_b.friction_axis.isZero(0)) return false;
  shape = axis_of_a ? ends.shape_a : ends.shape_b;
  axis = at.bodies[axis_of_a ? ends.body_a : ends.body_b].R * world_.surface(shape).friction_axis;
  return normal.cross(axis).norm() > k_shortest_axis;
}

// Relative velocity of the material points in the frame of the contact: for each of its directions f the row of a body
// is  ± (f, Rᵀ(arm × f)), and that of the relative turning about f, in the order (t1, t2, n),  ± (0, Rᵀ f).
void MultibodySystem::fill_shape(std::size_t c, const CollisionWorld::Ends& ends,
                                 const FeatureContact& contact, const Configuration& at,
                                 ContactSet& out) const {
  const auto group = static_cast<int>(c);
  ContactPlace& place = out.places[c];
  out.gaps[group] = contact.gap;
  out.margins[group] = contact.margin;
  place.point_a = contact.point_a;
  place.point_b = contact.point_b;
  place.patch_a = contact.patch_a;
  place.patch_b = contact.patch_b;
  Vector3 t1, t2, axis;
  int axis_shape = 0;
  double ratio = 1;
  if (friction_axis(ends, at, contact.normal, axis, axis_shape)) {
    make_tangents(contact.normal, axis, t1, t2);
    out.rows.surfaces[c].polygon = world_.friction_polygon(axis_shape, axis_shape == ends.shape_b);
    if (!out.rows.surfaces[c].polygon) ratio = world_.material(ends).friction_ratio();
  } else {
    make_tangents(contact.normal, t1, t2);
  }
  Matrix3 frame;
  frame << contact.normal.transpose(), t1.transpose(), t2.transpose();
  place.frame = frame.transpose();
  // Velocities of prescribed bodies only.
  const SurfaceMotion motion = surface_motion(ends, place, at, nullptr);
  int next_block = 0;
  const auto fill_body = [&](int body, const Vector3& arm, double sign) {
    const int nv = places_[body].nv;
    if (nv == 0) return;
    const Matrix3& R = at.bodies[body].R;
    BlockRows::Block block = out.rows.rows.block(group, next_block++);
    block.topLeftCorner(3, 3) = sign * frame;
    if (nv == 6)
      for (int i = 0; i < 3; ++i)
        block.row(i).tail(3) = sign * (R.transpose() * arm.cross(frame.row(i).transpose())).transpose();
    block.row(2) *= ratio;
    if (block.rows() == 6 && nv == 6) {
      block.block(3, 3, 2, 3) = sign * frame.bottomRows(2) * R;
      block.row(5).tail(3) = sign * frame.row(0) * R;
    }
  };
  fill_body(ends.body_a, motion.arm_a, -1);
  fill_body(ends.body_b, motion.arm_b, 1);
  const int first = out.rows.rows.first_row(group);
  out.rows.surfaces[c].tangent_ratio = ratio;
  Vector3 drift = frame * (motion.velocity_b - motion.velocity_a);
  drift.tail<2>() += frame.bottomRows<2>() * (motion.surface_velocity_b - motion.surface_velocity_a);
  drift[2] *= ratio;
  out.rows.drift_velocity.segment<3>(first) = drift;
  if (out.rows.rows.group_rows(group) == 6)
    out.rows.drift_velocity.segment<3>(first + 3) = turning(frame, motion.omega_b - motion.omega_a);
}

double MultibodySystem::contact_step_limit(const ContactSet& contacts, std::span<const std::size_t> open,
                                           const Configuration& at, const VectorRef& v, double h) const {
  const WorkScope scope(WorkKind::collision);
  // Over a turn by less the gap of a feature that turns is nearly a cubic [rad].
  constexpr double largest_turn = 0.3;
  // Curved and sharp features can be passed altogether: no farther than this fraction of the smaller shape at once.
  constexpr double largest_way = 0.4;
  const auto limit_of = [&](std::size_t c) {
    double limit = h;
    const CollisionWorld::Ends ends = world_.ends(contacts.ids[c]);
    const SurfaceMotion motion = surface_motion(ends, contacts.places[c], at, v.data());
    const double speed = (motion.velocity_b - motion.velocity_a).norm(), gap = std::abs(contacts.gap(c));
    const bool flat = ends.feature_a.kind == FeatureKind::face || ends.feature_b.kind == FeatureKind::face;
    // What is apart does not meet before it has gone the gap.
    if (!flat && speed * h > gap)
      limit = std::min(limit, std::max(largest_way * world_.pair_size(ends), contacts.gap(c)) / speed);
    const auto turn = [&](int shape, const Vector3& arm, const Vector3& omega) {
      // A ball about its centre of mass looks the same however it turns.
      const double lever = std::abs(arm.norm() - world_.ball_radius(shape));
      if (omega.norm() * lever * h > gap && lever > 1e-9 * arm.norm())
        limit = std::min(limit, largest_turn / omega.norm());
    };
    turn(ends.shape_a, motion.arm_a, motion.omega_a);
    turn(ends.shape_b, motion.arm_b, motion.omega_b);
    return limit;
  };
  double limit = h;
  for (std::size_t c : open)
    if (is_shape(contacts.ids[c])) limit = std::min(limit, limit_of(c));
  return limit;
}

// --- biases

void MultibodySystem::contact_bias(const ContactSet& contacts, const Configuration& at, const VectorRef& v,
                                   Vector& bias) const {
  const WorkScope scope(WorkKind::contacts);
  bias.setZero(contacts.rows.rows.rows());
  Evaluation x;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactId id = contacts.ids[c];
    const int row = contacts.first_row(c);
    if (is_limit(id)) {
      const LimitContact& l = limit(id);
      const int coordinate = coordinate_index(model_.limits[l.limit].coordinate);
      evaluate_coordinate(coordinate, at, v.data(), true, x);
      bias[row] = l.sign * (x.V.dot(x.pair.curvature * x.V) +
                            prescribed_acceleration(coordinates_[coordinate].function, at, x.pair.gradient));
    } else if (!is_shape(id) && !is_plane(id)) {
      const PairContact& pair_contact = pair(id);
      const Vector3 rate =
          v.segment<3>(places_[pair_contact.body_b].v) - v.segment<3>(places_[pair_contact.body_a].v);
      const ContactGeometry g = geometry(id, at.q, &v);
      bias.segment<3>(row) << g.normal_rate.dot(rate), g.tangent_rates[0].dot(rate),
          g.tangent_rates[1].dot(rate);
    }
  }
  parallel_for(contacts.size(), k_contact_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      if (is_shape(contacts.ids[c]))
        shape_bias(contacts, c, at, v, bias.segment(contacts.first_row(c), contacts.num_rows(c)));
  });
}

// d/dt of fᵀ(v_b − v_a) at the wandering points of contact:  ḟᵀ(v_b − v_a) + fᵀ(a_b − a_a),
// a = v̇ + ω̇ × arm + ω × (ẋ_point − ẋ), where v̇ and ω̇ are those of prescribed bodies (ω is constant in both axes).
// The velocity w of a moving surface turns with its body, ẇ = ω × w; the rows of turning have ḟᵀ(ω_b − ω_a) + fᵀ(ω̇_b − ω̇_a).
void MultibodySystem::shape_bias(const ContactSet& contacts, std::size_t c, const Configuration& at,
                                 const VectorRef& v, Eigen::Ref<Vector> out) const {
  const CollisionWorld::Ends ends = world_.ends(contacts.ids[c]);
  const ContactPlace& place = contacts.places[c];
  const SurfaceMotion motion = surface_motion(ends, place, at, v.data());
  const FeatureContact contact{.gap = contacts.gap(c),
                               .normal = place.frame.col(0),
                               .point_a = place.point_a,
                               .point_b = place.point_b,
                               .patch_a = place.patch_a,
                               .patch_b = place.patch_b};
  const ContactRates rates =
      contact_rates(contact, motion.velocity_a, motion.omega_a, motion.velocity_b, motion.omega_b);
  const auto acceleration = [&](int body, const Vector3& omega, const Vector3& arm,
                                const Vector3& point_rate) {
    const BodyKinematics& k = at.bodies[body];
    const Vector3 alpha = k.R * k.acceleration.tail<3>();
    return Vector3(k.acceleration.head<3>() + alpha.cross(arm) +
                   omega.cross(point_rate - velocity_of(body, at, v.data()).head<3>()));
  };
  const Vector3 relative = acceleration(ends.body_b, motion.omega_b, motion.arm_b, rates.point_b) -
                           acceleration(ends.body_a, motion.omega_a, motion.arm_a, rates.point_a),
                slip = motion.velocity_b - motion.velocity_a;
  const Matrix3 frame = place.frame.transpose();
  Matrix3 frame_rate;
  Vector3 axis;
  int axis_shape = 0;
  if (friction_axis(ends, at, contact.normal, axis, axis_shape)) {
    const Vector3& omega = axis_shape == ends.shape_a ? motion.omega_a : motion.omega_b;
    tangent_rates(contact.normal, rates.normal, axis, omega.cross(axis), frame_rate);
  } else {
    tangent_rates(contact.normal, rates.normal, frame_rate);
  }
  const Vector3 surface = motion.surface_velocity_b - motion.surface_velocity_a,
                surface_rate = motion.omega_b.cross(motion.surface_velocity_b) -
                               motion.omega_a.cross(motion.surface_velocity_a);
  out.head<3>() = frame_rate * slip + frame * relative;
  out.segment<2>(1) += frame_rate.bottomRows<2>() * surface + frame.bottomRows<2>() * surface_rate;
  out[2] *= contacts.surface(c).tangent_ratio;
  if (out.size() < 6) return;
  const BodyKinematics &a = at.bodies[ends.body_a], &b = at.bodies[ends.body_b];
  const Vector3 relative_turning = motion.omega_b - motion.omega_a;
  const Vector3 acceleration_of_turning = b.R * b.acceleration.tail<3>() - a.R * a.acceleration.tail<3>();
  out.segment<3>(3) = turning(frame, acceleration_of_turning);
  out.segment<2>(3) += frame_rate.bottomRows<2>() * relative_turning;
  out[5] += frame_rate.row(0).dot(relative_turning);
}

}  // namespace delassus
