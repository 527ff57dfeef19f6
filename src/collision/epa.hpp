// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The depth of two cores that overlap: the point of the border of C = B − A next to the origin, from a polytope P ⊂ C
// that grows at its nearest face.
//
//   min over faces of P of mᵀw  ≤  depth  ≤  −s(−m)   for every m                                              (1)
//
// A tangent plane of C at less than the best depth D passes over every face of P and below D over the origin: over a face
// it is turned by at most
//
//   θ = (D − mᵀw)/ρ,   ρ: distance of the origin, put down onto the face, from its border                      (2)
//
// and s at the angle α + θ from a known maximum, at the angle α from −m, is at most s cos(α + θ). So a face is done when
// this is no better than the best, though (1) has not closed there. Faces with ρ < 0 do not count: the support function of
// P has no local minimum there.
//
// m: outward unit normal of a face. P has at most k_epa_faces faces; the search then ends with what it has.
// Source: [VanDenBergen01].
// Cost: linear in the faces of P for each point added; does not allocate.
#pragma once
#include "delassus/collision/convex_pair.hpp"

namespace delassus {

constexpr int k_epa_points = 96;
constexpr int k_epa_faces = 2 * k_epa_points;  // Euler: 2 V − 4
constexpr int k_epa_maxima = 8;                // that are told apart

class Epa {
 public:
  // Starts with `count` points of C whose hull has the origin inside or (count < 4) on it.
  Epa(const ConvexPair& pair, const PairPoint* points, int count);

  // Goes on until (1) closes to the tolerance, or a direction better than the best known one is met; false when it
  // cannot.
  bool run(double tolerance);
  // A local maximum of s found by other means. On the way from there, at the angle θ, s is at most s cos θ: faces that
  // hide only directions for which this is no better than the best, up to the tolerance, need not be refined.
  void exclude(const BestDirection& maximum, double tolerance);
  BestDirection best() const;

 private:
  struct Face {
    int point[3];  // counter-clockwise from outside
    Vector3 normal;
    double height;  // over the origin: mᵀw [m]
    double bound;   // what it is at least: round-off turns the normal of a thin triangle [m]
    double margin;  // ρ of (2), negative where the origin is put down beside the face [m]
  };
  struct Edge {
    int from, to;
  };

  bool make_tetrahedron();
  bool add_spread_point();
  bool add_face(int i, int j, int k);
  bool grow(const PairPoint& next);
  void consider(const Vector3& n, const PairPoint& point);
  void update_nearest();
  bool is_known(const Face& face) const;

  const ConvexPair* pair_;
  bool valid_ = false;
  int num_points_ = 0, num_faces_ = 0, num_edges_ = 0;
  PairPoint points_[k_epa_points];
  Face faces_[k_epa_faces];
  Edge edges_[k_epa_faces];
  int nearest_ = 0;
  double lower_ = 0;  // of the depth, beside the known maxima
  int num_known_ = 0;
  Vector3 known_n_[k_epa_maxima];
  double known_s_[k_epa_maxima];
  double known_tolerance_[k_epa_maxima];
  Vector3 best_n_ = Vector3::UnitZ();
  double best_s_ = -INFINITY;
  int best_count_ = 0;
  PairPoint best_points_[3];
};

}  // namespace delassus
