// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "delassus/base/error.hpp"

namespace delassus {

void write_file(const std::string& path, const std::string& content) {
  const std::string part = path + ".part";
  {
    std::ofstream out(part, std::ios::binary);
    out << content;
    out.flush();
    if (!out) throw InputError("cannot write " + part + ": " + std::strerror(errno));
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) throw InputError("cannot rename " + part + " to " + path + ": " + error.message());
}

std::string read_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw InputError("cannot read " + path + ": it is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("cannot read " + path + ": " + std::strerror(errno));
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace delassus
