// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a shape can be, and on which bodies.
#pragma once
#include <string>

#include "delassus/model/body.hpp"

namespace delassus {

// True when the triangles bound a solid: every edge belongs to exactly two of them, which run along it in opposite
// directions. Cost: n log n in the number of triangles; allocates.
bool is_closed(const Surface& surface);

// Reason why a body of this kind cannot have the shape, with value and allowed range; empty when it can. Planes and
// height fields have no mass, so that only bodies have them that forces do not move; of a mesh that is weighed the
// inside must be known. Whether points span a solid is found where they are made into a hull.
std::string check_shape(const Shape& shape, BodyKind kind);

// Reason why no surface is of this material; empty when one can be.
std::string check_material(const Material& material);

}  // namespace delassus
