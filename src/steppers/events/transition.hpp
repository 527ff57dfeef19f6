// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where within a step a contact changes its mode without an impact (S0 §7.5). While every contact keeps its
// mode the motion is smooth; along that motion each mode has event functions that are positive as long as it
// lasts:
//
//   slip along d    dᵀ u_T                   the slip velocity at the end of the step
//   stick           μ r_N − ‖r_T‖             with the instantaneous forces (‖·‖ the gauge of the law's
//   polygon) closed          r_N                      likewise
//
// The transition is the first root of their minimum, found by Brent's method. S0 compares LCP bases; balanced
// generators make bases degenerate, so modes are compared here, which works for every contact law.
#pragma once
#include <optional>
#include <span>

#include "delassus/steppers/report.hpp"
#include "delassus/steppers/step_kernel.hpp"

namespace delassus {

struct Transition {
  double h = 0;                       // the step that ends at the transition; 0: it is due at once
  int contact = -1;                   // index in the active set
  EventKind kind = EventKind::stick;  // stick (slip velocity vanishes), slip (cone reached) or take_off
  Eigen::Vector2d force_direction =
      Eigen::Vector2d::Zero();  // of r_T at the transition, unit length; kind slip only
};

class TransitionFinder {
 public:
  explicit TransitionFinder(StepKernel& kernel) : kernel_(kernel) {}
  // First transition of the contacts `ids` with present `modes` within a step h from `phase`; `at_transition`
  // becomes the step to it with all modes kept. Empty: all modes last (or the prescribed modes contradict
  // each other).
  std::optional<Transition> find(const System& system, const Phase& phase, double h,
                                 std::span<const ContactId> ids, std::span<const ContactMode> modes,
                                 Trial& at_transition);

 private:
  struct Value {
    double value;
    EventKind kind;
  };
  // The smallest event function of each contact after a step h in the present modes; false when the modes
  // contradict.
  bool evaluate(const System& system, const Phase& phase, double h, std::span<const ContactId> ids,
                std::span<const ContactMode> modes, Trial& trial);

  StepKernel& kernel_;
  std::vector<Value> values_, values_end_;
  std::vector<ContactId> closed_;
  std::vector<ContactMode> closed_modes_;
  std::vector<int> closed_index_;
  ContactRows rows_;
  Vector u_;
  Solution forces_;
};

}  // namespace delassus
