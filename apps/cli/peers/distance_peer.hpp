// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The signed distance of two convex shapes by another library. Plain C++17, which is all that the headers of some of
// them allow; so nothing of ours is included.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace delassus::cli {

enum class PeerKind { sphere, box, cylinder, capsule, cone, ellipsoid, hull };

// As the shapes of src/model/shape.hpp: axis z, centred.
struct PeerShape {
  PeerKind kind = PeerKind::sphere;
  double radius = 0, length = 0;                // [m]
  std::array<double, 3> size = {};              // box, ellipsoid: full edges and axes [m]
  std::vector<std::array<double, 3>> vertices;  // hull [m]
  std::vector<std::vector<int>> faces;          // their vertices, counter-clockwise from outside
};

struct PeerPose {
  std::array<double, 9> rotation;  // to the world, row by row
  std::array<double, 3> position;  // [m]
};

class DistancePeer {
 public:
  DistancePeer() = default;
  DistancePeer(const DistancePeer&) = delete;
  DistancePeer& operator=(const DistancePeer&) = delete;
  virtual ~DistancePeer() = default;
  virtual std::string name() const = 0;
  // The shapes of all distances that follow; false when it does not know one of them.
  virtual bool take(const PeerShape& a, const PeerShape& b) = 0;
  // Negative: the depth. Not a number when it gives up.
  virtual double distance(const PeerPose& a, const PeerPose& b) = 0;
};

std::unique_ptr<DistancePeer> make_bullet_peer();
std::unique_ptr<DistancePeer> make_fcl_peer();

}  // namespace delassus::cli
