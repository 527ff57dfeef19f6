// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Two edges, sharp or rounded:  min over (s, t) of  |c_b(t) − c_a(s)| − ρ_a(s) − ρ_b(t),  jointly convex. Inside,
//
//   nᵀe_a = −k_a,   nᵀe_b = k_b,   c_b(t) − c_a(s) = g n,   g ≥ 0                                                 (1)
//
// In the axes (e_a, f, m) with  e_b = c e_a + σ f  (σ = |e_a × e_b|) and d = c_b(0) − c_a(0):
//
//   n = −k_a e_a + (k_b + c k_a)/σ f ± γ m,   γ = √(1 − …),
//   g = |dᵀm|/γ,   t = (g nᵀf − dᵀf)/σ,   s = dᵀe_a + c t + g k_a                                                (2)
//
// Beyond the ends a border is nearest. The gap of two sharp edges (and of rounded ones whose arms are known) is signed:
// n = m on the outer side, so that it goes on below zero when the cores pass each other.
#include "delassus/collision/feature_pairs.hpp"

namespace delassus::feature_pairs {

namespace {

FeatureContact inner_contact(const Rod& a, const Rod& b, double s, double t, const Vector3& n,
                             const Limits& limits) {
  FeatureContact out = make_contact(a.at(s), a.radius_at(s), b.at(t), b.radius_at(t), n);
  out.margin = std::min(a.margin(s), b.margin(t));
  settle(out);
  if (limits.exclude(out)) return out;
  out.patch_a = rod_patch(a, s, n, k_side_a);
  out.patch_b = rod_patch(b, t, n, k_side_b);
  return out;
}

bool is_signed(const Rod& a, const Rod& b, double sine) {
  const bool both_sharp = a.sharp() && b.sharp();
  return (both_sharp && sine > k_parallel_sharp) ||
         (!both_sharp && a.has_arms && b.has_arms && a.slope == 0 && b.slope == 0);
}

// (2), where it lies inside of both; `overshoot`: how far it does not.
bool find_crossing(const Rod& a, const Rod& b, double sine, const Vector3& hint, const Limits& limits,
                   double& overshoot, FeatureContact& out) {
  const Vector3 cross = a.e.cross(b.e);
  const Vector3 m = (cross - a.e * a.e.dot(cross)).normalized();
  const Vector3 f = m.cross(a.e);
  const double c = a.e.dot(b.e);
  const Vector3 d = b.x - a.x;
  const double along_a = -a.slope, along_f = (b.slope + c * a.slope) / sine;
  const double gamma_squared = 1 - along_a * along_a - along_f * along_f;
  if (!(gamma_squared > 0)) return false;
  const double gamma = std::sqrt(gamma_squared), height = d.dot(m), g = std::abs(height) / gamma;
  const double t = (g * along_f - d.dot(f)) / sine, s = d.dot(a.e) + c * t + g * a.slope;
  const double margin = std::min(a.margin(s), b.margin(t));
  if (!(margin >= 0) && !a.continued) {
    overshoot = margin;
    return false;
  }
  if (margin < limits.margin) {
    out = no_contact();
    return true;
  }
  const bool two_sided = is_signed(a, b, sine) || coincide(a.at(s), b.at(t));
  const Vector3 up = two_sided ? oriented(m, a.outward - b.outward, hint) : height >= 0 ? m : Vector3(-m);
  out = inner_contact(a, b, s, t, along_a * a.e + along_f * f + gamma * up, limits);
  return true;
}

// Parallel axes whose tapers fit: the middle of what faces each other. Both are the same rod there up to a shift.
bool find_side_by_side(const Rod& a, const Rod& b, const Vector3& hint, const Limits& limits,
                       FeatureContact& out) {
  const double c = a.e.dot(b.e) > 0 ? 1 : -1;
  if (std::abs(b.slope + c * a.slope) > k_parallel_rounded) return false;
  const Vector3 d = b.x - a.x;
  const double z = d.dot(a.e);
  const Vector3 across = d - z * a.e;
  const Vector3 preferred = a.outward - b.outward;
  const Vector3 up = coincide(a.at(z), b.x) ? usable_direction(a.e, {preferred, hint})
                                            : usable_direction(a.e, {across.normalized(), preferred, hint});
  const double shift = z + across.norm() / a.cosine * a.slope;  // s = shift + c t
  const double from = std::max(0.0, std::min(shift, shift + c * b.length));
  const double to = std::min(a.length, std::max(shift, shift + c * b.length));
  if (from > to && !a.continued) return false;
  const double s = 0.5 * (from + to), t = c * (s - shift);
  // From the cores themselves where they are apart: axes may be parallel up to round-off only.
  const Vector3 fallback = -a.slope * a.e + a.cosine * up;
  out = inner_contact(a, b, s, t, direction_between(a.at(s), b.at(t), {fallback}), limits);
  return true;
}

FeatureContact nearest_border(const Rod& a, const Rod& b, const Vector3& hint) {
  FeatureContact best = no_contact();
  for (int i = 0; i < 2; ++i) {
    keep_nearer(
        best, a.open[i] ? swapped(closed_rod_rim(b, a.end_rim(i), -hint)) : ball_rod(a.end_ball(i), b, hint));
    keep_nearer(
        best, b.open[i] ? closed_rod_rim(a, b.end_rim(i), hint) : swapped(ball_rod(b.end_ball(i), a, -hint)));
  }
  return best;
}

}  // namespace

FeatureContact rod_rod(const Rod& a, const Rod& b, const Vector3& hint, const Limits& limits) {
  const double sine = a.e.cross(b.e).norm();
  const bool both_sharp = a.sharp() && b.sharp(), lost = both_sharp && sine <= k_parallel_sharp;
  if (lost && limits.margin > k_never) return no_contact();
  double overshoot = 0;
  FeatureContact out;
  const bool inner = sine > k_parallel_rounded ? find_crossing(a, b, sine, hint, limits, overshoot, out)
                                               : !both_sharp && find_side_by_side(a, b, hint, limits, out);
  const double margin = overshoot < 0 && !lost ? overshoot : k_never;  // where it is not inside
  if (!inner) {
    if (margin < limits.margin) return no_contact();
    out = nearest_border(a, b, hint);
  }
  if (!inner || lost) hand_over(out, margin);
  return out;
}

}  // namespace delassus::feature_pairs
