// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Positions out of penetration, with multipliers that only push (the τ of [Acary 2009, 19], Gear-Gupta-Leimkuhler):
//
//   q ← q ⊞ δ,   M δ = G μ + N τ,   Θ(q ⊞ δ) = 0,   0 ≤ τ ⟂ Φ(q ⊞ δ) − f ≥ 0                          (1)
//
//   N (nv×nc) normal rows · f_j the gap that contact j may keep: more than it has where it is lifted, its own where it is
//   not and penetrates, so that lifting one contact does not push another in [m]
//
// (or with all bodies equally heavy, where that leads nowhere) by Newton's method: each iteration is a frictionless contact problem with A = M, w = Φ − f, taken by the contact
// solver or, where contacts are many, in the space of the velocities (linalg/least_correction.hpp).
// Unlike equalities (projection.hpp) this has a solution for many contacts on few bodies, and its cost grows with
// the contacts a body has. The velocity does not change.
#pragma once
#include <span>
#include <vector>

#include "delassus/linalg/least_correction.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/steppers/assemble.hpp"
#include "delassus/steppers/step_in_progress.hpp"

namespace delassus {

// Contacts of shapes, and stops; particles and contacts of formulas penetrate as the scheme does that was published.
bool is_kept_apart(const System& system, const ContactSet& contacts, std::size_t c);

// The gaps that contacts may keep where nothing else is known of them: none below their surfaces. What rebounds leaves by
// itself, and to lift it adds energy.
void find_free_floors(const System& system, const ContactSet& contacts, bool rebounding_too, Vector& floors);

class GapProjector {
 public:
  explicit GapProjector(Solver& solver) : solver_(solver) {}
  // Lifts the contacts of `point` to their `floors` f (parallel to them). The point and its contacts are those of the new
  // position then. False: could not be solved, nothing is changed. Nothing is done when none is below its floor.
  bool project(const System& system, const Vector& floors, PhasePoint& point);
  // Puts `point` back to where the last call that moved it began.
  void take_back(PhasePoint& point);
  // Contacts that are found below their surfaces at step.now, whether the step has followed them or not, are lifted, each by
  // no more than `largest` as a part of the smaller body, and the work booked. `known`: what is there of a set that may be at
  // step.now is not evaluated again. False: nothing has moved.
  bool lift_found(StepInProgress& step, bool rebounding_too, double largest, const ContactSet& known);
  // Of the last call.
  int solves() const { return solves_; }
  int iterations() const { return iterations_; }

 private:
  // The largest violation of (1).
  double violation_at(const PhasePoint& point) const;
  // Takes one step of Newton's method from `point` on the contacts within reach, to `q`; gaps are met to `tolerance`.
  bool improve(const System& system, const PhasePoint& point, bool leveled, double reach, double tolerance,
               Vector& q);
  // The displacement of this step; false: no solution has been found.
  bool solve_contacts();
  bool solve_many(double tolerance);

  Solver& solver_;
  int solves_ = 0, iterations_ = 0;
  std::vector<double> near_gaps_;
  ContactSet found_;
  Vector floor_, free_floors_;
  BlockMatrix M_;
  LeastCorrection many_;
  BlockRows rows_;
  Vector bounds_, impulses_, displacement_;
  PhasePoint next_, begin_;
  Problem problem_;
  Reduction reduction_;
  WarmStart warm_;
  Solution solution_;
};

}  // namespace delassus
