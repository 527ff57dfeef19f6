// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/lagrangian.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "delassus/base/error.hpp"
#include "delassus/base/work_counts.hpp"

namespace delassus {
namespace {

// Central differences of a vector function of x, column by column.
constexpr double k_difference_step = 6e-6;

template <typename Function>
void difference_columns(const Function& f, const VectorRef& x, Matrix& out) {
  Vector at = x, up, down;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double d = k_difference_step * (1.0 + std::abs(x[j]));
    at[j] = x[j] + d;
    f(at, up);
    at[j] = x[j] - d;
    f(at, down);
    at[j] = x[j];
    out.col(j) = (up - down) / (2 * d);
  }
}

// φ̈ with v̇ = 0.
double second_rate(const ScalarFunction& f, double t, const VectorRef& q, const VectorRef& v, Matrix& H) {
  f.hessian(t, q, H);
  return v.dot(H * v) + f.time_bias(t, q, v);
}

}  // namespace

LagrangianSystem::LagrangianSystem(LagrangianDefinition definition)
    : d_(std::move(definition)), n_(static_cast<int>(d_.coordinates.size())) {
  const auto require = [](bool condition, const std::string& what) {
    if (!condition) throw InputError("Lagrangian system: " + what);
  };
  require(n_ > 0, "there are no coordinates");
  require(d_.q0.size() == n_,
          fmt::format("the initial position has {} entries for {} coordinates", d_.q0.size(), n_));
  require(d_.v0.size() == n_,
          fmt::format("the initial velocity has {} entries for {} coordinates", d_.v0.size(), n_));
  require(d_.angles.empty() || static_cast<int>(d_.angles.size()) == n_,
          fmt::format("the list of angles has {} entries for {} coordinates", d_.angles.size(), n_));
  require(static_cast<bool>(d_.mass), "the mass matrix is missing");
  Matrix M;
  d_.mass(0.0, d_.q0, M);
  require(M.rows() == n_ && M.cols() == n_,
          fmt::format("the mass matrix is {}×{} for {} coordinates", M.rows(), M.cols(), n_));
  require(M.allFinite() && (M - M.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * M.cwiseAbs().maxCoeff() &&
              Eigen::LLT<Matrix>(M).info() == Eigen::Success,
          "the mass matrix is not symmetric positive definite at the initial position");
  for (const auto& c : d_.contacts) {
    require(c.tangents.size() <= 2,
            fmt::format("contact '{}' has {} tangents; allowed: 0, 1 or 2", c.name, c.tangents.size()));
    require(c.friction >= 0, fmt::format("contact '{}': friction is {}; allowed: >= 0", c.name, c.friction));
    require(c.restitution >= 0 && c.restitution <= 1,
            fmt::format("contact '{}': restitution is {}; allowed: 0 … 1", c.name, c.restitution));
    require(c.friction == 0 || !c.tangents.empty(),
            fmt::format("contact '{}' has friction but no tangents", c.name));
  }
}

State LagrangianSystem::initial_state() const {
  State state;
  state.q = d_.q0;
  state.v = d_.v0;
  return state;
}

std::string LagrangianSystem::joint_name(int row) const {
  const auto holonomic = static_cast<int>(d_.constraints.size());
  return row < holonomic ? d_.constraints[row].name : d_.velocity_constraints[row - holonomic].name;
}

void LagrangianSystem::mass(const Configuration& at, BlockMatrix& M) const {
  const double t = at.t;
  const Vector& q = at.q;
  Matrix dense;
  d_.mass(t, q, dense);
  M.clear(n_);
  M.add_block(0, 0, n_, n_) = dense;
}

void LagrangianSystem::mass_derivative(double t, const VectorRef& q, int i, Matrix& out) const {
  if (d_.mass_derivative) return d_.mass_derivative(t, q, i, out);
  Vector x = q;
  Matrix up, down;
  const double d = k_difference_step * (1.0 + std::abs(q[i]));
  x[i] = q[i] + d;
  d_.mass(t, x, up);
  x[i] = q[i] - d;
  d_.mass(t, x, down);
  out = (up - down) / (2 * d);
}

void LagrangianSystem::add_coriolis(double t, const VectorRef& q, const VectorRef& v, Vector& k) const {
  Matrix dM;
  for (int i = 0; i < n_; ++i) {
    mass_derivative(t, q, i, dM);
    const Vector dMv = dM * v;
    k -= v[i] * dMv;
    k[i] += 0.5 * v.dot(dMv);
  }
  mass_rate(t, q, dM);
  k -= dM * v;
}

void LagrangianSystem::mass_rate(double t, const VectorRef& q, Matrix& out) const {
  const double d = k_difference_step * (1.0 + std::abs(t));
  Matrix up, down;
  d_.mass(t + d, q, up);
  d_.mass(t - d, q, down);
  out = (up - down) / (2 * d);
}

void LagrangianSystem::forces(const Configuration& at, const VectorRef& v, Vector& k) const {
  ++work_counts().forces;
  const double t = at.t;
  const Vector& q = at.q;
  k.setZero(n_);
  if (d_.forces) d_.forces(t, q, v, k);
  Vector gradient;
  if (d_.potential) {
    d_.potential.gradient(t, q, gradient);
    k -= gradient;
  }
  if (d_.automatic_coriolis && !d_.constant_mass) add_coriolis(t, q, v, k);
  for (const auto& s : d_.springs) {
    s.elongation.gradient(t, q, gradient);
    k -= s.stiffness * s.elongation.value(t, q) * gradient;
  }
  for (const auto& s : d_.dampers) {
    s.elongation.gradient(t, q, gradient);
    k -= s.damping * (gradient.dot(v) + s.elongation.rate(t, q)) * gradient;
  }
}

void LagrangianSystem::force_jacobians(const Configuration& at, const VectorRef& v,
                                       ForceJacobians& out) const {
  ++work_counts().derivatives;
  const double t = at.t;
  const Vector& q = at.q;
  out.k_q.clear(n_);
  out.k_v.clear(n_);
  out.k_q_remainder.clear(n_);
  Matrix k_q = Matrix::Zero(n_, n_), k_v = Matrix::Zero(n_, n_), H;
  if (d_.force_jacobians) {
    d_.force_jacobians(t, q, v, k_q, k_v);
  } else if (d_.forces) {
    difference_columns([&](const Vector& x, Vector& k) { k.setZero(n_), d_.forces(t, x, v, k); }, q, k_q);
    difference_columns([&](const Vector& x, Vector& k) { k.setZero(n_), d_.forces(t, q, x, k); }, v, k_v);
  }
  if (d_.potential) {
    d_.potential.hessian(t, q, H);
    k_q -= H;
  }
  if (d_.automatic_coriolis && !d_.constant_mass) {
    Matrix c_q(n_, n_), c_v(n_, n_);
    difference_columns([&](const Vector& x, Vector& k) { k.setZero(n_), add_coriolis(t, x, v, k); }, q, c_q);
    difference_columns([&](const Vector& x, Vector& k) { k.setZero(n_), add_coriolis(t, q, x, k); }, v, c_v);
    k_q += c_q;
    k_v += c_v;
  }
  Matrix remainder = Matrix::Zero(n_, n_);
  Vector gradient;
  out.spring_rows.clear(n_);
  out.spring_stiffness.resize(static_cast<Eigen::Index>(d_.springs.size()));
  for (std::size_t i = 0; i < d_.springs.size(); ++i) {
    const auto& s = d_.springs[i];
    s.elongation.gradient(t, q, gradient);
    out.spring_rows.add_group(1);
    out.spring_rows.add_block(0, n_) = gradient.transpose();
    out.spring_stiffness[i] = s.stiffness;
    s.elongation.hessian(t, q, H);
    remainder -= s.stiffness * s.elongation.value(t, q) * H;
  }
  out.damper_rows.clear(n_);
  out.damper_damping.resize(static_cast<Eigen::Index>(d_.dampers.size()));
  for (std::size_t i = 0; i < d_.dampers.size(); ++i) {
    const auto& s = d_.dampers[i];
    s.elongation.gradient(t, q, gradient);
    out.damper_rows.add_group(1);
    out.damper_rows.add_block(0, n_) = gradient.transpose();
    out.damper_damping[i] = s.damping;
    s.elongation.hessian(t, q, H);
    const double rate = gradient.dot(v) + s.elongation.rate(t, q);
    remainder -= s.damping * (rate * H + gradient * (H * v).transpose());
  }
  out.k_q.add_block(0, 0, n_, n_) = k_q;
  out.k_v.add_block(0, 0, n_, n_) = k_v;
  out.k_q_remainder.add_block(0, 0, n_, n_) = remainder;
  out.symmetric = k_q == k_q.transpose() && k_v == k_v.transpose() && remainder == remainder.transpose();
}

double LagrangianSystem::potential_energy(const Configuration& at) const {
  const double t = at.t;
  const Vector& q = at.q;
  double energy = d_.potential ? d_.potential.value(t, q) : 0.0;
  for (const auto& s : d_.springs) {
    const double elongation = s.elongation.value(t, q);
    energy += 0.5 * s.stiffness * elongation * elongation;
  }
  return energy;
}

double LagrangianSystem::nonconservative_power_along(const Configuration& at, const VectorRef& v,
                                                     const VectorRef& along) const {
  const double t = at.t;
  const Vector& q = at.q;
  double power = 0;
  if (d_.forces) {
    Vector k = Vector::Zero(n_);
    d_.forces(t, q, v, k);
    power += k.dot(along);
  }
  if (!d_.constant_mass && !d_.automatic_coriolis) {
    // Ṫ = vᵀ M v̇ + ½ vᵀ Ṁ v: the second term is cancelled by the Coriolis terms, which here are part of
    // `forces`.
    Matrix dM;
    for (int i = 0; i < n_; ++i) {
      mass_derivative(t, q, i, dM);
      power += 0.5 * v[i] * v.dot(dM * v);
    }
  }
  // Energy that changes with time alone: moving anchors, potentials and masses that are switched.
  if (d_.potential) power += d_.potential.rate(t, q);
  for (const auto& s : d_.springs) power += s.stiffness * s.elongation.value(t, q) * s.elongation.rate(t, q);
  if (!d_.constant_mass) {
    Matrix M_t;
    mass_rate(t, q, M_t);
    // Lagrange's equations contain −∂M/∂t v, of whose power half is the change of ½ vᵀMv.
    power += (d_.automatic_coriolis ? -0.5 : 0.5) * v.dot(M_t * v);
  }
  Vector gradient;
  for (const auto& s : d_.dampers) {
    s.elongation.gradient(t, q, gradient);
    power -= s.damping * (gradient.dot(v) + s.elongation.rate(t, q)) * gradient.dot(along);
  }
  return power;
}

void LagrangianSystem::bilateral(const Configuration& at, BilateralRows& out) const {
  const double t = at.t;
  const Vector& q = at.q;
  const auto holonomic = static_cast<Eigen::Index>(d_.constraints.size());
  const auto rows = holonomic + static_cast<Eigen::Index>(d_.velocity_constraints.size());
  out.rows.clear(n_);
  out.violation.setZero(rows);
  out.target.resize(rows);
  out.num_holonomic = static_cast<int>(holonomic);
  Vector gradient;
  for (Eigen::Index i = 0; i < rows; ++i) {
    out.rows.add_group(1);
    if (i < holonomic) {
      const ScalarFunction& f = d_.constraints[i].value;
      f.gradient(t, q, gradient);
      out.violation[i] = f.value(t, q);
      out.target[i] = -f.rate(t, q);
    } else {
      const auto& c = d_.velocity_constraints[i - holonomic];
      c.row.values(t, q, gradient);
      out.target[i] = c.target.value(t);
    }
    out.rows.add_block(0, n_) = gradient.transpose();
  }
}

void LagrangianSystem::bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const {
  const double t = at.t;
  const Vector& q = at.q;
  const auto holonomic = static_cast<Eigen::Index>(d_.constraints.size());
  bias.resize(holonomic + static_cast<Eigen::Index>(d_.velocity_constraints.size()));
  Matrix H;
  for (Eigen::Index i = 0; i < bias.size(); ++i) {
    if (i < holonomic) {
      bias[i] = second_rate(d_.constraints[i].value, t, q, v, H);
    } else {
      const auto& c = d_.velocity_constraints[i - holonomic];
      bias[i] = c.row.bias(t, q, v) - c.target.rate(t);
    }
  }
}

void LagrangianSystem::add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                                               BlockMatrix& out) const {
  const double t = at.t;
  const Vector& q = at.q;
  const auto holonomic = static_cast<Eigen::Index>(d_.constraints.size());
  Matrix sum = Matrix::Zero(n_, n_), H;
  for (Eigen::Index i = 0; i < holonomic; ++i) {
    d_.constraints[i].value.hessian(t, q, H);
    sum += lambda[i] * H;
  }
  if (!d_.velocity_constraints.empty()) {
    // The rows of Pfaffian constraints are given without their derivatives by q.
    Vector row;
    Matrix by_differences(n_, n_);
    difference_columns(
        [&](const Vector& x, Vector& out_row) {
          out_row.setZero(n_);
          for (std::size_t i = 0; i < d_.velocity_constraints.size(); ++i) {
            d_.velocity_constraints[i].row.values(t, x, row);
            out_row += lambda[holonomic + static_cast<Eigen::Index>(i)] * row;
          }
        },
        q, by_differences);
    sum += by_differences;
  }
  out.add_block(0, 0, n_, n_) = scale * sum;
}

void LagrangianSystem::add_inertia_stiffness(const Configuration& at, const VectorRef& a, double scale,
                                             BlockMatrix& out) const {
  const double t = at.t;
  const Vector& q = at.q;
  if (d_.constant_mass) return;
  Matrix derivative;
  auto block = out.add_block(0, 0, n_, n_);
  for (int i = 0; i < n_; ++i) {
    mass_derivative(t, q, i, derivative);
    block.col(i) = scale * (derivative * a);
  }
}

void LagrangianSystem::find_contacts(const Configuration& at, const VectorRef& v, double /*h*/,
                                     const ContactSet* known, ContactSet& out) const {
  if (known != nullptr && known->size() == d_.contacts.size()) {
    out = *known;
  } else {
    std::vector<ContactId> ids(d_.contacts.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    evaluate_contacts(ids, at, out);
  }
  out.update_velocities(v);
}

void LagrangianSystem::evaluate_contacts(std::span<const ContactId> ids, const Configuration& at,
                                         ContactSet& out) const {
  const double t = at.t;
  const Vector& q = at.q;
  out.t = t;
  out.q = q;
  out.ids.assign(ids.begin(), ids.end());
  out.places.assign(ids.size(), {});
  out.gaps.resize(static_cast<Eigen::Index>(ids.size()));
  out.margins.setConstant(out.gaps.size(), std::numeric_limits<double>::infinity());
  out.rows.rows.clear(n_);
  out.rows.surfaces.clear();
  Eigen::Index rows = 0;
  for (ContactId id : ids) rows += 1 + static_cast<Eigen::Index>(d_.contacts[id].tangents.size());
  out.rows.drift_velocity.setZero(rows);
  Vector row;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto& c = d_.contacts[ids[i]];
    out.gaps[static_cast<Eigen::Index>(i)] = c.gap.value(t, q);
    const int group = out.rows.rows.add_group(1 + static_cast<int>(c.tangents.size()));
    auto block = out.rows.rows.add_block(0, n_);
    c.gap.gradient(t, q, row);
    block.row(0) = row.transpose();
    const int first = out.rows.rows.first_row(group);
    out.rows.drift_velocity[first] = c.gap.rate(t, q);
    for (std::size_t k = 0; k < c.tangents.size(); ++k) {
      c.tangents[k].values(t, q, row);
      block.row(static_cast<Eigen::Index>(k + 1)) = row.transpose();
      if (k < c.surface_velocities.size())
        out.rows.drift_velocity[first + 1 + static_cast<int>(k)] = c.surface_velocities[k].value(t);
    }
    out.rows.surfaces.push_back({.friction = c.friction, .restitution = c.restitution});
  }
}

void LagrangianSystem::contact_bias(const ContactSet& contacts, const Configuration& at, const VectorRef& v,
                                    Vector& bias) const {
  const double t = at.t;
  const Vector& q = at.q;
  bias.resize(contacts.rows.rows.rows());
  Matrix H;
  Eigen::Index row = 0;
  for (ContactId id : contacts.ids) {
    const auto& c = d_.contacts[id];
    bias[row++] = second_rate(c.gap, t, q, v, H);
    for (std::size_t k = 0; k < c.tangents.size(); ++k)
      bias[row++] = c.tangents[k].bias(t, q, v) +
                    (k < c.surface_velocities.size() ? c.surface_velocities[k].rate(t) : 0.0);
  }
}

GapAt LagrangianSystem::gap_at(ContactId id, double t, const VectorRef& q, const VectorRef& w) const {
  return {d_.contacts[id].gap.value(t, q + w)};
}

void LagrangianSystem::body_motions(double t, const VectorRef& q, const VectorRef& v,
                                    std::vector<BodyMotion>& out) const {
  out.assign(d_.bodies.size(), {});
  Vector gradient;
  const auto rate = [&](const ScalarFunction& f) {
    f.gradient(t, q, gradient);
    return gradient.dot(v) + f.rate(t, q);
  };
  for (std::size_t i = 0; i < d_.bodies.size(); ++i) {
    const auto& body = d_.bodies[i];
    for (int k = 0; k < 3; ++k) {
      if (!body.position[k]) continue;
      out[i].position[k] = body.position[k].value(t, q);
      out[i].velocity[k] = rate(body.position[k]);
    }
    if (!body.angle) continue;
    const double angle = body.angle.value(t, q);
    out[i].orientation = {std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)};
    out[i].angular_velocity.z() = rate(body.angle);
  }
}

}  // namespace delassus
