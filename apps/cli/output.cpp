// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/cli/commands.hpp"

namespace delassus::cli {

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return;
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(directory, error))
    throw InputError("cannot write " + path + ": there is no directory " + directory);
  if (fs::is_directory(path, error)) throw InputError("cannot write " + path + ": it is a directory");
  if (access(directory.c_str(), W_OK) != 0)
    throw InputError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace delassus::cli
