// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>

#include "delassus/base/files.hpp"
#include "delassus/base/text_reader.hpp"

namespace delassus {
namespace {

constexpr const char* k_header = "delassus-state";
constexpr int k_version = 1;

void write(std::ostream& out, const char* keyword, const Vector& values) {
  out << keyword << ' ' << values.size();
  for (double x : values) out << fmt::format(" {:a}", x);
  out << '\n';
}

}  // namespace

void save(const State& state, std::ostream& out) {
  const History& h = state.history;
  out << k_header << ' ' << k_version << '\n';
  out << fmt::format("t {:a}\n", state.t);
  write(out, "q", state.q);
  write(out, "v", state.v);
  out << "steps " << h.num_steps << " modes_known " << int{h.modes_known} << '\n';
  out << fmt::format("grid {:a} {:a} {}\n", h.grid.origin, h.grid.step, h.grid.index);
  write(out, "joint_impulses", h.joint_impulses);
  write(out, "weighted_velocity", h.weighted_velocity);
  const EnergyLedger& e = h.energy;
  out << fmt::format("energy {} {:a} {:a} {:a} {:a} {:a} {:a} {:a}\n", int{e.started}, e.initial_total,
                     e.nonconservative, e.friction, e.normal, e.joints, e.impacts, e.projection);
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
  const AccelerationMemory& a = h.acceleration;
  if (a.step != 0 || a.a.size() > 0 || a.rate.size() > 0 || a.joint_forces.size() > 0) {
    out << fmt::format("accelerations {:a}\n", a.step);
    write(out, "a", a.a);
    write(out, "rate", a.rate);
    write(out, "joint_forces", a.joint_forces);
  }
  out << "end\n";
}

State load_state(std::istream& in, const std::string& name) {
  TextReader reader(in, name, "state file");
  reader.expect(k_header);
  reader.integer(k_version, k_version);
  State state;
  History& h = state.history;
  reader.expect("t");
  state.t = reader.number();
  state.q = reader.vector("q");
  state.v = reader.vector("v");
  reader.expect("steps");
  h.num_steps = reader.unsigned_integer();
  reader.expect("modes_known");
  h.modes_known = reader.flag();
  reader.expect("grid");
  h.grid.origin = reader.number();
  h.grid.step = reader.number();
  h.grid.index = reader.unsigned_integer();
  h.joint_impulses = reader.vector("joint_impulses");
  h.weighted_velocity = reader.vector("weighted_velocity");
  EnergyLedger& e = h.energy;
  reader.expect("energy");
  e.started = reader.flag();
  for (double* x :
       {&e.initial_total, &e.nonconservative, &e.friction, &e.normal, &e.joints, &e.impacts, &e.projection})
    *x = reader.number();
  reader.expect("contacts");
  const int num_contacts = reader.count();
  for (int i = 0; i < num_contacts; ++i) {
    ContactMemory& c = h.contacts.emplace_back();
    c.id = reader.unsigned_integer();
    c.status = static_cast<ContactStatus>(reader.integer(0, 2));
    for (double& x : c.slip_direction) x = reader.number();
    const auto flags = reader.integer(0, 3);
    c.closed = flags % 2 == 1;
    c.mode_unknown = flags >= 2;
    for (int k = 0; k < 3; ++k) c.force[k] = reader.number();
    c.basis.resize(static_cast<std::size_t>(reader.integer(0, 1000)));
    for (std::uint8_t& b : c.basis) b = static_cast<std::uint8_t>(reader.integer(0, 1));
  }
  // Only states with contacts that resist turning have couples, only those with joints that stick have these, only
  // those of schemes that remember accelerations have them.
  int section = reader.one_of({"accelerations", "end", "couples", "held_frictions"});
  if (section == 2) {
    const int num_couples = reader.count();
    for (int i = 0; i < num_couples; ++i) {
      ContactMemory& c = h.contacts[static_cast<std::size_t>(reader.integer(0, num_contacts - 1))];
      c.rolling = static_cast<ContactStatus>(reader.integer(0, 2));
      for (double& x : c.rolling_direction) x = reader.number();
      c.spinning = static_cast<ContactStatus>(reader.integer(0, 2));
      c.spinning_direction = reader.number();
      for (int k = 3; k < 6; ++k) c.force[k] = reader.number();
    }
    section = reader.one_of({"accelerations", "end", "held_frictions"});
    if (section == 2) section = 3;
  }
  if (section == 3) {
    h.held_frictions.resize(static_cast<std::size_t>(reader.count()));
    for (int& row : h.held_frictions) row = reader.count();
    section = reader.one_of({"accelerations", "end"});
  }
  if (section == 0) {
    AccelerationMemory& a = h.acceleration;
    a.step = reader.number();
    a.a = reader.vector("a");
    a.rate = reader.vector("rate");
    a.joint_forces = reader.vector("joint_forces");
    reader.expect("end");
  }
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
