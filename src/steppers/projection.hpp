// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Corrections of least kinetic energy that put a phase back onto its constraints:
//
//   positions:   q ← q ⊞ δ,  min ½ δᵀ M δ  with  Θ(q ⊞ δ) = 0,  Φ_j(q ⊞ δ) = 0 for closed contacts (Newton); where that
//                leads nowhere, as it may where light bodies are wedged between heavy ones, with all bodies equally heavy
//   velocities:  v ← v + δ,  min ½ δᵀ M δ  with  Gᵀ v = target,  u_N = 0, and u_i = 0 for the parts of the
//                friction that stick
//
// A scheme of order p leaves violations of O(h^{p+1}) in positions a step, so the corrections are of that size and keep
// the order. Those of velocities may be larger: where a surface is curved, part of the normal impulse of a step is left to
// them (O(h²) by trapezoidal-2, O(h) by rows at q). They are along the joints and normals, where it does not matter who
// brings the impulse, unless the contact slips: friction goes with its normal impulse, so that the correction is along
//
//   n + Σ_k (r_k/r_N) t_k     with the impulses r of the step, over the rows of the parts that slip                    (1)
//
// Mechanisms are corrected by blocks (linalg/block_kkt.hpp), bodies that no row ties to each other each on their own
// (problems/part_factors.hpp). Where contacts are many, rows
// beside velocities, they are met in the space of the velocities (linalg/least_correction.hpp).
#pragma once
#include <array>
#include <span>

#include "delassus/linalg/block_kkt.hpp"
#include "delassus/linalg/least_correction.hpp"
#include "delassus/linalg/row_correction.hpp"
#include "delassus/problems/part_factors.hpp"
#include "delassus/steppers/assemble.hpp"

namespace delassus {

// r_k/r_N of (1) for the rows of a contact; 0 for those that stick or carry nothing.
using FrictionRatios = std::array<double, k_max_cone_dim>;
FrictionRatios friction_ratios(const ContactMemory& memory);

class Projector {
 public:
  // Puts `point` onto its joints and the contacts `closed`, a set at the point, onto zero gap; both are those of the new
  // position then. False when the constraints cannot be met (singular or contradictory configuration); nothing is
  // changed then.
  bool project_position(const System& system, ContactSet& closed, PhasePoint& point);
  // Whether positions that are off their joints can be put back; violations too small to matter are not tried. Otherwise
  // the joint row that is violated most: beyond a dead point, say, no position is on all joints.
  bool joints_can_be_met(const System& system, const PhasePoint& point, int& worst_row);
  // `held` is parallel to `closed`: the parts of the friction that stick; `held_friction` are the friction rows of joints
  // that stick. With joints_and_normals false only the rows of these parts are changed, and the other rows keep the
  // velocity they have. `ratios`, parallel to `closed` or none: directions (1). `step_speed`: size of the velocities in
  // the step [m/s]; rows that are off by the round-off of it are corrected to that round-off, without a factorisation.
  bool project_velocity(const System& system, const ContactSet& closed, std::span<const HeldParts> held,
                        bool joints_and_normals, PhasePoint& point, std::span<const int> held_friction = {},
                        std::span<const FrictionRatios> ratios = {}, double step_speed = 0);
  // Joints only.
  bool project_position(const System& system, Phase& phase);
  bool project_velocity(const System& system, Phase& phase);
  // Joints only, by impulses as they act in a step, A δ = G λ with its matrix and directions: what a scheme whose own
  // impulses are off by O(h) needs to keep its order.
  bool project_velocity_along(const Problem& step, PhasePoint& point);
  // What the last projection of velocities applied: joint rows first, then those of the contacts [N·s].
  const Vector& impulses() const { return lambda_; }
  // The part of its work that prescribed motions of rows brought, λᵀ (velocity of the rows) [J].
  double driven_work() const { return lambda_.size() == u_.size() ? lambda_.dot(u_ + rhs_) : 0.0; }

 private:
  bool find_position(const System& system, bool leveled, ContactSet& closed, PhasePoint& point);
  void add_held_rows(const ContactRows& contacts, int contact, HeldParts held);
  void tilt_normals(const ContactRows& contacts, int first_group, std::span<const FrictionRatios> ratios);
  bool correct_velocity(const BlockMatrix& A, bool symmetric, const BlockRows* directions, int joint_rows,
                        Phase& phase, double step_speed = 0);

  // Of positions and velocities there is one each, since contacts have other rows in them.
  struct Mechanism {
    BlockKkt factor;
    Vector no_compliance, lambda;
  };
  // δ and the λ of the mechanism with A δ = D λ, R δ = b by blocks, where most rows are those of `joint_rows` joints; false: it does not serve here.
  bool correct_mechanism(Mechanism& mechanism, const BlockMatrix& A, const BlockRows* directions,
                         int joint_rows, const Vector& b, KktAccuracy accuracy);
  bool are_many(const BlockMatrix& A) const;
  // δ and λ with A δ = D λ, R δ = b, where rows are many; false: they are few, or it does not serve here.
  bool correct_many(const BlockMatrix& A, bool symmetric, const BlockRows* directions, const Vector& b,
                    double tolerance);
  // Factors of the rows and what they act on: A δ = D λ, R δ = rhs.
  bool factorize(const BlockMatrix& A, bool symmetric, const BlockRows* directions);

  BlockMatrix M_;
  FrictionRows friction_;
  BlockRows rows_, directions_;
  std::vector<int> held_rows_;  // of the contacts, one a row after the joints
  Problem saddle_point_;
  Parts parts_;
  PartFactors factors_;
  RowCorrection correction_;
  Mechanism positions_, velocities_;
  LeastCorrection many_;
  PhasePoint probe_, iterate_;
  ContactSet none_;
  Vector begin_q_, gap_rhs_, rhs_, u_, delta_, lambda_, zero_, before_, tilted_v_, tilted_lambda_;
};

}  // namespace delassus
