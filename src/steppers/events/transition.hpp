// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where within a step a contact changes its mode without an impact (Potra et al. 2006, §7.5). While every contact keeps its
// mode the motion is smooth; along that motion each mode has event functions that are positive as long as it
// lasts:
//
//   slip along d    dᵀ u_T                     the slip velocity at the end of the step; likewise rolling
//                                              and spinning, each on its own
//   facet d = d_i   d_iᵀ u_T − max_j d_jᵀ u_T  polyhedral law without alignment: the generator that opposes
//                                              the slip
//   stick           μ r_N − ‖r_T‖              with the instantaneous forces; ‖·‖ is the gauge of the law's
//                                              polygon
//   closed          r_N                        likewise
//
// The transition is the first root of their minimum, found by Brent's method. Potra et al. 2006 compares LCP bases; balanced
// generators make bases degenerate, so modes are compared here, which works for every contact law.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "delassus/steppers/report.hpp"
#include "delassus/steppers/step_kernel.hpp"

namespace delassus {

struct Transition {
  double h = 0;      // the step that ends at the transition; 0: it is due at once
  int contact = -1;  // index in the active set
  // stick (slip velocity vanishes), slip (cone reached), facet or take_off
  EventKind kind = EventKind::stick;
  FrictionKind part = FrictionKind::sliding;            // of the friction that sticks or slips
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  // of the slip that begins; kinds slip and facet
  // Contacts that break away with it, and where to; kind slip.
  std::vector<std::pair<int, Eigen::Vector2d>> others = {};
};

class TransitionFinder {
 public:
  TransitionFinder(StepKernel& kernel, bool has_facets) : kernel_(kernel), has_facets_(has_facets) {}
  // First transition of the contacts `active` with present `modes` within a step h from `begin`, the last that the kernel
  // has solved; `at_transition` becomes the step to it with all modes kept. Empty: all modes last (or the prescribed modes
  // contradict each other). `whole`: the step as the contact law has it, with its outcome of every mode. Redundant contacts share
  // their forces in many ways, so that their event functions say little: only those change their mode that do so in the
  // outcome, or whose slip has turned round at the end of the step; those that stick slip as soon as the law lets them. The
  // same holds for many contacts, whose event functions cost more than the step. And it holds where the outcome keeps every
  // mode, and its forces, which `memory` has of the step before, are not on their way to the end of it. Contacts that stick
  // and do not move stick in the outcome, too.
  std::optional<Transition> find(const System& system, const PhasePoint& begin, double h,
                                 const ContactSet& active, std::span<const ContactMode> modes,
                                 std::span<const ContactMemory* const> memory, Trial& whole,
                                 Trial& at_transition);

 private:
  // One event function.
  struct Value {
    int contact;  // index in the active set
    double value;
    EventKind kind;
    FrictionKind part = FrictionKind::sliding;
    Eigen::Vector2d direction = Eigen::Vector2d::Zero();  // of the slip that would follow
  };
  // The event functions of all contacts after a step h in the present modes; false when the modes
  // contradict.
  bool evaluate(const System& system, const PhasePoint& begin, double h, const ContactSet& active,
                std::span<const ContactMode> modes, StepKernel::ModeStep kind, Trial& trial);
  // The step alone, and its closed contacts at its end.
  bool step_in_modes(const System& system, const PhasePoint& begin, double h, const ContactSet& active,
                     std::span<const ContactMode> modes, StepKernel::ModeStep kind, Trial& trial);

  // The parts of contact c whose mode is another one in the outcome; those that do not move either way are at the limit
  // of their friction, where round-off says which it is.
  HeldParts changed_in(const Trial& whole, const ContactSet& active, std::span<const ContactMode> modes,
                       std::size_t c, int row, double at_rest) const;
  // What the outcome of a step changes.
  struct Changes {
    bool any = false;
    bool safe = true;  // no contact is on its way to the end of its mode
  };
  // Fills changed_, moves_ and may_change_ for all contacts.
  Changes find_changes(const PhasePoint& begin, const ContactSet& active, std::span<const ContactMode> modes,
                       std::span<const ContactMemory* const> memory, const Trial& whole);
  // A speed below this is none as far as the contact solver tells.
  double rest_speed(const PhasePoint& begin) const;
  // Puts back what the outcome of a step says of frictions that stick and do not move: at their limit, where round-off says whether
  // they slip, they stick as before.
  void keep_sticking(std::span<const ContactMode> modes, Trial& whole) const;
  // Slips that begin are found by breaks_away, not by the shares of forces nor by the outcome of the step.
  void leave_breakaway_to_the_law(const PhasePoint& begin, std::span<const ContactMode> modes,
                                  const Trial& whole);
  // Whether the contact law lets a contact slip that sticks at the end of the step evaluated last; then which one, and where to.
  bool breaks_away(const System& system, const PhasePoint& begin, const Trial& trial, Transition& transition);
  // Redundant contacts: the instant at which the law lets the first of them slip. `trial` is the whole step in its modes.
  std::optional<Transition> find_breakaway(const System& system, const PhasePoint& begin, double h,
                                           const ContactSet& active, std::span<const ContactMode> modes,
                                           Trial& trial);
  // The shortest step, up to the resolution, at the end of which something slips; the whole one, h, ends with the acceleration
  // `slip_at_end`.
  double enclose_breakaway(double h, double slip_at_end, double resolution,
                           const std::function<bool(double)>& slips_at) const;
  // The first root of the event functions of what may change; `at_transition` is the step evaluated last.
  std::optional<Transition> find_first_root(const System& system, const PhasePoint& begin, double h,
                                            const ContactSet& active, std::span<const ContactMode> modes,
                                            Trial& at_transition);
  // The outcome keeps the mode of contact c, and neither its forces, extrapolated from the last two steps, nor its slip end
  // it before the end of this one.
  bool is_safe(const Trial& whole, const ContactSet& active, const ContactMode& mode,
               const ContactMemory* memory, std::size_t c, int row) const;
  bool may_change(const Value& x) const;
  bool mark_turned_slips(const PhasePoint& begin, const ContactSet& active);
  void add_facet(int contact, const Cone& cone, const Eigen::Vector2d& direction, const Eigen::Vector2d& u_T);

  StepKernel& kernel_;
  bool has_facets_;  // a polyhedral law whose generators are fixed
  std::vector<Value> values_, values_start_, values_end_;
  std::vector<double> scales_;                   // of the values, over the step
  std::vector<HeldParts> may_change_, changed_;  // per contact
  std::vector<HeldParts> moves_;                 // of what changes, what is not at rest before and after
  bool law_known_ = false;                       // of the last breaks_away
  double slip_acceleration_ = 0;                 // likewise: of the fastest slip that begins [m/s²]
  std::vector<ContactId> closed_;
  std::vector<ContactMode> closed_modes_, lawful_;
  std::vector<int> closed_index_;  // in the active set
  ContactSet at_end_;
  Solution forces_;
};

}  // namespace delassus
