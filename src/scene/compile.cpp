// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/compile.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "delassus/base/data_tree.hpp"
#include "delassus/base/names.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/scene/compile_mechanism.hpp"
#include "delassus/system/lagrangian.hpp"

namespace delassus {
namespace {

CompiledScene compile_bodies(const SceneDesc& scene) {
  Model model = compile_model(scene);
  if (std::none_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.dynamic(); }))
    throw InputError(scene.bodies[0].name.place,
                     "no body of the scene moves by forces; allowed: at least one particle or rigid body");
  try {
    auto system = std::make_shared<MultibodySystem>(std::move(model));
    return {system, system->initial_state()};
  } catch (const InputError& error) {
    // What the model itself finds wrong names the element; the scene knows where that stands.
    throw InputError(place_of_message(scene, error.what()), error.what());
  }
}

const char* word_of(double not_finite) {
  return std::isnan(not_finite) ? "nan" : not_finite > 0 ? "inf" : "-inf";
}

// Laws of force motors, which depend on a coordinate of the assembled bodies.
void check_force_motors(const SceneDesc& scene, const CompiledScene& compiled) {
  const System& system = *compiled.system;
  Vector x, rate;
  system.joint_coordinates(0, compiled.state.q, compiled.state.v, x, rate);
  for (const MotorDesc& motor : scene.motors) {
    if (motor.type != "force") continue;
    const std::string& joint = motor.coordinate.joint.name;
    for (int i = 0; i < system.num_joint_coordinates(); ++i) {
      const std::string name = system.joint_coordinate_name(i);
      const bool whole = !motor.coordinate.coordinate && name.starts_with(joint + ".");
      if (name != joint && !whole &&
          !(motor.coordinate.coordinate && name == joint + "." + motor.coordinate.coordinate->name))
        continue;
      const double at[] = {0, x[i], rate[i]};
      if (const double force = motor.law.evaluate(at); !std::isfinite(force))
        throw InputError(
            motor.law_place,
            fmt::format("the law of motor '{}' is {} at the start, where x is {:.6g} and v {:.6g}; it "
                        "must be a finite number there",
                        motor.name.name, word_of(force), x[i], rate[i]));
    }
  }
}

// The formulas of a Lagrangian system at the start: finite, and constraints that something can be done about.
class StartCheck {
 public:
  explicit StartCheck(const LagrangianDesc& l) : l_(l), n_(static_cast<int>(l.coordinates.size())), at_{0.0} {
    at_.insert(at_.end(), l.position.begin(), l.position.end());
    at_.insert(at_.end(), l.velocity.begin(), l.velocity.end());
  }

  void run() const {
    check_mass();
    for (int i = 0; i < static_cast<int>(l_.forces.size()); ++i)
      require_finite(l_.forces_place, fmt::format("the force on coordinate '{}'", l_.coordinates[i]),
                     l_.forces[i]);
    if (l_.potential) require_smooth(l_.potential_place, "the potential", *l_.potential);
    for (const auto& row : l_.springs)
      require_smooth(row.place, "the elongation of " + quote(row.name.name), row.formula);
    for (const auto& row : l_.dampers)
      require_smooth(row.place, "the elongation of " + quote(row.name.name), row.formula);
    for (const auto& row : l_.constraints) {
      require_smooth(row.place, "the equation of constraint " + quote(row.name.name), row.formula);
      require_dependent(row.place, "the equation of constraint " + quote(row.name.name), row.formula);
    }
    for (const auto& row : l_.velocity_constraints) check_velocity_constraint(row);
    for (const auto& row : l_.contacts) {
      const std::string name = "contact " + quote(row.name.name);
      require_smooth(row.place, "the gap of " + name, row.formula);
      require_dependent(row.place, "the gap of " + name, row.formula);
      for (const auto& tangent : row.tangents)
        for (const Expression& entry : tangent) require_finite(row.name.place, "a tangent of " + name, entry);
    }
    for (const auto& body : l_.bodies)
      for (const Expression& formula : body.position)
        require_finite(body.name.place, "the position of body " + quote(body.name.name), formula);
  }

 private:
  double evaluate(const Expression& formula) const { return formula.evaluate(at_); }

  static void require_finite(const Place& place, const std::string& what, double value) {
    if (!std::isfinite(value))
      throw InputError(place, fmt::format("{} is {} at the start; it must be a finite number there", what,
                                          word_of(value)));
  }
  void require_finite(const Place& place, const std::string& what, const Expression& formula) const {
    require_finite(place, what, evaluate(formula));
  }
  void require_smooth(const Place& place, const std::string& what, const Expression& formula) const {
    require_finite(place, what, formula);
    for (int i = 0; i < n_; ++i)
      require_finite(place, fmt::format("the derivative of {} by '{}'", what, l_.coordinates[i]),
                     formula.derivative(1 + i));
  }
  void require_dependent(const Place& place, const std::string& what, const Expression& formula) const {
    for (int i = 0; i < n_; ++i)
      if (!formula.derivative(1 + i).is_zero()) return;
    throw InputError(place,
                     fmt::format("{} depends on no coordinate, so nothing can keep it; coordinates: {}", what,
                                 fmt::join(l_.coordinates, ", ")));
  }
  void check_velocity_constraint(const LagrangianDesc::Row& row) const {
    const std::string name = "velocity constraint " + quote(row.name.name);
    bool zero = true;
    for (const Expression& entry : row.coefficients) {
      require_finite(row.place, "a coefficient of " + name, entry);
      zero = zero && entry.is_zero();
    }
    require_finite(row.name.place, "the target of " + name, row.formula);
    if (zero)
      throw InputError(row.place,
                       fmt::format("the coefficients of {} are all zero, so nothing can keep it", name));
  }
  void check_mass() const {
    Matrix M(n_, n_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        M(i, j) = evaluate(l_.mass[i][j]);
        require_finite(l_.mass_place, fmt::format("the entry ({}, {}) of the mass matrix", i + 1, j + 1),
                       M(i, j));
      }
    constexpr double symmetry_tolerance = 1e-12;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j)
        if (std::abs(M(i, j) - M(j, i)) > symmetry_tolerance * M.cwiseAbs().maxCoeff())
          throw InputError(
              l_.mass_place,
              fmt::format(
                  "the mass matrix is not symmetric at the start: its entry ({}, {}) is {}, ({}, {}) is {}",
                  i + 1, j + 1, M(i, j), j + 1, i + 1, M(j, i)));
    if (Eigen::LLT<Matrix>(M).info() != Eigen::Success)
      throw InputError(
          l_.mass_place,
          fmt::format(
              "the mass matrix is not positive definite at the start: its smallest eigenvalue is {:.3g}",
              Eigen::SelfAdjointEigenSolver<Matrix>(M, Eigen::EigenvaluesOnly).eigenvalues().minCoeff()));
  }

  const LagrangianDesc& l_;
  int n_;
  std::vector<double> at_;  // t, q, v
};

// An entry of a matrix that is not zero.
struct FormulaEntry {
  int i, j;
  Expression formula;
};

struct MassFormulas {
  std::vector<FormulaEntry> entries;
  std::vector<std::vector<FormulaEntry>> derivatives;  // by each coordinate
};

struct ForceFormulas {
  std::vector<Expression> k;
  std::vector<FormulaEntry> k_q, k_v;
};

void set_mass(const LagrangianDesc& l, int n, LagrangianDefinition& d) {
  auto mass = std::make_shared<MassFormulas>();
  mass->derivatives.resize(n);
  d.constant_mass = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (!l.mass[i][j].is_zero()) mass->entries.push_back({i, j, l.mass[i][j]});
      if (!l.mass[i][j].is_constant()) d.constant_mass = false;
      for (int k = 0; k < n; ++k) {
        const Expression derivative = l.mass[i][j].derivative(1 + k);
        if (!derivative.is_zero()) mass->derivatives[k].push_back({i, j, derivative});
      }
    }
  d.mass = [mass](double t, const VectorRef& q, Matrix& M) {
    const FormulaPoint at(t, q);
    M.setZero(q.size(), q.size());
    for (const FormulaEntry& e : mass->entries) M(e.i, e.j) = at(e.formula);
  };
  d.mass_derivative = [mass](double t, const VectorRef& q, int k, Matrix& out) {
    const FormulaPoint at(t, q);
    out.setZero(q.size(), q.size());
    for (const FormulaEntry& e : mass->derivatives[k]) out(e.i, e.j) = at(e.formula);
  };
}

void set_forces(const LagrangianDesc& l, int n, LagrangianDefinition& d) {
  auto force = std::make_shared<ForceFormulas>();
  force->k = l.forces;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Expression by_q = l.forces[i].derivative(1 + j), by_v = l.forces[i].derivative(1 + n + j);
      if (!by_q.is_zero()) force->k_q.push_back({i, j, by_q});
      if (!by_v.is_zero()) force->k_v.push_back({i, j, by_v});
    }
  d.forces = [force](double t, const VectorRef& q, const VectorRef& v, Vector& k) {
    const FormulaPoint at(t, q, v);
    for (Eigen::Index i = 0; i < k.size(); ++i) k[i] = at(force->k[i]);
  };
  d.force_jacobians = [force](double t, const VectorRef& q, const VectorRef& v, Matrix& k_q, Matrix& k_v) {
    const FormulaPoint at(t, q, v);
    for (const FormulaEntry& e : force->k_q) k_q(e.i, e.j) = at(e.formula);
    for (const FormulaEntry& e : force->k_v) k_v(e.i, e.j) = at(e.formula);
  };
}

void add_equations(const LagrangianDesc& l, int n, LagrangianDefinition& d) {
  if (l.potential) d.potential = scalar_from_expression(*l.potential, n);
  for (const auto& row : l.constraints)
    d.constraints.push_back({row.name.name, scalar_from_expression(row.formula, n)});
  for (const auto& row : l.velocity_constraints)
    d.velocity_constraints.push_back(
        {row.name.name, row_from_expressions(row.coefficients, n), time_from_expression(row.formula)});
  for (const auto& row : l.springs)
    d.springs.push_back({row.name.name, scalar_from_expression(row.formula, n), row.coefficient});
  for (const auto& row : l.dampers)
    d.dampers.push_back({row.name.name, scalar_from_expression(row.formula, n), row.coefficient});
}

void add_contacts_and_bodies(const LagrangianDesc& l, int n, LagrangianDefinition& d) {
  for (const auto& row : l.contacts) {
    LagrangianDefinition::Contact contact;
    contact.name = row.name.name;
    contact.gap = scalar_from_expression(row.formula, n);
    for (const auto& tangent : row.tangents) contact.tangents.push_back(row_from_expressions(tangent, n));
    for (const Expression& velocity : row.surface_velocity)
      contact.surface_velocities.push_back(time_from_expression(velocity));
    contact.friction = row.friction;
    contact.restitution = row.restitution;
    d.contacts.push_back(std::move(contact));
  }
  for (const auto& body : l.bodies) {
    LagrangianDefinition::Body out;
    out.name = body.name.name;
    for (int k = 0; k < 3; ++k) out.position[k] = scalar_from_expression(body.position[k], n);
    if (body.angle) out.angle = scalar_from_expression(*body.angle, n);
    d.bodies.push_back(std::move(out));
  }
}

CompiledScene compile_lagrangian(const LagrangianDesc& l) {
  StartCheck(l).run();
  const int n = static_cast<int>(l.coordinates.size());
  LagrangianDefinition d;
  d.coordinates = l.coordinates;
  d.angles = l.angles;
  d.q0 = Eigen::Map<const Vector>(l.position.data(), n);
  d.v0 = Eigen::Map<const Vector>(l.velocity.data(), n);
  d.automatic_coriolis = l.coriolis;
  set_mass(l, n, d);
  if (!l.forces.empty()) set_forces(l, n, d);
  add_equations(l, n, d);
  add_contacts_and_bodies(l, n, d);
  try {
    auto system = std::make_shared<LagrangianSystem>(std::move(d));
    return {system, system->initial_state()};
  } catch (const InputError& error) {
    throw InputError(l.place, error.what());
  }
}

}  // namespace

CompiledScene compile(const SceneDesc& scene) {
  CompiledScene out;
  try {
    out = scene.lagrangian ? compile_lagrangian(*scene.lagrangian) : compile_bodies(scene);
  } catch (const ExpressionError& error) {
    // Only derivatives fail here: the formulas themselves have been read.
    throw InputError(scene.lagrangian ? scene.lagrangian->place : Place{scene.file, 0, 0},
                     fmt::format("a formula cannot be differentiated: {}", error.message()));
  }
  const ContactSet contacts = out.system->contacts_within(0.0, 0.0, out.state.q, out.state.v);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (const double gap = contacts.gap(c); !std::isfinite(gap)) {
      const std::string name = out.system->contact_name(contacts.ids[c]);
      Place place{scene.file, 0, 0};
      for (const ContactDesc& contact : scene.contacts)
        if (contact.name.name == name) place = contact.name.place;
      throw InputError(
          place, fmt::format("the gap of contact '{}' is {} at the start; it must be a finite number there",
                             name, word_of(gap)));
    }
  check_force_motors(scene, out);
  Vector k;
  out.system->forces(0.0, out.state.q, out.state.v, k);
  for (Eigen::Index i = 0; i < k.size(); ++i)
    if (!std::isfinite(k[i]))
      throw InputError(Place{scene.file, 0, 0},
                       fmt::format("the force on velocity '{}' is {} at the start",
                                   out.system->velocity_name(static_cast<int>(i)), word_of(k[i])));
  return out;
}

}  // namespace delassus
