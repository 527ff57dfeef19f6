// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/system/state.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <istream>
#include <limits>
#include <ostream>
#include <sstream>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"

namespace delassus {
namespace {

constexpr const char* k_header = "delassus-state";
constexpr int k_version = 1;
// A corrupt length must not ask for all memory.
constexpr long k_max_entries = 100'000'000;

class Reader {
 public:
  Reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  std::string word() {
    std::string text;
    if (!(in_ >> text)) fail("ends too early");
    return text;
  }
  void expect(const std::string& keyword) {
    const std::string text = word();
    if (text != keyword) fail("expected '" + keyword + "', found '" + text + "'");
  }
  double number() {
    const std::string text = word();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') fail("'" + text + "' is not a number");
    return value;
  }
  long integer(long lowest, long highest) {
    const std::string text = word();
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (end == text.c_str() || *end != '\0' || value < lowest || value > highest)
      fail(fmt::format("'{}' is not an integer in {} … {}", text, lowest, highest));
    return value;
  }
  std::uint64_t id() {
    const std::string text = word();
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
    if (end == text.c_str() || *end != '\0') fail("'" + text + "' is not a contact id");
    return value;
  }
  Vector vector(const std::string& keyword) {
    expect(keyword);
    Vector values(integer(0, k_max_entries));
    for (double& x : values) x = number();
    return values;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(name_ + ": not a usable state file: " + what);
  }

 private:
  std::istream& in_;
  std::string name_;
};

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
  write(out, "joint_impulses", h.joint_impulses);
  write(out, "weighted_velocity", h.weighted_velocity);
  const EnergyLedger& e = h.energy;
  out << fmt::format("energy {} {:a} {:a} {:a} {:a} {:a} {:a} {:a}\n", int{e.started}, e.initial_total,
                     e.nonconservative, e.friction, e.normal, e.joints, e.impacts, e.projection);
  out << "contacts " << h.contacts.size() << '\n';
  for (const ContactMemory& c : h.contacts) {
    out << fmt::format("{} {} {:a} {:a} {} {:a} {:a} {:a} {}", c.id, static_cast<int>(c.status),
                       c.slip_direction[0], c.slip_direction[1], int{c.closed}, c.impulse[0], c.impulse[1],
                       c.impulse[2], c.basis.size());
    for (std::uint8_t b : c.basis) out << ' ' << int{b};
    out << '\n';
  }
  out << "end\n";
}

State load_state(std::istream& in, const std::string& name) {
  Reader reader(in, name);
  reader.expect(k_header);
  reader.integer(k_version, k_version);
  State state;
  History& h = state.history;
  reader.expect("t");
  state.t = reader.number();
  state.q = reader.vector("q");
  state.v = reader.vector("v");
  reader.expect("steps");
  h.num_steps = static_cast<std::uint64_t>(reader.integer(0, std::numeric_limits<long>::max()));
  reader.expect("modes_known");
  h.modes_known = reader.integer(0, 1) != 0;
  h.joint_impulses = reader.vector("joint_impulses");
  h.weighted_velocity = reader.vector("weighted_velocity");
  EnergyLedger& e = h.energy;
  reader.expect("energy");
  e.started = reader.integer(0, 1) != 0;
  for (double* x :
       {&e.initial_total, &e.nonconservative, &e.friction, &e.normal, &e.joints, &e.impacts, &e.projection})
    *x = reader.number();
  reader.expect("contacts");
  h.contacts.resize(static_cast<std::size_t>(reader.integer(0, k_max_entries)));
  for (ContactMemory& c : h.contacts) {
    c.id = reader.id();
    c.status = static_cast<ContactStatus>(reader.integer(0, 2));
    for (double& x : c.slip_direction) x = reader.number();
    c.closed = reader.integer(0, 1) != 0;
    for (double& x : c.impulse) x = reader.number();
    c.basis.resize(static_cast<std::size_t>(reader.integer(0, 1000)));
    for (std::uint8_t& b : c.basis) b = static_cast<std::uint8_t>(reader.integer(0, 1));
  }
  reader.expect("end");
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
