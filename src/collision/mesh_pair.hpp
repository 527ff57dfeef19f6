// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts of two meshes: corners of each that stand out against the faces of the other, and ridges against ridges, of the
// triangles that come near each other. Internal to manifold.
//
// A feature that lies below another one is inside of its solid only if nothing of the surface is in between, and of
// several ways out at one place the shortest counts: what else lies deep belongs to the far side.
#pragma once
#include <vector>

#include "delassus/collision/pair_contacts.hpp"

namespace delassus {

// The way between two points, in the frame of the mesh, leaves the solid through a face other than `face`. `faces`: memory.
bool leaves_between(const Geometry& mesh, const MeshIndex& index, int face, const Vector3& from,
                    const Vector3& to, std::vector<int>& faces);

// As find_contacts, appended to `out`.
void find_mesh_contacts(const Side& a, const MeshIndex& index_a, const Side& b, const MeshIndex& index_b,
                        double envelope, double reach, bool exhaustive, std::vector<ShapeContact>& out);

}  // namespace delassus
