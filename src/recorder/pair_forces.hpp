// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contact forces summed up, in world axes: between two bodies, and on each body.
//
//   f = Σ f_c,    m = Σ (p_c − x) × f_c + c_c        about x, the centre of mass of the body they act on     (1)
//
//   f_c force on the second body of contact c at its point p_c [N] · c_c couple of the resistance to rolling and
//   spinning [N·m]
//
// Means over a step: impulses, those of impacts among them, divided by its length. So a step with an impact shows a large
// force that grows as the step shrinks; its impulse is what counts. Contacts whose bodies or place are not known (stops of
// joints, contacts in user coordinates) are left out. Of the forces per contact only sums like these are always unique
// (steppers/contact_diagnosis.hpp).
#pragma once
#include <vector>

#include "delassus/recorder/recording.hpp"
#include "delassus/system/state.hpp"

namespace delassus {

// What body a does to body b; a < b, −1 is the world. On a acts the opposite force, at the same points.
struct PairForce {
  ContactBodies bodies;
  Vector3 force = Vector3::Zero();   // on b [N]
  Vector3 moment = Vector3::Zero();  // on b, about the centre of mass of b [N·m]
  int contacts = 0;                  // that were closed or hit
};

// All contact forces on a body.
struct BodyWrench {
  int body = 0;
  Vector3 force = Vector3::Zero();   // [N]
  Vector3 moment = Vector3::Zero();  // about its centre of mass [N·m]
};

// Pairs in ascending order of (a, b); bodies in ascending order, those with contacts only.
struct ContactForces {
  std::vector<PairForce> pairs;
  std::vector<BodyWrench> wrenches;
};

// Of the step that led to `state`, and of a frame of a recording.
ContactForces sum_contact_forces(const System& system, const State& state, const StepReport& report);
ContactForces sum_contact_forces(const Recording& recording, int frame);

}  // namespace delassus
