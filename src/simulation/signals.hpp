// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs of a simulation: named numbers that motors and applied forces of a scene are multiplied by (`signal: NAME`), 0 until
// they are set. They are entries of the state's q that no velocity moves, so they are constant over a step (a zero-order
// hold), saved with the state, copied with it and recorded.
#pragma once
#include <string>

#include "delassus/scene/handles.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class Signals {
 public:
  Signals(const System& system, State& state) : system_(system), state_(state) {}
  // Throws InputError when there is no such signal (with the nearest name) or the value is not finite.
  void set(const std::string& name, double value);
  void set(SignalHandle signal, double value);
  double get(const std::string& name) const;
  double get(SignalHandle signal) const;
  int size() const { return system_.num_signals(); }
  std::string name(SignalHandle signal) const { return system_.signal_name(signal.index()); }

 private:
  const System& system_;
  State& state_;
};

// Throws InputError with the nearest name when there is none.
SignalHandle find_signal(const System& system, const std::string& name);
double signal_value(const System& system, const State& state, SignalHandle signal);

}  // namespace delassus
