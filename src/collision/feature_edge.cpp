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
#include <optional>

#include "delassus/collision/feature_pairs.hpp"

namespace delassus::feature_pairs {

namespace {

FeatureContact inner_contact(const Rod& a, const Rod& b, double s, double t, const Vector3& n) {
  FeatureContact out = make_contact(a.at(s), a.radius_at(s), b.at(t), b.radius_at(t), n);
  out.margin = std::min(a.margin(s), b.margin(t));
  settle(out);
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
std::optional<FeatureContact> crossing(const Rod& a, const Rod& b, double sine, const Vector3& hint,
                                       double& overshoot) {
  const Vector3 cross = a.e.cross(b.e);
  const Vector3 m = (cross - a.e * a.e.dot(cross)).normalized();
  const Vector3 f = m.cross(a.e);
  const double c = a.e.dot(b.e);
  const Vector3 d = b.x - a.x;
  const double along_a = -a.slope, along_f = (b.slope + c * a.slope) / sine;
  const double gamma_squared = 1 - along_a * along_a - along_f * along_f;
  if (!(gamma_squared > 0)) return std::nullopt;
  const double gamma = std::sqrt(gamma_squared), height = d.dot(m), g = std::abs(height) / gamma;
  const double t = (g * along_f - d.dot(f)) / sine, s = d.dot(a.e) + c * t + g * a.slope;
  const double margin = std::min(a.margin(s), b.margin(t));
  if (!(margin >= 0) && !a.continued) {
    overshoot = margin;
    return std::nullopt;
  }
  const bool two_sided = is_signed(a, b, sine) || coincide(a.at(s), b.at(t));
  const Vector3 up = two_sided ? oriented(m, a.outward - b.outward, hint) : height >= 0 ? m : Vector3(-m);
  return inner_contact(a, b, s, t, along_a * a.e + along_f * f + gamma * up);
}

// Parallel axes whose tapers fit: the middle of what faces each other. Both are the same rod there up to a shift.
std::optional<FeatureContact> side_by_side(const Rod& a, const Rod& b, const Vector3& hint) {
  const double c = a.e.dot(b.e) > 0 ? 1 : -1;
  if (std::abs(b.slope + c * a.slope) > k_parallel_rounded) return std::nullopt;
  const Vector3 d = b.x - a.x;
  const double z = d.dot(a.e);
  const Vector3 across = d - z * a.e;
  const Vector3 preferred = a.outward - b.outward;
  const Vector3 up = coincide(a.at(z), b.x) ? usable_direction(a.e, {preferred, hint})
                                            : usable_direction(a.e, {across.normalized(), preferred, hint});
  const double shift = z + across.norm() / a.cosine * a.slope;  // s = shift + c t
  const double from = std::max(0.0, std::min(shift, shift + c * b.length));
  const double to = std::min(a.length, std::max(shift, shift + c * b.length));
  if (from > to && !a.continued) return std::nullopt;
  const double s = 0.5 * (from + to), t = c * (s - shift);
  // From the cores themselves where they are apart: axes may be parallel up to round-off only.
  const Vector3 fallback = -a.slope * a.e + a.cosine * up;
  return inner_contact(a, b, s, t, direction_between(a.at(s), b.at(t), {fallback}));
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

FeatureContact rod_rod(const Rod& a, const Rod& b, const Vector3& hint) {
  const double sine = a.e.cross(b.e).norm();
  const bool both_sharp = a.sharp() && b.sharp();
  double overshoot = 0;
  std::optional<FeatureContact> inner;
  if (sine > k_parallel_rounded)
    inner = crossing(a, b, sine, hint, overshoot);
  else if (!both_sharp)
    inner = side_by_side(a, b, hint);
  FeatureContact out = inner ? *inner : nearest_border(a, b, hint);
  if (both_sharp && sine <= k_parallel_sharp)
    hand_over(out, k_never);
  else if (!inner)
    hand_over(out, overshoot < 0 ? overshoot : k_never);
  return out;
}

}  // namespace delassus::feature_pairs
