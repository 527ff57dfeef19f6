// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/text_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <istream>
#include <utility>

#include "delassus/base/error.hpp"

namespace delassus {
namespace {

bool is_space(int c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// A word for an error message: quoted, cut to a readable length, without control characters.
std::string quoted(const std::string& text) {
  constexpr std::size_t max_length = 40;
  std::string out = "'";
  for (char c : text.substr(0, max_length)) out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return out + (text.size() > max_length ? "…'" : "'");
}

template <typename Integer>
bool parse(const std::string& text, Integer& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

TextReader::TextReader(std::istream& in, std::string name, std::string kind)
    : in_(in), name_(std::move(name)), kind_(std::move(kind)) {}

std::string TextReader::word() {
  constexpr int end = std::char_traits<char>::eof();
  std::streambuf& buffer = *in_.rdbuf();
  const auto take = [&] {
    const int c = buffer.sbumpc();
    if (c == '\n') {
      ++line_;
      column_ = 0;
    } else {
      ++column_;
    }
    return c;
  };
  int c = take();
  while (is_space(c)) c = take();
  word_line_ = line_;
  word_column_ = column_;
  if (c == end) fail("it ends too early");
  std::string text(1, static_cast<char>(c));
  // The separator stays in the stream: what follows the last word is not ours.
  for (c = buffer.sgetc(); c != end && !is_space(c); c = buffer.sgetc()) text += static_cast<char>(take());
  return text;
}

void TextReader::expect(const std::string& keyword) {
  const std::string text = word();
  if (text != keyword) fail("expected '" + keyword + "', found " + quoted(text));
}

double TextReader::number() {
  const std::string text = word();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) fail(quoted(text) + " is not a number");
  return value;
}

double TextReader::finite_number(const std::string& what, double lowest) {
  const double value = number();
  if (!std::isfinite(value) || value < lowest)
    fail(std::isinf(lowest)
             ? fmt::format("{} is {}, it must be finite", what, value)
             : fmt::format("{} is {}, it must be finite and at least {}", what, value, lowest));
  return value;
}

long TextReader::integer(long lowest, long highest) {
  const std::string text = word();
  long value = 0;
  if (!parse(text, value) || value < lowest || value > highest)
    fail(lowest == highest ? fmt::format("expected {}, found {}", lowest, quoted(text))
                           : fmt::format("{} is not an integer in {} … {}", quoted(text), lowest, highest));
  return value;
}

std::uint64_t TextReader::unsigned_integer() {
  const std::string text = word();
  std::uint64_t value = 0;
  if (!parse(text, value)) fail(quoted(text) + " is not an unsigned integer");
  return value;
}

int TextReader::one_of(const std::vector<std::string>& words) {
  const std::string text = word();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (text == words[i]) return static_cast<int>(i);
  fail(fmt::format("expected one of '{}', found {}", fmt::join(words, "', '"), quoted(text)));
}

void TextReader::numbers(long size, std::vector<double>& values) {
  values.clear();
  for (long i = 0; i < size; ++i) values.push_back(number());
}

Eigen::VectorXd TextReader::vector(const std::string& keyword, bool finite) {
  expect(keyword);
  std::vector<double> values;
  const long size = count();
  for (long i = 0; i < size; ++i)
    values.push_back(finite ? finite_number(fmt::format("number {} of {}", i + 1, keyword)) : number());
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void TextReader::expect_end() {
  constexpr int end = std::char_traits<char>::eof();
  while (is_space(in_.rdbuf()->sgetc())) in_.rdbuf()->sbumpc();
  if (in_.rdbuf()->sgetc() != end) fail("something follows " + quoted(word()) + ", where it should end");
}

void TextReader::fail(const std::string& what) const {
  throw InputError(Place{name_, word_line_, word_column_}, "not a usable " + kind_ + ": " + what);
}

}  // namespace delassus
