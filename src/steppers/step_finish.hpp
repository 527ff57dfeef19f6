// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What every stepper does at the beginning and at the end of a step, whatever its scheme: the energy that the
// ledger starts from, the certificate of the joints and the energies at the end, and all of it into the state.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/steppers/contact_kinematics.hpp"
#include "delassus/steppers/report.hpp"

namespace delassus {

// A rest of a step below this fraction of the time itself is round-off of the grid.
bool reached(double t, double t_end);

// The less usable of two outcomes.
SolveStatus worse(SolveStatus a, SolveStatus b);

// Ends a step with a message that names its time.
void fail_step(double t, const std::string& why, StepReport& report);

class StepFinisher {
 public:
  // Before the first step of a run.
  void start_ledger(const System& system, const Phase& phase, EnergyLedger& ledger);
  // Why the stepper `name`, which takes joints only, cannot take a step of h; empty when no contact could close.
  std::string check_joints_only(const System& system, const Phase& phase, double h, const std::string& name);
  // The certificate of the contacts at the end: how deep the deepest of `ids` is, and the state of those reported.
  void finish_contacts(const System& system, const Phase& phase, std::span<const ContactId> ids,
                       const History& history, StepReport& report);
  // Drift of the joints and energies at `phase`; then phase and history become the state.
  void finish(const System& system, const Phase& phase, History& history, StepReport& report, State& state);

 private:
  BlockMatrix M_;
  BilateralRows bilateral_;
  Vector joint_velocity_;
  std::vector<ContactId> candidates_, reported_, others_;
  Vector gaps_, margins_;
  ContactKinematics at_reported_;
  FrictionRows friction_;
};

}  // namespace delassus
