// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "delassus/scene/schema_fields.hpp"

namespace delassus {
namespace {

// With more, the friction of a step is below what is accepted as zero.
constexpr double k_loosest_tolerance = 1e-2;

using namespace schema;

std::vector<Table> make_schema() {
  constexpr auto constants = FieldType::constants, object = FieldType::object, objects = FieldType::objects,
                 numbers = FieldType::numbers, formula = FieldType::formula, formulas = FieldType::formulas,
                 formula_rows = FieldType::formula_rows;
  std::vector<Table> out{
      {"scene",
       "",
       "A scene: bodies with joints, forces and contacts, or a system in your own coordinates (lagrangian).",
       {{.key = "delassus",
         .type = FieldType::integer,
         .required = true,
         .unit = "-",
         .meaning = "version of the scene format",
         .lowest = 1,
         .highest = k_schema_version},
        text("name", false, "title of the run"),
        text("description", false, "what the scene shows"),
        of_type("constants", constants, false, "",
                "named numbers for use in all formulas; may refer to earlier ones"),
        vector3("gravity", false, "m/s²", "gravity of bodies (not of a lagrangian system)", "[0, -9.81, 0]"),
        positive("duration", "1", "s", "length of the run"),
        flag("assemble", "true",
             "put the start onto the joints, positions and velocities, if it is not there"),
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
        tables("stepper", object, {"stepper"}, "time stepping"),
        tables("law", object, {"law"}, "contact law"),
        tables("impact", object, {"impact"}, "impact law"),
        tables("solver", object, {"solver"}, "solver of the one-step problems"),
        tables("output", object, {"output"}, "what is recorded"),
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
      {"stepper",
       "",
       "Time stepping; see `delassus list steppers`.",
       {text("name", false, "the scheme"),
        positive("step", "1e-3", "s", "time step"),
        number("alpha", "0.5", "-", "α of alpha-gamma", 0, 1),
        number("gamma", "0.5", "-", "γ of alpha-gamma", 0, 1),
        choice("data", "default", {"default", "start", "middle", "end"},
               "where mass and rows are taken (anitescu-potra, alpha-gamma)"),
        flag("rows_at_end", "false",
             "trapezoidal-1: rows at the end of the step, order 2 on curved constraints"),
        number("rho", "0.9", "-",
               "generalized-alpha: ρ∞, what is left of an infinitely fast vibration in a step", 0, 1),
        number("hht_alpha", "-0.05", "-", "hht: α, more negative damps more", -1.0 / 3.0, 0),
        number("newmark_beta", "0.25", "-", "newmark: β", 0, 1),
        number("newmark_gamma", "0.5", "-", "newmark: γ; above 1/2 it damps and is of order 1", 0.5, 1),
        choice("second_derivatives", "exact", {"exact", "dropped"},
               "implicit schemes: derivatives of reactions and inertia in Newton's matrix"),
        choice("unknowns", "acceleration", {"acceleration", "velocity", "position"},
               "implicit schemes: what Newton's method starts from and is judged by"),
        integer("newton_iterations", "30", "implicit schemes: at most", 1, 1000),
        positive("newton_tolerance", "1e-12", "-",
                 "implicit schemes: relative correction that ends the iteration"),
        choice("derivatives", "automatic", {"none", "rank-one", "exact", "automatic"},
               "derivatives of the forces in the step matrix"),
        flag("rank_one_right_side", "false", "the papers' variant of the right side: first order"),
        flag("springs_as_rows", "false",
             "springs and dampers as compliant rows instead of terms of the step matrix"),
        choice("projection", "automatic", {"automatic", "none", "joints", "all"},
               "what is put back onto its constraints after each step; automatic: all, with dvi-euler none"),
        number("theta", "0.5", "-", "moreau-jean: θ, weight of the end of the step; 1 damps stiff forces",
               0.5, 1),
        number("prediction", "0.5", "-",
               "moreau-jean: γ, a contact enters when gap + γ·step·velocity ≤ 0; 1: before it can penetrate",
               0, 1),
        not_negative("recovery_speed", "0.01", "m/s", "dvi-euler: how fast penetrations are taken back"),
        not_negative("joint_recovery_speed", "", "m/s",
                     "dvi-euler: how fast joints that are off are taken back; absent: at once"),
        flag("detect_collisions", "true", "locate impacts within the step"),
        choice("locate", "automatic", {"automatic", "step", "interpolant"},
               "state at an impact: from a step that ends there, or from the interpolant of the step (S0); "
               "automatic: interpolant "
               "for the papers' plain schemes (projection none), step otherwise"),
        flag("detect_transitions", "true", "locate stick-slip and take-off within the step"),
        not_negative("epsilon_a", "1e-12", "m", "contacts with gap ≤ max(ε_a, ε_b h³) are active"),
        not_negative("epsilon_b", "0", "m/s³", "see epsilon_a"),
        flag("keep_active_after_impact", "false",
             "a contact that was hit stays active until the grid is reached (S0)"),
        flag("snap_to_grid", "false", "an impact ends the step (S4)"),
        integer("max_events", "100", "events in one step before event capturing takes over", 0, 1e6),
        choice("on_failure", "retry", {"stop", "retry", "warn"}, "when a step cannot be solved"),
        integer("max_halvings", "6", "of the step when it is retried", 0, 40)}},
      {"law",
       "",
       "Contact law; see `delassus list laws` and docs/laws.md.",
       {text("name", false, "the law"),
        integer("directions", "8", "friction directions of a spatial contact, even", 2, 360),
        flag("align", "true",
             "turn a direction onto the slip, so that sliding friction is exactly opposed to it")}},
      {"impact",
       "",
       "Impact law.",
       {choice("law", "newton", {"newton", "poisson", "simplified"}, "see docs/impacts.md"),
        flag("bound_by_total_impulse", "false",
             "Poisson: friction of decompression bounded by the total normal impulse; cannot add energy"),
        number("tangential_restitution", "0", "-", "e_T", 0, 1),
        not_negative("threshold", "0", "m/s", "slower impacts do not rebound")}},
      {"solver",
       "",
       "Solver; see `delassus list solvers`.",
       {text("name", false, "the solver"),
        {"tolerance", FieldType::number, false, "automatic", "-",
         "wanted relative residual: 1e-10, with moreau-jean and dvi-euler 1e-9", 0, k_loosest_tolerance,
         true},
        integer("max_iterations", "0", "0: automatic", 0, 1e9)}},
      {"output", "", "What is recorded.", {integer("every", "1", "record each n-th step", 1, 1e9)}},
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
  const std::vector<Table> mechanism = mechanism_tables();
  out.insert(out.begin() + 1, mechanism.begin(), mechanism.end());
  return out;
}

}  // namespace

const std::vector<Table>& scene_schema() {
  static const std::vector<Table> schema = make_schema();
  return schema;
}

const Table& find_table(const std::string& name) {
  for (const Table& table : scene_schema())
    if (table.name == name) return table;
  throw std::logic_error("no schema table '" + name + "'");
}

std::string range_text(const Field& field) {
  if (!field.choices.empty()) return fmt::format("{}", fmt::join(field.choices, ", "));
  const bool low = std::isfinite(field.lowest), high = std::isfinite(field.highest);
  if (low && high) return fmt::format("{} … {}", field.lowest, field.highest);
  if (low) return fmt::format("{} {}", field.open_lowest ? ">" : ">=", field.lowest);
  if (high) return fmt::format("<= {}", field.highest);
  return {};
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
