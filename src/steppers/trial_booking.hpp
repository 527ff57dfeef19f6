// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a trial step with contacts, whatever the scheme: judged by the user's policy, and when it is taken
// written into the certificate, the ledger of energies and the report.
#pragma once
#include <span>
#include <vector>

#include "delassus/steppers/report.hpp"
#include "delassus/steppers/step_kernel.hpp"

namespace delassus {

// The step size that failures leave, within one call of advance.
struct Retries {
  double h_limit = 0;  // no step is longer; the caller starts with infinity [s]
  int halvings = 0;
};

// Counts the solve. True: the trial may be taken. Otherwise retries.h_limit has been halved, or the report is failed.
bool judge_trial(const System& system, const StepperOptions& options, double t,
                 std::span<const ContactId> ids, Projector& projector, Trial& trial, Retries& retries,
                 StepReport& report);

// Books `fraction` of a trial that goes from `begin` to `end`. `held_friction` gets the friction rows of joints that
// stuck.
void book_trial(const System& system, const Phase& begin, const Phase& end, const Trial& trial,
                std::span<const ContactId> ids, double fraction, std::vector<int>& held_friction,
                EnergyLedger& energy, StepReport& report);

void warn_not_projected(double t, StepReport& report);
// Runs `project`, which moves `phase` and says whether it could, and books what it did to the energy and to the joint
// impulses.
template <typename Project>
void book_projection(const System& system, Phase& phase, const Projector& projector, BlockMatrix& M,
                     EnergyLedger& energy, StepReport& report, const Project& project) {
  const auto total = [&] {
    system.mass(phase.t, phase.q, M);
    return kinetic_energy(M, phase.v) + system.potential_energy(phase.t, phase.q);
  };
  const double before = total();
  if (project()) {
    // The rows of a scheme of order 1 leave O(h) of v to the projection: part of what the joint carries.
    const Eigen::Index joints = report.joint_impulses.size();
    if (projector.impulses().size() >= joints) report.joint_impulses += projector.impulses().head(joints);
  } else {
    warn_not_projected(phase.t, report);
  }
  energy.projection += total() - before;
}
// The entry of a contact in a report, made when there is none.
ContactReport& contact_report(ContactId id, StepReport& report);

}  // namespace delassus
