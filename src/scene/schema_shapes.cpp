// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/schema_fields.hpp"

namespace delassus::schema {
namespace {

FieldList shape_begin() {
  return {type_field(), text("name", false, "for messages and tables; unique among the shapes of the body")};
}

FieldList shape_position() {
  return {vector3("position", false, "m", "of its frame's origin, in the body's frame", "[0, 0, 0]")};
}

FieldList shape_end(const std::string& from) {
  return materials(from) + surface_directions(from) + contact_groups(from);
}

// Of shapes that stand along their own z axis.
FieldList shape_pose() {
  return shape_position() + FieldList{vector3("rotation", false, "rad",
                                              "in the body's frame, as a rotation vector", "[0, 0, 0]")};
}

// Of ground: which way is up matters more than where its x axis lies.
FieldList ground_pose() {
  return shape_position() +
         FieldList{vector3("normal", false, "-", "its z axis, away from the solid, in the body's frame",
                           "[0, 1, 0]"),
                   vector3("rotation", false, "rad",
                           "instead of normal: of its frame in the body's frame, as a rotation vector")};
}

const char* const k_of_body = "that of the body";

SchemaTable shape(const std::string& type, std::string meaning, const FieldList& own) {
  return {type + " shape", type, std::move(meaning),
          shape_begin() + own + shape_pose() + shape_end(k_of_body)};
}

SchemaTable ground(const std::string& name, const std::string& type, std::string meaning,
                   const FieldList& own) {
  return {name, type, std::move(meaning), shape_begin() + own + ground_pose() + shape_end(k_of_body)};
}

SchemaField rule(const char* key, const char* fallback, const char* meaning) {
  return choice(key, fallback, {"geometric", "minimum", "maximum", "average", "product"}, meaning);
}

}  // namespace

FieldList operator+(FieldList a, const FieldList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

FieldList pair_materials(const std::string& from) {
  const bool start = from.empty();
  return {not_negative("friction", start ? "0.5" : from, "-", "coefficient μ, at rest"),
          positive("kinetic_friction", start ? "as friction" : from, "-",
                   "coefficient μ_k of a contact that slides, at most that of friction"),
          number("restitution", start ? "0" : from, "-", "coefficient e", 0, 1),
          not_negative("rolling_friction", start ? "0" : from, "m", "lever of the resistance to rolling"),
          not_negative("spinning_friction", start ? "0" : from, "m",
                       "lever of the resistance to spinning about the normal")};
}

FieldList materials(const std::string& from) {
  const bool start = from.empty();
  return pair_materials(from) +
         FieldList{
             not_negative("stribeck_speed", start ? "0" : from, "m/s",
                          "slip speed s_0 over which friction falls: μ_k + (μ − μ_k) exp(−(s/s_0)^n) + c s"),
             positive("stribeck_exponent", start ? "1" : from, "-", "exponent n of that curve"),
             not_negative("viscous_friction", start ? "0" : from, "s/m", "slope c of that curve")};
}

FieldList surface_directions(const std::string& from) {
  return {
      vector3("friction_axis", false, "-",
              "direction of friction in the shape's frame, projected onto the contact",
              from.empty() ? "none" : from),
      positive("friction_2", from.empty() ? "as friction" : from, "-",
               "coefficient across friction_axis, with which it goes"),
      of_type(
          "friction_polygon", FieldType::number_rows, false, "-",
          "corners [x, y] of what the friction force on the shape may be, of a unit normal force: x along "
          "friction_axis, y along outward normal × axis; law coulomb-polyhedral",
          from.empty() ? "none" : from),
      vector3("surface_velocity", false, "m/s",
              "of a belt: of the surface relative to the shape, in its frame, projected onto the contact",
              from.empty() ? "[0, 0, 0]" : from)};
}

FieldList contact_groups(const std::string& from) {
  return {
      flag("collide", from.empty() ? "true" : from, "it touches others; false: for mass and picture only"),
      of_type("groups", FieldType::names, false, "", "names of the groups it belongs to",
              from.empty() ? "[default]" : from),
      of_type("touches", FieldType::names, false, "",
              "names of the groups it touches; two shapes touch when each touches a group of the other",
              from.empty() ? "all" : from)};
}

SchemaField margin(const std::string& from) {
  return not_negative("margin", from.empty() ? "0" : from, "m",
                      "edges and corners of boxes and hulls are rounded by this radius");
}

SchemaField shapes() {
  return tables(
      "shapes", FieldType::objects,
      {"sphere shape", "box shape", "cylinder shape", "capsule shape", "cone shape", "ellipsoid shape",
       "hull shape", "mesh shape", "plane shape", "height field shape", "compound shape"},
      "solids: they touch, are weighed and drawn");
}

std::vector<SchemaTable> shape_tables() {
  const SchemaField radius = positive("radius", "", "m", "radius", true),
                    file = text("file", false, "OBJ or STL, relative to the scene file"),
                    scale = positive("scale", "1", "-", "by which all coordinates are multiplied");
  SchemaField parts = shapes();
  parts.required = true;
  return {
      shape("sphere", "A ball.", {radius}),
      shape("box", "A box.",
            {vector3("size", true, "m", "full lengths of its edges, each > 0"), margin(k_of_body)}),
      shape("cylinder", "A cylinder along z.", {radius, positive("length", "", "m", "length", true)}),
      shape("capsule", "A cylinder along z with half balls on both ends.",
            {radius, positive("length", "", "m", "of the cylinder", true)}),
      shape("cone", "A cone along z: its base at −length/2, its apex at +length/2.",
            {positive("radius", "", "m", "of the base", true),
             positive("length", "", "m", "from base to apex", true)}),
      shape("ellipsoid", "An ellipsoid.", {vector3("size", true, "m", "full lengths of its axes, each > 0")}),
      shape("hull", "The convex hull of points.",
            {of_type("points", FieldType::number_rows, false, "m", "at least four, as [x, y, z]"), file,
             scale, margin(k_of_body)}),
      shape("mesh", "Triangles; on a rigid body they must bound a solid.",
            {file, scale,
             of_type("vertices", FieldType::number_rows, false, "m", "instead of a file: points [x, y, z]"),
             of_type("triangles", FieldType::number_rows, false, "-",
                     "with vertices: three of their numbers, from 0, counter-clockwise seen from outside")}),
      ground("plane shape", "plane", "A half space; of fixed and kinematic bodies.", {}),
      ground("height field shape", "height_field",
             "Ground over a grid, highest along its z axis, centred; of fixed and kinematic bodies.",
             {of_type("heights", FieldType::number_rows, false, "m",
                      "rows along y of numbers along x, at least 2 × 2"),
              text("file", false, "instead of heights: text, a row a line, relative to the scene file"),
              of_type("spacing", FieldType::numbers, true, "m",
                      "of the grid along x and y: [dx, dy], each > 0")}),
      {"compound shape", "compound", "Several shapes in a frame of their own.",
       shape_begin() + FieldList{parts} + shape_pose() + shape_end(k_of_body) + FieldList{margin(k_of_body)}},
      {"contact", "", "How shapes touch.",
       FieldList{flag("enabled", "true", "shapes touch; false: they are for mass and picture only")} +
           materials("") +
           FieldList{
               margin(""), tables("combine", FieldType::object, {"combine"}, "one value of two surfaces"),
               not_negative(
                   "envelope", "0", "m",
                   "distance at which contacts enter the equations; 0: a hundredth of the smaller shape"),
               flag("reduce", "true",
                    "leave out contacts of a flat patch that lie inside of the polygon of the others"),
               flag("joined_bodies", "false", "bodies that a joint connects touch, too"),
               tables("pairs", FieldType::objects, {"contact rule"},
                      "what holds for single pairs of bodies instead")}},
      {"combine",
       "",
       "How the values of two surfaces make the one of a contact.",
       {rule("friction", "geometric", "of friction; geometric: √(a b)"),
        rule("restitution", "maximum", "of restitution"),
        rule("rolling", "maximum", "of rolling and spinning friction")}},
      {"contact rule", "", "What holds for one pair of bodies.",
       FieldList{of_type("bodies", FieldType::names, true, "", "names of two bodies with shapes"),
                 flag("touch", "by the other rules",
                      "false: the pair is ignored; true: it touches even when a joint connects it")} +
           pair_materials("by the rules")},
  };
}

}  // namespace delassus::schema
