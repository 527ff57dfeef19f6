// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A convex polygon P in the plane with the origin inside, by its corners d_i: what a friction force of a unit normal force may be.
//
//   support  σ(x) = max_i d_iᵀ x                                                                      (1)
//   gauge    γ(x) = min { s ≥ 0 : x ∈ s P } = max_k n_kᵀ x / b_k,   P = { x : n_kᵀ x ≤ b_k }          (2)
#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

namespace delassus {

class ConvexPolygon {
 public:
  ConvexPolygon() = default;
  // Corners in any order. A reason with a corner's number where they are none; empty when `out` is set.
  static std::string make(const std::vector<Eigen::Vector2d>& corners, ConvexPolygon& out);

  // Counter-clockwise.
  const std::vector<Eigen::Vector2d>& corners() const { return corners_; }
  int size() const { return static_cast<int>(corners_.size()); }
  double support(const Eigen::Vector2d& x) const;
  double gauge(const Eigen::Vector2d& x) const;
  // Distances of the nearest side and of the farthest corner from the origin.
  double inner_radius() const;
  double outer_radius() const;
  // { −x }, and { (x₁, −x₂) }.
  ConvexPolygon turned() const;
  ConvexPolygon mirrored() const;
  bool operator==(const ConvexPolygon& other) const { return corners_ == other.corners_; }

 private:
  explicit ConvexPolygon(std::vector<Eigen::Vector2d> corners);
  std::vector<Eigen::Vector2d> corners_, facets_;  // facets: n_k / b_k
};

// One that many hold, compared by what it is.
struct SharedPolygon {
  std::shared_ptr<const ConvexPolygon> polygon;
  explicit operator bool() const { return polygon != nullptr; }
  const ConvexPolygon* operator->() const { return polygon.get(); }
  bool operator==(const SharedPolygon& other) const {
    return polygon == other.polygon || (polygon && other.polygon && *polygon == *other.polygon);
  }
};

}  // namespace delassus
