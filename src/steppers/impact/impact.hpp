// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Impacts: the velocity jumps from v⁻ to v⁺ at fixed q; all active contacts, joints and friction take part.
//
//   newton      M(v⁺−v⁻) = Gλ + H r,  Gᵀv⁺ = target,  0 ≤ u_N⁺ + e u_N⁻ ⟂ r_N ≥ 0,
//               friction on u_T⁺ + e_T u_T⁻ (Moreau)
//   poisson     compression  M(v^c−v⁻) = Gλ^c + H r^c with e = 0, then decompression
//               M(v⁺−v^c) = Gλ^x + H r^x + Σ e_j n_j c_n^{c(j)}, contact law on v⁺ (Potra et al. 2006, 7.5-7.9, Anitescu and Potra 1997, §3)
//   simplified  v⁺ = (1+e) v^c − e v⁻ with the smallest e of the approaching contacts
//               (Anitescu and Potra 1997, §3; misprint corrected)
//
// Newton's law with several contacts uses one problem; e_j applies where contact j approaches. The simplified
// law never adds kinetic energy (Anitescu and Potra 1997, Lemma 3.1) but may leave a contact approaching: then Poisson is used and
// said so. Poisson with friction may add energy (`delassus verify F`); the change is reported with the event.
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/least_forces.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/steppers/assemble.hpp"
#include "delassus/steppers/report.hpp"

namespace delassus {

struct ImpactResult {
  SolveStats stats;
  bool ok = false;
  bool fell_back = false;                                         // simplified law → Poisson
  Vector v;                                                       // v⁺
  std::vector<Vector3> velocity_before, velocity_after, impulse;  // per contact, normal first
  std::vector<Vector3> couple;                                    // likewise
  Vector joint_impulses;
  double energy_change = 0;  // ½ v⁺ᵀMv⁺ − ½ v⁻ᵀMv⁻ [J]
  double residual = 0;
};

class ImpactResolver {
 public:
  ImpactResolver(const StepperOptions& options, Solver& solver) : options_(options), solver_(solver) {}
  // `contacts`: those that take part, at `point`. `inelastic` forces e = 0 (event capturing).
  void resolve(const System& system, const PhasePoint& point, const ContactSet& contacts, bool inelastic,
               ImpactResult& result);
  // Of the last solve, to find out why it failed.
  const Problem& problem() const { return problem_; }
  const LocalProblem& local() const { return reduction_.local(); }

 private:
  bool solve(ImpactResult& result);
  // The three laws: into total_; false when a problem could not be solved.
  bool resolve_newton(ImpactResult& result);
  bool resolve_poisson(ImpactResult& result);
  bool resolve_simplified(const VectorRef& v, ImpactResult& result);
  void shift_tangentially();
  void report(const Phase& before, const ContactSet& contacts, ImpactResult& result) const;
  double fastest_approach() const;
  bool approaches(int contact) const;
  double effective_restitution(int contact) const;

  const StepperOptions& options_;
  Solver& solver_;
  StepData data_;
  Problem problem_;
  Reduction reduction_;
  Solution solution_;
  LeastForces least_;
  Solution total_;  // of all problems of an impact
  WarmStart warm_;
  Vector u_before_, w_;
  std::vector<double> restitution_;
};

}  // namespace delassus
