// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps that gain energy from nowhere or let contacts get deep, because the motion is too fast for them: whether to take
// them again in halves.
#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "delassus/steppers/options.hpp"
#include "delassus/steppers/step_in_progress.hpp"
#include "delassus/steppers/trial_booking.hpp"

namespace delassus {

class GainWatch {
 public:
  // Halvings that a step is worth, and how many more where it blows up.
  static constexpr int k_halvings = 6, k_more_halvings = 6;

  // A new step; no attempt at it has been made.
  void restart() {
    last_ = std::numeric_limits<double>::infinity();
    in_vain_ = 0;
  }
  // An attempt begins at step.now.
  void begin(const StepInProgress& step);
  const Energies& energies_before() const { return before_; }
  // What has come from nowhere up to step.now, where another halving may help; 0 otherwise [J]. `v_free`: velocity at the end
  // of the last part, had no contact pushed. Friction that gives energy counts where surfaces stand still. In a `captured` step
  // impacts that gain count, too, but not what lifting does, which has its own bound (capturing_stepper.hpp).
  double gained(const StepInProgress& step, const Vector& v_free, bool captured);
  // Halvings that the last gain is worth, of at most `most` for other reasons.
  int halvings_worth(int most) const {
    return blows_up_ ? most + k_more_halvings : std::min(k_halvings, most);
  }
  // The last resort, of an island: what is left of a gain after all halvings is taken out of its velocities,
  //
  //   v ← s v,   s² = 1 − gain / T                                                                     (1)
  //
  // and booked as projection, with a warning. Rows that hold, stick or slip go on doing so. Not where prescribed motions or
  // surfaces that move do work of their own.
  void take_out(StepInProgress& step, const Vector& v_free, bool captured);

  // Whether the gain measured last is more than there was.
  bool blows_up() const { return blows_up_; }
  // The same of the step as it is now. Such a step fails, if it has not: its state is of no use to anyone, and that before it is
  // the last good one.
  bool refuses(StepInProgress& step, const Vector& v_free, bool captured);

 private:
  // What moves at the end beyond all that can have brought it there, whatever the ledger says: bookings of a motion that has blown
  // up may be as large as it is, and of either sign [J].
  double kinetic_excess(const StepInProgress& step, const Energies& end, bool takes_only) const;
  // The gain where it is more than a step may gain, 0 otherwise [J]; `in_play`: the energy that it is measured by.
  double measure(const StepInProgress& step, const Vector& v_free, bool captured, double& in_play);
  double round_off_before(const System& system);
  Phase begin_;
  Energies before_;
  EnergyLedger ledger_;
  double last_ = std::numeric_limits<double>::infinity();  // gain of the last attempt [J]
  bool blows_up_ = false;                                  // the gain measured last is more than there was
  int in_vain_ = 0;                                        // halvings one after the other that did not help
  BlockMatrix M_;
  Vector k_;
  Configuration at_;
};

// Attempts at a step that were refused.
class RefusedAttempts {
 public:
  void add(const StepReport& report);
  // Why, and how many, into the report of the one that was taken.
  void tell(StepReport& report) const;

 private:
  std::vector<Warning> why_;  // what else happened in them did not
  int rejected_ = 0;
};

// Takes a step by `take(retries)`, and again as long as `halve(retries)` finds that it should be. Halves that fail leave the
// attempt before them.
template <typename Take, typename Halve>
void take_or_halve(StepReport& report, const Take& take, const Halve& halve) {
  RefusedAttempts refused;
  Retries retries{.h_limit = std::numeric_limits<double>::infinity()};
  take(retries);
  for (Retries last = retries; report.ok && halve(retries); last = retries) {
    refused.add(report);
    take(retries);
    if (report.ok || report.stopped || report.stopped_at_event) continue;
    take(last);
    break;
  }
  if (!report.stopped_at_event) refused.tell(report);
}

// Halvings that a step is worth in which a contact got too deep: what does not help soon mostly does not help at all, but where
// it is deeper than a step may leave it all of them are.
int deep_halvings(const StepInProgress& step);
// Where a contact got deeper in the step from `begin` than `tolerated`, relative to its bodies: which one and how deep; what
// was there before is not the step's. Empty otherwise.
std::string deepened(const StepInProgress& step, const State& begin, double tolerated);

// Whether the step from `begin` may be taken in halves once more: not more than `most` times, nor below the smallest step.
bool may_halve(const StepInProgress& step, const State& begin, const StepperOptions& options,
               const Retries& retries, int most);
// Half the steps from now on, and a warning that says why.
void halve_step(const StepInProgress& step, const State& begin, const std::string& why, Retries& retries);

}  // namespace delassus
