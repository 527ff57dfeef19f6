// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/error.hpp"

namespace delassus {

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0)
    text += (text.empty() ? "line " : ":") + std::to_string(place.line) + ":" + std::to_string(place.column);
  return text.empty() ? text : text + ": ";
}

}  // namespace delassus
