// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/recorder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <utility>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/io/csv.hpp"
#include "delassus/recorder/hdf5_file.hpp"
#include "delassus/recorder/recording.hpp"

namespace delassus::recorder_test {
namespace {

namespace fs = std::filesystem;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr ContactId k_far_id = 0xfedcba9876543210u;  // needs all 64 bits

// Two bodies, one joint with a slide and an angle, the contacts 7 and k_far_id; nothing moves but what the test writes
// into states.
class FakeSystem : public System {
 public:
  explicit FakeSystem(int num_coordinates = 4) : nq_(num_coordinates) {}
  int nq() const override { return nq_; }
  int nv() const override { return 4; }
  std::string coordinate_name(int i) const override { return "c" + std::to_string(i); }
  std::string joint_name(int row) const override { return "rod, row " + std::to_string(row); }
  std::string contact_name(ContactId id) const override { return id == 7 ? "µ-contact \"7\"" : "far"; }
  void retract(const VectorRef& q, const VectorRef&, Vector& out) const override { out = q; }
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override { w = q1 - q0; }
  void mass(const Configuration&, BlockMatrix& M) const override { M.clear(4); }
  void forces(const Configuration&, const VectorRef&, Vector& k) const override { k.setZero(4); }
  void force_jacobians(const Configuration&, const VectorRef&, ForceJacobians&) const override {}
  double potential_energy(const Configuration&) const override { return 0; }
  double nonconservative_power(const Configuration&, const VectorRef&) const override { return 0; }
  using Dynamics::bilateral;
  void bilateral(const Configuration&, BilateralRows& out) const override {
    out.rows.clear(4);
    out.rows.add_group(1);
    out.rows.add_block(0, 4);
    out.num_holonomic = 1;
  }
  void bilateral_bias(const Configuration&, const VectorRef&, Vector& bias) const override {
    bias.setZero(1);
  }
  void add_bilateral_stiffness(const Configuration&, const VectorRef&, double, BlockMatrix&) const override {}
  bool has_contacts() const override { return true; }
  // Where the contact is at the end of a step.
  ContactPlace place(ContactId id, double t, const VectorRef& q) const {
    ContactPlace out{.bodies = contact_bodies(id)};
    out.point_a = out.point_b = {q[0], t, id == 7 ? 7.0 : 0.1};
    out.frame << 0, 1, 0, 0, 0, 1, 1, 0, 0;  // normal z, tangents x and y
    return out;
  }
  ContactBodies contact_bodies(ContactId id) const override {
    return id == 7 ? ContactBodies{-1, 1} : ContactBodies{1, 0};
  }
  int num_bodies() const override { return 2; }
  std::string body_name(int i) const override { return i == 0 ? "ball, \"red\"" : "wand"; }
  void body_motions(double t, const VectorRef& q, const VectorRef& v,
                    std::vector<BodyMotion>& out) const override {
    out.assign(2, {});
    for (int i = 0; i < 2; ++i) {
      out[i].position = {q[2 * i], t, q[2 * i + 1]};
      out[i].orientation = {std::cos(t), std::sin(t), -0.0, 0.1 * i};
      out[i].velocity = {v[2 * i], 1.0 / 3.0, v[2 * i + 1]};
      out[i].angular_velocity = {t, 5e-324, -1e300};
    }
  }
  int num_joint_coordinates() const override { return 2; }
  std::string joint_coordinate_name(int i) const override { return i == 0 ? "rod, 1.slide" : "rod, 1.angle"; }
  bool joint_coordinate_is_angle(int i) const override { return i == 1; }
  void joint_coordinates(double t, const VectorRef& q, const VectorRef& v, Vector& values,
                         Vector& rates) const override {
    values = Vector{{q[1], 100 * t}};
    rates = Vector{{v[0], -0.0}};
  }
  int num_reactions() const override { return 2; }
  std::string reaction_name(int i) const override { return i == 0 ? "rod, 1" : "pin"; }
  void reactions(double t, const VectorRef& q, const VectorRef&, const VectorRef& lambda,
                 std::vector<JointReaction>& out) const override {
    out = {{{lambda[0], 1.0 / 3.0, t}, {q[0], -0.0, 1e300}}, {{0, 0, -lambda[0]}, {5e-324, q[1], 7}}};
  }

 private:
  int nq_;
};

RunInfo example_info() {
  return {"A title", "Größe µ", "delassus 0.1.0", "bodies:\n  - ball\n", {{"step", "1e-3"}, {"law", ""}}};
}

// State and report after step i, with numbers that only exact storage keeps.
State example_state(int i, int nq = 4) {
  State state;
  state.t = 0.1 * i;
  state.q.resize(nq);
  for (int k = 0; k < nq; ++k) state.q[k] = std::sin(1.0 + i + 10.0 * k);
  state.v = Vector{{i / 3.0, -0.0, 5e-324, 1e308}};
  state.history.num_steps = static_cast<std::uint64_t>(i);
  if (i > 0) state.history.weighted_velocity = Vector{{1.0 / (i + 1), 2, 3, 4}};
  return state;
}

EnergyReport example_energy(int i) {
  return {.kinetic = 1.0 + i,
          .potential = 2.0 / 3,
          .work = -0.1 * i,
          .friction = -0.2,
          .impact = -0.3,
          .driven = 0.7 * i,
          .normal = 0.1 * i,
          .joints = -0.4,
          .projection = 1e-9,
          .constraint = 1e-17,
          .defect = 1e-12 * i,
          .error = 2e-12 * i};
}

StepReport example_report(int i) {
  StepReport report;
  report.t_begin = 0.1 * (i - 1);
  report.t_end = 0.1 * i;
  report.substeps = i + 1;
  report.rejected = i / 2;
  report.energy = example_energy(i);
  report.joint_impulses = Vector{{std::exp(-i)}};
  if (i != 2) report.joint_forces = Vector{{std::exp(-i) / 0.1}};  // step 2: not known
  report.certificate = {.status = SolveStatus::converged,
                        .momentum_residual = 1e-16 * i,
                        .joint_residual = 2e-16,
                        .contact_residual = 3e-16,
                        .joint_drift = 4e-12,
                        .joint_turn = 7e-12,
                        .velocity_drift = 5e-12,
                        .penetration = 6e-12,
                        .stop_excess = 8e-12,
                        .relative_depth = i % 2 == 0 ? 1e-11 : 0,
                        .deepest_contact = k_far_id,
                        .worst_joint_row = i % 2 - 1,
                        .has_worst_contact = i % 2 == 1,
                        .worst_contact = i % 2 == 1 ? k_far_id : 0,
                        .iterations = 10 * i,
                        .solves = 2,
                        .redundant_joint_rows = i % 3};
  // No, one, two contacts in turn.
  for (ContactId id : {ContactId{7}, k_far_id}) {
    if (static_cast<int>(report.contacts.size()) >= i % 3) break;
    report.contacts.push_back({id, i % 2 == 0 ? ContactStatus::stick : ContactStatus::slip, 0.01 * i,
                               Vector3(0.1 * i, 0.2, -0.3), Vector3::Zero(), Vector3(0, 1.0 / 7, k_nan),
                               FakeSystem().place(id, 0.1 * i, example_state(i).q)});
  }
  if (i % 2 == 1)
    report.events.push_back({0.1 * i - 0.05, EventKind::impact, 7, Vector3(-1, 0.1, 0.2),
                             Vector3(0.5, 0.1, 0), Vector3(3, 1.0 / 3, 0), -0.125 * i});
  if (i % 4 == 3)
    report.events.push_back({.time = 0.1 * i, .kind = EventKind::fallback, .contact = k_far_id});
  return report;
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class A, class B>
bool same_bits(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (a.size() != b.size()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!same_bits(double{a[i]}, double{b[i]})) return false;
  return true;
}

void expect_unknown_reactions(const Recording& r, int f) {
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(r.reaction(f, k).force.array().isNaN().all());
    EXPECT_TRUE(r.reaction(f, k).torque.array().isNaN().all());
  }
}

// Frame `f` of the recording is what the recorder was given after step i.
void expect_frame(const Recording& r, int f, int i, int nq = 4) {
  SCOPED_TRACE("frame " + std::to_string(f));
  const FakeSystem system(nq);
  const State state = example_state(i, nq);
  const StepReport report = example_report(i);
  EXPECT_TRUE(same_bits(r.time[f], state.t));
  EXPECT_EQ(r.step[f], i);
  EXPECT_TRUE(same_bits(r.q.col(f), state.q));
  EXPECT_TRUE(same_bits(r.v.col(f), state.v));
  std::vector<BodyMotion> motions;
  system.body_motions(state.t, state.q, state.v, motions);
  for (int b = 0; b < 2; ++b) {
    const BodyMotion m = r.body(f, b);
    EXPECT_TRUE(same_bits(m.position, motions[b].position));
    EXPECT_TRUE(same_bits(m.orientation, motions[b].orientation));
    EXPECT_TRUE(same_bits(m.velocity, motions[b].velocity));
    EXPECT_TRUE(same_bits(m.angular_velocity, motions[b].angular_velocity));
  }
  Vector values, rates;
  system.joint_coordinates(state.t, state.q, state.v, values, rates);
  EXPECT_TRUE(same_bits(r.joint_values.col(f), values));
  EXPECT_TRUE(same_bits(r.joint_rates.col(f), rates));
  const EnergyReport e = r.energy[f], e0 = example_energy(i);
  const auto numbers = [](const EnergyReport& x) {
    return Vector{{x.kinetic, x.potential, x.work, x.friction, x.impact, x.driven, x.normal, x.joints,
                   x.projection, x.constraint, x.defect, x.error}};
  };
  EXPECT_TRUE(same_bits(numbers(e), numbers(e0)));
  const Certificate c = r.certificate[f], c0 = i == 0 ? Certificate{} : report.certificate;
  EXPECT_EQ(c.status, c0.status);
  EXPECT_EQ(c.momentum_residual, c0.momentum_residual);
  EXPECT_EQ(c.joint_residual, c0.joint_residual);
  EXPECT_EQ(c.contact_residual, c0.contact_residual);
  EXPECT_EQ(c.joint_drift, c0.joint_drift);
  EXPECT_EQ(c.joint_turn, c0.joint_turn);
  EXPECT_EQ(c.stop_excess, c0.stop_excess);
  EXPECT_EQ(c.velocity_drift, c0.velocity_drift);
  EXPECT_EQ(c.penetration, c0.penetration);
  EXPECT_EQ(c.worst_joint_row, c0.worst_joint_row);
  EXPECT_EQ(c.has_worst_contact, c0.has_worst_contact);
  EXPECT_EQ(c.worst_contact, c0.worst_contact);
  EXPECT_EQ(c.deepest_contact, i > 0 && i % 2 == 0 ? k_far_id : k_no_contact);
  EXPECT_EQ(c.iterations, c0.iterations);
  EXPECT_EQ(c.solves, c0.solves);
  EXPECT_EQ(c.redundant_joint_rows, c0.redundant_joint_rows);
  if (i == 0) {
    EXPECT_TRUE(r.weighted_velocity.col(f).array().isNaN().all());
    EXPECT_TRUE(r.joint_impulses.col(f).array().isNaN().all());
    expect_unknown_reactions(r, f);
    EXPECT_TRUE(std::isnan(r.step_length[f]));
    EXPECT_EQ(r.substeps[f], 0);
    EXPECT_TRUE(r.contacts_at(f).empty());
    return;
  }
  const double h = report.t_end - report.t_begin;
  EXPECT_TRUE(same_bits(r.step_length[f], h));
  EXPECT_TRUE(same_bits(r.weighted_velocity.col(f), state.history.weighted_velocity));
  EXPECT_TRUE(same_bits(r.joint_impulses.col(f), report.joint_impulses));
  if (report.joint_forces.size() == 0) {
    expect_unknown_reactions(r, f);
  } else {
    std::vector<JointReaction> reactions;
    system.reactions(state.t, state.q, state.v, report.joint_forces, reactions);
    for (int k = 0; k < 2; ++k) {
      EXPECT_TRUE(same_bits(r.reaction(f, k).force, reactions[k].force));
      EXPECT_TRUE(same_bits(r.reaction(f, k).torque, reactions[k].torque));
    }
  }
  EXPECT_EQ(r.substeps[f], report.substeps);
  EXPECT_EQ(r.rejected[f], report.rejected);
  ASSERT_EQ(r.contacts_at(f).size(), report.contacts.size());
  for (std::size_t k = 0; k < report.contacts.size(); ++k) {
    const RecordedContact& a = r.contacts_at(f)[k];
    const ContactReport& b = report.contacts[k];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.status, b.status);
    EXPECT_TRUE(same_bits(a.gap, b.gap));
    EXPECT_TRUE(same_bits(a.impulse, b.impulse));
    EXPECT_TRUE(same_bits(a.velocity, b.velocity));
    EXPECT_TRUE(same_bits(a.point, b.place.point()));
    EXPECT_EQ(a.normal, Vector3::UnitZ());
    EXPECT_EQ(a.force, Vector3(b.impulse[1] / h, b.impulse[2] / h, b.impulse[0] / h));
  }
}

// The events of steps 1 … n.
void expect_events(const Recording& r, int n) {
  std::vector<Event> expected;
  for (int i = 1; i <= n; ++i)
    for (const Event& event : example_report(i).events) expected.push_back(event);
  ASSERT_EQ(r.events.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Event &a = r.events[k], &b = expected[k];
    EXPECT_TRUE(same_bits(a.time, b.time));
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.contact, b.contact);
    EXPECT_TRUE(same_bits(a.velocity_before, b.velocity_before));
    EXPECT_TRUE(same_bits(a.velocity_after, b.velocity_after));
    EXPECT_TRUE(same_bits(a.impulse, b.impulse));
    EXPECT_TRUE(same_bits(a.energy_change, b.energy_change));
  }
}

// The message of the InputError that `call` throws; "" when it throws none.
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    std::string name = (fs::temp_directory_path() / "delassus-test-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~RecorderTest() override { fs::remove_all(directory_); }
  std::string file(const std::string& name) const { return (fs::path(directory_) / name).string(); }
  // Steps 0 … n.
  void record(int n, RecorderOptions options = {}, int nq = 4) const {
    const FakeSystem system(nq);
    Recorder recorder(directory_, system, example_info(), options);
    recorder.record_initial(example_state(0, nq), example_energy(0));
    for (int i = 1; i <= n; ++i) recorder.record(example_state(i, nq), example_report(i), i == n);
    recorder.finish("done", "n = " + std::to_string(n));
  }

  std::string directory_;
};

TEST_F(RecorderTest, KeepsEveryBit) {
  record(20);
  EXPECT_FALSE(fs::exists(file("recording.h5.part")));
  for (const std::string& path : {directory_, file("recording.h5")}) {
    const Recording r = read_recording(path);
    EXPECT_EQ(r.info, example_info());
    EXPECT_TRUE(r.complete);
    EXPECT_EQ(r.status, "done");
    EXPECT_EQ(r.message, "n = 20");
    EXPECT_EQ(r.body_names, (std::vector<std::string>{"ball, \"red\"", "wand"}));
    EXPECT_EQ(r.coordinate_names, (std::vector<std::string>{"c0", "c1", "c2", "c3"}));
    EXPECT_EQ(r.joint_names, std::vector<std::string>{"rod, row 0"});
    EXPECT_EQ(r.joint_coordinate_names, (std::vector<std::string>{"rod, 1.slide", "rod, 1.angle"}));
    EXPECT_EQ(r.joint_coordinate_units, (std::vector<std::string>{"m", "rad"}));
    EXPECT_EQ(r.reaction_names, (std::vector<std::string>{"rod, 1", "pin"}));
    EXPECT_EQ(r.contact_labels,
              (std::vector<ContactLabel>{{7, "µ-contact \"7\"", {-1, 1}}, {k_far_id, "far", {1, 0}}}));
    EXPECT_EQ(r.contact_name(8), "contact 8");
    EXPECT_EQ(r.contact_body_names(7), (std::array<std::string, 2>{"world", "wand"}));
    EXPECT_EQ(r.contact_body_names(8), (std::array<std::string, 2>{}));
    ASSERT_EQ(r.num_frames(), 21);
    for (int i = 0; i <= 20; ++i) expect_frame(r, i, i);
    expect_events(r, 20);
  }
}

TEST_F(RecorderTest, FlushesDoNotMatter) {
  record(30, {.flush_seconds = 0});  // a block a frame
  const Recording r = read_recording(directory_);
  ASSERT_EQ(r.num_frames(), 31);
  for (int i = 0; i <= 30; ++i) expect_frame(r, i, i);
  expect_events(r, 30);
}

TEST_F(RecorderTest, ManyFramesFillManyChunks) {
  record(10000, {.flush_seconds = 0.01});
  const Recording r = read_recording(directory_);
  ASSERT_EQ(r.num_frames(), 10001);
  for (int i = 0; i <= 10000; i += 37) expect_frame(r, i, i);
  expect_events(r, 10000);
}

TEST_F(RecorderTest, EachNthStepButAllEvents) {
  record(11, {.every = 4});
  const Recording r = read_recording(directory_);
  ASSERT_EQ(r.num_frames(), 4);
  const int steps[] = {0, 4, 8, 11};  // the last step always
  for (int f = 0; f < 4; ++f) expect_frame(r, f, steps[f]);
  expect_events(r, 11);
}

TEST_F(RecorderTest, MoreCoordinatesThanVelocities) {
  record(3, {}, 7);
  const Recording r = read_recording(directory_);
  for (int i = 0; i <= 3; ++i) expect_frame(r, i, i, 7);
  write_csv(r, directory_);
  const std::string text = read_file(file("coordinates.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n')), "t,q_c0,q_c1,q_c2,q_c3,q_c4,q_c5,q_c6,v_0,v_1,v_2,v_3");
}

TEST_F(RecorderTest, LongTexts) {
  RunInfo info;
  info.scene_text = std::string(300000, 's');
  info.description = std::string(100000, 'd');  // more than a plain attribute can hold
  const FakeSystem system;
  {
    Recorder recorder(directory_, system, info);
    recorder.record_initial(example_state(0), {});
    recorder.finish("failed", std::string(70000, 'm'));
  }
  const Recording r = read_recording(directory_);
  EXPECT_EQ(r.info, info);
  EXPECT_EQ(r.status, "failed");
  EXPECT_EQ(r.message, std::string(70000, 'm'));
}

TEST_F(RecorderTest, ReadableWhileItIsWritten) {
  const FakeSystem system;
  Recorder recorder(directory_, system, example_info(), {.flush_seconds = 1e9});
  EXPECT_EQ(recorder.path(), file("recording.h5.part"));
  recorder.record_initial(example_state(0), example_energy(0));
  recorder.record(example_state(1), example_report(1));
  Recording r = read_recording(directory_);
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.num_frames(), 1);  // not flushed yet
  recorder.flush();
  r = read_recording(directory_);
  ASSERT_EQ(r.num_frames(), 2);
  expect_frame(r, 1, 1);
  recorder.record(example_state(2), example_report(2));
  recorder.finish("done", "");
  EXPECT_EQ(recorder.path(), file("recording.h5"));
  EXPECT_EQ(read_recording(directory_).num_frames(), 3);
  EXPECT_NE(error_of([&] { recorder.record(example_state(3), example_report(3)); }), "");
}

TEST_F(RecorderTest, WithoutFinishThePartFileStays) {
  const FakeSystem system;
  {
    Recorder recorder(directory_, system, example_info(), {.flush_seconds = 1e9});
    recorder.record_initial(example_state(0), example_energy(0));
    recorder.record(example_state(1), example_report(1));
  }
  EXPECT_FALSE(fs::exists(file("recording.h5")));
  const Recording r = read_recording(directory_);
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.status, "");
  ASSERT_EQ(r.num_frames(), 2);
  expect_frame(r, 1, 1);
  // A later run in the same directory takes its place.
  record(3);
  EXPECT_FALSE(fs::exists(file("recording.h5.part")));
  EXPECT_EQ(read_recording(directory_).num_frames(), 4);
}

TEST_F(RecorderTest, KilledRunIsReadable) {
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const FakeSystem system;
      Recorder recorder(directory_, system, example_info(), {.flush_seconds = 0});
      recorder.record_initial(example_state(0), example_energy(0));
      for (int i = 1;; ++i) {
        recorder.record(example_state(i), example_report(i));
        if (i == 5 + 100 * round && write(ready[1], "r", 1) != 1) _exit(1);
      }
    }
    close(ready[1]);
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    usleep(static_cast<useconds_t>(137 * round));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    EXPECT_FALSE(fs::exists(file("recording.h5")));
    for (const std::string& path : {directory_, file("recording.h5.part")}) {
      const Recording r = read_recording(path);
      EXPECT_FALSE(r.complete);
      EXPECT_EQ(r.info, example_info());
      ASSERT_GE(r.num_frames(), 5 + 100 * round);
      for (int i = 0; i < r.num_frames(); ++i) expect_frame(r, i, i);
      expect_events(r, r.num_frames() - 1);
      EXPECT_EQ(r.contact_labels.size(), 2u);
    }
  }
}

// Of a process of its own: a limit on the size of files stands in for a full disk.
[[noreturn]] void record_until_the_disk_is_full(const std::string& directory) {
  std::signal(SIGXFSZ, SIG_IGN);
  const FakeSystem system;
  std::string message;
  bool closed = false;
  {
    Recorder recorder(directory, system, example_info(), {.flush_seconds = 0});
    recorder.record_initial(example_state(0), example_energy(0));
    for (int i = 1; i <= 10; ++i) recorder.record(example_state(i), example_report(i));
    const rlimit limit{fs::file_size(recorder.path()) + 20000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    message = error_of([&] {
      for (int i = 11; i <= 100000; ++i) recorder.record(example_state(i), example_report(i));
    });
    closed = !error_of([&] { recorder.finish("done", ""); }).empty();
  }
  const bool named = message.find("recording.h5.part: File too large") != std::string::npos;
  std::exit(named && closed ? 0 : 1);  // HDF5 must not stumble over the file at exit
}

TEST_F(RecorderTest, FullDiskIsReported) {
  // The program starts anew for the process (threads do not survive a fork) and comes to this place with the directory of
  // the first one.
  constexpr const char* variable = "DELASSUS_TEST_FULL_DISK";
  if (const char* given = std::getenv(variable)) {
    fs::remove_all(directory_);
    directory_ = given;
  }
  ASSERT_EQ(setenv(variable, directory_.c_str(), 1), 0);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(record_until_the_disk_is_full(directory_), ::testing::ExitedWithCode(0), "");
  unsetenv(variable);
  const Recording r = read_recording(directory_);
  EXPECT_FALSE(r.complete);
  ASSERT_GE(r.num_frames(), 11);
  for (int i = 0; i < r.num_frames(); ++i) expect_frame(r, i, i);
}

// Copies a recording but for what versions beyond `content` have; it says that it is of `version`.
class OlderFile {
 public:
  OlderFile(const std::string& from, const std::string& to, int content, std::int64_t version)
      : from_(Hdf5File::open(from)), to_(Hdf5File::create(to)) {
    for (const char* group : {"/meta", "/end", "/frames", "/contacts", "/events", "/contact_names"})
      to_.create_group(group);
    to_.write_attribute("/meta", "format_version", version);
    for (const char* name : {"program", "title", "description"})
      to_.write_attribute("/meta", name, from_.read_text_attribute("/meta", name));
    to_.write_text("/meta/scene_text", from_.read_text("/meta/scene_text"));
    for (const char* name :
         {"setting_names", "setting_values", "body_names", "coordinate_names", "joint_names"})
      to_.write_texts(std::string("/meta/") + name, from_.read_texts(std::string("/meta/") + name));
    if (content >= 2) {
      for (const char* name : {"joint_coordinate_names", "joint_coordinate_units", "reaction_names"})
        to_.write_texts(std::string("/meta/") + name, from_.read_texts(std::string("/meta/") + name));
      copy<double>("/frames", {"joint_coordinates", "reactions"});
    }
    copy<std::uint8_t>("/end", {"status", "message"});
    copy<double>("/frames",
                 {"time", "step_length", "q", "v", "weighted_velocity", "bodies", "joint_impulses"});
    // Versions before 5 have the first columns of these.
    copy_columns("energy", content >= 5 ? 12 : 7);
    copy_columns("certificate", content >= 5 ? 8 : 6);
    copy<std::int64_t>("/frames", {"step", "solver", "contact_first", "contact_count"});
    copy<std::uint64_t>("/frames", {"worst_contact"});
    copy<std::uint64_t>("/contacts", {"id"});
    copy<std::uint8_t>("/contacts", {"status"});
    copy<double>("/contacts", {"gap", "impulse", "velocity", "point", "force"});
    copy<double>("/events", {"time", "velocity_before", "velocity_after", "impulse", "energy_change"});
    copy<std::uint8_t>("/events", {"kind"});
    copy<std::uint64_t>("/events", {"contact"});
    copy<std::uint64_t>("/contact_names", {"id"});
    copy<std::int64_t>("/contact_names", {"length"});
    copy<std::uint8_t>("/contact_names", {"text"});
    Hdf5Dataset committed = to_.create_array("/committed", Hdf5Type::int64, 5);
    committed.overwrite(
        std::span<const std::int64_t>(from_.open_dataset("/committed").read<std::int64_t>(5)));
    committed.close();
    to_.close();
  }

 private:
  void copy_columns(const std::string& name, std::int64_t columns) {
    const Hdf5Dataset source = from_.open_dataset("/frames/" + name);
    const std::vector<double> all = source.read<double>(source.rows());
    std::vector<double> some;
    for (std::int64_t row = 0; row < source.rows(); ++row)
      some.insert(some.end(), all.begin() + row * source.row_size(),
                  all.begin() + row * source.row_size() + columns);
    Hdf5Dataset table = to_.create_table("/frames/" + name, Hdf5Type::float64, {columns});
    table.append(std::span<const double>(some), source.rows());
    table.close();
  }
  template <class T>
  void copy(const std::string& group, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const Hdf5Dataset source = from_.open_dataset(group + "/" + name);
      const std::vector<std::int64_t>& shape = source.shape();
      Hdf5Dataset table =
          to_.create_table(group + "/" + name, k_hdf5_type<T>, {shape.begin() + 1, shape.end()});
      table.append(std::span<const T>(source.read<T>(source.rows())), source.rows());
      table.close();
    }
  }

  Hdf5File from_, to_;
};

TEST_F(RecorderTest, ReadsVersion1) {
  record(5);
  OlderFile(file("recording.h5"), file("older.h5"), 1, 1);
  const Recording r = read_recording(file("older.h5")), now = read_recording(directory_);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.info, example_info());
  ASSERT_EQ(r.num_frames(), 6);
  EXPECT_EQ(r.q, now.q);
  EXPECT_EQ(r.bodies, now.bodies);
  EXPECT_EQ(r.energy[3].defect, now.energy[3].defect);
  EXPECT_EQ(r.energy[3].error, now.energy[3].constraint + now.energy[3].defect);
  EXPECT_EQ(r.certificate[3].penetration, now.certificate[3].penetration);
  expect_events(r, 5);
  EXPECT_EQ(r.num_joint_coordinates(), 0);
  EXPECT_EQ(r.num_reactions(), 0);
  EXPECT_TRUE(r.joint_coordinate_units.empty() && r.reactions.empty());
  EXPECT_EQ(r.joint_values.cols(), 6);
  EXPECT_EQ(r.joint_values.rows(), 0);
  EXPECT_EQ(r.joint_rates.rows(), 0);
  write_csv(r, file("csv"));
  EXPECT_EQ(read_file(file("csv/joints.csv")), "t,name,value,rate\n");
  EXPECT_EQ(read_file(file("csv/reactions.csv")), "t,name,fx,fy,fz,tx,ty,tz\n");
  // A file that claims to be newer than it is, and one of a version to come.
  OlderFile(file("recording.h5"), file("claims.h5"), 1, 2);
  EXPECT_NE(error_of([&] { read_recording(file("claims.h5")); }).find("joint_coordinate"), std::string::npos);
  OlderFile(file("recording.h5"), file("future.h5"), 2, k_recording_format + 1);
  EXPECT_NE(error_of([&] { read_recording(file("future.h5")); }).find("version is 7"), std::string::npos);
}

TEST_F(RecorderTest, ReadsVersion2) {
  record(5);
  OlderFile(file("recording.h5"), file("older.h5"), 2, 2);
  const Recording r = read_recording(file("older.h5")), now = read_recording(directory_);
  ASSERT_EQ(r.num_frames(), 6);
  EXPECT_EQ(r.joint_values, now.joint_values);
  EXPECT_TRUE(same_bits(Eigen::Map<const Vector>(r.reactions.data(), r.num_frames() * 2 * 6),
                        Eigen::Map<const Vector>(now.reactions.data(), now.num_frames() * 2 * 6)));
  ASSERT_EQ(r.contacts.size(), now.contacts.size());
  for (std::size_t i = 0; i < r.contacts.size(); ++i) {
    EXPECT_EQ(r.contacts[i].force, now.contacts[i].force);
    EXPECT_TRUE(r.contacts[i].normal.array().isNaN().all());
  }
  EXPECT_EQ(r.contact_name(k_far_id), "far");
  EXPECT_EQ(r.contact_body_names(k_far_id), (std::array<std::string, 2>{}));
  write_csv(r, file("csv"));
  EXPECT_TRUE(read_file(file("csv/contacts.csv")).ends_with(",,0,0,0\n"));
  OlderFile(file("recording.h5"), file("claims.h5"), 2, 3);
  EXPECT_NE(error_of([&] { read_recording(file("claims.h5")); }).find("/contacts/normal"), std::string::npos);
}

TEST_F(RecorderTest, RefusesWhatIsNoRecording) {
  const std::string missing = error_of([&] { read_recording(file("nothing.h5")); });
  EXPECT_NE(missing.find("nothing.h5"), std::string::npos) << missing;
  const std::string empty = error_of([&] { read_recording(directory_); });
  EXPECT_NE(empty.find(directory_), std::string::npos) << empty;
  write_file(file("garbage.h5"), std::string(100000, 'x'));
  const std::string garbage = error_of([&] { read_recording(file("garbage.h5")); });
  EXPECT_NE(garbage.find("garbage.h5"), std::string::npos) << garbage;
  {
    Hdf5File other = Hdf5File::create(file("other.h5"));
    other.create_group("/data");
    other.close();
  }
  const std::string other = error_of([&] { read_recording(file("other.h5")); });
  EXPECT_NE(other.find("no group /meta"), std::string::npos) << other;
  {
    const FakeSystem system;
    Recorder recorder(file("early"), system, example_info());
  }
  const std::string early = error_of([&] { read_recording(file("early")); });
  EXPECT_NE(early.find("no frame"), std::string::npos) << early;
}

TEST_F(RecorderTest, RefusesTruncatedFiles) {
  record(50);
  const std::string whole = read_file(file("recording.h5"));
  for (std::size_t percent : {0, 1, 10, 50, 90, 99}) {
    write_file(file("cut.h5"), whole.substr(0, whole.size() * percent / 100));
    const std::string message = error_of([&] { read_recording(file("cut.h5")); });
    EXPECT_NE(message.find("cut.h5"), std::string::npos) << percent << "%: " << message;
  }
}

TEST_F(RecorderTest, ReportsWhereItCannotWrite) {
  const FakeSystem system;
  const auto error_in = [&](const std::string& directory) {
    return error_of([&] { Recorder recorder(directory, system, example_info()); });
  };
  write_file(file("plain"), "");
  for (const std::string& directory :
       {file("plain"), file("plain/below"), std::string("/proc/delassus/run")}) {
    const std::string message = error_in(directory);
    EXPECT_NE(message.find(directory + ": "), std::string::npos) << message;
  }
  fs::create_directories(file("taken/recording.h5.part/x"));
  const std::string message = error_in(file("taken"));
  EXPECT_NE(message.find("recording.h5.part: Is a directory"), std::string::npos) << message;
  EXPECT_NE(error_of([&] { Recorder recorder(directory_, system, {}, {.every = 0}); }), "");
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Of a line in which nothing quoted contains a comma.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

TEST_F(RecorderTest, Csv) {
  record(5);
  const Recording r = read_recording(directory_);
  write_csv(r, file("csv"));

  const auto bodies = lines_of(file("csv/bodies.csv"));
  ASSERT_EQ(bodies.size(), 1u + 6 * 2);
  EXPECT_EQ(bodies[0], "t,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  EXPECT_EQ(bodies[1].substr(0, 20), "0,\"ball, \"\"red\"\"\",0.");
  // 17 digits give back every bit.
  const std::string start = "0.10000000000000001,wand,";
  ASSERT_EQ(bodies[4].substr(0, start.size()), start);
  std::istringstream cells(bodies[4].substr(start.size()));
  std::string cell;
  for (int k = 0; k < 13; ++k) {
    ASSERT_TRUE(std::getline(cells, cell, ','));
    EXPECT_TRUE(same_bits(std::strtod(cell.c_str(), nullptr), r.bodies[3 * 13 + k])) << cell;
  }

  const auto coordinates = lines_of(file("csv/coordinates.csv"));
  ASSERT_EQ(coordinates.size(), 7u);
  EXPECT_EQ(coordinates[0], "t,q_c0,q_c1,q_c2,q_c3,v_c0,v_c1,v_c2,v_c3");
  EXPECT_NE(coordinates[4].find(",1,-0,4.9406564584124654e-324,1e+308"), std::string::npos) << coordinates[4];

  const auto joints = lines_of(file("csv/joints.csv"));
  ASSERT_EQ(joints.size(), 1u + 6 * 2);
  EXPECT_EQ(joints[0], "t,name,value,rate");
  EXPECT_EQ(joints[8], "0.30000000000000004,\"rod, 1.angle\",30.000000000000004,-0");

  const auto reactions = lines_of(file("csv/reactions.csv"));
  ASSERT_EQ(reactions.size(), 1u + 6 * 2);
  EXPECT_EQ(reactions[0], "t,name,fx,fy,fz,tx,ty,tz");
  EXPECT_EQ(reactions[1], "0,\"rod, 1\",nan,nan,nan,nan,nan,nan");
  EXPECT_EQ(reactions[4].substr(0, 30), "0.10000000000000001,pin,0,0,-3");  // −e⁻¹/0.1

  const auto energy = lines_of(file("csv/energy.csv"));
  ASSERT_EQ(energy.size(), 7u);
  EXPECT_EQ(
      energy[0],
      "t,kinetic,potential,work,friction,impact,constraint,defect,driven,normal,joints,projection,error");
  EXPECT_EQ(energy[1],
            "0,1,0.66666666666666663,-0,-0.20000000000000001,-0.29999999999999999,"
            "1.0000000000000001e-17,0,0,0,-0.40000000000000002,1.0000000000000001e-09,0");

  const auto contacts = lines_of(file("csv/contacts.csv"));
  ASSERT_EQ(contacts.size(), 1u + 1 + 2 + 0 + 1 + 2);
  EXPECT_EQ(contacts[0],
            "t,name,status,gap,impulse_n,impulse_t1,impulse_t2,velocity_n,velocity_t1,velocity_t2,px,py,pz,"
            "fx,fy,fz,nx,ny,nz,force_n,force_t,body_a,body_b,cx,cy,cz");
  EXPECT_EQ(contacts[1].substr(0, 58), "0.10000000000000001,\"µ-contact \"\"7\"\"\",slip,0.01,0.1000000");
  EXPECT_NE(contacts[3].find(",far,stick,"), std::string::npos) << contacts[3];
  EXPECT_NE(contacts[1].find(",0.14285714285714285,nan,"), std::string::npos) << contacts[1];
  // Step 1 is 0.1 long: forces are its impulses (0.1, 0.2, −0.3) times ten, the tangential one √(0.2² + 0.3²) · 10.
  const std::vector<std::string> cells_of_1 = cells_of(contacts[1]);
  ASSERT_EQ(cells_of_1.size(), 26u);
  const auto number = [&](std::size_t i) { return std::strtod(cells_of_1[i].c_str(), nullptr); };
  EXPECT_EQ(Vector3(number(16), number(17), number(18)), Vector3::UnitZ());
  EXPECT_NEAR(number(19), 1, 1e-14);
  EXPECT_NEAR(number(20), std::sqrt(13.0), 1e-14);
  EXPECT_EQ(cells_of_1[21], "world");
  EXPECT_EQ(cells_of_1[22], "wand");
  EXPECT_TRUE(contacts[3].ends_with(",wand,\"ball, \"\"red\"\"\",0,0,0")) << contacts[3];

  const auto events = lines_of(file("csv/events.csv"));
  ASSERT_EQ(events.size(), 1u + 4);
  EXPECT_EQ(events[1].substr(0, 60), "0.050000000000000003,impact,\"µ-contact \"\"7\"\"\",-1,0.10000000");
  EXPECT_EQ(events[3], "0.30000000000000004,fallback,far,0,0,0,0,0,0,0,0,0,0");

  const auto certificate = lines_of(file("csv/certificate.csv"));
  ASSERT_EQ(certificate.size(), 7u);
  EXPECT_EQ(certificate[1], "0,0,nan,not run,0,0,0,0,0,0,0,0,0,0,0,,,0,0,");
  EXPECT_NE(certificate[2].find(",10,2,2,0,1,\"rod, row 0\",far"), std::string::npos) << certificate[2];

  EXPECT_NE(error_of([&] { write_csv(r, file("csv/bodies.csv")); }), "");
}

}  // namespace
}  // namespace delassus::recorder_test
