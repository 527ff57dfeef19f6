// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Bullet in double precision: GJK, and EPA for shapes that overlap.
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <limits>

#include "apps/cli/peers/bullet_shapes.hpp"
#include "apps/cli/peers/distance_peer.hpp"

namespace delassus::cli {
namespace {

class BulletPeer : public DistancePeer {
 public:
  std::string name() const override { return "Bullet"; }

  bool take(const PeerShape& a, const PeerShape& b) override {
    a_ = make_bullet_shape(a);
    b_ = make_bullet_shape(b);
    if (!a_ || !b_) return false;
    detector_ = std::make_unique<btGjkPairDetector>(a_.get(), b_.get(), &simplex_, &depth_);
    return true;
  }

  double distance(const PeerPose& a, const PeerPose& b) override {
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = to_bullet(a);
    input.m_transformB = to_bullet(b);
    btPointCollector result;
    detector_->getClosestPoints(input, result, nullptr);
    return result.m_hasResult ? result.m_distance : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  std::unique_ptr<btConvexShape> a_, b_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depth_;
  std::unique_ptr<btGjkPairDetector> detector_;
};

}  // namespace

std::unique_ptr<DistancePeer> make_bullet_peer() {
  return std::make_unique<BulletPeer>();
}

}  // namespace delassus::cli
