// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// States saved and loaded: every bit comes back, and what is no state is refused.
#include "delassus/system/state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <sstream>

#include "../support/random_problem.hpp"
#include "delassus/base/error.hpp"

namespace delassus::state_test {
namespace {

using testing::Random;

std::string to_text(const State& state) {
  std::ostringstream out;
  save(state, out);
  return out.str();
}
State from_text(const std::string& text) {
  std::istringstream in(text);
  return load_state(in, "some.state");
}

// A finite number of any bits: no run leaves others.
double any_number(Random& random) {
  const double special[] = {0.0, -0.0, std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
  switch (random.integer(0, 2)) {
    case 0:
      return special[random.integer(0, static_cast<int>(std::size(special)) - 1)];
    case 1:
      return std::bit_cast<double>(random.bits() & 0x800fffffffffffffu);  // denormal
    default: {
      const double x = std::bit_cast<double>(random.bits());
      return std::isfinite(x) ? x : 1.0;
    }
  }
}

Vector any_vector(Random& random, int size) {
  Vector out(size);
  for (double& x : out) x = any_number(random);
  return out;
}

// Of a unit vector.
double any_component(Random& random) {
  return random.uniform(-0.7, 0.7);
}

State make_state(Random& random) {
  State state;
  state.t = any_number(random);
  const int nv = random.integer(0, 7);
  state.q = any_vector(random, random.integer(0, 7));
  state.v = any_vector(random, nv);
  History& h = state.history;
  h.num_steps = random.bits() >> 12;
  h.grid = {any_number(random), std::abs(any_number(random)), random.bits() >> 12};
  h.modes_known = random.integer(0, 1) != 0;
  h.joint_impulses = any_vector(random, random.integer(0, 7));
  h.weighted_velocity = any_vector(random, random.integer(0, 1) * nv);
  if (random.integer(0, 1) != 0) {
    AccelerationMemory& a = h.acceleration;
    a.step = std::abs(any_number(random));
    a.a = any_vector(random, nv);
    a.rate = any_vector(random, nv);
    a.joint_forces = Vector::Ones(2);
  }
  EnergyLedger& e = h.energy;
  e.started = random.integer(0, 1) != 0;
  for (double* x : {&e.initial_total, &e.nonconservative, &e.friction, &e.normal, &e.joints, &e.impacts,
                    &e.projection, &e.driven})
    *x = any_number(random);
  h.contacts.resize(random.integer(0, 4));
  ContactId id = 0;
  for (ContactMemory& c : h.contacts) {
    c.id = id += 1 + (random.bits() >> 4);
    c.status = static_cast<ContactStatus>(random.integer(0, 2));
    for (double& x : c.slip_direction) x = any_component(random);
    c.closed = random.integer(0, 1) != 0;
    for (int k = 0; k < 3; ++k) c.force[k] = any_number(random);
    c.rolling = static_cast<ContactStatus>(random.integer(0, 2));
    c.spinning = static_cast<ContactStatus>(random.integer(0, 2));
    // Contacts without couples have nothing to say of them.
    if (c.resists_turning()) {
      for (int k = 3; k < 6; ++k) c.force[k] = any_number(random);
      for (double& x : c.rolling_direction) x = any_component(random);
      c.spinning_direction = any_component(random);
    }
    c.basis.resize(random.integer(0, 12));
    for (std::uint8_t& b : c.basis) b = static_cast<std::uint8_t>(random.integer(0, 1));
  }
  return state;
}

// Everything as integers: == would not see the sign of a zero nor accept a nan.
std::vector<std::uint64_t> bits_of(const State& state) {
  std::vector<std::uint64_t> out;
  const auto number = [&](double x) { out.push_back(std::bit_cast<std::uint64_t>(x)); };
  const auto vector = [&](const Vector& x) {
    out.push_back(static_cast<std::uint64_t>(x.size()));
    for (double value : x) number(value);
  };
  const History& h = state.history;
  number(state.t);
  vector(state.q);
  vector(state.v);
  out.push_back(h.num_steps);
  out.push_back(h.modes_known);
  number(h.grid.origin);
  number(h.grid.step);
  out.push_back(h.grid.index);
  vector(h.joint_impulses);
  vector(h.weighted_velocity);
  number(h.acceleration.step);
  vector(h.acceleration.a);
  vector(h.acceleration.rate);
  vector(h.acceleration.joint_forces);
  const EnergyLedger& e = h.energy;
  out.push_back(e.started);
  for (double x : {e.initial_total, e.nonconservative, e.friction, e.normal, e.joints, e.impacts,
                   e.projection, e.driven})
    number(x);
  out.push_back(h.contacts.size());
  for (const ContactMemory& c : h.contacts) {
    out.push_back(c.id);
    out.push_back(static_cast<std::uint64_t>(c.status));
    for (double x : c.slip_direction) number(x);
    out.push_back(c.closed);
    for (double x : c.force) number(x);
    out.push_back(static_cast<std::uint64_t>(c.rolling));
    out.push_back(static_cast<std::uint64_t>(c.spinning));
    for (double x : c.rolling_direction) number(x);
    number(c.spinning_direction);
    out.push_back(c.basis.size());
    for (std::uint8_t b : c.basis) out.push_back(b);
  }
  return out;
}

TEST(State, GivesBackEveryBit) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const State state = make_state(random);
    EXPECT_EQ(bits_of(from_text(to_text(state))), bits_of(state));
  }
  EXPECT_EQ(from_text(to_text(State{})), State{});
}

TEST(State, ToAndFromAFile) {
  Random random(2);
  const State state = make_state(random);
  const std::string path =
      std::filesystem::temp_directory_path() / ("delassus_state_test_" + std::to_string(getpid()) + ".state");
  save_file(state, path);
  EXPECT_EQ(bits_of(load_state_file(path)), bits_of(state));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
  EXPECT_THROW(load_state_file(path), InputError);
  EXPECT_THROW(save_file(state, "/no/such/folder/x.state"), InputError);
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void expect_error(const std::string& text, const std::string& part) {
  try {
    from_text(text);
    ADD_FAILURE() << "no error, expected: " << part;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind("some.state:", 0), 0u) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

TEST(State, Malformed) {
  State state;
  state.t = 1.5;
  state.q = state.v = Vector::Ones(2);
  state.history.contacts.resize(1);
  state.history.contacts[0].id = 7;
  const std::string good = to_text(state);
  EXPECT_EQ(from_text(good), state);
  expect_error("", "ends too early");
  expect_error("garbage", "expected 'delassus-state', found 'garbage'");
  expect_error(changed(good, "delassus-state 2", "delassus-state 3"), "expected 2, found '3'");
  expect_error(changed(good, "t 0x1.8p+0", "t soon"), "'soon' is not a number");
  expect_error(changed(good, "q 2", "q 3"), "'v' is not a number");
  expect_error(changed(good, "q 2", "q -1"), "'-1' is not an integer in 0 …");
  expect_error(changed(good, "q 2", "q 2.0"), "'2.0' is not an integer");
  expect_error(changed(good, "\nq 2", "\nx 2"), "some.state:3:1: not a usable state file: expected 'q'");
  expect_error(changed(good, "steps 0", "steps -5"), "'-5' is not an unsigned integer");
  expect_error(changed(good, "modes_known 0", "modes_known 7"), "'7' is not an integer in 0 … 1");
  expect_error(changed(good, "contacts 1\n7 0", "contacts 1\n-7 0"), "'-7' is not an unsigned integer");
  expect_error(changed(good, "contacts 1\n7 0", "contacts 1\n7 3"), "'3' is not an integer in 0 … 2");
  expect_error(changed(good, "contacts 1\n7 0", "contacts 1\n99999999999999999999 0"), "unsigned integer");
  // Counts that would ask for gigabytes.
  expect_error(changed(good, "q 2", "q 100000000"), "'v' is not a number");
  expect_error(changed(good, "contacts 1", "contacts 100000000"), "'end' is not an unsigned integer");
  expect_error(changed(good, "contacts 1", "contacts 100000001"), "is not an integer");
}

// With the checksum of what it says.
std::string signed_text(const std::string& text) {
  const std::string content = text.substr(0, text.rfind("checksum "));
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::ostringstream out;
  out << content << "checksum " << std::hex << std::setw(16) << std::setfill('0') << hash << '\n';
  return out.str();
}

TEST(State, NumbersThatCannotBe) {
  State state;
  state.t = 1.5;
  state.q = state.v = Vector::Ones(2);
  state.history.weighted_velocity = Vector::Ones(2);
  state.history.grid = {0, 0.5, 3};
  state.history.contacts.resize(2);
  state.history.contacts[0].id = 7;
  state.history.contacts[1].id = 9;
  const std::string good = to_text(state);
  EXPECT_EQ(from_text(signed_text(good)), state);
  const auto expect_signed = [&](const std::string& from, const std::string& to, const std::string& part) {
    expect_error(signed_text(changed(good, from, to)), part);
  };
  expect_signed("t 0x1.8p+0", "t nan", "2:3: not a usable state file: the time is nan, it must be finite");
  expect_signed("q 2 0x1p+0", "q 2 inf", "number 1 of q is inf");
  expect_signed("v 2 0x1p+0 0x1p+0", "v 2 0x1p+0 1e999", "number 2 of v is inf");
  expect_signed("steps 0", "steps 9007199254740993",
                "the number of steps is 9007199254740993; allowed: 0 to");
  expect_signed("grid 0x0p+0 0x1p-1 3", "grid 0x0p+0 -0x1p-1 3", "the step of the time grid is -0.5");
  expect_signed("weighted_velocity 2 0x1p+0", "weighted_velocity 1", "weighted_velocity has 1 numbers");
  expect_signed("\n9 0", "\n7 0", "ascending");
  expect_signed("\n9 0 0x0p+0", "\n9 0 0x1.8p+0", "the direction of slip has length 1.5; allowed: 0 to 1");
  expect_error(good + "more", "something follows 'more'");
  expect_error(good + "\n", "checksum");
}

// Files that were edited or damaged: none may give another state, whatever it is that was changed.
TEST(State, AlteredFilesAreRefused) {
  Random random(5);
  for (int trial = 0; trial < 400; ++trial) {
    const State state = make_state(random);
    const std::string good = to_text(state);
    std::string text = good;
    const int at = random.integer(0, static_cast<int>(text.size()) - 1);
    switch (trial % 5) {
      case 0:  // a digit for a digit
        for (std::size_t i = static_cast<std::size_t>(at); i < text.size(); ++i)
          if (text[i] >= '0' && text[i] <= '8') {
            ++text[i];
            break;
          }
        break;
      case 1:  // a bit
        text[at] = static_cast<char>(text[at] ^ (1 << random.integer(0, 6)));
        break;
      case 2:  // a line twice
        text.insert(text.find('\n', at) + 1, text.substr(0, text.find('\n') + 1));
        break;
      case 3:  // two neighbours exchanged
        if (at + 1 < static_cast<int>(text.size())) std::swap(text[at], text[at + 1]);
        break;
      default:  // a piece left out
        text.erase(at, random.integer(1, 9));
    }
    if (text == good) continue;
    EXPECT_THROW(from_text(text), InputError) << "trial " << trial << "\n" << text;
  }
}

TEST(State, EveryTruncationIsAnError) {
  Random random(3);
  const std::string good = to_text(make_state(random));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(from_text(good.substr(0, length)), InputError) << length;
}

TEST(State, MutationsNeverCrash) {
  Random random(4);
  int errors = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text = to_text(make_state(random));
    for (int change = random.integer(1, 3); change > 0; --change) {
      const int at = random.integer(0, static_cast<int>(text.size()) - 1);
      if (random.integer(0, 1) == 0) {
        text[at] = static_cast<char>(random.integer(0, 255));
      } else {
        text.insert(at, std::to_string(random.bits() >> random.integer(0, 63)));
      }
    }
    try {
      const State state = from_text(text);
      EXPECT_EQ(bits_of(from_text(to_text(state))).size(), bits_of(state).size());
    } catch (const InputError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 200);
}

}  // namespace
}  // namespace delassus::state_test
