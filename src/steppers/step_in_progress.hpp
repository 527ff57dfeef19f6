// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The step in progress, as a value: what `advance` begins with the state, hands to the stages of the step, and leaves to
// the state and the report at the end. What a stage needs is an argument of it, what it finds is what it returns.
#pragma once
#include <string>

#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// A point in phase space.
struct Phase {
  double t = 0;
  Vector q, v;
  bool operator==(const Phase& other) const = default;
};

// A phase and what the system is there, each evaluated once.
struct PhasePoint {
  Phase phase;
  Configuration at;      // of (t, q)
  BilateralRows joints;  // likewise
  ContactSet
      contacts;  // likewise, with the velocities of v; of whichever contacts the step in progress follows

  // Configuration and joints at (phase.t, phase.q).
  void place(const System& system) {
    system.configure(phase.t, phase.q, at);
    system.bilateral(at, joints);
  }
};

struct StepRequest {
  double t_end = 0;  // the grid point to reach; the step is t_end − state.t
  // The grid point after it, if the run goes on: contacts of the end are then found for the step that follows, which
  // takes them over. The result does not depend on it.
  double t_next = 0;
  // With error control: steps may go past t_end, and the state there come from what lies between their ends
  // (dense_output.hpp). Not where inputs change at t_end.
  bool may_pass = false;
  // A step with an event is given up: the state stays, and the report says so (StepReport::stopped_at_event).
  bool stop_at_event = false;
  // The same after `most_events` events where more than `few_contacts` are near, when not zero.
  int most_events = 0;
  std::size_t few_contacts = 0;
  // When not null: where the bodies get to in the step is added here.
  Reach* reach = nullptr;
};

// Memory of trial_booking.hpp.
struct WorkScratch {
  Vector mean, v, way, q;
  Configuration at;
};

// What every step has, whatever its scheme.
struct StepInProgress {
  const System* system = nullptr;
  StepRequest request;
  StepReport* report = nullptr;
  History history;
  PhasePoint now;
  WorkScratch work;
  // What projection has raised the potential energy by; the rest of what the ledger books for it is of velocities [J].
  double lifted = 0;

  // From the state: clears the report, places `now`, and starts the ledger of energies in the first step of a run.
  void begin(const System& the_system, const State& state, const StepRequest& the_request,
             StepReport& the_report);
  bool goes_on() const;
  double rest() const { return request.t_end - now.phase.t; }
  // A step that succeeded ends on the grid, whatever the round-off of its parts.
  void snap_to_end();
  // The joint forces of the last step, which was as long as this one [N]; empty in the first.
  void find_last_joint_forces(Vector& out) const;
  // Ends the step with a message that names its time.
  void fail(const std::string& why) const;
};

// What to add to a message about a step of h that could not be halved because of the smallest step; empty where that was not why.
std::string smallest_step_note(double smallest_step, double h);
// Whether an event at t follows the last one at `last` (−∞: none) faster than the smallest step. Events at the same instant do not
// follow each other.
bool follows_too_fast(double smallest_step, double last, double t);

struct Energies {
  double kinetic = 0, potential = 0;  // [J]
  double total() const { return kinetic + potential; }
};
// `M`: memory for the mass matrix.
Energies energies(const System& system, const PhasePoint& point, BlockMatrix& M);

}  // namespace delassus
