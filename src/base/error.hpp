// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors. Bad input is an exception that says where, what and what is allowed; a programmer's error is an
// assert; a numerical outcome is never an exception but a status in a report.
#pragma once
#include <stdexcept>
#include <string>

namespace delassus {

// A place in an input file; line and column count from 1, 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

// "file:line:column: ", leaving out what is unknown.
std::string to_string(const Place& place);

// Bad input or usage: the message names the value and the allowed range.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& what) : std::runtime_error(what) {}
  InputError(const Place& place, const std::string& what)
      : std::runtime_error(to_string(place) + what), place_(place) {}
  const Place& place() const { return place_; }

 private:
  Place place_;
};

}  // namespace delassus
