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
  // Limits of friction in joints are those of the joint forces in the last step, because they do not settle in this one.
  bool known_limits = false;
};

// Counts the solve, the last one of `kernel`. True: the trial may be taken. Otherwise retries.h_limit has been halved,
// retries.known_limits set, or the report is failed, with the names of contacts that jam where that is the reason.
bool judge_trial(const StepInProgress& step, const StepperOptions& options, std::span<const ContactId> ids,
                 const StepKernel& kernel, Projector& projector, Trial& trial, Retries& retries);

// Work of the forces without potential over a step with weight α of the new forces (step_formula.hpp) [J].
double nonconservative_work(const System& system, const PhasePoint& begin, const PhasePoint& end,
                            double alpha, WorkScratch& scratch);

// Books `fraction` of a trial that goes from step.now to `end`.
void book_trial(StepInProgress& step, const PhasePoint& end, const Trial& trial,
                std::span<const ContactId> ids, double fraction);

// Names the joint or the contact of `contacts`, which are those at step.now, that is off most.
void warn_not_projected(const StepInProgress& step, const ContactSet& contacts);
// Runs `project`, which moves step.now and says whether it could, and books what it did to the energy and to the joint
// impulses. `contacts`: those it is about, at step.now.
template <typename Project>
void book_projection(StepInProgress& step, const Projector& projector, BlockMatrix& M,
                     const ContactSet& contacts, const Project& project) {
  const System& system = *step.system;
  StepReport& report = *step.report;
  const Energies before = energies(system, step.now, M);
  if (project()) {
    // The rows of a scheme of order 1 leave O(h) of v to the projection: part of what the joint carries.
    const Eigen::Index joints = report.joint_impulses.size();
    if (projector.impulses().size() >= joints) report.joint_impulses += projector.impulses().head(joints);
    step.history.energy.driven += projector.driven_work();
  } else {
    warn_not_projected(step, contacts);
  }
  const Energies after = energies(system, step.now, M);
  step.history.energy.projection += after.total() - before.total();
  step.lifted += after.potential - before.potential;
}
// The impact of contact c, whose rows begin at `row`, that a trial has captured; σ as in step_formula.hpp.
Event captured_impact(const Trial& trial, const ContactSet& contacts, std::size_t c, int row,
                      const RowShift& shift, double sigma);
// The entry of a contact in a report, made when there is none.
ContactReport& contact_report(ContactId id, StepReport& report);

}  // namespace delassus
