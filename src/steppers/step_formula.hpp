// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The common form of the linearly implicit one-step schemes of Potra et al. 2006, Anitescu and Potra 1997 and Gavrea et al. 2008, of which each named stepper is
// a member:
//
//   A (v⁺ − v) = h [(1−α) k(t, q, v) + α k(t+h, q, v)] + α h² k_q v + G λ + H r                       (1)
//   A = M − α h k̃_v − α γ h² k̃_q                                                                      (2)
//   joints, contact and friction hold for  y = σ v⁺ + (1−σ) v                                         (3)
//   q⁺ = q ⊞ h ((1−γ) v + γ v⁺)                                                                       (4)
//
// with M and the rows Gᵀ, Hᵀ taken at stated points of the predicted motion q ⊞ τ v. Written for y the
// one-step problem (problems/problem.hpp) is
//
//   A y − G(σλ) − H(σr) = A v + σ(right side of (1) without impulses).
//
// Event capturing (capturing_stepper.hpp) has σ = 1, so that contacts and friction hold at the end, where sticking means
// v⁺ = 0 and nothing rings. Its joints may hold for a weighted velocity of their own all the same,
//
//   Gᵀ (σ_J v⁺ + (1−σ_J) v) = target                                                                  (5)
//
// which is order 2 at σ_J = ½, where v⁺ would be order 1; and its contacts are taken where they were found, at q: a
// body that moves far in a step may lie beyond the features it is about to hit at any later point.
//
// Gyroscopic forces of rigid bodies are never explicit. They stand in (2): by their derivative, or, where the other
// derivatives are rank-one ones or none and where the derivative would spoil definiteness, by the skew F(ω*) of
// formulation/gyroscopic.hpp (3), which does no work. Event capturing and explicit schemes solve for them body by body
// beforehand,
//
//   k₀ h of a body  →  its implicit gyroscopic impulse (formulation/gyroscopic.hpp (1) with θ = max(α, ½))  (6)
//
// so that (2) is symmetric; but bodies with joints keep them in (2), since the torques of joints are not known beforehand.
// So do all schemes where the solver needs a symmetric problem; there the impulses of bodies with joints are those of the
// same step without contacts (docs/decisions/008-gyroscopic-terms.md).
//
// Schemes whose velocities are those of the middles of steps (`staggered`, schatzman_paoli.hpp) have instead of (1) and (2)
//
//   A (v⁺ − v) = s h k(t, q, v) + G λ + H r,   A = M − ½ s h k̃_v − ½ θ s h² k̃_q                        (7)
//
// with the share s of the step that lies between the two velocities.
//
// Explicit schemes may take their forces on the way: k(t+τ, q ⊞ τ v, v) in place of both k of (1), A = M.
//
// The joint rows of (3) are Gᵀ y = target − s Θ/h with a stabilisation s, 0 for most. With `end_time` they are
// the linearised positions of the end of the step, Gᵀ v⁺ = −s Θ(t+h, ·)/h, where Θ contains the drive of
// rheonomic joints; Pfaffian rows then hold for the mean velocity in the middle of the step.
//
// In place of projection users may ask for rows that pull back what has drifted (StepperOptions::stabilisation),
//
//   Gᵀ y = target − s Θ(t, q)/H,   u_N + s Φ(t, q)/H of closed contacts in place of u_N                (8)
//
// with H the whole step up to the grid point, so that a short part after an event takes back no more than its share.
#pragma once
#include <string>

#include "delassus/steppers/options.hpp"

namespace delassus {

struct StepFormula {
  std::string name;
  double alpha = 0.5;                        // weight of the new forces in (1)
  double gamma = 0.5;                        // weight of the new velocity in (4)
  double sigma = 0.5;                        // weight of the new velocity in (3)
  DataPoint rows = DataPoint::middle;        // where the rows of (3) are taken
  DataPoint directions = DataPoint::middle;  // where the impulse directions G, H of (1) are taken
  DataPoint mass = DataPoint::middle;        // where M is taken
  bool mean_mass = false;                    // the mean of M at both ends of the predicted motion instead
  DataPoint forces =
      DataPoint::start;                // where explicit forces are taken; others only without implicit_forces
  double joint_sigma = 1;              // σ_J of (5); other than 1 only with σ = 1
  bool contacts_at_start = false;      // contact rows and directions at q; needs rows == directions
  bool implicit_forces = true;         // false: A = M and no k_q v term
  bool gyroscopic_beforehand = false;  // for bodies without joints; see (6)
  double stabilisation = 0;            // s of the joint rows [-]
  bool limits_recovery = false;        // s Θ/h by joint_recovery_speed
  bool end_time = false;               // joint rows at t + h, whatever `rows`; needs σ = 1
  bool joints_only = false;            // not defined for contacts
  bool staggered = false;              // (7) instead of (1) and (2); α = ½
  double force_share = 1, stiffness = 0.5;  // s and θ of (7)
};

// One function a scheme; its header states the equations, the order and where it differs from the source.
StepFormula anitescu_potra_formula(DataPoint data);
StepFormula anitescu_potra_stiff_formula();
StepFormula alpha_gamma_formula(double alpha, double gamma, DataPoint data);
StepFormula trapezoidal_1_formula(bool rows_at_end);
StepFormula trapezoidal_2_formula();
StepFormula euler_implicit_linearized_formula();
StepFormula trapezoidal_linearized_formula(bool rows_at_start);
StepFormula leapfrog_formula();
StepFormula dvi_euler_formula(bool implicit_forces);
StepFormula moreau_jean_formula(double theta, DataPoint data);
StepFormula schatzman_paoli_formula(double theta);

}  // namespace delassus
