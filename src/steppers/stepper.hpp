// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The stepper plug point.
#pragma once
#include <memory>
#include <string>

#include "delassus/problems/problem.hpp"
#include "delassus/problems/solver.hpp"
#include "delassus/steppers/options.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/steppers/step_in_progress.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual std::string name() const = 0;
  // Moves the state to request.t_end, events on the way resolved. On failure report.ok is false and the state
  // is the last good one (its t may lie between the grid points). What the stepper keeps between calls is
  // workspace only.
  virtual void advance(const System& system, State& state, const StepRequest& request,
                       StepReport& report) = 0;
  // The last one-step problem with contacts or joints that the scheme solved, as it stood; null: it forms none.
  virtual const Problem* last_problem() const { return nullptr; }
  // Whether contacts are slowed down before they close, which is not told from the work of closed ones.
  virtual bool stops_before_contact() const { return false; }
};

}  // namespace delassus
