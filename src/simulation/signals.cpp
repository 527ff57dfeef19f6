// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/simulation/signals.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "delassus/base/data_tree.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"

namespace delassus {
namespace {

Eigen::Index entry(const System& system, SignalHandle signal) {
  assert(signal.index() >= 0 && signal.index() < system.num_signals());
  return system.nq() - system.num_signals() + signal.index();
}

}  // namespace

SignalHandle find_signal(const System& system, const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i < system.num_signals(); ++i) {
    names.push_back(system.signal_name(i));
    if (names.back() == name) return SignalHandle(i);
  }
  throw InputError("there is no signal " + quote(name) + name_advice(name, names));
}

double signal_value(const System& system, const State& state, SignalHandle signal) {
  return state.q[entry(system, signal)];
}

void Signals::set(const std::string& name, double value) {
  set(find_signal(system_, name), value);
}

void Signals::set(SignalHandle signal, double value) {
  if (!std::isfinite(value))
    throw InputError(fmt::format("signal '{}' was set to {}; allowed: finite numbers", name(signal), value));
  state_.q[entry(system_, signal)] = value;
}

double Signals::get(const std::string& name) const {
  return get(find_signal(system_, name));
}

double Signals::get(SignalHandle signal) const {
  return signal_value(system_, state_, signal);
}

}  // namespace delassus
