// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/error_scales.hpp"

#include <algorithm>
#include <cmath>

namespace delassus {

void ErrorScales::find_kinds(const System& system) {
  if (system_ == system.number()) return;
  system_ = system.number();
  angles_.clear();
  for (int i = 0; i < system.nv(); ++i) angles_.push_back(system.velocity_is_angle(i) ? 1 : 0);
}

void ErrorScales::update(const System& system, const VectorRef& q, const VectorRef& v, bool keep) {
  find_kinds(system);
  const Dynamics::Sizes sizes = system.coordinate_sizes(q);
  double speed = 0, angular = 0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    double& largest = angles_[static_cast<std::size_t>(i)] != 0 ? angular : speed;
    largest = std::max(largest, std::abs(v[i]));
  }
  const auto set = [&](double& allowed, double absolute, double size) {
    const double now = absolute + relative_ * size;
    allowed = keep ? std::max(allowed, now) : now;
  };
  set(length_, absolute_.length, sizes.length);
  set(angle_, absolute_.angle, sizes.angle);
  set(speed_, absolute_.speed, speed);
  set(angular_speed_, absolute_.angular_speed, angular);
}

ErrorScales::Worst ErrorScales::worst(const Vector& errors, double linear, double angular) const {
  Worst out;
  for (Eigen::Index i = 0; i < errors.size(); ++i) {
    const double error = std::abs(errors[i]) / (angles_[static_cast<std::size_t>(i)] != 0 ? angular : linear);
    // Not a number is worse than all others.
    if (error <= out.error) continue;
    out = {error, static_cast<int>(i)};
    if (std::isnan(error)) break;
  }
  return out;
}

double ErrorScales::turning(const VectorRef& v) const {
  double out = 0;
  for (Eigen::Index i = 0; i < v.size(); ++i)
    if (angles_[static_cast<std::size_t>(i)] != 0) out = std::max(out, std::abs(v[i]));
  return out;
}

}  // namespace delassus
