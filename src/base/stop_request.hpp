// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A request to end the computation at hand: by a signal, or by another thread of the program. It holds for the whole
// process, as the number of threads does. Whatever can take long (steps, solvers, searches) asks once an iteration and
// gives up by an exception; what it was computing is thrown away.
#pragma once
#include <exception>

namespace delassus {

// What ends a computation that was asked to stop. Simulation::step catches it and keeps the state before the step.
class StopRequested final : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

// May be called by a signal handler.
void request_stop() noexcept;
// From now on computations go on again.
void clear_stop_request() noexcept;
bool stop_requested() noexcept;
// Throws StopRequested.
inline void throw_if_stop_requested() {
  if (stop_requested()) throw StopRequested();
}

}  // namespace delassus
