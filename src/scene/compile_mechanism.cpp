// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/compile_mechanism.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "delassus/base/data_tree.hpp"
#include "delassus/base/names.hpp"
#include "delassus/scene/compile_shapes.hpp"

namespace delassus {

int find_body(const SceneDesc& scene, const NameRef& ref, bool world_allowed) {
  if (ref.name == "world" && world_allowed) return k_world;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].name.name == ref.name) return static_cast<int>(i);
    names.push_back(scene.bodies[i].name.name);
  }
  if (world_allowed) names.push_back("world");
  throw InputError(ref.place, fmt::format("there is no body '{}'{}", ref.name, name_advice(ref.name, names)));
}

namespace {

// Directions that must be perpendicular may differ from it by what digits of a file leave.
constexpr double k_angle_tolerance = 1e-6;

class Compiler {
 public:
  explicit Compiler(const SceneDesc& scene) : scene_(scene) {}

  Model run() {
    model_.gravity = scene_.gravity;
    const std::vector<std::vector<Shape>> shapes = compile_shapes(scene_);
    for (std::size_t i = 0; i < shapes.size(); ++i) add(scene_.bodies[i], shapes[i]);
    // Joints with coordinates and measures first: what acts on coordinates refers to them.
    for (const JointDesc& joint : scene_.joints) add_joint(joint);
    for (const MeasureDesc& measure : scene_.measures) add(measure);
    for (const JointDesc& joint : scene_.joints) add_relation(joint);
    for (const MotorDesc& motor : scene_.motors) add(motor);
    for (const LimitDesc& limit : scene_.limits)
      model_.limits.push_back({limit.name.name, find(limit.coordinate),
                               limit.lower.value_or(-std::numeric_limits<double>::infinity()),
                               limit.upper.value_or(std::numeric_limits<double>::infinity()),
                               limit.restitution});
    for (const FrictionDesc& friction : scene_.frictions) add(friction);
    for (const ForceDesc& force : scene_.forces) add(force);
    for (const ContactDesc& contact : scene_.contacts) add(contact);
    model_.collision = compile_collision(scene_);
    model_.elements = scene_.elements;
    return std::move(model_);
  }

 private:
  struct Frames {
    Attachment a, b;
  };

  // --- names

  int find_body(const NameRef& ref, bool world_allowed) const {
    return delassus::find_body(scene_, ref, world_allowed);
  }

  CoordinateRef find(const CoordinateDesc& desc) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model_.measures.size(); ++i) {
      if (model_.measures[i].name == desc.joint.name) return {.measure = static_cast<int>(i)};
      names.push_back(model_.measures[i].name);
    }
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      const Joint& joint = model_.joints[i];
      names.push_back(joint.name);
      if (joint.name != desc.joint.name) continue;
      const auto& coordinates = joint_coordinates(joint.kind);
      std::vector<std::string> known;
      known.reserve(coordinates.size());
      for (const JointCoordinate& c : coordinates) known.push_back(c.name);
      if (coordinates.empty())
        throw InputError(desc.joint.place, fmt::format("joint '{}' is {}, which has no coordinate",
                                                       joint.name, to_string(joint.kind)));
      if (!desc.coordinate && coordinates.size() > 1)
        throw InputError(
            desc.joint.place,
            fmt::format("joint '{}' is {} and has several coordinates; choose one with 'coordinate': {}",
                        joint.name, to_string(joint.kind), fmt::join(known, ", ")));
      if (!desc.coordinate) return {.joint = static_cast<int>(i)};
      for (std::size_t k = 0; k < known.size(); ++k)
        if (known[k] == desc.coordinate->name)
          return {.joint = static_cast<int>(i), .index = static_cast<int>(k)};
      throw InputError(
          desc.coordinate->place,
          fmt::format("joint '{}' is {} and has no coordinate '{}'{}", joint.name, to_string(joint.kind),
                      desc.coordinate->name, name_advice(desc.coordinate->name, known)));
    }
    throw InputError(desc.joint.place, fmt::format("there is no joint or measure '{}'{}", desc.joint.name,
                                                   name_advice(desc.joint.name, names)));
  }

  bool is_angle(const CoordinateRef& ref) const {
    return ref.measure >= 0 ? model_.measures[ref.measure].kind == Measure::Kind::angle
                            : joint_coordinates(model_.joints[ref.joint].kind)[ref.index].angle;
  }

  // --- places

  std::pair<int, int> find_ends(const std::vector<NameRef>& between) const {
    const int a = find_body(between[0], true), b = find_body(between[1], true);
    if (a == b)
      throw InputError(between[1].place,
                       fmt::format("both ends are '{}'; allowed: two different ones", between[1].name));
    return {a, b};
  }

  Vector3 to_world(const Attachment& end) const {
    if (end.body == k_world) return end.point;
    return model_.bodies[end.body].position + rotate(model_.bodies[end.body].orientation, end.point);
  }
  Matrix3 axes_of(int body) const {
    return body == k_world ? Matrix3(Matrix3::Identity()) : rotation_matrix(model_.bodies[body].orientation);
  }

  // Points of a line element: of bodies in their frame, of the world where it is.
  Frames line_ends(const FramesDesc& desc) const {
    const auto [a, b] = find_ends(desc.between);
    Frames out;
    out.a = {a, desc.point_a.value_or(a == k_world ? desc.anchor : Vector3(Vector3::Zero()))};
    out.b = {b, desc.point_b.value_or(b == k_world ? desc.anchor : Vector3(Vector3::Zero()))};
    for (const Attachment* end : {&out.a, &out.b})
      if (end->body != k_world && model_.bodies[end->body].kind == BodyKind::particle && !end->point.isZero())
        throw InputError(desc.between[end == &out.a ? 0 : 1].place,
                         fmt::format("body '{}' is a particle; its attachment point must be zero",
                                     model_.bodies[end->body].name));
    return out;
  }
  double distance(const Frames& ends) const { return (to_world(ends.b) - to_world(ends.a)).norm(); }

  Frames joint_frames(const FramesDesc& desc, const NameRef& name, bool needs_point, bool universal) const {
    const auto [a, b] = find_ends(desc.between);
    Frames out;
    out.a.body = a;
    out.b.body = b;
    if (!desc.point && !desc.point_a && !desc.point_b && needs_point)
      throw InputError(
          name.place,
          fmt::format("joint '{}' lacks the key 'point' (where it sits, in the world at the start) "
                      "([m]), or 'point_a' and 'point_b' in the frames of the bodies",
                      name.name));
    // A point that is left out is where the other one lies at the start.
    if (desc.point_a) out.a.point = *desc.point_a;
    if (desc.point_b) out.b.point = *desc.point_b;
    if (!desc.point_a && !desc.point_b) {
      const Vector3 point = desc.point.value_or(Vector3::Zero());
      out.a.point = model_.attach(a, point).point;
      out.b.point = model_.attach(b, point).point;
    } else if (!desc.point_a) {
      out.a.point = model_.attach(a, to_world(out.b)).point;
    } else if (!desc.point_b) {
      out.b.point = model_.attach(b, to_world(out.a)).point;
    }
    // Frames in world axes: z of A, and of B the z axis, or the x axis of a universal joint.
    const Vector3 axis =
        (desc.axis_a ? Vector3(axes_of(a) * *desc.axis_a) : desc.axis.value_or(Vector3::UnitZ()))
            .normalized();
    Vector3 second = desc.axis_b ? Vector3(axes_of(b) * *desc.axis_b)
                     : universal ? desc.axis_2.value_or(Vector3::UnitX())
                                 : axis;
    second.normalize();
    Matrix3 A, B;
    if (universal) {
      // In the frames of the bodies the two axes need not be perpendicular at the start: assembly sees to it.
      if (!desc.axis_b && std::abs(axis.dot(second)) > k_angle_tolerance)
        throw InputError(
            desc.axis_place,
            fmt::format(
                "the axes of universal joint '{}' are not perpendicular: they form {:.4g}°; allowed: 90°",
                name.name, std::acos(std::clamp(axis.dot(second), -1.0, 1.0)) * 180 / M_PI));
      A = frame_with_axis(axis, desc.reference_a ? Vector3(axes_of(a) * *desc.reference_a) : second);
      // z' nearest to z, x' = second.
      Vector3 z = axis - axis.dot(second) * second;
      if (z.norm() < k_angle_tolerance) z = frame_with_axis(second, Vector3::UnitX()).col(0);
      z.normalize();
      B.col(0) = second;
      B.col(1) = z.cross(second);
      B.col(2) = z;
    } else {
      A = frame_with_axis(
          axis, desc.reference_a ? Vector3(axes_of(a) * *desc.reference_a) : Vector3(Vector3::UnitX()));
      B = frame_with_axis(second,
                          desc.reference_b ? Vector3(axes_of(b) * *desc.reference_b) : Vector3(A.col(0)));
    }
    out.a.orientation = quaternion_from_matrix(axes_of(a).transpose() * A);
    out.b.orientation = quaternion_from_matrix(axes_of(b).transpose() * B);
    require_rigid(desc, name);
    return out;
  }

  void require_rigid(const FramesDesc& desc, const NameRef& name) const {
    for (const NameRef& end : desc.between) {
      const int body = find_body(end, true);
      if (body != k_world && model_.bodies[body].kind == BodyKind::particle)
        throw InputError(end.place, fmt::format("'{}' holds the orientation of body '{}', which is a "
                                                "particle and has none; allowed: rigid bodies",
                                                name.name, end.name));
    }
  }

  // --- elements

  // A law with its velocity and acceleration: all of them enter the first step.
  static void require_finite(const TimeLaw& law, const Place& place, const std::string& what) {
    for (const auto* part : {&law.value, &law.rate, &law.acceleration})
      if (!std::isfinite((*part)(0)))
        throw InputError(place,
                         fmt::format("{} is not finite at the start, or not smooth there: its first and "
                                     "second derivative must be finite too",
                                     what));
  }

  void add(const BodyDesc& desc, const std::vector<Shape>& shapes) {
    Body body{
        .name = desc.name.name, .position = desc.position, .velocity = desc.velocity, .kind = desc.kind};
    body.orientation = desc.orientation;
    body.angular_velocity = rotate_back(desc.orientation, desc.angular_velocity);
    body.shapes = shapes;
    MassProperties from_shapes;
    if (!shapes.empty() && desc.kind == BodyKind::rigid) {
      from_shapes = mass_properties(shapes, desc.density.value_or(1.0));
      if (desc.mass) {
        from_shapes.inertia *= *desc.mass / from_shapes.mass;
        from_shapes.mass = *desc.mass;
      }
    }
    body.mass = desc.mass.value_or(from_shapes.mass);
    body.inertia = desc.inertia.value_or(from_shapes.inertia);
    body.center_of_mass =
        desc.center_of_mass.value_or(desc.inertia ? Vector3(Vector3::Zero()) : from_shapes.center_of_mass);
    if (desc.kind == BodyKind::kinematic) {
      for (int i = 0; i < 3; ++i)
        body.motion.position[i] =
            desc.motion.empty() ? constant_law(desc.position[i]) : time_law_from_expression(desc.motion[i]);
      body.motion.axis = desc.axis;
      if (desc.angle) body.motion.angle = time_law_from_expression(*desc.angle);
      for (const TimeLaw& law : body.motion.position)
        require_finite(law, desc.motion_place, fmt::format("the motion of body '{}'", desc.name.name));
      if (body.motion.angle)
        require_finite(body.motion.angle, desc.angle_place,
                       fmt::format("the angle of body '{}'", desc.name.name));
      for (int i = 0; i < 3; ++i) body.position[i] = body.motion.position[i].value(0);
      if (body.motion.angle && body.motion.angle.value(0) != 0) start_turned(body);
    }
    model_.add(std::move(body));
  }

  // World points and axes of joints refer to the bodies as they lie at the start, so the turn at t = 0 becomes part of
  // the orientation.
  static void start_turned(Body& body) {
    const double angle = body.motion.angle.value(0);
    body.orientation =
        quaternion_product(quaternion_exponential(angle * body.motion.axis.normalized()), body.orientation)
            .normalized();
    body.motion.angle.value = [law = body.motion.angle.value, angle](double t) { return law(t) - angle; };
  }

  void add_joint(const JointDesc& desc) {
    static const std::pair<const char*, JointKind> kinds[] = {{"fixed", JointKind::fixed},
                                                              {"revolute", JointKind::revolute},
                                                              {"prismatic", JointKind::prismatic},
                                                              {"cylindrical", JointKind::cylindrical},
                                                              {"screw", JointKind::screw},
                                                              {"spherical", JointKind::spherical},
                                                              {"universal", JointKind::universal},
                                                              {"planar", JointKind::planar},
                                                              {"point_on_line", JointKind::point_on_line},
                                                              {"point_on_plane", JointKind::point_on_plane},
                                                              {"parallel_axes", JointKind::parallel_axes}};
    if (desc.type == "distance") {
      const Frames ends = line_ends(desc.frames);
      const double length = desc.length.value_or(distance(ends));
      if (length <= 0)
        throw InputError(
            desc.name.place,
            fmt::format("joint '{}': its ends coincide, so it needs a 'length' > 0", desc.name.name));
      model_.add(distance_joint(desc.name.name, ends.a, ends.b, length));
      return;
    }
    if (desc.type == "pulley") {
      const Frames ends = line_ends(desc.frames);
      for (const auto& [end, guide, suffix] :
           {std::tuple{ends.a, desc.guide_a, ".length_a"}, std::tuple{ends.b, desc.guide_b, ".length_b"}}) {
        if (end.body == k_world)
          throw InputError(desc.name.place,
                           fmt::format("pulley '{}' ends at 'world'; allowed: bodies", desc.name.name));
        if ((to_world(end) - guide).isZero())
          throw InputError(desc.name.place,
                           fmt::format("pulley '{}': its rope to '{}' has length zero at the start",
                                       desc.name.name, model_.bodies[end.body].name));
        model_.measures.push_back({desc.name.name + suffix, Measure::Kind::length, {k_world, guide}, end});
      }
      return;
    }
    for (const auto& [type, kind] : kinds) {
      if (desc.type != type) continue;
      const Frames frames = joint_frames(desc.frames, desc.name, kind != JointKind::parallel_axes,
                                         kind == JointKind::universal);
      Joint joint{.name = desc.name.name, .kind = kind, .a = frames.a, .b = frames.b, .pitch = desc.pitch};
      model_.add(std::move(joint));
    }
  }

  void add(const MeasureDesc& desc) {
    Measure measure{.name = desc.name.name};
    Frames frames;
    if (desc.type == "length") {
      frames = line_ends(desc.frames);
    } else {
      measure.kind = desc.type == "slide" ? Measure::Kind::slide : Measure::Kind::angle;
      frames = joint_frames(desc.frames, desc.name, measure.kind == Measure::Kind::slide, false);
    }
    measure.a = frames.a;
    measure.b = frames.b;
    model_.measures.push_back(std::move(measure));
  }

  // Joints that relate coordinates or velocities.
  void add_relation(const JointDesc& desc) {
    const std::string& name = desc.name.name;
    if (desc.type == "gear" || desc.type == "rack_and_pinion" || desc.type == "coupler") {
      Coupler coupler{.name = name, .offset = desc.offset.value_or(0), .offset_from_start = !desc.offset};
      for (const CoordinateDesc& term : desc.terms) {
        // The kind of relation says which coordinate is meant.
        CoordinateDesc chosen = term;
        if (desc.type != "coupler")
          chosen.coordinate = coordinate_of_kind(term, desc.type == "gear" || &term != &desc.terms[0]);
        coupler.terms.push_back({find(chosen), term.coefficient});
      }
      bool any = false;
      for (const CoordinateDesc& term : desc.terms) any = any || term.coefficient != 0;
      if (!any)
        throw InputError(desc.name.place, fmt::format("joint '{}': all its coefficients are zero", name));
      model_.couplers.push_back(std::move(coupler));
    } else if (desc.type == "pulley") {
      const auto rope = [&](const char* suffix) {
        return find({.joint = {name + suffix, desc.name.place}, .coordinate = {}});
      };
      model_.couplers.push_back(pulley(name, rope(".length_a"), rope(".length_b"), desc.ratio));
    } else if (desc.type == "rolling_disk") {
      const int disk = rigid_body(desc.body, name);
      const Vector3 axis = (axes_of(disk) * desc.direction).normalized();
      if (axis.cross(desc.plane_normal.normalized()).norm() < k_angle_tolerance)
        throw InputError(
            desc.direction_place,
            fmt::format("the disk of joint '{}' lies flat on its plane at the start; allowed: an axis "
                        "that is not the plane's normal",
                        name));
      model_.rolling_disks.push_back(
          {name, disk, desc.center, desc.direction, desc.radius, desc.plane_point, desc.plane_normal});
    } else if (desc.type == "skate") {
      model_.skates.push_back({name, rigid_body(desc.body, name), desc.center, desc.direction});
    } else if (desc.type == "pfaffian") {
      PfaffianRow row{.name = name};
      bool any = false;
      for (const JointDesc::BodyTerm& term : desc.body_terms) {
        row.terms.push_back(
            {find_body(term.body, false), term.point, term.linear, term.angular, term.body_axes});
        any = any || !term.linear.isZero() || !term.angular.isZero();
      }
      for (const CoordinateDesc& term : desc.terms) {
        row.coordinates.push_back({find(term), term.coefficient});
        any = any || term.coefficient != 0;
      }
      if (!any)
        throw InputError(desc.name.place, fmt::format("joint '{}': all its coefficients are zero", name));
      bool moves = !row.coordinates.empty();
      for (const PfaffianRow::Term& term : row.terms) moves = moves || model_.bodies[term.body].dynamic();
      if (!moves)
        throw InputError(desc.name.place, fmt::format("joint '{}': none of its bodies can move", name));
      if (desc.target) {
        row.target = time_law_from_expression(*desc.target);
        require_finite(row.target, desc.target_place, fmt::format("the target of joint '{}'", name));
      }
      model_.pfaffian_rows.push_back(std::move(row));
    }
  }

  int rigid_body(const NameRef& ref, const std::string& name) const {
    const int body = find_body(ref, false);
    if (model_.bodies[body].kind != BodyKind::rigid)
      throw InputError(ref.place, fmt::format("joint '{}' needs a rigid body; '{}' is none", name, ref.name));
    return body;
  }

  // The first angle or the first slide of a joint; none: the choice is left to the message of find().
  std::optional<NameRef> coordinate_of_kind(const CoordinateDesc& desc, bool angle) const {
    if (desc.coordinate) return desc.coordinate;
    for (const Joint& joint : model_.joints) {
      if (joint.name != desc.joint.name) continue;
      for (const JointCoordinate& c : joint_coordinates(joint.kind))
        if (c.angle == angle) return NameRef{c.name, desc.joint.place};
      throw InputError(desc.joint.place, fmt::format("joint '{}' is {}, which has no {}", joint.name,
                                                     to_string(joint.kind), angle ? "angle" : "slide"));
    }
    return std::nullopt;
  }

  // Signals are declared by those who listen to them; several may listen to one.
  int signal_index(const std::optional<NameRef>& ref) {
    if (!ref) return -1;
    const auto same = [&](const Signal& signal) { return signal.name == ref->name; };
    const auto at = std::find_if(model_.signals.begin(), model_.signals.end(), same);
    if (at != model_.signals.end()) return static_cast<int>(at - model_.signals.begin());
    model_.signals.push_back({ref->name});
    return static_cast<int>(model_.signals.size()) - 1;
  }

  void add(const MotorDesc& desc) {
    Motor motor{.name = desc.name.name,
                .coordinate = find(desc.coordinate),
                .stiffness = desc.stiffness,
                .damping = desc.damping};
    motor.kind = desc.type == "position"   ? Motor::Kind::position
                 : desc.type == "velocity" ? Motor::Kind::velocity
                 : desc.type == "force"    ? Motor::Kind::force
                                           : Motor::Kind::servo;
    if (motor.kind == Motor::Kind::force)
      motor.force = coordinate_law_from_expression(desc.law);
    else
      motor.target = time_law_from_expression(desc.law);
    if (motor.target)
      require_finite(motor.target, desc.law_place, fmt::format("the law of motor '{}'", desc.name.name));
    motor.signal = signal_index(desc.signal);
    model_.motors.push_back(std::move(motor));
  }

  void add(const FrictionDesc& desc) {
    const CoordinateRef ref = find(desc.coordinate);
    if (ref.measure >= 0)
      throw InputError(desc.coordinate.joint.place,
                       fmt::format("friction '{}' acts on measure '{}'; allowed: joints", desc.name.name,
                                   desc.coordinate.joint.name));
    double coefficient = desc.coefficient;
    if (is_angle(ref) && coefficient > 0) {
      if (!desc.radius)
        throw InputError(
            desc.name.place,
            fmt::format(
                "friction '{}' of an angle has a 'coefficient' but no 'radius' (of the pin) ([m], > 0)",
                desc.name.name));
      coefficient *= *desc.radius;
    } else if (desc.radius) {
      throw InputError(
          desc.radius_place,
          fmt::format("friction '{}' has a 'radius', which only an angle with a 'coefficient' needs",
                      desc.name.name));
    }
    model_.frictions.push_back({desc.name.name, ref, desc.constant, coefficient});
  }

  void add(const ForceDesc& desc) {
    const std::string& name = desc.name.name;
    if (desc.type == "spring") {
      const Frames ends = line_ends(desc.frames);
      model_.springs.push_back(
          {name, ends.a, ends.b, desc.stiffness, desc.rest.value_or(distance(ends)), desc.damping});
    } else if (desc.type == "applied") {
      add_applied(desc);
    } else if (desc.type == "torsional") {
      const Frames frames = joint_frames(desc.frames, desc.name, false, false);
      model_.measures.push_back({name + ".angle", Measure::Kind::angle, frames.a, frames.b});
      const CoordinateRef ref{.measure = static_cast<int>(model_.measures.size()) - 1};
      // Frames that are made where the bodies lie have angle 0 there.
      model_.coordinate_springs.push_back(
          {name, ref, desc.stiffness, desc.rest.value_or(start_angle(frames)), desc.damping});
    } else if (desc.type == "joint_spring") {
      model_.coordinate_springs.push_back(
          {name, find(desc.coordinate), desc.stiffness, desc.rest.value_or(0), desc.damping});
    } else if (desc.type == "bushing") {
      const Frames frames = joint_frames(desc.frames, desc.name, true, false);
      model_.bushings.push_back({name, frames.a, frames.b, desc.stiffness_matrix, desc.damping_matrix});
    } else {
      for (const Body& body : model_.bodies)
        if (body.dynamic() &&
            (body.position + rotate(body.orientation, body.center_of_mass) - desc.center).isZero())
          throw InputError(
              desc.center_place,
              fmt::format("body '{}' starts at the centre of point gravity '{}', where the attraction "
                          "is infinite",
                          body.name, name));
      model_.point_gravities.push_back({name, desc.center, desc.strength});
    }
  }

  double start_angle(const Frames& frames) const {
    const Matrix3 A = axes_of(frames.a.body) * rotation_matrix(frames.a.orientation),
                  B = axes_of(frames.b.body) * rotation_matrix(frames.b.orientation);
    return std::atan2(A.col(1).dot(B.col(0)), A.col(0).dot(B.col(0)));
  }

  void add_applied(const ForceDesc& desc) {
    AppliedForce force{
        .name = desc.name.name, .body = find_body(desc.body, false), .force = {}, .point = desc.point};
    const Body& body = model_.bodies[force.body];
    if (!body.dynamic())
      throw InputError(desc.body.place, fmt::format("body '{}' does not move by forces", body.name));
    if (body.kind == BodyKind::particle && (!desc.torque.empty() || !desc.point.isZero()))
      throw InputError(
          desc.body.place,
          fmt::format("body '{}' is a particle; a 'torque' or a 'point' needs a rigid body", body.name));
    force.body_axes = desc.body_axes;
    const Vector3 lever = rotate(body.orientation, desc.point), at = body.position + lever,
                  velocity = body.velocity + rotate(body.orientation, body.angular_velocity).cross(lever);
    const double start[] = {0, at.x(), at.y(), at.z(), velocity.x(), velocity.y(), velocity.z()};
    for (const auto& [formulas, place, what, function] :
         {std::tuple{&desc.force, &desc.force_place, "force", &force.force},
          std::tuple{&desc.torque, &desc.torque_place, "torque", &force.torque}}) {
      if (formulas->empty()) continue;
      for (int i = 0; i < 3; ++i)
        if (const double value = (*formulas)[i].evaluate(start); !std::isfinite(value))
          throw InputError(
              *place,
              fmt::format("the {} component of {} '{}' is {} at the start; it must be a finite number there",
                          "xyz"[i], what, desc.name.name,
                          std::isnan(value) ? "nan"
                          : value > 0       ? "inf"
                                            : "-inf"));
      const Expression components[3] = {(*formulas)[0], (*formulas)[1], (*formulas)[2]};
      *function = force_from_expressions(components);
    }
    force.signal = signal_index(desc.signal);
    model_.applied_forces.push_back(std::move(force));
  }

  int particle(const NameRef& ref) const {
    const int body = find_body(ref, false);
    if (model_.bodies[body].kind != BodyKind::particle)
      throw InputError(ref.place, fmt::format("body '{}' is not a particle; other bodies touch with their "
                                              "'shapes', which need no entry here",
                                              ref.name));
    return body;
  }

  void add(const ContactDesc& contact) {
    if (contact.kind == ContactDesc::Kind::plane) {
      model_.plane_contacts.push_back({contact.name.name, particle(contact.body), contact.point,
                                       contact.normal, contact.surface_velocity, contact.radius,
                                       contact.friction, contact.restitution});
      return;
    }
    const int a = particle(contact.between[0]), b = particle(contact.between[1]);
    if (a == b)
      throw InputError(
          contact.between[1].place,
          fmt::format("both ends are '{}'; allowed: two different ones", contact.between[1].name));
    model_.pair_contacts.push_back(
        {contact.name.name, a, b, contact.distance, contact.friction, contact.restitution});
  }

  const SceneDesc& scene_;
  Model model_;
};

}  // namespace

Model compile_model(const SceneDesc& scene) {
  return Compiler(scene).run();
}

}  // namespace delassus
