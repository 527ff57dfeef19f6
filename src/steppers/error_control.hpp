// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A tolerance instead of a time step: steps of any scheme whose length follows from an estimate of their error. A step h is
// taken once as a whole, q₁, and once in halves, q_½, from the same state. The halves are what is kept.
//
//   e = (q_½ ⊟ q₁)/(2^p − 1),  the same of v                                                                   (1)
//   error = max_k |e_k| / (ε s_q h/τ),  and |e_v,k| / (ε s_v h/τ)          in smooth steps                      (2)
//   error = max_k |q_½ ⊟ q₁|_k / (η ε s_q)                                where something jumps in the step     (3)
//   h_new = h min(α_max, max(α_min, α error^(−1/p)))                                                           (4)
//
//   p: order of the scheme · ε: the tolerance · s_q = 1 + max |q|, s_v = 1 + max |v|: absolute below 1 (m, rad, m/s), relative above
//   · τ = 1 s: in smooth motion the errors of all steps of a second sum up to ε at most · η: an event may leave that share of it
//   Source: [Acary 2009, 63, 65-67]. Differs: (2) is an error a second, so that what errors sum up to goes with ε; velocities
//   count where nothing jumps, and do not where something does (67), since an impact that one of the two solutions has later makes
//   them differ by all of it.
//
// moreau-adaptive has the rule that was published for Moreau's scheme instead, positions only, with the order p that the step is
// guessed to have, 0 where a contact closes or an event is found in it and 1 elsewhere [Acary 2009, 68-70, §5.2], or always 0 (67):
//
//   error = max_k |q_½ ⊟ q₁|_k / (atol + rtol s),   h_new = h min(5, max(½, error^(−1/(p+1))))               (5)
//
//   s: the largest coordinate before and after · atol: `absolute_tolerance`, rtol: `tolerance`
//
// Both have to be what they are called: a step that its stepper cuts into parts on its own, as one that gains energy, is shortened to
// such a part first.
//
// Where something jumps and (3) does not come below 1, as at an accumulation of impacts that are not located, the step is halved to
// k_smallest_event_step of the interval of outputs and then taken, with a warning: bounded work. In smooth motion the run ends
// there and says which velocity it is.
// Differences that do not fall with the step are what solvers leave: such a step is taken, with a warning.
// Cost: three steps of the scheme for two of half the length, and two copies of the state.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "delassus/steppers/stepper.hpp"

namespace delassus {

struct ControlRule {
  std::string name;         // of the stepper as users know it
  double tolerance = 1e-4;  // ε, rtol
  // atol of (5); none: rtol.
  std::optional<double> absolute;
  int order = 1;             // of the scheme on smooth parts, p
  bool captures = false;     // it captures all events, so that velocities may jump in any step: (3)
  double smallest_step = 0;  // that users allow, beside those of the interval [s]
  // (5) instead of (1)-(4).
  std::optional<OrderGuess> published;
};

class ErrorControl final : public Stepper {
 public:
  ErrorControl(std::unique_ptr<Stepper> stepper, ControlRule rule);

  std::string name() const override { return rule_.name; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return stepper_->last_problem(); }

 private:
  struct Estimate {
    double error = 0;   // (2) or (3); 1 is what is tolerated
    double length = 0;  // max_k |e_k| of positions [m, rad]
    double difference =
        0;  // the larger of those of positions and, in smooth steps, velocities, relative to s_q and s_v [-]
    bool jumps = false;     // (3)
    bool moves = false;     // positions differ by more than (3) tolerates
    bool of_speed = false;  // velocities are what is worst
    int worst = -1;         // velocity that is worst
    int order = 1;          // of the step
  };
  // The step as a whole and in halves: whole_, halves_. False: one of them fails, for the reason in part_.
  bool take(const System& system, double t_end, double t_next);
  Estimate estimate(const System& system, double h);
  // (5), from the positions' differences in error_.
  void estimate_published(const System& system, Estimate& out);
  // Whether a contact is closed at the end of the halves that was open before.
  bool closes_contact() const;
  // (4), (5)
  double next_step(double h, const Estimate& estimate) const;

  std::unique_ptr<Stepper> stepper_;
  ControlRule rule_;
  State now_, whole_, halves_;
  StepReport whole_report_, halves_report_, part_;
  Vector error_;
};

}  // namespace delassus
