// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a scheme has computed, in units that do not depend on the machine or its load: counted where it is computed, whatever becomes
// of it. Steps that were refused, given up or taken to estimate an error are work, too.
//
// Each thread has its own counts. What is counted runs on the thread of the step and never within parallel loops, so that the difference
// before and after a step is that step's, for any number of threads.
#pragma once

namespace delassus {

struct WorkCounts {
  long forces = 0;       // evaluations of k(t, q, v): right-hand sides
  long derivatives = 0;  // of ∂k/∂q and ∂k/∂v
  long factorisations =
      0;  // of the matrices of steps, impacts, accelerations, Newton corrections and projections, joints included
  long problems =
      0;  // one-step problems and impact problems, those of projections and implicit equations of a step included

  WorkCounts& operator+=(const WorkCounts& other) {
    forces += other.forces;
    derivatives += other.derivatives;
    factorisations += other.factorisations;
    problems += other.problems;
    return *this;
  }
  WorkCounts operator-(const WorkCounts& other) const {
    return {forces - other.forces, derivatives - other.derivatives, factorisations - other.factorisations,
            problems - other.problems};
  }
  bool operator==(const WorkCounts&) const = default;
};

// Of this thread, since it began.
inline WorkCounts& work_counts() {
  thread_local WorkCounts counts;
  return counts;
}

}  // namespace delassus
