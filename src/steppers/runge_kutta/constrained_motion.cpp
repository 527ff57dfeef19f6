// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/runge_kutta/constrained_motion.hpp"

#include <algorithm>
#include <cmath>

#include "delassus/base/work_counts.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// The share of its speed that a slip has along the direction of its mode while it goes on [-].
constexpr double k_goes_on = 0.25;
// A slip of less than this part of the largest velocity, or of what forces do in the interval, is only beginning, or at its end [-].
constexpr double k_no_slip = 1e-13;

}  // namespace

ConstrainedMotion::PartRows ConstrainedMotion::part_rows(FrictionKind kind, int num_rows) {
  if (kind == FrictionKind::sliding) return {1, std::min(num_rows, 3) - 1};
  if (num_rows < 6) return {};
  return kind == FrictionKind::rolling ? PartRows{3, 2} : PartRows{5, 1};
}

void ConstrainedMotion::begin(const System& system, const StepperOptions& options,
                              std::span<const ContactId> ids, std::span<const ContactMode> modes) {
  system_ = &system;
  options_ = &options;
  ids_.assign(ids.begin(), ids.end());
  modes_.assign(modes.begin(), modes.end());
  straight_.assign(ids.size(), 0);
}

void ConstrainedMotion::straighten(std::size_t c, FrictionKind kind) {
  straight_[c] = static_cast<std::uint8_t>(straight_[c] | (1U << static_cast<unsigned>(kind)));
}

bool ConstrainedMotion::is_straight(std::size_t c, FrictionKind kind) const {
  return (straight_[c] & (1U << static_cast<unsigned>(kind))) != 0;
}

double ConstrainedMotion::coefficient(const ContactSet& contacts, std::size_t c, FrictionKind kind) const {
  if (options_->law.kind == ContactLawKind::frictionless) return 0;
  const ContactSurface& surface = contacts.surface(c);
  if (kind == FrictionKind::rolling) return surface.rolling;
  if (kind == FrictionKind::spinning) return surface.spinning;
  if (modes_[c].status != ContactStatus::slip || surface.curve.constant()) return surface.friction;
  return surface.curve.at(surface.friction, part_velocity(contacts, c, kind).norm());
}

Eigen::Vector2d ConstrainedMotion::slip_direction(const MotionPoint& at, std::size_t c,
                                                  FrictionKind kind) const {
  const Eigen::Vector2d d = modes_[c].part(kind).direction;
  if (is_straight(c, kind)) return d;
  const Eigen::Vector2d u = part_velocity(at.point.contacts, c, kind);
  const double speed = u.norm();
  if (blur_ > 0) return (blur_ * d + u) / (blur_ + speed);
  if (speed <= at.slow || u.dot(d) <= k_goes_on * speed) return d;
  return u / speed;
}

double ConstrainedMotion::slip_damping(const MotionPoint& at, const MotionPoint& loads, std::size_t c,
                                       FrictionKind kind) const {
  const ContactSet& contacts = at.point.contacts;
  const BlockRows& all = contacts.rows.rows;
  const int group = static_cast<int>(c);
  const PartRows part = part_rows(kind, contacts.num_rows(c));
  if (part.size != 2 || modes_[c].part(kind).status != ContactStatus::slip || is_straight(c, kind)) return 0;
  const double load =
      coefficient(contacts, c, kind) * loads.contact_forces[loads.point.contacts.first_row(c)];
  const double damping = load / std::max(part_velocity(contacts, c, kind).norm() + blur_, at.slow);
  if (!(load > 0) || !std::isfinite(damping)) return 0;
  const Eigen::Vector2d along = slip_direction(at, c, kind).normalized(), t(-along[1], along[0]);
  across_.clear(all.columns());
  across_.add_group(1);
  for (int b = 0; b < all.num_blocks(group); ++b) {
    const auto from = all.block(group, b);
    across_.add_block(all.block_column(group, b), static_cast<int>(from.cols())) =
        t[0] * from.row(part.first) + t[1] * from.row(part.first + 1);
  }
  return damping;
}

bool ConstrainedMotion::add_slip_derivatives(const MotionPoint& at, const MotionPoint& loads,
                                             BlockMatrix& k_v) const {
  bool any = false;
  for (std::size_t c = 0; c < ids_.size(); ++c)
    for (FrictionKind kind : k_friction_kinds) {
      const double damping = slip_damping(at, loads, c, kind);
      if (damping > 0) add_rank_one(across_, 0, -damping, k_v);
      any = any || damping > 0;
    }
  return any;
}

double ConstrainedMotion::slip_rate(const MotionPoint& at) const {
  double fastest = 0;
  for (std::size_t c = 0; c < ids_.size(); ++c)
    for (FrictionKind kind : k_friction_kinds) {
      const double damping = slip_damping(at, at, c, kind);
      if (!(damping > 0)) continue;
      double mobility = 0;
      for (int b = 0; b < at.M->num_blocks(); ++b) {
        const int first = at.M->block_row(b);
        if (first != at.M->block_column(b)) continue;
        const auto mass = at.M->block(b);
        for (int a = 0; a < across_.num_blocks(0); ++a) {
          const auto row = across_.block(0, a);
          const int begin = across_.block_column(0, a);
          for (Eigen::Index i = std::max(first - begin, 0);
               i < std::min<Eigen::Index>(row.cols(), first + mass.rows() - begin); ++i)
            mobility += row(0, i) * row(0, i) / mass(begin + i - first, begin + i - first);
        }
      }
      fastest = std::max(fastest, damping * mobility);
    }
  return fastest;
}

void ConstrainedMotion::add_contact(MotionPoint& out, std::size_t c, std::vector<double>& bias) const {
  const ContactSet& contacts = out.point.contacts;
  const BlockRows& all = contacts.rows.rows;
  const int group = static_cast<int>(c), first = all.first_row(group), n = all.group_rows(group);
  int held[k_max_cone_dim] = {0}, num_held = 1;
  double tilt[k_max_cone_dim] = {1};
  for (FrictionKind kind : k_friction_kinds) {
    const PartRows part = part_rows(kind, n);
    const double mu = part.size > 0 ? coefficient(contacts, c, kind) : 0.0;
    if (mu <= 0) continue;
    const bool slips = modes_[c].part(kind).status == ContactStatus::slip;
    const Eigen::Vector2d d = slips ? slip_direction(out, c, kind) : Eigen::Vector2d::Zero();
    for (int i = 0; i < part.size; ++i) {
      if (slips)
        tilt[part.first + i] = -mu * d[i];
      else
        held[num_held++] = part.first + i;
    }
    out.tilted = out.tilted || slips;
  }
  out.rows.add_group(num_held);
  out.directions.add_group(num_held);
  for (int b = 0; b < all.num_blocks(group); ++b) {
    const auto from = all.block(group, b);
    const int width = static_cast<int>(from.cols());
    auto row_block = out.rows.add_block(all.block_column(group, b), width);
    auto direction_block = out.directions.add_block(all.block_column(group, b), width);
    for (int i = 0; i < num_held; ++i) row_block.row(i) = direction_block.row(i) = from.row(held[i]);
    for (int i = 1; i < n; ++i)
      if (tilt[i] != 0) direction_block.row(0) += tilt[i] * from.row(i);
  }
  for (int i = 0; i < num_held; ++i) bias.push_back(contact_bias_[first + held[i]]);
}

// Where everything rests velocities are round-off of accelerations, whatever contacts and joints make of these.
double ConstrainedMotion::slow_speed(const MotionPoint& at) const {
  double acceleration = 0;
  for (int b = 0; b < at.M->num_blocks(); ++b) {
    const int first = at.M->block_row(b);
    if (first != at.M->block_column(b)) continue;
    const auto block = at.M->block(b);
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      if (block(i, i) > 0) acceleration = std::max(acceleration, std::abs(at.k[first + i]) / block(i, i));
  }
  return k_no_slip * std::max(max_abs(at.point.phase.v), acceleration * interval_);
}

void ConstrainedMotion::place(MotionPoint& out) const {
  const System& system = *system_;
  PhasePoint& point = out.point;
  point.place(system);
  out.M = &system.mass_at(point.at, out.M_memory);
  system.forces(point.at, point.phase.v, out.k);
  system.bilateral_bias(point.at, point.phase.v, contact_bias_);
  bias_.assign(contact_bias_.data(), contact_bias_.data() + contact_bias_.size());
  out.slow = slow_speed(out);
  out.tilted = false;
  out.rows = point.joints.rows;
  out.directions = point.joints.rows;
  if (ids_.empty()) {
    point.contacts.ids.clear();
  } else {
    system.evaluate_contacts(ids_, point.at, point.contacts);
    point.contacts.update_velocities(point.phase.v);
    system.contact_bias(point.contacts, point.at, point.phase.v, contact_bias_);
    for (std::size_t c = 0; c < ids_.size(); ++c) add_contact(out, c, bias_);
  }
  out.bias = Eigen::Map<const Vector>(bias_.data(), static_cast<Eigen::Index>(bias_.size()));
}

bool ConstrainedMotion::solve(MotionPoint& out) {
  ++work_counts().factorisations;
  C_.setZero(out.bias.size());
  if (!kkt_.compute(*out.M, true, out.rows, out.tilted ? &out.directions : nullptr, C_)) return false;
  out.num_redundant = kkt_.num_redundant();
  minus_bias_ = -out.bias;
  kkt_.solve(out.k, minus_bias_, out.rate, out.forces);
  if (!out.rate.allFinite() || !out.forces.allFinite()) return false;
  spread_forces(out);
  return true;
}

void ConstrainedMotion::spread_forces(MotionPoint& out) const {
  const ContactSet& contacts = out.point.contacts;
  out.contact_forces.setZero(ids_.empty() ? 0 : contacts.rows.rows.rows());
  Eigen::Index at = out.num_joint_rows();
  for (std::size_t c = 0; c < ids_.size(); ++c) {
    const int first = contacts.first_row(c), n = contacts.num_rows(c);
    const double normal = out.forces[at++];
    out.contact_forces[first] = normal;
    for (FrictionKind kind : k_friction_kinds) {
      const PartRows part = part_rows(kind, n);
      const double mu = part.size > 0 ? coefficient(contacts, c, kind) : 0.0;
      if (mu <= 0) continue;
      if (modes_[c].part(kind).status == ContactStatus::slip)
        out.contact_forces.segment(first + part.first, part.size) =
            -mu * normal * slip_direction(out, c, kind).head(part.size);
      else
        for (int i = 0; i < part.size; ++i) out.contact_forces[first + part.first + i] = out.forces[at++];
    }
  }
}

}  // namespace delassus
