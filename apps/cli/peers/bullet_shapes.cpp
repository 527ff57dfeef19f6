// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/peers/bullet_shapes.hpp"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>

namespace delassus::cli {

btVector3 to_bullet(const std::array<double, 3>& x) {
  return {x[0], x[1], x[2]};
}

btTransform to_bullet(const PeerPose& pose) {
  const std::array<double, 9>& r = pose.rotation;
  return btTransform(btMatrix3x3(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]),
                     to_bullet(pose.position));
}

std::unique_ptr<btConvexShape> make_bullet_shape(const PeerShape& shape) {
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

}  // namespace delassus::cli
