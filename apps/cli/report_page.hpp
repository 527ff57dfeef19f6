// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The self-contained HTML page of a run: animation, plots, events.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "delassus/recorder/recording.hpp"
#include "delassus/scene/scene_desc.hpp"

namespace delassus::cli {

std::string make_report_page(const Recording& recording, const SceneDesc& scene,
                             const nlohmann::json& summary);

}  // namespace delassus::cli
