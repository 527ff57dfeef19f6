// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/shape.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "delassus/model/hull.hpp"

namespace delassus {
namespace {

using std::numbers::pi;

// ∫(x − center)(x − center)ᵀ = V diag(s) for the primitive ones.
SolidMoments principal(double volume, const Vector3& center, const Vector3& s) {
  return {volume, center, volume * Matrix3(s.asDiagonal())};
}

SolidMoments capsule_moments(double r, double l) {
  // A cylinder of volume π r² l and two half spheres whose centres of mass lie 3r/8 beyond its ends.
  const double cylinder = pi * r * r * l, ball = 4.0 / 3.0 * pi * r * r * r, total = cylinder + ball;
  const double lever = 0.5 * l + 0.375 * r;
  const double half_sphere = 0.2 * r * r - 0.375 * 0.375 * r * r;  // about its own centre of mass
  const double x = (cylinder * 0.25 + ball * 0.2) * r * r;
  const double z = cylinder * l * l / 12 + ball * (half_sphere + lever * lever);
  return principal(total, Vector3::Zero(), Vector3(x, x, z) / total);
}

// In the frame of the shape.
SolidMoments moments_of(const Shape& shape) {
  require_shape(shape, true);
  const double r = shape.radius, l = shape.length;
  switch (shape.kind) {
    case ShapeKind::sphere:
      return principal(4.0 / 3.0 * pi * r * r * r, Vector3::Zero(), Vector3::Constant(0.2 * r * r));
    case ShapeKind::box:
      return principal(shape.size.prod(), Vector3::Zero(), shape.size.cwiseAbs2() / 12);
    case ShapeKind::cylinder:
      return principal(pi * r * r * l, Vector3::Zero(), {0.25 * r * r, 0.25 * r * r, l * l / 12});
    case ShapeKind::capsule:
      return capsule_moments(r, l);
    case ShapeKind::cone:
      return principal(pi * r * r * l / 3, {0, 0, -0.25 * l}, {0.15 * r * r, 0.15 * r * r, 0.0375 * l * l});
    case ShapeKind::ellipsoid:
      return principal(pi / 6 * shape.size.prod(), Vector3::Zero(), 0.05 * shape.size.cwiseAbs2());
    case ShapeKind::hull:
      return compute_moments(hull_of(shape));
    case ShapeKind::mesh:
      return compute_moments(make_polyhedron(*shape.surface));
    case ShapeKind::plane:
    case ShapeKind::height_field:
      break;
  }
  return {};
}

// J of a mass m at distance d: m (|d|² I − d dᵀ).
Matrix3 steiner(double mass, const Vector3& d) {
  return mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
}

}  // namespace

double shape_volume(const Shape& shape) {
  return moments_of(shape).volume;
}

MassProperties mass_properties(const std::vector<Shape>& shapes, double density) {
  struct Part {
    double mass;
    Vector3 center;
    Matrix3 inertia;
  };
  std::vector<Part> parts;
  MassProperties out;
  for (const Shape& shape : shapes) {
    const SolidMoments moments = moments_of(shape);
    const Matrix3 R = rotation_matrix(shape.orientation);
    const Matrix3 inertia = moments.second.trace() * Matrix3::Identity() - moments.second;
    const Part part{density * moments.volume, shape.position + R * moments.center,
                    density * R * inertia * R.transpose()};
    out.mass += part.mass;
    out.center_of_mass += part.mass * part.center;
    parts.push_back(part);
  }
  if (out.mass > 0) out.center_of_mass /= out.mass;
  for (const Part& part : parts)
    out.inertia += part.inertia + steiner(part.mass, part.center - out.center_of_mass);
  // Rounding of R J Rᵀ.
  out.inertia = 0.5 * (out.inertia + out.inertia.transpose()).eval();
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
