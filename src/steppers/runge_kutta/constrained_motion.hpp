// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The smooth motion between two events: joints hold, and every contact keeps its mode. Its accelerations and forces at any
// (t, q, v) are those of the index-1 problem [Acary 2009, 71-72]
//
//   M v̇ = k + G λ + Σ_c D_c f_c                                                                       (1)
//   Gᵀ v̇ = −d/dt(Gᵀ) v …,   R_c v̇ = −bias_c                                                           (2)
//
//   R_c: rows of contact c that are held: its normal, and the parts of its friction that stick
//   D_c: the same, but the column of the normal with the friction of the parts that slip,
//        n − Σ_i μ_i(|u_i|) t_i d_i,   d_i = u_i/|u_i|                                                  (3)
//
// where u_i is the velocity of the part; at rest, where a slip begins, and past its end d_i is the direction of the mode, so that the
// right side stays smooth there and events are found on its continuation. The second term of (2) is the curvature bias, which
// [Acary 2009, 71] drops: that is right for constraints that are linear in q only.
//
// With (1)-(3) the motion is an ordinary differential equation, for which any Runge-Kutta method has its full order. It
// drifts from its constraints as far as the method errs; the projection after each step (projection.hpp) puts it back.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "delassus/linalg/kkt.hpp"
#include "delassus/steppers/assemble.hpp"

namespace delassus {

// A phase with what (1)-(3) are made of there, and their solution. `point.contacts` are the closed ones.
struct MotionPoint {
  PhasePoint point;
  Vector k;
  BlockRows rows, directions;  // those of the joints, then those of the contacts
  Vector bias;                 // of the rows
  bool tilted = false;         // some part slips: rows and directions differ
  double slow = 0;             // slips below this are round-off, or only beginning [m/s]
  const BlockMatrix* M = nullptr;
  BlockMatrix M_memory;
  Vector rate;            // v̇ [m/s²]
  Vector forces;          // λ, then f of the held rows [N]
  Vector contact_forces;  // r of all rows of point.contacts [N]
  int num_redundant = 0;  // rows that depend on others: forces are one choice of many
  // Contacts that slip carry shares of one load, so that their friction, and with it the motion, depends on the shares.
  bool shares_move() const { return num_redundant > 0 && tilted; }
  MotionPoint() = default;
  MotionPoint(const MotionPoint&) = delete;
  MotionPoint& operator=(const MotionPoint&) = delete;
  int num_joint_rows() const { return point.joints.rows.rows(); }
};

class ConstrainedMotion {
 public:
  // Contacts `ids`, ascending and closed, in `modes`. Every slip follows its velocity, but for those that are straightened.
  void begin(const System& system, const StepperOptions& options, std::span<const ContactId> ids,
             std::span<const ContactMode> modes);
  // d_i of (3) is (ρ d + u_i)/(ρ + |u_i|), d the direction of the mode: slips of less than ρ hardly turn [m/s]. 0: none.
  void set_blur(double rho) { blur_ = rho; }
  // Time that velocities are judged by: what forces do in it leaves round-off [s].
  void set_interval(double interval) { interval_ = interval; }
  const System& system() const { return *system_; }
  const std::vector<ContactId>& ids() const { return ids_; }
  const std::vector<ContactMode>& modes() const { return modes_; }
  void set_mode(std::size_t c, const ContactMode& mode) { modes_[c] = mode; }

  // The slip of a part keeps the direction of its mode from now on.
  void straighten(std::size_t c, FrictionKind kind);
  void straighten_none() { std::fill(straight_.begin(), straight_.end(), std::uint8_t{0}); }
  bool is_straight(std::size_t c, FrictionKind kind) const;

  // From out.point.phase all that (1)-(3) are made of.
  void place(MotionPoint& out) const;
  // The solution of (1)-(2) at a point that has been placed. False: M or the system is singular.
  bool solve(MotionPoint& out);
  // Contact forces of the solution at a point: normal first, friction by (3).
  void spread_forces(MotionPoint& out) const;

  // Coefficient of a part of the friction of contact c; 0: the part is free.
  double coefficient(const ContactSet& contacts, std::size_t c, FrictionKind kind) const;
  // Friction against slips that turn: d_i of (3) changes with the velocity across it like a damper of μ_i f_N/|u_i|, a stiff one where
  // a slip begins or ends,
  //
  //   ∂(−μ_i f_N d_i)/∂u_i = −(μ_i f_N/|u_i|) t tᵀ,   t ⟂ d_i                                          (4)
  //
  // added to `k_v` with the slips at a point and the normal forces at `loads`. False: nothing slips.
  bool add_slip_derivatives(const MotionPoint& at, const MotionPoint& loads, BlockMatrix& k_v) const;

  // About how fast (4) turns slips into the direction of the forces, the fastest of them; 0: none turns [1/s].
  double slip_rate(const MotionPoint& at) const;

  // d_i of (3).
  Eigen::Vector2d slip_direction(const MotionPoint& at, std::size_t c, FrictionKind kind) const;

  // First row and number of rows of a part of the friction of a contact with `num_rows` rows; none: size 0.
  struct PartRows {
    int first = 0, size = 0;
  };
  static PartRows part_rows(FrictionKind kind, int num_rows);

 private:
  // μ_i f_N/|u_i| of (4), and t in across_; 0: the part does not slip, or has a direction of its own.
  double slip_damping(const MotionPoint& at, const MotionPoint& loads, std::size_t c,
                      FrictionKind kind) const;
  double slow_speed(const MotionPoint& at) const;
  void add_contact(MotionPoint& out, std::size_t c, std::vector<double>& bias) const;

  const System* system_ = nullptr;
  const StepperOptions* options_ = nullptr;
  double interval_ = 0, blur_ = 0;
  std::vector<ContactId> ids_;
  std::vector<ContactMode> modes_;
  std::vector<std::uint8_t> straight_;  // a bit a kind
  KktFactor kkt_;
  Vector C_, minus_bias_;
  mutable Vector contact_bias_;
  mutable BlockRows across_;  // t of (4)
  mutable std::vector<double> bias_;
};

// The kinds of friction, in the order of their rows.
inline constexpr FrictionKind k_friction_kinds[] = {FrictionKind::sliding, FrictionKind::rolling,
                                                    FrictionKind::spinning};

}  // namespace delassus
