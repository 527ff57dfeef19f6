// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/recorder.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_set>
#include <utility>

#include "delassus/base/error.hpp"
#include "delassus/recorder/hdf5_file.hpp"

namespace delassus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
// More than this in memory goes to the file before its time [bytes].
constexpr std::size_t k_buffer_bytes = std::size_t{16} << 20;

// A table and the rows that are not in it yet.
template <class T>
struct Column {
  Hdf5Dataset table;
  std::vector<T> pending;
  std::int64_t pending_rows = 0;

  void create(Hdf5File& file, const std::string& name, const std::vector<std::int64_t>& row_shape = {}) {
    table = file.create_table(name, k_hdf5_type<T>, row_shape);
  }
  void put(T value) {
    pending.push_back(value);
    ++pending_rows;
  }
  template <class Values>
  void put_row(const Values& values) {
    pending.insert(pending.end(), values.begin(), values.end());
    ++pending_rows;
  }
  void put_nan_row() {
    pending.insert(pending.end(), static_cast<std::size_t>(table.row_size()), k_nan);
    ++pending_rows;
  }
  std::size_t bytes() const { return pending.size() * sizeof(T); }
  std::int64_t rows() const { return table.rows() + pending_rows; }
  void write() {
    table.append(std::span<const T>(pending), pending_rows);
    pending.clear();
    pending_rows = 0;
  }
};

struct FrameColumns {
  Column<double> time, step_length, q, v, weighted_velocity, bodies, joint_impulses, joint_coordinates,
      reactions, energy, certificate;
  Column<std::int64_t> step, solver, contact_first, contact_count;
  Column<std::uint64_t> worst_contact, deepest_contact;

  template <class F>
  void each(F&& f) {
    for (auto* c : {&time, &step_length, &q, &v, &weighted_velocity, &bodies, &joint_impulses,
                    &joint_coordinates, &reactions, &energy, &certificate})
      f(*c);
    for (auto* c : {&step, &solver, &contact_first, &contact_count}) f(*c);
    f(worst_contact);
    f(deepest_contact);
  }
};

struct ContactColumns {
  Column<std::uint64_t> id;
  Column<std::uint8_t> status;
  Column<double> gap, impulse, velocity, point, normal, force, couple;

  template <class F>
  void each(F&& f) {
    f(id);
    f(status);
    for (auto* c : {&gap, &impulse, &velocity, &point, &normal, &force, &couple}) f(*c);
  }
};

struct EventColumns {
  Column<double> time, velocity_before, velocity_after, impulse, energy_change;
  Column<std::uint8_t> kind;
  Column<std::uint64_t> contact;

  template <class F>
  void each(F&& f) {
    for (auto* c : {&time, &velocity_before, &velocity_after, &impulse, &energy_change}) f(*c);
    f(kind);
    f(contact);
  }
};

struct NameColumns {
  Column<std::uint64_t> id;
  Column<std::int64_t> bodies, length;
  Column<std::uint8_t> text;

  template <class F>
  void each(F&& f) {
    f(id);
    f(bodies);
    f(length);
    f(text);
  }
};

std::vector<std::string> names(int count, const auto& name) {
  std::vector<std::string> list;
  list.reserve(count);
  for (int i = 0; i < count; ++i) list.push_back(name(i));
  return list;
}

void create_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::is_directory(directory))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw InputError("cannot create the directory " + directory + ": " + error.message());
}

}  // namespace

struct Recorder::Impl {
  const System& system;
  RecorderOptions options;
  std::string final_path, path;
  Hdf5File file;
  FrameColumns frames;
  ContactColumns contacts;
  EventColumns events;
  NameColumns contact_names;
  Column<std::uint8_t> status, message;
  Hdf5Dataset committed;
  std::unordered_set<ContactId> named;  // asked, never walked through
  bool started = false;                 // the tables are there
  bool closed = false;                  // finished, or given up after a failure
  std::int64_t num_steps = 0;           // given to record()
  bool has_frame = true;                // the last of them
  Clock::time_point last_flush = Clock::now();
  std::vector<BodyMotion> motions;
  Vector joint_values, joint_rates;
  std::vector<JointReaction> reactions;

  Impl(const std::string& directory, const System& the_system, const RunInfo& info,
       RecorderOptions the_options)
      : system(the_system), options(the_options) {
    if (options.every < 1)
      throw InputError(fmt::format("record every {} steps: must be at least 1", options.every));
    if (!(options.flush_seconds >= 0))
      throw InputError(fmt::format("flush_seconds {}: must be at least 0", options.flush_seconds));
    create_directory(directory);
    final_path = (std::filesystem::path(directory) / "recording.h5").string();
    path = final_path + ".part";
    file = Hdf5File::create(path);
    guarded([&] { write_meta(info); });
  }

  void write_meta(const RunInfo& info) {
    file.create_group("/meta");
    file.write_attribute("/meta", "format_version", k_recording_format);
    file.write_attribute("/meta", "program", info.program);
    file.write_attribute("/meta", "title", info.title);
    file.write_attribute("/meta", "description", info.description);
    file.write_text("/meta/scene_text", info.scene_text);
    const int count = static_cast<int>(info.settings.size());
    file.write_texts("/meta/setting_names", names(count, [&](int i) { return info.settings[i].first; }));
    file.write_texts("/meta/setting_values", names(count, [&](int i) { return info.settings[i].second; }));
    file.write_texts("/meta/body_names",
                     names(system.num_bodies(), [&](int i) { return system.body_name(i); }));
    std::vector<double> centers;
    for (int i = 0; i < system.num_bodies(); ++i) {
      const Vector3 center = system.body_center(i);
      centers.insert(centers.end(), center.begin(), center.end());
    }
    file.write_array("/meta/body_centers", std::span<const double>(centers));
    file.write_texts("/meta/coordinate_names",
                     names(system.nq(), [&](int i) { return system.coordinate_name(i); }));
    const int nx = system.num_joint_coordinates();
    file.write_texts("/meta/joint_coordinate_names",
                     names(nx, [&](int i) { return system.joint_coordinate_name(i); }));
    file.write_texts("/meta/joint_coordinate_units",
                     names(nx, [&](int i) { return system.joint_coordinate_is_angle(i) ? "rad" : "m"; }));
    file.write_texts("/meta/reaction_names",
                     names(system.num_reactions(), [&](int i) { return system.reaction_name(i); }));
  }

  // Only a state tells how many joint rows there are; so the tables are created with the first one.
  void start(const State& state) {
    if (started) return;
    BilateralRows bilateral;
    system.bilateral(state.t, state.q, bilateral);
    const int nj = bilateral.rows.rows();
    file.write_texts("/meta/joint_names", names(nj, [&](int row) { return system.joint_name(row); }));
    create_frame_tables(nj);
    create_other_tables();
    committed = file.create_array("/committed", Hdf5Type::int64, 5);
    file.start_appending();
    started = true;
  }

  void create_frame_tables(int nj) {
    file.create_group("/frames");
    frames.time.create(file, "/frames/time");
    frames.step.create(file, "/frames/step");
    frames.step_length.create(file, "/frames/step_length");
    frames.q.create(file, "/frames/q", {system.nq()});
    frames.v.create(file, "/frames/v", {system.nv()});
    frames.weighted_velocity.create(file, "/frames/weighted_velocity", {system.nv()});
    frames.bodies.create(file, "/frames/bodies", {system.num_bodies(), k_body_numbers});
    frames.joint_impulses.create(file, "/frames/joint_impulses", {nj});
    frames.joint_coordinates.create(file, "/frames/joint_coordinates", {system.num_joint_coordinates(), 2});
    frames.reactions.create(file, "/frames/reactions", {system.num_reactions(), k_reaction_numbers});
    frames.energy.create(file, "/frames/energy", {k_energy_numbers});
    frames.certificate.create(file, "/frames/certificate", {k_certificate_numbers});
    frames.solver.create(file, "/frames/solver", {8});
    frames.worst_contact.create(file, "/frames/worst_contact");
    frames.deepest_contact.create(file, "/frames/deepest_contact");
    frames.contact_first.create(file, "/frames/contact_first");
    frames.contact_count.create(file, "/frames/contact_count");
  }

  void create_other_tables() {
    file.create_group("/contacts");
    contacts.id.create(file, "/contacts/id");
    contacts.status.create(file, "/contacts/status");
    contacts.gap.create(file, "/contacts/gap");
    contacts.impulse.create(file, "/contacts/impulse", {3});
    contacts.velocity.create(file, "/contacts/velocity", {3});
    contacts.point.create(file, "/contacts/point", {3});
    contacts.normal.create(file, "/contacts/normal", {3});
    contacts.force.create(file, "/contacts/force", {3});
    contacts.couple.create(file, "/contacts/couple", {3});
    file.create_group("/events");
    events.time.create(file, "/events/time");
    events.kind.create(file, "/events/kind");
    events.contact.create(file, "/events/contact");
    events.velocity_before.create(file, "/events/velocity_before", {3});
    events.velocity_after.create(file, "/events/velocity_after", {3});
    events.impulse.create(file, "/events/impulse", {3});
    events.energy_change.create(file, "/events/energy_change");
    file.create_group("/contact_names");
    contact_names.id.create(file, "/contact_names/id");
    contact_names.bodies.create(file, "/contact_names/bodies", {2});
    contact_names.length.create(file, "/contact_names/length");
    contact_names.text.create(file, "/contact_names/text");
    file.create_group("/end");
    status.create(file, "/end/status");
    message.create(file, "/end/message");
  }

  void name_contact(ContactId id) {
    if (!named.insert(id).second) return;
    const std::string name = system.contact_name(id);
    const ContactBodies bodies = system.contact_bodies(id);
    contact_names.id.put(id);
    contact_names.bodies.put_row(std::array{bodies.a, bodies.b});
    contact_names.length.put(static_cast<std::int64_t>(name.size()));
    for (char c : name) contact_names.text.put(static_cast<std::uint8_t>(c));
  }

  void put_state(const State& state) {
    assert(state.q.size() == system.nq() && state.v.size() == system.nv());
    frames.time.put(state.t);
    frames.step.put(static_cast<std::int64_t>(state.history.num_steps));
    frames.q.put_row(state.q);
    frames.v.put_row(state.v);
    const Vector& weighted = state.history.weighted_velocity;
    if (weighted.size() == system.nv())
      frames.weighted_velocity.put_row(weighted);
    else
      frames.weighted_velocity.put_nan_row();
    system.body_motions(state.t, state.q, state.v, motions);
    std::vector<double>& pending = frames.bodies.pending;
    for (const BodyMotion& m : motions) {
      pending.insert(pending.end(), m.position.begin(), m.position.end());
      pending.insert(pending.end(), m.orientation.begin(), m.orientation.end());
      pending.insert(pending.end(), m.velocity.begin(), m.velocity.end());
      pending.insert(pending.end(), m.angular_velocity.begin(), m.angular_velocity.end());
    }
    ++frames.bodies.pending_rows;
    put_joint_coordinates(state);
  }

  void put_joint_coordinates(const State& state) {
    system.joint_coordinates(state.t, state.q, state.v, joint_values, joint_rates);
    for (Eigen::Index i = 0; i < joint_values.size(); ++i) {
      frames.joint_coordinates.pending.push_back(joint_values[i]);
      frames.joint_coordinates.pending.push_back(joint_rates[i]);
    }
    ++frames.joint_coordinates.pending_rows;
  }

  void put_energy(const EnergyReport& e) {
    frames.energy.put_row(std::array{e.kinetic, e.potential, e.work, e.friction, e.impact, e.constraint,
                                     e.defect, e.driven, e.normal, e.joints, e.projection, e.error});
  }

  void put_certificate(const Certificate& c, int substeps, int rejected) {
    frames.certificate.put_row(std::array{c.momentum_residual, c.joint_residual, c.contact_residual,
                                          c.joint_drift, c.velocity_drift, c.penetration, c.joint_turn,
                                          c.stop_excess});
    frames.solver.put_row(std::array{static_cast<int>(c.status), c.iterations, c.solves, substeps, rejected,
                                     c.redundant_joint_rows, c.worst_joint_row, int{c.has_worst_contact}});
    frames.worst_contact.put(c.worst_contact);
    frames.deepest_contact.put(c.relative_depth > 0 ? c.deepest_contact : k_no_contact);
    if (c.relative_depth > 0) name_contact(c.deepest_contact);
  }

  void put_joint_impulses(const Vector& impulses) {
    if (impulses.size() == frames.joint_impulses.table.row_size())
      frames.joint_impulses.put_row(impulses);
    else  // a step that failed before its first solve
      frames.joint_impulses.put_nan_row();
  }

  void put_reactions(const State& state, const Vector& joint_forces) {
    if (joint_forces.size() != frames.joint_impulses.table.row_size()) {
      frames.reactions.put_nan_row();
      return;
    }
    system.reactions(state.t, state.q, state.v, joint_forces, reactions);
    std::vector<double>& pending = frames.reactions.pending;
    for (const JointReaction& r : reactions) {
      pending.insert(pending.end(), r.force.begin(), r.force.end());
      pending.insert(pending.end(), r.torque.begin(), r.torque.end());
    }
    ++frames.reactions.pending_rows;
  }

  void put_contacts(const std::vector<ContactReport>& reports, double step_length) {
    frames.contact_first.put(contacts.id.rows());
    frames.contact_count.put(static_cast<std::int64_t>(reports.size()));
    for (const ContactReport& c : reports) {
      const Matrix3& frame = c.place.frame;
      const auto mean = [&](const Vector3& x) {
        return step_length > 0 ? Vector3(frame * x / step_length) : Vector3::Constant(k_nan);
      };
      name_contact(c.id);
      contacts.id.put(c.id);
      contacts.status.put(static_cast<std::uint8_t>(c.status));
      contacts.gap.put(c.gap);
      contacts.impulse.put_row(c.impulse);
      contacts.velocity.put_row(c.velocity);
      contacts.point.put_row(c.place.point());
      contacts.normal.put_row(frame.col(0));
      contacts.force.put_row(mean(c.impulse));
      contacts.couple.put_row(mean(c.couple));
    }
  }

  void put_frame(const State& state, const StepReport& report) {
    const double step_length = report.t_end - report.t_begin;
    put_state(state);
    frames.step_length.put(step_length);
    put_energy(report.energy);
    put_certificate(report.certificate, report.substeps, report.rejected);
    put_joint_impulses(report.joint_impulses);
    put_reactions(state, report.joint_forces);
    put_contacts(report.contacts, step_length);
  }

  void put_events(const std::vector<Event>& list) {
    for (const Event& e : list) {
      if (e.kind != EventKind::zeno) name_contact(e.contact);  // zeno may be without a contact
      events.time.put(e.time);
      events.kind.put(static_cast<std::uint8_t>(e.kind));
      events.contact.put(e.contact);
      events.velocity_before.put_row(e.velocity_before);
      events.velocity_after.put_row(e.velocity_after);
      events.impulse.put_row(e.impulse);
      events.energy_change.put(e.energy_change);
    }
  }

  void flush_if_due() {
    std::size_t bytes = 0;
    const auto count = [&](const auto& column) { bytes += column.bytes(); };
    frames.each(count);
    contacts.each(count);
    events.each(count);
    const std::chrono::duration<double> waited = Clock::now() - last_flush;
    if (bytes > k_buffer_bytes || waited.count() >= options.flush_seconds) flush(false);
  }

  void flush(bool finished) {
    if (!started) return;
    const auto write = [](auto& column) { column.write(); };
    contact_names.each(write);
    contacts.each(write);
    events.each(write);
    status.write();
    message.write();
    frames.each(write);
    file.flush();
    const std::array<std::int64_t, 5> counts = {frames.time.rows(), contacts.id.rows(), events.time.rows(),
                                                contact_names.id.rows(), finished ? 1 : 0};
    committed.overwrite(std::span<const std::int64_t>(counts));
    committed.flush();
    last_flush = Clock::now();
  }

  template <class F>
  void each_dataset(F&& f) {
    const auto table = [&](auto& column) { f(column.table); };
    contact_names.each(table);
    contacts.each(table);
    events.each(table);
    table(status);
    table(message);
    frames.each(table);
    f(committed);
  }

  void close() {
    each_dataset([](Hdf5Dataset& dataset) { dataset.close(); });
    file.close();
  }

  void abandon() {
    closed = true;
    each_dataset([](Hdf5Dataset& dataset) { dataset.abandon(); });
    file.abandon();
  }

  // After a failure the recorder is closed for good: its buffers and its file no longer agree.
  template <class F>
  void guarded(F&& f) {
    if (closed) throw InputError("cannot write " + path + ": it was closed before");
    try {
      f();
    } catch (...) {
      abandon();
      throw;
    }
  }
};

Recorder::Recorder(const std::string& directory, const System& system, const RunInfo& info,
                   RecorderOptions options)
    : impl_(std::make_unique<Impl>(directory, system, info, options)) {}

Recorder::~Recorder() {
  if (impl_->closed) return;
  try {
    impl_->flush(false);
    impl_->close();
  } catch (...) {
    impl_->abandon();  // nobody is left to be told; the file is readable up to the flush before
  }
}

void Recorder::record_initial(const State& state, const EnergyReport& energy) {
  impl_->guarded([&] {
    impl_->start(state);
    impl_->put_state(state);
    impl_->frames.step_length.put(k_nan);
    impl_->put_energy(energy);
    impl_->put_certificate({}, 0, 0);
    impl_->frames.joint_impulses.put_nan_row();
    impl_->frames.reactions.put_nan_row();
    impl_->put_contacts({}, k_nan);
    impl_->flush(false);
  });
}

void Recorder::record(const State& state, const StepReport& report, bool last) {
  impl_->guarded([&] {
    impl_->start(state);
    impl_->put_events(report.events);
    impl_->has_frame = ++impl_->num_steps % impl_->options.every == 0 || last;
    if (impl_->has_frame) impl_->put_frame(state, report);
    impl_->flush_if_due();
  });
}

void Recorder::record_last_frame(const State& state, const StepReport& report) {
  if (impl_->has_frame) return;
  impl_->guarded([&] {
    impl_->put_frame(state, report);
    impl_->has_frame = true;
  });
}

void Recorder::flush() {
  impl_->guarded([&] { impl_->flush(false); });
}

void Recorder::finish(const std::string& status, const std::string& message) {
  impl_->guarded([&] {
    for (char c : status) impl_->status.put(static_cast<std::uint8_t>(c));
    for (char c : message) impl_->message.put(static_cast<std::uint8_t>(c));
    impl_->flush(true);
    impl_->close();
    impl_->closed = true;
    std::error_code error;
    std::filesystem::rename(impl_->path, impl_->final_path, error);
    if (error)
      throw InputError("cannot rename " + impl_->path + " to " + impl_->final_path + ": " + error.message());
    impl_->path = impl_->final_path;
  });
}

const std::string& Recorder::path() const {
  return impl_->path;
}

}  // namespace delassus
