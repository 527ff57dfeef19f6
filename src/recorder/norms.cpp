// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace delassus {
namespace {

// The way from corner i to corner i + 1; the last corner is a way to itself.
struct GraphWay {
  const Graph& graph;
  std::size_t i;
  const GraphPoint& begin() const { return graph[i]; }
  const GraphPoint& end() const { return graph[std::min(i + 1, graph.size() - 1)]; }
};

std::size_t num_ways(const Graph& graph) {
  return std::max<std::size_t>(graph.size() - 1, 1);
}

// (2) from (t, x) to a way: both parts are convex along it, so that the least of their maximum is at an end, where one of them is least,
// or where they are equal.
double distance_to(const GraphWay& way, double t, const Vector& x) {
  const GraphPoint &a = way.begin(), &b = way.end();
  const double to = a.t - t, dt = b.t - a.t;
  double uu = 0, ud = 0, dd = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double u = a.x[k] - x[k], d = b.x[k] - a.x[k];
    uu += u * u, ud += u * d, dd += d * d;
  }
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](double s) {
    if (!(s >= 0 && s <= 1)) return;
    double square = 0;
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double u = a.x[k] - x[k] + s * (b.x[k] - a.x[k]);
      square += u * u;
    }
    least = std::min(least, std::max(std::abs(to + s * dt), std::sqrt(square)));
  };
  look(0), look(1);
  if (dt > 0) look(-to / dt);
  if (dd > 0) look(-ud / dd);
  // (to + s dt)² = uu + 2 s ud + s² dd
  const double A = dt * dt - dd, B = to * dt - ud, C = to * to - uu, root = B * B - A * C;
  if (root >= 0) {
    const double q = -(B + std::copysign(std::sqrt(root), B));
    if (A != 0) look(q / A);
    if (q != 0) look(C / q);
  }
  return least;
}

struct Nearest {
  double distance = 0;
  std::size_t way = 0;
};

Nearest nearest_way(const Graph& graph, double t, const Vector& x) {
  const auto after = std::upper_bound(graph.begin(), graph.end(), t,
                                      [](double time, const GraphPoint& point) { return time < point.t; });
  const std::size_t last = num_ways(graph) - 1;
  const std::size_t middle =
      std::min(after == graph.begin() ? 0 : static_cast<std::size_t>(after - graph.begin()) - 1, last);
  Nearest out{std::numeric_limits<double>::infinity(), middle};
  const auto look = [&](std::size_t i) {
    const double d = distance_to({graph, i}, t, x);
    if (d < out.distance) out = {d, i};
  };
  // Outwards in time, until nothing can be nearer.
  for (std::size_t i = middle; i <= last && graph[i].t - t < out.distance; ++i) look(i);
  for (std::size_t i = middle; i-- > 0 && t - graph[i + 1].t < out.distance;) look(i);
  if (!std::isfinite(out.distance)) look(middle);
  return out;
}

// Part of a way of a, and what is nearest to its ends.
struct Piece {
  GraphPoint begin, end;
  Nearest from, to;
};

// The largest distance of a point of a from b: ways of a in halves, as long as there may be more between their ends. To one way of b
// the distance is convex, so that between two points it is no larger than at the farther one.
double directed_distance(const Graph& a, const Graph& b) {
  double worst = 0;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < num_ways(a); ++i) {
    const GraphWay way{a, i};
    pieces.push_back({way.begin(), way.end(), nearest_way(b, way.begin().t, way.begin().x),
                      nearest_way(b, way.end().t, way.end().x)});
    while (!pieces.empty()) {
      const Piece p = std::move(pieces.back());
      pieces.pop_back();
      worst = std::max({worst, p.from.distance, p.to.distance});
      const double by_first = std::max(p.from.distance, distance_to({b, p.from.way}, p.end.t, p.end.x));
      const double by_last = std::max(p.to.distance, distance_to({b, p.to.way}, p.begin.t, p.begin.x));
      const double length = std::max(p.end.t - p.begin.t, (p.end.x - p.begin.x).norm());
      const double most = std::min({by_first, by_last, 0.5 * (p.from.distance + p.to.distance + length)});
      constexpr double round_off = 1e-15;
      if (most <= (1 + k_hausdorff_accuracy) * worst + round_off * (1 + std::abs(p.end.t))) continue;
      const GraphPoint middle{0.5 * (p.begin.t + p.end.t), 0.5 * (p.begin.x + p.end.x)};
      const Nearest nearest = nearest_way(b, middle.t, middle.x);
      pieces.push_back({p.begin, middle, p.from, nearest});
      pieces.push_back({middle, p.end, nearest, p.to});
    }
  }
  return worst;
}

}  // namespace

double hausdorff_distance(const Graph& f, const Graph& g) {
  return std::max(directed_distance(f, g), directed_distance(g, f));
}

double grid_norm(std::span<const double> times, std::span<const double> errors, double p) {
  double sum = 0, largest = 0;
  for (const double error : errors) largest = std::max(largest, std::abs(error));
  if (std::isinf(p) || largest == 0) return largest;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::size_t end = std::max<std::size_t>(i, 1);
    const double step = times.size() > 1 ? times[end] - times[end - 1] : 1.0;
    sum += step * std::pow(std::abs(errors[i]) / largest, p);
  }
  return largest * std::pow(sum, 1 / p);
}

double total_variation(const Graph& f) {
  double sum = 0;
  for (std::size_t i = 1; i < f.size(); ++i) sum += (f[i].x - f[i - 1].x).norm();
  return sum;
}

}  // namespace delassus
