// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/pair_forces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "delassus/base/rotation.hpp"

namespace delassus {
namespace {

class Sums {
 public:
  // `centers` in the frames of the bodies.
  Sums(const std::vector<BodyMotion>& motions, const std::vector<Vector3>& centers) {
    assert(motions.size() == centers.size());
    for (std::size_t i = 0; i < motions.size(); ++i)
      centers_.push_back(motions[i].position + rotation_matrix(motions[i].orientation) * centers[i]);
  }

  void add(ContactBodies bodies, const Vector3& point, Vector3 force, Vector3 couple) {
    if (bodies == ContactBodies{} || !point.allFinite() || !force.allFinite()) return;
    if (bodies.a > bodies.b) {
      std::swap(bodies.a, bodies.b);
      force = -force;
      couple = -couple;
    }
    const auto at = std::lower_bound(sums_.pairs.begin(), sums_.pairs.end(), bodies,
                                     [](const PairForce& x, const ContactBodies& y) {
                                       return std::tie(x.bodies.a, x.bodies.b) < std::tie(y.a, y.b);
                                     });
    PairForce& pair = at != sums_.pairs.end() && at->bodies == bodies
                          ? *at
                          : *sums_.pairs.insert(at, PairForce{.bodies = bodies});
    pair.force += force;
    pair.moment += moment(bodies.b, point, force, couple);
    ++pair.contacts;
    add_wrench(bodies.b, point, force, couple);
    if (bodies.a >= 0) add_wrench(bodies.a, point, -force, -couple);
  }

  ContactForces take() { return std::move(sums_); }

 private:
  Vector3 moment(int body, const Vector3& point, const Vector3& force, const Vector3& couple) const {
    return (point - centers_[body]).cross(force) + couple;  // (1)
  }

  void add_wrench(int body, const Vector3& point, const Vector3& force, const Vector3& couple) {
    const auto at = std::lower_bound(sums_.wrenches.begin(), sums_.wrenches.end(), body,
                                     [](const BodyWrench& x, int y) { return x.body < y; });
    BodyWrench& wrench = at != sums_.wrenches.end() && at->body == body
                             ? *at
                             : *sums_.wrenches.insert(at, BodyWrench{.body = body});
    wrench.force += force;
    wrench.moment += moment(body, point, force, couple);
  }

  std::vector<Vector3> centers_;  // in world axes
  ContactForces sums_;
};

}  // namespace

ContactForces sum_contact_forces(const System& system, const State& state, const StepReport& report) {
  const double h = report.t_end - report.t_begin;
  if (!(h > 0)) return {};
  std::vector<BodyMotion> motions;
  system.body_motions(state.t, state.q, state.v, motions);
  std::vector<Vector3> centers;
  for (int i = 0; i < system.num_bodies(); ++i) centers.push_back(system.body_center(i));
  Sums sums(motions, centers);
  for (const ContactReport& contact : report.contacts) {
    const ContactPlace& place = contact.place;
    sums.add(place.bodies, place.point(), place.frame * contact.impulse / h,
             place.frame * contact.couple / h);
  }
  return sums.take();
}

ContactForces sum_contact_forces(const Recording& recording, int frame) {
  std::vector<BodyMotion> motions;
  for (int i = 0; i < recording.num_bodies(); ++i) motions.push_back(recording.body(frame, i));
  Sums sums(motions, recording.body_centers);
  for (const RecordedContact& contact : recording.contacts_at(frame)) {
    const ContactLabel* label = recording.find_contact(contact.id);
    if (label != nullptr) sums.add(label->bodies, contact.point, contact.force, contact.couple);
  }
  return sums.take();
}

}  // namespace delassus
