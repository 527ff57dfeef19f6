// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// System → Problem: the only place that knows both. Three problems are formed on one system:
//
//   the step           (step_formula.hpp, for the weighted velocity y)
//   the impact         M y − G λ − H r = M v⁻ + P at fixed q: velocities jump, positions do not (Potra et al. 2006, 7.5)
//   the accelerations  M v̇ − G λ − H r = k,  Gᵀ v̇ = −bias,  Hᵀ v̇ + bias: the instantaneous forces
//                      (event functions)
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/problem.hpp"
#include "delassus/steppers/contact_modes.hpp"
#include "delassus/steppers/step_formula.hpp"
#include "delassus/steppers/step_in_progress.hpp"
#include "delassus/steppers/step_prediction.hpp"

namespace delassus {

// What the problem of a step is made of: functions of the beginning, the step size and the contacts alone, evaluated
// once, whatever modes, laws and derivatives are tried. Kept for its memory.
struct StepData {
  Configuration at_rows, at_directions, at_mass, at_forces, at_end_time;
  BilateralRows bilateral, bilateral_directions;
  ContactSet contacts, contact_directions;  // where the formula takes rows and directions
  bool contacts_at_start = false;
  ContactRows start_rows;  // instead of `contacts`: as they were found
  const ContactRows& contact_rows() const { return contacts_at_start ? start_rows : contacts.rows; }
  FrictionRows friction, friction_directions;
  ForceJacobians jacobians;
  const BlockMatrix* M = nullptr;  // of the system where it is constant, otherwise one of these
  BlockMatrix M_memory, M_end, M_mean;
  // Stabilisation: Θ of the joints and Φ of the contacts at the beginning, and the whole step H of (8); not used where H is 0.
  double whole_step = 0;
  Vector start_violation, start_gaps;
  Vector k0, k1, kqv;  // forces at both ends of the step, k_q v
  // Scratch of the assembly.
  Vector q, w, u, joint_bias, bias, impulse;
  std::vector<char> gyroscopic_in_matrix;  // one a velocity
  GyroscopicStep gyroscopic;
  std::vector<HeldParts> sliding;  // the parts of each contact that assemble_acceleration found sliding
  int num_joint_rows = 0;          // rows of G that are joints; the compliant spring rows follow
  // The cones after those of the contacts are boxes: one a row of `friction`, whose bounds follow from the joint forces
  // (update_friction_bounds).
  int num_contacts = 0;
};

// What stands in A beside M.
struct MatrixChoice {
  bool rank_one = false;  // of the derivatives of forces only those that keep A positive definite
  bool symmetric =
      false;  // gyroscopic terms only of bodies with joints, for a solver that needs a symmetric problem
  bool gyroscopic = true;  // false: nor of these; StepData::gyroscopic has what is left out
};

// `contacts`: those that take part, at the beginning.
void evaluate_step(const System& system, const StepFormula& formula, const StepperOptions& options,
                   const PhasePoint& begin, const ContactSet& contacts, double h, StepData& data);
// `slip_hint` (nv): a velocity whose slip directions the polyhedral generators are turned onto, and at which friction that
// depends on the slip speed is taken. `modes`: what is known of the contacts, one each, or empty; a contact that sticks
// has its static friction, one that slips that of its speed, of open ones the speed decides.
void assemble_step(const System& system, const StepFormula& formula, const StepperOptions& options,
                   const MatrixChoice& choice, const PhasePoint& begin, double h,
                   std::span<const ContactMode> modes, const VectorRef& slip_hint, StepData& data,
                   Problem& problem);

// The same two stages of a step that is predicted: its problem is (1) of step_prediction.hpp.
void evaluate_predicted_step(const StepPrediction& prediction, StepData& data);
void assemble_predicted_step(const StepperOptions& options, const MatrixChoice& choice,
                             const StepPrediction& prediction, std::span<const ContactMode> modes,
                             const VectorRef& slip_hint, StepData& data, Problem& problem);

// `contacts`: those that take part, at `point`.
void assemble_impact(const System& system, const StepperOptions& options, const PhasePoint& point,
                     const ContactSet& contacts, std::span<const ContactMode> modes, StepData& data,
                     Problem& problem);

// Contacts whose slip speed exceeds `slip_speed` slide: their friction has the fixed direction of the slip; so does each
// couple whose angular velocity exceeds it.
void assemble_acceleration(const System& system, const StepperOptions& options, const PhasePoint& point,
                           const ContactSet& contacts, std::span<const ContactMode> modes, double slip_speed,
                           StepData& data, Problem& problem);

// Sets the bounds of the boxes of a step of h for joint impulses λ as they stand in the problem. Returns the largest
// change of a bound, and in `largest` the largest bound. `impulses` r, when not null: what they do not reach, before and
// after, does not count. So joints that jam are settled once they stick, however much their limits grow.
double update_friction_bounds(const StepFormula& formula, double h, const VectorRef& lambda,
                              const StepData& data, Problem& problem, double& largest,
                              const Vector* impulses = nullptr);

}  // namespace delassus
