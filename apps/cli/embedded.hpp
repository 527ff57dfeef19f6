// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are part of the program: the scenes of library/scenes, the numbers of library/papers and the report page.
#pragma once
#include <string>
#include <vector>

namespace delassus::cli {

struct EmbeddedFile {
  std::string name;
  std::string content;
};

const std::vector<EmbeddedFile>& embedded_scenes();
const std::vector<EmbeddedFile>& embedded_papers();
const std::vector<EmbeddedFile>& embedded_report();

}  // namespace delassus::cli
