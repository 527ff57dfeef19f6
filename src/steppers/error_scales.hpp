// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What error control tolerates, by kind of coordinate: lengths, angles, speeds and angular speeds have each an absolute part, and a
// relative one of the largest coordinate of their kind,
//
//   allowed_K = atol_K + ε s_K,      s_K = max |q| or max |v| over those of kind K                                       (1)
//
// Orientations of bodies have no size: s_K = 0, and their angles are judged by atol alone. By default atol_K = ε in SI units. A model
// that is c times as large, with atol_length and atol_speed c times theirs, has the same steps.
#pragma once
#include <vector>

#include "delassus/system/system.hpp"

namespace delassus {

// atol_K [m, rad, m/s, rad/s]
struct AbsoluteTolerances {
  double length = 1e-4, angle = 1e-4, speed = 1e-4, angular_speed = 1e-4;
};

class ErrorScales {
 public:
  // ε and atol. Room for more than that is where round-off begins.
  ErrorScales(double relative, AbsoluteTolerances absolute) : relative_(relative), absolute_(absolute) {}

  double relative() const { return relative_; }
  // (1) of gaps: lengths [m] or angles [rad].
  double gap(bool angle) const { return angle ? angle_ : length_; }
  // (1) at a state; with the larger one of sizes before and now if `keep`.
  void update(const System& system, const VectorRef& q, const VectorRef& v, bool keep = false);

  // The largest of some errors, one a velocity, as parts of what is allowed.
  struct Worst {
    double error = 0;  // [-]
    int velocity = -1;
  };
  Worst worst_position(const Vector& errors) const { return worst(errors, length_, angle_); }
  Worst worst_velocity(const Vector& errors) const { return worst(errors, speed_, angular_speed_); }
  // The largest angular speed [rad/s].
  double turning(const VectorRef& v) const;

 private:
  Worst worst(const Vector& errors, double linear, double angular) const;
  void find_kinds(const System& system);

  double relative_;
  AbsoluteTolerances absolute_;
  double length_ = 0, angle_ = 0, speed_ = 0, angular_speed_ = 0;  // allowed
  std::uint64_t system_ = 0;                                       // number of the one that `angles_` are of
  std::vector<char> angles_;                                       // velocities that are angular
};

}  // namespace delassus
