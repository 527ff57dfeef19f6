// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dae/dae_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Round-off of a sum of a few terms.
constexpr double k_round_off = 4 * std::numeric_limits<double>::epsilon();
constexpr double k_tiny = std::numeric_limits<double>::min();

double mass_norm(const BlockMatrix& M, const VectorRef& x) {
  return std::sqrt(2.0 * kinetic_energy(M, x));
}

}  // namespace

double round_off_norm(const BlockMatrix& M, double extent, double force) {
  double trace = 0, smallest = std::numeric_limits<double>::infinity();
  for (int b = 0; b < M.num_blocks(); ++b) {
    if (M.block_row(b) != M.block_column(b)) continue;
    const auto diagonal = M.block(b).diagonal();
    trace += diagonal.sum();
    smallest = std::min(smallest, diagonal.minCoeff());
  }
  if (!(smallest > 0)) smallest = trace / std::max(M.size(), 1);
  return k_round_off * (std::sqrt(trace) * extent + force * std::sqrt(M.size() / std::max(smallest, k_tiny)));
}

bool add_force_derivatives(const ForceJacobians& J, DerivativeLevel level, double c_v, double c_q,
                           BlockMatrix& A) {
  for (int i = 0; i < J.spring_rows.num_groups(); ++i)
    add_rank_one(J.spring_rows, i, c_q * J.spring_stiffness[i], A);
  for (int i = 0; i < J.damper_rows.num_groups(); ++i)
    add_rank_one(J.damper_rows, i, c_v * J.damper_damping[i], A);
  if (level == DerivativeLevel::rank_one) return true;
  A.add(J.gyroscopic, -c_v);
  A.add(J.k_v, -c_v);
  A.add(J.k_q, -c_q);
  A.add(J.k_q_remainder, -c_q);
  return J.symmetric && J.gyroscopic.is_symmetric();
}

void DaeEquations::begin(const System& system, const Phase& phase, const AccelerationMemory& memory, double h,
                         Vector& x, Vector& lambda, const Vector* jump) {
  system_ = &system;
  jump_ = jump;
  phase_ = &phase;
  memory_ = &memory;
  h_ = h;
  const double ratio = (1 - formula_.alpha_f) / (1 - formula_.alpha_m);
  c_ = formula_.beta * h * h * ratio;
  c_v_ = formula_.gamma * h * ratio;
  switch (options_.dae.unknowns) {
    case DaeOptions::Unknowns::acceleration:
      x = memory.a;
      break;
    case DaeOptions::Unknowns::velocity:
      x = (-(1 - formula_.gamma) / formula_.gamma) * memory.a;
      break;
    case DaeOptions::Unknowns::position:
      x = (-formula_.beta_old / formula_.beta) * memory.a;
      break;
  }
  lambda = c_ * memory.joint_forces;
}

bool DaeEquations::evaluate(const VectorRef& x, const VectorRef& lambda) {
  const DaeFormula& f = formula_;
  const Vector& a = memory_->a;
  x_ = x;
  Lambda_ = lambda;
  Phase& end = end_.phase;
  end.t = phase_->t + h_;
  end.v = phase_->v + h_ * ((1 - f.gamma) * a + f.gamma * x);
  w_ = h_ * phase_->v + (h_ * h_) * (f.beta_old * a + f.beta * x);
  if (jump_ != nullptr) {
    end.v += *jump_;
    w_ += 0.5 * h_ * *jump_;
  }
  system_->retract(phase_->q, w_, end.q);
  rate_ = ((1 - f.alpha_m) * x + f.alpha_m * a - f.alpha_f * memory_->rate) / (1 - f.alpha_f);
  if (!end.q.allFinite() || !end.v.allFinite() || !Lambda_.allFinite()) return false;
  end_.place(*system_);
  const BilateralRows& joints = end_.joints;
  system_->mass(end_.at, M);
  system_->forces(end_.at, end.v, k_);
  // (1)
  F = -c_ * k_;
  part_.setZero(F.size());
  M.add_product(rate_, part_, c_);
  largest_term = std::max(max_abs(F), max_abs(part_));
  F += part_;
  part_.setZero();
  joints.rows.add_transposed_product(lambda, part_);
  largest_term = std::max(largest_term, max_abs(part_));
  F -= part_;
  R = joints.violation;
  const Eigen::Index pfaffian = R.size() - joints.num_holonomic;
  if (pfaffian > 0) {
    joints.rows.multiply(VectorRef(end.v), joint_velocity_);
    R.tail(pfaffian) = (f.beta * h_ / f.gamma) * (joint_velocity_ - joints.target).tail(pfaffian);
  }
  return F.allFinite() && R.allFinite();
}

void DaeEquations::assemble(DerivativeLevel level) {
  A.clear(system_->nv());
  A.add(M, 1.0);
  symmetric = true;
  if (level == DerivativeLevel::none) return;
  system_->force_jacobians(end_.at, end_.phase.v, jacobians_);
  symmetric = add_force_derivatives(jacobians_, level, c_v_, c_, A);
  if (level != DerivativeLevel::curvature) return;
  const int blocks = A.num_blocks();
  system_->add_bilateral_stiffness(end_.at, Lambda_, -1.0, A);
  system_->add_inertia_stiffness(end_.at, rate_, c_, A);
  // Derivatives of forces along a retraction are symmetric in special cases only.
  symmetric = symmetric && A.num_blocks() == blocks;
}

void DaeEquations::correct(const VectorRef& z, double s, Vector& x) {
  // (3); w_ may belong to another iterate of the line search, which changes the correction by O(‖z‖²).
  system_->rate_from_velocity(w_, z, delta_w_);
  x += (s / (formula_.beta * h_ * h_)) * delta_w_;
}

double DaeEquations::negligible() const {
  const double tolerance = options_.dae.tolerance, beta = formula_.beta;
  double scale = 0;
  switch (options_.dae.unknowns) {
    case DaeOptions::Unknowns::acceleration:
      scale = beta * h_ * h_ * std::max(mass_norm(M, x_), mass_norm(M, memory_->a));
      break;
    case DaeOptions::Unknowns::velocity:
      scale = beta * h_ / formula_.gamma * std::max(mass_norm(M, end_.phase.v), mass_norm(M, phase_->v));
      break;
    case DaeOptions::Unknowns::position:
      scale = mass_norm(M, w_);
      break;
  }
  return std::max(tolerance * scale, round_off_norm(M, extent(), largest_term));
}

double DaeEquations::extent() const {
  // Of a stiff motion q⁺ is a small difference of large displacements.
  return 1.0 +
         std::max({largest_coordinate(*system_, end_.phase.q), h_ * max_abs(phase_->v),
                   h_ * h_ * std::max(formula_.beta * max_abs(x_), formula_.beta_old * max_abs(memory_->a))});
}

}  // namespace delassus
