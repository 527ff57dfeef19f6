// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// SceneDesc → Model: names become indices, world points become points of bodies, what is left out is filled in.
#pragma once
#include <string>
#include <vector>
#include "delassus/model/model.hpp"

#include "delassus/scene/scene_desc.hpp"

namespace delassus {

// Throws InputError with the place of what is wrong.
Model compile_model(const SceneDesc& scene);

// Index of the body; k_world for 'world' where that is allowed. Throws InputError at the place of the name.
int find_body(const SceneDesc& scene, const NameRef& ref, bool world_allowed);

}  // namespace delassus
