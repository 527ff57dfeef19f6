// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace delassus::cli {
namespace {

constexpr int k_bar_width = 30;
constexpr auto k_interval = std::chrono::milliseconds(80);

}  // namespace

Progress::Progress(std::string title, double total, bool quiet)
    : title_(std::move(title)),
      total_(total),
      shown_(!quiet && isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      last_(start_ - k_interval) {}

Progress::~Progress() {
  finish();
}

void Progress::update(double done, const std::string& note) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || (now - last_ < k_interval && done < total_)) return;
  last_ = now;
  open_ = true;
  const double fraction = total_ > 0 ? std::clamp(done / total_, 0.0, 1.0) : 1.0;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string bar;
  for (int i = 0; i < k_bar_width; ++i) bar += i < fraction * k_bar_width ? "█" : "·";
  const std::string left = fraction > 0.01 && fraction < 1
                               ? fmt::format(", {:.0f} s left", elapsed * (1 - fraction) / fraction)
                               : "";
  // A terminal that has been closed does not end the run: no exception, as fmt::print(stderr, …) would throw.
  std::fputs(fmt::format("\r\033[K{} {} {:3.0f} %  {}{}", title_, bar, 100 * fraction, note, left).c_str(),
             stderr);
  std::fflush(stderr);
}

void Progress::finish() {
  if (open_) std::fputs("\n", stderr);
  open_ = false;
}

}  // namespace delassus::cli
