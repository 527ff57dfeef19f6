// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/dense_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/step_finish.hpp"
#include "delassus/steppers/tolerances.hpp"

namespace delassus {
namespace {

// (4) [-]
constexpr double k_of_position = 0.143, k_of_velocity = 0.5, k_smooth = 0.5;

// Of the quintic (1): weights of w₀, w₁ and h w'₀, h w'_½, h w'₁, with w_½ = 0.
struct Weights {
  double way[2], rate[3];
};

Weights weights(double s) {
  const double l0 = (2 * s - 1) * (s - 1), l1 = 4 * s * (1 - s), l2 = s * (2 * s - 1);
  return {{(1 + 6 * s) * l0 * l0, (7 - 6 * s) * l2 * l2},
          {s * l0 * l0, (s - 0.5) * l1 * l1, (s - 1) * l2 * l2}};
}

// Their derivatives by s.
Weights weight_rates(double s) {
  const double l0 = (2 * s - 1) * (s - 1), l1 = 4 * s * (1 - s), l2 = s * (2 * s - 1);
  const double d0 = 4 * s - 3, d1 = 4 - 8 * s, d2 = 4 * s - 1;
  return {{6 * l0 * l0 + 2 * (1 + 6 * s) * l0 * d0, -6 * l2 * l2 + 2 * (7 - 6 * s) * l2 * d2},
          {l0 * l0 + 2 * s * l0 * d0, l1 * l1 + (2 * s - 1) * l1 * d1, l2 * l2 + 2 * (s - 1) * l2 * d2}};
}

// The parabola through values at 0, ½, 1.
double parabola(double s, double a, double b, double c) {
  return a * (2 * s - 1) * (s - 1) + b * 4 * s * (1 - s) + c * s * (2 * s - 1);
}

// Linear in time through means over both halves; those of contacts do not leave their cones by it.
double force_weight(double s, bool unilateral) {
  const double second = 2 * (s - 0.25);
  return unilateral ? std::clamp(second, 0.0, 1.0) : second;
}

using LedgerEntry = double EnergyLedger::*;
constexpr std::array<LedgerEntry, 7> k_entries{
    &EnergyLedger::nonconservative, &EnergyLedger::friction,   &EnergyLedger::normal, &EnergyLedger::joints,
    &EnergyLedger::impacts,         &EnergyLedger::projection, &EnergyLedger::driven};
// Those that may take what the balance lacks.
constexpr std::array<LedgerEntry, 2> k_works{&EnergyLedger::nonconservative, &EnergyLedger::friction};

}  // namespace

void DenseOutput::update(const System& system, const StepAhead& ahead) {
  const auto& [begin, middle, end] = ahead.knots;
  t_begin_ = begin.t;
  h_ = end.t - begin.t;
  base_ = middle.q;
  system.difference(begin.q, base_, way_[0]);
  system.difference(end.q, base_, way_[1]);
  system.rate_from_velocity(way_[0], begin.v, rate_[0]);
  rate_[1] = middle.v;
  system.rate_from_velocity(way_[1], end.v, rate_[2]);
}

void DenseOutput::errors(Vector& of_position, Vector& of_velocity) const {
  of_position = (h_ * rate_[1] - 1.5 * (way_[1] - way_[0]) + 0.25 * h_ * (rate_[0] + rate_[2])).cwiseAbs();
  // (3) by the largest of all velocities.
  const double cubic = max_abs(0.5 * (way_[0] + way_[1]) + h_ / 8 * (rate_[0] - rate_[2]));
  const double largest = max_abs(of_position);
  const double smooth = largest < cubic / k_smooth ? k_smooth * largest / cubic : 1.0;
  of_velocity = k_of_velocity * smooth / h_ * of_position;
  of_position *= k_of_position * smooth;
}

void DenseOutput::show(const System& system, double t, State& state) {
  const double s = (t - t_begin_) / h_;
  const Weights at = weights(s), slope = weight_rates(s);
  w_ = at.way[0] * way_[0] + at.way[1] * way_[1] +
       h_ * (at.rate[0] * rate_[0] + at.rate[1] * rate_[1] + at.rate[2] * rate_[2]);
  rate_now_ = (slope.way[0] * way_[0] + slope.way[1] * way_[1]) / h_ + slope.rate[0] * rate_[0] +
              slope.rate[1] * rate_[1] + slope.rate[2] * rate_[2];
  phase_.t = t;
  system.retract(base_, w_, phase_.q);
  system.velocity_from_rate(w_, rate_now_, phase_.v);
  system.bilateral(t, phase_.q, joints_);
  if (joints_.rows.rows() > 0) {
    // Where they cannot be met nothing changes.
    projector_.project_position(system, phase_);
    projector_.project_velocity(system, phase_);
  }
  state.t = t;
  state.q = phase_.q;
  state.v = phase_.v;
  show_energies(system, state, s);
  StepAhead& ahead = *state.history.ahead;
  ahead.t = t;
  ahead.q = state.q;
  ahead.v = state.v;
}

void DenseOutput::show_energies(const System& system, State& state, double s) const {
  const auto& [begin, middle, end] = state.history.ahead->knots;
  EnergyLedger& energy = state.history.energy;
  energy = end.energy;
  for (LedgerEntry entry : k_entries)
    energy.*entry = parabola(s, begin.energy.*entry, middle.energy.*entry, end.energy.*entry);
  const auto defect = [](double total, const EnergyLedger& ledger) {
    return total - ledger.initial_total - ledger.sum();
  };
  const Configuration at = [&] {
    Configuration out;
    system.configure(state.t, state.q, out);
    return out;
  }();
  const double total = kinetic_energy(system.mass_at(at, M_), state.v) + system.potential_energy(at);
  const double lacks =
      defect(total, energy) - parabola(s, defect(begin.total, begin.energy),
                                       defect(middle.total, middle.energy), defect(end.total, end.energy));
  double works = 0;
  for (LedgerEntry work : k_works) works += std::abs(end.energy.*work - begin.energy.*work);
  if (works == 0) return;
  const double share = std::clamp(lacks / works, -1.0, 1.0);
  for (LedgerEntry work : k_works) energy.*work += share * std::abs(end.energy.*work - begin.energy.*work);
}

void DenseOutput::report(const System& system, const State& state, double t_begin, double t_end,
                         StepReport& out) {
  out.clear();
  out.t_begin = t_begin;
  out.t_end = t_end;
  const StepAhead& ahead = *state.history.ahead;
  const double h = t_end - t_begin, s = (0.5 * (t_begin + t_end) - t_begin_) / h_;
  const auto joint_forces = [&](double at) {
    const double second = force_weight(at, false);
    return Vector((1 - second) * ahead.joint_forces[0] + second * ahead.joint_forces[1]);
  };
  out.joint_impulses = h * joint_forces(s);
  out.joint_forces = joint_forces((t_end - t_begin_) / h_);
  system.configure(state.t, state.q, at_);
  ids_.clear();
  for (const StepAhead::Force& force : ahead.contacts)
    if (system.has_contact(force.id)) ids_.push_back(force.id);
  if (!ids_.empty()) {
    system.evaluate_contacts(ids_, at_, contacts_);
    contacts_.update_velocities(state.v);
  }
  const double second = force_weight(s, true);
  std::size_t c = 0;
  for (const StepAhead::Force& force : ahead.contacts) {
    if (!system.has_contact(force.id)) continue;
    ContactReport& contact = out.contacts.emplace_back();
    contact.id = force.id;
    const ContactMemory* memory = find_memory(state.history, force.id);
    if (memory != nullptr) contact.status = memory->status;
    contact.impulse = h * ((1 - second) * force.force[0] + second * force.force[1]);
    contact.couple = h * ((1 - second) * force.couple[0] + second * force.couple[1]);
    contact.gap = contacts_.gap(c);
    contact.velocity = contacts_.velocity(c);
    contact.place = contacts_.places[c];
    if (contacts_.valid(c) && contact.gap < 0) {
      const bool angle = system.gap_is_angle(force.id);
      double& depth = angle ? out.certificate.stop_excess : out.certificate.penetration;
      depth = std::max(depth, -contact.gap);
    }
    ++c;
  }
  system.bilateral(at_, joints_);
  for (int i = 0; i < joints_.num_holonomic; ++i) {
    double& drift = system.joint_row_is_angle(i) ? out.certificate.joint_turn : out.certificate.joint_drift;
    drift = std::max(drift, std::abs(joints_.violation[i]));
  }
  out.certificate.status = SolveStatus::converged;
  out.energy = make_energy_report(kinetic_energy(system.mass_at(at_, M_), state.v),
                                  system.potential_energy(at_), state.history.energy);
}

}  // namespace delassus
