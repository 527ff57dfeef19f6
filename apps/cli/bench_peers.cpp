// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "apps/cli/bench.hpp"

namespace delassus::cli {

nlohmann::json bench_peers(int) {
  return nlohmann::json::array();
}

}  // namespace delassus::cli
