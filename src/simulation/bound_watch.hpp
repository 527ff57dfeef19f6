// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Monitors of a run (SimulationOptions::monitors): what is proven of schemes that are always solvable, looked at in every step of
// whatever scheme and law the run has. With T the kinetic energy and ‖k‖² = kᵀ M⁻¹ k,
//
//   T(v⁺) ≤ max T(v + h M⁻¹ k)   over the forces k of both ends of the step          [Anitescu and Potra 1997, 2.22]   (1)
//   √(2 T(t)) ≤ √(2 T(0)) + ∫ max ‖k‖ dt                                              [Anitescu and Potra 1997, 5.4]   (2)
//
// (1): constraints and friction take energy only. A step may have several events; its velocity without constraints is that of its forces. (2) is
// (5.4), and with forces that grow with positions and velocities (5.3), with the forces of the run in place of a constant c that
// bounds them. Both take for granted that masses are constant and nothing is driven.
//
//   κ > 0 of the friction cone of the closed contacts: impulses cannot cancel        [Gavrea et al. 2008, 3.1, 3.3; H4]   (3)
//
// (problems/pointedness.hpp). A violation is a warning of the step, one each time it has doubled; the worst of the run is in its summary.
#pragma once
#include <memory>
#include <string>

#include "delassus/linalg/kkt.hpp"
#include "delassus/recorder/run_summary.hpp"
#include "delassus/steppers/options.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class BoundWatch {
 public:
  // A run begins, or goes on.
  void begin(const System& system, const State& state);
  // A step begins at the state.
  void before_step(const System& system, const State& state);
  // A step has led to the state; its report gets the warnings.
  void look(const System& system, const StepperOptions& options, const State& state, StepReport& report);
  const RunBounds& bounds() const { return bounds_; }

 private:
  void find_forces(const System& system, const State& state, Vector& k, Vector& rate, double& norm);
  void look_at_energy(const System& system, const State& state, StepReport& report);
  void look_at_contacts(const System& system, const StepperOptions& options, const State& state,
                        StepReport& report);

  RunBounds bounds_;
  bool mass_is_constant(const System& system, const State& state);
  std::unique_ptr<StepMatrixFactor> mass_;
  BlockMatrix M_, M_now_;          // of the start, and now
  double start_ = 0, growth_ = 0;  // √(2 T(0)), the integral of (2)
  double driven_ = 0, floor_ = 0;
  double warned_step_ = 0, warned_growth_ = 0;
  bool warned_contacts_ = false;
  Vector v_, k_, rate_, k_end_, rate_end_, free_;
  double norm_ = 0;
};

}  // namespace delassus
