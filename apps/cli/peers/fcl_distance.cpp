// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// FCL with its defaults: closed forms for some pairs, else libccd's GJK and EPA with a tolerance of 1e-6.
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>

#include <limits>

#include "apps/cli/peers/distance_peer.hpp"

namespace delassus::cli {
namespace {

using Vector = fcl::Vector3d;

fcl::Transform3d to_fcl(const PeerPose& pose) {
  fcl::Transform3d out = fcl::Transform3d::Identity();
  out.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data());
  out.translation() = Eigen::Map<const Vector>(pose.position.data());
  return out;
}

std::unique_ptr<fcl::CollisionGeometryd> make_hull(const PeerShape& shape) {
  auto vertices = std::make_shared<std::vector<Vector>>();
  for (const std::array<double, 3>& x : shape.vertices) vertices->emplace_back(x[0], x[1], x[2]);
  auto faces = std::make_shared<std::vector<int>>();  // each begins with the number of its vertices
  for (const std::vector<int>& face : shape.faces) {
    faces->push_back(static_cast<int>(face.size()));
    faces->insert(faces->end(), face.begin(), face.end());
  }
  return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(shape.faces.size()), faces);
}

std::unique_ptr<fcl::CollisionGeometryd> make_shape(const PeerShape& shape) {
  const std::array<double, 3>& s = shape.size;
  switch (shape.kind) {
    case PeerKind::sphere:
      return std::make_unique<fcl::Sphered>(shape.radius);
    case PeerKind::box:
      return std::make_unique<fcl::Boxd>(s[0], s[1], s[2]);
    case PeerKind::cylinder:
      return std::make_unique<fcl::Cylinderd>(shape.radius, shape.length);
    case PeerKind::capsule:
      return std::make_unique<fcl::Capsuled>(shape.radius, shape.length);
    case PeerKind::cone:
      return std::make_unique<fcl::Coned>(shape.radius, shape.length);
    case PeerKind::ellipsoid:
      return std::make_unique<fcl::Ellipsoidd>(0.5 * s[0], 0.5 * s[1], 0.5 * s[2]);
    case PeerKind::hull:
      return make_hull(shape);
  }
  return nullptr;
}

class FclPeer : public DistancePeer {
 public:
  std::string name() const override { return "FCL"; }

  bool take(const PeerShape& a, const PeerShape& b) override {
    a_ = make_shape(a);
    b_ = make_shape(b);
    return a_ && b_;
  }

  double distance(const PeerPose& a, const PeerPose& b) override {
    const fcl::Transform3d pose_a = to_fcl(a), pose_b = to_fcl(b);
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    try {
      // Its closed forms answer only when the depth is not asked for.
      const double apart = fcl::distance(a_.get(), pose_a, b_.get(), pose_b, request, result);
      if (apart > 0) return apart;
      result.clear();
      request.enable_signed_distance = true;
      return fcl::distance(a_.get(), pose_a, b_.get(), pose_b, request, result);
    } catch (const std::exception&) {  // thrown where its EPA fails
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  std::unique_ptr<fcl::CollisionGeometryd> a_, b_;
};

}  // namespace

std::unique_ptr<DistancePeer> make_fcl_peer() {
  return std::make_unique<FclPeer>();
}

}  // namespace delassus::cli
