// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/front/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>

#include "delassus/base/files.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/csv.hpp"
#include "delassus/page/report_page.hpp"
#include "delassus/recorder/recorder.hpp"

namespace delassus {
namespace {

using Clock = std::chrono::steady_clock;

// Shapes that overlap at the start are pushed apart in the first step: as far as they overlap, at once.
std::vector<std::string> start_warnings(const Simulation& simulation) {
  constexpr double visible = 1e-6;  // [m]
  std::vector<std::string> out;
  const auto* system = dynamic_cast<const MultibodySystem*>(&simulation.system());
  if (system == nullptr) return out;
  for (const CollisionWorld::Overlap& overlap :
       system->overlaps(simulation.state().t, simulation.state().q, visible))
    out.push_back(
        fmt::format("shapes '{}' and '{}' overlap by {:.3g} m at the start; `delassus check SCENE --resolve "
                    "FILE` moves them apart",
                    system->shape_name(overlap.shape_a), system->shape_name(overlap.shape_b), overlap.depth));
  return out;
}

RunInfo make_info(const Scene& scene, const Simulation& simulation) {
  RunInfo info{.title = scene.desc.name,
               .description = scene.desc.description,
               .program = "delassus " + version(),
               .scene_text = scene.text};
  info.settings = {{"stepper", simulation.stepper_name()},
                   {"step", fmt::format("{}", simulation.options().step)},
                   {"duration", fmt::format("{}", scene.desc.duration)},
                   {"solver", simulation.solver_name()},
                   {"impact law", setting_text({.options = simulation.options()}, "impact", "law")},
                   {"projection", setting_text({.options = simulation.options()}, "stepper", "projection")}};
  for (const std::string& setting : scene.settings) info.settings.emplace_back("set", setting);
  return info;
}

RunSummary begin_summary(const Scene& scene, const Simulation& simulation, const Redundancy& redundancy) {
  RunSummary summary;
  summary.program = "delassus " + version();
  summary.scene = scene.desc.name;
  summary.stepper = simulation.stepper_name();
  summary.settings = scene.settings;
  summary.step = simulation.options().step;
  summary.redundant_joint_rows = redundancy.num_redundant;
  summary.reactions_not_unique = redundancy.not_unique();
  for (const std::string& warning : start_warnings(simulation)) summary.warn(warning);
  return summary;
}

// What the frames tell of a run whose summary is not at hand.
RunSummary summary_of(const Recording& recording) {
  RunSummary summary;
  summary.steps = recording.step.empty() ? 0 : static_cast<std::uint64_t>(recording.step.back());
  for (int i = 0; i < recording.num_frames(); ++i) {
    StepReport report;
    report.certificate = recording.certificate[i];
    report.energy = recording.energy[i];
    report.substeps = recording.substeps[i];
    report.rejected = recording.rejected[i];
    summary.add(report);
  }
  summary.events = static_cast<long>(recording.events.size());
  return summary;
}

}  // namespace

// Shared with the simulation, which may live longer than the files are wanted, or shorter.
class RunFiles::Watch final : public Observer {
 public:
  Watch(const std::string& directory, const Scene& scene, const Simulation& simulation)
      : redundancy(find_redundancy(simulation.system(), simulation.state())),
        recorder(directory, simulation.system(), make_info(scene, simulation),
                 {.every = scene.desc.run.output_every}),
        summary(begin_summary(scene, simulation, redundancy)) {
    recorder.record_initial(simulation.state(), energy_of(simulation.system(), simulation.state()));
    started = Clock::now();
  }

  bool after_step(const Simulation& simulation, const StepReport& report) override {
    if (ended) return true;
    recorded = report.ok || report.substeps > 0;
    if (recorded) recorder.record(simulation.state(), report);
    summary.add(report);
    note_shared(simulation, report);
    return true;
  }

  // What is not unique on the way: joints that contacts relieve or that become redundant, and pairs of bodies whose
  // contacts share their load.
  void note_shared(const Simulation& simulation, const StepReport& report) {
    const System& system = simulation.system();
    const auto note = [&](const std::string& name) {
      std::vector<std::string>& names = summary.reactions_not_unique;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    if (report.certificate.redundant_joint_rows > summary.redundant_joint_rows) {
      summary.redundant_joint_rows = report.certificate.redundant_joint_rows;
      for (const std::string& name : find_redundancy(system, simulation.state()).not_unique()) note(name);
    }
    shared_rows.resize(report.shared_joint_rows.size(), 0);
    for (std::size_t row = 0; row < shared_rows.size(); ++row)
      if (report.shared_joint_rows[row] != 0 && shared_rows[row] == 0) {
        shared_rows[row] = 1;
        note(system.joint_name(static_cast<int>(row)));
      }
    for (const ContactReport& contact : report.contacts) {
      if (!contact.shared) continue;
      const ContactBodies pair = system.contact_bodies(contact.id);
      if (std::find(shared_pairs.begin(), shared_pairs.end(), pair) != shared_pairs.end()) continue;
      shared_pairs.push_back(pair);
      const auto name_of = [&](int body) { return body < 0 ? "world" : system.body_name(body); };
      note(pair.a < 0 && pair.b < 0 ? system.contact_name(contact.id)
                                    : fmt::format("{} on {}", name_of(pair.b), name_of(pair.a)));
    }
  }

  Redundancy redundancy;
  Recorder recorder;
  RunSummary summary;
  Clock::time_point started;
  std::vector<char> shared_rows;            // joint rows that are noted already
  std::vector<ContactBodies> shared_pairs;  // likewise
  bool recorded = false;                    // the last step
  bool ended = false;
};

RunFiles::RunFiles(const std::string& directory, const Scene& scene, Simulation& simulation)
    : directory_(directory),
      scene_(scene.desc),
      watch_(std::make_shared<Watch>(directory, scene, simulation)) {
  simulation.observe(std::shared_ptr<Observer>(watch_));
}

const RunSummary& RunFiles::summary() const {
  return watch_->summary;
}

const Redundancy& RunFiles::redundancy() const {
  return watch_->redundancy;
}

void RunFiles::finish(const Simulation& simulation) {
  const bool ok = simulation.report().ok;
  finish(simulation, ok ? "completed" : "stopped", simulation.report().message);
}

void RunFiles::finish(const Simulation& simulation, const std::string& status, const std::string& message) {
  const State& state = simulation.state();
  RunSummary& summary = watch_->summary;
  summary.seconds = std::chrono::duration<double>(Clock::now() - watch_->started).count();
  if (watch_->recorded) watch_->recorder.record_last_frame(state, simulation.report());
  watch_->ended = true;
  watch_->recorder.finish(status, message);
  save_file(state, directory_ + "/state.txt");
  summary.status = status;
  summary.message = message;
  summary.time = state.t;
  summary.steps = state.history.num_steps;
  std::vector<BodyMotion> motions;
  simulation.system().body_motions(state.t, state.q, state.v, motions);
  for (int i = 0; i < simulation.system().num_bodies(); ++i)
    summary.bodies.push_back({simulation.system().body_name(i), motions[static_cast<std::size_t>(i)]});
  write_file(directory_ + "/summary.json", to_json(summary));
}

void RunFiles::write_page() const {
  write_file(directory_ + "/report.html",
             make_report_page(read_recording(directory_), scene_, watch_->summary));
}

void RunFiles::write_tables() const {
  write_csv(read_recording(directory_), directory_);
}

void write_page(const Recording& recording, const SceneDesc& scene, const std::string& path) {
  write_file(path, make_report_page(recording, scene, summary_of(recording)));
}

}  // namespace delassus
