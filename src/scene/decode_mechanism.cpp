// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/decode_mechanism.hpp"

#include <fmt/format.h>

#include <cmath>

#include "delassus/scene/decode_shapes.hpp"

namespace delassus {

void require_count(const Place& place, const std::string& what, std::size_t count, std::size_t wanted) {
  if (count != wanted)
    throw InputError(place, fmt::format("{} has {} entries; allowed: {}", what, count, wanted));
}

void require_not_constant(const Place& place, const std::string& name, const char* what,
                          const Constants& constants) {
  if (constants.contains(name))
    throw InputError(place,
                     fmt::format("'{}' is {} and a constant of the scene; rename one of them", name, what));
}

namespace {

std::optional<Vector3> read_vector(const FieldReader& f, const std::string& key) {
  if (!f.knows(key) || !f.has(key)) return std::nullopt;
  return f.vector3(key, Vector3::Zero());
}

}  // namespace

std::optional<Vector3> read_direction(const FieldReader& f, const std::string& key) {
  std::optional<Vector3> out = read_vector(f, key);
  if (out && out->norm() == 0)
    throw InputError(f.place(key),
                     fmt::format("'{}' of {} is zero; allowed: any other direction", key, f.title()));
  return out;
}

namespace {

const std::vector<std::string> k_time{"t"};

std::vector<NameRef> read_ends(const FieldReader& fields) {
  std::vector<NameRef> ends = fields.names("between");
  require_count(fields.place("between"), "'between'", ends.size(), 2);
  return ends;
}

Quaternion read_orientation(const FieldReader& f) {
  if (f.knows("orientation") && f.has("orientation")) {
    if (f.has("rotation"))
      throw InputError(
          f.key_place("rotation"),
          fmt::format("{} has an 'orientation' and a 'rotation'; allowed: one of them", f.title()));
    const std::vector<double> values = f.numbers("orientation");
    require_count(f.place("orientation"), "'orientation'", values.size(), 4);
    const Quaternion rho(values[0], values[1], values[2], values[3]);
    // Digits of a file round a unit quaternion; anything else is a mistake.
    constexpr double tolerance = 1e-4;
    if (std::abs(rho.norm() - 1) > tolerance)
      throw InputError(
          f.place("orientation"),
          fmt::format("'orientation' of {} has length {:.6g}; allowed: unit quaternions [w, x, y, z]",
                      f.title(), rho.norm()));
    return rho.normalized();
  }
  return quaternion_exponential(f.vector3("rotation", Vector3::Zero()));
}

Matrix3 read_inertia(const FieldReader& f) {
  const std::vector<double> J = f.numbers("inertia");
  if (J.size() != 3 && J.size() != 6)
    throw InputError(
        f.place("inertia"),
        fmt::format("'inertia' of {} has {} entries; allowed: 3 (xx, yy, zz) or 6 (and xy, xz, yz)",
                    f.title(), J.size()));
  Matrix3 out = Vector3(J[0], J[1], J[2]).asDiagonal();
  if (J.size() == 6) {
    out(0, 1) = out(1, 0) = J[3];
    out(0, 2) = out(2, 0) = J[4];
    out(1, 2) = out(2, 1) = J[5];
  }
  if (const std::string why = check_inertia(out); !why.empty())
    throw InputError(f.place("inertia"), f.title() + ": " + why);
  return out;
}

// A density or mass to weigh the shapes with, or mass and inertia as they are.
void read_mass(const FieldReader& f, BodyDesc& body) {
  body.mass = f.optional_number("mass");
  body.density = f.optional_number("density");
  if (f.has("inertia")) body.inertia = read_inertia(f);
  body.center_of_mass = read_vector(f, "center_of_mass");
  if (body.density && body.mass)
    throw InputError(f.key_place("density"),
                     fmt::format("{} has a 'mass' and a 'density'; allowed: one of them", f.title()));
  if (body.density && body.shapes.empty())
    throw InputError(f.key_place("density"), fmt::format("{} has a 'density' but no 'shapes'", f.title()));
  if (!body.mass && !body.density)
    throw InputError(
        f.place(),
        fmt::format("{} lacks the key 'mass' (or 'density' with 'shapes') ([kg], > 0)", f.title()));
  if (!body.inertia && body.shapes.empty())
    throw InputError(f.place(),
                     fmt::format("{} lacks the key 'inertia' (or 'shapes' to compute it from)", f.title()));
}

void read_bodies(const FieldReader& scene, SceneDesc& out) {
  ShapeReader shapes(scene, out.file);
  for (const FieldReader& f : scene.objects("bodies")) {
    BodyDesc body;
    body.name = f.name("name");
    const std::string& type = f.table().type;
    body.position = f.vector3("position", Vector3::Zero());
    if (type == "particle") {
      body.mass = f.number("mass", 1);
      body.velocity = f.vector3("velocity", Vector3::Zero());
      body.radius = f.number("radius", body.radius);
      out.bodies.push_back(std::move(body));
      continue;
    }
    body.orientation = read_orientation(f);
    body.shapes = shapes.read(f);
    if (type == "rigid") {
      body.kind = BodyKind::rigid;
      body.velocity = f.vector3("velocity", Vector3::Zero());
      body.angular_velocity = f.vector3("angular_velocity", Vector3::Zero());
      read_mass(f, body);
    } else if (type == "kinematic") {
      body.kind = BodyKind::kinematic;
      require_not_constant(f.place(), "t", "the time of a motion", out.constants);
      body.motion = f.formulas("motion", k_time);
      if (f.has("motion")) require_count(f.place("motion"), "'motion'", body.motion.size(), 3);
      if (f.has("motion") && f.has("position"))
        throw InputError(
            f.key_place("position"),
            fmt::format("{} has a 'position' and a 'motion', which says where it starts; allowed: "
                        "one of them",
                        f.title()));
      body.motion_place = f.place("motion");
      body.axis = read_direction(f, "axis").value_or(Vector3::UnitZ());
      body.angle = f.formula("angle", k_time);
      body.angle_place = f.place("angle");
    } else {
      body.kind = BodyKind::fixed;
    }
    out.bodies.push_back(std::move(body));
  }
}

FramesDesc read_frames(const FieldReader& f) {
  FramesDesc out;
  out.between = read_ends(f);
  out.anchor = read_vector(f, "anchor").value_or(Vector3::Zero());
  out.point = read_vector(f, "point");
  out.point_a = read_vector(f, "point_a");
  out.point_b = read_vector(f, "point_b");
  out.axis = read_direction(f, "axis");
  out.axis_2 = read_direction(f, "axis_2");
  out.axis_a = read_direction(f, "axis_a");
  out.axis_b = read_direction(f, "axis_b");
  out.reference_a = read_direction(f, "reference_a");
  out.reference_b = read_direction(f, "reference_b");
  out.axis_place = f.place("axis_2");
  if (!f.knows("point")) return out;
  if (out.point && (out.point_a || out.point_b))
    throw InputError(
        f.key_place("point"),
        fmt::format("{} has a 'point' and a 'point_a' or 'point_b'; allowed: the one or the others",
                    f.title()));
  if (out.axis && (out.axis_a || out.axis_b))
    throw InputError(
        f.key_place("axis"),
        fmt::format("{} has an 'axis' and an 'axis_a' or 'axis_b'; allowed: the one or the others",
                    f.title()));
  if (f.knows("axis_a") && (out.axis_a.has_value() != out.axis_b.has_value()))
    throw InputError(
        f.place(), fmt::format("{} has only one of 'axis_a' and 'axis_b'; allowed: both or none", f.title()));
  return out;
}

CoordinateDesc read_coordinate(const FieldReader& f) {
  CoordinateDesc out;
  out.joint = f.name("joint");
  if (f.has("coordinate")) out.coordinate = f.name("coordinate");
  if (f.knows("coefficient")) out.coefficient = f.number("coefficient", 1);
  return out;
}

// A ratio: any number but zero, with which one side would stand still whatever the other does.
double read_factor(const FieldReader& f, const std::string& key) {
  const double out = f.number(key, 1);
  if (out == 0)
    throw InputError(f.place(key), fmt::format("'{}' of {} is 0; allowed: any other number", key, f.title()));
  return out;
}

void read_joint(const FieldReader& f, JointDesc& joint) {
  const std::string& type = joint.type;
  if (type == "gear") {
    const std::vector<NameRef> names = f.names("joints");
    require_count(f.place("joints"), "'joints'", names.size(), 2);
    if (names[0].name == names[1].name)
      throw InputError(names[1].place,
                       fmt::format("{} couples '{}' with itself; allowed: two different joints", f.title(),
                                   names[1].name));
    joint.ratio = read_factor(f, "ratio");
    joint.terms = {{names[0], {}, joint.ratio}, {names[1], {}, 1.0}};
  } else if (type == "rack_and_pinion") {
    joint.radius = read_factor(f, "radius");
    joint.terms = {{f.name("rack"), {}, 1.0}, {f.name("pinion"), {}, -joint.radius}};
  } else if (type == "coupler") {
    for (const FieldReader& term : f.objects("terms")) joint.terms.push_back(read_coordinate(term));
    joint.offset = f.optional_number("offset");
  } else if (type == "rolling_disk") {
    joint.body = f.name("body");
    joint.center = f.vector3("center", Vector3::Zero());
    joint.direction = read_direction(f, "axis").value_or(Vector3::UnitZ());
    joint.direction_place = f.place("axis");
    joint.radius = f.number("radius", 1);
    joint.plane_point = f.vector3("plane_point", Vector3::Zero());
    joint.plane_normal = read_direction(f, "plane_normal").value_or(Vector3::UnitY());
  } else if (type == "skate") {
    joint.body = f.name("body");
    joint.center = f.vector3("point", Vector3::Zero());
    joint.direction = read_direction(f, "across").value_or(Vector3::UnitY());
  } else if (type == "pfaffian") {
    for (const FieldReader& term : f.objects("terms"))
      joint.body_terms.push_back({.body = term.name("body"),
                                  .point = term.vector3("point", Vector3::Zero()),
                                  .linear = term.vector3("linear", Vector3::Zero()),
                                  .angular = term.vector3("angular", Vector3::Zero()),
                                  .body_axes = term.choice("axes", "world") == "body"});
    for (const FieldReader& term : f.objects("coordinates")) joint.terms.push_back(read_coordinate(term));
    joint.target = f.formula("target", k_time);
    joint.target_place = f.place("target");
  } else {
    joint.frames = read_frames(f);
    if (type == "distance") joint.length = f.optional_number("length");
    if (type == "screw") joint.pitch = f.number("pitch", 0);
    if (type == "pulley") {
      joint.guide_a = f.vector3("guide_a", Vector3::Zero());
      joint.guide_b = f.vector3("guide_b", Vector3::Zero());
      joint.ratio = f.number("ratio", 1);
    }
  }
}

void read_drives(const FieldReader& scene, SceneDesc& out) {
  for (const FieldReader& f : scene.objects("motors")) {
    MotorDesc motor{.name = f.name("name"), .type = f.table().type, .coordinate = read_coordinate(f)};
    const auto& variables = motor.type == "force" ? coordinate_law_variables() : k_time;
    for (const std::string& name : variables)
      require_not_constant(f.place("law"), name, "a variable of laws of motors", out.constants);
    motor.law = *f.formula("law", variables);
    motor.law_place = f.place("law");
    if (motor.type == "servo") {
      motor.stiffness = f.number("stiffness", 0);
      motor.damping = f.number("damping", 0);
    }
    if (f.has("signal")) motor.signal = f.name("signal");
    out.motors.push_back(std::move(motor));
  }
  for (const FieldReader& f : scene.objects("limits")) {
    LimitDesc limit{.name = f.name("name"), .coordinate = read_coordinate(f)};
    limit.lower = f.optional_number("lower");
    limit.upper = f.optional_number("upper");
    limit.restitution = f.number("restitution", 0);
    if (!limit.lower && !limit.upper)
      throw InputError(f.place(), fmt::format("{} has neither 'lower' nor 'upper'", f.title()));
    if (limit.lower && limit.upper && !(*limit.lower < *limit.upper))
      throw InputError(f.place("lower"),
                       fmt::format("'lower' of {} is {}; allowed: below 'upper', which is {}", f.title(),
                                   *limit.lower, *limit.upper));
    out.limits.push_back(std::move(limit));
  }
  for (const FieldReader& f : scene.objects("frictions")) {
    FrictionDesc friction{.name = f.name("name"), .coordinate = read_coordinate(f)};
    friction.constant = f.number("constant", 0);
    friction.coefficient = f.number("coefficient", 0);
    friction.radius = f.optional_number("radius");
    friction.radius_place = f.place("radius");
    out.frictions.push_back(std::move(friction));
  }
}

// A 6×6 matrix of numbers, or one row: its diagonal.
Matrix6 read_matrix6(const FieldReader& f, const std::string& key) {
  Matrix6 out = Matrix6::Zero();
  if (!f.has(key)) return out;
  const auto rows = f.formula_rows(key, {});
  const auto number = [&](const Expression& formula) { return formula.evaluate({}); };
  if (rows.size() == 1) {
    require_count(f.place(key), quote(key) + " as a diagonal", rows[0].size(), 6);
    for (int i = 0; i < 6; ++i) out(i, i) = number(rows[0][i]);
    return out;
  }
  require_count(f.place(key), quote(key), rows.size(), 6);
  for (int i = 0; i < 6; ++i) {
    require_count(f.place(key), "a row of " + quote(key), rows[i].size(), 6);
    for (int j = 0; j < 6; ++j) out(i, j) = number(rows[i][j]);
  }
  return out;
}

void read_forces(const FieldReader& scene, SceneDesc& out) {
  for (const FieldReader& f : scene.objects("forces")) {
    ForceDesc force;
    force.name = f.name("name");
    force.type = f.table().type;
    if (force.type == "applied") {
      force.body = f.name("body");
      force.point = f.vector3("point", Vector3::Zero());
      force.body_axes = f.choice("axes", "world") == "body";
      if (f.has("signal")) force.signal = f.name("signal");
      for (const auto& [key, formulas, place] : {std::tuple{"force", &force.force, &force.force_place},
                                                 std::tuple{"torque", &force.torque, &force.torque_place}}) {
        *place = f.place(key);
        if (!f.has(key)) continue;
        *formulas = f.formulas(key, force_variables());
        for (const std::string& name : force_variables())
          require_not_constant(f.place(key), name, "a variable of applied forces", out.constants);
        require_count(f.place(key), quote(key), formulas->size(), 3);
      }
      if (force.force.empty() && force.torque.empty())
        throw InputError(
            f.place(), fmt::format("{} lacks the key 'force' (three formulas, [N]) or 'torque'", f.title()));
    } else if (force.type == "joint_spring") {
      force.coordinate = read_coordinate(f);
      force.rest = f.optional_number("rest");
    } else if (force.type == "point_gravity") {
      force.center = f.vector3("center", Vector3::Zero());
      force.center_place = f.place("center");
      force.strength = f.number("strength", 0);
    } else {
      force.frames = read_frames(f);
      if (force.type != "bushing")
        force.rest = f.optional_number(force.type == "spring" ? "rest_length" : "rest_angle");
    }
    if (force.type == "bushing") {
      force.stiffness_matrix = read_matrix6(f, "stiffness");
      force.damping_matrix = read_matrix6(f, "damping");
    } else if (f.knows("stiffness")) {
      force.stiffness = f.number("stiffness", 0);
      force.damping = f.number("damping", 0);
    }
    out.forces.push_back(std::move(force));
  }
}

void read_contacts(const FieldReader& scene, SceneDesc& out) {
  for (const FieldReader& f : scene.objects("contacts")) {
    ContactDesc contact;
    contact.name = f.name("name");
    contact.friction = f.number("friction", 0);
    contact.restitution = f.number("restitution", 0);
    if (f.table().type == "plane") {
      contact.body = f.name("body");
      contact.point = f.vector3("point", Vector3::Zero());
      contact.normal = f.vector3("normal", Vector3::UnitY());
      contact.normal_place = f.place("normal");
      contact.surface_velocity = f.vector3("surface_velocity", Vector3::Zero());
      contact.radius = f.number("radius", 0);
      if (contact.normal.norm() == 0)
        throw InputError(contact.normal_place,
                         "'normal' of plane contact is zero; allowed: any other direction");
    } else {
      contact.kind = ContactDesc::Kind::pair;
      contact.between = read_ends(f);
      contact.distance = f.number("distance", 0);
    }
    out.contacts.push_back(std::move(contact));
  }
}

}  // namespace

void decode_mechanism(const FieldReader& scene, SceneDesc& out) {
  read_bodies(scene, out);
  for (const FieldReader& f : scene.objects("joints")) {
    JointDesc joint{.name = f.name("name"), .type = f.table().type};
    read_joint(f, joint);
    out.joints.push_back(std::move(joint));
  }
  for (const FieldReader& f : scene.objects("measures"))
    out.measures.push_back({.name = f.name("name"), .type = f.table().type, .frames = read_frames(f)});
  read_drives(scene, out);
  read_forces(scene, out);
  read_contacts(scene, out);
  out.collision = read_collision(scene);
}

}  // namespace delassus
