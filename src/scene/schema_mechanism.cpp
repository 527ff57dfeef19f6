// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/schema_fields.hpp"

namespace delassus::schema {
namespace {

constexpr auto k_formula = FieldType::formula, k_formulas = FieldType::formulas,
               k_numbers = FieldType::numbers, k_names = FieldType::names, k_objects = FieldType::objects;

FieldList named() {
  return {name_field(), type_field()};
}

// Of bodies.
SchemaField repeat() {
  return of_type(
      "repeat", FieldType::constants, false, "",
      "counters from 0 and how many of each: {i: 10, j: 5} stands for 50 bodies, whose formulas know i "
      "and j and whose names end with _0_0, _0_1, …");
}

FieldList pose() {
  return {vector3("position", false, "m", "initial position of the body's frame", "[0, 0, 0]"),
          of_type("orientation", k_numbers, false, "-", "initial quaternion [w, x, y, z]", "[1, 0, 0, 0]"),
          vector3("rotation", false, "rad", "the same as a rotation vector: axis times angle", "[0, 0, 0]")};
}

// Of bodies with shapes: the shapes, and what they are like where they do not say so themselves.
FieldList solids() {
  const std::string from = "that of the scene";
  return FieldList{shapes()} + materials(from) + surface_directions("") + FieldList{margin(from)} +
         contact_groups("");
}

// Where a joint sits: in the world as the bodies lie at the start, or in the frame of each body.
FieldList joint_frame(const char* axis_meaning) {
  FieldList out =
      named() + FieldList{ends(), vector3("point", false, "m", "where it sits, in the world at the start")};
  if (axis_meaning != nullptr) out.push_back(vector3("axis", false, "-", axis_meaning, "[0, 0, 1]"));
  out = out + FieldList{vector3("point_a", false, "m", "instead of point: in the frame of the first body"),
                        vector3("point_b", false, "m", "in the frame of the second body")};
  if (axis_meaning == nullptr) return out;
  return out +
         FieldList{vector3("axis_a", false, "-", "instead of axis: in the frame of the first body"),
                   vector3("axis_b", false, "-", "in the frame of the second body"),
                   vector3("reference_a", false, "-", "direction from which angles count, in the first body"),
                   vector3("reference_b", false, "-", "that has angle 0 with it, in the second body")};
}

FieldList line_ends() {
  return {ends(), anchor(),
          vector3("point_a", false, "m", "point in the frame of the first body", "[0, 0, 0]"),
          vector3("point_b", false, "m", "point in the frame of the second body", "[0, 0, 0]")};
}

FieldList coordinate() {
  return {text("joint", true, "name of a joint or measure"),
          text("coordinate", false, "which coordinate of it: angle, slide, …; needed when it has several")};
}

SchemaTable joint(const std::string& type, std::string meaning, FieldList fields) {
  return {type + " joint", type, std::move(meaning), std::move(fields)};
}

std::vector<SchemaTable> body_tables() {
  return {
      {"particle",
       "particle",
       "A point mass with three degrees of freedom.",
       {name_field(), choice("type", "particle", {"particle"}, "kind of body"), repeat(),
        positive("mass", "", "kg", "mass", true),
        vector3("position", false, "m", "initial position", "[0, 0, 0]"),
        vector3("velocity", false, "m/s", "initial velocity", "[0, 0, 0]"),
        positive("radius", "0.05", "m", "size in pictures (contacts have their own)")}},
      {"rigid body", "rigid",
       "A rigid body. Mass and inertia are given, or follow from shapes and a density (or from shapes and "
       "the mass).",
       named() + FieldList{repeat()} + pose() +
           FieldList{
               vector3("velocity", false, "m/s", "initial, of the frame's origin", "[0, 0, 0]"),
               vector3("angular_velocity", false, "rad/s", "initial, in world axes", "[0, 0, 0]"),
               positive("mass", "from shapes", "kg", "mass"),
               of_type(
                   "inertia", k_numbers, false, "kg·m²",
                   "about the centre of mass, in axes of the body: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]",
                   "from shapes"),
               vector3("center_of_mass", false, "m", "in the body's frame",
                       "from shapes; [0, 0, 0] where the inertia is given"),
               positive("density", "", "kg/m³", "of the shapes")} +
           solids()},
      {"fixed body", "fixed", "A body that does not move.",
       named() + FieldList{repeat()} + pose() + solids()},
      {"kinematic body", "kinematic", "A body that moves as prescribed, whatever acts on it.",
       named() + FieldList{repeat()} + pose() +
           FieldList{
               of_type("motion", k_formulas, false, "m", "position as three formulas of t", "position"),
               vector3("axis", false, "-", "about which it turns, in world axes", "[0, 0, 1]"),
               of_type("angle", k_formula, false, "rad", "by which it has turned, a formula of t", "0")} +
           solids()},
  };
}

std::vector<SchemaTable> joint_tables() {
  std::vector<SchemaTable> out{
      joint("distance", "Keeps two points at a distance (a massless rod).",
            named() + line_ends() + FieldList{positive("length", "initial distance", "m", "the distance")}),
      joint("fixed", "Holds two bodies together.", joint_frame(nullptr)),
      joint("revolute", "A hinge.", joint_frame("of the hinge, in the world at the start")),
      joint("prismatic", "A slide without turning.", joint_frame("of the slide, in the world at the start")),
      joint("cylindrical", "Slides along and turns about an axis.", joint_frame("in the world at the start")),
      joint("screw", "Slides along an axis as it turns about it.",
            joint_frame("in the world at the start") +
                FieldList{
                    of_type("pitch", FieldType::number, true, "m", "travel a turn; negative: left-handed")}),
      joint("spherical", "A ball joint.", joint_frame(nullptr)),
      joint("universal", "A Cardan joint: an axis fixed in each body, both perpendicular.",
            joint_frame("fixed in the first body, in the world at the start") +
                FieldList{vector3("axis_2", false, "-", "fixed in the second body, in the world at the start",
                                  "[1, 0, 0]")}),
      joint("planar", "Slides in a plane and turns about its normal.",
            joint_frame("normal of the plane, in the world at the start")),
      joint("point_on_line", "A point of the second body stays on a line of the first.",
            joint_frame("of the line, in the world at the start")),
      joint("point_on_plane", "A point of the second body stays on a plane of the first.",
            joint_frame("normal of the plane, in the world at the start")),
      joint("parallel_axes", "An axis of the second body stays parallel to one of the first.",
            joint_frame("in the world at the start")),
      {"gear", "gear", "angle_b = −ratio · angle_a + what the start has (negative ratio: a belt).",
       named() + FieldList{of_type("joints", k_names, true, "", "the two hinges"),
                           of_type("ratio", FieldType::number, true, "-",
                                   "radius of wheel a / radius of wheel b")}},
      {"rack and pinion", "rack_and_pinion", "slide = radius · angle + what the start has.",
       named() + FieldList{text("pinion", true, "a hinge"), text("rack", true, "a slide"),
                           of_type("radius", FieldType::number, true, "m",
                                   "of the pinion; negative: the other way")}},
      {"pulley", "pulley", "A rope over two guides: length_a + ratio · length_b stays.",
       named() + line_ends() +
           FieldList{
               vector3("guide_a", true, "m", "where the rope leaves towards the first body, in the world"),
               vector3("guide_b", true, "m", "and towards the second"),
               positive("ratio", "1", "-", "block and tackle")}},
      {"coupler", "coupler", "Σ coefficient · coordinate = offset.",
       named() +
           FieldList{tables("terms", k_objects, {"coordinate term"}, "the coordinates"),
                     of_type("offset", FieldType::number, false, "", "right side", "what the start has")}},
      {"coordinate term", "", "A coordinate of a joint with its coefficient.",
       coordinate() + FieldList{of_type("coefficient", FieldType::number, true, "", "its factor")}},
      {"rolling disk", "rolling_disk", "A disk that rolls without slip on a fixed plane.",
       named() +
           FieldList{text("body", true, "a rigid body"),
                     vector3("center", false, "m", "in the body's frame", "[0, 0, 0]"),
                     vector3("axis", false, "-", "of the disk, in the body's frame", "[0, 0, 1]"),
                     positive("radius", "", "m", "of the disk", true),
                     vector3("plane_point", false, "m", "a point of the plane", "[0, 0, 0]"),
                     vector3("plane_normal", false, "-", "of the plane, towards the disk", "[0, 1, 0]")}},
      {"skate", "skate", "A knife edge: a point that does not move sideways.",
       named() + FieldList{text("body", true, "a rigid body"),
                           vector3("point", false, "m", "in the body's frame", "[0, 0, 0]"),
                           vector3("across", false, "-", "sideways, in the body's frame", "[0, 1, 0]")}},
      {"pfaffian row", "pfaffian", "Σ linear·v(point) + angular·ω + Σ coefficient · rate = target.",
       named() +
           FieldList{tables("terms", k_objects, {"pfaffian term"}, "velocities of bodies"),
                     tables("coordinates", k_objects, {"coordinate term"}, "rates of joint coordinates"),
                     of_type("target", k_formula, false, "", "right side, a formula of t", "0")}},
      {"pfaffian term",
       "",
       "What a row takes of a body's velocity.",
       {text("body", true, "the body"), vector3("point", false, "m", "in the body's frame", "[0, 0, 0]"),
        vector3("linear", false, "", "factors of the point's velocity", "[0, 0, 0]"),
        vector3("angular", false, "", "factors of the angular velocity", "[0, 0, 0]"),
        choice("axes", "world", {"world", "body"}, "of linear and angular")}},
      {"length measure", "length", "The distance of two points.", named() + line_ends()},
      {"slide measure", "slide", "How far the second frame lies along the axis of the first.",
       joint_frame("in the world at the start")},
      {"angle measure", "angle", "How far the second frame has turned about the axis of the first.",
       joint_frame("in the world at the start")},
  };
  return out;
}

// An input of a program, docs/cpp.md.
SchemaField signal() {
  return text("signal", false, "name of an input that multiplies all of it; 0 until a program sets it");
}

std::vector<SchemaTable> drive_tables() {
  return {
      {"position motor", "position", "coordinate = law(t): a rheonomic joint.",
       named() + coordinate() + FieldList{of_type("law", k_formula, true, "m or rad", "a formula of t")}},
      {"velocity motor", "velocity", "rate = law(t).",
       named() + coordinate() +
           FieldList{of_type("law", k_formula, true, "m/s or rad/s", "a formula of t"), signal()}},
      {"force motor", "force", "A force or torque on the coordinate.",
       named() + coordinate() +
           FieldList{
               of_type("law", k_formula, true, "N or N·m", "a formula of t, the coordinate x and its rate v"),
               signal()}},
      {"servo", "servo",
       "Force −stiffness (x − law) − damping (v − d law/dt), taken implicitly: stable for any gains.",
       named() + coordinate() +
           FieldList{of_type("law", k_formula, true, "m or rad", "the reference, a formula of t"),
                     not_negative("stiffness", "", "N/m or N·m/rad", "proportional gain", true),
                     not_negative("damping", "0", "N·s/m or N·m·s/rad", "derivative gain"), signal()}},
      {"limit", "", "Stops of a coordinate.",
       FieldList{name_field()} + coordinate() +
           FieldList{of_type("lower", FieldType::number, false, "m or rad", "least value", "none"),
                     of_type("upper", FieldType::number, false, "m or rad", "largest value", "none"),
                     number("restitution", "0", "-", "coefficient e", 0, 1)}},
      {"joint friction", "",
       "Dry friction in a joint: |force| ≤ constant + coefficient · |reaction| (· radius for an angle).",
       FieldList{name_field()} + coordinate() +
           FieldList{not_negative("constant", "0", "N or N·m", "part that does not depend on the reaction"),
                     not_negative("coefficient", "0", "-", "μ, times the reaction force of the same step"),
                     positive("radius", "", "m", "of the pin, for an angle with a coefficient")}},
  };
}

std::vector<SchemaTable> force_tables() {
  return {
      {"spring", "spring", "Spring and damper along the line between two points.",
       named() + line_ends() +
           FieldList{not_negative("stiffness", "0", "N/m", "of the spring"),
                     not_negative("rest_length", "initial distance", "m", "length without force"),
                     not_negative("damping", "0", "N·s/m", "of the damper")}},
      {"applied force", "applied",
       "A force on a body as three formulas in t, x, y, z, vx, vy, vz of its point.",
       named() +
           FieldList{text("body", true, "name of the body"),
                     of_type("force", k_formulas, false, "N", "three formulas", "none"),
                     vector3("point", false, "m", "where it acts, in the body's frame", "[0, 0, 0]"),
                     of_type("torque", k_formulas, false, "N·m", "three formulas (rigid bodies)", "none"),
                     choice("axes", "world", {"world", "body"}, "of force and torque"), signal()}},
      {"torsional spring", "torsional", "Spring and damper about an axis between two rigid bodies.",
       joint_frame("in the world at the start") +
           FieldList{not_negative("stiffness", "0", "N·m/rad", "of the spring"),
                     of_type("rest_angle", FieldType::number, false, "rad", "angle without torque",
                             "initial angle"),
                     not_negative("damping", "0", "N·m·s/rad", "of the damper")}},
      {"joint spring", "joint_spring", "Spring and damper on a coordinate of a joint.",
       named() + coordinate() +
           FieldList{not_negative("stiffness", "0", "N/m or N·m/rad", "of the spring"),
                     of_type("rest", FieldType::number, false, "m or rad", "coordinate without force", "0"),
                     not_negative("damping", "0", "N·s/m or N·m·s/rad", "of the damper")}},
      {"bushing", "bushing", "A soft mount between two frames: six stiffnesses and dampings.",
       joint_frame("z axis of the frame, in the world at the start") +
           FieldList{of_type("stiffness", FieldType::formula_rows, true, "N/m, N·m/rad",
                             "6×6 matrix (forces first); or one row: its diagonal"),
                     of_type("damping", FieldType::formula_rows, false, "N·s/m, N·m·s/rad",
                             "the same for rates", "zero")}},
      {"point gravity", "point_gravity",
       "Attraction of all bodies towards a point: strength · mass / distance².",
       named() + FieldList{vector3("center", false, "m", "the point", "[0, 0, 0]"),
                           positive("strength", "", "m³/s²", "G times the attracting mass", true)}},
      {"plane contact",
       "plane",
       "A particle against a fixed plane.",
       {name_field(), type_field(), text("body", true, "name of the body"),
        vector3("point", false, "m", "a point of the plane", "[0, 0, 0]"),
        vector3("normal", false, "-", "away from the solid side", "[0, 1, 0]"),
        not_negative("radius", "0", "m", "distance at which the body touches"),
        vector3("surface_velocity", false, "m/s", "of the plane's surface (a conveyor)", "[0, 0, 0]"),
        not_negative("friction", "0", "-", "coefficient μ"),
        number("restitution", "0", "-", "coefficient e", 0, 1)}},
      {"pair contact",
       "pair",
       "Two particles that keep a distance.",
       {name_field(), type_field(), of_type("between", k_names, true, "", "names of two bodies"),
        positive("distance", "", "m", "sum of the radii", true),
        not_negative("friction", "0", "-", "coefficient μ"),
        number("restitution", "0", "-", "coefficient e", 0, 1)}},
  };
}

}  // namespace

std::vector<SchemaTable> mechanism_tables() {
  std::vector<SchemaTable> out;
  for (const std::vector<SchemaTable>& part :
       {body_tables(), shape_tables(), joint_tables(), drive_tables(), force_tables()})
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

}  // namespace delassus::schema
