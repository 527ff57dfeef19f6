// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are there whole or not at all.
#pragma once
#include <cstddef>
#include <string>

namespace delassus {

// Writes to `path`.part and renames, so that a reader never sees half a file. Throws InputError with the path
// and the system's reason.
void write_file(const std::string& path, const std::string& content);
// Throws InputError when the file cannot be read or has more than `max_bytes`.
std::string read_file(const std::string& path, std::size_t max_bytes = std::string::npos);

}  // namespace delassus
