// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// DataTree → SceneDesc, checked against the schema.
#pragma once
#include "delassus/base/data_tree.hpp"
#include "delassus/scene/scene_desc.hpp"

namespace delassus {

// Throws InputError at the first mistake: `file:line:column: what is wrong; what is allowed`.
SceneDesc decode_scene(const DataTree& root);

}  // namespace delassus
