// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches the certificates of a run: steps whose equations are solved badly, contacts that are too deep, joints that are
// off. Each is warned of when it passes its tolerance (steppers/tolerances.hpp), and whenever it has doubled since.
#pragma once
#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class CertificateWatch {
 public:
  // After a step, with the state at its end: adds warnings to its report.
  void look(const System& system, const State& state, StepReport& report);

 private:
  double residual_ = 0, depth_ = 0, drift_ = 0;  // that were warned of
};

}  // namespace delassus
