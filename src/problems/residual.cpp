// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/work_time.hpp"

namespace delassus {
namespace {

constexpr double k_tiny = std::numeric_limits<double>::min();

// NaN stays NaN, so that a broken solution is never judged by its other numbers.
double max_abs(const Eigen::Ref<const Vector>& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0.0;
}

// About the velocity that the momentum p would have without joints, |p_i|/A_ii: joints that hold bodies at rest leave
// of it round-off, which is no error although nothing else moves.
double speed_without_joints(const Problem& problem, Vector& diagonal) {
  diagonal.setZero(problem.p.size());
  for (int b = 0; b < problem.A.num_blocks(); ++b)
    if (problem.A.block_row(b) == problem.A.block_column(b)) {
      const auto block = problem.A.block(b);
      diagonal.segment(problem.A.block_row(b), block.rows()) += block.diagonal();
    }
  double speed = 0;
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    if (diagonal[i] > 0) speed = std::max(speed, std::abs(problem.p[i]) / diagonal[i]);
  return speed;
}

// A row of angular velocities counts by its coefficient [m], its couple by the normal force that it needs.
double unit_of_row(const Cone& cone, int k) {
  for (const FrictionPart& part : friction_parts(cone))
    if (part.kind != FrictionKind::sliding && k >= part.first && k < part.first + part.size)
      return part.coefficient;
  return 1.0;
}

double free_speed(const LocalProblem& local) {
  double speed = 0;
  for (int c = 0; c < local.num_contacts(); ++c)
    for (int k = 0; k < local.cones[c].dim; ++k) {
      const double u = std::abs(local.u_free[local.first_row(c) + k]);
      if (!(u <= speed))
        speed = has_couples(local.cones[c]) ? std::max(speed, unit_of_row(local.cones[c], k) * u) : u;
    }
  return speed;
}

// With couples and angular velocities in these units, so that all of the error is one of velocity.
double contact_error_of_couples(const Cone& cone, const ContactMatrix::ConstBlock& W,
                                const ContactVectorRef& r, const ContactVectorRef& u) {
  Cone scaled = cone;
  if (cone.mu_rolling > 0) scaled.mu_rolling = 1;
  if (cone.mu_spinning > 0) scaled.mu_spinning = 1;
  Vector scaled_r = r, scaled_u = u;
  double trace = 0, rows = 0, useless = 0;
  for (int k = 0; k < cone.dim; ++k) {
    const double unit = unit_of_row(cone, k);
    scaled_u[k] *= unit;
    if (unit > 0) {
      scaled_r[k] /= unit;
      trace += unit * unit * W(k, k);
      rows += 1;
    } else {
      useless = std::max(useless, std::abs(r[k]));
      scaled_r[k] = 0;
    }
  }
  if (useless > 0) return std::numeric_limits<double>::infinity();  // a couple without friction
  return contact_error(scaled, trace > 0 ? rows / trace : std::numeric_limits<double>::infinity(), scaled_r,
                       scaled_u);
}

// Of the sums W r.
double largest_term(const LocalProblem& problem, const VectorRef& r) {
  double largest = 0;
  for (int a = 0; a < problem.num_contacts(); ++a)
    for (int e = problem.W.row_begin(a); e < problem.W.row_end(a); ++e) {
      const auto block = problem.W.block(a, e);
      const int first = problem.first_row(problem.W.column(e));
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        largest = std::max(largest, block.col(j).cwiseAbs().maxCoeff() * std::abs(r[first + j]));
    }
  return largest;
}

}  // namespace

double contact_error(const Cone& cone, double contact_mass, const Eigen::Ref<const Vector>& r,
                     const Eigen::Ref<const Vector>& u) {
  if (!r.allFinite() || !u.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  if (cone.kind != ConeKind::polyhedral) {
    // Dry friction of what is moved as prescribed: all of it, against the motion, or any of it at rest. Its limit may have
    // moved since by what the joint forces are iterated to.
    if (!std::isfinite(contact_mass) && cone.kind == ConeKind::box) {
      const double missing = std::abs(r[0] - (u[0] > 0 ? -cone.bound : cone.bound));
      return std::abs(u[0]) * (missing < cone.bound ? missing / cone.bound : missing > 0 ? 1.0 : 0.0);
    }
    // A contact between bodies that cannot move has no mass and no law to fail.
    if (!std::isfinite(contact_mass)) return std::max(0.0, -u[0]);
    return natural_map(cone, contact_mass, r, u).norm() / contact_mass;
  }
  const double normal_error = std::abs(std::min(u[0], r[0] / contact_mass));
  const Eigen::Vector2d r_T = tangential(cone, r), u_T = tangential(cone, u);
  const double outside =
      std::max(0.0, cone_gauge(cone, r_T) - cone.mu * (r[0] + cone.extra_normal)) / contact_mass;
  const double missing =
      cone.mu * (std::max(r[0], 0.0) + cone.extra_normal) * cone_support(cone, -u_T) + u_T.dot(r_T);
  const double dissipation = std::abs(missing) / std::max({r.norm(), contact_mass * u.norm(), k_tiny});
  return std::max({normal_error, outside, dissipation});
}

Residual compute_residual(const Problem& problem, const Reduction& reduction, const Solution& solution) {
  ResidualScratch scratch;
  return compute_residual(problem, reduction, solution, scratch);
}

Residual compute_residual(const Problem& problem, const Reduction& reduction, const Solution& solution,
                          ResidualScratch& scratch) {
  const WorkScope scope(WorkKind::certificate);
  Residual residual;
  // Momentum, with the largest single term as its scale.
  Vector &terms = scratch.terms, &part = scratch.part;
  terms.setZero(problem.p.size());
  part.setZero(problem.p.size());
  double scale = max_abs(problem.p);
  const auto accumulate = [&](double sign) {
    scale = std::max(scale, max_abs(part));
    terms += sign * part;
    part.setZero();
  };
  problem.A.add_product(solution.v, part);
  accumulate(1.0);
  problem.impulse_G().add_transposed_product(solution.lambda, part);
  accumulate(-1.0);
  problem.impulse_H().add_transposed_product(solution.r, part);
  accumulate(-1.0);
  terms -= problem.p;
  residual.momentum = max_abs(terms) / std::max(scale, k_tiny);

  const double speed = std::max({max_abs(solution.v), max_abs(reduction.v_free()), k_tiny});
  if (problem.Gt.rows() > 0) {
    Vector& rows = scratch.rows;
    problem.Gt.multiply(VectorRef(solution.v), rows);
    rows += problem.C.cwiseProduct(solution.lambda) - problem.g;
    residual.joints =
        max_abs(rows) / std::max({speed, max_abs(problem.g), speed_without_joints(problem, part), k_tiny});
  }
  const LocalProblem& local = reduction.local();
  const double reference = std::max(compute_velocity_scale(local, free_speed(local), solution.r), k_tiny);
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    const int row = local.first_row(c);
    const auto r = solution.r.segment(row, cone.dim), u = solution.u.segment(row, cone.dim);
    const bool couples = has_couples(cone) && r.allFinite() && u.allFinite();
    const double error = (couples ? contact_error_of_couples(cone, local.W.diagonal(c), r, u)
                                  : contact_error(cone, reduction.contact_mass(c), r, u)) /
                         reference;
    if (!(error <= residual.contact) || residual.worst_contact < 0) {
      residual.contact = error;
      residual.worst_contact = c;
      if (std::isnan(error)) break;
    }
  }
  return residual;
}

double compute_velocity_scale(const LocalProblem& problem, double free, const VectorRef& r) {
  constexpr double share = 1e-4;  // as in LocalProblem::velocity_floor
  constexpr double most = 1e4;    // times the others
  const double scale = std::max(free, problem.velocity_floor());
  return std::max(scale, std::min(share * largest_term(problem, r), most * scale));
}

double compute_cancellation(const LocalProblem& problem, const VectorRef& r) {
  return std::max(1.0, largest_term(problem, r) / std::max(max_abs(problem.u_free), k_tiny));
}

double judged_residual(const Residual& residual, const LocalProblem& local, const Solution& solution) {
  const double free = max_abs(local.u_free);
  const double round_off = std::numeric_limits<double>::epsilon() *
                           compute_cancellation(local, VectorRef(solution.r)) * free /
                           std::max({free, local.velocity_floor(), k_tiny});
  // NaN of any part is the outcome.
  double worst = round_off;
  for (double part : {residual.momentum, residual.joints, residual.contact})
    if (!(part <= worst)) worst = part;
  return worst;
}

double judged_residual(const Problem& problem, const Reduction& reduction, const Solution& solution) {
  return judged_residual(compute_residual(problem, reduction, solution), reduction.local(), solution);
}

}  // namespace delassus
