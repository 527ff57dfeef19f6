// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The impulses that the law allows one contact at its velocity, F(u) of least_forces.hpp: none where it opens, its cone where it
// sticks, a ray where it slips.
#pragma once
#include <cstdint>

#include "delassus/problems/problem.hpp"

namespace delassus {

// Part of the friction of a contact that does not open. Its impulse is measured by `unit`: 1 for forces, μ_i for couples.
struct FacePart {
  int first = 0, size = 0;
  bool sticks = false;
  double coefficient = 0, unit = 1, bound = 0;          // bound: of the impulse in these units by r_N
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  // of the slip
};

enum class FaceKind : std::uint8_t { absent, box, contact };

// F(u) of one contact.
struct Face {
  FaceKind kind = FaceKind::absent;
  int contact = 0, dim = 0, row = 0;  // row: in the island
  double extra = 0, bound = 0;        // extra_normal of the cone; bound of a box
  FacePart part[k_num_friction_kinds];
  int parts = 0;
};

// The face of a contact with velocity u and impulse r; velocities below `zero` are none. False: a cone that is not covered.
bool find_face(const Cone& cone, const ContactVectorRef& r, const ContactVectorRef& u, double zero,
               Face& face);
// r = P_F(z), J its derivative and ψ = max_r zᵀ r − ½‖r‖² [z: an impulse]. `linear`: on the plane of the face, whatever
// its borders.
double project_onto_face(const Face& face, bool linear, const ContactVectorRef& z, ContactVector& r,
                         ContactBlock& J);
// Whether an impulse on the plane of the face lies within its borders.
bool within_face(const Face& face, const ContactVectorRef& r, double border);
// Columns that span the plane of the face (dim × their number).
ContactBlock span_face(const Face& face);

}  // namespace delassus
