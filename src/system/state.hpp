// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// State = (t, q, v) + History. History is everything else that can change a future bit; what is not in it
// (the workspaces of steppers and solvers) may be thrown away at any time. A state is a value: copy it to
// clone a run, save it and load it to resume with the same bits.
#pragma once
#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "delassus/base/contact_status.hpp"
#include "delassus/linalg/types.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// What is remembered of a contact between steps.
struct ContactMemory {
  ContactId id = 0;
  ContactStatus status = ContactStatus::open;
  double slip_direction[2] = {0, 0};  // unit vector in the tangent frame, when slipping
  bool closed = false;        // persistent contact: stays in the active set although Φ may drift above ε
  bool mode_unknown = false;  // of its island after an event; see History::modes_known
  // Mean over the last step, in the order of the contact's rows: normal first, couples after the tangents [N, N·m]
  double force[6] = {0, 0, 0, 0, 0, 0};
  // The couples that resist rolling and spinning, where there are any; as status and slip_direction.
  ContactStatus rolling = ContactStatus::open, spinning = ContactStatus::open;
  double rolling_direction[2] = {0, 0}, spinning_direction = 0;
  bool resists_turning() const { return rolling != ContactStatus::open || spinning != ContactStatus::open; }
  std::vector<std::uint8_t> basis;  // of the last LCP, the contact's variables (Anitescu and Potra 1997, §6)
  bool operator==(const ContactMemory&) const = default;
};

// Running sums of work since the start of the run [J]; E(t) − E(0) equals their total up to the scheme's
// error.
struct EnergyLedger {
  double initial_total = 0;    // kinetic + potential at the start
  double nonconservative = 0;  // applied forces and dampers
  double friction = 0;         // tangential contact impulses
  double normal = 0;           // normal contact impulses (moving surfaces, drift of the scheme)
  double joints = 0;           // joint impulses (rheonomic joints, drift of the scheme)
  double impacts = 0;          // located impacts, friction included
  double projection = 0;       // joint and gap projection
  double driven = 0;           // of `normal`, `joints` and `projection`: what prescribed motions have brought
  bool started = false;
  double sum() const { return nonconservative + friction + normal + joints + impacts + projection; }
  bool operator==(const EnergyLedger&) const = default;
};

// The time grid of a run: t_k = origin + k step, so that times do not accumulate round-off and a resumed run
// has the same ones.
struct TimeGrid {
  double origin = 0, step = 0;
  std::uint64_t index = 0;  // of the last grid point reached
  double next() const { return origin + static_cast<double>(index + 1) * step; }
  bool operator==(const TimeGrid&) const = default;
};

// What a scheme with memory of accelerations (steppers/dae) remembers of its last step; empty otherwise.
struct AccelerationMemory {
  Vector a;             // acceleration-like variable of the scheme, nv [m/s²]
  Vector rate;          // v̇ at the present time, nv [m/s²]
  Vector joint_forces;  // λ at the present time, nj [N]
  double step = 0;      // of that step; a is shifted in time by a fraction of it [s]
  bool operator==(const AccelerationMemory&) const = default;
};

// What a scheme whose velocities are those of the middles of steps (steppers/schatzman_paoli.hpp) remembers; empty otherwise.
struct MidStepMemory {
  Vector v;         // velocity that took the last position to the present one, (q_k ⊟ q_{k−1})/h [m/s]
  double step = 0;  // h of that step [s]
  Vector v_end;     // velocity of the state that it left: another one is not its own any more [m/s]
  bool operator==(const MidStepMemory&) const = default;
};

// A step of error control that went past a point of output (steppers/dense_output.hpp): what lies between its ends comes from here,
// and the run goes on from its end.
struct StepAhead {
  struct Knot {
    double t = 0;  // [s]
    Vector q, v;
    EnergyLedger energy;
    double total = 0;  // kinetic + potential [J]
    bool operator==(const Knot&) const = default;
  };
  struct Force {  // of a contact: means over both halves, in its frame, normal first [N, N·m]
    ContactId id = 0;
    Vector3 force[2] = {Vector3::Zero(), Vector3::Zero()}, couple[2] = {Vector3::Zero(), Vector3::Zero()};
    bool operator==(const Force&) const = default;
  };
  std::array<Knot, 3> knots;           // its beginning, middle and end
  std::array<Vector, 2> joint_forces;  // means over both halves [N]
  std::vector<Force> contacts;         // ascending ids
  // The state that was shown: where it is another one by now, inputs say, the step ahead is void.
  double t = 0;
  Vector q, v;
  bool operator==(const StepAhead&) const = default;
};

// All but `energy` and `ahead` itself is as it is at the end of `ahead`, where there is one.
struct History {
  std::uint64_t num_steps = 0;
  TimeGrid grid;
  std::vector<ContactMemory> contacts;  // ascending ids
  Vector joint_impulses;                // of the last step [N·s]
  Vector
      weighted_velocity;  // σ v⁺ + (1−σ) v of the last step (Gavrea et al. 2008, 4.10); empty before the first
  std::vector<int> held_frictions;  // friction rows of joints that stuck in the last step
  AccelerationMemory acceleration;
  MidStepMemory mid_step;
  double controlled_step = 0;      // next step that error control would take; 0: there is none [s]
  std::optional<StepAhead> ahead;  // of error control, between its ends
  EnergyLedger energy;
  bool modes_known = false;  // `contacts` describe the present modes, so transitions can be detected
  bool operator==(const History&) const = default;
};

struct State {
  double t = 0;
  Vector q, v;
  History history;
  bool operator==(const State&) const = default;
};

// Whether this is a state that its step ahead has shown, and so goes on with it.
bool follows_step_ahead(const State& state);

// Text format with hexadecimal floats and a checksum: loading gives back every bit. Throws InputError on malformed input,
// on numbers that no run leaves (not finite, counts that do not fit) and where the checksum differs.
void save(const State& state, std::ostream& out);
State load_state(std::istream& in, const std::string& name);
// To and from a file; written to a temporary name and renamed.
void save_file(const State& state, const std::string& path);
State load_state_file(const std::string& path);

}  // namespace delassus
