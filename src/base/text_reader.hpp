// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the text formats of states and problems: words between white space, counts before lists. Every error
// is an InputError with file, line, column and what was expected. Lists grow as they are read, so that a
// corrupt count ends with the file and never asks for more memory than the file itself has.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

namespace delassus {

class TextReader {
 public:
  // Largest count that a file may announce; sums of a few stay far inside an int.
  static constexpr long k_max_count = 100'000'000;

  // `name` is the file, `kind` what it should be ("state file"); both appear in errors.
  TextReader(std::istream& in, std::string name, std::string kind);

  std::string word();
  void expect(const std::string& keyword);
  // Any number strtod takes: decimal, hexadecimal, inf and nan.
  double number();
  // A number that is neither nan nor infinite and at least `lowest`; `what` names it in the error.
  double finite_number(const std::string& what, double lowest = -std::numeric_limits<double>::infinity());
  long integer(long lowest, long highest);
  int count() { return static_cast<int>(integer(0, k_max_count)); }
  bool flag() { return integer(0, 1) != 0; }
  std::uint64_t unsigned_integer();
  // Index of the next word in `words`.
  int one_of(const std::vector<std::string>& words);
  // Overwrites `values` with the next `size` numbers.
  void numbers(long size, std::vector<double>& values);
  // keyword, size, numbers; `finite`: neither nan nor infinite.
  Eigen::VectorXd vector(const std::string& keyword, bool finite = false);
  // What follows the last word must be white space.
  void expect_end();
  // At the place of the last word.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::istream& in_;
  std::string name_, kind_;
  int line_ = 1, column_ = 0;            // of the last character
  int word_line_ = 1, word_column_ = 1;  // of the last word
};

}  // namespace delassus
