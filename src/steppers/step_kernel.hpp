// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// One smooth step, without any event logic: forms the problem of a StepFormula, solves it (by the contact
// solver, or with every contact kept in a given mode) and moves the phase. Also the instantaneous forces at a
// phase. Owns the scratch.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "delassus/problems/least_forces.hpp"
#include "delassus/problems/modes.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/steppers/assemble.hpp"
#include "delassus/steppers/impact/restitution_bound.hpp"
#include "delassus/steppers/limit_search.hpp"
#include "delassus/steppers/projection.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {

// What a scheme adds to the velocity on which the law of a contact holds: restitution, gaps that may close.
struct RowShift {
  Vector3 velocity = Vector3::Zero();  // normal first [m/s]
  Vector3 drift = Vector3::Zero();     // change of the velocity of moving surfaces over the step [m/s]
  bool at_end = false;                 // holds for u⁺, not for the weighted velocity of the scheme
  bool leaves =
      false;  // but for the normal velocity, which is that of what leaves and comes back within the step
  Vector3 weight = Vector3::Zero();  // what makes it so, (1−σ) u⁻ of the rows of the step [m/s]
  bool impact = false;               // the work of the contact in this step is an impact's
  // `velocity` is restitution. Where the forces of a grid step alone make an approach as fast, it is no impact but the end of
  // a rebound that a step cannot resolve, and `slow` takes its place: so a bouncing body comes to rest. The same where `slow` is
  // a gap that the step does not close.
  bool rebounds = false;
  double parts = 1;  // length of the grid step over that of this one
  double share = 1;  // of the restitution, as far as it gains no energy (impact/restitution_bound.hpp)
  Vector3 slow = Vector3::Zero();
};

// How fast the bodies of contact c of `rows` come together when their velocities change by `change`, each on its own account: in a stack
// all bodies fall alike, but what is below is held [m/s].
double pressing_speed(const BlockRows& rows, int c, const Vector& change);

// A step that may still be rejected.
struct Trial {
  double h = 0;
  double alpha = 0.5;  // weight of the new forces, see step_formula.hpp
  bool ok = false;
  PhasePoint end;           // configuration and joints are placed, contacts are not
  Vector y;                 // the weighted velocity on which the rows hold
  Solution solution;        // impulses r, λ as they act in the step (not weighted)
  std::vector<Cone> cones;  // of the contacts, then of the friction in joints
  int num_contacts = 0;
  std::vector<double> tangent_ratios;  // of the contacts, see ContactSurface
  SolveStats stats;
  Residual residual;
  double work_normal = 0, work_friction = 0, work_impacts = 0,
         work_joints = 0;          // of the impulses over the step [J]
  double work_beside_impacts = 0;  // of contacts that stay closed, in a step with impacts [J]
  // Of contacts with shifts: on the mean velocity or, if that is less, with the forces of the step, or the gyroscopic ones of
  // them, acting before [J].
  double work_solved = 0;
  double work_surfaces = 0;  // of work_normal: what surfaces that move have brought [J]
  int redundant_joint_rows = 0;
  int linear_iterations = 0;  // of MINRES
  // Contacts and joint rows whose impulses are one choice of many, the least (problems/least_forces.hpp).
  std::vector<char> shared_contacts, shared_rows;
  // Part of the limits of friction in joints by which they differ from what the joint forces ask for, where these do not
  // settle [-].
  double unsettled = 0;
  std::string failure;
};

// What the caller knows in place of what the formula would have.
struct StepGivens {
  // What limits the friction in joints, instead of the forces of the step itself; empty: the forces without contacts do [N].
  const Vector* joint_forces = nullptr;
  const Vector* joint_targets = nullptr;  // right sides of the joint rows [m/s]
  // The step is the one that corrects it (step_prediction.hpp; of the formula only σ = 1 and α count then).
  const StepPrediction* prediction = nullptr;
};

class StepKernel {
 public:
  StepKernel(const StepFormula& formula, const StepperOptions& options, Solver& solver)
      : formula_(formula), options_(options), solver_(solver) {
    if (iterates()) step_.reduction.use(options_.linear_solver);
  }

  // The step of size h with the contacts `active` by the contact solver; `memory` is parallel to them (null
  // entries allowed), and so are the shifts of their rows where there are any. `last_places`, likewise: the trial holds
  // a solution of the same step with these of them (-1: not this one), from which the solver starts.
  void solve(const System& system, const PhasePoint& begin, double h, const ContactSet& active,
             const VectorRef& slip_hint, std::span<const ContactMemory* const> memory, Trial& trial,
             std::span<RowShift> shifts = {}, std::span<const int> last_places = {},
             const StepGivens& given = {});
  // What a step in prescribed modes is for. as_solved: beginning, size and contacts are those of the last `solve`, whose
  // evaluation serves for this one, too. taken: the step may be accepted; where its forces are not unique they are the least
  // ones, which the others do without.
  enum class ModeStep { as_solved, looked_at, taken };
  // The same step with every contact kept in its mode.
  void solve_modes(const System& system, const PhasePoint& begin, double h, const ContactSet& active,
                   std::span<const ContactMode> modes, ModeStep kind, Trial& trial);
  // Instantaneous contact forces r [N] and accelerations u [m/s²] when every contact keeps its mode; the contacts are at
  // `point`. False: contradictory.
  bool solve_forces(const System& system, const PhasePoint& point, const ContactSet& contacts,
                    std::span<const ContactMode> modes, Solution& solution);
  // The modes that the instantaneous forces select at a point; contacts faster than `slip_speed` are sliding.
  // False: the acceleration problem has no solution that Lemke finds (Painlevé), so the impulses of a step
  // must decide.
  // `known`: modes of the contacts, which say whether static or kinetic friction holds them (assemble_step).
  bool find_modes(const System& system, const PhasePoint& point, const ContactSet& contacts,
                  double slip_speed, std::vector<ContactMode>& modes, std::span<const ContactMode> known = {},
                  SolveEffort effort = SolveEffort::full);

  // The length of the step up to the grid point, over which stabilisation takes back what has drifted [s].
  void begin_whole_step(double length) { whole_step_ = length; }

  // ‖r_T‖ as the law measures it against μ r_N: with generators that turn, all directions are equal.
  double friction_norm(const Cone& cone, const Eigen::Vector2d& r_T) const {
    return options_.law.has_facets() || cone.polygon ? cone_gauge(cone, r_T) : r_T.norm();
  }
  // Of the last `solve`.
  const Problem& problem() const { return step_.problem; }
  const LocalProblem& local() const { return step_.reduction.local(); }
  // What its forces alone lead to, without contacts, and the largest entry of it [m/s].
  const Vector& free_velocity() const { return step_.reduction.v_free(); }
  double step_speed() const { return max_abs(free_velocity()); }
  // The contacts of the last solve_forces are redundant: their forces are one choice of many.
  bool redundant_forces() const { return mode_scratch_.redundant; }
  // Of the last find_modes: the acceleration with which contact c leaves its surface, 0 where that is round-off [m/s²].
  double take_off_acceleration(int c) const;
  // Of its slip, and the largest that the forces without contacts lead to [m/s²].
  Eigen::Vector2d slip_acceleration(int c) const;
  double free_acceleration() const { return max_abs(forces_.reduction.local().u_free); }
  // Cones of the last solve_forces, in the order of its contacts.
  const std::vector<Cone>& force_cones() const { return forces_.problem.cones; }

 private:
  // Without contacts there is one linear system a step.
  bool iterates() const { return formula_.joints_only && options_.linear_solver != LinearSolver::direct; }
  // One problem with what it is made of; steps, steps in prescribed modes and forces of an instant have one each.
  struct Slot {
    StepData data;
    Problem problem;
    Reduction reduction;
  };
  bool prepare(const System& system, const PhasePoint& begin, double h, std::span<const ContactMode> modes,
               const VectorRef& slip_hint, std::span<RowShift> shifts, StepData& data, Slot& slot,
               Trial& trial);
  void assemble(const System& system, const MatrixChoice& choice, const PhasePoint& begin, double h,
                std::span<const ContactMode> modes, const VectorRef& slip_hint, std::span<RowShift> shifts,
                StepData& data, Problem& problem);
  // Solves with the friction limits of joints that belong to the joint forces of the solution itself.
  void solve_with_friction(const System& system, double h, Trial& trial);
  bool limits_are_shared(const Trial& trial) const;
  // Repeats `solve_once` until the limits fit its forces. False: they do not settle.
  bool settle_friction(double h, const StepData& data, Slot& slot, Trial& trial,
                       const std::function<bool()>& solve_once);
  // The work of a contact with the forces of the step acting before it; `work`: that on the mean velocity.
  double solved_work(const LocalProblem& local, const Solution& solution, const RowShift& shift, int contact,
                     double work) const;
  double turned_work(const LocalProblem& local, const Solution& solution, const RowShift& shift, int contact,
                     double work) const;
  void drop_slow_rebounds(const Phase& phase, std::span<RowShift> shifts);
  // What shall rebound stops instead. False: nothing does.
  bool drop_rebounds(std::span<RowShift> shifts);
  // The end of a solve: the motion, and whether its numbers can be used.
  void conclude(const System& system, const PhasePoint& begin, double h, std::span<const RowShift> shifts,
                Trial& trial);
  // Reduces the restitution of contacts that gain energy, and solves again.
  void limit_friction(const Vector& joint_forces, double h);
  void bound_restitution(const System& system, const PhasePoint& begin, double h, std::span<RowShift> shifts,
                         Trial& trial);
  void evaluate_force_change(const System& system, const PhasePoint& begin, double h);
  void solve_contacts(const System& system, double h, Trial& trial);
  // By the contact solver; then the least of all impulses that give its velocity.
  void solve_once(Trial& trial);
  void take_least_forces(const Reduction& reduction, Trial& trial);
  // The joint whose friction has changed most in the last round.
  std::string unsettled_joint(const System& system) const;
  void judge(Trial& trial);
  void start_from_memory(std::span<const ContactMemory* const> memory, double h);
  void keep_forces(const Trial& trial, std::span<const int> last_places);
  void start_from_trial(std::span<const int> last_places);
  void turn_generators_from_memory(std::span<const ContactMemory* const> memory);
  void finish(const System& system, const PhasePoint& begin, double h, std::span<const RowShift> shifts,
              const StepData& data, Slot& slot, Trial& trial);
  int worst_joint(const Trial& trial, const StepData& data, const Problem& problem);

  const StepFormula& formula_;
  const StepperOptions& options_;
  Solver& solver_;
  Slot step_, modes_, forces_;
  double whole_step_ = 0;
  StepGivens given_;             // of the step that is being solved
  WarmStart warm_, force_warm_;  // the forces of an instant start from nothing
  Vector last_r_;                // impulses of the last trial, the first row of each contact, and their modes
  std::vector<int> last_rows_;
  std::vector<ContactMode> last_modes_;
  Solution force_solution_;
  ResidualScratch residual_scratch_;
  ModeScratch mode_scratch_;
  LeastForces least_;
  std::vector<double> last_bounds_;  // of the friction in joints, before the last round
  std::vector<double> best_bounds_, asked_bounds_;
  LimitSearch limit_search_;
  Projector projector_;
  RestitutionBound bound_;
  Vector restitution_, other_shift_, force_change_, u_before_, u_turned_, momentum_;
  std::vector<char> rebounds_;
  // Turns the directions of slip to those of the solution; the largest change.
  double follow_slip(const Problem& problem, int num_contacts, const Solution& solution);
  std::vector<ContactMode> friction_modes_, all_modes_;  // of the joints in the last solve
  std::vector<ContactMode> remembered_;
  Vector mean_, u_, joint_u_, w_;
};

}  // namespace delassus
