// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/front/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/front/run_folder.hpp"
#include "delassus/io/csv.hpp"
#include "delassus/page/report_page.hpp"
#include "delassus/recorder/recorder.hpp"

namespace delassus {
namespace {

using Clock = std::chrono::steady_clock;

// A recording that nobody has asked to be complete stays near this [bytes].
constexpr double k_recording_bytes = 1e8;

// About what a frame takes [bytes].
double frame_bytes(const System& system, const State& state) {
  BilateralRows joints;
  system.bilateral(state.t, state.q, joints);
  constexpr double other_numbers = 40, contact_bytes = 161;
  // A heap of bodies has about three contacts each.
  const double contacts = system.has_contacts() ? 3.0 * system.num_bodies() : 0.0;
  return 8.0 * (system.nq() + 2.0 * system.nv() + k_body_numbers * system.num_bodies() + joints.rows.rows() +
                2.0 * system.num_joint_coordinates() + k_reaction_numbers * system.num_reactions() +
                other_numbers) +
         contact_bytes * contacts;
}

// Which steps become frames.
int recorded_every(const Scene& scene, const Simulation& simulation) {
  if (scene.desc.run.output_every) return *scene.desc.run.output_every;
  const double steps = std::max(0.0, scene.desc.duration - simulation.time()) / simulation.options().step;
  const double bytes = steps * frame_bytes(simulation.system(), simulation.state());
  return static_cast<int>(std::clamp(std::ceil(bytes / k_recording_bytes), 1.0, 1e9));
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
  summary.stepper_reason =
      stepper_reason(scene.desc.run.options.stepper, simulation.system(), simulation.state());
  summary.settings = scene.settings;
  summary.step = simulation.options().step;
  summary.redundant_joint_rows = redundancy.num_redundant;
  summary.reactions_not_unique = redundancy.not_unique();
  for (const Warning& warning : simulation.start_warnings()) summary.warn(warning);
  const int every = recorded_every(scene, simulation);
  if (every > 1 && !scene.desc.run.output_every)
    summary.notes.push_back(fmt::format(
        "frames are recorded each {:g} s (each {} steps), so that the recording stays near {:g} MB; events "
        "are "
        "all recorded, the certificate is of all steps; `output: {{every: 1}}` records every step",
        every * simulation.options().step, every, k_recording_bytes / 1e6));
  if (simulation.state().history.num_steps > 0 && !simulation.continues_grid())
    summary.notes.push_back(
        fmt::format("the state at t = {:.9g} s does not lie on a time grid of step {:g} s that began at {:g} "
                    "s: the run goes "
                    "on "
                    "with other steps, so not with the bits of a run without a stop",
                    simulation.time(), simulation.options().step, simulation.state().history.grid.origin));
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
      : folder(std::in_place, directory),
        redundancy(find_redundancy(simulation.system(), simulation.state())),
        summary(begin_summary(scene, simulation, redundancy)) {
    folder->clear();
    recorder.emplace(directory, simulation.system(), make_info(scene, simulation),
                     RecorderOptions{.every = recorded_every(scene, simulation)});
    recorder->record_initial(simulation.state(), energy_of(simulation.system(), simulation.state()));
    std::ostringstream text;
    save(simulation.state(), text);
    // The memory of contacts grows in a run.
    constexpr std::size_t growth = 4, least = std::size_t{1} << 17;
    folder->reserve(std::max(least, growth * text.str().size()));
    started = Clock::now();
  }

  bool after_step(const Simulation& simulation, const StepReport& report) override {
    // A step that was not finished on request has left nothing.
    if (ended || report.stopped) return true;
    const WorkScope scope(WorkKind::recording);
    recorded = report.ok || report.substeps > 0;
    try {
      if (recorded) recorder->record(simulation.state(), report);
    } catch (const InputError& error) {
      ended = true;
      throw InputError(std::string(error.what()) + "; " + save_last(simulation.state()));
    }
    summary.add(report);
    summary.step_statistics.add(simulation.system(), report);
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

  // The state, with the room that was kept for it when the disk is full. What became of it.
  std::string save_last(const State& state) const {
    const std::string path = folder->path() + "/state.txt";
    try {
      folder->free_reserve();
      save_file(state, path);
    } catch (const InputError& error) {
      return std::string("nor can the state be saved: ") + error.what();
    }
    return fmt::format("the state at t = {:.9g} s is in {}", state.t, path);
  }

  std::optional<RunFolder> folder;  // until the run has ended

  Redundancy redundancy;
  RunSummary summary;
  std::optional<Recorder> recorder;
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

RunFiles::~RunFiles() {
  if (watch_ && watch_->ended) watch_->folder.reset();
}

RunFiles::RunFiles(RunFiles&&) noexcept = default;

const RunSummary& RunFiles::summary() const {
  return watch_->summary;
}

const Redundancy& RunFiles::redundancy() const {
  return watch_->redundancy;
}

void RunFiles::set_estimated_error(const ErrorEstimate& estimate) {
  watch_->summary.estimated_error = estimate;
}

void RunFiles::set_profile(std::vector<WorkTime> profile) {
  watch_->summary.profile = std::move(profile);
}

void RunFiles::finish(const Simulation& simulation) {
  const StepReport& report = simulation.report();
  finish(simulation, report.ok ? "completed" : report.stopped ? "interrupted" : "stopped", report.message);
}

void RunFiles::finish(const Simulation& simulation, const std::string& status, const std::string& message) {
  const State& state = simulation.state();
  RunSummary& summary = watch_->summary;
  summary.seconds = std::chrono::duration<double>(Clock::now() - watch_->started).count();
  watch_->ended = true;
  // First what cannot be computed again, should the disk be full.
  if (watch_->folder) watch_->folder->free_reserve();
  save_file(state, directory_ + "/state.txt");
  if (watch_->recorded) watch_->recorder->record_last_frame(state, simulation.report());
  watch_->recorder->finish(status, message);
  summary.energy = energy_of(simulation.system(), state);
  summary.bounds = simulation.bound_watch().bounds();
  summary.energy_in_play = simulation.energy_watch().in_play();
  if (const std::optional<Warning> gained = simulation.energy_watch().verdict(simulation.system()))
    summary.warn(*gained);
  if (const std::optional<Warning> lost = simulation.energy_watch().loss_verdict(simulation.system()))
    summary.warn(*lost);
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
