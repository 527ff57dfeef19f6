// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Joints between two frames: frame A on body A with axes x, y, z, frame B on body B with axes x', y', z'. Their
// equations Θ = 0 in terms of pair functions (pair_function.hpp, which gives gradient, time derivative and the
// action of the second derivative); S(a) = a·(p_B − p_A), D(a,b) = a·b:
//
//   kind            equations                                        coordinates                          rows
//   fixed           S(x) S(y) S(z) D(y,z') D(z,x') D(x,y')           –                                    6
//   revolute        S(x) S(y) S(z) D(x,z') D(y,z')                   angle about z                        5
//   prismatic       S(x) S(y) D(y,z') D(z,x') D(x,y')                slide along z                        5
//   cylindrical     S(x) S(y) D(x,z') D(y,z')                        slide, angle                         4
//   screw           S(x) S(y) D(x,z') D(y,z'), S(z) − p angle/2π     slide, angle                         5
//   spherical       S(x) S(y) S(z)                                   –                                    3
//   universal       S(x) S(y) S(z) D(z,x')                           angle about z, angle about x'        4
//   planar          S(z) D(x,z') D(y,z')                             slide x, slide y, angle about z      3
//   point_on_line   S(x) S(y)                                        slide along z                        2
//   point_on_plane  S(z)                                             slide x, slide y                     1
//   parallel_axes   D(x,z') D(y,z')                                  angle about z                        2
//   distance        (|p_B − p_A|² − L²)/2L                           –                                    1
//
// Multipliers of S rows are forces on B along axes of A at p_B, those of D rows torques. An angle counts turns.
#pragma once
#include <string>
#include <vector>

#include "delassus/base/rotation.hpp"
#include "delassus/model/joint/pair_function.hpp"

namespace delassus {

inline constexpr int k_world = -1;

// Where a joint or force element is attached: a frame fixed in a body, or in the world.
struct Attachment {
  int body = k_world;
  Vector3 point = Vector3::Zero();  // in the body's frame, in the world when body is k_world [m]
  Quaternion orientation = identity_quaternion();  // of the frame in the body's frame
};

enum class JointKind : std::uint8_t {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  screw,
  spherical,
  universal,
  planar,
  point_on_line,
  point_on_plane,
  parallel_axes,
  distance,
};
const char* to_string(JointKind kind);

struct Joint {
  std::string name;
  JointKind kind = JointKind::revolute;
  Attachment a, b;
  double pitch = 0;   // p: travel a turn, screw only [m]
  double length = 1;  // L: distance only [m]
};

// A massless rod between two points.
Joint distance_joint(std::string name, const Attachment& a, const Attachment& b, double length);

// Number of equations Θ, and how many of the first ones are S rows: the force of the joint.
int num_equations(JointKind kind);
int num_force_equations(JointKind kind);

// A coordinate that a joint leaves free.
struct JointCoordinate {
  std::string name;  // "angle", "slide", …
  bool angle = false;
};
const std::vector<JointCoordinate>& joint_coordinates(JointKind kind);

// The equations and coordinates as pair functions. The last equation of a screw is not among them: it couples its
// two coordinates.
void make_equations(const Joint& joint, std::vector<PairFunction>& out);
void make_coordinates(const Joint& joint, std::vector<PairFunction>& out);

}  // namespace delassus
