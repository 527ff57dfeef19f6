// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/time_samples.hpp"

namespace delassus {
namespace {

// Where the step is looked at, in parts of it.
constexpr double k_samples[] = {1.0 / 8, 3.0 / 8, 5.0 / 8, 7.0 / 8};
// Deviations below this part of the forces are round-off [-].
constexpr double k_round_off = 1e-13;

// What lies off the parabola through values at 0, ½ and 1.
void subtract_parabola(double s, const Vector& begin, const Vector& middle, const Vector& end,
                       Vector& value) {
  value -= (1 - s) * (1 - 2 * s) * begin + 4 * s * (1 - s) * middle + s * (2 * s - 1) * end;
}

bool is_off(const Vector& deviation, const Vector& value) {
  return !(max_abs(deviation) <= k_round_off * max_abs(value));
}

}  // namespace

void TimeSamples::evaluate(const System& system, double t, const VectorRef& q, const VectorRef& v,
                           Sample& out) {
  system.configure(t, q, at_);
  system.forces(at_, v, out.forces);
  system.bilateral(at_, joints_);
  out.targets = joints_.target;
}

bool TimeSamples::find_unseen(const System& system, double t, double h, const VectorRef& q,
                              const VectorRef& v, bool sticks, Vector& out) {
  evaluate(system, t, q, v, seen_[0]);
  evaluate(system, t + h, q, v, seen_[2]);
  evaluate(system, t + 0.5 * h, q, v, seen_[1]);
  out.setZero(v.size());
  bool found = false;
  for (double s : k_samples) {
    evaluate(system, t + s * h, q, v, sample_);
    if (sticks)
      sample_.forces -= 0.5 * (seen_[1].forces + seen_[s < 0.5 ? 0 : 2].forces);
    else
      subtract_parabola(s, seen_[0].forces, seen_[1].forces, seen_[2].forces, sample_.forces);
    subtract_parabola(s, seen_[0].targets, seen_[1].targets, seen_[2].targets, sample_.targets);
    if (!is_off(sample_.forces, seen_[1].forces) && !is_off(sample_.targets, seen_[1].targets)) continue;
    // Where mass and rows depend on time, those of the sample do as well.
    compliance_.setZero(sample_.targets.size());
    if (!factor_.compute(system.mass_at(at_, M_), true, joints_.rows, nullptr, compliance_)) continue;
    sample_.forces *= h * h / 8;
    sample_.targets *= h / 8;
    factor_.solve(sample_.forces, sample_.targets, way_, lambda_);
    out = out.cwiseMax(way_.cwiseAbs());
    found = true;
  }
  return found;
}

}  // namespace delassus
