// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Layout, the configuration manifold, inertia and outputs of a multibody system.
#include "delassus/formulation/multibody_system.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "delassus/base/work_time.hpp"
#include "delassus/model/joint/pair_placement.hpp"

namespace delassus {
namespace {

using std::numbers::pi;

Quaternion orientation(const VectorRef& q, int at) {
  return q.segment<4>(at + 3);
}

// Turns of bodies in a step that are small [rad], sine² + cosine² of an angle that is not about to lose its meaning, as where
// an axis is at right angles to its plane, and what an angle may have changed by [rad].
constexpr double k_small_turn = 0.1, k_regular_angle = 0.25, k_unambiguous = 2.5;

std::shared_ptr<const Model> checked(Model model) {
  require_valid(model);
  return std::make_shared<Model>(std::move(model));
}

}  // namespace

MultibodySystem::MultibodySystem(Model model)
    : shared_model_(checked(std::move(model))),
      shared_world_(std::make_shared<CollisionWorld>(*shared_model_)),
      model_(*shared_model_),
      world_(*shared_world_) {
  place_bodies();
  make_joints();
  make_elements();
  make_contacts();
  make_mass();
  make_present();
  nq_ += num_signals();
}

void MultibodySystem::place_bodies() {
  for (const Body& body : model_.bodies) {
    Place place;
    if (body.dynamic()) {
      const bool rigid = body.kind == BodyKind::rigid;
      place = {nq_, nv_, rigid ? 6 : 3};
      nq_ += rigid ? 7 : 3;
      nv_ += place.nv;
    }
    present_.bodies.push_back(static_cast<int>(places_.size()));
    places_.push_back(place);
    if (body.kind == BodyKind::kinematic) kinematic_bodies_.push_back(static_cast<int>(places_.size()) - 1);
  }
}

State MultibodySystem::initial_state() const {
  State state;
  state.q.resize(nq());
  state.v.resize(nv());
  for (int i = 0; i < num_bodies(); ++i) {
    const Body& body = model_.bodies[i];
    const Place& place = places_[i];
    if (place.nv == 0) continue;
    const Vector3 offset = rotate(body.orientation, body.center_of_mass),
                  omega = rotate(body.orientation, body.angular_velocity);
    state.q.segment<3>(place.q) = body.position + offset;
    state.v.segment<3>(place.v) = body.velocity + omega.cross(offset);
    if (place.nv < 6) continue;
    state.q.segment<4>(place.q + 3) = body.orientation.normalized();
    state.v.segment<3>(place.v + 3) = body.angular_velocity;
  }
  for (const Coordinate& c : coordinates_)
    if (c.turn >= 0)
      state.q[c.turn] = evaluate_value(c.function, kinematics(c.function.body_a, 0, state.q),
                                       kinematics(c.function.body_b, 0, state.q));
  state.q.tail(num_signals()).setZero();
  return state;
}

std::string MultibodySystem::coordinate_name(int i) const {
  if (const int signal = i - (nq_ - num_signals()); signal >= 0) return signal_name(signal);
  static const char* const parts[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
  for (const Coordinate& c : coordinates_)
    if (c.turn == i) return c.name;
  int body = num_bodies() - 1;
  while (body > 0 && (places_[body].q < 0 || places_[body].q > i)) --body;
  return body_name(body) + parts[i - places_[body].q];
}

std::string MultibodySystem::velocity_name(int i) const {
  static const char* const parts[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
  int body = num_bodies() - 1;
  while (body > 0 && (places_[body].v < 0 || places_[body].v > i)) --body;
  return body_name(body) + parts[i - places_[body].v];
}

bool MultibodySystem::velocity_is_angle(int i) const {
  int body = num_bodies() - 1;
  while (body > 0 && (places_[body].v < 0 || places_[body].v > i)) --body;
  return i - places_[body].v >= 3;
}

Dynamics::Sizes MultibodySystem::coordinate_sizes(const VectorRef& q) const {
  Sizes out;
  for (const auto& place : places_)
    if (place.nv > 0) out.length = std::max(out.length, q.segment<3>(place.q).cwiseAbs().maxCoeff());
  return out;
}

std::string MultibodySystem::check_position(const VectorRef& q) const {
  // What the retraction keeps, and far more than it loses in a long run.
  constexpr double tolerance = 1e-9;
  for (int i = 0; i < num_bodies(); ++i) {
    if (places_[i].nv != 6) continue;
    const double length = q.segment<4>(places_[i].q + 3).norm();
    if (std::abs(length - 1) > tolerance)
      return fmt::format("the quaternion of body '{}' has length {}; allowed: 1 ± {:g}", body_name(i), length,
                         tolerance);
  }
  return {};
}

// --- the configuration manifold

double MultibodySystem::on_branch(int coordinate, double angle, const VectorRef& q) const {
  const int turn = coordinates_[coordinate].turn;
  return turn < 0 ? angle : angle + 2 * pi * std::round((q[turn] - angle) / (2 * pi));
}

void MultibodySystem::retract(const VectorRef& q, const VectorRef& w, Vector& out) const {
  out.resize(nq());
  for (int body : present_.bodies) {
    const Place& place = places_[body];
    if (place.nv == 0) continue;
    out.segment<3>(place.q) = q.segment<3>(place.q) + w.segment<3>(place.v);
    if (place.nv == 6)
      out.segment<4>(place.q + 3) = quaternion_retract(orientation(q, place.q), w.segment<3>(place.v + 3));
  }
  // The angles follow from the new orientations up to whole turns, and those from how far the bodies turned. The
  // prescribed turn of a kinematic body is not part of w; no step is so long that half a turn of it is missed.
  for (int coordinate : present_.coordinates) {
    const Coordinate& c = coordinates_[coordinate];
    const PairFunction& f = c.function;
    out[c.turn] = followed_angle(c, q, w, kinematics(f.body_a, 0, out), kinematics(f.body_b, 0, out));
  }
  out.tail(num_signals()) = q.tail(num_signals());
}

double MultibodySystem::followed_angle(const Coordinate& c, const VectorRef& q, const VectorRef& w,
                                       const BodyKinematics& a, const BodyKinematics& b) const {
  const PairFunction& f = c.function;
  const Matrix3 R_AB = a.R.transpose() * b.R;
  const double sine = f.axis_a.dot(R_AB * f.axis_b), cosine = f.cosine_axis_a.dot(R_AB * f.cosine_axis_b);
  const double angle = std::atan2(sine, cosine);
  const double nearest = angle + 2 * pi * std::round((q[c.turn] - angle) / (2 * pi));
  double turned = 0;
  for (const int body : {f.body_a, f.body_b})
    if (body != k_world && places_[body].nv == 6) turned += w.segment<3>(places_[body].v + 3).norm();
  // The gradient is at most √2/√(sine² + cosine²) a body, so that these turns predict a change below half a radian, and the branch
  // nearest to q is the one that they lead to.
  if (turned < k_small_turn && sine * sine + cosine * cosine > k_regular_angle &&
      std::abs(nearest - q[c.turn]) < k_unambiguous)
    return nearest;
  PairValue before;
  evaluate(f, kinematics(f.body_a, 0, q), kinematics(f.body_b, 0, q), false, before);
  double predicted = q[c.turn];
  const auto add_turn = [&](int body, int first) {
    if (body != k_world && places_[body].nv == 6)
      predicted += before.gradient.segment<3>(first).dot(w.segment<3>(places_[body].v + 3));
  };
  add_turn(f.body_a, 3);
  add_turn(f.body_b, 9);
  return angle + 2 * pi * std::round((predicted - angle) / (2 * pi));
}

void MultibodySystem::difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const {
  w.resize(nv());
  for (int body : present_.bodies) {
    const Place& place = places_[body];
    if (place.nv == 0) continue;
    w.segment<3>(place.v) = q1.segment<3>(place.q) - q0.segment<3>(place.q);
    if (place.nv == 6)
      w.segment<3>(place.v + 3) = quaternion_difference(orientation(q1, place.q), orientation(q0, place.q));
  }
}

void MultibodySystem::rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const {
  rate = v;
  for (int body : present_.bodies)
    if (const Place& place = places_[body]; place.nv == 6)
      rate.segment<3>(place.v + 3) =
          right_jacobian_inverse(w.segment<3>(place.v + 3)) * v.segment<3>(place.v + 3);
}

void MultibodySystem::velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const {
  v = rate;
  for (int body : present_.bodies)
    if (const Place& place = places_[body]; place.nv == 6)
      v.segment<3>(place.v + 3) = right_jacobian(w.segment<3>(place.v + 3)) * rate.segment<3>(place.v + 3);
}

BodyKinematics MultibodySystem::kinematics(int body, double t, const VectorRef& q) const {
  BodyKinematics out;
  if (body == k_world) return out;
  const Body& b = model_.bodies[body];
  const Place& place = places_[body];
  if (place.nv > 0) {
    out.x = q.segment<3>(place.q);
    if (place.nv == 6) out.R = rotation_matrix(orientation(q, place.q));
    return out;
  }
  out.R = rotation_matrix(b.orientation);
  Vector3 origin = b.position;
  Vector3 omega = Vector3::Zero(), alpha = Vector3::Zero();
  if (b.kind == BodyKind::kinematic) {
    for (int i = 0; i < 3; ++i) {
      origin[i] = b.motion.position[i].value(t);
      out.velocity[i] = b.motion.position[i].rate(t);
      out.acceleration[i] = b.motion.position[i].acceleration(t);
    }
    if (b.motion.angle) {
      const Vector3 axis = b.motion.axis.normalized();
      out.R = rotation_matrix(quaternion_exponential(b.motion.angle.value(t) * axis)) * out.R;
      omega = b.motion.angle.rate(t) * axis;
      alpha = b.motion.angle.acceleration(t) * axis;
    }
  }
  // From the frame's origin to the centre of mass.
  const Vector3 offset = out.R * b.center_of_mass;
  out.x = origin + offset;
  out.velocity.head<3>() += omega.cross(offset);
  out.acceleration.head<3>() += alpha.cross(offset) + omega.cross(omega.cross(offset));
  out.velocity.tail<3>() = out.R.transpose() * omega;
  out.acceleration.tail<3>() = out.R.transpose() * alpha;
  return out;
}

void MultibodySystem::configure(double t, const VectorRef& q, Configuration& out) const {
  const WorkScope scope(WorkKind::joints);
  out.t = t;
  out.q = q;
  out.bodies.resize(model_.bodies.size());
  for (int body : present_.bodies) out.bodies[body] = kinematics(body, t, q);
}

const BodyKinematics& MultibodySystem::body_at(int body, const Configuration& at) {
  static const BodyKinematics world;
  return body == k_world ? world : at.bodies[body];
}

Vector6 MultibodySystem::velocity_of(int body, const Configuration& at, const double* v) const {
  if (body == k_world) return Vector6::Zero();
  const Place& place = places_[body];
  if (place.nv == 0 || v == nullptr) return at.bodies[body].velocity;
  Vector6 out = Vector6::Zero();
  out.head(place.nv) = Eigen::Map<const Vector>(v + place.v, place.nv);
  return out;
}

BodyKinematics MultibodySystem::moving(int body, const Configuration& at, const VectorRef& v) const {
  BodyKinematics out = body_at(body, at);
  out.velocity = velocity_of(body, at, v.data());
  return out;
}

Vector6 MultibodySystem::part_of(int body, const VectorRef& w) const {
  Vector6 out = Vector6::Zero();
  if (body != k_world) out.head(places_[body].nv) = w.segment(std::max(places_[body].v, 0), places_[body].nv);
  return out;
}

BodyKinematics MultibodySystem::moved(int body, const Configuration& at, const Vector6& w) const {
  return moved(body, at.t, at.q, w);
}

BodyKinematics MultibodySystem::moved(int body, double t, const VectorRef& q, const Vector6& w) const {
  const Place place = body == k_world ? Place{} : places_[body];
  if (place.nv == 0) return kinematics(body, t, q);
  BodyKinematics out;
  out.x = q.segment<3>(place.q) + w.head<3>();
  if (place.nv == 6) out.R = rotation_matrix(quaternion_retract(orientation(q, place.q), w.tail<3>()));
  return out;
}

// --- inertia

void MultibodySystem::make_mass() {
  // Laws of the user may contain the time.
  depends_on_time_ = !kinematic_bodies_.empty() || !model_.motors.empty() || !model_.applied_forces.empty() ||
                     !model_.elements.empty() || !model_.pfaffian_rows.empty();
  double heaviest = 0;
  for (int i : present_.bodies)
    if (places_[i].nv > 0) heaviest = std::max(heaviest, model_.bodies[i].mass);
  M_.clear(nv());
  leveled_M_.clear(nv());
  for (int i : present_.bodies) {
    const Place& place = places_[i];
    if (place.nv == 0) continue;
    const double mass = model_.bodies[i].mass;
    const Matrix3& inertia = model_.bodies[i].inertia;
    M_.add_block(place.v, place.v, 3, 3).diagonal().setConstant(mass);
    leveled_M_.add_block(place.v, place.v, 3, 3).diagonal().setConstant(heaviest);
    if (place.nv < 6) continue;
    M_.add_block(place.v + 3, place.v + 3, 3, 3) = inertia;
    leveled_M_.add_block(place.v + 3, place.v + 3, 3, 3) = heaviest / mass * inertia;
  }
}

// --- outputs

void MultibodySystem::body_motions(double t, const VectorRef& q, const VectorRef& v,
                                   std::vector<BodyMotion>& out) const {
  out.resize(num_bodies());
  const Configuration at = configuration(t, q);
  for (int i = 0; i < num_bodies(); ++i) {
    const BodyKinematics b = moving(i, at, v);
    const Vector3 offset = b.R * model_.bodies[i].center_of_mass;
    out[i].angular_velocity = b.R * b.velocity.tail<3>();
    out[i].position = b.x - offset;
    out[i].velocity = b.velocity.head<3>() - out[i].angular_velocity.cross(offset);
    // A rigid body's own quaternion, so that the recorded one does not jump between ±ρ.
    out[i].orientation = places_[i].nv == 6 ? orientation(q, places_[i].q) : quaternion_from_matrix(b.R);
  }
}

void MultibodySystem::joint_coordinates(double t, const VectorRef& q, const VectorRef& v, Vector& values,
                                        Vector& rates) const {
  values.resize(num_named_coordinates_);
  rates.resize(num_named_coordinates_);
  const Configuration at = configuration(t, q);
  Evaluation x;
  for (int i = 0; i < num_named_coordinates_; ++i) {
    evaluate_coordinate(i, at, v.data(), false, x);
    values[i] = x.pair.value;
    rates[i] = x.pair.gradient.dot(x.V);
  }
}

std::string MultibodySystem::reaction_name(int i) const {
  const int joints = static_cast<int>(model_.joints.size());
  return i < joints ? model_.joints[i].name : model_.motors[i - joints].name;
}

void MultibodySystem::reactions(double t, const VectorRef& q, const VectorRef& v, const VectorRef& lambda,
                                std::vector<JointReaction>& out) const {
  out.assign(model_.joints.size() + model_.motors.size(), {});
  const Configuration at = configuration(t, q);
  Evaluation x;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Attachment end_a = shifted(model_.joints[j].a), end_b = shifted(model_.joints[j].b);
    // Generalised force on body B: its force, and its torque about the centre of mass in body axes. A joint whose second
    // end is the world is read from its first end, with the opposite sign.
    const bool from_a = end_b.body == k_world;
    Vector6 wrench = Vector6::Zero();
    const int first = first_row_of_joint_[j];
    int row = first;
    for (std::size_t g = static_cast<std::size_t>(group_of_row_[first]);
         g < row_groups_.size() && row_groups_[g].joint == static_cast<int>(j); ++g) {
      const RowGroup& group = row_groups_[g];
      if (group.kind == RowGroup::Kind::pair) {
        const PairFunction& any = equations_[group.first];
        const PairPlacement placement(body_at(any.body_a, at), body_at(any.body_b, at));
        for (int i = 0; i < group.count; ++i, ++row) {
          evaluate(equations_[group.first + i], placement, false, x.pair);
          wrench += lambda[row] *
                    (from_a ? Vector6(-x.pair.gradient.head<6>()) : Vector6(x.pair.gradient.tail<6>()));
        }
        continue;
      }
      for (int i = 0; i < group.num_rows(); ++i, ++row) {
        for (const Term& term : group.terms) {
          evaluate_coordinate(term.coordinate, at, nullptr, false, x);
          wrench += (lambda[row] * term.coefficient) *
                    (from_a ? Vector6(-x.pair.gradient.head<6>()) : Vector6(x.pair.gradient.tail<6>()));
        }
      }
    }
    const Attachment& end = from_a ? end_a : end_b;
    const BodyKinematics &b = body_at(end.body, at), &a = body_at(end_a.body, at);
    const Vector3 force = wrench.head<3>(),
                  torque = b.R * (wrench.tail<3>() - end.point.cross(b.R.transpose() * force));
    const Matrix3 frame = a.R * rotation_matrix(end_a.orientation);
    out[j] = {frame.transpose() * force, frame.transpose() * torque};
  }
  for (std::size_t m = 0; m < model_.motors.size(); ++m) {
    const int coordinate = coordinate_index(model_.motors[m].coordinate);
    double force = 0;
    if (motor_rows_[m] >= 0) {
      force = lambda[motor_rows_[m]];
    } else {
      evaluate_coordinate(coordinate, at, v.data(), false, x);
      force = force_of(coordinate_elements_[motor_elements_[m]], t, x.pair.value, x.pair.gradient.dot(x.V), q)
                  .force;
    }
    JointReaction& reaction = out[model_.joints.size() + m];
    (coordinates_[coordinate].turn >= 0 ? reaction.torque : reaction.force).z() = force;
  }
}

}  // namespace delassus
