// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Case E: the two examples of Acary 2009 whose impacts are captured, not located. Errors are measured as there: the mean of the
// absolute error over the grid, and the Hausdorff distance of filled-in graphs, in which a jump is a vertical line, under
// the metric max(|t − s|, |x − y|). In the uniform norm there is no order: an impact one step late is an error of O(1).
#include <algorithm>
#include <cmath>

#include "apps/cli/verify/checks.hpp"
#include "delassus/recorder/norms.hpp"

namespace delassus::cli {
namespace {

struct PointMotion {
  double q = 0, v = 0;
};

// Falls with f = −2 from 1 and rebounds with half the speed: impacts at 3 − 2^(1−n), at rest from 3 on (Acary 2009, 10).
PointMotion ball(double t) {
  if (t < 1) return {1 - t * t, -2 * t};
  if (t >= 3) return {};
  const double n = std::floor(-std::log2((3 - t) / 2));
  const double s = t - (3 - std::exp2(1 - n)), up = std::exp2(-n);
  return {up * s - s * s, up - 2 * s};
}

// m = 1, c = 0.2, k = 4, e = ½: free from (1, 0), then from (0, v⁺) for half a period each.
PointMotion oscillator(double t) {
  const double decay = 0.1, w = std::sqrt(4 - decay * decay);
  const double phase = std::atan2(w, decay);  // x = 0 first where tan(w t) = −w/decay
  const double first = (std::acos(-1.0) - phase) / w;
  const auto free = [&](double x0, double v0, double s) {
    const double c = std::cos(w * s), d = std::sin(w * s), b = (v0 + decay * x0) / w;
    const double damped = std::exp(-decay * s);
    const double x = damped * (x0 * c + b * d);
    return PointMotion{x, -decay * x + damped * w * (b * c - x0 * d)};
  };
  if (t < first) return free(1, 0, t);
  const double half = std::acos(-1.0) / w;
  double up = -0.5 * free(1, 0, first).v, s = t - first;
  for (; s >= half; s -= half) up *= 0.5 * std::exp(-decay * half);
  return free(0, up, s);
}

GraphPoint corner(double t, double v) {
  return {t, Vector::Constant(1, v)};
}

// The exact velocity; a jump is a line between two corners.
Graph exact_graph(PointMotion (*motion)(double), double end, double spacing) {
  Graph corners;
  const int n = static_cast<int>(std::ceil(end / spacing));
  for (int i = 0; i <= n; ++i) {
    const double t = std::min(end, i * spacing);
    corners.push_back(corner(t, motion(t).v));
  }
  return corners;
}

struct Errors {
  double mean_q = 0, mean_v = 0, graph = 0;
};

Errors run_errors(const std::string& scene, std::vector<std::string> settings, PointMotion (*motion)(double),
                  double end, double h) {
  settings.push_back(setting("stepper.step", h));
  settings.push_back(setting("duration", end));
  Errors errors;
  Graph graph{corner(0, motion(0).v)};
  // The coordinate that moves: the height of a ball in space, the only one of an oscillator.
  run_scene(scene, settings, [&](const Simulation& s, const StepReport&) {
    const Eigen::Index i = s.state().q.size() > 1 ? 1 : 0;
    const PointMotion exact = motion(s.state().t);
    errors.mean_q += h * std::abs(s.state().q[i] - exact.q);
    errors.mean_v += h * std::abs(s.state().v[i] - exact.v);
    graph.push_back(corner(s.state().t, s.state().v[i]));
    return true;
  });
  constexpr double resolution = 0.1;  // of a step: the exact jumps are known to that
  errors.graph = hausdorff_distance(graph, exact_graph(motion, end, resolution * h));
  return errors;
}

}  // namespace

void verify_event_capturing(Checks& checks) {
  struct Example {
    const char *title, *scene;
    std::vector<std::string> settings;
    PointMotion (*motion)(double);
    double end, lowest, highest;
  };
  // T = 4.7: with 5 all grids have points on the impacts of the ball.
  const Example examples[] = {
      {"ball", "bouncing_ball", {"gravity=[0,-2,0]", "contacts.floor.restitution=0.5"}, ball, 4.7, 0.6, 1.2},
      {"oscillator", "oscillator_and_stop", {}, oscillator, 5, 0.85, 1.2}};
  checks.within("oscillator, exact: q(5)", oscillator(5).q, number_at(*paper("analytic").find("E"), "q_5"),
                Source::exact, 1e-12);
  constexpr double coarsest = 0.02;
  for (const Example& example : examples)
    for (const char* stepper : {"moreau-jean", "moreau-jean-projected", "nonsmooth-generalized-alpha",
                                "dvi-euler", "schatzman-paoli"}) {
      std::vector<std::string> settings = example.settings;
      settings.push_back(std::string("stepper.name=") + stepper);
      const auto error = [&](double Errors::*which) {
        return [&, which](double h) {
          return run_errors(example.scene, settings, example.motion, example.end, h).*which;
        };
      };
      const std::string title = std::string(example.title) + ", ";
      // Impacts fall anywhere in a step, so that four steps show the order of Euler's rule roughly.
      const double lowest = stepper == std::string("dvi-euler") ? 0.6 : example.lowest;
      checks.order(title + "mean error of q", stepper, coarsest, error(&Errors::mean_q), lowest,
                   example.highest);
      checks.order(title + "mean error of v", stepper, coarsest, error(&Errors::mean_v), lowest,
                   example.highest);
      checks.order(title + "graph of v", stepper, coarsest, error(&Errors::graph), lowest, example.highest);
    }
}

}  // namespace delassus::cli
