// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/joint/joint.hpp"

namespace delassus {
namespace {

enum Axis { X, Y, Z };

// The functions of the table, on the frames of one joint.
class Frames {
 public:
  explicit Frames(const Joint& joint) : joint_(joint) {
    A_ = rotation_matrix(joint.a.orientation);
    B_ = rotation_matrix(joint.b.orientation);
  }

  PairFunction S(Axis a) const {
    PairFunction f = on(PairKind::slide);
    f.axis_a = A_.col(a);
    return f;
  }
  PairFunction D(Axis a, Axis b) const {
    PairFunction f = on(PairKind::dot);
    f.axis_a = A_.col(a);
    f.axis_b = B_.col(b);
    return f;
  }
  PairFunction angle(Axis sin_a, Axis sin_b, Axis cos_a, Axis cos_b) const {
    PairFunction f = on(PairKind::angle);
    f.axis_a = A_.col(sin_a);
    f.axis_b = B_.col(sin_b);
    f.cosine_axis_a = A_.col(cos_a);
    f.cosine_axis_b = B_.col(cos_b);
    return f;
  }
  // Turn of B about z: of x' in the plane of x and y.
  PairFunction turn() const { return angle(Y, X, X, X); }
  // Turn of B about its own x', seen from z.
  PairFunction second_turn() const { return angle(Z, Y, Z, Z); }
  PairFunction stretch() const {
    PairFunction f = on(PairKind::stretch);
    f.reference_length = joint_.length;
    return f;
  }

 private:
  PairFunction on(PairKind kind) const {
    PairFunction f;
    f.kind = kind;
    f.body_a = joint_.a.body;
    f.body_b = joint_.b.body;
    f.point_a = joint_.a.point;
    f.point_b = joint_.b.point;
    return f;
  }

  const Joint& joint_;
  Matrix3 A_, B_;
};

}  // namespace

const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::screw:
      return "screw";
    case JointKind::spherical:
      return "spherical";
    case JointKind::universal:
      return "universal";
    case JointKind::planar:
      return "planar";
    case JointKind::point_on_line:
      return "point_on_line";
    case JointKind::point_on_plane:
      return "point_on_plane";
    case JointKind::parallel_axes:
      return "parallel_axes";
    case JointKind::distance:
      return "distance";
  }
  return "";
}

Joint distance_joint(std::string name, const Attachment& a, const Attachment& b, double length) {
  return {.name = std::move(name), .kind = JointKind::distance, .a = a, .b = b, .length = length};
}

void make_equations(const Joint& joint, std::vector<PairFunction>& out) {
  const Frames f(joint);
  switch (joint.kind) {
    case JointKind::fixed:
      out = {f.S(X), f.S(Y), f.S(Z), f.D(Y, Z), f.D(Z, X), f.D(X, Y)};
      break;
    case JointKind::revolute:
      out = {f.S(X), f.S(Y), f.S(Z), f.D(X, Z), f.D(Y, Z)};
      break;
    case JointKind::prismatic:
      out = {f.S(X), f.S(Y), f.D(Y, Z), f.D(Z, X), f.D(X, Y)};
      break;
    case JointKind::cylindrical:
    case JointKind::screw:
      out = {f.S(X), f.S(Y), f.D(X, Z), f.D(Y, Z)};
      break;
    case JointKind::spherical:
      out = {f.S(X), f.S(Y), f.S(Z)};
      break;
    case JointKind::universal:
      out = {f.S(X), f.S(Y), f.S(Z), f.D(Z, X)};
      break;
    case JointKind::planar:
      out = {f.S(Z), f.D(X, Z), f.D(Y, Z)};
      break;
    case JointKind::point_on_line:
      out = {f.S(X), f.S(Y)};
      break;
    case JointKind::point_on_plane:
      out = {f.S(Z)};
      break;
    case JointKind::parallel_axes:
      out = {f.D(X, Z), f.D(Y, Z)};
      break;
    case JointKind::distance:
      out = {f.stretch()};
      break;
  }
}

void make_coordinates(const Joint& joint, std::vector<PairFunction>& out) {
  const Frames f(joint);
  out.clear();
  switch (joint.kind) {
    case JointKind::revolute:
    case JointKind::parallel_axes:
      out = {f.turn()};
      break;
    case JointKind::prismatic:
    case JointKind::point_on_line:
      out = {f.S(Z)};
      break;
    case JointKind::cylindrical:
    case JointKind::screw:
      out = {f.S(Z), f.turn()};
      break;
    case JointKind::universal:
      out = {f.turn(), f.second_turn()};
      break;
    case JointKind::planar:
      out = {f.S(X), f.S(Y), f.turn()};
      break;
    case JointKind::point_on_plane:
      out = {f.S(X), f.S(Y)};
      break;
    case JointKind::fixed:
    case JointKind::spherical:
    case JointKind::distance:
      break;
  }
}

const std::vector<JointCoordinate>& joint_coordinates(JointKind kind) {
  static const std::vector<JointCoordinate> none, angle{{"angle", true}}, slide{{"slide"}},
      slide_and_angle{{"slide"}, {"angle", true}}, angles{{"angle_1", true}, {"angle_2", true}},
      planar{{"slide_x"}, {"slide_y"}, {"angle", true}}, plane{{"slide_x"}, {"slide_y"}};
  switch (kind) {
    case JointKind::revolute:
    case JointKind::parallel_axes:
      return angle;
    case JointKind::prismatic:
    case JointKind::point_on_line:
      return slide;
    case JointKind::cylindrical:
    case JointKind::screw:
      return slide_and_angle;
    case JointKind::universal:
      return angles;
    case JointKind::planar:
      return planar;
    case JointKind::point_on_plane:
      return plane;
    case JointKind::fixed:
    case JointKind::spherical:
    case JointKind::distance:
      break;
  }
  return none;
}

int num_equations(JointKind kind) {
  std::vector<PairFunction> equations;
  make_equations({.kind = kind}, equations);
  return static_cast<int>(equations.size()) + (kind == JointKind::screw ? 1 : 0);
}

int num_force_equations(JointKind kind) {
  std::vector<PairFunction> equations;
  make_equations({.kind = kind}, equations);
  int n = 0;
  while (n < static_cast<int>(equations.size()) && equations[n].kind != PairKind::dot) ++n;
  return n;
}

}  // namespace delassus
