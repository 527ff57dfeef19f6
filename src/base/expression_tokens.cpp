// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/expression_tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "delassus/base/expression.hpp"

namespace delassus::detail {
namespace {

// Longer ones first where one begins another.
constexpr auto k_symbols =
    std::to_array<std::string_view>({"||", "&&", "<=", "<", ">=", ">", "==", "!=", "!", "+",
                                     "-",  "**", "*",  "/", "^",  "(", ")",  ",",  "?", ":"});

// Characters that come with pasted formulas, and what to write.
struct Hint {
  std::string_view character;
  std::string_view advice;
};
constexpr auto k_hints = std::to_array<Hint>({
    {"−", "the minus sign is written -"},
    {"–", "the minus sign is written -"},
    {"×", "a product is written *"},
    {"·", "a product is written *"},
    {"÷", "a quotient is written /"},
    {"≤", "write <="},
    {"≥", "write >="},
    {"≠", "write !="},
    {"²", "powers are written ^2"},
    {"³", "powers are written ^3"},
    {"√", "write sqrt(...)"},
    {"=", "equality is written =="},
    {"&", "the logical and is written &&"},
    {"|", "the logical or is written ||; abs(x) is the modulus"},
    {"[", "only round brackets are allowed"},
    {"]", "only round brackets are allowed"},
    {"{", "only round brackets are allowed"},
    {"}", "only round brackets are allowed"},
    {"%", "the remainder is written mod(a, b)"},
});

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_ascii_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// Above ASCII everything is a letter but signs, punctuation, blanks, arrows and mathematical symbols.
// Subscripts such as x₁ count as letters.
bool is_letter(char32_t code) {
  const bool latin_sign = code < 0xC0 || code == 0xD7 || code == 0xF7;
  const bool punctuation = code >= 0x2000 && code < 0x2080;  // with superscripts
  const bool symbol = code >= 0x2190 && code < 0x2C00;
  const bool other = (code >= 0x3000 && code < 0x3040) || (code >= 0xD800 && code < 0xF900) ||
                     code == 0xFEFF || code >= 0xFFF0;
  return !(latin_sign || punctuation || symbol || other);
}

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // in bytes; 0 when the bytes are not UTF-8
};

// The character at the start of a text that is not empty.
Character decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10FFFF) return {};
  return {code, length};
}

// Bytes of the name at the start of `text`, 0 when there is none.
std::size_t find_name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    if (is_ascii_letter(c) || (length > 0 && is_digit(c))) {
      ++length;
      continue;
    }
    const Character character = decode(text.substr(length));
    if (character.length < 2 || !is_letter(character.code)) break;
    length += character.length;
  }
  return length;
}

}  // namespace

Token TokenReader::read() {
  constexpr std::string_view blanks = " \t\r\n";
  while (next_ < text_.size() && blanks.find(text_[next_]) != std::string_view::npos) ++next_;
  Token token{.kind = Kind::end, .begin = next_, .text = {}};
  if (next_ == text_.size()) return token;
  const std::string_view rest = text_.substr(next_);
  const bool number = is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]));
  if (number) return read_number();
  const std::size_t name_length = find_name_length(rest);
  if (name_length > 0) {
    token.kind = Kind::name;
    token.text = rest.substr(0, name_length);
  } else {
    const auto* symbol =
        std::ranges::find_if(k_symbols, [rest](std::string_view s) { return rest.starts_with(s); });
    if (symbol == k_symbols.end()) fail_at_character();
    token.kind = Kind::symbol;
    token.text = rest.substr(0, symbol->size());
  }
  next_ += token.text.size();
  return token;
}

Token TokenReader::read_number() {
  const std::string_view rest = text_.substr(next_);
  Token token{.kind = Kind::number, .begin = next_, .text = {}};
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), token.value);
  token.text = rest.substr(0, static_cast<std::size_t>(result.ptr - rest.data()));
  if (result.ec != std::errc())
    fail(next_, "the number " + quote(token.text) + " is out of range (about 1e-308 to 1e308)");
  next_ += token.text.size();
  return token;
}

void TokenReader::fail_at_character() const {
  const std::string_view rest = text_.substr(next_);
  const std::size_t length = decode(rest).length;
  if (length == 0) fail(next_, "the byte " + quote(rest.substr(0, 1)) + " is not UTF-8 text");
  const std::string_view character = rest.substr(0, length);
  const auto* hint = std::ranges::find(k_hints, character, &Hint::character);
  const std::string advice = hint == k_hints.end() ? "" : "; " + std::string(hint->advice);
  fail(next_, "unexpected character " + quote(character) + advice);
}

void TokenReader::fail(std::size_t place, const std::string& message) const {
  throw ExpressionError(column(place), message);
}

int TokenReader::column(std::size_t place) const {
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return 1 + static_cast<int>(std::ranges::count_if(text_.substr(0, place), starts_character));
}

std::string quote(std::string_view piece) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "'";
  std::size_t i = 0;
  while (i < piece.size() && i < longest) {
    const std::size_t length = decode(piece.substr(i)).length;
    const auto byte = static_cast<unsigned char>(piece[i]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
      ++i;
    } else {
      out += piece.substr(i, length);
      i += length;
    }
  }
  return out + (i < piece.size() ? "…'" : "'");
}

}  // namespace delassus::detail
