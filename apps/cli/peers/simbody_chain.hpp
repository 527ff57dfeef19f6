// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A tree of rigid bodies with revolute joints in Simbody. Plain C++17, which is all that the headers of Simbody allow;
// so nothing of ours is included.
#pragma once
#include <array>
#include <vector>

namespace delassus::cli {

// Where a joint sits: its point and orientation (w, x, y, z) in the frame of a body; the joint turns about its z.
struct PeerFrame {
  std::array<double, 3> point;
  std::array<double, 4> orientation;
};
struct PeerLink {
  double mass;                    // [kg]
  std::array<double, 3> inertia;  // principal, in body axes about the body's origin [kg·m²]
  int parent;                     // an earlier link, −1 the ground
  PeerFrame in_parent, in_body;
};
struct PeerResult {
  std::vector<std::array<double, 3>> positions;  // of the bodies' origins at the end [m]
  double seconds;                                // CPU time of the integration, without building the model
};

// Relative coordinates, so that joints do not drift; Runge-Kutta-Merson with its own control of the step.
PeerResult run_simbody(const std::vector<PeerLink>& links, const std::array<double, 3>& gravity,
                       double duration, double accuracy, double (*clock)());

}  // namespace delassus::cli
