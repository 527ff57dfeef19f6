// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that is part of the library or the program (cmake/embed.cmake writes them into sources).
#pragma once
#include <string>

namespace delassus {

struct EmbeddedFile {
  std::string name;
  std::string content;
};

}  // namespace delassus
