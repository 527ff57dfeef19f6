// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "delassus/base/error.hpp"
#include "delassus/io/yaml.hpp"

namespace delassus::cli {
namespace {

// How far beside an event the state is taken, as a part of the step: what moves in it is far below any error of a run, and it is more
// than what steppers take for round-off of the grid.
constexpr double k_beside_event = 1e-7;

}  // namespace

void RecordedMotion::record_events(const State& before, const Simulation& after, Simulation& probe) {
  const double t_end = after.state().t, beside = k_beside_event * (t_end - before.t);
  const auto take = [&](double t) {
    if (!(t > nodes_.back().t && t < t_end)) return;
    probe.set_state(before);
    if (!probe.step(t).ok) return;
    nodes_.push_back({probe.state().t, probe.state().q, probe.state().v});
  };
  for (const Event& event : after.report().events) {
    take(event.time - beside);
    take(event.time + beside);
  }
}

bool RecordedMotion::record(const Scene& scene, Simulation& simulation, bool with_events,
                            const std::function<void(const Simulation&, const StepReport&)>& watch) {
  nodes_ = {{simulation.state().t, simulation.state().q, simulation.state().v}};
  same_time_ = 2 * k_beside_event * simulation.options().step;
  std::unique_ptr<Simulation> probe;
  State before;
  if (with_events) {
    Scene again = scene;
    again.desc.run.options.start = StartPolicy::accept;  // the start has been judged
    probe = std::make_unique<Simulation>(again);
    before = simulation.state();
  }
  simulation.observe([&](const Simulation& now, const StepReport& report) {
    if (!report.ok) return;
    if (probe != nullptr) {
      if (!report.events.empty()) record_events(before, now, *probe);
      before = now.state();
    }
    nodes_.push_back({now.state().t, now.state().q, now.state().v});
    if (watch) watch(now, report);
  });
  return simulation.run_until(scene.desc.duration);
}

std::size_t RecordedMotion::find(double t) const {
  const auto after = std::upper_bound(nodes_.begin(), nodes_.end(), t,
                                      [](double time, const Node& node) { return time < node.t; });
  return after == nodes_.begin() ? 0 : static_cast<std::size_t>(after - nodes_.begin()) - 1;
}

RecordedMotion::Node RecordedMotion::interpolate(const System& system, double t) const {
  const std::size_t i = find(t);
  const Node& a = nodes_[i];
  if (a.t == t || i + 1 == nodes_.size()) return a;
  const Node& b = nodes_[i + 1];
  const double h = b.t - a.t, s = (t - a.t) / h;
  Node out{t, {}, {}};
  Vector way, rate_b, rate;
  system.difference(b.q, a.q, way);
  system.rate_from_velocity(way, b.v, rate_b);
  // (1)
  const Vector w = s * s * (3 - 2 * s) * way + h * s * ((1 - s) * (1 - s) * a.v - s * (1 - s) * rate_b);
  system.retract(a.q, w, out.q);
  // (2): in a smooth interval the mean velocity is near that of both ends.
  const double bend = (way / h - 0.5 * (a.v + rate_b)).norm(), change = (rate_b - a.v).norm();
  if (3 * bend > change) {
    out.v = (1 - s) * a.v + s * b.v;
    return out;
  }
  rate = 6 * s * (1 - s) / h * way + (1 - s) * (1 - 3 * s) * a.v - s * (2 - 3 * s) * rate_b;
  system.velocity_from_rate(w, rate, out.v);
  return out;
}

void RecordedMotion::difference(const System& system, double t, const Vector& q, Vector& out) const {
  system.difference(q, interpolate(system, t).q, out);
}

void RecordedMotion::velocity_difference(const System& system, double t, const Vector& v, Vector& out) const {
  out = v - interpolate(system, t).v;
  for (const double side : {-same_time_, same_time_}) {
    const double beside = std::clamp(t + side, nodes_.front().t, nodes_.back().t);
    const Vector other = v - interpolate(system, beside).v;
    // Not what moves in a smooth motion: only across an event.
    if (find(beside) != find(t) && other.norm() < out.norm()) out = other;
  }
}

Graph RecordedMotion::graph(const System& system, bool of_velocity, const std::vector<double>& grid) const {
  Graph out;
  const auto add = [&](const Node& node) { out.push_back({node.t, of_velocity ? node.v : node.q}); };
  auto next = grid.begin();
  for (const Node& node : nodes_) {
    for (; next != grid.end() && *next < node.t; ++next)
      if (*next > nodes_.front().t) add(interpolate(system, *next));
    add(node);
  }
  return out;
}

ExactMotion::ExactMotion(const std::string& text, const System& system) {
  const DataTree value = parse_yaml(text, "--exact");
  if (value.kind != DataTree::Kind::list)
    throw InputError("--exact " + text + ": allowed: a list of numbers or formulas of t, e.g. [1.0,2*t]");
  const std::array<std::string, 1> names{"t"};
  for (const DataTree& entry : value.list) {
    if (entry.kind == DataTree::Kind::number && std::isfinite(entry.number)) {
      q_.push_back(Expression::constant(entry.number));
    } else if (entry.kind == DataTree::Kind::text) {
      try {
        q_.push_back(Expression::parse(entry.text, names));
      } catch (const ExpressionError& error) {
        throw InputError("--exact " + text + ": " + quote(entry.text) + ": " + error.message() +
                         "; allowed: numbers and formulas of t");
      }
    } else {
      throw InputError("--exact " + text + ": " + quote(entry.text) +
                       " is not a finite number; allowed: numbers and formulas of t");
    }
    v_.push_back(q_.back().derivative(0));
    moves_ = moves_ || q_.back().depends_on(0);
  }
  if (static_cast<int>(value.list.size()) != system.nq())
    throw InputError(
        fmt::format("--exact has {} numbers; allowed: {}, one a coordinate", value.list.size(), system.nq()));
  if (system.nq() != system.nv()) v_.clear();
}

Vector ExactMotion::evaluate(const std::vector<Expression>& formulas, double t) {
  Vector out(static_cast<Eigen::Index>(formulas.size()));
  const std::array<double, 1> values{t};
  for (std::size_t i = 0; i < formulas.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = formulas[i].evaluate(values);
  return out;
}

void ExactMotion::difference(const System& system, double t, const Vector& q, Vector& out) const {
  const Vector exact = evaluate(q_, t);
  if (const std::string wrong = exact.allFinite() ? system.check_position(exact) : "it is not finite";
      !wrong.empty())
    throw InputError(fmt::format("--exact: the position at t = {:g} s cannot be: {}", t, wrong));
  system.difference(q, exact, out);
}

void ExactMotion::velocity_difference(const System& /*system*/, double t, const Vector& v,
                                      Vector& out) const {
  if (v_.empty())
    throw InputError(
        "--exact: positions with rotations do not give velocities by their derivatives; allowed with them: "
        "--of q, or a reference run");
  constexpr double beside = 1e-12;
  out = v - evaluate(v_, t);
  for (const double side : {-beside, beside})
    if (const Vector other = v - evaluate(v_, t + side * (1 + std::abs(t))); other.norm() < out.norm())
      out = other;
}

Graph ExactMotion::graph(const System& /*system*/, bool of_velocity, const std::vector<double>& grid) const {
  if (v_.empty()) throw InputError("--exact: graphs of motions with rotations need a reference run");
  // Jumps become steep lines between two of these.
  constexpr int between = 64;
  Graph out;
  for (std::size_t i = 0; i + 1 < grid.size(); ++i)
    for (int k = 0; k < between; ++k) {
      const double t = grid[i] + (grid[i + 1] - grid[i]) * k / between;
      out.push_back({t, evaluate(of_velocity ? v_ : q_, t)});
    }
  out.push_back({grid.back(), evaluate(of_velocity ? v_ : q_, grid.back())});
  return out;
}

}  // namespace delassus::cli
