// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/force_face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace delassus {
namespace {

// Of dry friction in joints beside contacts.
constexpr double k_box_weight = 1e-4;

// Dry friction of a joint, which has its small weight.
double project_onto_box(const Face& face, bool linear, const ContactVectorRef& z, ContactVector& r,
                        ContactBlock& J) {
  r = z / k_box_weight;
  const bool inside = linear || std::abs(r[0]) <= face.bound;
  if (!inside) r[0] = std::clamp(r[0], -face.bound, face.bound);
  if (inside) J.diagonal().setConstant(1 / k_box_weight);
  return z.dot(r) - 0.5 * k_box_weight * r.squaredNorm();
}

// The normal part n of P_F(z) and its slope: the root of a piecewise linear function, as in project_onto_cone.
struct FaceNormal {
  double n = 0;
  ContactVector slope;
  double sizes[k_num_friction_kinds] = {};  // of the parts of z that stick, in their units
  bool binds[k_num_friction_kinds] = {};    // they are at their limits
};

FaceNormal find_normal(const Face& face, bool linear, const ContactVectorRef& z) {
  FaceNormal out;
  double fixed_sum = z[0], fixed_weight = 1;
  for (int i = 0; i < face.parts; ++i) {
    const FacePart& part = face.part[i];
    const auto z_i = z.segment(part.first, part.size);
    if (part.sticks) {
      out.sizes[i] = part.unit * z_i.norm();
    } else {
      const double tied = part.coefficient / part.unit;
      fixed_sum -= part.coefficient * part.direction.head(part.size).dot(z_i) + tied * tied * face.extra;
      fixed_weight += tied * tied;
    }
  }
  const auto binds = [&](int i) {
    return !linear && face.part[i].sticks && out.sizes[i] > face.part[i].bound * (out.n + face.extra);
  };
  out.n = fixed_sum / fixed_weight;
  double weight = fixed_weight;
  for (int round = 0; round <= 2 * face.parts; ++round) {
    double sum = fixed_sum;
    weight = fixed_weight;
    for (int i = 0; i < face.parts; ++i)
      if (binds(i)) {
        sum += face.part[i].bound * (out.sizes[i] - face.part[i].bound * face.extra);
        weight += face.part[i].bound * face.part[i].bound;
      }
    const double next = sum / weight;
    if (next == out.n) break;
    out.n = next;
  }
  const bool pushes = linear || out.n > 0;
  if (!pushes) out.n = 0;
  for (int i = 0; i < face.parts; ++i) out.binds[i] = binds(i);
  out.slope = ContactVector::Zero(face.dim);
  if (!pushes) return out;
  out.slope[0] = 1;
  for (int i = 0; i < face.parts; ++i) {
    const FacePart& part = face.part[i];
    auto slope_i = out.slope.segment(part.first, part.size);
    if (!part.sticks)
      slope_i = -part.coefficient * part.direction.head(part.size);
    else if (out.binds[i] && out.sizes[i] > 0)
      slope_i = part.bound * part.unit * part.unit / out.sizes[i] * z.segment(part.first, part.size);
  }
  out.slope /= weight;
  return out;
}

}  // namespace

double project_onto_face(const Face& face, bool linear, const ContactVectorRef& z, ContactVector& r,
                         ContactBlock& J) {
  r.setZero(face.dim);
  J.setZero(face.dim, face.dim);
  if (face.kind == FaceKind::absent) return 0;
  if (face.kind == FaceKind::box) return project_onto_box(face, linear, z, r, J);
  const FaceNormal normal = find_normal(face, linear, z);
  const double n = normal.n;
  r[0] = n;
  J.row(0) = normal.slope.transpose();
  double value = z[0] * n - 0.5 * n * n;
  for (int i = 0; i < face.parts; ++i) {
    const FacePart& part = face.part[i];
    const auto z_i = z.segment(part.first, part.size);
    auto r_i = r.segment(part.first, part.size);
    auto J_i = J.middleRows(part.first, part.size);
    Eigen::Vector2d along = Eigen::Vector2d::Zero();
    if (!part.sticks) {
      along = -part.coefficient * part.direction;
      r_i = (n + face.extra) * along.head(part.size);
      J_i = along.head(part.size) * normal.slope.transpose();
    } else if (!normal.binds[i]) {
      r_i = part.unit * part.unit * z_i;
      J_i.middleCols(part.first, part.size).diagonal().setConstant(part.unit * part.unit);
    } else if (normal.sizes[i] > 0) {
      const double radius = part.bound * (n + face.extra);
      along.head(part.size) = part.unit / normal.sizes[i] * z_i;
      r_i = part.unit * radius * along.head(part.size);
      J_i = part.unit * part.bound * along.head(part.size) * normal.slope.transpose();
      if (part.size == 2)
        J_i.middleCols(part.first, 2) += part.unit * part.unit * radius / normal.sizes[i] *
                                         (Eigen::Matrix2d::Identity() - along * along.transpose());
    }
    value += z_i.dot(r_i) - 0.5 * r_i.squaredNorm() / (part.unit * part.unit);
  }
  return value;
}

bool within_face(const Face& face, const ContactVectorRef& r, double border) {
  if (face.kind == FaceKind::absent) return true;
  if (face.kind == FaceKind::box) return r.cwiseAbs().maxCoeff() <= face.bound + border;
  if (r[0] < -border) return false;
  for (int i = 0; i < face.parts; ++i) {
    const FacePart& part = face.part[i];
    if (part.sticks &&
        r.segment(part.first, part.size).norm() > part.unit * (part.bound * (r[0] + face.extra) + border))
      return false;
  }
  return true;
}

bool find_face(const Cone& cone, const ContactVectorRef& r, const ContactVectorRef& u, double zero,
               Face& face) {
  face.dim = cone.dim;
  face.extra = cone.extra_normal;
  face.parts = 0;
  face.kind = FaceKind::absent;
  if (cone.kind == ConeKind::box || cone.kind == ConeKind::equality) {
    face.bound = cone.kind == ConeKind::box ? cone.bound : std::numeric_limits<double>::infinity();
    if (face.bound > 0 && (cone.kind == ConeKind::equality || std::abs(u[0]) <= zero))
      face.kind = FaceKind::box;
    return true;
  }
  double opening = u[0];
  if (cone.kind == ConeKind::convex)
    for (const FrictionPart& part : friction_parts(cone))
      opening -= part.coefficient * u.segment(part.first, part.size).norm();
  if (opening > zero) return true;
  face.kind = FaceKind::contact;
  for (const FrictionPart& part : mode_parts(cone)) {
    FacePart& out = face.part[face.parts++];
    const auto u_i = u.segment(part.first, part.size), r_i = r.segment(part.first, part.size);
    const bool couple = part.kind != FrictionKind::sliding;
    out = {.first = part.first, .size = part.size, .coefficient = part.coefficient};
    out.unit = couple && part.coefficient > 0 ? part.coefficient : 1.0;
    out.bound = part.coefficient / out.unit;
    out.sticks = part.coefficient > 0 && u_i.norm() <= zero;
    const bool polygon = cone.kind == ConeKind::polyhedral && part.size == 2;
    if (out.sticks && polygon) {
      if (cone.num_directions < 3) return false;
      out.bound = inner_friction(cone);
    }
    if (out.sticks || part.coefficient == 0) continue;
    // The friction that there is says against which direction it is.
    const double most = part.coefficient * (r[0] + face.extra);
    if (polygon && !(r_i.norm() > 0)) return false;
    if (polygon || r_i.norm() > 0.5 * most)
      out.direction.head(part.size) = -r_i / (polygon ? most : r_i.norm());
    else
      out.direction.head(part.size) = u_i.normalized();
  }
  return true;
}

ContactBlock span_face(const Face& face) {
  ContactBlock out = ContactBlock::Zero(face.dim, face.dim);
  if (face.kind == FaceKind::absent) return out.leftCols(0);
  int columns = 1;
  out(0, 0) = 1;
  for (int i = 0; i < face.parts; ++i) {
    const FacePart& part = face.part[i];
    if (part.sticks) {
      out.block(part.first, columns, part.size, part.size).setIdentity();
      columns += part.size;
    } else {
      out.col(0).segment(part.first, part.size) = -part.coefficient * part.direction.head(part.size);
    }
  }
  return out.leftCols(columns);
}

}  // namespace delassus
