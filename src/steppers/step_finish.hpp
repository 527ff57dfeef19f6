// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What every stepper does at the beginning and at the end of a step, whatever its scheme: the energy that the
// ledger starts from, the certificate of the joints and the energies at the end, and all of it into the state.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/steppers/step_in_progress.hpp"

namespace delassus {

// What a ledger says about energies now: (1) of report.hpp.
EnergyReport make_energy_report(double kinetic, double potential, const EnergyLedger& ledger);

class StepFinisher {
 public:
  // Why the stepper `name`, which takes joints only, cannot take this step; empty when no contact could close.
  std::string check_joints_only(const StepInProgress& step, const std::string& name);

  // The contacts of step.now within h become step.now.contacts: those that the last step has found at its end, if it
  // ended here and for a step of h; searched for otherwise.
  void find_contacts(StepInProgress& step, double h);
  // The certificate of the contacts at the end: how deep the deepest is, and the state of those reported.
  // `known`: a set that may be at the end; what it has there is not evaluated again.
  void finish_contacts(StepInProgress& step, const ContactSet& known);
  // All contacts that finish_contacts() has found, until a step takes them over.
  const ContactSet& found() const { return found_.contacts; }
  // Drift of the joints and energies at the end; then phase and history become the state.
  void finish(StepInProgress& step, State& state);

 private:
  // What outlives a step: the contacts that were found at its end, for the step that follows. They are the same bits
  // that a search at its beginning finds, and are taken only where system, phase and h are the same.
  struct Found {
    std::uint64_t system = 0;  // its number; 0: nothing was found
    double h = 0;
    Vector v;
    ContactSet contacts;
  };
  Found found_;
  BlockMatrix M_;
  Vector joint_velocity_;
  std::vector<ContactId> far_;
  ContactSet searched_, at_far_;
  FrictionRows friction_;
};

}  // namespace delassus
