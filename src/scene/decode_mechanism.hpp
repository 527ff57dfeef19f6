// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads bodies, joints, drives, forces and contacts of a scene.
#pragma once
#include <string>

#include "delassus/scene/fields.hpp"
#include "delassus/scene/scene_desc.hpp"

namespace delassus {

void decode_mechanism(const FieldReader& scene, SceneDesc& out);

void require_count(const Place& place, const std::string& what, std::size_t count, std::size_t wanted);
// A direction, if it is there: any length but zero.
std::optional<Vector3> read_direction(const FieldReader& f, const std::string& key);
// A formula could mean either a variable or a constant of one name; so neither is allowed.
void require_not_constant(const Place& place, const std::string& name, const char* what,
                          const Constants& constants);

}  // namespace delassus
