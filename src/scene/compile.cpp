// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/compile.hpp"

#include <fmt/format.h>

#include "delassus/base/names.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/system/lagrangian.hpp"

namespace delassus {
namespace {

class BodyIndex {
 public:
  explicit BodyIndex(const SceneDesc& scene) {
    for (const BodyDesc& body : scene.bodies) names_.push_back(body.name.name);
  }
  int find(const NameRef& ref, bool world_allowed) const {
    if (ref.name == "world" && world_allowed) return k_world;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == ref.name) return static_cast<int>(i);
    const std::string near = nearest_name(ref.name, names_);
    throw InputError(ref.place, fmt::format("there is no body '{}'{}", ref.name,
                                            near.empty() ? fmt::format("; known: {}{}", fmt::join(names_, ", "), world_allowed ? ", world" : "")
                                                         : "; did you mean '" + near + "'?"));
  }

 private:
  std::vector<std::string> names_;
};

struct Ends {
  Attachment a, b;
  double distance;
};

Ends attach(const SceneDesc& scene, const BodyIndex& index, const std::vector<NameRef>& between, const Vector3& anchor) {
  Ends ends;
  Vector3 at[2];
  for (int i = 0; i < 2; ++i) {
    Attachment& end = i == 0 ? ends.a : ends.b;
    end.body = index.find(between[i], true);
    if (end.body == k_world) end.point = anchor;
    at[i] = end.body == k_world ? anchor : scene.bodies[end.body].position;
  }
  if (ends.a.body == ends.b.body) throw InputError(between[1].place, fmt::format("both ends are '{}'", between[1].name));
  ends.distance = (at[1] - at[0]).norm();
  return ends;
}

CompiledScene compile_bodies(const SceneDesc& scene) {
  const BodyIndex index(scene);
  Model model;
  model.gravity = scene.gravity;
  for (const BodyDesc& body : scene.bodies) model.add({body.name.name, body.mass, body.position, body.velocity});
  for (const JointDesc& joint : scene.joints) {
    const Ends ends = attach(scene, index, joint.between, joint.anchor);
    const double length = joint.length.value_or(ends.distance);
    if (length <= 0) throw InputError(joint.name.place, fmt::format("joint '{}': its ends coincide, so it needs a 'length' > 0", joint.name.name));
    model.distance_joints.push_back({joint.name.name, ends.a, ends.b, length});
  }
  for (const ForceDesc& force : scene.forces) {
    if (force.kind == ForceDesc::Kind::spring) {
      const Ends ends = attach(scene, index, force.between, force.anchor);
      model.springs.push_back({force.name.name, ends.a, ends.b, force.stiffness, force.rest_length.value_or(ends.distance), force.damping});
    } else {
      const Expression components[3] = {force.force[0], force.force[1], force.force[2]};
      model.applied_forces.push_back({force.name.name, index.find(force.body, false), force_from_expressions(components)});
    }
  }
  for (const ContactDesc& contact : scene.contacts)
    if (contact.kind == ContactDesc::Kind::plane) {
      model.plane_contacts.push_back({contact.name.name, index.find(contact.body, false), contact.point, contact.normal, contact.surface_velocity,
                                      contact.radius, contact.friction, contact.restitution});
    } else {
      const int a = index.find(contact.between[0], false), b = index.find(contact.between[1], false);
      if (a == b) throw InputError(contact.between[1].place, fmt::format("both ends are '{}'", contact.between[1].name));
      model.pair_contacts.push_back({contact.name.name, a, b, contact.distance, contact.friction, contact.restitution});
    }
  auto system = std::make_shared<MultibodySystem>(std::move(model));
  return {system, system->initial_state()};
}

CompiledScene compile_lagrangian(const LagrangianDesc& l) {
  const int n = static_cast<int>(l.coordinates.size());
  LagrangianDefinition d;
  d.coordinates = l.coordinates;
  d.q0 = Eigen::Map<const Vector>(l.position.data(), n);
  d.v0 = Eigen::Map<const Vector>(l.velocity.data(), n);

  // Mass matrix: entries and their derivatives that are not zero.
  struct Entry {
    int i, j;
    Expression formula;
  };
  struct MassFormulas {
    std::vector<Entry> entries;
    std::vector<std::vector<Entry>> derivatives;
  };
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
    for (const Entry& e : mass->entries) M(e.i, e.j) = at(e.formula);
  };
  d.mass_derivative = [mass](double t, const VectorRef& q, int k, Matrix& out) {
    const FormulaPoint at(t, q);
    out.setZero(q.size(), q.size());
    for (const Entry& e : mass->derivatives[k]) out(e.i, e.j) = at(e.formula);
  };
  d.automatic_coriolis = l.coriolis;

  if (!l.forces.empty()) {
    struct ForceFormulas {
      std::vector<Expression> k;
      std::vector<Entry> k_q, k_v;
    };
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
      for (const Entry& e : force->k_q) k_q(e.i, e.j) = at(e.formula);
      for (const Entry& e : force->k_v) k_v(e.i, e.j) = at(e.formula);
    };
  }
  if (l.potential) d.potential = scalar_from_expression(*l.potential, n);
  for (const auto& row : l.constraints) d.constraints.push_back({row.name.name, scalar_from_expression(row.formula, n)});
  for (const auto& row : l.velocity_constraints)
    d.velocity_constraints.push_back({row.name.name, row_from_expressions(row.coefficients, n), time_from_expression(row.formula)});
  for (const auto& row : l.springs) d.springs.push_back({row.name.name, scalar_from_expression(row.formula, n), row.coefficient});
  for (const auto& row : l.dampers) d.dampers.push_back({row.name.name, scalar_from_expression(row.formula, n), row.coefficient});
  for (const auto& row : l.contacts) {
    LagrangianDefinition::Contact contact;
    contact.name = row.name.name;
    contact.gap = scalar_from_expression(row.formula, n);
    for (const auto& tangent : row.tangents) contact.tangents.push_back(row_from_expressions(tangent, n));
    for (const Expression& velocity : row.surface_velocity) contact.surface_velocities.push_back(time_from_expression(velocity));
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
  try {
    auto system = std::make_shared<LagrangianSystem>(std::move(d));
    return {system, system->initial_state()};
  } catch (const InputError& error) {
    throw InputError(l.place, error.what());
  }
}

}  // namespace

CompiledScene compile(const SceneDesc& scene) {
  CompiledScene out = scene.lagrangian ? compile_lagrangian(*scene.lagrangian) : compile_bodies(scene);
  Vector k;
  out.system->forces(0.0, out.state.q, out.state.v, k);
  for (Eigen::Index i = 0; i < k.size(); ++i)
    if (!std::isfinite(k[i]))
      throw InputError(Place{scene.file, 0, 0}, fmt::format("the force on coordinate '{}' is {} at the start", out.system->coordinate_name(static_cast<int>(i)), k[i]));
  return out;
}

}  // namespace delassus
