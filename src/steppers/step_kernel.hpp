// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// One smooth step, without any event logic: forms the problem of a StepFormula, solves it (by the contact
// solver, or with every contact kept in a given mode) and moves the phase. Also the instantaneous forces at a
// phase. Owns the scratch.
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/modes.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/steppers/assemble.hpp"
#include "delassus/steppers/projection.hpp"

namespace delassus {

// What a scheme adds to the velocity on which the law of a contact holds: restitution, gaps that may close.
struct RowShift {
  Vector3 velocity = Vector3::Zero();  // normal first [m/s]
  Vector3 drift = Vector3::Zero();     // change of the velocity of moving surfaces over the step [m/s]
  bool impact = false;                 // the work of the contact in this step is an impact's
  // `velocity` is restitution. Where the forces of this step alone make an approach as fast, it is no impact but the end of
  // a rebound that a step cannot resolve, and `slow` takes its place: so a bouncing body comes to rest.
  bool rebounds = false;
  Vector3 slow = Vector3::Zero();
};

// A step that may still be rejected.
struct Trial {
  double h = 0;
  bool ok = false;
  Phase end;
  Vector y;                 // the weighted velocity on which the rows hold
  Solution solution;        // impulses r, λ as they act in the step (not weighted)
  std::vector<Cone> cones;  // of the contacts, then of the friction in joints
  int num_contacts = 0;
  std::vector<double> tangent_ratios;  // of the contacts, see ContactSurface
  SolveStats stats;
  Residual residual;
  double work_normal = 0, work_friction = 0, work_impacts = 0,
         work_joints = 0;  // of the impulses over the step [J]
  int redundant_joint_rows = 0;
  std::string failure;
};

class StepKernel {
 public:
  StepKernel(const StepFormula& formula, const StepperOptions& options, Solver& solver)
      : formula_(formula), options_(options), solver_(solver) {}

  // The step of size h with the contacts `ids` by the contact solver; `memory` is parallel to ids (null
  // entries allowed), and so are the shifts of its rows where there are any.
  void solve(const System& system, const Phase& phase, double h, std::span<const ContactId> ids,
             const VectorRef& slip_hint, std::span<const ContactMemory* const> memory, Trial& trial,
             std::span<RowShift> shifts = {});
  // The same step with every contact kept in its mode.
  void solve_modes(const System& system, const Phase& phase, double h, std::span<const ContactId> ids,
                   std::span<const ContactMode> modes, Trial& trial);
  // Instantaneous contact forces r [N] and accelerations u [m/s²] when every contact keeps its mode. False:
  // contradictory.
  bool solve_forces(const System& system, const Phase& phase, std::span<const ContactId> ids,
                    std::span<const ContactMode> modes, Solution& solution);
  // The modes that the instantaneous forces select at a phase; contacts faster than `slip_speed` are sliding.
  // False: the acceleration problem has no solution that Lemke finds (Painlevé), so the impulses of a step
  // must decide.
  bool find_modes(const System& system, const Phase& phase, std::span<const ContactId> ids, double slip_speed,
                  std::vector<ContactMode>& modes);

  // ‖r_T‖ as the law measures it against μ r_N: with generators that turn, all directions are equal.
  double friction_norm(const Cone& cone, const Eigen::Vector2d& r_T) const {
    return !options_.law.has_facets() ? r_T.norm() : cone_gauge(cone, r_T);
  }
  // Of the last step that was solved or prescribed.
  const Problem& problem() const { return problem_; }
  const LocalProblem& local() const { return reduction_.local(); }
  // The contacts of the last solve_forces are redundant: their forces are one choice of many.
  bool redundant_forces() const { return mode_scratch_.redundant; }
  // Cones of the last solve_forces, in the order of its ids.
  const std::vector<Cone>& force_cones() const { return force_problem_.cones; }

  // Rows that may serve in the next solves, as long as it lives.
  void set_known(const ContactKinematics& known) { data_.known = &known; }

 private:
  bool prepare(const System& system, const Phase& phase, double h, std::span<const ContactId> ids,
               std::span<const ContactMode> modes, const VectorRef& slip_hint,
               std::span<const RowShift> shifts, Trial& trial);
  void assemble(const System& system, bool rank_one, const Phase& phase, double h,
                std::span<const ContactId> ids, std::span<const ContactMode> modes,
                const VectorRef& slip_hint, std::span<const RowShift> shifts);
  // Solves with the friction limits of joints that belong to the joint forces of the solution itself.
  void solve_with_friction(double h, Trial& trial);
  // Repeats `solve_once` until the limits fit its forces. False: they do not settle.
  template <typename SolveOnce>
  bool settle_friction(double h, Trial& trial, const SolveOnce& solve_once);
  void drop_slow_rebounds(const Phase& phase, std::span<RowShift> shifts);
  void start_from_memory(std::span<const ContactMemory* const> memory, double h);
  void turn_generators_from_memory(std::span<const ContactMemory* const> memory);
  void finish(const System& system, const Phase& phase, double h, std::span<const RowShift> shifts,
              Trial& trial);
  int worst_joint(const Trial& trial);

  const StepFormula& formula_;
  const StepperOptions& options_;
  Solver& solver_;
  AssemblyData data_;
  Problem problem_, force_problem_;
  Reduction reduction_, force_reduction_;
  WarmStart warm_, force_warm_;  // the forces of an instant start from nothing
  Solution force_solution_;
  ResidualScratch residual_scratch_;
  ModeScratch mode_scratch_;
  Projector projector_;
  // Turns the directions of slip to those of the solution; the largest change.
  double follow_slip(const Solution& solution);
  std::vector<ContactMode> friction_modes_, all_modes_;  // of the joints in the last solve
  std::vector<ContactMode> remembered_;
  Vector mean_, u_, joint_u_, w_;
};

}  // namespace delassus
