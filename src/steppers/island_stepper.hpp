// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Located events, island by island. A step without events is one problem for all bodies. Where there are events, bodies that
// nothing ties to each other in this step go through it on their own, each island with its own events, sub-steps, budget
// and problems: an impact of one costs nothing to the others.
//
//   1 the step of all bodies; no event, and no change between stick and slip of an island with few contacts: done
//   2 islands: bodies tied by joints, couplers, forces, stops, listed contacts, and those whose swept boxes overlap
//   3 every island takes the step as a system of its own (System::part)
//   4 what its bodies reached on the way is compared (Reach): islands that could have met are merged and go back to 3
//
// To locate the events of a crowd costs more than it tells: an island that more than k_crowded contacts hold takes the step
// with its events captured (capturing_stepper.hpp), and so does one that has had k_most_events of them near as many contacts,
// or, with a warning, one whose events cannot be located.
//
// Islands are taken in the order of their first bodies; a result depends on the islands, not on who computes them.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/stepper.hpp"

namespace delassus {

class IslandStepper final : public Stepper {
 public:
  using Maker = std::function<std::unique_ptr<Stepper>()>;
  // Contacts that pushed in the last step above which an island is captured.
  static constexpr std::size_t k_crowded = 16;
  // The same where more contacts than that are near, once so many events have been located in the step.
  static constexpr int k_most_events = 24;
  // A captured island of more contacts that fails ends the step.
  static constexpr std::size_t k_large_crowd = 64;
  // `make` gives steppers of one kind; a step that is interrupted by an event leaves the state as it is
  // (StepRequest::stop_at_event). `make_captured`: those of crowded islands; none: all events are located.
  explicit IslandStepper(Maker make, Maker make_captured = {});

  std::string name() const override { return whole_->name(); }
  void advance(const System& system, State& state, const StepRequest& request, StepReport& report) override;
  const Problem* last_problem() const override { return whole_->last_problem(); }

 private:
  struct Island {
    SystemPart part;
    std::vector<int> contacts;  // of the state before the step, by their places in its history
    State state;
    StepReport report;
    Reach reach;
    bool taken = false;  // in this step
  };
  using Bodies = std::vector<int>;

  // Steppers that islands take in turn. What one keeps between calls is memory and never changes a result; memory of its own for
  // each of a thousand islands would be a thousand times as large.
  static constexpr std::size_t k_steppers = 16;
  struct Workers {
    std::unique_ptr<Stepper> located, captured;
  };

  void begin(const System& system, const State& state);
  // Whether the step from before_ to `state`, which followed no contact through it because there are many in all, has changed the
  // mode of a contact of an island that has few.
  bool misses_transition(const System& system, const State& state, const StepReport& report);
  void list_contacts(const Bodies& bodies, std::vector<int>& out) const;
  // Connected components of ties and meetings, in the order of their first bodies.
  std::vector<Bodies> components(const System& system, const Reach& reach);
  bool is_crowded(const History& history) const {
    return make_captured_ && history.contacts.size() > k_crowded;
  }
  // A crowd had events in the last step and will have some in this one: the step without is not tried.
  bool ended_with_events(const History& history) const {
    const auto unknown = std::count_if(history.contacts.begin(), history.contacts.end(),
                                       [](const ContactMemory& contact) { return contact.mode_unknown; });
    return make_captured_ && unknown > static_cast<std::ptrdiff_t>(k_crowded);
  }
  // Takes the step island by island. False: there is one island only, whose events are to be located, or one has failed.
  bool take_islands(const System& system, const State& state, const StepRequest& request);
  void take(const System& system, const State& state, const StepRequest& request, const Bodies& bodies,
            Workers& workers, Island& island);
  void take_captured(const State& state, const StepRequest& request, Workers& workers, Island& island);
  // Whether the captured step of an island, which began at `state`, shows that a prescribed motion presses against what cannot
  // give way: almost all of its energy has come from there, at once.
  bool is_jammed(const State& state, const Island& island);
  void report_failure(const StepReport& of_island, const System& system, const State& state,
                      StepReport& report);
  void combine(const System& system, State& state, const StepRequest& request, StepReport& report);

  Maker make_, make_captured_;
  std::unique_ptr<Stepper> whole_;
  std::uint64_t system_ = 0;  // whose parts these are
  std::vector<Bodies> ties_;
  std::map<Bodies, Island> islands_;      // made so far
  std::vector<Bodies> current_;           // of this step
  const Island* failed_crowd_ = nullptr;  // the large one that could not take it
  std::array<Workers, k_steppers> workers_;
  // Contacts of the state by the body that moves them: those of body i from first_contact_[i] on.
  std::vector<int> first_contact_, contacts_by_body_, movers_, next_, changed_;
  StepFinisher finisher_;
  // Memory.
  Configuration at_;
  State before_;
  Reach reach_;
  std::vector<std::pair<int, int>> meetings_;
  std::vector<int> parent_;
  BlockMatrix M_;
};

// Parts of a state and back, exposed for tests.
// `contacts`: those of the state that belong to the part, ascending.
State split_state(const SystemPart& part, const State& state, std::span<const int> contacts);
State split_state(const System& whole, const SystemPart& part, const State& state);

}  // namespace delassus
