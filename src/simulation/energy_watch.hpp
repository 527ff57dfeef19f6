// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches a run for energy that comes from nowhere, and for what constraints take that should do no work.
//
//   gain = error + (D − min D),   D = friction + impact                                                    (1)
//   warned of when   gain > k_energy_tolerance (max E − min V + max |work| + max |driven|)                   (2)
//
//   loss = driven − constraint                                                                             (3)
//   warned of when at the end   loss > k_loss_tolerance (energy in play)
//
// The error is that of steppers/report.hpp. D, what friction and impacts have taken, can only fall where all surfaces
// stand still; where they move only the error counts. The bracket of (2) is the energy in play. Losses by constraints are those of
// steps that are too large for the normals that turn in them; what schemes with damping of their own take is none of them.
#pragma once
#include <optional>
#include <string>

#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

// Share of the energy in play that a run may gain without a warning [-].
inline constexpr double k_energy_tolerance = 1e-3;
// Share of it that constraints may take without a warning [-].
inline constexpr double k_loss_tolerance = 1e-2;

class EnergyWatch {
 public:
  // From this state on, with its energies. `stops_before_contact`: normal impulses do the work of landings, which is no loss.
  void begin(const System& system, const State& state, const EnergyReport& energy, bool stops_before_contact);
  // After a step.
  void look(const StepReport& report);

  double in_play() const { return highest_ - lowest_ + work_ + driven_ + floor_; }  // [J]
  double largest_gain() const { return largest_; }                                  // (1) [J]
  // A warning when (2) holds for the largest gain so far, with the step and the part of the scene that gained most. It is
  // a question for the end of a run: at its beginning little energy is in play.
  std::optional<Warning> verdict(const System& system) const;
  // The same of (3), so far.
  std::optional<Warning> loss_verdict(const System& system) const;

 private:
  // The part of a step that gained most, and what was going on there.
  struct Culprit {
    const char* part = "";
    enum class Place : std::uint8_t { none, impact, contact, joint } place = Place::none;
    ContactId contact = 0;
    int joint_row = -1;
    std::string describe(const System& system) const;
  };
  Culprit culprit(const StepReport& report) const;
  static Culprit place_of(const StepReport& report);
  double loss(const EnergyReport& energy) const;

  bool fixed_ = false;  // no surface or joint moves on its own
  double first_error_ = 0, highest_ = 0, lowest_ = 0, work_ = 0, driven_ = 0;
  double floor_ = 0;  // what forces do over the size of the system, times the tolerance of solvers [J]
  double least_dissipation_ = 0, gain_ = 0;
  EnergyReport last_;
  double largest_ = 0, largest_time_ = 0;
  // Of the step that gained most, and of that which lost most.
  double worst_gain_ = 0, worst_time_ = 0;
  Culprit worst_;
  bool stops_before_contact_ = false;
  double first_loss_ = 0, loss_ = 0, worst_loss_ = 0, worst_loss_time_ = 0;
  Culprit worst_loser_;
};

}  // namespace delassus
