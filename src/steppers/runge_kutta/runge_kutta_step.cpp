// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/runge_kutta/runge_kutta_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/work_counts.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// Newton's method of the stages: corrections at most; what is left of a correction that counts as none, of the largest velocity;
// where round-off is enough; the contraction above which stiff forces are taken into the matrix [-].
constexpr int k_max_corrections = 40;
// Corrections that are no shorter than this part of the one before: how many in a row are the end [-].
constexpr double k_stalls = 0.9;
constexpr int k_most_stalled = 5;
constexpr double k_converged = 1e-15, k_round_off = 1e-12, k_slow = 0.4;
// The contraction above which the derivatives of friction across slips are taken anew [-].
constexpr double k_outdated = 0.1;
// Slips that begin: speeds below which they hardly turn, as a part of what forces do in the step, at first and from one solution to the next [-].
constexpr double k_first_blur = 0.1, k_less_blur = 0.1;
constexpr int k_blurs = 8;
// Corrections that may turn slips that begin, before they have to become shorter [-].
constexpr int k_most_turns = 6;
// A correction that grows by more than this does not come back; one below that part of the largest velocity may grow for a while where
// forces are shared in many ways, since their shares have to settle first [-].
constexpr double k_diverges = 2, k_small = 1e-8;

// matrix(i-th diagonal place …) += scale · other at the stages (row, column).
void add_block_of_stages(const BlockMatrix& other, int row, int column, double scale, BlockMatrix& out) {
  const int n = other.size();
  for (int b = 0; b < other.num_blocks(); ++b) {
    const auto from = other.block(b);
    out.add_block(row * n + other.block_row(b), column * n + other.block_column(b),
                  static_cast<int>(from.rows()), static_cast<int>(from.cols())) = scale * from;
  }
}

void add_rows_of_stage(const BlockRows& other, int stage, BlockRows& out) {
  for (int g = 0; g < other.num_groups(); ++g) {
    out.add_group(other.group_rows(g));
    for (int b = 0; b < other.num_blocks(g); ++b) {
      const auto from = other.block(g, b);
      out.add_block(stage * other.columns() + other.block_column(g, b), static_cast<int>(from.cols())) = from;
    }
  }
}

// What forces change velocities by in h, each on its own: the scale of round-off of a motion at rest [m/s].
double force_speed(const MotionPoint& at, double h) {
  double largest = 0;
  for (int b = 0; b < at.M->num_blocks(); ++b) {
    if (at.M->block_row(b) != at.M->block_column(b)) continue;
    const auto block = at.M->block(b);
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      largest = std::max(largest, std::abs(at.k[at.M->block_row(b) + i]) / block(i, i));
  }
  return h * largest;
}

}  // namespace

bool RungeKuttaStep::take(ConstrainedMotion& motion, const MotionPoint& begin, double h,
                          ForceDerivatives derivatives, bool slips_grow, Phase& end) {
  const int s = tableau_.num_stages();
  const auto nv = begin.point.phase.v.size();
  h_ = h;
  first_ = tableau_.starts_at_beginning() ? 1 : 0;
  shares_move_ = begin.shares_move();
  iterations_ = evaluations_ = 0;
  residual_ = largest_term_ = 0;
  failure = "";
  W_.setZero(nv, s);
  V_.resize(nv, s);
  W_rate_.resize(nv, s);
  V_rate_.resize(nv, s);
  W_rate_.colwise() = begin.point.phase.v;
  V_rate_.colwise() = begin.rate;
  forces_.resize(begin.forces.size(), s);
  forces_.colwise() = begin.forces;
  bool ok = false;
  if (tableau_.is_explicit) {
    ok = take_explicit(motion, begin);
  } else {
    ok = take_implicit(motion, begin, false);
    if (!ok && has_derivatives(motion, begin, derivatives)) {
      ok = take_implicit(motion, begin, true);
      if (!ok && has_slips_ && slips_grow) ok = take_beginning_slips(motion, begin);
    }
  }
  if (!ok) {
    if (*failure == '\0') failure = "Newton's method for the stages of the step does not converge";
    return false;
  }
  find_end(motion.system(), begin, end);
  if (end.q.allFinite() && end.v.allFinite()) return true;
  failure = "the step gave numbers that are not finite";
  return false;
}

void RungeKuttaStep::move_stage(const System& system, const MotionPoint& begin, int i) {
  const Phase& from = begin.point.phase;
  Phase& to = stages_[static_cast<std::size_t>(i)].point.phase;
  to.t = from.t + tableau_.c[i] * h_;
  column_ = W_.col(i);
  system.retract(from.q, column_, to.q);
  to.v = V_.col(i);
  ++evaluations_;
}

bool RungeKuttaStep::take_explicit(ConstrainedMotion& motion, const MotionPoint& begin) {
  const System& system = motion.system();
  V_.col(0) = begin.point.phase.v;
  for (int i = first_; i < tableau_.num_stages(); ++i) {
    const auto weights = tableau_.a.row(i).head(i).transpose();
    W_.col(i) = h_ * (W_rate_.leftCols(i) * weights);
    V_.col(i) = begin.point.phase.v + h_ * (V_rate_.leftCols(i) * weights);
    if (!V_.col(i).allFinite() || !W_.col(i).allFinite()) {
      failure = "the step gave numbers that are not finite";
      return false;
    }
    MotionPoint& at = stages_[static_cast<std::size_t>(i)];
    move_stage(system, begin, i);
    motion.place(at);
    if (!motion.solve(at)) {
      failure = "the accelerations of a stage are not finite, or the mass matrix is not positive definite";
      return false;
    }
    V_rate_.col(i) = at.rate;
    column_ = W_.col(i);
    system.rate_from_velocity(column_, at.point.phase.v, rate_);
    W_rate_.col(i) = rate_;
  }
  return true;
}

// (1) and the first of (2) for the present V'; the rates of W follow W itself.
void RungeKuttaStep::update_rates(const System& system, const MotionPoint& begin) {
  constexpr int sweeps = 3;
  for (int i = first_; i < tableau_.num_stages(); ++i)
    V_.col(i) = begin.point.phase.v + h_ * (V_rate_ * tableau_.a.row(i).transpose());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = first_; i < tableau_.num_stages(); ++i)
      W_.col(i) = h_ * (W_rate_ * tableau_.a.row(i).transpose());
    for (int i = first_; i < tableau_.num_stages(); ++i) {
      column_ = W_.col(i);
      p_ = V_.col(i);
      system.rate_from_velocity(column_, p_, rate_);
      W_rate_.col(i) = rate_;
    }
  }
}

bool RungeKuttaStep::has_derivatives(const ConstrainedMotion& motion, const MotionPoint& begin,
                                     ForceDerivatives derivatives) {
  if (derivatives == ForceDerivatives::none) return false;
  const PhasePoint& at = begin.point;
  motion.system().force_jacobians(at.at, at.phase.v, jacobians_);
  k_q_.clear(static_cast<int>(at.phase.v.size()));
  k_v_.clear(k_q_.size());
  for (int i = 0; i < jacobians_.spring_rows.num_groups(); ++i)
    add_rank_one(jacobians_.spring_rows, i, -jacobians_.spring_stiffness[i], k_q_);
  for (int i = 0; i < jacobians_.damper_rows.num_groups(); ++i)
    add_rank_one(jacobians_.damper_rows, i, -jacobians_.damper_damping[i], k_v_);
  if (derivatives != ForceDerivatives::rank_one) {
    k_q_.add(jacobians_.k_q, 1);
    k_q_.add(jacobians_.k_q_remainder, 1);
    k_v_.add(jacobians_.k_v, 1);
    k_v_.add(jacobians_.gyroscopic, 1);
  }
  has_slips_ = update_slip_derivatives(motion, begin);
  return has_slips_ || k_q_.num_blocks() + k_v_.num_blocks() > 0;
}

bool RungeKuttaStep::update_slip_derivatives(const ConstrainedMotion& motion, const MotionPoint& begin) {
  k_v_of_stages_.resize(stages_.size());
  bool slips = false;
  for (std::size_t i = static_cast<std::size_t>(first_); i < stages_.size(); ++i) {
    k_v_of_stages_[i] = k_v_;
    if (motion.add_slip_derivatives(stages_[i], begin, k_v_of_stages_[i])) slips = true;
  }
  return slips;
}

void RungeKuttaStep::assemble_coupled(const MotionPoint& begin) {
  const int s = tableau_.num_stages(), n = begin.M->size();
  const Matrix a2 = tableau_.a * tableau_.a;
  A_.clear((s - first_) * n);
  rows_.clear((s - first_) * n);
  directions_.clear((s - first_) * n);
  for (int i = first_; i < s; ++i) {
    add_block_of_stages(*begin.M, i - first_, i - first_, 1, A_);
    const BlockMatrix& k_v = k_v_of_stages_[static_cast<std::size_t>(i)];
    for (int j = first_; j < s; ++j) {
      add_block_of_stages(k_v, i - first_, j - first_, -h_ * tableau_.a(i, j), A_);
      add_block_of_stages(k_q_, i - first_, j - first_, -h_ * h_ * a2(i, j), A_);
    }
    add_rows_of_stage(begin.rows, i - first_, rows_);
    add_rows_of_stage(begin.directions, i - first_, directions_);
  }
}

bool RungeKuttaStep::factorize(const MotionPoint& begin, bool coupled) {
  ++work_counts().factorisations;
  if (!coupled) {
    C_.setZero(begin.rows.rows());
    return kkt_.compute(*begin.M, true, begin.rows, begin.tilted ? &begin.directions : nullptr, C_,
                        tableau_.num_stages());
  }
  assemble_coupled(begin);
  C_.setZero(rows_.rows());
  return kkt_.compute(A_, false, rows_, &directions_, C_);
}

void RungeKuttaStep::residuals(const MotionPoint& at, int i) {
  column_ = V_rate_.col(i);
  p_ = at.k;
  const double forces = max_abs(p_);
  y_.setZero(p_.size());
  at.M->add_product(column_, y_);
  largest_term_ = std::max({largest_term_, forces, max_abs(y_)});
  p_ -= y_;
  x_ = forces_.col(i);
  at.directions.add_transposed_product(x_, p_);
  minus_F_.col(i) = p_;
  at.rows.multiply(VectorRef(column_), g_);
  minus_R_.col(i) = -g_ - at.bias;
}

void RungeKuttaStep::correct(bool coupled) {
  const int s = tableau_.num_stages();
  if (!coupled) {
    for (int i = first_; i < s; ++i) {
      p_ = minus_F_.col(i);
      g_ = minus_R_.col(i);
      kkt_.solve(p_, g_, x_, y_);
      delta_.col(i) = x_;
      phi_.col(i) = y_;
    }
    return;
  }
  const auto n = minus_F_.rows(), m = minus_R_.rows();
  p_.resize(n * (s - first_));
  g_.resize(m * (s - first_));
  for (int i = first_; i < s; ++i) {
    p_.segment((i - first_) * n, n) = minus_F_.col(i);
    g_.segment((i - first_) * m, m) = minus_R_.col(i);
  }
  kkt_.solve(p_, g_, x_, y_);
  for (int i = first_; i < s; ++i) {
    delta_.col(i) = x_.segment((i - first_) * n, n);
    phi_.col(i) = y_.segment((i - first_) * m, m);
  }
}

// From slips that hardly turn to those that do, each solution the beginning of the next.
bool RungeKuttaStep::take_beginning_slips(ConstrainedMotion& motion, const MotionPoint& begin) {
  V_rate_.colwise() = begin.rate;
  W_rate_.colwise() = begin.point.phase.v;
  forces_.colwise() = begin.forces;
  double blur = k_first_blur * force_speed(begin, h_);
  bool ok = true;
  for (int level = 0; ok && level < k_blurs; ++level, blur *= k_less_blur) {
    motion.set_blur(blur);
    ok = take_implicit(motion, begin, true, true);
  }
  motion.set_blur(0);
  return ok && take_implicit(motion, begin, true, true);
}

bool RungeKuttaStep::take_implicit(ConstrainedMotion& motion, const MotionPoint& begin, bool coupled,
                                   bool goes_on) {
  const System& system = motion.system();
  const int s = tableau_.num_stages();
  minus_F_.resize(begin.rate.size(), s);
  minus_R_.resize(begin.rows.rows(), s);
  delta_.setZero(begin.rate.size(), s);
  phi_.setZero(begin.rows.rows(), s);
  if (!goes_on) {
    V_rate_.colwise() = begin.rate;
    W_rate_.colwise() = begin.point.phase.v;
    forces_.colwise() = begin.forces;
  }
  V_.col(0) = begin.point.phase.v;
  if (!factorize(begin, coupled)) return false;
  double last = std::numeric_limits<double>::infinity(), contraction = 0;
  int stalled = 0;
  bool slips = false;
  for (int round = 0; round < k_max_corrections; ++round) {
    update_rates(system, begin);
    largest_term_ = 0;
    for (int i = first_; i < s; ++i) {
      if (!V_.col(i).allFinite() || !W_.col(i).allFinite()) return false;
      move_stage(system, begin, i);
      MotionPoint& at = stages_[static_cast<std::size_t>(i)];
      motion.place(at);
      if (shares_move_) {
        if (!motion.solve(at)) return false;
        forces_.col(i) = at.forces;
      }
      residuals(at, i);
    }
    if (coupled && (round < 2 || contraction > k_outdated)) {
      slips = update_slip_derivatives(motion, begin);
      if (slips && !factorize(begin, coupled)) return false;
    }
    correct(coupled);
    ++iterations_;
    const double size =
        std::max({max_abs(begin.point.phase.v), V_.cwiseAbs().maxCoeff(), force_speed(begin, h_)});
    const double correction = h_ * delta_.rightCols(s - first_).cwiseAbs().maxCoeff();
    if (!std::isfinite(correction)) return false;
    V_rate_.rightCols(s - first_) += delta_.rightCols(s - first_);
    if (!shares_move_) forces_.rightCols(s - first_) += phi_.rightCols(s - first_);
    contraction = correction / last;
    // What the corrections still to come add up to.
    const bool small = correction <= k_converged * size ||
                       (round > 0 && contraction < 1 &&
                        contraction / (1 - contraction) * correction <= k_converged * size) ||
                       (round > 0 && contraction >= 0.5 && correction <= k_round_off * size);
    if (small) {
      update_rates(system, begin);
      // With the forces of the last correction.
      for (int i = first_; i < s; ++i) residuals(stages_[static_cast<std::size_t>(i)], i);
      y_.setZero(begin.rate.size());
      begin.M->add_product(begin.point.phase.v, y_);
      residual_ = h_ * max_abs(minus_F_.rightCols(s - first_).reshaped()) /
                  std::max({max_abs(y_), h_ * largest_term_, 1e-300});
      for (int i = first_; i < s; ++i) {
        MotionPoint& at = stages_[static_cast<std::size_t>(i)];
        at.rate = V_rate_.col(i);
        at.forces = forces_.col(i);
        motion.spread_forces(at);
      }
      return true;
    }
    // At the limit of sticking, say, what the corrections do changes from one to the next.
    stalled = contraction > k_stalls ? stalled + 1 : 0;
    if (stalled > k_most_stalled) return false;
    if (correction > k_small * size) {
      const bool turns = slips && round < k_most_turns;
      if (round > 0 && contraction > k_diverges && !turns) return false;
      if (!coupled && round > 1 && contraction > k_slow) return false;
    }
    last = correction;
  }
  return false;
}

void RungeKuttaStep::find_end(const System& system, const MotionPoint& begin, Phase& end) {
  const Phase& from = begin.point.phase;
  end.t = from.t + h_;
  column_ = h_ * (W_rate_ * tableau_.b);
  system.retract(from.q, column_, end.q);
  end.v = from.v + h_ * (V_rate_ * tableau_.b);
}

void RungeKuttaStep::integrate(const System& system, const MotionPoint& begin, StepIntegrals& out) const {
  out = {};
  out.joint_impulses.setZero(begin.num_joint_rows());
  out.contact_impulses.setZero(begin.contact_forces.size());
  Vector u;
  for (int i = 0; i < tableau_.num_stages(); ++i) {
    const MotionPoint& at = stage(begin, i);
    const PhasePoint& point = at.point;
    const double weight = h_ * tableau_.b[i];
    if (weight == 0) continue;
    if (system.has_nonconservative_forces())
      out.nonconservative += weight * system.nonconservative_power(point.at, point.phase.v);
    const auto lambda = at.forces.head(at.num_joint_rows());
    out.joint_impulses += weight * lambda;
    out.contact_impulses += weight * at.contact_forces;
    point.joints.rows.multiply(VectorRef(point.phase.v), u);
    out.joints += weight * lambda.dot(u);
    out.driven += weight * lambda.dot(point.joints.target);
    const ContactSet& contacts = point.contacts;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const int first = contacts.first_row(c), n = contacts.num_rows(c);
      const auto r = at.contact_forces.segment(first, n);
      const auto drift = contacts.rows.drift_velocity.segment(first, n);
      const Vector v = contacts.u.segment(first, n) - drift;
      out.normal += weight * r[0] * v[0];
      out.driven -= weight * r[0] * drift[0];
      out.friction += weight * r.tail(n - 1).dot(v.tail(n - 1));
    }
  }
}

}  // namespace delassus
