// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What the steppers that solve their equations by Newton's method have in common: the way to the next grid point,
// in shorter steps where Newton's method fails (FailurePolicy), and the report. For smooth motions with joints: a
// contact that could close ends the step with a message.
#pragma once
#include <string>

#include "delassus/steppers/dae/kkt_newton.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/stepper.hpp"

namespace delassus {

// The level of derivatives that the options ask for.
DerivativeLevel derivative_level(const StepperOptions& options);

class ImplicitStepper : public Stepper {
 public:
  ImplicitStepper(std::string name, const StepperOptions& options)
      : options_(options), name_(std::move(name)), newton_(options.linear_solver) {}
  ImplicitStepper(const ImplicitStepper&) = delete;
  ImplicitStepper& operator=(const ImplicitStepper&) = delete;

  std::string name() const override { return name_; }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;

 protected:
  // Before a part of h; a message when it cannot begin.
  virtual std::string prepare(StepInProgress& /*step*/, double /*h*/) { return {}; }
  // The equations of a part of h from step.now; sets x and Λ to the predictor.
  virtual KktEquations& begin(const StepInProgress& step, double h, Vector& x, Vector& Lambda) = 0;
  // Moves step.now and its history to the solution (x, Λ), and books impulses and work.
  virtual void accept(StepInProgress& step, double h, const Vector& x, const Vector& Lambda) = 0;

  const StepperOptions options_;

 private:
  // False: nothing was done, h_limit is smaller or the step has failed.
  bool take_step(const StepInProgress& step, double h, double& h_limit, int& halvings);

  std::string name_;
  KktNewton newton_;
  StepFinisher finisher_;
  // Memory only: begun anew by every advance, or written before it is read.
  StepInProgress step_;
  Vector x_, Lambda_;
};

}  // namespace delassus
