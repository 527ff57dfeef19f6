// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference motions of one rigid body in contact, independent of the engine: Euler's equations by Runge-Kutta with small steps,
// landings by bisection, impacts and pivots solved by hand. The ground is y = 0, gravity acts along −y.
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../support/runs.hpp"
#include "delassus/base/rotation.hpp"

namespace delassus::testing {

inline const Vector3 k_up{0, 1, 0};
inline const Vector3 k_gravity{0, -9.81, 0};

struct RigidMotion {
  Vector3 position;
  Quaternion orientation;
  Vector3 velocity, angular_velocity;  // the latter in the axes of the body
};

inline RigidMotion motion_of(const State& state) {
  return {state.q.head<3>(), Quaternion(state.q.segment<4>(3)), state.v.head<3>(), state.v.tail<3>()};
}

// Distances of position, orientation (angle), velocity and angular velocity.
inline Eigen::Vector4d distance(const RigidMotion& a, const RigidMotion& b) {
  return {(a.position - b.position).norm(), quaternion_difference(a.orientation, b.orientation).norm(),
          (a.velocity - b.velocity).norm(), (a.angular_velocity - b.angular_velocity).norm()};
}

// ρ̇ = ½ ρ (0, w), w in the axes of the body.
inline Quaternion quaternion_rate(const Quaternion& rho, const Vector3& w) {
  Quaternion pure;
  pure << 0, w;
  return 0.5 * quaternion_product(rho, pure);
}

// A box that flies, hits the ground with its corners one at a time, or pivots about one that friction holds.
class ReferenceBox {
 public:
  ReferenceBox(double mass, const Vector3& size, double friction, double restitution, RigidMotion start)
      : mass_(mass), friction_(friction), restitution_(restitution), now_(std::move(start)) {
    const Vector3 square = size.cwiseAbs2();
    inertia_ = (mass / 12 * (Vector3::Constant(square.sum()) - square)).asDiagonal();
    for (int i = 0; i < 8; ++i)
      corners_.push_back(0.5 * size.cwiseProduct(Vector3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1,
                                                         (i & 4) != 0 ? 1 : -1)));
  }

  const RigidMotion& now() const { return now_; }
  const std::vector<double>& impacts() const { return impacts_; }  // their times

  // The lowest corner is put there and held, until another one lands and takes over.
  void stand_on_lowest_corner(const Vector3& point) {
    const std::size_t corner = lowest_corner(now_, std::nullopt);
    now_.position = point - arm(now_, corner);
    stand_on(corner);
  }

  void run_until(double t_end, double dt) {
    while (time_ < t_end) {
      const double h = std::min(dt, t_end - time_);
      const RigidMotion after = moved(h);
      if (clearance(after) >= 0) {
        now_ = after;
        time_ = h < dt ? t_end : time_ + h;
      } else {
        double low = 0, high = h;
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (low + high);
          (clearance(moved(middle)) >= 0 ? low : high) = middle;
        }
        now_ = moved(low);
        time_ += low;
        impacts_.push_back(time_);
        if (impacts_.size() > k_most_impacts) throw std::logic_error("impacts accumulate");
        if (foot_)
          change_foot();
        else
          rebound();
      }
      if (foot_) check_foot_holds();
    }
  }

 private:
  static constexpr std::size_t k_most_impacts = 100;
  double mass_, friction_, restitution_;
  Eigen::Matrix3d inertia_;
  std::vector<Vector3> corners_;  // in the axes of the body
  RigidMotion now_;
  std::optional<std::size_t> foot_;  // the corner it stands on
  Vector3 foot_point_ = Vector3::Zero();
  double time_ = 0;
  std::vector<double> impacts_;

  Vector3 arm(const RigidMotion& x, std::size_t corner) const {
    return rotate(x.orientation, corners_[corner]);
  }
  double height(const RigidMotion& x, std::size_t corner) const {
    return (x.position + arm(x, corner)).dot(k_up);
  }
  std::size_t lowest_corner(const RigidMotion& x, std::optional<std::size_t> but) const {
    std::size_t lowest = but == 0 ? 1 : 0;
    for (std::size_t i = 0; i < corners_.size(); ++i)
      if (i != but && height(x, i) < height(x, lowest)) lowest = i;
    return lowest;
  }
  double clearance(const RigidMotion& x) const { return height(x, lowest_corner(x, foot_)); }
  // About a corner: J + m (|p|² 1 − p pᵀ).
  Eigen::Matrix3d inertia_about(const Vector3& p) const {
    return inertia_ + mass_ * (p.squaredNorm() * Eigen::Matrix3d::Identity() - p * p.transpose());
  }

  // ẇ of Euler's equations, about the foot where there is one: J_p ẇ = J_p w × w − p × Rᵀ m g.
  Vector3 angular_acceleration(const Quaternion& rho, const Vector3& w) const {
    if (!foot_) return inertia_.inverse() * (inertia_ * w).cross(w);
    const Vector3 p = corners_[*foot_];
    const Eigen::Matrix3d J = inertia_about(p);
    return J.inverse() * ((J * w).cross(w) - p.cross(rotate_back(rho, mass_ * k_gravity)));
  }

  RigidMotion moved(double h) const {
    Vector x(7);
    x << now_.orientation, now_.angular_velocity;
    x = runge_kutta(
        [this](double, const Vector& y) {
          const Quaternion rho = y.head<4>();
          const Vector3 w = y.tail<3>();
          Vector rate(7);
          rate << quaternion_rate(rho, w), angular_acceleration(rho.normalized(), w);
          return rate;
        },
        x, h, 1);
    RigidMotion after;
    after.orientation = Quaternion(x.head<4>()).normalized();
    after.angular_velocity = x.tail<3>();
    if (foot_) {
      hold_foot(after);
    } else {
      after.position = now_.position + h * now_.velocity + 0.5 * h * h * k_gravity;
      after.velocity = now_.velocity + h * k_gravity;
    }
    return after;
  }

  void hold_foot(RigidMotion& x) const {
    const Vector3 p = corners_[*foot_];
    x.position = foot_point_ - rotate(x.orientation, p);
    x.velocity = -rotate(x.orientation, x.angular_velocity.cross(p));
  }

  void stand_on(std::size_t corner) {
    foot_ = corner;
    foot_point_ = now_.position + arm(now_, corner);
    hold_foot(now_);
  }

  // The reaction of the foot must lie within its friction cone, or this is not the motion.
  void check_foot_holds() const {
    const Vector3 w = now_.angular_velocity, p = corners_[*foot_];
    const Vector3 rate = angular_acceleration(now_.orientation, w);
    const Vector3 force =
        mass_ * (rotate(now_.orientation, -rate.cross(p) - w.cross(w.cross(p))) - k_gravity);
    const double normal = force.dot(k_up);
    if ((force - normal * k_up).norm() > friction_ * normal) throw std::logic_error("the foot slips");
  }

  // Inelastic, and the old foot leaves: the angular momentum about the new one stays.
  void change_foot() {
    const std::size_t old = *foot_, next = lowest_corner(now_, foot_);
    const Vector3 p = corners_[next], v = rotate_back(now_.orientation, now_.velocity);
    const Vector3 before = now_.velocity;
    now_.angular_velocity =
        inertia_about(p).inverse() * (inertia_ * now_.angular_velocity - mass_ * p.cross(v));
    stand_on(next);
    const Vector3 impulse = mass_ * (now_.velocity - before);
    const double normal = impulse.dot(k_up);
    if ((impulse - normal * k_up).norm() > friction_ * normal) throw std::logic_error("the new foot slips");
    const Vector3 leaves =
        now_.velocity + rotate(now_.orientation, now_.angular_velocity.cross(corners_[old]));
    if (leaves.dot(k_up) <= 0) throw std::logic_error("the old foot stays");
  }

  // Newton's law u_N⁺ = −e u_N⁻ with Coulomb's law on u_T⁺, at one corner: u⁺ = u⁻ + W r.
  void rebound() {
    const std::size_t hit = lowest_corner(now_, std::nullopt);
    const Vector3 r = arm(now_, hit);
    const Eigen::Matrix3d R = rotation_matrix(now_.orientation),
                          mobility = R * inertia_.inverse() * R.transpose();
    const Eigen::Matrix3d W = Eigen::Matrix3d::Identity() / mass_ - skew(r) * mobility * skew(r);
    const Vector3 before =
        now_.velocity + rotate(now_.orientation, now_.angular_velocity.cross(corners_[hit]));
    const Vector3 target = -restitution_ * before.dot(k_up) * k_up;
    Vector3 impulse = W.inverse() * (target - before);
    if ((impulse - impulse.dot(k_up) * k_up).norm() > friction_ * impulse.dot(k_up))
      impulse = sliding_impulse(W, before);
    now_.velocity += impulse / mass_;
    now_.angular_velocity += inertia_.inverse() * rotate_back(now_.orientation, r.cross(impulse));
  }

  // r = r_N (n − μ d) with d the direction of u_T⁺, by bisection on its angle.
  Vector3 sliding_impulse(const Eigen::Matrix3d& W, const Vector3& before) const {
    const auto impulse = [&](double angle) {
      const Vector3 ray = k_up - friction_ * Vector3(std::cos(angle), 0, std::sin(angle));
      return Vector3(-(1 + restitution_) * before.dot(k_up) / k_up.dot(W * ray) * ray);
    };
    const auto slip = [&](double angle) {
      const Vector3 after = before + W * impulse(angle);
      const Eigen::Vector2d d(std::cos(angle), std::sin(angle)), u(after.x(), after.z());
      return Eigen::Vector2d(d.dot(u), d.x() * u.y() - d.y() * u.x());
    };
    constexpr int parts = 3600;
    for (int i = 0; i < parts; ++i) {
      double low = 2 * std::numbers::pi * i / parts, high = 2 * std::numbers::pi * (i + 1) / parts;
      const double sign = slip(low)[1];
      if (sign * slip(high)[1] > 0 || slip(low)[0] < 0) continue;
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (sign * slip(middle)[1] > 0 ? low : high) = middle;
      }
      return impulse(low);
    }
    throw std::logic_error("no direction of slip");
  }
};

// Housner's block: half width b, half height h, it rocks on its lower edges z ∥ and does not slip. With the tilt θ towards +x,
//   θ̈ = −p² sin(α − |θ|) sign θ,  p² = 3 g/(4 √(b² + h²)),  tan α = b/h;  θ̇⁺ = (1 − 1.5 sin² α) θ̇⁻ where θ = 0.
class ReferenceRocking {
 public:
  ReferenceRocking(double b, double h, double tilt) : b_(b), h_(h), x_(Vector{{tilt, 0.0}}) {}

  const std::vector<double>& impacts() const { return impacts_; }

  void run_until(double t_end, double dt) {
    while (time_ < t_end) {
      const double step = std::min(dt, t_end - time_), side = side_;
      const Vector after = moved(step);
      if (after[0] * side >= 0) {
        x_ = after;
        time_ = step < dt ? t_end : time_ + step;
        continue;
      }
      double low = 0, high = step;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (moved(middle)[0] * side >= 0 ? low : high) = middle;
      }
      x_ = moved(low);
      time_ += low;
      impacts_.push_back(time_);
      x_ = Vector{{0.0, x_[1] * (1 - 1.5 * b_ * b_ / (b_ * b_ + h_ * h_))}};
      side_ = -side;
    }
  }

  // In the world when the block, rocking along x, is turned by `yaw` about y.
  RigidMotion motion(double yaw) const {
    const double s = std::sin(x_[0]), c = std::cos(x_[0]), edge = side_ * b_;
    const Vector3 from_edge(-edge * c + h_ * s, edge * s + h_ * c, 0);
    const Vector3 rate(0, 0, -x_[1]);
    const Quaternion turn = quaternion_exponential(yaw * k_up);
    return {rotate(turn, edge * Vector3::UnitX() + from_edge),
            quaternion_product(turn, quaternion_exponential(Vector3(0, 0, -x_[0]))),
            rotate(turn, rate.cross(from_edge)), rate};
  }

 private:
  double b_, h_;
  Vector x_;         // θ, θ̇
  double side_ = 1;  // the edge it stands on: +1 at x = b
  double time_ = 0;
  std::vector<double> impacts_;

  Vector moved(double step) const {
    const double alpha = std::atan2(b_, h_), p2 = 0.75 * k_gravity.norm() / std::hypot(b_, h_);
    return runge_kutta(
        [&](double, const Vector& x) {
          return Vector{{x[1], -side_ * p2 * std::sin(alpha - side_ * x[0])}};
        },
        x_, step, 1);
  }
};

// A homogeneous ball that slips and then rolls on a fixed ball of radius `base` about the origin, or on the ground where it is 0.
//   n the normal, u = v − R ω × n the slip, m v̇ = m g + N n + F, (2/5) m R² ω̇ = −R n × F, v̇·n = −|v|²/L with L = base + R
//   slipping  F = −μ N u/|u|;     rolling  u̇ = 0:  F = −(2/7) m (g − (R/L) ω × v)_T
class ReferenceBall {
 public:
  ReferenceBall(double radius, double friction, double base, RigidMotion start)
      : radius_(radius), friction_(friction), base_(base), now_(std::move(start)) {}

  const RigidMotion& now() const { return now_; }
  double slip_end() const { return slip_end_; }

  void run_until(double t_end, int steps) {
    // While it slips in s with dt = |u| ds, in which the slip decays and does not end: so its last turn is resolved.
    Vector x(14);
    x << now_.position, now_.orientation, now_.velocity, rotate(now_.orientation, now_.angular_velocity), 0;
    const auto slip_speed = [this](const Vector& y) { return slip(y).norm(); };
    constexpr double over = 1e-12, ds = 2e-4;  // [m/s], [s²/m]
    while (slip_speed(x) > over) {
      x = runge_kutta([&](double, const Vector& y) { return Vector(slip_speed(y) * rate(y, true)); }, x, ds,
                      1);
      if (x[13] > t_end) throw std::logic_error("it still slips");
    }
    slip_end_ = x[13];
    x = runge_kutta([this](double, const Vector& y) { return rate(y, false); }, x, t_end - slip_end_, steps);
    now_.position = x.head<3>();
    now_.orientation = Quaternion(x.segment<4>(3)).normalized();
    now_.velocity = x.segment<3>(7);
    now_.angular_velocity = rotate_back(now_.orientation, x.segment<3>(10));
  }

 private:
  double radius_, friction_, base_;
  RigidMotion now_;
  double slip_end_ = 0;

  Vector3 normal(const Vector& x) const { return base_ > 0 ? Vector3(x.head<3>().normalized()) : k_up; }
  Vector3 slip(const Vector& x) const {
    return x.segment<3>(7) - radius_ * x.segment<3>(10).cross(normal(x));
  }

  // Of (position, orientation, v, ω in the world, t), per unit of time and mass.
  Vector rate(const Vector& x, bool slipping) const {
    const Vector3 n = normal(x), v = x.segment<3>(7), w = x.segment<3>(10);
    const double curvature = base_ > 0 ? 1 / (base_ + radius_) : 0;
    const double N = -k_gravity.dot(n) - v.squaredNorm() * curvature;
    const Vector3 drive = k_gravity - radius_ * curvature * w.cross(v);
    const Vector3 F = slipping ? Vector3(-friction_ * N * slip(x).normalized())
                               : Vector3(-2.0 / 7 * (drive - drive.dot(n) * n));
    if (N <= 0 || F.norm() > friction_ * N * (1 + 1e-12)) throw std::logic_error("it does not roll");
    const Quaternion rho = x.segment<4>(3);
    Vector out(14);
    out << v, quaternion_rate(rho, rotate_back(rho.normalized(), w)), k_gravity + N * n + F,
        -2.5 / radius_ * n.cross(F), 1;
    return out;
  }
};

}  // namespace delassus::testing
