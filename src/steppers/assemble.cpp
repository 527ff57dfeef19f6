// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Friction in joints that is nearer to its limit than this has reached it [-].
constexpr double k_reached = 1e-6;

double fraction(DataPoint point) {
  switch (point) {
    case DataPoint::start:
      return 0.0;
    case DataPoint::middle:
      return 0.5;
    case DataPoint::end:
      return 1.0;
  }
  return 0.0;
}

// Slip of contact c at a velocity.
Eigen::Vector2d slip_at(const ContactRows& contacts, int c, const VectorRef& velocity) {
  const int rows = std::min(contacts.rows.group_rows(c), 3);
  Eigen::Vector2d slip = Eigen::Vector2d::Zero();
  slip.head(rows - 1) = contacts.drift_velocity.segment(contacts.rows.first_row(c) + 1, rows - 1);
  for (int b = 0; b < contacts.rows.num_blocks(c); ++b) {
    const auto block = contacts.rows.block(c, b);
    slip.head(rows - 1) +=
        block.middleRows(1, rows - 1) * velocity.segment(contacts.rows.block_column(c, b), block.cols());
  }
  return slip;
}

// Friction of contact c, whose mode may be known (see assemble_step).
double friction_of(const ContactRows& contacts, int c, const ContactMode* mode,
                   const VectorRef& hint_velocity) {
  const ContactSurface& surface = contacts.surfaces[c];
  if (surface.curve.constant()) return surface.friction;
  Eigen::Vector2d slip = slip_at(contacts, c, hint_velocity);
  slip.y() /= surface.tangent_ratio;
  const bool known = mode != nullptr && mode->status != ContactStatus::open;
  const bool slips =
      known ? mode->status == ContactStatus::slip : slip.norm() > k_rest_tolerance * max_abs(hint_velocity);
  return slips ? surface.curve.at(surface.friction, slip.norm()) : surface.friction;
}

// Whether normal forces between the same two bodies already carry every couple that would resist rolling at contact c: the normal
// rows n_j of its neighbours differ from its own by ℓ_j in its rolling rows, and the levers ℓ_j span the plane. A rolling couple
// beside them would be a second name for the same pressure, and its share anybody's choice; a sliding box would yaw by it.
bool carries_rolling(const ContactRows& contacts, int c) {
  constexpr int rolling = 3;
  constexpr double parallel = 1e-9;
  const BlockRows& rows = contacts.rows;
  Eigen::Vector2d first = Eigen::Vector2d::Zero();
  for (int j = 0; j < rows.num_groups(); ++j) {
    if (j == c || rows.num_blocks(j) != rows.num_blocks(c)) continue;
    Eigen::Vector2d lever = Eigen::Vector2d::Zero(), scale = Eigen::Vector2d::Zero();
    double size = 0, left = 0;
    bool same_bodies = true;
    for (int b = 0; b < rows.num_blocks(c); ++b) {
      same_bodies = same_bodies && rows.block_column(c, b) == rows.block_column(j, b) &&
                    rows.block(c, b).cols() == rows.block(j, b).cols();
      if (!same_bodies) break;
      const auto own = rows.block(c, b).middleRows(rolling, 2);
      lever += own * (rows.block(j, b).row(0) - rows.block(c, b).row(0)).transpose();
      scale += own.rowwise().squaredNorm();
    }
    if (!same_bodies || !(scale.minCoeff() > 0)) continue;
    lever = lever.cwiseQuotient(scale);
    for (int b = 0; b < rows.num_blocks(c); ++b) {
      const auto difference = rows.block(j, b).row(0) - rows.block(c, b).row(0);
      size += difference.squaredNorm();
      left += (difference - lever.transpose() * rows.block(c, b).middleRows(rolling, 2)).squaredNorm();
    }
    if (!(size > 0) || left > parallel * parallel * size) continue;
    if (first.isZero(0))
      first = lever.normalized();
    else if (std::abs(first.x() * lever.y() - first.y() * lever.x()) > parallel * lever.norm())
      return true;
  }
  return false;
}

// Cone of contact c. The generators of a polygon are turned onto the slip of `hint`, resting contacts keep the frame's
// own directions.
Cone make_cone(const ContactLaw& law, const ContactRows& contacts, int c, const ContactMode* mode,
               const VectorRef& hint_velocity) {
  const int rows = contacts.rows.group_rows(c);
  const ContactSurface& surface = contacts.surfaces[c];
  if (law.kind == ContactLawKind::frictionless || rows == 1) return {};
  if (surface.polygon && law.kind == ContactLawKind::polyhedral && rows >= 3)
    return {.kind = ConeKind::polyhedral,
            .dim = 3,
            .mu = 1,
            .num_directions = surface.polygon->size(),
            .polygon = surface.polygon};
  const double mu = friction_of(contacts, c, mode, hint_velocity);
  bool turning = law.kind != ContactLawKind::polyhedral && rows == 6 && surface.resists_turning();
  const double rolling =
      turning && surface.rolling > 0 && !carries_rolling(contacts, c) ? surface.rolling : 0.0;
  turning = turning && (rolling > 0 || surface.spinning > 0);
  if (mu == 0 && !turning) return {};
  if (law.kind != ContactLawKind::polyhedral)
    return {.kind = law.kind == ContactLawKind::convex ? ConeKind::convex : ConeKind::coulomb,
            .dim = turning ? 6 : std::min(rows, 3),
            .mu = mu,
            .mu_rolling = rolling,
            .mu_spinning = turning ? surface.spinning : 0.0};
  Cone cone{.kind = ConeKind::polyhedral,
            .dim = std::min(rows, 3),
            .mu = mu,
            .num_directions = rows == 2 ? 2 : law.num_directions};
  if (cone.dim == 3 && law.align) {
    const Eigen::Vector2d slip = slip_at(contacts, c, hint_velocity);
    if (slip.norm() > 0) cone.angle = std::atan2(slip.y(), slip.x());
  }
  return cone;
}

void remove_friction(FrictionKind part, Cone& cone) {
  if (part == FrictionKind::sliding) cone.mu = 0;
  if (part == FrictionKind::rolling) cone.mu_rolling = 0;
  if (part == FrictionKind::spinning) cone.mu_spinning = 0;
}

// Copies the rows each cone uses (all of them, or the normal one) into the problem.
void copy_contact_rows(const ContactRows& contacts, const std::vector<Cone>& cones, int nv, BlockRows& out) {
  out.clear(nv);
  for (int c = 0; c < contacts.rows.num_groups(); ++c) out.add_group(contacts.rows, c, cones[c].dim);
}

void copy_contact_vector(const ContactRows& contacts, const std::vector<Cone>& cones, const Vector& values,
                         const BlockRows& layout, Vector& out) {
  out.resize(layout.rows());
  for (int c = 0; c < layout.num_groups(); ++c)
    out.segment(layout.first_row(c), cones[c].dim) = values.segment(contacts.rows.first_row(c), cones[c].dim);
}

void append_rows(const BlockRows& source, BlockRows& out) {
  for (int g = 0; g < source.num_groups(); ++g) out.add_group(source, g, source.group_rows(g));
}

// Joint rows Gᵀ y = target, and the contacts with their cones. Directions are those of the rows unless given
// apart.
void assemble_constraints(const StepperOptions& options, const BilateralRows& joints,
                          const ContactRows& contacts, std::span<const ContactMode> modes,
                          const VectorRef& slip_hint, StepData& data, Problem& problem) {
  problem.Gt.clear(joints.rows.columns());
  append_rows(joints.rows, problem.Gt);
  problem.g = joints.target;
  problem.C.setZero(problem.Gt.rows());
  data.num_joint_rows = problem.Gt.rows();
  problem.cones.resize(contacts.rows.num_groups());
  data.num_contacts = contacts.rows.num_groups();
  for (int c = 0; c < problem.num_contacts(); ++c)
    problem.cones[c] = make_cone(options.law, contacts, c, modes.empty() ? nullptr : &modes[c], slip_hint);
  copy_contact_rows(contacts, problem.cones, joints.rows.columns(), problem.Ht);
  copy_contact_vector(contacts, problem.cones, contacts.drift_velocity, problem.Ht, problem.w);
  problem.separate_directions = false;
}

// The joint rows of a formula that takes violations of position back.
void stabilise_joints(const StepFormula& formula, const StepperOptions& options, const Phase& phase, double h,
                      StepData& data, Problem& problem) {
  const BilateralRows& rows = data.bilateral;
  const int holonomic = rows.num_holonomic, pfaffian = rows.rows.rows() - holonomic;
  if (formula.end_time) {
    problem.g.setZero(rows.rows.rows());
    if (pfaffian > 0) {
      data.bilateral_directions.rows.multiply(VectorRef(phase.v), data.u);
      problem.g.tail(pfaffian) =
          2.0 * data.bilateral_directions.target.tail(pfaffian) - data.u.tail(pfaffian);
    }
    // Rows that do not depend on time are those of the middle already.
    if (!(data.bilateral_directions.rows == rows.rows)) {
      problem.separate_directions = true;
      problem.G_directions.clear(rows.rows.columns());
      append_rows(data.bilateral_directions.rows, problem.G_directions);
      problem.H_directions.clear(rows.rows.columns());
    }
  }
  // Rows that are positions of the end of the step contain its motion, which no limit may touch.
  const double fastest =
      formula.limits_recovery ? options.joint_recovery_speed : std::numeric_limits<double>::infinity();
  for (int i = 0; i < holonomic; ++i)
    problem.g[i] -= std::clamp(formula.stabilisation / h * rows.violation[i], -fastest, fastest);
}

// (8) of step_formula.hpp; g belongs to rows of the weighted velocity yet.
void pull_back_joints(const StepperOptions& options, StepData& data, Problem& problem) {
  const double rate = options.stabilisation / data.whole_step;
  problem.g.head(data.start_violation.size()) -= rate * data.start_violation;
}

// Joint friction: boxes after the contacts, without force until their bounds are set.
void append_friction(const FrictionRows& friction, Problem& problem) {
  append_rows(friction.rows, problem.Ht);
  problem.cones.resize(problem.cones.size() + friction.constant.size(), Cone{.kind = ConeKind::box});
  problem.w.conservativeResize(problem.Ht.rows());
  problem.w.tail(friction.drift_velocity.size()) = friction.drift_velocity;
}

// Springs and dampers as rows with compliance: c ∇φ∇φᵀ(y − v) of A y = A v + … becomes ∇φᵀ y + λ/c = ∇φᵀ v.
void append_compliant_rows(const BlockRows& rows, const Vector& coefficients, double scale,
                           const VectorRef& v, Problem& problem) {
  for (int i = 0; i < rows.num_groups(); ++i) {
    const double stiffness = scale * coefficients[i];
    if (stiffness <= 0) continue;
    problem.Gt.add_group(rows, i, 1);
    double rate = 0;
    for (int b = 0; b < rows.num_blocks(i); ++b) {
      const auto block = rows.block(i, b);
      rate += block.row(0).dot(v.segment(rows.block_column(i, b), block.cols()));
    }
    const auto n = problem.Gt.rows();
    problem.g.conservativeResize(n);
    problem.C.conservativeResize(n);
    problem.g[n - 1] = rate;
    problem.C[n - 1] = 1.0 / stiffness;
  }
}

// Gyroscopic forces: in A those of all bodies, or of those with joints (step_formula.hpp (6)); p has the forces without A v.
void assemble_gyroscopic(const System& system, const StepFormula& formula, const MatrixChoice& choice,
                         const Phase& phase, double h, StepData& data, Problem& problem) {
  const BlockRows& joints = data.bilateral.rows;
  const bool beforehand = formula.gyroscopic_beforehand || choice.symmetric;
  std::vector<char>& in_matrix = data.gyroscopic_in_matrix;
  in_matrix.assign(static_cast<std::size_t>(phase.v.size()), beforehand ? 0 : 1);
  for (int g = 0; g < joints.num_groups() && beforehand; ++g)
    for (int b = 0; b < joints.num_blocks(g); ++b)
      std::fill_n(in_matrix.begin() + joints.block_column(g, b), joints.block(g, b).cols(), char{1});
  data.impulse = problem.p / formula.sigma;
  const bool exact = formula.implicit_forces && !choice.rank_one;
  system.gyroscopic_step(phase.v, data.impulse, h, formula.alpha, exact, in_matrix, data.gyroscopic);
  problem.p += formula.sigma * data.gyroscopic.impulse;
  if (!choice.gyroscopic) return;
  problem.A.add(data.gyroscopic.matrix, 1.0);
  problem.symmetric = problem.symmetric && data.gyroscopic.matrix.is_symmetric();
}

}  // namespace

double update_friction_bounds(const StepFormula& formula, double h, const VectorRef& lambda,
                              const StepData& data, Problem& problem, double& largest,
                              const Vector* impulses) {
  double change = 0;
  largest = 0;
  const FrictionRows& friction = data.friction;
  for (std::size_t i = 0; i < friction.constant.size(); ++i) {
    // λ of the problem is σ times the impulse of the step, and so is the friction in it.
    const double force = lambda.segment(friction.first_force[i], friction.num_forces[i]).norm();
    const double bound = formula.sigma * h * friction.constant[i] + friction.coefficient[i] * force;
    const int c = data.num_contacts + static_cast<int>(i);
    Cone& cone = problem.cones[static_cast<std::size_t>(c)];
    const bool reached = impulses == nullptr || !(std::abs((*impulses)[problem.Ht.first_row(c)]) <
                                                  (1 - k_reached) * std::min(bound, cone.bound));
    if (reached) {
      change = std::max(change, std::abs(bound - cone.bound));
      largest = std::max(largest, bound);
    }
    cone.bound = bound;
  }
  return change;
}

namespace {

// The configuration at t + s τ on the way q ⊞ τ v.
void configure_along(const System& system, const PhasePoint& begin, double t, double tau, StepData& data,
                     Configuration& out) {
  data.w = tau * begin.phase.v;
  system.retract(begin.phase.q, data.w, data.q);
  system.configure(t, data.q, out);
}

// −Σ γ_i ∇φ_i ∇φ_iᵀ v of the springs, and the rest of k_q v unless the right side leaves it out.
void evaluate_stiffness_product(const ForceJacobians& J, bool rank_one_only, const VectorRef& v,
                                Vector& out) {
  for (int i = 0; i < J.spring_rows.num_groups(); ++i) {
    double rate = 0;
    for (int b = 0; b < J.spring_rows.num_blocks(i); ++b) {
      const auto block = J.spring_rows.block(i, b);
      rate += block.row(0).dot(v.segment(J.spring_rows.block_column(i, b), block.cols()));
    }
    for (int b = 0; b < J.spring_rows.num_blocks(i); ++b) {
      const auto block = J.spring_rows.block(i, b);
      out.segment(J.spring_rows.block_column(i, b), block.cols()) -=
          (J.spring_stiffness[i] * rate) * block.row(0).transpose();
    }
  }
  if (rank_one_only) return;
  J.k_q.add_product(v, out);
  J.k_q_remainder.add_product(v, out);
}

// (2): the step matrix.
void assemble_matrix(const StepFormula& formula, const StepperOptions& options, bool rank_one, double h,
                     const VectorRef& v, const StepData& data, Problem& problem) {
  const double alpha = formula.alpha, gamma = formula.gamma;
  problem.A.clear(static_cast<int>(v.size()));
  problem.A.add(*data.M, 1.0);
  problem.symmetric = true;
  if (!formula.implicit_forces) return;
  const ForceJacobians& J = data.jacobians;
  const double damping = alpha * h * formula.force_share;
  const double stiffness = damping * h * (formula.staggered ? formula.stiffness : gamma);
  if (!rank_one) {
    problem.A.add(J.k_v, -damping);
    problem.A.add(J.k_q, -stiffness);
    problem.A.add(J.k_q_remainder, -stiffness);
    problem.symmetric = J.symmetric;
  }
  if (options.springs_as_rows) {
    append_compliant_rows(J.spring_rows, J.spring_stiffness, stiffness, v, problem);
    append_compliant_rows(J.damper_rows, J.damper_damping, damping, v, problem);
    if (problem.separate_directions)
      for (int g = problem.G_directions.num_groups(); g < problem.Gt.num_groups(); ++g)
        problem.G_directions.add_group(problem.Gt, g, 1);
    return;
  }
  for (int i = 0; i < J.spring_rows.num_groups(); ++i)
    add_rank_one(J.spring_rows, i, stiffness * J.spring_stiffness[i], problem.A);
  for (int i = 0; i < J.damper_rows.num_groups(); ++i)
    add_rank_one(J.damper_rows, i, damping * J.damper_damping[i], problem.A);
}

}  // namespace

void evaluate_step(const System& system, const StepFormula& formula, const StepperOptions& options,
                   const PhasePoint& begin, const ContactSet& contacts, double h, StepData& data) {
  const auto& [t, q, v] = begin.phase;
  const double t_rows = t + h * fraction(formula.rows), t_directions = t + h * fraction(formula.directions);
  configure_along(system, begin, formula.end_time ? t + h : t_rows, h * fraction(formula.rows), data,
                  data.at_rows);
  system.bilateral(data.at_rows, data.bilateral);
  // Joint friction follows the rows of the middle, also where joints are taken at the end.
  if (formula.end_time) {
    system.configure(t_directions, data.at_rows.q, data.at_directions);
    if (formula.stabilisation != 0) system.bilateral(data.at_directions, data.bilateral_directions);
    system.friction_rows(data.at_directions, data.friction);
  } else {
    system.friction_rows(data.at_rows, data.friction);
  }
  data.contacts_at_start = formula.contacts_at_start;
  if (formula.contacts_at_start)
    data.start_rows = contacts.rows;
  else
    system.evaluate_contacts(contacts.ids, data.at_rows, data.contacts);
  if (formula.directions != formula.rows) {
    configure_along(system, begin, t_directions, h * fraction(formula.directions), data, data.at_directions);
    system.bilateral(data.at_directions, data.bilateral_directions);
    system.evaluate_contacts(contacts.ids, data.at_directions, data.contact_directions);
    if (data.friction.rows.num_groups() > 0)
      system.friction_rows(data.at_directions, data.friction_directions);
  }
  data.M = system.constant_mass();
  if (data.M == nullptr && formula.mean_mass) {
    configure_along(system, begin, t + h, h, data, data.at_mass);
    system.mass(begin.at, data.M_memory);
    system.mass(data.at_mass, data.M_end);
    data.M_mean.clear(system.nv());
    data.M_mean.add(data.M_memory, 0.5);
    data.M_mean.add(data.M_end, 0.5);
    data.M = &data.M_mean;
  } else if (data.M == nullptr) {
    configure_along(system, begin, t + h * fraction(formula.mass), h * fraction(formula.mass), data,
                    data.at_mass);
    system.mass(data.at_mass, data.M_memory);
    data.M = &data.M_memory;
  }
  if (options.stabilisation > 0) {
    data.start_violation = begin.joints.violation.head(begin.joints.num_holonomic);
    data.start_gaps = contacts.gaps;
  }
  data.kqv.setZero(system.nv());
  if (formula.forces != DataPoint::start) {
    const double tau = h * fraction(formula.forces);
    configure_along(system, begin, t + tau, tau, data, data.at_forces);
    system.forces(data.at_forces, v, data.k0);
    data.k1 = data.k0;
    return;
  }
  system.forces(begin.at, v, data.k0);
  const bool same = formula.staggered || !system.depends_on_time();
  if (!same) system.configure(t + h, q, data.at_end_time);
  const Configuration& at_end_time = same ? begin.at : data.at_end_time;
  if (same)
    data.k1 = data.k0;
  else
    system.forces(at_end_time, v, data.k1);
  if (!formula.implicit_forces) return;
  system.force_jacobians(at_end_time, v, data.jacobians);
  if (formula.staggered) return;
  evaluate_stiffness_product(data.jacobians, options.rank_one_right_side, v, data.kqv);
}

void assemble_step(const System& system, const StepFormula& formula, const StepperOptions& options,
                   const MatrixChoice& choice, const PhasePoint& begin, double h,
                   std::span<const ContactMode> modes, const VectorRef& slip_hint, StepData& data,
                   Problem& problem) {
  const Vector& v = begin.phase.v;
  const double alpha = formula.alpha, sigma = formula.sigma;
  assemble_constraints(options, data.bilateral, data.contact_rows(), modes, slip_hint, data, problem);
  if (options.stabilisation > 0 && data.whole_step > 0) pull_back_joints(options, data, problem);
  if (formula.joint_sigma != 1.0 && data.num_joint_rows > 0) {
    // (5), written for v⁺.
    data.bilateral.rows.multiply(VectorRef(v), data.u);
    problem.g = (problem.g - (1.0 - formula.joint_sigma) * data.u) / formula.joint_sigma;
  }
  if (formula.stabilisation != 0) stabilise_joints(formula, options, begin.phase, h, data, problem);
  if (formula.directions != formula.rows) {
    problem.separate_directions = true;
    problem.G_directions.clear(system.nv());
    append_rows(data.bilateral_directions.rows, problem.G_directions);
    copy_contact_rows(data.contact_directions.rows, problem.cones, system.nv(), problem.H_directions);
  }
  if (data.friction.rows.num_groups() > 0) {
    if (problem.separate_directions)
      append_rows((formula.directions != formula.rows ? data.friction_directions : data.friction).rows,
                  problem.H_directions);
    append_friction(data.friction, problem);
  }
  assemble_matrix(formula, options, choice.rank_one, h, v, data, problem);
  // (1): the forces.
  const double acting = formula.force_share * h;
  problem.p = (sigma * acting) * ((1.0 - alpha) * data.k0 + alpha * (data.k1 + h * data.kqv));
  assemble_gyroscopic(system, formula, choice, begin.phase, acting, data, problem);
  problem.A.add_product(v, problem.p);
}

void evaluate_predicted_step(const StepPrediction& prediction, StepData& data) {
  data.bilateral = prediction.joints;
  data.friction = prediction.friction;
  data.contacts_at_start = true;
  data.start_rows = prediction.contacts.rows;
  data.jacobians = prediction.jacobians;
}

void assemble_predicted_step(const StepperOptions& options, const MatrixChoice& choice,
                             const StepPrediction& prediction, std::span<const ContactMode> modes,
                             const VectorRef& slip_hint, StepData& data, Problem& problem) {
  assemble_constraints(options, data.bilateral, data.contact_rows(), modes, slip_hint, data, problem);
  data.bilateral.rows.multiply(VectorRef(prediction.v), problem.g);
  copy_contact_vector(data.contact_rows(), problem.cones, prediction.turning, problem.Ht, data.bias);
  problem.w += data.bias;
  if (data.friction.rows.num_groups() > 0) append_friction(data.friction, problem);
  problem.A.clear(static_cast<int>(prediction.v.size()));
  problem.A.add(prediction.M, 1.0);
  problem.symmetric = true;
  const ForceJacobians& J = data.jacobians;
  for (int i = 0; i < J.spring_rows.num_groups(); ++i)
    add_rank_one(J.spring_rows, i, prediction.c_q * J.spring_stiffness[i], problem.A);
  for (int i = 0; i < J.damper_rows.num_groups(); ++i)
    add_rank_one(J.damper_rows, i, prediction.c_v * J.damper_damping[i], problem.A);
  if (!choice.rank_one) {
    problem.A.add(J.k_v, -prediction.c_v);
    problem.A.add(J.k_q, -prediction.c_q);
    problem.A.add(J.k_q_remainder, -prediction.c_q);
    problem.symmetric = J.symmetric;
  }
  problem.p = -prediction.impulse;
  problem.A.add_product(prediction.v, problem.p);
}

void assemble_impact(const System& system, const StepperOptions& options, const PhasePoint& point,
                     const ContactSet& contacts, std::span<const ContactMode> modes, StepData& data,
                     Problem& problem) {
  const Vector& v = point.phase.v;
  assemble_constraints(options, point.joints, contacts.rows, modes, v, data, problem);
  data.M = &system.mass_at(point.at, data.M_memory);
  problem.A.clear(system.nv());
  problem.A.add(*data.M, 1.0);
  problem.symmetric = true;
  problem.p.setZero(system.nv());
  problem.A.add_product(v, problem.p);
}

void assemble_acceleration(const System& system, const StepperOptions& options, const PhasePoint& point,
                           const ContactSet& contacts, std::span<const ContactMode> modes, double slip_speed,
                           StepData& data, Problem& problem) {
  const Vector& v = point.phase.v;
  const ContactRows& contact_rows = contacts.rows;
  assemble_impact(system, options, point, contacts, modes, data, problem);
  system.forces(point.at, v, data.k0);
  problem.p = data.k0;
  system.bilateral_bias(point.at, v, data.joint_bias);
  problem.g = -data.joint_bias;
  system.contact_bias(contacts, point.at, v, data.bias);
  copy_contact_vector(contact_rows, problem.cones, data.bias, problem.Ht, problem.w);

  // A sliding contact pushes along n − Σ μ_i D_i s_i with the slips s_i of its parts, whose motion is free.
  data.u = contacts.u;
  bool any = false;
  std::vector<HeldParts>& sliding = data.sliding;
  sliding.assign(problem.cones.size(), 0);
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const int first = contact_rows.rows.first_row(c);
    for (const FrictionPart& part : mode_parts(problem.cones[c]))
      if (part.coefficient > 0 && data.u.segment(first + part.first, part.size).norm() > slip_speed)
        sliding[c] |= held_part(part.kind);
    any = any || sliding[c] != 0;
  }
  if (!any) return;
  problem.separate_directions = true;
  problem.G_directions = problem.Gt;
  problem.H_directions.clear(system.nv());
  problem.Ht.clear(system.nv());
  Vector w(data.bias.size());
  int rows = 0;
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const Cone cone = problem.cones[c];
    const int first = contact_rows.rows.first_row(c);
    const FrictionParts parts = mode_parts(cone);
    const auto slides = [&](const FrictionPart& part) { return (sliding[c] & held_part(part.kind)) != 0; };
    if (std::all_of(parts.begin(), parts.end(),
                    [&](const FrictionPart& part) { return slides(part) || part.coefficient == 0; }))
      problem.cones[c] = {};
    for (const FrictionPart& part : parts)
      if (slides(part)) remove_friction(part.kind, problem.cones[c]);
    const int dim = problem.cones[c].dim;
    problem.Ht.add_group(contact_rows.rows, c, dim);
    const int group = problem.H_directions.add_group(contact_rows.rows, c, dim);
    for (const FrictionPart& part : parts) {
      if (!slides(part)) continue;
      const auto u = data.u.segment(first + part.first, part.size);
      const double scale = part.coefficient / u.norm();
      for (int b = 0; b < contact_rows.rows.num_blocks(c); ++b) {
        const auto block = contact_rows.rows.block(c, b);
        problem.H_directions.block(group, b).row(0) -=
            scale * u.transpose() * block.middleRows(part.first, part.size);
      }
    }
    w.segment(rows, dim) = data.bias.segment(first, dim);
    rows += dim;
  }
  problem.w = w.head(rows);
}

}  // namespace delassus
