// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A tolerance instead of a time step: steps of any scheme whose length follows from an estimate of their error. A step h is
// taken once as a whole, q₁, and once in halves, q_½, from the same state. The halves are what is kept.
//
//   e = (q_½ ⊟ q₁)/(2^p − 1),  the same of v                                                                   (1)
//   error = max_k |e_k| / (a_k h/τ),  and |e_v,k| / (a_v,k h/τ)            in smooth steps                      (2)
//   error = max_k |q_½ ⊟ q₁|_k / (η a_k),  and (−Φ_½ − max(0, −Φ₀))/(η a)  where something jumps in the step     (3)
//   h_new = h min(α_max, max(α_min, α error^(−1/p)))                                                           (4)
//
//   p: order of the scheme · a_k = atol + ε s: what is tolerated, by kind of coordinate (error_scales.hpp)
//   · Φ₀, Φ_½: gap of a contact before and after: where events are captured, both solutions may be below a surface that neither has seen
//   · τ = 1 s: in smooth motion the errors of all steps of a second sum up to a_k at most · η: an event may leave that share of it; of
//   velocities, too, where no event is an impact
//   Source: [Acary 2009, 63, 65-67]. Differs: (2) is an error a second, so that what errors sum up to goes with ε; velocities
//   count where nothing jumps, and do not where something does (67), since an impact that one of the two solutions has later makes
//   them differ by all of it.
//
// moreau-adaptive has the rule that was published for Moreau's scheme instead, positions only, with the order p that the step is
// guessed to have, 0 where a contact closes or an event is found in it and 1 elsewhere [Acary 2009, 68-70, §5.2], or always 0 (67):
//
//   error = max_k |q_½ ⊟ q₁|_k / (atol + rtol s),   h_new = h min(5, max(½, error^(−1/(p+1))))               (5)
//
//   s: the largest coordinate before and after · rtol = ε
//
// Both have to be what they are called: a step that its stepper cuts into parts on its own, as one that gains energy, is shortened to
// such a part first; one with an event near its middle, which cuts the whole as the halves are cut, ends earlier.
//
// **Outputs.** A step in which nothing jumps may go past points of output: the state there is interpolated (dense_output.hpp), and the
// error of that is tolerated as (2) is in a second; steps that pass are no longer than that allows. One with an event is taken again, up to
// shortly before the event or to the next output. So no output lies beyond an event of its step. The step ahead is part of the state: a run
// that is stopped between its ends goes on with the same bits. Where contacts are possible no step turns a body by more than ½ rad, so that
// gaps can be followed from its ends; where forces depend on time none is longer than ten intervals of outputs, unless `longest` says so, and
// what forces do between the points that it looks at (time_samples.hpp) is tolerated as (3) is.
//
// Where something jumps and (3) does not come below 1, as at an accumulation of impacts that are not located, the step is halved to
// k_smallest_event_step of the interval of outputs, or of 0.01 s, and then taken, with a warning: bounded work; after some of these a
// larger part is the smallest until the next output. In smooth motion the run ends there and says which velocity it is.
// Differences that do not fall with the step are what solvers leave: such a step is taken, with a warning.
// Cost: three steps of the scheme for two of half the length, and two copies of the state.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "delassus/steppers/dense_output.hpp"
#include "delassus/steppers/error_scales.hpp"
#include "delassus/steppers/stepper.hpp"
#include "delassus/steppers/time_samples.hpp"

namespace delassus {

struct ControlRule {
  std::string name;         // of the stepper as users know it
  double tolerance = 1e-4;  // ε, rtol
  AbsoluteTolerances absolute = {};
  int order = 1;                       // of the scheme on smooth parts, p
  bool captures = false;               // it captures all events, so that velocities may jump in any step: (3)
  std::optional<double> longest = {};  // [s]
  double smallest_step = 0;            // that users allow, beside those of the interval [s]
  // (5) instead of (1)-(4).
  std::optional<OrderGuess> published = {};
};

class ErrorControl final : public Stepper {
 public:
  ErrorControl(std::unique_ptr<Stepper> stepper, ControlRule rule);

  std::string name() const override { return rule_.name; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return stepper_->last_problem(); }
  bool stops_before_contact() const override { return stepper_->stops_before_contact(); }

 private:
  struct Estimate {
    double error = 0;   // (2) or (3); 1 is what is tolerated
    double length = 0;  // max_k |e_k| of positions [m, rad]
    // The larger one of positions and, in smooth steps, velocities, as a part of what ε = 1 would tolerate [-].
    double difference = 0;
    double round_off = 0;   // the largest as a part of what counts as none [-]
    double shown = 0;       // error of outputs within the step; 1 is what is tolerated
    bool jumps = false;     // (3)
    bool breaks = false;    // something jumps that has been seen: an event, a contact that closes
    bool moves = false;     // positions differ by more than (3) tolerates
    bool of_speed = false;  // velocities are what is worst
    int worst = -1;         // velocity that is worst
    int order = 1;          // of the step
  };
  // What the step at hand is as long as it is for.
  struct Cause {
    StepReason reason = StepReason::growth;
    int velocity = -1;
  };
  struct Choice {
    double step = 0;
    bool passes = false;  // it goes past the next output
    bool cut = false;     // it is shorter than the error asks for
    Cause cause;
  };
  // Goes on with a step ahead, if there is one: to its end, or to the next output if that is nearer.
  void go_on_ahead(const System& system, const StepRequest& request, StepReport& report);
  Choice choose(const System& system, const StepRequest& request, double h, double pass_limit) const;
  double longest_step(const System& system, double unit) const;
  // The step as a whole and in halves: whole_, middle_, halves_. False: one of them fails, for the reason in failed_.
  bool take(const System& system, double t_end, double t_next);
  Estimate estimate(const System& system, double h);
  // (5), from the positions' differences in error_.
  void estimate_published(const System& system, Estimate& out);
  // How far off outputs within the step are, by the interpolant of ahead_.
  double estimate_shown(const System& system, bool velocities);
  // An event near the middle of the step: the smooth part that follows it, or precedes it, is as long in the halves, and its error is not seen.
  bool is_cut_alike(double step) const;
  // How much deeper a contact is at the end of the halves than before them, or was before it was lifted, as (3) has it.
  double deepening(const System& system) const;
  // Whether a contact is closed at the end of the halves that was open before.
  bool closes_contact() const;
  // (4), (5)
  double next_step(double h, const Estimate& estimate) const;
  static Cause cause_of(const Estimate& estimate);
  // How long a step may be to end before the first event of the one at hand, which passes the next output; 0: it is to end there.
  double limit_before_events(double step, double rest) const;
  void accept(const System& system, const Choice& choice, const StepRequest& request, StepReport& report);
  // The state at the next output, which the step at hand has passed.
  void show(const System& system, double t, StepReport& report);
  // "the tolerance 1e-6 is not met by a step of … s: the velocity 'x' is off by … times what is tolerated"
  std::string not_met(const System& system, double step, const Estimate& found) const;

  std::unique_ptr<Stepper> stepper_;
  ControlRule rule_;
  ErrorScales scales_;
  DenseOutput dense_;
  TimeSamples samples_;
  StepAhead ahead_;
  State now_, whole_, middle_, halves_;
  StepReport whole_report_, first_report_, second_report_, failed_, part_;
  Vector error_, shown_error_;
  Cause cause_;  // of the next step; told only
};

}  // namespace delassus
