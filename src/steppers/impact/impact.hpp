// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Impacts: the velocity jumps from v⁻ to v⁺ at fixed q; all active contacts, joints and friction take part.
//
//   newton      M(v⁺−v⁻) = Gλ + H r,  Gᵀv⁺ = target,  0 ≤ u_N⁺ + e u_N⁻ ⟂ r_N ≥ 0,
//               friction on u_T⁺ + e_T u_T⁻ (Moreau)
//   poisson     compression  M(v^c−v⁻) = Gλ^c + H r^c with e = 0, then decompression
//               M(v⁺−v^c) = Gλ^x + H r^x + Σ e_j n_j c_n^{c(j)}, contact law on v⁺ (Potra et al. 2006, 7.5-7.9, Anitescu and Potra 1997, §3)
//               with e_T^r of the impulse of friction, too: Σ e_j (n_j c_n^{c(j)} + e_T^r D_j β^{c(j)}), as Anitescu and
//               Potra 1997, §3 suggest for superballs; it lies in the friction cone of e_j c_n^{c(j)}
//   simplified  v⁺ = (1+e) v^c − e v⁻ with the smallest e of the approaching contacts
//               (Anitescu and Potra 1997, §3; misprint corrected)
//
// Newton's law with several contacts uses one problem; u_N⁻ counts at all of them, also where they separate, so that one e
// without friction gains no energy. Where friction or different e would gain, restitution is reduced (restitution_bound.hpp).
// The simplified law never adds kinetic energy (Anitescu and Potra 1997, Lemma 3.1) but may leave a contact approaching.
//
// Every solve is judged by its residual, whatever the solver says, and tried from another start when they differ. Newton's law
// may have no solution: on a rail of slope φ friction μ > cot φ pulls a body back harder than the floor lifts it. Then, and
// where the simplified law leaves a contact approaching, Poisson's law is used with the friction of decompression bounded
// by the impulses of both phases, and with restitution κ e, where κ is halved until
//
//   ½ rᵀ (u⁺ + u⁻) ≤ 0                                                                                (1)
//
// This always has a solution when compression has: κ = 0 is compression alone. The result says that it fell back.
// An impact without collision (Painlevé's paradox): a contact that slides with u_N⁻ = 0 has no force that keeps it from
// penetrating, because the friction of that force would press it down more than it lifts. Then velocities jump by an
// inelastic impact, found as what the impulses of the next instant h tend to: its modes are those of
//
//   M(v⁺−v⁻) = h k + G λ + H r,   contact law with e = 0                                              (2)
//
// and its impulses those of the same modes with h = 0 (Génot and Brogliato 1999).
//
// Poisson's law as such may add energy with friction (`delassus verify F`); the change is reported with the event.
#pragma once
#include <span>
#include <vector>

#include "delassus/problems/least_forces.hpp"
#include "delassus/problems/modes.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/steppers/assemble.hpp"
#include "delassus/steppers/impact/restitution_bound.hpp"
#include "delassus/steppers/report.hpp"

namespace delassus {

struct ImpactResult {
  SolveStats stats;
  bool ok = false;
  bool fell_back = false;  // another law → bounded Poisson
  bool without_collision = false;
  Vector v;                                                       // v⁺
  std::vector<Vector3> velocity_before, velocity_after, impulse;  // per contact, normal first
  std::vector<Vector3> couple;                                    // likewise
  std::vector<double> share;  // of the restitution that was left, likewise
  Vector joint_impulses;
  double energy_change = 0;  // ½ v⁺ᵀMv⁺ − ½ v⁻ᵀMv⁻ [J]
  double residual = 0;       // of the solves that it is made of
};

class ImpactResolver {
 public:
  ImpactResolver(const StepperOptions& options, Solver& solver) : options_(options), solver_(solver) {}
  // `contacts`: those that take part, at `point`. `inelastic` forces e = 0 (event capturing).
  void resolve(const System& system, const PhasePoint& point, const ContactSet& contacts, bool inelastic,
               ImpactResult& result);
  // An impact of contacts that slide without a force that can hold them, h: of the step that meets it. Not ok: nothing jumps.
  void resolve_shock(const System& system, const PhasePoint& point, const ContactSet& contacts, double h,
                     ImpactResult& result);
  // Of the last solve, to find out why it failed.
  const Problem& problem() const { return problem_; }
  const LocalProblem& local() const { return reduction_.local(); }

 private:
  // Solves problem_ and judges the outcome; what the solver takes for solved and is not is tried once more from another start.
  bool solve(ImpactResult& result);
  // The laws: into total_; false when a problem could not be solved.
  bool resolve_newton(ImpactResult& result);
  bool reduce_restitution(ImpactResult& result);
  bool resolve_poisson(bool bound_by_total_impulse, double share, ImpactResult& result);
  bool resolve_simplified(ImpactResult& result);
  bool resolve_bounded(ImpactResult& result);
  void begin(const System& system, const PhasePoint& point, const ContactSet& contacts, bool inelastic,
             ImpactResult& result);
  // problem_ as the compression has it: no restitution, momentum of v⁻.
  bool begin_compression();
  bool leaves_approaching();
  double contact_work();
  void shift_tangentially();
  void report(const Phase& before, const ContactSet& contacts, ImpactResult& result);
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
  RestitutionBound bound_;
  ModeScratch modes_;
  Vector v_before_, u_before_, u_after_, w_, shift_;
  std::vector<double> restitution_;
  std::vector<char> rebounds_;  // every contact counts with u⁻, whatever its restitution
};

}  // namespace delassus
