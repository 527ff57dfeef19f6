// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces of a multibody system and their derivatives, equation (1) of the header.
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "delassus/base/work_counts.hpp"
#include "delassus/base/work_time.hpp"
#include "delassus/formulation/gyroscopic.hpp"
#include "delassus/formulation/multibody_system.hpp"

namespace delassus {
namespace {

// Step of central differences where no derivative is known: ε^{1/3}.
constexpr double k_difference_step = 6e-6;

// −μ_g m (x − c)/|x − c|³ and its derivative.
Vector3 central_force(const PointGravity& gravity, double mass, const Vector3& x, Matrix3* derivative) {
  const Vector3 d = x - gravity.center;
  const double r2 = d.squaredNorm(), r = std::sqrt(r2), f = gravity.strength * mass / (r2 * r);
  if (derivative != nullptr) *derivative = -f * (Matrix3::Identity() - 3.0 / r2 * d * d.transpose());
  return -f * d;
}

}  // namespace

CoordinateForce MultibodySystem::CoordinateElement::force(double t, double x, double v,
                                                          double signal_value) const {
  if (law) {
    const CoordinateForce full = law(t, x, v);
    return {signal_value * full.force, signal_value * full.by_position, signal_value * full.by_rate};
  }
  double position = x - rest, rate = v;
  if (target) {
    position -= signal_value * target.value(t);
    rate -= signal_value * target.rate(t);
  }
  return {-stiffness * position - damping * rate, -stiffness, -damping};
}

void MultibodySystem::make_elements() {
  for (const SpringDamper& spring : model_.springs) {
    PairFunction f;
    f.kind = PairKind::length;
    const Attachment a = shifted(spring.a), b = shifted(spring.b);
    f.body_a = a.body;
    f.body_b = b.body;
    f.point_a = a.point;
    f.point_b = b.point;
    coordinate_elements_.push_back(
        {add_coordinate(spring.name, f), spring.stiffness, spring.rest_length, spring.damping, {}, {}});
  }
  for (const CoordinateSpring& spring : model_.coordinate_springs)
    coordinate_elements_.push_back(
        {coordinate_index(spring.coordinate), spring.stiffness, spring.rest, spring.damping, {}, {}});
  for (const Motor& motor : model_.motors) {
    motor_elements_.push_back(-1);
    if (motor.kind != Motor::Kind::force && motor.kind != Motor::Kind::servo) continue;
    motor_elements_.back() = static_cast<int>(coordinate_elements_.size());
    coordinate_elements_.push_back({coordinate_index(motor.coordinate), motor.stiffness, 0.0, motor.damping,
                                    motor.target, motor.force, motor.signal});
  }
  for (const Bushing& bushing : model_.bushings) {
    BushingFrames out{.a = shifted(bushing.a), .b = shifted(bushing.b)};
    const Eigen::SelfAdjointEigenSolver<Matrix6> K(bushing.stiffness), C(bushing.damping);
    out.stiffness_axes = K.eigenvectors();
    out.stiffness = K.eigenvalues().cwiseMax(0.0);
    out.damping_axes = C.eigenvectors();
    out.damping = C.eigenvalues().cwiseMax(0.0);
    bushings_.push_back(out);
  }
}

void MultibodySystem::add_pair_force(const PairFunction& f, const Vector12& g, double scale,
                                     Vector& k) const {
  for (const auto& [body, at] : {std::pair{f.body_a, 0}, std::pair{f.body_b, 6}}) {
    if (body == k_world || places_[body].nv == 0) continue;
    k.segment(places_[body].v, places_[body].nv) += scale * g.segment(at, places_[body].nv);
  }
}

void MultibodySystem::forces(const Configuration& at, const VectorRef& v, Vector& k) const {
  const WorkScope scope(WorkKind::forces);
  ++work_counts().forces;
  const double t = at.t;
  const Vector& q = at.q;
  k.setZero(nv());
  for (int i : present_.bodies) {
    const Body& body = model_.bodies[i];
    const Place& place = places_[i];
    if (place.nv == 0) continue;
    k.segment<3>(place.v) = body.mass * model_.gravity;
    for (const PointGravity& gravity : model_.point_gravities)
      k.segment<3>(place.v) += central_force(gravity, body.mass, q.segment<3>(place.q), nullptr);
    if (place.nv < 6) continue;
    const Vector3 omega = v.segment<3>(place.v + 3);
    k.segment<3>(place.v + 3) = -omega.cross(body.inertia * omega);
  }
  Evaluation x;
  for (const CoordinateElement& element : coordinate_elements_) {
    evaluate_coordinate(element.coordinate, at, v.data(), false, x);
    add_pair_force(coordinates_[element.coordinate].function, x.pair.gradient,
                   force_of(element, t, x.pair.value, x.pair.gradient.dot(x.V), q).force, k);
  }
  for (int i : present_.applied_forces) add_applied(model_.applied_forces[i], at, v, k);
  Vector6 xi;
  Eigen::Matrix<double, 6, 12> J;
  Vector12 V;
  for (int i : present_.bushings) {
    evaluate_bushing(i, at, v.data(), xi, J, V);
    const Vector6 force = model_.bushings[i].stiffness * xi + model_.bushings[i].damping * (J * V);
    PairFunction ends;
    ends.body_a = bushings_[i].a.body;
    ends.body_b = bushings_[i].b.body;
    add_pair_force(ends, J.transpose() * force, -1.0, k);
  }
  for (int present : present_.elements) {
    const auto& element = model_.elements[present];
    const std::vector<int> bodies = element->bodies();
    std::vector<BodyKinematics> motions;
    motions.reserve(bodies.size());
    for (int body : bodies) motions.push_back(moving(body, at, v));
    std::vector<Vector6> wrenches(bodies.size(), Vector6::Zero());
    element->add_wrenches(t, motions, wrenches);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Place& place = places_[bodies[i]];
      if (place.nv > 0) k.segment(place.v, place.nv) += wrenches[i].head(place.nv);
    }
  }
}

void MultibodySystem::force_jacobians(const Configuration& at, const VectorRef& v,
                                      ForceJacobians& out) const {
  const WorkScope scope(WorkKind::forces);
  ++work_counts().derivatives;
  const double t = at.t;
  const Vector& q = at.q;
  out.k_q.clear(nv());
  out.k_v.clear(nv());
  out.k_q_remainder.clear(nv());
  out.gyroscopic.clear(nv());
  out.spring_rows.clear(nv());
  out.damper_rows.clear(nv());
  const auto num_rows = static_cast<Eigen::Index>(coordinate_elements_.size() + 6 * present_.bushings.size());
  out.spring_stiffness.resize(num_rows);
  out.damper_damping.resize(num_rows);
  for (int i : present_.bodies) {
    const Body& body = model_.bodies[i];
    const Place& place = places_[i];
    if (place.nv == 0) continue;
    for (const PointGravity& gravity : model_.point_gravities) {
      Matrix3 derivative;
      central_force(gravity, body.mass, q.segment<3>(place.q), &derivative);
      out.k_q.add_block(place.v, place.v, 3, 3) = derivative;
    }
    if (place.nv < 6) continue;
    // Zero for a body at rest, and for one with the inertia of a sphere.
    const Matrix3 derivative = gyroscopic_derivative(body.inertia, v.segment<3>(place.v + 3));
    if (!derivative.isZero(0)) out.gyroscopic.add_block(place.v + 3, place.v + 3, 3, 3) = derivative;
  }
  Evaluation x;
  for (const CoordinateElement& element : coordinate_elements_) {
    const PairFunction& f = coordinates_[element.coordinate].function;
    evaluate_coordinate(element.coordinate, at, v.data(), true, x);
    const Vector12& g = x.pair.gradient;
    const CoordinateForce force = force_of(element, t, x.pair.value, g.dot(x.V), q);
    // What pulls back is a spring or damper of rank one; what pushes on (a motor's law) is not definite.
    out.spring_rows.add_group(1);
    add_pair_row(f, g, 1.0, out.spring_rows);
    out.spring_stiffness[out.spring_rows.num_groups() - 1] = std::max(-force.by_position, 0.0);
    out.damper_rows.add_group(1);
    add_pair_row(f, g, 1.0, out.damper_rows);
    out.damper_damping[out.damper_rows.num_groups() - 1] = std::max(-force.by_rate, 0.0);
    if (force.by_position > 0) add_pair_block(f, g * g.transpose(), force.by_position, out.k_q);
    if (force.by_rate > 0) add_pair_block(f, g * g.transpose(), force.by_rate, out.k_v);
    Matrix12 remainder = force.force * x.pair.curvature;
    if (force.by_rate != 0) {
      const Vector12 turning = x.pair.curvature.transpose() * x.V;
      remainder += force.by_rate * g * turning.transpose();
    }
    add_pair_block(f, remainder, 1.0, out.k_q_remainder);
  }
  for (int i : present_.applied_forces) add_applied_jacobians(model_.applied_forces[i], at, v, out);
  for (int i : present_.bushings) add_bushing_jacobians(i, at, v, out);
  for (int i : present_.elements) add_element_jacobians(*model_.elements[i], at, v, out);
  // Levers that turn make the derivatives non-symmetric.
  out.symmetric = out.k_q.is_symmetric() && out.k_v.is_symmetric() && out.k_q_remainder.is_symmetric();
}

void MultibodySystem::gyroscopic_step(const VectorRef& v, const VectorRef& impulse, double h, double alpha,
                                      bool exact, std::span<const char> in_matrix,
                                      GyroscopicStep& out) const {
  constexpr double midpoint = 0.5;
  const double theta = std::max(alpha, midpoint);
  out.matrix.clear(nv());
  out.impulse.setZero(nv());
  for (int i : present_.bodies) {
    if (places_[i].nv < 6) continue;
    const Matrix3& J = model_.bodies[i].inertia;
    const int at = places_[i].v + 3;
    const Vector3 omega = v.segment<3>(at), at_start = -h * omega.cross(J * omega),
                  others = impulse.segment<3>(at) - at_start;
    if (in_matrix[static_cast<std::size_t>(at)] == 0) {
      out.impulse.segment<3>(at) = solve_implicit_spin(J, omega, others, h, theta).impulse - at_start;
      continue;
    }
    const Matrix3 derivative = gyroscopic_derivative(J, omega);
    if (derivative.isZero(0)) continue;
    auto block = out.matrix.add_block(at, at, 3, 3);
    if (exact && keeps_inertia_definite(J, alpha * h * derivative)) {
      block = -alpha * h * derivative;
      continue;
    }
    const Matrix3 F = gyroscopic_skew(J, solve_implicit_spin(J, omega, others, h, theta).mean);
    block = -theta * h * F;
    out.impulse.segment<3>(at) = h * F * omega - at_start;
  }
}

double MultibodySystem::potential_energy(const Configuration& at) const {
  const double t = at.t;
  const Vector& q = at.q;
  double energy = 0;
  for (int i : present_.bodies) {
    if (places_[i].nv == 0) continue;
    const Vector3 x = q.segment<3>(places_[i].q);
    energy -= model_.bodies[i].mass * model_.gravity.dot(x);
    for (const PointGravity& gravity : model_.point_gravities)
      energy -= gravity.strength * model_.bodies[i].mass / (x - gravity.center).norm();
  }
  Evaluation x;
  for (const CoordinateElement& element : coordinate_elements_) {
    if (!element.has_potential()) continue;
    evaluate_coordinate(element.coordinate, at, nullptr, false, x);
    const double elongation = x.pair.value - element.rest;
    energy += 0.5 * element.stiffness * elongation * elongation;
  }
  Vector6 xi;
  Eigen::Matrix<double, 6, 12> J;
  Vector12 V;
  for (int i : present_.bushings) {
    evaluate_bushing(i, at, nullptr, xi, J, V);
    energy += 0.5 * xi.dot(model_.bushings[i].stiffness * xi);
  }
  for (int present : present_.elements) {
    const auto& element = model_.elements[present];
    if (!element->has_potential()) continue;
    std::vector<BodyKinematics> motions;
    for (int body : element->bodies()) motions.push_back(body_at(body, at));
    energy += element->potential(t, motions);
  }
  return energy;
}

double MultibodySystem::nonconservative_power_along(const Configuration& at, const VectorRef& v,
                                                    const VectorRef& along) const {
  const double t = at.t;
  double power = 0;
  Evaluation x, moving_along, prescribed;
  for (const CoordinateElement& element : coordinate_elements_) {
    evaluate_coordinate(element.coordinate, at, v.data(), false, x);
    evaluate_coordinate(element.coordinate, at, nullptr, false, prescribed);
    evaluate_coordinate(element.coordinate, at, along.data(), false, moving_along);
    const double rate = x.pair.gradient.dot(x.V), moved = x.pair.gradient.dot(prescribed.V),
                 own = x.pair.gradient.dot(moving_along.V) - moved;
    const double force = force_of(element, t, x.pair.value, rate, at.q).force;
    if (element.has_potential()) {
      // The spring's energy also changes by the motion that is prescribed.
      const double elastic = -element.stiffness * (x.pair.value - element.rest);
      power += (force - elastic) * own - elastic * moved;
    } else {
      power += force * own;
    }
  }
  for (int applied : present_.applied_forces) {
    const AppliedForce& f = model_.applied_forces[applied];
    const BodyKinematics body = moving(f.body, at, v);
    const Vector3 s = f.point - model_.bodies[f.body].center_of_mass,
                  omega = body.R * body.velocity.tail<3>(), point = body.x + body.R * s,
                  velocity = body.velocity.head<3>() + omega.cross(body.R * s);
    const BodyKinematics moved = moving(f.body, at, along);
    const Vector3 moved_omega = moved.R * moved.velocity.tail<3>();
    if (f.force) {
      const Vector3 force = applied_value(f, f.force, at, point, velocity);
      power += (f.body_axes ? Vector3(body.R * force) : force)
                   .dot(moved.velocity.head<3>() + moved_omega.cross(body.R * s));
    }
    if (f.torque) {
      const Vector3 torque = applied_value(f, f.torque, at, point, velocity);
      power += (f.body_axes ? Vector3(body.R * torque) : torque).dot(moved_omega);
    }
  }
  Vector6 xi;
  Eigen::Matrix<double, 6, 12> J;
  Vector12 V, V_along, V_prescribed;
  for (int i : present_.bushings) {
    evaluate_bushing(i, at, nullptr, xi, J, V_prescribed);
    evaluate_bushing(i, at, v.data(), xi, J, V);
    evaluate_bushing(i, at, along.data(), xi, J, V_along);
    const Vector6 rate = J * V, moved = J * V_prescribed, rate_along = J * V_along;
    power -= rate_along.dot(model_.bushings[i].damping * (rate - moved)) -
             moved.dot(model_.bushings[i].stiffness * xi);
  }
  for (int present : present_.elements) {
    const auto& element = model_.elements[present];
    if (element->has_potential()) continue;
    const std::vector<int> bodies = element->bodies();
    std::vector<BodyKinematics> motions;
    motions.reserve(bodies.size());
    for (int body : bodies) motions.push_back(moving(body, at, v));
    std::vector<Vector6> wrenches(bodies.size(), Vector6::Zero());
    element->add_wrenches(t, motions, wrenches);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (places_[bodies[i]].nv > 0) power += wrenches[i].dot(moving(bodies[i], at, along).velocity);
  }
  return power;
}

// --- applied forces: at the point s of the body, P = ∂(point)/∂q = (I, −R[s]×)

Vector3 MultibodySystem::applied_value(const AppliedForce& f, const ForceFunction& function,
                                       const Configuration& at, const Vector3& point, const Vector3& velocity,
                                       Matrix3* by_x, Matrix3* by_v) const {
  Vector3 value;
  function(at.t, point, velocity, value, by_x, by_v);
  const double s = signal_value(f.signal, at.q);
  if (by_x != nullptr) *by_x *= s;
  if (by_v != nullptr) *by_v *= s;
  return s * value;
}

void MultibodySystem::add_applied(const AppliedForce& f, const Configuration& at, const VectorRef& v,
                                  Vector& k) const {
  const Place& place = places_[f.body];
  const BodyKinematics body = moving(f.body, at, v);
  const Vector3 s = f.point - model_.bodies[f.body].center_of_mass, omega = body.velocity.tail<3>(),
                point = body.x + body.R * s, velocity = body.velocity.head<3>() + body.R * omega.cross(s);
  if (f.force) {
    const Vector3 value = applied_value(f, f.force, at, point, velocity);
    const Vector3 world = f.body_axes ? Vector3(body.R * value) : value;
    k.segment<3>(place.v) += world;
    if (place.nv == 6) k.segment<3>(place.v + 3) += s.cross(body.R.transpose() * world);
  }
  if (f.torque) {
    const Vector3 value = applied_value(f, f.torque, at, point, velocity);
    k.segment<3>(place.v + 3) += f.body_axes ? value : Vector3(body.R.transpose() * value);
  }
}

void MultibodySystem::add_applied_jacobians(const AppliedForce& f, const Configuration& at,
                                            const VectorRef& v, ForceJacobians& out) const {
  const Place& place = places_[f.body];
  const BodyKinematics body = moving(f.body, at, v);
  const Matrix3& R = body.R;
  const Vector3 s = f.point - model_.bodies[f.body].center_of_mass, omega = body.velocity.tail<3>(),
                point = body.x + R * s, velocity = body.velocity.head<3>() + R * omega.cross(s);
  Eigen::Matrix<double, 3, 6> P, velocity_by_q = Eigen::Matrix<double, 3, 6>::Zero();
  P << Matrix3::Identity(), -R * skew(s);
  velocity_by_q.rightCols<3>() = -R * skew(omega.cross(s));
  Matrix3 by_x, by_v;
  Matrix6 k_q = Matrix6::Zero(), k_v = Matrix6::Zero();
  if (f.force) {
    const Vector3 value = applied_value(f, f.force, at, point, velocity, &by_x, &by_v);
    const Vector3 local = f.body_axes ? value : Vector3(R.transpose() * value);  // in body axes
    Eigen::Matrix<double, 3, 6> force_by_q = by_x * P + by_v * velocity_by_q, force_by_v = by_v * P;
    if (f.body_axes) {
      force_by_q = (R * force_by_q).eval();
      force_by_q.rightCols<3>() -= R * skew(local);
      force_by_v = (R * force_by_v).eval();
    }
    k_q += P.transpose() * force_by_q;
    k_v += P.transpose() * force_by_v;
    k_q.block<3, 3>(3, 3) += skew(s) * skew(local);
  }
  if (f.torque) {
    const Vector3 value = applied_value(f, f.torque, at, point, velocity, &by_x, &by_v);
    const Matrix3 to_body = f.body_axes ? Matrix3(Matrix3::Identity()) : Matrix3(R.transpose());
    k_q.bottomRows<3>() += to_body * (by_x * P + by_v * velocity_by_q);
    k_v.bottomRows<3>() += to_body * by_v * P;
    if (!f.body_axes) k_q.block<3, 3>(3, 3) += skew(R.transpose() * value);
  }
  out.k_q.add_block(place.v, place.v, place.nv, place.nv) = k_q.topLeftCorner(place.nv, place.nv);
  out.k_v.add_block(place.v, place.v, place.nv, place.nv) = k_v.topLeftCorner(place.nv, place.nv);
}

// --- bushings: ξ = (R_Aᵀ(p_B − p_A), log(R_Aᵀ R_B)) of the two frames

void MultibodySystem::evaluate_bushing(std::size_t i, const Configuration& at, const double* v, Vector6& xi,
                                       Eigen::Matrix<double, 6, 12>& J, Vector12& V) const {
  const BushingFrames& frames = bushings_[i];
  evaluate_bushing(i, body_at(frames.a.body, at), body_at(frames.b.body, at), xi, J);
  V << velocity_of(frames.a.body, at, v), velocity_of(frames.b.body, at, v);
}

void MultibodySystem::evaluate_bushing(std::size_t i, const BodyKinematics& a, const BodyKinematics& b,
                                       Vector6& xi, Eigen::Matrix<double, 6, 12>& J) const {
  const BushingFrames& frames = bushings_[i];
  const Matrix3 F_A = rotation_matrix(frames.a.orientation), F_B = rotation_matrix(frames.b.orientation);
  PairFunction slide;
  slide.point_a = frames.a.point;
  slide.point_b = frames.b.point;
  PairValue x;
  for (int k = 0; k < 3; ++k) {
    slide.axis_a = F_A.col(k);
    evaluate(slide, a, b, false, x);
    xi[k] = x.value;
    J.row(k) = x.gradient.transpose();
  }
  const Matrix3 turn = (a.R * F_A).transpose() * b.R * F_B;
  const Vector3 psi = quaternion_logarithm(quaternion_from_matrix(turn));
  const Matrix3 to_rate = right_jacobian_inverse(psi);
  xi.tail<3>() = psi;
  J.bottomRows<3>().setZero();
  J.block<3, 3>(3, 3) = -to_rate * (b.R * F_B).transpose() * a.R;
  J.block<3, 3>(3, 9) = to_rate * F_B.transpose();
}

void MultibodySystem::add_bushing_jacobians(std::size_t i, const Configuration& at, const VectorRef& v,
                                            ForceJacobians& out) const {
  const BushingFrames& frames = bushings_[i];
  PairFunction ends;
  ends.body_a = frames.a.body;
  ends.body_b = frames.b.body;
  Vector6 xi;
  Eigen::Matrix<double, 6, 12> J;
  Vector12 V;
  evaluate_bushing(i, at, v.data(), xi, J, V);
  for (int k = 0; k < 6; ++k) {
    out.spring_rows.add_group(1);
    add_pair_row(ends, J.transpose() * frames.stiffness_axes.col(k), 1.0, out.spring_rows);
    out.spring_stiffness[out.spring_rows.num_groups() - 1] = frames.stiffness[k];
    out.damper_rows.add_group(1);
    add_pair_row(ends, J.transpose() * frames.damping_axes.col(k), 1.0, out.damper_rows);
    out.damper_damping[out.damper_rows.num_groups() - 1] = frames.damping[k];
  }
  // What J's own change adds, by differences of the force with K ξ + C J V held (and of J V with J held).
  const Matrix6 &K = model_.bushings[i].stiffness, &C = model_.bushings[i].damping;
  const Vector6 force = K * xi + C * (J * V);
  Matrix12 remainder = Matrix12::Zero();
  for (const auto& [body, first] : {std::pair{ends.body_a, 0}, std::pair{ends.body_b, 6}}) {
    if (body == k_world || places_[body].nv == 0) continue;
    for (int k = 0; k < places_[body].nv; ++k) {
      Vector6 xi_moved;
      Eigen::Matrix<double, 6, 12> J_moved;
      Vector12 difference = Vector12::Zero();
      for (const double sign : {1.0, -1.0}) {
        const BodyKinematics other = moved(body, at, sign * k_difference_step * Vector6::Unit(k));
        evaluate_bushing(i, first == 0 ? other : body_at(ends.body_a, at),
                         first == 0 ? body_at(ends.body_b, at) : other, xi_moved, J_moved);
        difference -= sign * (J_moved.transpose() * force + J.transpose() * (C * (J_moved * V)));
      }
      remainder.col(first + k) = difference / (2 * k_difference_step);
    }
  }
  add_pair_block(ends, remainder, 1.0, out.k_q_remainder);
}

// --- elements of the user

void MultibodySystem::add_element_differences(const ForceElement& element,
                                              std::vector<BodyKinematics>& motions, const Configuration& at,
                                              Matrix& by_q, Matrix& by_v) const {
  const std::vector<int> bodies = element.bodies();
  std::vector<Vector6> wrenches(bodies.size());
  const auto add_difference = [&](double sign, Matrix& derivative, Eigen::Index column) {
    std::fill(wrenches.begin(), wrenches.end(), Vector6::Zero());
    element.add_wrenches(at.t, motions, wrenches);
    for (std::size_t b = 0; b < bodies.size(); ++b)
      derivative.col(column).segment<6>(static_cast<Eigen::Index>(6 * b)) +=
          (sign / (2 * k_difference_step)) * wrenches[b];
  };
  for (std::size_t c = 0; c < bodies.size(); ++c) {
    const BodyKinematics here = motions[c];
    for (int k = 0; k < places_[bodies[c]].nv; ++k)
      for (const double sign : {1.0, -1.0}) {
        const auto column = static_cast<Eigen::Index>(6 * c) + k;
        motions[c] = moved(bodies[c], at, sign * k_difference_step * Vector6::Unit(k));
        motions[c].velocity = here.velocity;
        add_difference(sign, by_q, column);
        motions[c] = here;
        motions[c].velocity[k] += sign * k_difference_step;
        add_difference(sign, by_v, column);
        motions[c] = here;
      }
  }
}

void MultibodySystem::add_element_jacobians(const ForceElement& element, const Configuration& at,
                                            const VectorRef& v, ForceJacobians& out) const {
  const std::vector<int> bodies = element.bodies();
  const auto size = static_cast<Eigen::Index>(6 * bodies.size());
  Matrix by_q = Matrix::Zero(size, size), by_v = Matrix::Zero(size, size);
  std::vector<BodyKinematics> motions(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) motions[b] = moving(bodies[b], at, v);
  if (element.has_derivatives())
    element.add_derivatives(at.t, motions, by_q, by_v);
  else
    add_element_differences(element, motions, at, by_q, by_v);
  if (element.symmetric_derivatives())
    for (Matrix* D : {&by_q, &by_v}) *D = (0.5 * (*D + D->transpose())).eval();
  const auto add = [&](std::size_t b, std::size_t c) {
    const Place &row = places_[bodies[b]], &column = places_[bodies[c]];
    if (row.nv == 0 || column.nv == 0) return;
    const auto i = static_cast<Eigen::Index>(6 * b), j = static_cast<Eigen::Index>(6 * c);
    out.k_q.add_block(row.v, column.v, row.nv, column.nv) = by_q.block(i, j, row.nv, column.nv);
    out.k_v.add_block(row.v, column.v, row.nv, column.nv) = by_v.block(i, j, row.nv, column.nv);
  };
  // A block and its mirror image one after the other: so BlockMatrix sees that they are symmetric.
  for (std::size_t c = 0; c < bodies.size(); ++c) {
    for (std::size_t b = 0; b < c; ++b) {
      add(b, c);
      add(c, b);
    }
    add(c, c);
  }
}

}  // namespace delassus
