// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of expression_parser.cpp: cuts the text of a formula into numbers, names and symbols.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace delassus::detail {

enum class Kind { end, number, name, symbol };

struct Token {
  Kind kind = Kind::end;
  std::size_t begin = 0;  // first byte in the text
  std::string_view text;
  double value = 0;  // of a number
};

// Reads one token after the other. Throws ExpressionError at characters that belong to no token.
class TokenReader {
 public:
  // `text` must outlive the reader.
  explicit TokenReader(std::string_view text) : text_(text) {}

  Token read();

  // Throws ExpressionError with the column of the byte `place`.
  [[noreturn]] void fail(std::size_t place, const std::string& message) const;
  // Column of a byte, in characters from 1.
  int column(std::size_t place) const;

 private:
  Token read_number();
  [[noreturn]] void fail_at_character() const;

  std::string_view text_;
  std::size_t next_ = 0;  // first byte not yet read
};

// A piece of a text for a message: short, and without control characters.
std::string quote(std::string_view piece);

}  // namespace delassus::detail
