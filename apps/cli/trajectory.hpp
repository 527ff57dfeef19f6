// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs as functions of time, to compare other runs with: points of the time grid, and what the state is just before and just after
// each event between them. Between two points
//
//   q(t) = q₀ ⊞ w(t),   w the cubic with w(0) = 0, w(h) = q₁ ⊟ q₀ and the rates of v₀ and v₁ at its ends          (1)
//   v(t) = the velocity of (1);  linear between v₀ and v₁ where these jump and no event has told of it            (2)
//
// so that what a run of order up to 3 knows at its points it knows everywhere.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "delassus/base/expression.hpp"
#include "delassus/recorder/norms.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {

// An exact or a nearly exact motion.
class Motion {
 public:
  virtual ~Motion() = default;
  // False: only where it ends is known.
  virtual bool known_throughout() const = 0;
  // q ⊟ q(t)
  virtual void difference(const System& system, double t, const Vector& q, Vector& out) const = 0;
  // v − v(t); where v(t) jumps, from the nearer of both values.
  virtual void velocity_difference(const System& system, double t, const Vector& v, Vector& out) const = 0;
  // Of velocities (or, in a vector space, positions) from 0 to t_end, with all times of `grid` among its corners.
  virtual Graph graph(const System& system, bool of_velocity, const std::vector<double>& grid) const = 0;
};

// A run that was recorded.
class RecordedMotion final : public Motion {
 public:
  struct Node {
    double t = 0;
    Vector q, v;
  };
  // Runs a simulation of `scene` to the end. `with_events`: steps with events are taken again up to just before and just after each of
  // them. `watch` sees every step. False: the run could not go on; the nodes are what there is.
  bool record(const Scene& scene, Simulation& simulation, bool with_events,
              const std::function<void(const Simulation&, const StepReport&)>& watch = {});
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& end() const { return nodes_.back(); }

  bool known_throughout() const override { return true; }
  void difference(const System& system, double t, const Vector& q, Vector& out) const override;
  void velocity_difference(const System& system, double t, const Vector& v, Vector& out) const override;
  Graph graph(const System& system, bool of_velocity, const std::vector<double>& grid) const override;

 private:
  void record_events(const State& before, const Simulation& after, Simulation& probe);
  Node interpolate(const System& system, double t) const;
  // Of the last node at or before t.
  std::size_t find(double t) const;

  std::vector<Node> nodes_;
  double same_time_ = 0;  // events nearer than this to a time are at that time [s]
};

// Formulas of t, one a coordinate.
class ExactMotion final : public Motion {
 public:
  // Throws InputError.
  ExactMotion(const std::string& text, const System& system);
  bool known_throughout() const override { return moves_; }
  void difference(const System& system, double t, const Vector& q, Vector& out) const override;
  void velocity_difference(const System& system, double t, const Vector& v, Vector& out) const override;
  Graph graph(const System& system, bool of_velocity, const std::vector<double>& grid) const override;

 private:
  static Vector evaluate(const std::vector<Expression>& formulas, double t);
  std::vector<Expression> q_, v_;
  bool moves_ = false;
};

}  // namespace delassus::cli
