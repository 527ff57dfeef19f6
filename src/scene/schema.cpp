// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/schema.hpp"

#include <stdexcept>

#include "delassus/scene/schema_fields.hpp"
#include "delassus/settings/run_settings.hpp"

namespace delassus {
namespace {

using namespace schema;

SchemaField field_of(const SettingInfo& info) {
  constexpr auto type_of = [](SettingInfo::Type type) {
    switch (type) {
      case SettingInfo::Type::number:
        return FieldType::number;
      case SettingInfo::Type::integer:
        return FieldType::integer;
      case SettingInfo::Type::boolean:
        return FieldType::boolean;
      case SettingInfo::Type::word:
        return FieldType::choice;
    }
    throw std::logic_error("a setting of unknown type");
  };
  return {.key = info.key,
          .type = type_of(info.type),
          .fallback = info.fallback,
          .unit = info.unit,
          .meaning = info.meaning,
          .range = info.range,
          .choices = info.words,
          .noun = info.noun};
}

// The settings of the run become tables of their own; those at the top of a scene come after its elements.
void add_settings(std::vector<SchemaTable>& out) {
  for (const SettingTable& settings : setting_tables()) {
    FieldList fields;
    for (const SettingInfo& info : settings.keys) fields.push_back(field_of(info));
    SchemaTable& scene = out.front();
    if (settings.name == scene.name) {
      scene.fields.insert(scene.fields.end(), fields.begin(), fields.end());
    } else {
      scene.fields.push_back(tables(settings.name, FieldType::object, {settings.name}, settings.meaning));
      out.push_back({settings.name, "", settings.meaning, fields});
    }
  }
}

std::vector<SchemaTable> make_schema() {
  constexpr auto constants = FieldType::constants, object = FieldType::object, objects = FieldType::objects,
                 numbers = FieldType::numbers, formula = FieldType::formula, formulas = FieldType::formulas,
                 formula_rows = FieldType::formula_rows;
  std::vector<SchemaTable> out{
      {"scene",
       "",
       "A scene: bodies with joints, forces and contacts, or a system in your own coordinates (lagrangian).",
       {{.key = "delassus",
         .type = FieldType::integer,
         .required = true,
         .unit = "-",
         .meaning = "version of the scene format",
         .range = number_between(1, k_schema_version)},
        text("name", false, "title of the run"),
        text("description", false, "what the scene shows"),
        of_type("constants", constants, false, "",
                "named numbers for use in all formulas; may refer to earlier ones"),
        vector3("gravity", false, "m/s²", "gravity of bodies (not of a lagrangian system)", "[0, -9.81, 0]"),
        positive("duration", "1", "s", "length of the run"),
        tables("bodies", objects, {"particle", "rigid body", "fixed body", "kinematic body"}, "the bodies"),
        tables("joints", objects,
               {"distance joint", "fixed joint", "revolute joint", "prismatic joint", "cylindrical joint",
                "screw joint", "spherical joint", "universal joint", "planar joint", "point_on_line joint",
                "point_on_plane joint", "parallel_axes joint", "gear", "rack and pinion", "pulley", "coupler",
                "rolling disk", "skate", "pfaffian row"},
               "what holds bodies together"),
        tables("measures", objects, {"length measure", "slide measure", "angle measure"},
               "scalars to record, couple or drive"),
        tables("motors", objects, {"position motor", "velocity motor", "force motor", "servo"},
               "drives of joints"),
        tables("limits", objects, {"limit"}, "stops of joints"),
        tables("frictions", objects, {"joint friction"}, "dry friction in joints"),
        tables("forces", objects,
               {"spring", "applied force", "torsional spring", "joint spring", "bushing", "point gravity"},
               "springs, dampers and applied forces"),
        tables("contacts", objects, {"plane contact", "pair contact"},
               "what particles can hit; rigid bodies touch with their shapes"),
        tables("contact", object, {"contact"}, "how shapes touch"),
        tables("lagrangian", object, {"lagrangian"}, "a system in your own coordinates, instead of bodies"),
        tables("picture", objects, {"picture plane", "picture segment"},
               "fixed things to draw; planes of contacts are drawn anyway")}},
      {"lagrangian",
       "",
       "M(t,q) v̇ = forces − ∂potential/∂q + springs, dampers, constraints, contacts. Formulas may use t, the "
       "coordinates, the constants and, "
       "in `forces` only, the velocities.",
       {of_type("coordinates", FieldType::names, true, "", "names of the coordinates q"),
        of_type("velocities", FieldType::names, false, "", "names of their rates v for use in formulas",
                "v_NAME"),
        of_type(
            "angles", FieldType::names, false, "",
            "those of the coordinates that are angles [rad]; the others are lengths [m]: tolerances differ",
            "none"),
        of_type("position", numbers, true, "", "initial q"),
        of_type("velocity", numbers, false, "", "initial v", "zeros"),
        of_type("mass", formula_rows, true, "", "mass matrix, row by row; or one row: its diagonal"),
        of_type("forces", formulas, false, "", "one formula a coordinate: all forces that have no potential",
                "zeros"),
        flag("coriolis", "true",
             "add the Coriolis terms of a varying mass matrix (Lagrange's equations); false: they stand in "
             "`forces`"),
        of_type("potential", formula, false, "J", "potential energy; its force is added", "0"),
        tables("constraints", objects, {"constraint"}, "holonomic constraints"),
        tables("velocity_constraints", objects, {"velocity constraint"},
               "Pfaffian (nonholonomic) constraints"),
        tables("springs", objects, {"lagrangian spring"}, "springs by their elongation"),
        tables("dampers", objects, {"lagrangian damper"}, "dampers by their elongation"),
        tables("contacts", objects, {"lagrangian contact"}, "unilateral contacts"),
        tables("bodies", objects, {"lagrangian body"}, "what tables and pictures show")}},
      {"constraint",
       "",
       "Θ(t, q) = 0",
       {name_field(), of_type("equation", formula, true, "", "Θ, kept at zero")}},
      {"velocity constraint",
       "",
       "a(t, q) v = b(t)",
       {name_field(), of_type("coefficients", formulas, true, "", "a, one formula a coordinate"),
        of_type("target", formula, false, "", "b, a formula of t", "0")}},
      {"lagrangian spring",
       "",
       "force −stiffness · elongation · ∂elongation/∂q",
       {name_field(), of_type("elongation", formula, true, "m", "formula, zero at rest"),
        not_negative("stiffness", "", "N/m", "of the spring", true)}},
      {"lagrangian damper",
       "",
       "force −damping · d(elongation)/dt · ∂elongation/∂q",
       {name_field(), of_type("elongation", formula, true, "m", "formula"),
        not_negative("damping", "", "N·s/m", "of the damper", true)}},
      {"lagrangian contact",
       "",
       "gap(t, q) ≥ 0 with friction along the tangents",
       {name_field(), of_type("gap", formula, true, "m", "signed distance Φ"),
        of_type("tangents", formula_rows, false, "",
                "0, 1 or 2 rows of formulas, one a coordinate: slip = row · v"),
        of_type("surface_velocity", formulas, false, "m/s", "added to the slip, one formula of t a tangent",
                "zeros"),
        not_negative("friction", "0", "-", "coefficient μ"),
        number("restitution", "0", "-", "coefficient e", 0, 1)}},
      {"lagrangian body",
       "",
       "A body of the picture.",
       {name_field(), of_type("position", formulas, true, "m", "three formulas"),
        of_type("angle", formula, false, "rad", "about z"),
        positive("radius", "0.05", "m", "size of the circle drawn"),
        of_type("size", numbers, false, "m", "three edge lengths: draws a box instead")}},
      {"picture plane",
       "plane",
       "A plane to draw.",
       {type_field(), text("name", false, "label"), vector3("point", true, "m", "a point"),
        vector3("normal", true, "-", "away from the solid")}},
      {"picture segment",
       "segment",
       "A line to draw.",
       {type_field(), text("name", false, "label"), vector3("from", true, "m", "one end"),
        vector3("to", true, "m", "other end")}},
  };
  const std::vector<SchemaTable> mechanism = mechanism_tables();
  out.insert(out.begin() + 1, mechanism.begin(), mechanism.end());
  add_settings(out);
  return out;
}

}  // namespace

const std::vector<SchemaTable>& scene_schema() {
  static const std::vector<SchemaTable> schema = make_schema();
  return schema;
}

const SchemaTable& find_table(const std::string& name) {
  for (const SchemaTable& table : scene_schema())
    if (table.name == name) return table;
  throw std::logic_error("no schema table '" + name + "'");
}

std::string range_text(const SchemaField& field) {
  return allowed_text(field.range, field.choices);
}

const char* to_string(FieldType type) {
  switch (type) {
    case FieldType::number:
      return "number";
    case FieldType::integer:
      return "integer";
    case FieldType::boolean:
      return "true or false";
    case FieldType::text:
      return "text";
    case FieldType::choice:
      return "choice";
    case FieldType::vector3:
      return "[x, y, z]";
    case FieldType::numbers:
      return "list of numbers";
    case FieldType::number_rows:
      return "list of rows of numbers";
    case FieldType::formula:
      return "formula";
    case FieldType::formulas:
      return "list of formulas";
    case FieldType::formula_rows:
      return "list of rows of formulas";
    case FieldType::names:
      return "list of names";
    case FieldType::constants:
      return "map of numbers";
    case FieldType::object:
      return "map";
    case FieldType::objects:
      return "list of maps";
  }
  return "unknown";
}

}  // namespace delassus
