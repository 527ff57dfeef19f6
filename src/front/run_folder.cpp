// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/front/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "delassus/base/error.hpp"
#include "delassus/io/csv.hpp"

namespace delassus {
namespace {

constexpr const char* k_reserve = "/reserve.part";

// Of a run, by its name.
bool is_of_run(const std::string& name) {
  static const std::array<std::string_view, 6> fixed{"recording.h5", "recording.h5.part", "summary.json",
                                                     "state.txt",    "report.html",       "reserve.part"};
  if (std::find(fixed.begin(), fixed.end(), name) != fixed.end()) return true;
  const std::vector<std::string>& tables = csv_file_names();
  if (std::find(tables.begin(), tables.end(), name) != tables.end()) return true;
  // state_TIME.txt
  const bool state = name.starts_with("state_") && name.ends_with(".txt") && name.size() > 10;
  return state && std::all_of(name.begin() + 6, name.end() - 4,
                              [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (!error && !std::filesystem::is_directory(path_))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw InputError("cannot create the directory " + path_ + ": " + error.message());
  // A lock of the folder itself: it needs no file of its own, and is gone with the process.
  handle_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle_ < 0) throw InputError("cannot open the directory " + path_ + ": " + std::strerror(errno));
  // File systems without locks are taken as they are.
  if (flock(handle_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(handle_);
    throw InputError("another run is writing to " + path_ + "; wait for it, or give another --out");
  }
}

RunFolder::~RunFolder() {
  if (handle_ >= 0) close(handle_);
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)) {}

void RunFolder::clear() const {
  std::error_code ignored;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored))
    if (!entry.is_directory(ignored) && is_of_run(entry.path().filename().string()))
      old.push_back(entry.path());
  for (const std::filesystem::path& file : old) std::filesystem::remove(file, ignored);
}

void RunFolder::reserve(std::size_t bytes) const {
  std::ofstream out(path_ + k_reserve, std::ios::binary);
  const std::string block(std::size_t{1} << 16, ' ');
  for (std::size_t written = 0; written < bytes && out; written += block.size()) out << block;
}

void RunFolder::free_reserve() const {
  std::error_code ignored;
  std::filesystem::remove(path_ + k_reserve, ignored);
}

}  // namespace delassus
