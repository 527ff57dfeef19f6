// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/solvers/friction/interior_point.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"

namespace delassus {
namespace {

// Of the way to the border of a cone that a step goes.
constexpr double k_way_to_border = 0.99;
// ω, beside a scaled W whose diagonal is about one: while steps are long, and at most. The law is not that of a potential, and its way
// may turn back where contacts are redundant: steps become short, and a larger ω leads past. Then half of it each step.
constexpr double k_least_weight = 1e-6, k_largest_weight = 1e-2;
constexpr double k_weight_growth = 10, k_weight_decay = 0.5;
// Steps that are shorter ask for a larger ω, from the next step on or at once; longer ones for a smaller.
constexpr double k_weight_step = 0.05, k_weight_step_now = 0.03, k_long_step = 0.5;
// The start, in sizes of the free velocity: impulses, and the least slacks and slips.
constexpr double k_start_impulse = 3, k_start_slack = 1;
// A step shorter than this is corrected once more, towards products of at least this part of their mean.
constexpr double k_short_step = 0.4, k_short_centering = 0.1;
// The second correction is taken where it goes farther by this.
constexpr double k_gained_length = 1.2;
// Steps shorter than this mean that the way is blocked.
constexpr double k_blocked_step = 1e-6;
// Steps without half of the error gone that end it.
constexpr int k_patient_steps = 25;

// ---- The second-order cone {x_0 ≥ ‖x_T‖} of two or three entries.

double tail_norm(const double* x, int dim) {
  return dim == 2 ? std::abs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
}
double dot(const double* a, const double* b, int dim) {
  double sum = a[0] * b[0];
  for (int i = 1; i < dim; ++i) sum += a[i] * b[i];
  return sum;
}
// x_0² − ‖x_T‖²
double determinant(const double* x, int dim) {
  const double tail = tail_norm(x, dim);
  return (x[0] - tail) * (x[0] + tail);
}
// out = a ∘ b
void jordan_product(const double* a, const double* b, int dim, double* out) {
  const double head = dot(a, b, dim);
  for (int i = 1; i < dim; ++i) out[i] = a[0] * b[i] + b[0] * a[i];
  out[0] = head;
}
// out with a ∘ out = b
void jordan_quotient(const double* a, const double* b, int dim, double* out) {
  double tails = 0;
  for (int i = 1; i < dim; ++i) tails += a[i] * b[i];
  const double head = (a[0] * b[0] - tails) / determinant(a, dim);
  for (int i = 1; i < dim; ++i) out[i] = (b[i] - head * a[i]) / a[0];
  out[0] = head;
}
// out = F x with F = η [w_0 w_Tᵀ; w_T I + w_T w_Tᵀ/(1 + w_0)], or F⁻¹ x.
void apply_scaling(const double* w, double eta, bool inverse, const double* x, int dim, double* out) {
  const double sign = inverse ? -1.0 : 1.0, scale = inverse ? 1.0 / eta : eta;
  double tails = 0;
  for (int i = 1; i < dim; ++i) tails += sign * w[i] * x[i];
  const double along = x[0] + tails / (1.0 + w[0]);
  for (int i = 1; i < dim; ++i) out[i] = scale * (x[i] + along * sign * w[i]);
  out[0] = scale * (w[0] * x[0] + tails);
}
// Largest α with x + α d in the cone.
double way_to_border(const double* x, const double* d, int dim) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double A = d[0] * d[0], B = x[0] * d[0];
  for (int i = 1; i < dim; ++i) {
    A -= d[i] * d[i];
    B -= x[i] * d[i];
  }
  // A α² + 2 B α + C = 0
  const double C = determinant(x, dim), discriminant = B * B - A * C;
  double way = d[0] < 0 ? -x[0] / d[0] : none;
  if (!(discriminant >= 0)) return way;
  const double q = -(B + std::copysign(std::sqrt(discriminant), B));
  for (const double root : {q / A, C / q})
    if (root > 0) way = std::min(way, root);
  return way;
}

// z or y of a contact.
struct ConePoint {
  double values[3];
  ConePoint(double head, const Vector& x, int first, int dim)
      : values{head, x[first + 1], dim == 3 ? x[first + 2] : 0.0} {}
  operator const double*() const { return values; }
};

}  // namespace

bool InteriorPointSolver::serves(const LocalProblem& problem) {
  return !problem.mobility.empty() &&
         std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
           return cone.kind == ConeKind::nonnegative ||
                  (cone.kind == ConeKind::coulomb && cone.dim <= 3 && cone.extra_normal == 0);
         });
}

void InteriorPointSolver::prepare(const LocalProblem& problem) {
  parts_.clear();
  members_.clear();
  rows_ = 0;
  for (int c = 0; c < contacts_.size(); ++c) {
    const PreparedContact& contact = contacts_[c];
    if (contact.rho == 0) continue;
    const int dim = contact.coulomb && contact.mu > 0 ? contact.dim : 1;
    parts_.push_back({c, contact.row, rows_, dim, std::sqrt(contact.rho), contact.mu, {1, 0, 0}, 1, 0});
    members_.push_back({c, rows_, dim, parts_.back().scale});
    rows_ += dim;
  }
  Z_.resize(parts_.size());
  damping_.resize(parts_.size());
  for (Vector* rows : {&x_, &s_, &dx_, &ds_, &u_hat_, &u_free_hat_, &error_, &a_, &rhs_})
    rows->setZero(rows_);
  slip_.setZero(static_cast<Eigen::Index>(parts_.size()));
  dslip_ = slip_;
  for (const Contact& part : parts_)
    u_free_hat_.segment(part.first, part.dim) = part.scale * problem.u_free.segment(part.row, part.dim);
  v_.setZero(problem.mobility.num_velocities());
  dv_ = v_;
}

void InteriorPointSolver::begin() {
  const double size = u_free_hat_.norm() / std::sqrt(static_cast<double>(std::max(rows_, 1)));
  u_hat_ = u_free_hat_;
  s_ = u_hat_;
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const auto& [contact, row, i, dim, scale, mu, w, eta, side] = parts_[c];
    x_[i] = k_start_impulse * size;
    s_[i] = std::max(u_hat_[i], k_start_slack * size);
    if (dim > 1)
      slip_[static_cast<Eigen::Index>(c)] = tail_norm(ConePoint(0, s_, i, dim), dim) + k_start_slack * size;
  }
  error_ = u_hat_ - s_;
}

void InteriorPointSolver::update_errors() {
  factor_.find_velocities(v_, u_hat_);
  u_hat_ += u_free_hat_;
  error_ = u_hat_ - s_;
}

void InteriorPointSolver::set_impulses(const LocalProblem& problem) {
  r_.setZero(problem.u_free.size());
  for (const Contact& part : parts_)
    r_.segment(part.row, part.dim) = part.scale * x_.segment(part.first, part.dim);
  update_velocities(problem);
}

// Mean product of the pairs.
double InteriorPointSolver::gap() const {
  double sum = 0;
  int pairs = 0;
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const Contact& part = parts_[c];
    sum += x_[part.first] * s_[part.first];
    ++pairs;
    if (part.dim == 1) continue;
    sum += dot(ConePoint(part.mu * x_[part.first], x_, part.first, part.dim),
               ConePoint(slip_[static_cast<Eigen::Index>(c)], s_, part.first, part.dim), part.dim);
    ++pairs;
  }
  return sum / std::max(pairs, 1);
}

void InteriorPointSolver::find_scaling(std::size_t c) {
  Contact& part = parts_[c];
  const int dim = part.dim, i = part.first;
  ContactBlock& Z = Z_[c];
  Z.setZero(dim, dim);
  Z(0, 0) = x_[i] / s_[i];
  if (dim > 1) {
    const ConePoint z(part.mu * x_[i], x_, i, dim), y(slip_[static_cast<Eigen::Index>(c)], s_, i, dim);
    const double z_size = std::sqrt(determinant(z, dim)), y_size = std::sqrt(determinant(y, dim));
    const double middle = std::sqrt(2 * (1 + dot(z, y, dim) / (z_size * y_size)));
    double* w = part.w;
    for (int k = 0; k < dim; ++k) w[k] = (z[k] / z_size + (k == 0 ? 1 : -1) * y[k] / y_size) / middle;
    part.eta = std::sqrt(z_size / y_size);
    // F² = η² (2 w wᵀ − diag(1, −1, −1)), its first row eliminated with dλ.
    const double squared = part.eta * part.eta, head = 2 * w[0] * w[0] - 1;
    for (int k = 1; k < dim; ++k) {
      Z(k, 0) = (2 * w[k] * w[0] / head) * part.mu * Z(0, 0);
      for (int l = 1; l < dim; ++l) Z(k, l) = squared * ((k == l ? 1.0 : 0.0) - 2 * w[k] * w[l] / head);
    }
  }
  // dx = a − Z (dû + e + ω dx)
  ContactBlock damped = weight_ * Z;
  damped.diagonal().array() += 1.0;
  damping_[c] = Eigen::PartialPivLU<ContactBlock>(damped).inverse();
  Z = (damping_[c] * Z).eval();
}

bool InteriorPointSolver::factorize(const LocalProblem& problem) {
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    find_scaling(c);
    if (!Z_[c].allFinite()) return false;
  }
  return factor_.compute_weighted(problem.mobility, members_, Z_);
}

void InteriorPointSolver::linearize(std::size_t c, double target, bool second_order) {
  Contact& part = parts_[c];
  const int dim = part.dim, i = part.first;
  const auto at = static_cast<Eigen::Index>(c);
  a_[i] = (target - x_[i] * s_[i] - (second_order ? dx_[i] * ds_[i] : 0.0)) / s_[i];
  if (dim > 1) {
    double scaled[3], side[3], quotient[3], change[3];
    apply_scaling(part.w, part.eta, false, ConePoint(slip_[at], s_, i, dim), dim, scaled);
    jordan_product(scaled, scaled, dim, side);
    if (second_order) {
      double dz[3], dy[3], product[3];
      apply_scaling(part.w, part.eta, true, ConePoint(part.mu * dx_[i], dx_, i, dim), dim, dz);
      apply_scaling(part.w, part.eta, false, ConePoint(dslip_[at], ds_, i, dim), dim, dy);
      jordan_product(dz, dy, dim, product);
      for (int k = 0; k < dim; ++k) side[k] += product[k];
    }
    for (int k = 0; k < dim; ++k) side[k] = (k == 0 ? target : 0.0) - side[k];
    jordan_quotient(scaled, side, dim, quotient);
    apply_scaling(part.w, part.eta, false, quotient, dim, change);
    part.slip_side = change[0];
    const double head = 2 * part.w[0] * part.w[0] - 1;
    for (int k = 1; k < dim; ++k)
      a_[i + k] = change[k] + 2 * part.w[k] * part.w[0] / head * (part.mu * a_[i] - change[0]);
  }
  a_.segment(i, dim) = (damping_[c] * a_.segment(i, dim)).eval();
}

void InteriorPointSolver::find_step(double target, bool second_order) {
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    linearize(c, target, second_order);
    const int first = parts_[c].first, dim = parts_[c].dim;
    rhs_.segment(first, dim) = x_.segment(first, dim) + a_.segment(first, dim);
    rhs_.segment(first, dim).noalias() -= Z_[c] * error_.segment(first, dim);
  }
  dv_.setZero();
  factor_.add_impulses(rhs_, dv_);
  dv_ -= v_;
  factor_.solve_velocities(dv_);
  factor_.find_velocities(dv_, ds_);
  ds_ += error_;
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const Contact& part = parts_[c];
    const int i = part.first, dim = part.dim;
    auto dx = dx_.segment(i, dim), ds = ds_.segment(i, dim);
    dx = a_.segment(i, dim);
    dx.noalias() -= Z_[c] * ds;
    ds += weight_ * dx;
    if (dim == 1) continue;
    const double squared = part.eta * part.eta;
    double left = part.slip_side - part.mu * dx[0];
    for (int k = 1; k < dim; ++k) left -= squared * 2 * part.w[0] * part.w[k] * ds[k];
    dslip_[static_cast<Eigen::Index>(c)] = left / (squared * (2 * part.w[0] * part.w[0] - 1));
  }
}

double InteriorPointSolver::longest_step() const {
  double way = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const Contact& part = parts_[c];
    const int i = part.first, dim = part.dim;
    const auto at = static_cast<Eigen::Index>(c);
    if (dx_[i] < 0) way = std::min(way, -x_[i] / dx_[i]);
    if (ds_[i] < 0) way = std::min(way, -s_[i] / ds_[i]);
    if (dim == 1) continue;
    way = std::min(
        {way,
         way_to_border(ConePoint(part.mu * x_[i], x_, i, dim), ConePoint(part.mu * dx_[i], dx_, i, dim), dim),
         way_to_border(ConePoint(slip_[at], s_, i, dim), ConePoint(dslip_[at], ds_, i, dim), dim)});
  }
  return way;
}

double InteriorPointSolver::find_direction() {
  const double tau = gap();
  find_step(0, false);
  const double affine = std::min(1.0, longest_step());
  const double centering = (1 - affine) * (1 - affine) * (1 - affine);
  find_step(centering * tau, true);
  const double length = std::min(1.0, k_way_to_border * longest_step());
  if (length >= k_short_step) return length;
  last_dx_ = dx_;
  last_ds_ = ds_;
  last_dslip_ = dslip_;
  last_dv_ = dv_;
  find_step(std::max(centering, k_short_centering) * tau, true);
  const double next = std::min(1.0, k_way_to_border * longest_step());
  if (next >= k_gained_length * length) return next;
  dx_.swap(last_dx_);
  ds_.swap(last_ds_);
  dslip_.swap(last_dslip_);
  dv_.swap(last_dv_);
  return length;
}

void InteriorPointSolver::move(double length) {
  x_ += length * dx_;
  s_ += length * ds_;
  slip_ += length * dslip_;
  v_ += length * dv_;
  update_errors();
}

void InteriorPointSolver::iterate(const LocalProblem& problem, SolveStats& stats) {
  if (!serves(problem)) return;
  prepare(problem);
  begin();
  const double aim = std::max(aim_ / options_.tolerance, 1.0) * accepted_error();
  double half = std::numeric_limits<double>::infinity();
  int in_vain = 0;
  weight_ = k_least_weight;
  while (stats.iterations < iteration_limit() && best_error() > aim && in_vain < k_patient_steps) {
    throw_if_stop_requested();
    if (!factorize(problem)) return;
    ++stats.iterations;
    ++stats.factorizations;
    double length = find_direction();
    while (length < k_weight_step && weight_ < k_largest_weight) {
      weight_ = std::min(k_weight_growth * weight_, k_largest_weight);
      if (length > k_weight_step_now) break;
      if (!factorize(problem)) return;
      ++stats.iterations;
      ++stats.factorizations;
      length = find_direction();
    }
    if (length > k_long_step) weight_ = std::max(k_weight_decay * weight_, k_least_weight);
    if (!(length > k_blocked_step) || !dv_.allFinite()) return;
    move(length);
    set_impulses(problem);
    const double error = judge();
    in_vain = error < half ? 0 : in_vain + 1;
    if (error < half) half = 0.5 * error;
  }
}

}  // namespace delassus
