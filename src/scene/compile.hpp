// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// SceneDesc → System + State, names resolved.
#pragma once
#include <memory>

#include "delassus/scene/scene_desc.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct CompiledScene {
  std::shared_ptr<const System> system;
  State state;
};

// Throws InputError naming the place of a reference that does not exist or data that do not fit together.
CompiledScene compile(const SceneDesc& scene);

}  // namespace delassus
