// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step tells about itself: events, contact forces, and a certificate that does not depend on the
// solver's word.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "delassus/base/contact_status.hpp"
#include "delassus/base/work_counts.hpp"
#include "delassus/linalg/types.hpp"
#include "delassus/problems/cone.hpp"
#include "delassus/problems/status.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

enum class EventKind : std::uint8_t {
  impact,    // collision located and resolved
  stick,     // slip → stick
  slip,      // stick → slip
  reversal,  // slip → slip the other way, through zero
  facet,  // polyhedral law without alignment: another generator opposes the slip best (Potra et al. 2006, §7.5)
  take_off,    // contact force reached zero
  zeno,        // too many events: event capturing until the end of the step
  fallback,    // the impact law has no solution, or left a contact approaching: bounded Poisson was used
  roll_stop,   // of a contact that resists rolling: it stops rolling
  roll_start,  // it begins to, or goes on the other way
  spin_stop,   // likewise about the normal
  spin_start,
  reduced,  // an impact with less restitution than its surfaces have: all of it would gain energy
};
const char* to_string(EventKind kind);

struct Event {
  double time = 0;
  EventKind kind = EventKind::impact;
  ContactId contact = 0;
  Vector3 velocity_before = Vector3::Zero();  // relative contact velocity, normal first [m/s]
  Vector3 velocity_after = Vector3::Zero();
  Vector3 impulse = Vector3::Zero();  // of an impact, normal first [N·s]
  // Of an impact: kinetic energy after − before, all contacts; of one that was captured see docs/impacts.md [J].
  double energy_change = 0;
};

// A contact at the end of a step; velocities and impulses in the contact frame, normal first.
struct ContactReport {
  ContactId id = 0;
  ContactStatus status = ContactStatus::open;
  double gap = 0;                     // at the end of the step [m]
  Vector3 impulse = Vector3::Zero();  // sum over the step, impacts included [N·s]
  Vector3 couple = Vector3::Zero();   // of the resistance to spinning (first) and rolling, likewise [N·m·s]
  Vector3 velocity = Vector3::Zero();  // at the end of the step [m/s]
  ContactPlace place;                  // at the end of the step: bodies, points, frame
  // The impulse is one choice of many: others can take the load. The least ones are reported (problems/least_forces.hpp).
  bool shared = false;
};

// What row impulses r of a contact, from `row` on, are in its frame: normal first, as force and as couple.
Vector3 contact_impulse(const Cone& cone, double tangent_ratio, const Vector& r, int row);
Vector3 contact_couple(const Cone& cone, const Vector& r, int row);

// Something that went otherwise than it should, although the run goes on.
enum class WarningKind : std::uint8_t {
  step_halved,      // a step was refused and halved
  captured,         // too many events: the rest of a step was captured, not located
  went_on,          // it was taken all the same, as asked (policy warn)
  not_projected,    // joints or contacts could not be put back
  residual,         // the equations of a step are solved badly
  penetration,      // deeper than a step may leave it
  joint_drift,      // likewise of joints
  friction_limits,  // friction in joints was limited by the joint forces of the step before
  energy_gain,      // more energy than forces, motors and moving surfaces have brought
  energy_loss,      // constraints, which should do no work, have taken energy
  start,            // the start violates joints, stops or gaps
  bound,            // monitors: a bound of the energy does not hold, or contact forces can cancel
  tolerance,        // a step whose error is above the tolerance was taken all the same
  setting,          // a scheme or a parameter that can gain energy
  other,
};
const char* to_string(WarningKind kind);

struct Warning {
  WarningKind kind = WarningKind::other;
  std::string text;
};

// The less usable of two outcomes.
SolveStatus worse(SolveStatus a, SolveStatus b);

struct Certificate {
  SolveStatus status = SolveStatus::not_run;  // worst of the step's solves
  double momentum_residual = 0;               // relative, largest of the step (problems/residual.hpp) [-]
  double joint_residual = 0;
  double contact_residual = 0;
  double joint_drift = 0;         // max |Θ| at the end of the step, of the rows that are lengths [m]
  double joint_turn = 0;          // likewise of those that are angles [rad]
  double velocity_drift = 0;      // max |Gᵀ v − target| at the end of the step [m/s]
  double penetration = 0;         // max(0, −min Φ) at the end of the step, of gaps that are lengths [m]
  double stop_excess = 0;         // likewise of those that are angles: how far a stop is passed [rad]
  double relative_depth = 0;      // the deepest of both as a fraction of the size of its bodies [-]
  ContactId deepest_contact = 0;  // that one, where relative_depth > 0
  int worst_joint_row = -1;
  bool has_worst_contact = false;
  ContactId worst_contact = 0;  // of the contact residual or, without contact forces, the deepest
  int iterations = 0;           // pivots, sweeps and steps of all solves; methods tried in vain counted
  int solves = 0;               // one-step problems and impact problems
  int linear_iterations = 0;    // of MINRES, where it was asked for
  int redundant_joint_rows = 0;
  void count_solves(int more) {
    solves += more;
    work_counts().problems += more;
  }
  // The worst of both: of independent bodies, or of two steps one after the other.
  void add(const Certificate& other);
};

// E = T + V now, E(0) at the start; all others are sums since then. What a physicist would compute is
//
//   error = E − E(0) − work − friction − impact − driven = (constraint − driven) + defect                           (1)
//
// Constraints that stand still do no work: what their impulses and the projection did (`normal`, `joints`,
// `projection`) belongs to the error of the scheme, beside `driven`, the work of motions that are prescribed.
struct EnergyReport {
  double kinetic = 0, potential = 0;          // [J]
  double work = 0, friction = 0, impact = 0;  // applied forces and dampers; friction; impacts [J]
  double driven = 0;                          // motors that prescribe a motion, surfaces that move [J]
  double normal = 0, joints = 0;              // normal and joint impulses, driven work included [J]
  double projection = 0;                      // [J]
  double constraint = 0;                      // normal + joints + projection [J]
  double defect = 0;                          // what no sum above accounts for: that of the bookkeeping [J]
  double error = 0;                           // (1) [J]
};

// What a step of error control is as long as it is for.
enum class StepReason : std::uint8_t {
  position,  // the error of a position
  velocity,  // of a velocity
  event,     // something jumps in it
  failure,   // a longer one could not be solved
  output,    // what lies within a longer one could not be shown well, or inputs may change
  longest,   // it is the longest one that is allowed
  growth,    // longer than the one before by as much as is allowed: nothing holds it back
};
const char* to_string(StepReason reason);

struct ControlledStep {
  double t = 0, length = 0;  // where it began [s]
  StepReason reason = StepReason::growth;
  int velocity = -1;  // whose error it was
  bool has_contact = false;
  ContactId contact = 0;  // of the first event in it
};

struct StepReport {
  bool ok = true;  // false: the state is the last good one and `message` says why
  std::string message;
  bool stopped = false;  // ok is false because of request_stop(), not of the step
  std::vector<Warning> warnings;
  bool stopped_at_event =
      false;  // given up as asked for, see StepRequest; nothing else of the report counts then
  double t_begin = 0, t_end = 0;
  int substeps = 0, rejected = 0;
  // With error control (steppers/error_control.hpp): the shortest step that was taken, and the sum of their estimated errors of
  // positions; zeros otherwise [s; m, rad].
  double smallest_step = 0, local_errors = 0;
  std::vector<ControlledStep> controlled;  // all that were taken
  // Of computing steps that were taken and refused, and what lies between them [s].
  struct Seconds {
    double taken = 0, refused = 0, outputs = 0;
  } seconds;
  int captured = 0;  // islands of a scheme that locates events which took the step with their events captured
  // Of contacts that came below their surface without having entered the step, before they were lifted: by how much [m; rad].
  struct Missed {
    double length = 0, angle = 0;
  } missed;
  bool amid_impact =
      false;  // a scheme whose impacts take two steps is between them: what they take comes back in part
  std::vector<Event> events;
  std::vector<ContactReport> contacts;  // candidates that are active or were hit, ascending ids
  Vector joint_impulses;                // sum over the step [N·s]
  // Of the bilateral rows: at the end of the step where the scheme knows them, their mean over the step otherwise [N].
  Vector joint_forces;
  // Of the bilateral rows: 1 where contacts can take the load, so that the impulse is one choice of many; empty: of none.
  std::vector<char> shared_joint_rows;
  Certificate certificate;
  // What the step has computed, refused trials included; filled in by Simulation::step.
  WorkCounts work;
  EnergyReport energy;
  void warn(WarningKind kind, std::string text) { warnings.push_back({kind, std::move(text)}); }
  void clear();
  // What happened next, as one step.
  void append(const StepReport& next);
};

}  // namespace delassus
