// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a run to DIR/recording.h5 (layout: recording.hpp).
//
// While the run goes on the file is DIR/recording.h5.part. Rows gather in memory and go to the file in
// blocks: contacts, events and names first, frames next, and the counts of them all last and on their own. A
// process that is killed at any moment therefore leaves a file that read_recording reads up to the last
// flush. A flush hands the data to the operating system; it does not wait for the disk.
#pragma once
#include <memory>
#include <string>

#include "delassus/recorder/recording.hpp"
#include "delassus/steppers/report.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct RecorderOptions {
  int every = 1;               // a frame each n-th step, n ≥ 1; events are always recorded
  double flush_seconds = 1.0;  // flush at the first record after this much wall time; 0: at each
};

// All functions throw InputError with the path and the reason when the file cannot be written (no space, no
// permission); the recorder then takes no more records, and the file is readable up to the flush before.
class Recorder {
 public:
  // Creates the directory and the file, replacing the .part file of an earlier run; that run's recording.h5
  // stays until finish(). `system` must outlive the recorder.
  Recorder(const std::string& directory, const System& system, const RunInfo& info,
           RecorderOptions options = {});
  // Without finish(): flushes, closes and leaves the .part file.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The state before the first step; flushed at once, so that the file is readable from here on.
  void record_initial(const State& state, const EnergyReport& energy);
  // The state after a step. The last step of a run always makes a frame.
  void record(const State& state, const StepReport& report, bool last = false);
  // For those who learn only afterwards that the step recorded last was the last: its frame, unless it has one.
  void record_last_frame(const State& state, const StepReport& report);
  void flush();
  // Writes how the run ended ("done", "failed", …), closes and renames; nothing can be recorded afterwards.
  void finish(const std::string& status, const std::string& message);

  // The present name of the file.
  const std::string& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace delassus
