// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <set>

#include "delassus/base/error.hpp"
#include "delassus/model/model.hpp"

namespace delassus {
namespace {

// Unit vectors and quaternions as files give them.
constexpr double k_unit_tolerance = 1e-9;

// One element under examination: every complaint names it.
class Subject {
 public:
  Subject(const Model& model, std::set<std::string>& names, const char* kind, const std::string& name)
      : model_(model), kind_(kind), name_(name) {
    require(!name.empty(), "the name is empty");
    require(names.insert(name).second, "the name is used twice");
  }

  void require(bool condition, const std::string& what) const {
    if (!condition) throw InputError(fmt::format("{} '{}': {}", kind_, name_, what));
  }
  void require_finite(const char* what, const Vector3& value) const {
    require(value.allFinite(), fmt::format("{} is not finite", what));
  }
  void require_positive(const char* what, double value) const {
    require(std::isfinite(value) && value > 0, fmt::format("{} is {}; allowed: > 0", what, value));
  }
  void require_not_negative(const char* what, double value) const {
    require(std::isfinite(value) && value >= 0, fmt::format("{} is {}; allowed: >= 0", what, value));
  }
  void require_direction(const char* what, const Vector3& value) const {
    require(value.allFinite() && value.norm() > 0, fmt::format("{} is zero or not finite", what));
  }
  void require_unit(const char* what, const Quaternion& value) const {
    require(value.allFinite() && std::abs(value.norm() - 1) < k_unit_tolerance,
            fmt::format("{} has norm {}; allowed: unit quaternions", what, value.norm()));
  }
  void require_body(int body, bool world) const {
    const int n = static_cast<int>(model_.bodies.size());
    require(body >= (world ? k_world : 0) && body < n,
            fmt::format("body index {} is not in 0 … {}", body, n - 1));
  }
  const Body& require_rigid(int body) const {
    require_body(body, false);
    require(model_.bodies[body].kind == BodyKind::rigid,
            fmt::format("body '{}' is not rigid; allowed: rigid bodies", model_.bodies[body].name));
    return model_.bodies[body];
  }
  // Two different ends of which one can move; `frames`: their orientations matter, so particles will not do.
  void require_ends(const Attachment& a, const Attachment& b, bool frames) const {
    for (const Attachment* end : {&a, &b}) {
      require_body(end->body, true);
      require_finite("an attachment point", end->point);
      require_unit("the orientation of an attachment", end->orientation);
      if (end->body == k_world || model_.bodies[end->body].kind != BodyKind::particle) continue;
      require(!frames, fmt::format("body '{}' is a particle, which has no orientation; allowed: rigid bodies",
                                   model_.bodies[end->body].name));
      require(end->point.isZero(), fmt::format("body '{}' is a particle; its attachment point must be zero",
                                               model_.bodies[end->body].name));
    }
    require(a.body != b.body,
            a.body == k_world ? "both ends are fixed in the world" : "both ends are on the same body");
    require(moves(a.body) || moves(b.body), "neither of its ends can move");
  }
  void require_signal(int signal) const {
    require(signal < static_cast<int>(model_.signals.size()), "it refers to a signal that does not exist");
  }
  void require_coordinate(const CoordinateRef& ref) const {
    if (ref.measure >= 0) {
      require(ref.measure < static_cast<int>(model_.measures.size()),
              "it refers to a measure that does not exist");
      return;
    }
    require(ref.joint >= 0 && ref.joint < static_cast<int>(model_.joints.size()),
            "it refers to a joint that does not exist");
    const Joint& joint = model_.joints[ref.joint];
    const int n = static_cast<int>(joint_coordinates(joint.kind).size());
    require(ref.index >= 0 && ref.index < n,
            fmt::format("joint '{}' is {} and has {} coordinate{}; asked for number {}", joint.name,
                        to_string(joint.kind), n, n == 1 ? "" : "s", ref.index));
  }

 private:
  bool moves(int body) const { return body != k_world && model_.bodies[body].dynamic(); }

  const Model& model_;
  const char* kind_;
  const std::string& name_;
};

// How far a joint's S and D rows need the orientation of its ends.
bool needs_frames(JointKind kind) {
  return kind != JointKind::distance && kind != JointKind::spherical && kind != JointKind::point_on_line &&
         kind != JointKind::point_on_plane;
}

void check_body(const Subject& s, const Body& body) {
  if (body.dynamic()) s.require_positive("mass", body.mass);
  s.require_finite("position", body.position);
  s.require_finite("velocity", body.velocity);
  s.require_finite("angular velocity", body.angular_velocity);
  s.require_finite("centre of mass", body.center_of_mass);
  s.require_unit("the orientation", body.orientation);
  if (body.kind == BodyKind::rigid) {
    const std::string why = check_inertia(body.inertia);
    s.require(why.empty(), why);
  }
  if (body.kind == BodyKind::kinematic) {
    for (const TimeLaw& law : body.motion.position)
      s.require(static_cast<bool>(law), "a kinematic body needs its motion");
    s.require_direction("the axis of its motion", body.motion.axis);
  }
  for (const Shape& shape : body.shapes) {
    const std::string why = check_shape(shape, body.kind);
    s.require(why.empty(), why);
  }
}

void check_surface(const Subject& s, double friction, double restitution) {
  s.require_not_negative("friction", friction);
  s.require(restitution >= 0 && restitution <= 1,
            fmt::format("restitution is {}; allowed: 0 … 1", restitution));
}

void check_semidefinite(const Subject& s, const char* what, const Matrix6& K) {
  s.require(K.allFinite() &&
                (K - K.transpose()).cwiseAbs().maxCoeff() <= k_unit_tolerance * K.cwiseAbs().maxCoeff(),
            fmt::format("its {} matrix is not symmetric", what));
  const Vector6 values = Eigen::SelfAdjointEigenSolver<Matrix6>(K, Eigen::EigenvaluesOnly).eigenvalues();
  s.require(values[0] >= -k_unit_tolerance * std::abs(values[5]),
            fmt::format("its {} matrix has the negative eigenvalue {}; allowed: >= 0", what, values[0]));
}

void check_joints(const Model& model, std::set<std::string>& names) {
  for (const Joint& j : model.joints) {
    const Subject s(model, names, "joint", j.name);
    s.require_ends(j.a, j.b, needs_frames(j.kind));
    if (j.kind == JointKind::distance) s.require_positive("length", j.length);
    s.require(std::isfinite(j.pitch), "the pitch is not finite");
  }
  for (const Measure& m : model.measures)
    Subject(model, names, "measure", m.name).require_ends(m.a, m.b, m.kind != Measure::Kind::length);
  for (const Coupler& c : model.couplers) {
    const Subject s(model, names, "joint", c.name);
    bool any = false;
    for (const Coupler::Term& term : c.terms) {
      s.require_coordinate(term.coordinate);
      s.require(std::isfinite(term.coefficient), "a coefficient is not finite");
      any = any || term.coefficient != 0;
    }
    s.require(any, "all its coefficients are zero");
  }
  for (const Motor& m : model.motors) {
    const Subject s(model, names, "motor", m.name);
    s.require_coordinate(m.coordinate);
    s.require(m.kind == Motor::Kind::force ? static_cast<bool>(m.force) : static_cast<bool>(m.target),
              "it has no law");
    s.require_not_negative("stiffness", m.stiffness);
    s.require_not_negative("damping", m.damping);
    s.require_signal(m.signal);
    s.require(m.signal < 0 || m.kind != Motor::Kind::position,
              "a position motor takes no signal, because its target may not jump; take a servo");
  }
  for (const CoordinateSpring& x : model.coordinate_springs) {
    const Subject s(model, names, "spring", x.name);
    s.require_coordinate(x.coordinate);
    s.require_not_negative("stiffness", x.stiffness);
    s.require_not_negative("damping", x.damping);
    s.require(std::isfinite(x.rest), "the rest position is not finite");
  }
  for (const CoordinateLimit& x : model.limits) {
    const Subject s(model, names, "limit", x.name);
    s.require_coordinate(x.coordinate);
    s.require(x.lower < x.upper, fmt::format("lower {} is not below upper {}", x.lower, x.upper));
    check_surface(s, 0, x.restitution);
  }
  for (const JointFriction& x : model.frictions) {
    const Subject s(model, names, "friction", x.name);
    s.require_coordinate(x.coordinate);
    s.require(x.coordinate.measure < 0, "friction acts in a joint; a measure is none");
    s.require_not_negative("constant", x.constant);
    s.require_not_negative("coefficient", x.coefficient);
  }
  for (const RollingDisk& x : model.rolling_disks) {
    const Subject s(model, names, "joint", x.name);
    s.require_rigid(x.body);
    s.require_positive("radius", x.radius);
    s.require_direction("the axis", x.axis);
    s.require_direction("the plane's normal", x.plane_normal);
  }
  for (const Skate& x : model.skates) {
    const Subject s(model, names, "joint", x.name);
    s.require_rigid(x.body);
    s.require_direction("the direction across the blade", x.across);
  }
  for (const PfaffianRow& x : model.pfaffian_rows) {
    const Subject s(model, names, "joint", x.name);
    bool any = false;
    for (const PfaffianRow::Term& term : x.terms) {
      s.require_body(term.body, false);
      s.require_finite("a coefficient", term.linear);
      s.require_finite("a coefficient", term.angular);
      any = any || !term.linear.isZero() || !term.angular.isZero();
    }
    for (const Coupler::Term& term : x.coordinates) {
      s.require_coordinate(term.coordinate);
      any = any || term.coefficient != 0;
    }
    s.require(any, "all its coefficients are zero");
  }
}

void check_forces(const Model& model, std::set<std::string>& names) {
  for (const SpringDamper& x : model.springs) {
    const Subject s(model, names, "force", x.name);
    s.require_ends(x.a, x.b, false);
    s.require_not_negative("stiffness", x.stiffness);
    s.require_not_negative("damping", x.damping);
    s.require_not_negative("rest_length", x.rest_length);
  }
  for (const AppliedForce& f : model.applied_forces) {
    const Subject s(model, names, "force", f.name);
    s.require_body(f.body, false);
    const Body& body = model.bodies[f.body];
    s.require(body.dynamic(), fmt::format("body '{}' does not move by forces", body.name));
    s.require(f.force || f.torque, "has no function");
    s.require_signal(f.signal);
    s.require(!f.torque || body.kind == BodyKind::rigid,
              fmt::format("body '{}' is a particle; a torque needs a rigid one", body.name));
    s.require(body.kind == BodyKind::rigid || f.point.isZero(),
              fmt::format("body '{}' is a particle; the point must be zero", body.name));
  }
  for (const Bushing& x : model.bushings) {
    const Subject s(model, names, "force", x.name);
    s.require_ends(x.a, x.b, true);
    check_semidefinite(s, "stiffness", x.stiffness);
    check_semidefinite(s, "damping", x.damping);
  }
  for (const PointGravity& x : model.point_gravities) {
    const Subject s(model, names, "force", x.name);
    s.require_finite("the centre", x.center);
    s.require_not_negative("strength", x.strength);
  }
  for (const auto& element : model.elements) {
    const std::string name = element->name();
    const Subject s(model, names, "force", name);
    for (int body : element->bodies()) s.require_body(body, false);
  }
}

void check_contacts(const Model& model, std::set<std::string>& names) {
  const auto require_particle = [&](const Subject& s, int body) {
    s.require_body(body, false);
    s.require(model.bodies[body].kind == BodyKind::particle,
              fmt::format("body '{}' is not a particle; listed contacts are of particles, contacts of rigid "
                          "bodies need shapes",
                          model.bodies[body].name));
  };
  for (const PlaneContact& c : model.plane_contacts) {
    const Subject s(model, names, "contact", c.name);
    require_particle(s, c.body);
    s.require_direction("the normal", c.normal);
    s.require_not_negative("radius", c.radius);
    check_surface(s, c.friction, c.restitution);
  }
  for (const PairContact& c : model.pair_contacts) {
    const Subject s(model, names, "contact", c.name);
    require_particle(s, c.body_a);
    require_particle(s, c.body_b);
    s.require(c.body_a != c.body_b, "both ends are on the same body");
    s.require_positive("distance", c.distance);
    check_surface(s, c.friction, c.restitution);
  }
}

void check_collision(const Model& model) {
  const auto require = [](bool condition, const std::string& what) {
    if (!condition) throw InputError("collision: " + what);
  };
  const CollisionSettings& settings = model.collision;
  require(std::isfinite(settings.envelope) && settings.envelope >= 0,
          fmt::format("the envelope is {}; allowed: >= 0", settings.envelope));
  const int n = static_cast<int>(model.bodies.size());
  std::set<std::pair<int, int>> seen;
  for (const PairRule& rule : settings.pairs) {
    for (int body : {rule.body_a, rule.body_b})
      require(body >= 0 && body < n, fmt::format("body index {} of a pair is not in 0 … {}", body, n - 1));
    const std::string &a = model.bodies[rule.body_a].name, &b = model.bodies[rule.body_b].name;
    require(rule.body_a != rule.body_b, fmt::format("a pair is '{}' with itself", a));
    require(seen.insert(std::minmax(rule.body_a, rule.body_b)).second,
            fmt::format("the pair '{}', '{}' has two rules", a, b));
    const std::string why = check_pair_material(rule);
    require(why.empty(), fmt::format("the pair '{}', '{}': {}", a, b, why));
  }
}

}  // namespace

std::string check_pair_material(const PairRule& rule) {
  if (rule.kinetic_friction && !rule.friction)
    return "it has a kinetic friction of its own; it needs a friction, too";
  return check_material(rule.apply({}));
}

std::string check_shape(const Shape& shape, BodyKind kind) {
  std::string why;
  if (kind == BodyKind::particle)
    why = "a particle has no shapes; allowed: rigid, fixed and kinematic bodies";
  else if (kind == BodyKind::rigid &&
           (shape.kind == ShapeKind::plane || shape.kind == ShapeKind::height_field))
    why = "it cannot move by forces; allowed: on fixed and kinematic bodies";
  else if (!shape.position.allFinite())
    why = "its position is not finite";
  else if (!shape.orientation.allFinite() || std::abs(shape.orientation.norm() - 1) > k_unit_tolerance)
    why = fmt::format("its orientation has norm {}; allowed: unit quaternions", shape.orientation.norm());
  else
    why = check_material(shape.material);
  return why.empty() ? check_shape(shape, kind == BodyKind::rigid) : describe(shape) + ": " + why;
}

void require_valid(const Model& model) {
  if (!model.gravity.allFinite()) throw InputError("model 'gravity': not finite");
  std::set<std::string> names;
  for (const Body& body : model.bodies) check_body(Subject(model, names, "body", body.name), body);
  check_joints(model, names);
  check_forces(model, names);
  check_contacts(model, names);
  check_collision(model);
  std::set<std::string> signals;
  for (const Signal& signal : model.signals)
    if (signal.name.empty() || !signals.insert(signal.name).second)
      throw InputError(fmt::format("signal '{}' stands twice or has no name", signal.name));
}

}  // namespace delassus
