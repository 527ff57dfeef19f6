// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/peers/simbody_chain.hpp"

#include <Simbody.h>

namespace delassus::cli {
namespace {

SimTK::Vec3 to_simbody(const std::array<double, 3>& x) {
  return {x[0], x[1], x[2]};
}
SimTK::Transform to_simbody(const PeerFrame& frame) {
  const std::array<double, 4>& q = frame.orientation;
  return {SimTK::Rotation(SimTK::Quaternion(q[0], q[1], q[2], q[3])), to_simbody(frame.point)};
}

}  // namespace

PeerResult run_simbody(const std::vector<PeerLink>& links, const std::array<double, 3>& gravity,
                       double duration, double accuracy, double (*clock)()) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::Gravity weight(forces, matter, to_simbody(gravity));
  std::vector<SimTK::MobilizedBody> bodies;
  for (const PeerLink& link : links) {
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(
        link.mass, SimTK::Vec3(0), SimTK::Inertia(link.inertia[0], link.inertia[1], link.inertia[2])));
    SimTK::MobilizedBody& parent = link.parent < 0 ? matter.updGround() : bodies[link.parent];
    bodies.push_back(
        SimTK::MobilizedBody::Pin(parent, to_simbody(link.in_parent), rigid, to_simbody(link.in_body)));
  }
  const SimTK::State start = system.realizeTopology();
  SimTK::RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  SimTK::TimeStepper stepper(system, integrator);
  PeerResult out;
  const double started = clock();
  stepper.initialize(start);
  stepper.stepTo(duration);
  out.seconds = clock() - started;
  const SimTK::State& end = integrator.getState();
  system.realize(end, SimTK::Stage::Position);
  for (const SimTK::MobilizedBody& body : bodies) {
    const SimTK::Vec3 x = body.getBodyOriginLocation(end);
    out.positions.push_back({x[0], x[1], x[2]});
  }
  return out;
}

}  // namespace delassus::cli
