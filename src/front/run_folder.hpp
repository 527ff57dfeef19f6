// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder that a run writes into: its own files and no others, and one run at a time.
#pragma once
#include <cstddef>
#include <string>

namespace delassus {

class RunFolder {
 public:
  // Makes the folder and takes it: another run, of this process or of another, that holds it is an InputError. It is given
  // back when this object ends, or the process does, in whichever way.
  explicit RunFolder(std::string path);
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;

  const std::string& path() const { return path_; }
  // Removes what earlier runs left here: recording, summary, states, tables, page. Files of others stay.
  void clear() const;

  // Keeps some room on the disk for what must be written last: the state, should the disk be full.
  void reserve(std::size_t bytes) const;
  void free_reserve() const;

 private:
  std::string path_;
  int handle_ = -1;
};

}  // namespace delassus
