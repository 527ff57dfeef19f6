// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run leaves in a directory, as the program's `delassus run` does: recording.h5, summary.json, state.txt, and on
// request the report page and tables.
//
//   RunFiles files("out/arm", scene, simulation);  // records from here on
//   simulation.run_until(scene.duration());
//   files.finish(simulation);
//   files.write_page();
#pragma once
#include <memory>
#include <string>

#include "delassus/recorder/recording.hpp"
#include "delassus/recorder/run_summary.hpp"
#include "delassus/scene/scene.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/steppers/redundancy.hpp"

namespace delassus {

class RunFiles {
 public:
  // Makes the directory, takes it (front/run_folder.hpp), removes what an earlier run left there, records the state at hand
  // and observes the simulation from now on. Frames as often as the scene asks for (`output.every`), or as keep the
  // recording below about 100 MB. Throws InputError with the path and the reason when it cannot write, as all functions do;
  // when that happens in a step, the state is saved if there is any room for it.
  RunFiles(const std::string& directory, const Scene& scene, Simulation& simulation);

  // Gives the directory back when the run has ended; otherwise it is recorded, and held, as long as the simulation goes on.
  ~RunFiles();
  RunFiles(RunFiles&& other) noexcept;
  RunFiles& operator=(RunFiles&&) = delete;

  // So far.
  const RunSummary& summary() const;
  const Redundancy& redundancy() const;  // of the joints at the start

  // How wrong the run is at its end, for the summary and the page; before finish().
  void set_estimated_error(const ErrorEstimate& estimate);

  // Where the time went, likewise.
  void set_profile(std::vector<WorkTime> profile);

  // Ends the recording and writes the summary and the state. Without it the recording stays recording.h5.part, readable up
  // to its last flush. `status` and `message` say how it ended; by default what the last report says.
  void finish(const Simulation& simulation);
  void finish(const Simulation& simulation, const std::string& status, const std::string& message);

  // After finish().
  void write_page() const;    // report.html
  void write_tables() const;  // *.csv (io/csv.hpp)

 private:
  class Watch;
  std::string directory_;
  SceneDesc scene_;
  std::shared_ptr<Watch> watch_;
};

// The self-contained HTML page of a recording. Where there is no summary (a recording of another run), the one that its
// frames give is taken.
void write_page(const Recording& recording, const SceneDesc& scene, const std::string& path);

}  // namespace delassus
