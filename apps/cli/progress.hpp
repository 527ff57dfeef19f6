// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A progress bar on a terminal; silent when standard error is not one.
#pragma once
#include <chrono>
#include <string>

namespace delassus::cli {

class Progress {
 public:
  Progress(std::string title, double total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // `note` stands behind the bar.
  void update(double done, const std::string& note);
  void finish();

 private:
  std::string title_;
  double total_;
  bool shown_;
  bool open_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace delassus::cli
