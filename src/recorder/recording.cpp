// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <new>

#include "delassus/base/error.hpp"
#include "delassus/recorder/hdf5_file.hpp"

namespace delassus {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(path + ": not a usable recording: " + why);
}

Vector3 triple(const std::vector<double>& values, std::size_t row) {
  return Vector3::Map(values.data() + 3 * row);
}

// An enumerator that the file gives by number.
template <class Enum>
Enum checked(std::int64_t value, Enum last, const char* what, const std::string& path) {
  if (value < 0 || value > static_cast<std::int64_t>(last))
    refuse(path, fmt::format("{} {} is not in 0 … {}", what, value, static_cast<std::int64_t>(last)));
  return static_cast<Enum>(value);
}

// Tables that grow together; as many rows count as all of them have.
class Tables {
 public:
  Tables(const Hdf5File& file, const std::string& group, std::int64_t rows)
      : file_(file), group_(group), rows_(rows) {}

  void limit(const std::string& name, const std::vector<std::int64_t>& row_shape) {
    const Hdf5Dataset table = file_.open_dataset(group_ + "/" + name);
    const std::vector<std::int64_t>& shape = table.shape();
    if (!std::equal(shape.begin() + 1, shape.end(), row_shape.begin(), row_shape.end()))
      refuse(file_.path(), group_ + "/" + name + " has rows of an unexpected shape");
    rows_ = std::min(rows_, table.rows());
  }
  void limit(std::int64_t rows) { rows_ = rows; }
  std::int64_t rows() const { return rows_; }

  template <class T>
  std::vector<T> read(const std::string& name) const {
    return file_.open_dataset(group_ + "/" + name).read<T>(rows_);
  }
  // Rows as columns.
  Matrix matrix(const std::string& name) const {
    const Hdf5Dataset table = file_.open_dataset(group_ + "/" + name);
    Matrix values(table.row_size(), rows_);
    table.read_rows(Hdf5Type::float64, values.data(), rows_);
    return values;
  }

 private:
  const Hdf5File& file_;
  std::string group_;
  std::int64_t rows_;
};

std::string read_bytes(const Hdf5File& file, const std::string& name) {
  const Hdf5Dataset dataset = file.open_dataset(name);
  const std::vector<std::uint8_t> bytes = dataset.read<std::uint8_t>(dataset.rows());
  return {bytes.begin(), bytes.end()};
}

// The first versions that have them.
constexpr std::int64_t k_joint_outputs = 2, k_contact_normals = 3, k_couples = 4, k_energy_errors = 5,
                       k_deepest = 6;

// The version of the format.
std::int64_t read_meta(const Hdf5File& file, Recording& recording) {
  const std::int64_t version = file.read_integer_attribute("/meta", "format_version");
  if (version < 1 || version > k_recording_format)
    refuse(file.path(),
           fmt::format("its format version is {}; this program reads 1 … {}", version, k_recording_format));
  RunInfo& info = recording.info;
  info.program = file.read_text_attribute("/meta", "program");
  info.title = file.read_text_attribute("/meta", "title");
  info.description = file.read_text_attribute("/meta", "description");
  info.scene_text = file.read_text("/meta/scene_text");
  const std::vector<std::string> names = file.read_texts("/meta/setting_names");
  const std::vector<std::string> values = file.read_texts("/meta/setting_values");
  if (names.size() != values.size()) refuse(file.path(), "settings without names");
  for (std::size_t i = 0; i < names.size(); ++i) info.settings.emplace_back(names[i], values[i]);
  recording.body_names = file.read_texts("/meta/body_names");
  recording.body_centers.assign(recording.body_names.size(), Vector3::Zero());
  if (version >= k_couples) {
    const Hdf5Dataset dataset = file.open_dataset("/meta/body_centers");
    const std::vector<double> centers = dataset.read<double>(dataset.rows());
    if (centers.size() != 3 * recording.body_names.size())
      refuse(file.path(), "bodies without centres of mass");
    for (std::size_t i = 0; i < recording.body_centers.size(); ++i)
      recording.body_centers[i] = triple(centers, i);
  }
  recording.coordinate_names = file.read_texts("/meta/coordinate_names");
  recording.joint_names = file.read_texts("/meta/joint_names");
  if (version >= k_joint_outputs) {
    recording.joint_coordinate_names = file.read_texts("/meta/joint_coordinate_names");
    recording.joint_coordinate_units = file.read_texts("/meta/joint_coordinate_units");
    recording.reaction_names = file.read_texts("/meta/reaction_names");
    if (recording.joint_coordinate_names.size() != recording.joint_coordinate_units.size())
      refuse(file.path(), "joint coordinates without units");
  }
  return version;
}

void read_contacts(const Hdf5File& file, std::int64_t version, std::int64_t rows, Recording& recording) {
  Tables tables(file, "/contacts", rows);
  const auto id = tables.read<std::uint64_t>("id");
  const auto status = tables.read<std::uint8_t>("status");
  const auto gap = tables.read<double>("gap");
  const auto impulse = tables.read<double>("impulse");
  const auto velocity = tables.read<double>("velocity");
  const auto point = tables.read<double>("point");
  const auto force = tables.read<double>("force");
  const auto normal = version >= k_contact_normals
                          ? tables.read<double>("normal")
                          : std::vector<double>(3 * id.size(), std::numeric_limits<double>::quiet_NaN());
  const auto couple =
      version >= k_couples ? tables.read<double>("couple") : std::vector<double>(3 * id.size(), 0.0);
  recording.contacts.resize(id.size());
  for (std::size_t i = 0; i < id.size(); ++i)
    recording.contacts[i] = {id[i],
                             checked(status[i], ContactStatus::slip, "a contact's status", file.path()),
                             gap[i],
                             triple(impulse, i),
                             triple(velocity, i),
                             triple(point, i),
                             triple(normal, i),
                             triple(force, i),
                             triple(couple, i)};
}

// How many contact rows are there to be read.
std::int64_t contact_rows(const Hdf5File& file, std::int64_t version, std::int64_t committed) {
  Tables tables(file, "/contacts", committed);
  for (const char* name : {"id", "status", "gap"}) tables.limit(name, {});
  for (const char* name : {"impulse", "velocity", "point", "force"}) tables.limit(name, {3});
  if (version >= k_contact_normals) tables.limit("normal", {3});
  if (version >= k_couples) tables.limit("couple", {3});
  return tables.rows();
}

void read_solver(const Tables& frames, std::int64_t version, const std::string& path, Recording& recording) {
  const Matrix residuals = frames.matrix("certificate");
  const auto solver = frames.read<std::int64_t>("solver");
  const auto worst = frames.read<std::uint64_t>("worst_contact");
  const auto deepest = version >= k_deepest ? frames.read<std::uint64_t>("deepest_contact")
                                            : std::vector<std::uint64_t>(worst.size(), k_no_contact);
  const auto count = static_cast<std::size_t>(frames.rows());
  recording.certificate.resize(count);
  recording.substeps.resize(count);
  recording.rejected.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto r = residuals.col(static_cast<Eigen::Index>(i));
    std::array<int, 8> s;
    for (std::size_t k = 0; k < s.size(); ++k) s[k] = static_cast<int>(solver[s.size() * i + k]);
    Certificate& certificate = recording.certificate[i];
    certificate.status = checked(s[0], SolveStatus::inexact, "a solver's status", path);
    certificate.momentum_residual = r[0];
    certificate.joint_residual = r[1];
    certificate.contact_residual = r[2];
    certificate.joint_drift = r[3];
    certificate.velocity_drift = r[4];
    certificate.penetration = r[5];
    if (r.size() == k_certificate_numbers) {
      certificate.joint_turn = r[6];
      certificate.stop_excess = r[7];
    }
    certificate.iterations = s[1];
    certificate.solves = s[2];
    recording.substeps[i] = s[3];
    recording.rejected[i] = s[4];
    certificate.redundant_joint_rows = s[5];
    certificate.worst_joint_row = s[6];
    certificate.has_worst_contact = s[7] != 0;
    certificate.worst_contact = worst[i];
    certificate.deepest_contact = deepest[i];
  }
}

void read_frames(const Hdf5File& file, std::int64_t version, std::int64_t committed,
                 std::int64_t committed_contacts, Recording& recording) {
  const bool has_joint_outputs = version >= k_joint_outputs;
  const auto nq = static_cast<std::int64_t>(recording.coordinate_names.size());
  const std::int64_t nv = file.open_dataset("/frames/v").row_size();
  const auto nb = static_cast<std::int64_t>(recording.body_names.size());
  const auto nj = static_cast<std::int64_t>(recording.joint_names.size());
  Tables frames(file, "/frames", committed);
  for (const char* name : {"time", "step", "step_length", "worst_contact", "contact_first", "contact_count"})
    frames.limit(name, {});
  if (version >= k_deepest) frames.limit("deepest_contact", {});
  frames.limit("q", {nq});
  frames.limit("v", {nv});
  frames.limit("weighted_velocity", {nv});
  frames.limit("bodies", {nb, k_body_numbers});
  frames.limit("joint_impulses", {nj});
  if (has_joint_outputs) {
    frames.limit("joint_coordinates", {recording.num_joint_coordinates(), 2});
    frames.limit("reactions", {recording.num_reactions(), k_reaction_numbers});
  }
  const bool has_errors = version >= k_energy_errors;
  frames.limit("energy", {has_errors ? k_energy_numbers : 7});
  frames.limit("certificate", {has_errors ? k_certificate_numbers : 6});
  frames.limit("solver", {8});

  // Frames count as long as all their contacts are there, one frame's after the other's.
  const std::int64_t contacts = contact_rows(file, version, committed_contacts);
  const auto first = frames.read<std::int64_t>("contact_first");
  const auto count = frames.read<std::int64_t>("contact_count");
  recording.contact_starts.assign(1, 0);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != end || count[i] < 0 || count[i] > contacts - end) break;
    end += count[i];
    recording.contact_starts.push_back(static_cast<std::size_t>(end));
  }
  frames.limit(static_cast<std::int64_t>(recording.contact_starts.size()) - 1);
  if (frames.rows() <= 0) refuse(file.path(), "it has no frame yet");
  if (frames.rows() > std::numeric_limits<int>::max()) refuse(file.path(), "too many frames");
  read_contacts(file, version, end, recording);

  recording.time = frames.read<double>("time");
  recording.step = frames.read<std::int64_t>("step");
  recording.step_length = frames.read<double>("step_length");
  recording.q = frames.matrix("q");
  recording.v = frames.matrix("v");
  recording.weighted_velocity = frames.matrix("weighted_velocity");
  recording.joint_impulses = frames.matrix("joint_impulses");
  recording.bodies = frames.read<double>("bodies");
  Matrix coordinates(0, frames.rows());  // value, rate, value, rate, …
  if (has_joint_outputs) {
    coordinates = frames.matrix("joint_coordinates");
    recording.reactions = frames.read<double>("reactions");
  }
  recording.joint_values = coordinates(Eigen::seqN(0, recording.num_joint_coordinates(), 2), Eigen::all);
  recording.joint_rates = coordinates(Eigen::seqN(1, recording.num_joint_coordinates(), 2), Eigen::all);
  const Matrix energy = frames.matrix("energy");
  for (const auto& e : energy.colwise())
    recording.energy.push_back({.kinetic = e[0],
                                .potential = e[1],
                                .work = e[2],
                                .friction = e[3],
                                .impact = e[4],
                                .driven = has_errors ? e[7] : 0,
                                .normal = has_errors ? e[8] : 0,
                                .joints = has_errors ? e[9] : 0,
                                .projection = has_errors ? e[10] : 0,
                                .constraint = e[5],
                                .defect = e[6],
                                .error = has_errors ? e[11] : e[5] + e[6]});
  read_solver(frames, version, file.path(), recording);
}

void read_events(const Hdf5File& file, std::int64_t committed, Recording& recording) {
  Tables tables(file, "/events", committed);
  for (const char* name : {"time", "kind", "contact", "energy_change"}) tables.limit(name, {});
  for (const char* name : {"velocity_before", "velocity_after", "impulse"}) tables.limit(name, {3});
  const auto time = tables.read<double>("time");
  const auto kind = tables.read<std::uint8_t>("kind");
  const auto contact = tables.read<std::uint64_t>("contact");
  const auto before = tables.read<double>("velocity_before");
  const auto after = tables.read<double>("velocity_after");
  const auto impulse = tables.read<double>("impulse");
  const auto energy_change = tables.read<double>("energy_change");
  recording.events.resize(time.size());
  for (std::size_t i = 0; i < time.size(); ++i)
    recording.events[i] = {
        time[i],          checked(kind[i], EventKind::reduced, "an event's kind", file.path()),
        contact[i],       triple(before, i),
        triple(after, i), triple(impulse, i),
        energy_change[i]};
}

void read_contact_names(const Hdf5File& file, std::int64_t version, std::int64_t committed,
                        Recording& recording) {
  Tables tables(file, "/contact_names", committed);
  tables.limit("id", {});
  tables.limit("length", {});
  if (version >= k_contact_normals) tables.limit("bodies", {2});
  const auto id = tables.read<std::uint64_t>("id");
  const auto length = tables.read<std::int64_t>("length");
  const auto bodies = version >= k_contact_normals ? tables.read<std::int64_t>("bodies")
                                                   : std::vector<std::int64_t>(2 * id.size(), -1);
  const auto body = [&](std::size_t i) {
    if (bodies[i] < -1 || bodies[i] >= recording.num_bodies())
      refuse(file.path(), fmt::format("a contact of body {}, which is not there", bodies[i]));
    return static_cast<int>(bodies[i]);
  };
  const std::string text = read_bytes(file, "/contact_names/text");
  std::size_t begin = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (length[i] < 0 || static_cast<std::size_t>(length[i]) > text.size() - begin) break;
    recording.contact_labels.push_back(
        {id[i], text.substr(begin, static_cast<std::size_t>(length[i])), {body(2 * i), body(2 * i + 1)}});
    begin += static_cast<std::size_t>(length[i]);
  }
  std::sort(recording.contact_labels.begin(), recording.contact_labels.end(),
            [](const ContactLabel& a, const ContactLabel& b) { return a.id < b.id; });
}

std::string find_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (!std::filesystem::exists(path, error))
      throw InputError("cannot open " + path + ": it does not exist");
    return path;
  }
  for (const char* name : {"recording.h5.part", "recording.h5"}) {
    const std::filesystem::path file = std::filesystem::path(path) / name;
    if (std::filesystem::exists(file, error)) return file.string();
  }
  throw InputError(path + ": no recording.h5 in this directory");
}

Recording read(const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  if (!file.contains("/meta")) refuse(path, "it has no group /meta");
  if (!file.contains("/committed")) refuse(path, "it has no frame yet");
  Recording recording;
  const std::int64_t version = read_meta(file, recording);
  const Hdf5Dataset dataset = file.open_dataset("/committed");
  if (dataset.shape() != std::vector<std::int64_t>{5}) refuse(path, "/committed is not 5 numbers");
  std::vector<std::int64_t> committed = dataset.read<std::int64_t>(5);
  for (std::int64_t& count : committed) count = std::max<std::int64_t>(count, 0);
  read_frames(file, version, committed[0], committed[1], recording);
  read_events(file, committed[2], recording);
  read_contact_names(file, version, committed[3], recording);
  recording.complete = committed[4] == 1;
  if (recording.complete) {
    recording.status = read_bytes(file, "/end/status");
    recording.message = read_bytes(file, "/end/message");
  }
  return recording;
}

}  // namespace

BodyMotion Recording::body(int frame, int i) const {
  const double* x =
      bodies.data() + (static_cast<std::size_t>(frame) * body_names.size() + i) * k_body_numbers;
  return {Vector3::Map(x), Eigen::Vector4d::Map(x + 3), Vector3::Map(x + 7), Vector3::Map(x + 10)};
}

JointReaction Recording::reaction(int frame, int i) const {
  const double* x =
      reactions.data() + (static_cast<std::size_t>(frame) * reaction_names.size() + i) * k_reaction_numbers;
  return {Vector3::Map(x), Vector3::Map(x + 3)};
}

std::span<const RecordedContact> Recording::contacts_at(int frame) const {
  return std::span(contacts).subspan(contact_starts[frame],
                                     contact_starts[frame + 1] - contact_starts[frame]);
}

const ContactLabel* Recording::find_contact(ContactId id) const {
  const auto it =
      std::lower_bound(contact_labels.begin(), contact_labels.end(), id,
                       [](const ContactLabel& label, ContactId wanted) { return label.id < wanted; });
  return it != contact_labels.end() && it->id == id ? &*it : nullptr;
}

std::string Recording::contact_name(ContactId id) const {
  const ContactLabel* label = find_contact(id);
  return label != nullptr ? label->name : fmt::format("contact {}", id);
}

std::array<std::string, 2> Recording::contact_body_names(ContactId id) const {
  const ContactLabel* label = find_contact(id);
  if (label == nullptr || label->bodies == ContactBodies{}) return {};
  const auto name = [&](int body) { return body < 0 ? "world" : body_names[body]; };
  return {name(label->bodies.a), name(label->bodies.b)};
}

Recording read_recording(const std::string& path_or_directory) {
  const std::string path = find_file(path_or_directory);
  try {
    return read(path);
  } catch (const std::bad_alloc&) {
    refuse(path, "it does not fit into memory");
  } catch (const std::length_error&) {
    refuse(path, "it does not fit into memory");
  }
}

}  // namespace delassus
