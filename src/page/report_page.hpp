// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The self-contained HTML page of a run: animation, plots, events.
#pragma once
#include <string>

#include "delassus/recorder/recording.hpp"
#include "delassus/recorder/run_summary.hpp"
#include "delassus/scene/scene_desc.hpp"

namespace delassus {

// The page as text. `scene` says what the bodies look like, `summary` what stands above the plots.
std::string make_report_page(const Recording& recording, const SceneDesc& scene, const RunSummary& summary);

}  // namespace delassus
