// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "delassus/base/error.hpp"

namespace delassus {

void write_file(const std::string& path, const std::string& content) {
  const std::string part = path + ".part";
  {
    std::ofstream out(part, std::ios::binary);
    out << content;
    out.flush();
    if (!out) {
      const std::string reason = std::strerror(errno);
      std::error_code ignored;
      std::filesystem::remove(part, ignored);
      throw InputError("cannot write " + path + ": " + reason);
    }
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw InputError("cannot write " + path + ": " + error.message());
  }
}

std::string read_file(const std::string& path, std::size_t max_bytes) {
  if (std::filesystem::is_directory(path)) throw InputError("cannot read " + path + ": it is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("cannot read " + path + ": " + std::strerror(errno));
  std::string content;
  constexpr std::size_t chunk = std::size_t{1} << 20;
  while (in && content.size() <= max_bytes) {
    const std::size_t size = content.size();
    content.resize(size + chunk);
    in.read(content.data() + size, chunk);
    content.resize(size + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw InputError("cannot read " + path + ": " + std::strerror(errno));
  if (content.size() > max_bytes)
    throw InputError("cannot read " + path + ": it is too large; allowed: up to " +
                     std::to_string(max_bytes >> 20) + " MB");
  return content;
}

}  // namespace delassus
