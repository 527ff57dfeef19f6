// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// How wrong a run is, by running it again: beside the run q₀ goes a finer one q₁ and a still finer one q₂ (half the step and a quarter
// of it, or a quarter of the tolerance and a sixteenth). At every point of the grid
//
//   d₁ = max |q₀ ⊟ q₁|,   d₂ = max |q₁ ⊟ q₂|,   r = d₂/d₁                                          (1)
//
// If the errors of the three go like a geometric series, e₀ = (q₀ ⊟ q₁)/(1 − r). For a scheme of order p, r = 2^−p; here it is what the runs
// show. Both are taken as their largest values in a window around the time, since differences of what swings pass through zero.
//
// Where r > 0.7 the runs do not converge (chaotic motions, impacts that come in another order): the error is not predictable from
// there on, until d₁ falls below a tenth of what d₂ has been, or what converges is ten times that. Such a time is said, never a number.
// Where all events are captured by steps of one length, an impact comes late by any part of a step, and errors of order 1 are multiples of the step
// that scatter: one that is small by chance is no sign of anything. Finer runs have a fourth and a sixteenth of the step there, both differences are
// taken as their largest values since the start, and the error is predictable where r ≤ 0.5 at last.
// With a tolerance errors of single steps are known, and need not go with it smoothly: runs whose d₁ and d₂ are at most ten times their
// sum, or a tenth of what is tolerated, diverge nowhere, and r counts as 0.7. Finer runs have shorter intervals of outputs, too, since these may
// be what bounds the steps.
// Cost: 7 runs of a fixed step, 21 where it captures all events; with a tolerance 7 for order 2 and 20 for order 1.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "delassus/recorder/run_summary.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus {

class ErrorEstimator {
 public:
  // Of a simulation of this scene that is at its start, or where it was resumed. Controllers and observers of it are not known here.
  ErrorEstimator(const Scene& scene, const Simulation& simulation);

  // At a point of the grid, after a step: the finer runs go there.
  void compare(const Simulation& simulation);
  // What all comparisons together say about the end.
  ErrorEstimate at_end(const Simulation& simulation) const;

  struct Comparison {
    double t = 0;           // [s]
    double d1 = 0, d2 = 0;  // (1) [m, rad]
    double steps = 0;       // sum of the estimated errors of steps so far [m, rad]; 0 without a tolerance
    int worst = -1;         // velocity where d1 is largest
  };
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

 private:
  std::unique_ptr<Simulation> fine_, finest_;
  std::vector<Comparison> comparisons_;
  double failed_from_ = 0;
  std::string failure_;  // of a finer run; empty: none
  Vector difference_;
};

}  // namespace delassus
