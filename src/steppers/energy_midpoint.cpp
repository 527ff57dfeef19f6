// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/energy_midpoint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/steppers/dae/dae_equations.hpp"
#include "delassus/steppers/dae/implicit_stepper.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// A difference of energies or of Θ below this share of its terms is round-off.
constexpr double k_round_off = 4 * std::numeric_limits<double>::epsilon();
// Largest relative change of v by (5), and of G by (4): beyond it the motion is too small to carry the correction.
constexpr double k_largest_correction = 0.1;

// Unknowns x = v⁺ and Λ = (h/2) λ; corrections z are displacements of q⁺, δv⁺ = (2/h) δw (kkt_newton.hpp).
class MidpointEquations final : public KktEquations {
 public:
  void begin(const System& system, const PhasePoint& point, double h, const Vector& impulses, Vector& x,
             Vector& Lambda) {
    system_ = &system;
    phase_ = &point.phase;
    h_ = h;
    start_ = point.joints;
    kinetic_ = kinetic_energy(system.mass_at(point.at, M_end_), point.phase.v);
    potential_ = system.potential_energy(point.at);
    x = point.phase.v;
    if (impulses.size() == start_.rows.rows())
      Lambda = (0.5 * h) * impulses;
    else
      Lambda.setZero(start_.rows.rows());
  }

  bool evaluate(const VectorRef& x, const VectorRef& Lambda) override {
    const System& system = *system_;
    Lambda_ = Lambda;
    Phase& end = end_.phase;
    end.t = phase_->t + h_;
    end.v = x;
    mean_ = 0.5 * (phase_->v + x);
    change_ = x - phase_->v;
    w_ = h_ * mean_;
    system.retract(phase_->q, w_, end.q);
    half_w_ = 0.5 * w_;
    system.retract(phase_->q, half_w_, q_m_);
    if (!end.q.allFinite() || !x.allFinite() || !Lambda.allFinite()) return false;
    system.configure(phase_->t + 0.5 * h_, q_m_, at_middle_);
    system.mass(at_middle_, M);
    system.forces(at_middle_, mean_, k_);
    system.bilateral(at_middle_, middle_);
    end_.place(system);
    const BilateralRows& at_end = end_.joints;
    Mw_.setZero(w_.size());
    M.add_product(w_, Mw_);
    const double half_h = 0.5 * h_;
    // (2)
    F.setZero(w_.size());
    M.add_product(change_, F, half_h);
    largest_term = std::max(max_abs(F), half_h * h_ * max_abs(k_));
    F -= (half_h * h_) * k_ + (half_h * energy_correction()) * Mw_;
    update_directions();
    part_.setZero(w_.size());
    directions_.add_transposed_product(Lambda, part_);
    largest_term = std::max(largest_term, max_abs(part_));
    F -= part_;
    // (3)
    R = at_end.violation;
    const Eigen::Index pfaffian = R.size() - at_end.num_holonomic;
    if (pfaffian > 0) {
      middle_.rows.multiply(VectorRef(mean_), row_velocity_);
      R.tail(pfaffian) = h_ * (row_velocity_ - middle_.target).tail(pfaffian);
    }
    rows_.clear(system.nv());
    for (int g = 0; g < at_end.rows.num_groups(); ++g)
      rows_.add_group(is_holonomic(g) ? at_end.rows : middle_.rows, g, at_end.rows.group_rows(g));
    return F.allFinite() && R.allFinite();
  }

  void assemble(DerivativeLevel level) override {
    A.clear(system_->nv());
    A.add(M, 1.0);
    symmetric = true;
    if (level == DerivativeLevel::none) return;
    system_->force_jacobians(at_middle_, mean_, jacobians_);
    symmetric = add_force_derivatives(jacobians_, level, 0.5 * h_, 0.25 * h_ * h_, A);
    if (level != DerivativeLevel::curvature) return;
    const int blocks = A.num_blocks();
    // q_m moves by half of what q⁺ does; the derivatives of the small corrections (4), (5) are left out.
    system_->add_bilateral_stiffness(at_middle_, Lambda_, -0.5, A);
    system_->add_inertia_stiffness(at_middle_, change_, 0.25 * h_, A);
    symmetric = symmetric && A.num_blocks() == blocks;
  }

  const BlockRows& rows() const override { return rows_; }
  const BlockRows* directions() const override { return &directions_; }

  void correct(const VectorRef& z, double s, Vector& x) override {
    system_->rate_from_velocity(w_, z, delta_w_);
    x += (2.0 * s / h_) * delta_w_;
  }

  // To round-off, whatever the tolerance: the balance is exact only as far as the equations are solved.
  double negligible() const override { return round_off_norm(M, extent(), largest_term); }

  double extent() const override { return 1.0 + std::max(max_abs(end_.phase.q), max_abs(w_)); }

  // At the last evaluation, which is given away: nothing may be asked afterwards.
  void take_end(PhasePoint& out) { std::swap(out, end_); }
  double applied_power() const { return power_; }  // P [W]
  // λᵀ G_dᵀ v̄ [J]
  double joint_work(const Vector& impulses) {
    directions_.multiply(VectorRef(mean_), row_velocity_);
    return impulses.dot(row_velocity_);
  }

  // λᵀ target: what is left of it where Θ does not change [J]
  double driven_work(const Vector& impulses) const { return impulses.dot(middle_.target); }

 private:
  bool is_holonomic(int group) const { return end_.joints.rows.first_row(group) < end_.joints.num_holonomic; }

  // c of (5)
  double energy_correction() {
    power_ = system_->nonconservative_power(at_middle_, mean_);
    const double kinetic = kinetic_energy(system_->mass_at(end_.at, M_end_), end_.phase.v);
    const double potential = system_->potential_energy(end_.at);
    double work = 0;  // v̄ᵀ M (v⁺ − v)
    part_.setZero(w_.size());
    M.add_product(change_, part_);
    work = mean_.dot(part_);
    const double forces = w_.dot(k_);
    const double missing = h_ * power_ - (potential - potential_) - forces - (kinetic - kinetic_ - work);
    const double size = std::abs(potential) + std::abs(potential_) + kinetic + kinetic_ + std::abs(forces);
    const double motion = w_.dot(Mw_);
    if (std::abs(missing) <= k_round_off * size || !(motion > 0)) return 0;
    const double limit = k_largest_correction / h_;
    return std::clamp(h_ * missing / motion, -limit, limit);
  }

  // G_d of (4)
  void update_directions() {
    const BlockRows& G = middle_.rows;
    directions_.clear(G.columns());
    for (int g = 0; g < G.num_groups(); ++g) {
      directions_.add_group(G.group_rows(g));
      double motion = 0;
      for (int b = 0; b < G.num_blocks(g); ++b) {
        const int column = G.block_column(g, b);
        const Eigen::Index width = G.block(g, b).cols();
        motion += w_.segment(column, width).dot(Mw_.segment(column, width));
      }
      for (int b = 0; b < G.num_blocks(g); ++b) {
        const auto block = G.block(g, b);
        const int column = G.block_column(g, b);
        auto direction = directions_.add_block(column, static_cast<int>(block.cols()));
        direction = block;
        if (!is_holonomic(g) || !(motion > 0)) continue;
        for (int i = 0; i < G.group_rows(g); ++i)
          direction.row(i) +=
              (gradient_defect(g, i) / motion) * Mw_.segment(column, block.cols()).transpose();
      }
    }
  }

  // ΔΘ + h target − Gᵀ w of row i of a group.
  double gradient_defect(int g, int i) const {
    const BlockRows& G = middle_.rows;
    const int row = G.first_row(g) + i;
    double product = 0, terms = 0, gradient = 0;
    for (int b = 0; b < G.num_blocks(g); ++b) {
      const auto block = G.block(g, b);
      for (Eigen::Index j = 0; j < block.cols(); ++j) {
        const double term = block(i, j) * w_[G.block_column(g, b) + j];
        product += term;
        terms += std::abs(term);
        gradient = std::max(gradient, std::abs(block(i, j)));
      }
    }
    const double defect =
        end_.joints.violation[row] - start_.violation[row] + h_ * middle_.target[row] - product;
    if (std::abs(defect) <= k_round_off * gradient * extent()) return 0;
    const double limit = k_largest_correction * terms;
    return std::clamp(defect, -limit, limit);
  }

  const System* system_ = nullptr;
  const Phase* phase_ = nullptr;
  double h_ = 0, kinetic_ = 0, potential_ = 0, power_ = 0;
  PhasePoint end_;
  Configuration at_middle_;
  Vector mean_, change_, w_, half_w_, q_m_, k_, Mw_, part_, row_velocity_, delta_w_, Lambda_;
  BlockMatrix M_end_;
  BilateralRows start_, middle_;
  BlockRows rows_, directions_;
  ForceJacobians jacobians_;
};

class EnergyMidpointStepper final : public ImplicitStepper {
 public:
  explicit EnergyMidpointStepper(const StepperOptions& options)
      : ImplicitStepper("energy-midpoint", options) {}

 private:
  KktEquations& begin(const StepInProgress& step, double h, Vector& x, Vector& Lambda) override {
    // The impulses of the last step are the best guess; they are part of the state.
    equations_.begin(*step.system, step.now, h, step.history.joint_impulses, x, Lambda);
    return equations_;
  }
  void accept(StepInProgress& step, double h, const Vector& /*x*/, const Vector& Lambda) override {
    StepReport& report = *step.report;
    ++report.substeps;
    lambda_ = Lambda / (0.5 * h);
    step.history.energy.nonconservative += h * equations_.applied_power();
    step.history.energy.joints += equations_.joint_work(lambda_);
    step.history.energy.driven += equations_.driven_work(lambda_);
    if (report.joint_impulses.size() != lambda_.size()) report.joint_impulses.setZero(lambda_.size());
    report.joint_impulses += lambda_;
    equations_.take_end(step.now);
    step.history.acceleration = {};
  }

  MidpointEquations equations_;
  Vector lambda_;
};

}  // namespace

std::unique_ptr<Stepper> make_energy_midpoint_stepper(const StepperOptions& options) {
  return std::make_unique<EnergyMidpointStepper>(options);
}

}  // namespace delassus
