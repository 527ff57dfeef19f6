// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The problem of one contact, solved to round-off: given A = W_cc and the velocity q that the contact has without its
// own impulse, find r and u = A r + q that obey the law.
//
// Exact Coulomb law. q_N ≥ 0: take-off, r = 0. Otherwise the contact stays closed, u_N = 0, and friction opposes the
// slip, u_T = −ν r_T with ν ≥ 0 [1/kg]; ν = 0 is stick. With r_N eliminated,
//
//   (S + ν I) r_T = −p,   r_N = −(q_N + A_NT r_T) / A_NN                                             (1)
//   S = A_TT − A_TN A_NT / A_NN,   p = q_T − A_TN q_N / A_NN
//
// Stick when r(0) is in the cone. If not, one unknown is left:
//
//   φ(ν) = μ r_N / ‖r_T‖ − 1 = 0                                                                     (2)
//
// φ(0) < 0 and φ > 0 at ν = ‖p‖ (A_NN + μ ‖A_NT‖) / (μ |q_N|), because r_T goes to zero and r_N to −q_N / A_NN > 0: for
// positive definite A and any μ there is a root. φ is nearly straight, Newton steps inside the bracket take a few
// iterations. Squared, (2) is the quartic of the slipping contact; this form needs no choice among four roots.
//
// Convex law, dim 3. q ∈ K*: r = 0; −A⁻¹q ∈ K: that; otherwise r is on the border, u = −ν J r, J = diag(−μ², 1, 1). In
// the basis X with Xᵀ A X = I, Xᵀ J X = diag(λ_0 < 0 < λ_1 ≤ λ_2), r = X y, p = Xᵀ q,
//
//   (1 + ν λ_i) y_i = −p_i,   λ_0 y_0² + λ_1 y_1² + λ_2 y_2² = 0,   y_0 > 0 in K                      (3)
//
// with y_0 as the unknown, since ν has a pole where p_0 changes its sign: ν = (1 + p_0 / y_0) / |λ_0|.
//
// Planar friction, unilateral rows, boxes and equalities are closed forms. All else (rolling, spinning, extra normal
// impulse) is solved by semismooth Newton steps on the natural map, with projected steps where those do not descend.
#pragma once
#include "delassus/solvers/cone/prepared_contacts.hpp"

namespace delassus {

class LocalContact {
 public:
  // `block` is W_cc by rows, dim² numbers, kept by reference. tau of the contact must be the step of that block.
  void prepare(const PreparedContact& contact, const double* block);
  // r: a guess that only iterative cases use; overwritten by the solution.
  void solve(const double* q, double* r);

 private:
  enum class Method : std::uint8_t {
    none,
    unilateral,
    box,
    equality,
    planar,
    spatial,
    convex_planar,
    convex_spatial,
    newton
  };
  void prepare_spatial();
  void prepare_convex();
  void prepare_equality();
  void solve_planar(const double* q, double* r) const;
  void solve_spatial(const double* q, double* r);
  void solve_convex_planar(const double* q, double* r) const;
  void solve_convex_spatial(const double* q, double* r) const;
  double a(int i, int j) const { return A_[i * contact_.dim + j]; }

  PreparedContact contact_;
  const double* A_ = nullptr;  // by rows
  Method method_ = Method::none;
  // spatial: S of (1), its determinant, the last ν as a guess
  double S_[4] = {}, det_S_ = 0, nu_ = 0;
  // convex_spatial: (3), in components in which the cone is ‖r_T‖ ≤ r_N
  Eigen::Matrix3d X_ = Eigen::Matrix3d::Zero();
  Eigen::Vector3d lambda_ = Eigen::Vector3d::Zero();
  ContactBlock inverse_;  // equality
};

}  // namespace delassus
