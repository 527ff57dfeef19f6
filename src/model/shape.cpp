// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/shape.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace delassus {
namespace {

using std::numbers::pi;

// Principal moments of a unit mass, axes of the shape.
Vector3 unit_inertia(const Shape& shape) {
  const double r = shape.radius, l = shape.length;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return Vector3::Constant(0.4 * r * r);
    case ShapeKind::box: {
      const Vector3 s = shape.size.cwiseAbs2();
      return Vector3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 12.0;
    }
    case ShapeKind::cylinder:
      return {(3 * r * r + l * l) / 12, (3 * r * r + l * l) / 12, 0.5 * r * r};
    case ShapeKind::capsule: {
      // A cylinder of volume π r² l and two half spheres whose centres of mass lie 3r/8 beyond its ends.
      const double cylinder = pi * r * r * l, ball = 4.0 / 3.0 * pi * r * r * r, total = cylinder + ball;
      const double z = 0.5 * r * r * cylinder + 0.4 * r * r * ball;
      const double lever = 0.5 * l + 0.375 * r;
      const double half_sphere = 0.4 * r * r - 0.375 * 0.375 * r * r;  // about its own centre of mass
      const double x = cylinder * (3 * r * r + l * l) / 12 + ball * (half_sphere + lever * lever);
      return Vector3(x, x, z) / total;
    }
    default:
      break;
  }
  return Vector3::Zero();
}

// J of a mass m at distance d: m (|d|² I − d dᵀ).
Matrix3 steiner(double mass, const Vector3& d) {
  return mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
}

}  // namespace

double volume(const Shape& shape) {
  const double r = shape.radius;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return 4.0 / 3.0 * pi * r * r * r;
    case ShapeKind::box:
      return shape.size.prod();
    case ShapeKind::cylinder:
      return pi * r * r * shape.length;
    case ShapeKind::capsule:
      return pi * r * r * (shape.length + 4.0 / 3.0 * r);
    default:
      break;
  }
  return 0;
}

MassProperties mass_properties(const std::vector<Shape>& shapes, double density) {
  MassProperties out;
  for (const Shape& shape : shapes) {
    const double mass = density * volume(shape);
    out.mass += mass;
    out.center_of_mass += mass * shape.position;
  }
  if (out.mass > 0) out.center_of_mass /= out.mass;
  for (const Shape& shape : shapes) {
    const double mass = density * volume(shape);
    const Matrix3 R = rotation_matrix(shape.orientation);
    const Vector3 J = mass * unit_inertia(shape);
    out.inertia += R * J.asDiagonal() * R.transpose() + steiner(mass, shape.position - out.center_of_mass);
  }
  return out;
}

Shape equivalent_box(const MassProperties& body) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(body.inertia);
  const Vector3& J = principal.eigenvalues();
  Matrix3 axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1;
  Shape box{.kind = ShapeKind::box, .position = body.center_of_mass};
  // Round-off may take a zero below it.
  for (int i = 0; i < 3; ++i) box.size[i] = std::sqrt(std::max(0.0, 6 * (J.sum() - 2 * J[i]) / body.mass));
  box.orientation = quaternion_from_matrix(axes);
  return box;
}

std::string check_inertia(const Matrix3& inertia) {
  // Formulas and files round; a body of such an inertia moves all the same.
  constexpr double rounding = 1e-9;
  if (!inertia.allFinite()) return "the inertia tensor is not finite";
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > rounding * inertia.cwiseAbs().maxCoeff())
    return "the inertia tensor is not symmetric";
  const Vector3 J = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(J[0] > 0))
    return fmt::format(
        "the inertia tensor is not positive definite: its principal moments are {:.6g}, {:.6g}, {:.6g}", J[0],
        J[1], J[2]);
  // ∫x² + ∫y² ≥ 0 for each axis; thin plates reach it.
  if (J[2] > (J[0] + J[1]) * (1 + rounding))
    return fmt::format(
        "the principal moments {:.6g}, {:.6g}, {:.6g} break the triangle inequality: no body has one larger "
        "than the sum "
        "of the two others",
        J[0], J[1], J[2]);
  return "";
}

}  // namespace delassus
