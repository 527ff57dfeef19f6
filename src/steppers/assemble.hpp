// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// System → Problem: the only place that knows both. Three problems are formed on one system:
//
//   the step           (step_formula.hpp, for the weighted velocity y)
//   the impact         M y − G λ − H r = M v⁻ + P at fixed q: velocities jump, positions do not (S0 7.5)
//   the accelerations  M v̇ − G λ − H r = k,  Gᵀ v̇ = −bias,  Hᵀ v̇ + bias: the instantaneous forces
//                      (event functions)
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/problem.hpp"
#include "delassus/steppers/contact_modes.hpp"
#include "delassus/steppers/step_formula.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// A point in phase space.
struct Phase {
  double t = 0;
  Vector q, v;
};

struct ContactKinematics;

// Scratch of the assembly, kept so that nothing is allocated after warm-up.
struct AssemblyData {
  BlockMatrix M;
  ForceJacobians jacobians;
  BilateralRows bilateral, bilateral_directions;
  ContactRows contacts, contact_directions;
  FrictionRows friction, friction_directions;
  Vector q_rows, q_directions, q_mass, w, k0, k1, kqv, joint_bias, bias, u, impulse, gyroscopic_correction;
  std::vector<char> gyroscopic_in_A;  // one a velocity
  std::vector<HeldParts> sliding;     // the parts of each contact that assemble_acceleration found sliding
  int num_joint_rows = 0;             // rows of G that are joints; the compliant spring rows follow
  // The cones after those of the contacts are boxes: one a row of `friction`, whose bounds follow from the joint forces
  // (update_friction_bounds).
  int num_contacts = 0;
  // Contacts whose rows are known somewhere, perhaps where the step needs them; may be null.
  const ContactKinematics* known = nullptr;
};

// `slip_hint` (optional, nv): a velocity whose slip directions the polyhedral generators are turned onto, and at which
// friction that depends on the slip speed is taken. `modes`: what is known of the contacts, one each, or empty; a contact
// that sticks has its static friction, one that slips that of its speed, of open ones the speed decides.
void assemble_step(const System& system, const StepFormula& formula, const StepperOptions& options,
                   bool rank_one, const Phase& phase, double h, std::span<const ContactId> ids,
                   std::span<const ContactMode> modes, const VectorRef& slip_hint, AssemblyData& data,
                   Problem& problem);

void assemble_impact(const System& system, const StepperOptions& options, const Phase& phase,
                     std::span<const ContactId> ids, std::span<const ContactMode> modes, AssemblyData& data,
                     Problem& problem);

// Contacts whose slip speed exceeds `slip_speed` slide: their friction has the fixed direction of the slip; so does each
// couple whose angular velocity exceeds it.
void assemble_acceleration(const System& system, const StepperOptions& options, const Phase& phase,
                           std::span<const ContactId> ids, std::span<const ContactMode> modes,
                           double slip_speed, AssemblyData& data, Problem& problem);

// Sets the bounds of the boxes of a step of h for joint impulses λ as they stand in the problem. Returns the largest
// change of a bound, and in `largest` the largest bound.
double update_friction_bounds(const StepFormula& formula, double h, const VectorRef& lambda,
                              const AssemblyData& data, Problem& problem, double& largest);

// q ⊞ s v
void predict(const System& system, const VectorRef& q, const VectorRef& v, double s, Vector& w, Vector& out);

}  // namespace delassus
