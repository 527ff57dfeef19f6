// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of a scene with their groups as bits, and the rules by which they touch, by the numbers of bodies.
#pragma once
#include <string>
#include <vector>

#include "delassus/scene/scene_desc.hpp"

namespace delassus {

// The group of shapes that name none: bit 0. The others get bits as they first appear.
inline constexpr const char* k_default_group = "default";
// Bits of Shape::group.
inline constexpr std::size_t k_max_groups = 32;

// Of each body, in the order of the scene; checked. Throws InputError at the place of the shape.
std::vector<std::vector<Shape>> compile_shapes(const SceneDesc& scene);

CollisionSettings compile_collision(const SceneDesc& scene);

}  // namespace delassus
