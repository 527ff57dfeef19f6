// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/setting_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"

namespace delassus {

bool NumberRange::allows(double x) const {
  if (!std::isfinite(x) || x > highest || !(open_lowest ? x > lowest : x >= lowest)) return false;
  return !even || std::fmod(x, 2) == 0;
}

std::string NumberRange::text() const {
  const bool low = std::isfinite(lowest), high = std::isfinite(highest);
  std::string out;
  if (low && high)
    out = fmt::format("{}{:.6g} … {:.6g}", open_lowest ? "> " : "", lowest, highest);
  else if (low)
    out = fmt::format("{} {:.6g}", open_lowest ? ">" : ">=", lowest);
  else if (high)
    out = fmt::format("<= {:.6g}", highest);
  if (even) return out.empty() ? "even" : "even, " + out;
  return out;
}

std::string to_text(const SettingData& data) {
  if (const bool* flag = std::get_if<bool>(&data)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&data)) return fmt::format("{}", *number);
  return std::get<std::string>(data);
}

std::string allowed_text(const NumberRange& range, const std::vector<std::string>& words) {
  const std::string numbers = range.text(), rest = fmt::format("{}", fmt::join(words, ", "));
  return numbers + (numbers.empty() || rest.empty() ? "" : " or ") + rest;
}

std::string check_setting(const SettingInfo& info, const SettingData& data) {
  const auto* word = std::get_if<std::string>(&data);
  if (word != nullptr && std::find(info.words.begin(), info.words.end(), *word) != info.words.end())
    return {};
  if (const auto* number = std::get_if<double>(&data)) {
    if (info.range.allows(*number)) return {};
    const char* kind = std::isfinite(*number) ? "" : "a finite number ";
    return fmt::format("is {}; allowed: {}{}", *number, kind, allowed_text(info.range, info.words));
  }
  if (word == nullptr) return {};
  if (!info.noun.empty()) return unknown_name(info.noun, *word, info.words);
  if (info.type != SettingInfo::Type::word)
    return fmt::format("is {}; allowed: {}", *word, allowed_text(info.range, info.words));
  return fmt::format("is '{}'{}", *word, allowed_words(*word, info.words));
}

void throw_bad_setting(const std::string& table, const SettingInfo& info, const std::string& mistake) {
  throw InputError(info.noun.empty() ? fmt::format("'{}' of {} {}", info.key, table, mistake) : mistake);
}

namespace setting_detail {

SettingData number_data(double value) {
  if (value == std::numeric_limits<double>::infinity()) return std::string(k_unlimited);
  return value;
}

double number_of(const SettingData& data) {
  if (std::holds_alternative<std::string>(data)) return std::numeric_limits<double>::infinity();
  return std::get<double>(data);
}

}  // namespace setting_detail
}  // namespace delassus
