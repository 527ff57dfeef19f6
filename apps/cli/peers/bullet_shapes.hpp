// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes and poses as Bullet's. Margins are zero, so that the shapes are the sharp ones; those of spheres and capsules
// are their radius.
#pragma once
#include <BulletCollision/CollisionShapes/btConvexShape.h>

#include <memory>

#include "apps/cli/peers/distance_peer.hpp"

namespace delassus::cli {

btVector3 to_bullet(const std::array<double, 3>& x);
btTransform to_bullet(const PeerPose& pose);
// None: not known to it.
std::unique_ptr<btConvexShape> make_bullet_shape(const PeerShape& shape);

}  // namespace delassus::cli
