// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user may choose about a step. Plain values; the initialisers here are the defaults, for scenes too. Keys,
// ranges and texts stand in steppers/setting_keys.cpp.
#pragma once
#include <cstdint>
#include <limits>

#include "delassus/linalg/kkt_method.hpp"

namespace delassus {

// Where along the predicted motion something is evaluated: q, q ⊞ h v/2 or q ⊞ h v.
enum class DataPoint : std::uint8_t { start, middle, end };

// Which derivatives of the forces enter the step matrix A.
enum class ForceDerivatives : std::uint8_t {
  none,      // explicit forces, A = M
  rank_one,  // springs and dampers as −γ∇φ∇φᵀ, −δ∇ψ∇ψᵀ: A is positive definite for every h (Potra et al. 2006, 10.13-10.14)
  exact,     // all of ∂k/∂q, ∂k/∂v
  automatic,  // exact while A stays positive definite, rank_one otherwise (Potra et al. 2006, §11)
};

enum class ContactLawKind : std::uint8_t {
  coulomb,       // exact: sticking contacts do not move, sliding ones do not lift
  convex,        // relaxed (CCP): a sliding contact separates at μ‖u_T‖
  polyhedral,    // LCP with a polygon of directions
  frictionless,  // whatever the coefficients say
};

struct ContactLaw {
  ContactLawKind kind = ContactLawKind::coulomb;
  int num_directions =
      8;              // m_C of spatial contacts of the polyhedral law, even; planar contacts always have 2
  bool align = true;  // polyhedral: turn a generator onto the predicted slip
  // A polygon that follows the slip.
  bool aligned() const { return kind == ContactLawKind::polyhedral && align; }
  // A polygon whose facets are events of their own.
  bool has_facets() const { return kind == ContactLawKind::polyhedral && !align; }
  bool operator==(const ContactLaw&) const = default;
};

enum class ImpactKind : std::uint8_t {
  newton,   // u_N⁺ = −e u_N⁻ where the contact pushes (Moreau)
  poisson,  // compression and decompression LCPs (Potra et al. 2006, 7.5-7.9; Anitescu and Potra 1997, §3)
  simplified,  // v⁺ = (1+e) v^c − e v⁻ (Anitescu and Potra 1997, §3, corrected): never adds kinetic energy
};

struct ImpactLaw {
  ImpactKind kind = ImpactKind::newton;
  // Poisson only: bound the friction of decompression by μ(e c_c + c_x) instead of μ c_x; cannot add energy.
  bool bound_by_total_impulse = false;
  double tangential_restitution = 0;  // e_T: slip after = −e_T slip before, where the contact sticks [-]
  double threshold = 0;               // approach speeds below this rebound with e = 0 [m/s]
  // Newton only: restitution is reduced where the law would gain energy (impact/restitution_bound.hpp).
  bool bound_energy = true;
  // Poisson only: e_T times e of the friction impulse of compression comes back in decompression [-].
  double tangential_impulse_restitution = 0;
  bool operator==(const ImpactLaw&) const = default;
};

enum class Projection : std::uint8_t {
  none,       // the papers' plain schemes: constraints drift by O(h²)
  joints,     // joints are put back onto Θ = 0 and Gᵀv = −∂Θ/∂t after every step
  all,        // and closed contacts onto Φ = 0, u_N = 0
  automatic,  // as the stepper needs it: resolve_settings (steppers/registry.hpp); steppers never see it
};

enum class FailurePolicy : std::uint8_t {
  stop,   // end the run with the last good state
  retry,  // halve the step, up to max_halvings times, then stop
  warn,   // go on with what the solver has, and say so
};

// The mass matrix of a step in the middle of its predicted motion.
enum class MassPoint : std::uint8_t {
  middle,  // M(t+h/2, q ⊞ h v/2)
  mean,    // ½ [M(t, q) + M(t+h, q ⊞ h v)] (Potra et al. 2006, 2.7, 2.13)
};

// How moreau-adaptive guesses the order of a step (error_control.hpp).
enum class OrderGuess : std::uint8_t {
  none,    // it is 0 everywhere (Acary 2009, 67)
  status,  // 0 where a contact closes (Acary 2009, 68-70)
  events,  // 0 where anything happens (Acary 2009, §5.2)
};

enum class ImpactLocation : std::uint8_t {
  step,         // a step that ends at the impact: the state there is as accurate as a grid point
  interpolant,  // the cubic interpolant of the whole step, position and velocity (Potra et al. 2006, 7.3)
  automatic,    // interpolant with Projection::none, step otherwise: resolve_settings; steppers never see it
};

// Newton's method of the implicit schemes (steppers/dae, energy-midpoint; Tasora 2017, §9).
struct DaeOptions {
  // Which second derivatives enter the matrix of Newton's method; the solution is the same.
  enum class SecondDerivatives : std::uint8_t {
    exact,    // ∂(Gλ)/∂q and ∂(M v̇)/∂q too: quadratic convergence
    dropped,  // neither: linear convergence by a factor O(h²) an iteration, each a little cheaper
  };
  // The predictor, and the quantity whose relative correction must fall below the tolerance.
  enum class Unknowns : std::uint8_t {
    acceleration,  // starts from a⁺ = a
    velocity,      // starts from v⁺ = v
    position,      // starts from q⁺ = q ⊞ h v
  };
  SecondDerivatives second_derivatives = SecondDerivatives::exact;
  Unknowns unknowns = Unknowns::acceleration;
  int max_iterations = 30;
  double tolerance = 1e-12;  // relative, of the last correction [-]
  bool operator==(const DaeOptions&) const = default;
};

struct StepperOptions {
  ForceDerivatives derivatives = ForceDerivatives::automatic;
  // The right side uses the exact h k_q v. The papers' variant with the rank-one derivative there as well is
  // first order.
  bool rank_one_right_side = false;
  // Springs and dampers as compliant rows of G instead of terms of A: the same step.
  bool springs_as_rows = false;
  ContactLaw law;
  ImpactLaw impact;
  Projection projection = Projection::automatic;
  // With Projection::joints: velocities of closed contacts are put back all the same, their gaps stay as they are. For error control,
  // which would take what rings at ±v for an error whatever the step (registry.cpp); no setting.
  bool hold_velocities = false;
  FailurePolicy policy = FailurePolicy::retry;
  int max_halvings = 6;
  // No step is halved below this, and of events that follow each other faster the first is the last one that is located
  // (Potra et al. 2006, §9.2); 0: no limit [s].
  double smallest_step = 0;
  // Joints and closed contacts are pulled back by their rows, s Θ/h and s Φ/h, instead of being projected (Potra et al. 2006, §10.4) [-].
  double stabilisation = 0;
  // Of the saddle-point systems of steps without contacts.
  LinearSolver linear_solver = LinearSolver::direct;
  DaeOptions dae;

  // dvi-euler: how fast penetrations (Tasora 2017, note 5) and joints that are off may be taken back [m/s].
  double recovery_speed = 0.01;
  double joint_recovery_speed = std::numeric_limits<double>::infinity();

  bool detect_collisions = true;   // locate impacts within the step
  bool detect_transitions = true;  // locate stick-slip and take-off within the step
  bool islands = true;             // bodies that nothing ties have their own events (island_stepper.hpp)
  bool capture_slow = true;        // impacts slower than the forces of a step make them are not located
  ImpactLocation location = ImpactLocation::automatic;
  double epsilon_a = 1e-12;  // a contact with Φ ≤ max(ε_a, ε_b h³) is active (Potra et al. 2006, 7.1) [m]
  double epsilon_b = 0;      // [m/s³]
  // Potra et al. 2006: a contact that was hit stays in the active set until the grid is reached.
  bool keep_active_after_impact = false;
  bool snap_to_grid =
      false;             // Gavrea et al. 2008, §4: an impact ends the step, its time is moved to the grid
  int max_events = 100;  // events within one step before falling back to event capturing (Zeno)

  bool operator==(const StepperOptions&) const = default;
};

}  // namespace delassus
