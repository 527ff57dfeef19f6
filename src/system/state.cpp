// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string_view>

#include "delassus/base/files.hpp"
#include "delassus/base/text_reader.hpp"

namespace delassus {
namespace {

constexpr const char* k_header = "delassus-state";
// 2: a checksum, and what prescribed motions have brought.
constexpr int k_version = 2;
// Steps and grid points beyond this cannot be told apart as times.
constexpr std::uint64_t k_max_steps = std::uint64_t{1} << 53;

// FNV-1a: notices every file that was cut, edited or damaged by chance; no protection against forgery.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

void write(std::ostream& out, const char* keyword, const Vector& values) {
  out << keyword << ' ' << values.size();
  for (double x : values) out << fmt::format(" {:a}", x);
  out << '\n';
}

void write(std::ostream& out, const EnergyLedger& e) {
  out << fmt::format("energy {} {:a} {:a} {:a} {:a} {:a} {:a} {:a} {:a}\n", int{e.started}, e.initial_total,
                     e.nonconservative, e.friction, e.normal, e.joints, e.impacts, e.projection, e.driven);
}

void write(std::ostream& out, const StepAhead& ahead) {
  out << "ahead\n";
  for (const StepAhead::Knot& knot : ahead.knots) {
    out << fmt::format("knot {:a} {:a}\n", knot.t, knot.total);
    write(out, "q", knot.q);
    write(out, "v", knot.v);
    write(out, knot.energy);
  }
  for (const Vector& forces : ahead.joint_forces) write(out, "joint_forces", forces);
  out << "forces " << ahead.contacts.size() << '\n';
  for (const StepAhead::Force& force : ahead.contacts) {
    out << force.id;
    for (const auto* values : {&force.force, &force.couple})
      for (const Vector3& x : *values) out << fmt::format(" {:a} {:a} {:a}", x[0], x[1], x[2]);
    out << '\n';
  }
}

void write_content(const State& state, std::ostream& out) {
  const History& h = state.history;
  out << k_header << ' ' << k_version << '\n';
  out << fmt::format("t {:a}\n", state.t);
  write(out, "q", state.q);
  write(out, "v", state.v);
  out << "steps " << h.num_steps << " modes_known " << int{h.modes_known} << '\n';
  out << fmt::format("grid {:a} {:a} {}\n", h.grid.origin, h.grid.step, h.grid.index);
  write(out, "joint_impulses", h.joint_impulses);
  write(out, "weighted_velocity", h.weighted_velocity);
  write(out, h.energy);
  out << "contacts " << h.contacts.size() << '\n';
  for (const ContactMemory& c : h.contacts) {
    out << fmt::format("{} {} {:a} {:a} {} {:a} {:a} {:a} {}", c.id, static_cast<int>(c.status),
                       c.slip_direction[0], c.slip_direction[1], int{c.closed} + 2 * int{c.mode_unknown},
                       c.force[0], c.force[1], c.force[2], c.basis.size());
    for (std::uint8_t b : c.basis) out << ' ' << int{b};
    out << '\n';
  }
  const auto turning = std::count_if(h.contacts.begin(), h.contacts.end(),
                                     [](const ContactMemory& c) { return c.resists_turning(); });
  if (turning > 0) out << "couples " << turning << '\n';
  for (std::size_t i = 0; i < h.contacts.size(); ++i) {
    const ContactMemory& c = h.contacts[i];
    if (c.resists_turning())
      out << fmt::format("{} {} {:a} {:a} {} {:a} {:a} {:a} {:a}\n", i, static_cast<int>(c.rolling),
                         c.rolling_direction[0], c.rolling_direction[1], static_cast<int>(c.spinning),
                         c.spinning_direction, c.force[3], c.force[4], c.force[5]);
  }
  if (!h.held_frictions.empty()) {
    out << fmt::format("held_frictions {}", h.held_frictions.size());
    for (int row : h.held_frictions) out << ' ' << row;
    out << '\n';
  }
  if (h.controlled_step != 0) out << fmt::format("controlled_step {:a}\n", h.controlled_step);
  const AccelerationMemory& a = h.acceleration;
  if (a.step != 0 || a.a.size() > 0 || a.rate.size() > 0 || a.joint_forces.size() > 0) {
    out << fmt::format("accelerations {:a}\n", a.step);
    write(out, "a", a.a);
    write(out, "rate", a.rate);
    write(out, "joint_forces", a.joint_forces);
  }
  if (const MidStepMemory& m = h.mid_step; m.step != 0) {
    out << fmt::format("mid_step {:a}\n", m.step);
    write(out, "mid_v", m.v);
    write(out, "mid_v_end", m.v_end);
  }
  if (follows_step_ahead(state)) write(out, *h.ahead);
  out << "end\n";
}

// Numbers that no run leaves are refused with their place, whatever the checksum says.
class StateReader {
 public:
  StateReader(std::istream& in, const std::string& name) : reader_(in, name, "state file") {}

  State read() {
    reader_.expect(k_header);
    reader_.integer(k_version, k_version);
    reader_.expect("t");
    state_.t = reader_.finite_number("the time");
    state_.q = reader_.vector("q", true);
    state_.v = reader_.vector("v", true);
    read_progress();
    read_contacts();
    read_sections();
    return std::move(state_);
  }
  // After read(): what the file says.
  std::uint64_t read_checksum() {
    reader_.expect("checksum");
    const std::string text = reader_.word();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || stop != text.data() + text.size() || text.size() != 16)
      fail("the checksum is not a number of 16 hexadecimal digits");
    return value;
  }
  void expect_end() { reader_.expect_end(); }
  [[noreturn]] void fail(const std::string& what) const { reader_.fail(what); }

 private:
  void require_size(const Vector& x, const char* what) const {
    if (x.size() != 0 && x.size() != state_.v.size())
      fail(fmt::format("{} has {} numbers; allowed: none, or one a velocity ({})", what, x.size(),
                       state_.v.size()));
  }
  std::uint64_t step_number(const char* what) {
    const std::uint64_t value = reader_.unsigned_integer();
    if (value > k_max_steps) fail(fmt::format("{} is {}; allowed: 0 to {}", what, value, k_max_steps));
    return value;
  }
  void direction(double* values, int size, const char* what) {
    // Unit, or zero where there is none; or of a polygon's generator, a little longer by round-off.
    constexpr double longest = 1 + 1e-6;
    double square = 0;
    for (int k = 0; k < size; ++k) {
      values[k] = reader_.finite_number(what);
      square += values[k] * values[k];
    }
    if (square > longest * longest)
      fail(fmt::format("{} has length {:.6g}; allowed: 0 to 1", what, std::sqrt(square)));
  }

  // Only states with contacts that resist turning have couples, only those with joints that stick have these, only those of runs with
  // a tolerance have their step, and only those of schemes that remember more have that. In this order.
  void read_sections() {
    for (int last = -1;;) {
      const int section = reader_.one_of(
          {"couples", "held_frictions", "controlled_step", "accelerations", "mid_step", "ahead", "end"});
      if (section <= last) fail("a section stands twice or in the wrong place");
      last = section;
      switch (section) {
        case 0:
          read_couples();
          break;
        case 1:
          read_held_frictions();
          break;
        case 2:
          state_.history.controlled_step = reader_.finite_number("the step of error control", 0);
          break;
        case 3:
          read_accelerations();
          break;
        case 4:
          read_mid_step();
          break;
        case 5:
          read_ahead();
          break;
        default:
          return;
      }
    }
  }

  void read_progress() {
    History& h = state_.history;
    reader_.expect("steps");
    h.num_steps = step_number("the number of steps");
    reader_.expect("modes_known");
    h.modes_known = reader_.flag();
    reader_.expect("grid");
    h.grid.origin = reader_.finite_number("the origin of the time grid");
    h.grid.step = reader_.finite_number("the step of the time grid", 0);
    h.grid.index = step_number("the index in the time grid");
    h.joint_impulses = reader_.vector("joint_impulses", true);
    h.weighted_velocity = reader_.vector("weighted_velocity", true);
    require_size(h.weighted_velocity, "weighted_velocity");
    read_energy(h.energy);
  }

  void read_energy(EnergyLedger& e) {
    reader_.expect("energy");
    e.started = reader_.flag();
    for (double* x : {&e.initial_total, &e.nonconservative, &e.friction, &e.normal, &e.joints, &e.impacts,
                      &e.projection, &e.driven})
      *x = reader_.finite_number("an energy");
  }

  void read_ahead() {
    StepAhead& ahead = state_.history.ahead.emplace();
    for (StepAhead::Knot& knot : ahead.knots) {
      reader_.expect("knot");
      knot.t = reader_.finite_number("the time of a step ahead");
      knot.total = reader_.finite_number("an energy");
      knot.q = reader_.vector("q", true);
      knot.v = reader_.vector("v", true);
      if (knot.q.size() != state_.q.size() || knot.v.size() != state_.v.size())
        fail(fmt::format("a step ahead has {} positions and {} velocities; the state {} and {}",
                         knot.q.size(), knot.v.size(), state_.q.size(), state_.v.size()));
      read_energy(knot.energy);
    }
    const auto& [begin, middle, end] = ahead.knots;
    if (!(begin.t < middle.t && middle.t < end.t && begin.t <= state_.t && state_.t < end.t))
      fail(fmt::format(
          "a step ahead from {:.9g} over {:.9g} to {:.9g} s; allowed: ascending times around t = {:.9g} s",
          begin.t, middle.t, end.t, state_.t));
    for (Vector& forces : ahead.joint_forces) forces = reader_.vector("joint_forces", true);
    if (ahead.joint_forces[0].size() != ahead.joint_forces[1].size())
      fail(fmt::format("the halves of a step ahead have {} and {} joint forces; allowed: as many",
                       ahead.joint_forces[0].size(), ahead.joint_forces[1].size()));
    reader_.expect("forces");
    const int count = reader_.count();
    for (int i = 0; i < count; ++i) {
      StepAhead::Force force;
      force.id = reader_.unsigned_integer();
      if (i > 0 && force.id <= ahead.contacts.back().id)
        fail(fmt::format("the contact {} follows {}; allowed: ascending numbers", force.id,
                         ahead.contacts.back().id));
      for (auto* values : {&force.force, &force.couple})
        for (Vector3& x : *values)
          for (double& component : x) component = reader_.finite_number("a contact force");
      ahead.contacts.push_back(force);
    }
    ahead.t = state_.t;
    ahead.q = state_.q;
    ahead.v = state_.v;
  }

  void read_contacts() {
    std::vector<ContactMemory>& contacts = state_.history.contacts;
    reader_.expect("contacts");
    const int count = reader_.count();
    for (int i = 0; i < count; ++i) {
      ContactMemory c;
      c.id = reader_.unsigned_integer();
      if (i > 0 && c.id <= contacts.back().id)
        fail(fmt::format("the contact {} follows {}; allowed: ascending numbers", c.id, contacts.back().id));
      c.status = static_cast<ContactStatus>(reader_.integer(0, 2));
      direction(c.slip_direction, 2, "the direction of slip");
      const long flags = reader_.integer(0, 3);
      c.closed = flags % 2 == 1;
      c.mode_unknown = flags >= 2;
      for (int k = 0; k < 3; ++k) c.force[k] = reader_.finite_number("a contact force");
      c.basis.resize(static_cast<std::size_t>(reader_.integer(0, 1000)));
      for (std::uint8_t& b : c.basis) b = static_cast<std::uint8_t>(reader_.integer(0, 1));
      contacts.push_back(std::move(c));
    }
  }

  void read_couples() {
    std::vector<ContactMemory>& contacts = state_.history.contacts;
    const int count = reader_.count();
    for (int i = 0; i < count; ++i) {
      ContactMemory& c =
          contacts[static_cast<std::size_t>(reader_.integer(0, static_cast<long>(contacts.size()) - 1))];
      c.rolling = static_cast<ContactStatus>(reader_.integer(0, 2));
      direction(c.rolling_direction, 2, "the direction of rolling");
      c.spinning = static_cast<ContactStatus>(reader_.integer(0, 2));
      direction(&c.spinning_direction, 1, "the direction of spinning");
      for (int k = 3; k < 6; ++k) c.force[k] = reader_.finite_number("a contact couple");
    }
  }

  void read_held_frictions() {
    std::vector<int>& held = state_.history.held_frictions;
    const int count = reader_.count();
    for (int i = 0; i < count; ++i) held.push_back(reader_.count());
  }

  void read_accelerations() {
    AccelerationMemory& a = state_.history.acceleration;
    a.step = reader_.finite_number("the step of the accelerations", 0);
    a.a = reader_.vector("a", true);
    a.rate = reader_.vector("rate", true);
    a.joint_forces = reader_.vector("joint_forces", true);
    require_size(a.a, "a");
    require_size(a.rate, "rate");
  }

  void read_mid_step() {
    MidStepMemory& m = state_.history.mid_step;
    m.step = reader_.finite_number("the step of the last middle", 0);
    m.v = reader_.vector("mid_v", true);
    m.v_end = reader_.vector("mid_v_end", true);
    if (m.step == 0 || m.v.size() != state_.v.size() || m.v_end.size() != state_.v.size())
      fail("the velocities of the last step do not fit the state");
  }

  TextReader reader_;
  State state_;
};

}  // namespace

bool follows_step_ahead(const State& state) {
  const std::optional<StepAhead>& ahead = state.history.ahead;
  return ahead && ahead->t == state.t && ahead->q.size() == state.q.size() && ahead->q == state.q &&
         ahead->v.size() == state.v.size() && ahead->v == state.v;
}

void save(const State& state, std::ostream& out) {
  std::ostringstream content;
  write_content(state, content);
  const std::string text = content.str();
  out << text << fmt::format("checksum {:016x}\n", checksum(text));
}

State load_state(std::istream& in, const std::string& name) {
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::istringstream stream(text);
  StateReader reader(stream, name);
  State state = reader.read();
  const std::uint64_t said = reader.read_checksum();
  reader.expect_end();
  // Of everything before its own line.
  const std::string_view content = std::string_view(text).substr(0, text.rfind("checksum"));
  const std::uint64_t found = checksum(content);
  if (said != found || text.size() != content.size() + std::string_view("checksum ").size() + 17)
    reader.fail(fmt::format("its checksum is {:016x}, its content has {:016x}: it was damaged or edited",
                            said, found));
  return state;
}

void save_file(const State& state, const std::string& path) {
  std::ostringstream text;
  save(state, text);
  write_file(path, text.str());
}

State load_state_file(const std::string& path) {
  std::istringstream text(read_file(path));
  return load_state(text, path);
}

}  // namespace delassus
