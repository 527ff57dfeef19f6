// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Bullet in double precision with its defaults, but that no body is put to sleep and margins are zero.
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>

#include "apps/cli/peers/bullet_shapes.hpp"
#include "apps/cli/peers/contact_peer.hpp"

namespace delassus::cli {
namespace {

class BulletWorld : public ContactPeer {
 public:
  BulletWorld(int iterations, bool conjugate_gradients)
      : iterations_(iterations), conjugate_gradients_(conjugate_gradients) {
    if (conjugate_gradients)
      solver_ = std::make_unique<btNNCGConstraintSolver>();
    else
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    dispatcher_ = std::make_unique<btCollisionDispatcher>(&configuration_);
    world_ = std::make_unique<btDiscreteDynamicsWorld>(dispatcher_.get(), &broad_phase_, solver_.get(),
                                                       &configuration_);
    world_->getSolverInfo().m_numIterations = iterations;
  }
  ~BulletWorld() override {
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }

  std::string name() const override {
    return std::string("Bullet ") + (conjugate_gradients_ ? "NNCG " : "") + std::to_string(iterations_);
  }

  bool take(const std::vector<PeerBody>& bodies, const std::array<double, 3>& gravity) override {
    world_->setGravity(to_bullet(gravity));
    for (const PeerBody& body : bodies) {
      if (body.plane) {
        shapes_.push_back(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0));
        shapes_.back()->setMargin(0);
      } else {
        shapes_.push_back(make_bullet_shape(body.shape));
        if (!shapes_.back()) return false;
      }
      btRigidBody::btRigidBodyConstructionInfo info(body.plane ? 0 : body.mass, nullptr, shapes_.back().get(),
                                                    to_bullet(body.inertia));
      info.m_startWorldTransform = to_bullet(body.pose);
      info.m_friction = std::sqrt(body.friction);  // it multiplies the two
      bodies_.push_back(std::make_unique<btRigidBody>(info));
      bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
      world_->addRigidBody(bodies_.back().get());
    }
    return true;
  }

  void step(double h) override { world_->stepSimulation(h, 0); }

  PeerPose pose(std::size_t body) const override {
    const btTransform& at = bodies_[body]->getWorldTransform();
    PeerPose out;
    for (int i = 0; i < 3; ++i) {
      out.position[i] = at.getOrigin()[i];
      for (int j = 0; j < 3; ++j) out.rotation[3 * i + j] = at.getBasis()[i][j];
    }
    return out;
  }

 private:
  int iterations_;
  bool conjugate_gradients_;
  btDefaultCollisionConfiguration configuration_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  btDbvtBroadphase broad_phase_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

std::unique_ptr<ContactPeer> make_bullet_world(int iterations, bool conjugate_gradients) {
  return std::make_unique<BulletWorld>(iterations, conjugate_gradients);
}

}  // namespace delassus::cli
