// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step tells about itself: events, contact forces, and a certificate that does not depend on the
// solver's word.
#pragma once
#include <string>
#include <vector>

#include "delassus/base/contact_status.hpp"
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
  fallback,    // the simplified impact law left an approaching contact: Poisson was used
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
  double energy_change = 0;           // of an impact: kinetic energy after − before, all contacts [J]
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
};

// What row impulses r of a contact, from `row` on, are in its frame: normal first, as force and as couple.
Vector3 contact_impulse(const Cone& cone, double tangent_ratio, const Vector& r, int row);
Vector3 contact_couple(const Cone& cone, const Vector& r, int row);

struct Certificate {
  SolveStatus status = SolveStatus::not_run;  // worst of the step's solves
  double momentum_residual = 0;               // relative, largest of the step (problems/residual.hpp) [-]
  double joint_residual = 0;
  double contact_residual = 0;
  double joint_drift = 0;     // max |Θ| at the end of the step [m]
  double velocity_drift = 0;  // max |Gᵀ v − target| at the end of the step [m/s]
  double penetration = 0;     // max(0, −min Φ) at the end of the step [m]
  int worst_joint_row = -1;
  bool has_worst_contact = false;
  ContactId worst_contact = 0;  // of the contact residual or, without contact forces, the deepest
  int iterations = 0;           // pivots, sweeps and steps of all solves; methods tried in vain counted
  int solves = 0;               // one-step problems and impact problems
  int redundant_joint_rows = 0;
};

struct EnergyReport {
  double kinetic = 0, potential = 0;                          // [J]
  double work = 0, friction = 0, impact = 0, constraint = 0;  // running sums since the start [J]
  double defect = 0;  // E(t) − E(0) − all work: the scheme's energy error [J]
};

struct StepReport {
  bool ok = true;  // false: the state is the last good one and `message` says why
  std::string message;
  bool stopped_at_event =
      false;  // given up as asked for, see StepRequest; nothing else of the report counts then
  std::vector<std::string> warnings;
  double t_begin = 0, t_end = 0;
  int substeps = 0, rejected = 0;
  std::vector<Event> events;
  std::vector<ContactReport> contacts;  // candidates that are active or were hit, ascending ids
  Vector joint_impulses;                // sum over the step [N·s]
  // Of the bilateral rows: at the end of the step where the scheme knows them, their mean over the step otherwise [N].
  Vector joint_forces;
  Certificate certificate;
  EnergyReport energy;
  void clear();
};

}  // namespace delassus
