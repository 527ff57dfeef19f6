// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Bullet in double precision: GJK, and EPA for shapes that overlap. Margins are zero, so that the shapes are the sharp
// ones; those of spheres and capsules are their radius.
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <limits>

#include "apps/cli/peers/distance_peer.hpp"

namespace delassus::cli {
namespace {

btVector3 to_bullet(const std::array<double, 3>& x) {
  return {x[0], x[1], x[2]};
}

btTransform to_bullet(const PeerPose& pose) {
  const std::array<double, 9>& r = pose.rotation;
  return btTransform(btMatrix3x3(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]),
                     to_bullet(pose.position));
}

// None: not known to it.
std::unique_ptr<btConvexShape> make_shape(const PeerShape& shape) {
  std::unique_ptr<btConvexShape> out;
  switch (shape.kind) {
    case PeerKind::sphere:
      return std::make_unique<btSphereShape>(shape.radius);
    case PeerKind::capsule:
      return std::make_unique<btCapsuleShapeZ>(shape.radius, shape.length);
    case PeerKind::box:
      out = std::make_unique<btBoxShape>(0.5 * to_bullet(shape.size));
      break;
    case PeerKind::cylinder:
      out = std::make_unique<btCylinderShapeZ>(btVector3(shape.radius, shape.radius, 0.5 * shape.length));
      break;
    case PeerKind::cone:
      out = std::make_unique<btConeShapeZ>(shape.radius, shape.length);
      break;
    case PeerKind::hull: {
      auto hull = std::make_unique<btConvexHullShape>();
      for (const std::array<double, 3>& x : shape.vertices) hull->addPoint(to_bullet(x), false);
      hull->recalcLocalAabb();
      out = std::move(hull);
      break;
    }
    case PeerKind::ellipsoid:
      return nullptr;
  }
  out->setMargin(0);
  return out;
}

class BulletPeer : public DistancePeer {
 public:
  std::string name() const override { return "Bullet"; }

  bool take(const PeerShape& a, const PeerShape& b) override {
    a_ = make_shape(a);
    b_ = make_shape(b);
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
