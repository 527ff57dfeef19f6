// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run left behind, and the file it is kept in.
//
// A run writes DIR/recording.h5.part and renames it to DIR/recording.h5 when it ends. The .part file of a run
// that goes on or was killed is readable up to its last flush; in h5py: h5py.File(path, "r", swmr=True) with
// libver="latest", and only the rows that /committed counts. After a restart in the same directory the .part
// file, where there is one, belongs to the newer run.
//
// Layout, format version 6: n frames, m contact rows, e events, c contact names; nq, nv, nb bodies, nj joint
// rows, nx joint coordinates, nr joints and motors with reactions. Numbers are little endian: float64 unless the type is
// given. SI units, quaternions (w, x, y, z), all vectors of bodies in world axes, contact triples with the
// normal first. NaN: not known. Older versions are read as well: 5 has no deepest contacts, 4 has 7
// energies and 6 numbers of the certificate a frame, 3 no couples and centres of mass (zero then), 2 no
// normals and bodies of contacts (NaN and −1
// then), 1 no joint coordinates and reactions either (nx = nr = 0).
//
//   /meta                           attributes format_version (int64), program, title, description
//   /meta/scene_text                text: the scene as it was run
//   /meta/setting_names             k texts       /meta/setting_values      k texts
//   /meta/body_names                nb texts      /meta/coordinate_names    nq texts
//   /meta/body_centers              3 nb          centres of mass in the frames of the bodies [m]
//   /meta/joint_names               nj texts      /meta/reaction_names      nr texts
//   /meta/joint_coordinate_names    nx texts      /meta/joint_coordinate_units    nx texts: "m" or "rad"
//   /committed                      5 int64: n, m, e, c, and 1 when the run ended properly; written last, so
//                                   that rows beyond these counts are not to be trusted
//   /end/status, /end/message       uint8: UTF-8 text, empty while the run goes on
//
//   /frames/time                    n             [s]
//   /frames/step                    n int64       number of the step that ended here, 0 at the start
//   /frames/step_length             n             of that step [s]; NaN at the start
//   /frames/q, /frames/v            n × nq, n × nv    coordinates and velocities
//   /frames/weighted_velocity       n × nv        velocity of the step's contact law; NaN where it has none
//   /frames/bodies                  n × nb × 13   x y z [m], qw qx qy qz, vx vy vz [m/s], wx wy wz [rad/s]
//   /frames/joint_impulses          n × nj        of the step [N·s]; NaN at the start
//   /frames/joint_coordinates       n × nx × 2    value [m] or [rad], angles with their turns; rate
//   /frames/reactions               n × nr × 6    fx fy fz [N], tx ty tz [N·m] of the joint on its second body,
//                                                 at its frame there, in axes of its frame on the first body;
//                                                 NaN at the start
//   /frames/energy                  n × 12        kinetic, potential, work, friction, impact, constraint,
//                                                 defect, driven, normal, joints, projection, error [J]: see
//                                                 EnergyReport
//   /frames/certificate             n × 8         momentum, joint and contact residual [-], joint drift [m],
//                                                 velocity drift [m/s], penetration [m], joint drift of angles
//                                                 [rad], how far stops of angles are passed [rad]
//   /frames/solver                  n × 8 int64   status (0 not run, 1 converged, 2 ray, 3 iteration limit,
//                                                 4 numerical failure), iterations, solves, substeps,
//                                                 rejected substeps, redundant joint rows, worst joint row
//                                                 or -1, 1 when there is a worst contact
//   /frames/worst_contact           n uint64      its id
//   /frames/deepest_contact         n uint64      id of the one that penetrates most beside the size of its bodies;
//                                                 2⁶⁴ − 1: none does
//   /frames/contact_first           n int64       the contacts of frame i are the rows contact_first[i] …
//   /frames/contact_count           n int64       contact_first[i] + contact_count[i] − 1 of /contacts
//
//   /contacts/id                    m uint64
//   /contacts/status                m uint8       0 open, 1 stick, 2 slip
//   /contacts/gap                   m             at the end of the step [m]
//   /contacts/impulse               m × 3         of the step [N·s]
//   /contacts/velocity              m × 3         at the end of the step [m/s]
//   /contacts/point                 m × 3         in world axes [m]; NaN for stops of joints and for contacts in user
//                                                 coordinates, which have no place, and so on to the force
//   /contacts/normal                m × 3         unit, in world axes, from the first of its bodies to the second
//   /contacts/force                 m × 3         mean over the step, in world axes, on the body that the
//                                                 normal points to [N]
//   /contacts/couple                m × 3         likewise, of the resistance to rolling and spinning [N·m]
//
//   /events/time                    e             [s]
//   /events/kind                    e uint8       0 impact, 1 stick, 2 slip, 3 reversal, 4 facet, 5 take-off,
//                                                 6 zeno, 7 fallback
//   /events/contact                 e uint64      id
//   /events/velocity_before, /events/velocity_after    e × 3    [m/s]
//   /events/impulse                 e × 3         [N·s]
//   /events/energy_change           e             [J]
//
//   /contact_names/id               c uint64      every contact that the other tables mention
//   /contact_names/bodies           c × 2 int64   its bodies, numbers from 0; -1: the world; two times -1: not known
//   /contact_names/length           c int64       bytes of its name …
//   /contact_names/text             uint8         … in this text of all names, UTF-8, one after the other
//
// When only each n-th step is recorded, impulses, forces and certificates of a frame are those of the one
// step that ended there; events are those of all steps.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "delassus/base/contact_status.hpp"
#include "delassus/linalg/types.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

inline constexpr std::int64_t k_recording_format = 6;                   // version of the layout above
inline constexpr int k_body_numbers = 13;                               // of a body in a frame
inline constexpr int k_energy_numbers = 12, k_certificate_numbers = 8;  // of a frame
inline constexpr ContactId k_no_contact = ~ContactId{0};                // where none penetrates
inline constexpr int k_reaction_numbers = 6;                            // of a reaction in a frame

// Where a recording comes from.
struct RunInfo {
  std::string title, description;
  std::string program;     // name and version
  std::string scene_text;  // the scene as it was run, in full
  std::vector<std::pair<std::string, std::string>> settings;
  bool operator==(const RunInfo&) const = default;
};

struct RecordedContact {
  ContactId id = 0;
  ContactStatus status = ContactStatus::open;
  double gap = 0;                      // at the end of the step [m]
  Vector3 impulse = Vector3::Zero();   // of the step, normal first [N·s]
  Vector3 velocity = Vector3::Zero();  // at the end of the step, normal first [m/s]
  Vector3 point = Vector3::Zero();     // in world axes [m]
  Vector3 normal = Vector3::Zero();    // unit, in world axes
  Vector3 force = Vector3::Zero();     // frame · impulse / step length, in world axes [N]
  Vector3 couple = Vector3::Zero();    // frame · couple / step length, in world axes [N·m]
};

// What is the same for all rows of a contact.
struct ContactLabel {
  ContactId id = 0;
  std::string name;
  ContactBodies bodies;
  bool operator==(const ContactLabel&) const = default;
};

struct Recording {
  RunInfo info;
  bool complete = false;        // the run ended by its own decision
  std::string status, message;  // how; empty when not complete

  std::vector<std::string> body_names, coordinate_names, joint_names;
  std::vector<std::string> joint_coordinate_names, joint_coordinate_units, reaction_names;
  std::vector<Vector3> body_centers;         // centres of mass in the frames of the bodies [m]
  std::vector<ContactLabel> contact_labels;  // ascending ids

  // --- one entry or column a frame
  std::vector<double> time;         // [s]
  std::vector<std::int64_t> step;   // number of the step that ended here
  std::vector<double> step_length;  // [s]
  Matrix q, v, weighted_velocity, joint_impulses;
  Matrix joint_values, joint_rates;  // of the joint coordinates [m, rad] and [m/s, rad/s]
  std::vector<double> bodies;        // frames × bodies × 13, see above
  std::vector<double> reactions;     // frames × reactions × 6, see above
  std::vector<EnergyReport> energy;
  std::vector<Certificate> certificate;
  std::vector<int> substeps, rejected;
  std::vector<RecordedContact> contacts;    // of all frames
  std::vector<std::size_t> contact_starts;  // frames + 1 entries: where a frame's contacts begin

  std::vector<Event> events;  // of all steps, recorded or not

  int num_frames() const { return static_cast<int>(time.size()); }
  int num_bodies() const { return static_cast<int>(body_names.size()); }
  int num_joint_coordinates() const { return static_cast<int>(joint_coordinate_names.size()); }
  int num_reactions() const { return static_cast<int>(reaction_names.size()); }
  BodyMotion body(int frame, int i) const;
  JointReaction reaction(int frame, int i) const;
  std::span<const RecordedContact> contacts_at(int frame) const;
  // Null when it is not in the list.
  const ContactLabel* find_contact(ContactId id) const;
  // "contact <id>" when it is not in the list.
  std::string contact_name(ContactId id) const;
  // Its bodies, "world" among them; empty when they are not known.
  std::array<std::string, 2> contact_body_names(ContactId id) const;
};

// Reads DIR, DIR/recording.h5 or DIR/recording.h5.part. Of a run that was killed: the frames up to its last
// flush, with complete = false. Throws InputError with the path and the reason; a file without any frame is
// an error.
Recording read_recording(const std::string& path_or_directory);

}  // namespace delassus
