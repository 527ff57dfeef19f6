// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The free asymmetric top in closed form.
#pragma once
#include "delassus/base/rotation.hpp"
#include "runs.hpp"

namespace delassus::testing {

struct Jacobi {
  double sn, cn, dn;
};

// Jacobi's elliptic functions of modulus k by descending Landen transformations.
inline Jacobi jacobi(double u, double k) {
  constexpr int n = 12;  // converges quadratically
  double a[n + 1], c[n + 1], b = std::sqrt(1 - k * k);
  a[0] = 1, c[0] = k;
  for (int i = 1; i <= n; ++i) {
    a[i] = (a[i - 1] + b) / 2;
    c[i] = (a[i - 1] - b) / 2;
    b = std::sqrt(a[i - 1] * b);
  }
  double phi = std::ldexp(a[n] * u, n);
  for (int i = n; i >= 1; --i) phi = (phi + std::asin(c[i] / a[i] * std::sin(phi))) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

// ω of the free top with J₁ < J₂ < J₃ that starts at (a, 0, c), where L² > 2 E J₂ (Landau and Lifshitz, Mechanics §37):
//   ω₁ = a cn τ,  ω₂ = b sn τ,  ω₃ = c dn τ.
struct FreeTop {
  Vector3 J, start;
  Vector3 omega(double t) const {
    const double energy2 = J.dot(start.cwiseAbs2()), momentum2 = J.cwiseProduct(start).squaredNorm();
    const double rate = std::sqrt((J[2] - J[1]) * (momentum2 - energy2 * J[0]) / (J[0] * J[1] * J[2]));
    const double k = std::sqrt((J[1] - J[0]) * (energy2 * J[2] - momentum2) /
                               ((J[2] - J[1]) * (momentum2 - energy2 * J[0])));
    const double b = std::sqrt((energy2 * J[2] - momentum2) / (J[1] * (J[2] - J[1])));
    const Jacobi f = jacobi(rate * t, k);
    return {start[0] * f.cn, b * f.sn, start[2] * f.dn};
  }
  // ρ̇ = ½ ρ ω with the exact ω.
  Quaternion orientation(double t_end) const {
    const Vector rho = runge_kutta(
        [this](double t, const Vector& x) {
          Quaternion w;
          w << 0, omega(t);
          return Vector(0.5 * quaternion_product(Quaternion(x), w));
        },
        Vector(identity_quaternion()), t_end, 8000);
    return Quaternion(rho).normalized();
  }
};

// It passes the unstable axis: L² is only a little above 2 E J₂, so that ω₂ swings between its extremes.
inline const FreeTop k_top{{1, 2, 3}, {1.5, 0, 1.5 / std::sqrt(3.0) * 1.001}};

}  // namespace delassus::testing
