// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A primal-dual interior point for contacts with friction, the exact law included. The law is taken apart into two pairs a contact,
// which are kept inside of their cones on the way:
//
//   r_N s_N = τ          r_N > 0, s_N > 0,   s_N = û_N                                                (1)
//   z ∘ y   = τ e        z = (μ r_N, r_T), y = (λ, s_T) in L = {x_0 > ‖x_T‖},   s_T = û_T             (2)
//
// with r, û scaled by the masses of the contacts (r/√ρ, √ρ u), ∘ the product of the second-order cone L (Jordan's) and λ the slip
// speed. With τ → 0 this is Signorini's condition and maximal dissipation on the disk of radius μ r_N: no shift, and nothing that
// is not smooth where a contact sticks. All contacts come to their modes together, and those that are redundant share their impulses
// evenly: some thirty factorisations, where methods that decide contact by contact take hundreds.
//
// A step linearises (1) and (2), the latter symmetrically by the scaling F of Nesterov and Todd, F y = F⁻¹ z. λ is eliminated:
//
//   dx = a − Z (dû + e + ω dx),   x = (r_N, r_T),   e = û − s: what the slacks are off                       (3)
//   (I + P Bᵀ Z B) dv = P Bᵀ (x + a − Z e) − v                                                         (4)
//
// with Z = [r_N/s_N 0; b μ r_N/s_N  S], S the Schur complement of F² and b its coupling: friction follows the normal impulse, so
// that Z is not symmetric. ω > 0 is a proximal term around the present x: it bounds Z, and with it the round-off of (4), and vanishes as
// x comes to rest. Predictor and corrector after Mehrotra.
// It ends near a solution, with modes that are clear; the last digits are for newton (newton.hpp).
// Takes contacts of up to three rows, without or with exact friction, where the mobility is known (contact_mobility.hpp).
// Source: [Vandenberghe 2010] for scaling and steps, [Pougkakiotis and Gondzio 2021] for the proximal term; (1)-(3) are ours.
// Cost: a factorisation and two or three solves a step (velocity_factor.hpp).
#pragma once
#include "delassus/solvers/cone/cone_solver.hpp"
#include "delassus/solvers/friction/velocity_factor.hpp"

namespace delassus {

class InteriorPointSolver final : public ConeSolver {
 public:
  using ConeSolver::ConeSolver;
  std::string name() const override { return "interior-point"; }
  // Whether it can take the problem.
  static bool serves(const LocalProblem& problem);
  // Ends at this error, if that is not below the tolerance, or where it gets no nearer [-].
  void set_aim(double aim) { aim_ = aim; }

 protected:
  void iterate(const LocalProblem& problem, SolveStats& stats) override;
  int default_iterations() const override { return 200; }
  WorkKind work_kind() const override { return WorkKind::interior_point; }

 private:
  struct Contact {
    int contact, row, first, dim;  // its place among all contacts, rows and unknowns
    double scale, mu;              // √ρ [√kg], μ [-]
    double w[3], eta;              // F of z and y
    double slip_side;              // right side of the eliminated dλ
  };
  void prepare(const LocalProblem& problem);
  void begin();
  void update_errors();
  void find_scaling(std::size_t c);
  bool factorize(const LocalProblem& problem);
  // a of (3), for products τ = target less those of the last step.
  void linearize(std::size_t c, double target, bool second_order);
  void find_step(double target, bool second_order);
  double longest_step() const;
  // Predictor and corrector; how far the step may go.
  double find_direction();
  double gap() const;
  void move(double length);
  void set_impulses(const LocalProblem& problem);

  double aim_ = 0;
  double weight_ = 0;  // ω
  std::vector<Contact> parts_;
  int rows_ = 0;
  Vector x_, s_, slip_, dx_, ds_, dslip_;  // slip_: λ, by contacts
  Vector u_hat_, u_free_hat_, error_, a_, rhs_, v_, dv_;
  Vector last_dx_, last_ds_, last_dslip_, last_dv_;
  std::vector<VelocityFactor::Member> members_;
  std::vector<ContactBlock> Z_, damping_;  // damping_: (I + ω Z)⁻¹
  VelocityFactor factor_;
};

}  // namespace delassus
