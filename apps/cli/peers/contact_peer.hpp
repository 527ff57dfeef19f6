// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A world of bodies that touch, stepped by another engine. Plain C++17, as distance_peer.hpp.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/peers/distance_peer.hpp"

namespace delassus::cli {

struct PeerBody {
  bool plane = false;             // the half space z ≤ 0 of its frame, at rest
  PeerShape shape;                // in the frame of the pose
  PeerPose pose;                  // of the centre of mass
  double mass = 0;                // 0: at rest [kg]
  std::array<double, 3> inertia;  // about the axes of the frame, which are principal ones [kg·m²]
  double friction = 0;            // combined by the geometric mean [-]
};

class ContactPeer {
 public:
  ContactPeer() = default;
  ContactPeer(const ContactPeer&) = delete;
  ContactPeer& operator=(const ContactPeer&) = delete;
  virtual ~ContactPeer() = default;
  virtual std::string name() const = 0;
  // A world of these bodies, all of them at rest at first; false when it does not know one of the shapes.
  virtual bool take(const std::vector<PeerBody>& bodies, const std::array<double, 3>& gravity) = 0;
  virtual void step(double h) = 0;
  virtual PeerPose pose(std::size_t body) const = 0;
};

// `iterations`: sweeps of its Gauss-Seidel method, or steps of conjugate gradients upon it, a step.
std::unique_ptr<ContactPeer> make_bullet_world(int iterations, bool conjugate_gradients);

}  // namespace delassus::cli
