// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Settings as data. One entry a key says what it is called, what is allowed, in which unit, what it means and
// which member of a struct it sets. The default is the member's initialiser and stands nowhere else. Files are
// read, values of C++ programs checked and tables of the documentation printed from these entries:
//
//   number_key("theta", "-", number_between(0.5, 1), "weight of the end of the step", &StepperSettings::theta)
//
// A member of a member is given by its path: &StepperSettings::options, &StepperOptions::max_events. An optional
// member may be `automatic`: it is left to resolve_options (settings/run_settings.hpp).
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace delassus {

// The allowed numbers.
struct NumberRange {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool open_lowest = false;  // lowest itself is not allowed
  bool even = false;         // whole even numbers only

  bool allows(double x) const;
  // "> 0", "0 … 1", "even, 2 … 360"; empty when unlimited.
  std::string text() const;
};
constexpr NumberRange number_between(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest};
}
constexpr NumberRange number_at_least(double lowest) {
  return {.lowest = lowest};
}
constexpr NumberRange number_above(double lowest, double highest = std::numeric_limits<double>::infinity()) {
  return {.lowest = lowest, .highest = highest, .open_lowest = true};
}
constexpr NumberRange even_number_between(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest, .even = true};
}

// The value of a setting, of whichever type: words also stand for "no number".
using SettingData = std::variant<bool, double, std::string>;
std::string to_text(const SettingData& data);

inline constexpr const char* k_automatic = "automatic";  // chosen when the run begins
inline constexpr const char* k_unlimited = "unlimited";  // infinity

struct SettingInfo {
  enum class Type : std::uint8_t { number, integer, boolean, word };
  std::string key;
  Type type = Type::number;
  std::string unit;  // "-" for dimensionless; empty for words
  std::string meaning;
  NumberRange range = {};               // of numbers
  std::vector<std::string> words = {};  // all that are allowed; of a number: those instead of one
  std::string noun = {};                // of words that name something: what, "stepper"
  std::string fallback = {};            // the default as text
};

// What is wrong with the value: "is 1.1; allowed: 0 … 1". Empty: nothing.
std::string check_setting(const SettingInfo& info, const SettingData& data);
// "> 0 … 0.01 or automatic", "newton, poisson, simplified".
std::string allowed_text(const NumberRange& range, const std::vector<std::string>& words);

// A setting that is a member of Owner, or of one of its members.
template <typename Owner>
struct SettingKey : SettingInfo {
  std::function<SettingData(const Owner&)> get;
  std::function<void(Owner&, const SettingData&)> set;
};

[[noreturn]] void throw_bad_setting(const std::string& table, const SettingInfo& info,
                                    const std::string& mistake);
// Throws InputError for the first value that is not allowed: "'rho' of stepper is 1.1; allowed: 0 … 1".
template <typename Owner>
void require_settings(const std::string& table, const std::vector<SettingKey<Owner>>& keys,
                      const Owner& owner) {
  for (const SettingKey<Owner>& key : keys)
    if (const std::string mistake = check_setting(key, key.get(owner)); !mistake.empty())
      throw_bad_setting(table, key, mistake);
}

namespace setting_detail {

template <typename T>
struct Plain {
  using type = T;
  static constexpr bool optional = false;
};
template <typename T>
struct Plain<std::optional<T>> {
  using type = T;
  static constexpr bool optional = true;
};

// The last member of a path.
template <typename Owner, typename First, typename... Rest>
auto& member_at(Owner& owner, First first, Rest... rest) {
  return ((owner.*first).*....*rest);
}
template <typename Owner, typename... Path>
using MemberAt = std::remove_cvref_t<decltype(member_at(std::declval<Owner&>(), std::declval<Path>()...))>;

SettingData number_data(double value);
double number_of(const SettingData& data);

// Joins the info with the member: `encode` and `decode` are of the type without optional.
template <typename Owner, typename Encode, typename Decode, typename... Path>
SettingKey<Owner> bind_key(SettingInfo info, Encode encode, Decode decode, Path... path) {
  using Member = MemberAt<Owner, Path...>;
  SettingKey<Owner> out{std::move(info), {}, {}};
  if constexpr (Plain<Member>::optional) {
    out.words.emplace_back(k_automatic);
    out.get = [=](const Owner& owner) {
      const Member& member = member_at(owner, path...);
      return member ? encode(*member) : SettingData(std::string(k_automatic));
    };
    out.set = [=](Owner& owner, const SettingData& data) {
      const auto* word = std::get_if<std::string>(&data);
      Member& member = member_at(owner, path...);
      if (word != nullptr && *word == k_automatic)
        member.reset();
      else
        member = decode(data);
    };
  } else {
    out.get = [=](const Owner& owner) { return encode(member_at(owner, path...)); };
    out.set = [=](Owner& owner, const SettingData& data) { member_at(owner, path...) = decode(data); };
  }
  out.fallback = to_text(out.get(Owner{}));
  return out;
}

}  // namespace setting_detail

// A double, or a whole number where the member is an int; either may be optional.
template <typename Owner, typename First, typename... Rest>
SettingKey<Owner> number_key(std::string key, std::string unit, NumberRange range, std::string meaning,
                             First Owner::*first, Rest... rest) {
  using namespace setting_detail;
  using Number = typename Plain<MemberAt<Owner, First Owner::*, Rest...>>::type;
  return bind_key<Owner>(
      {.key = std::move(key),
       .type = std::is_integral_v<Number> ? SettingInfo::Type::integer : SettingInfo::Type::number,
       .unit = std::move(unit),
       .meaning = std::move(meaning),
       .range = range},
      [](Number x) { return number_data(x); },
      [](const SettingData& data) { return static_cast<Number>(number_of(data)); }, first, rest...);
}

// A double that may be infinite, which is called `unlimited`.
template <typename Owner, typename First, typename... Rest>
SettingKey<Owner> limit_key(std::string key, std::string unit, NumberRange range, std::string meaning,
                            First Owner::*first, Rest... rest) {
  SettingKey<Owner> out =
      number_key(std::move(key), std::move(unit), range, std::move(meaning), first, rest...);
  out.words.emplace_back(k_unlimited);
  return out;
}

template <typename Owner, typename First, typename... Rest>
SettingKey<Owner> flag_key(std::string key, std::string meaning, First Owner::*first, Rest... rest) {
  return setting_detail::bind_key<Owner>(
      {.key = std::move(key), .type = SettingInfo::Type::boolean, .meaning = std::move(meaning)},
      [](bool x) { return SettingData(x); }, [](const SettingData& data) { return std::get<bool>(data); },
      first, rest...);
}

template <typename Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

// An enum, by words. A value that has no word is shown as its number, and refused.
template <typename Enum, typename Owner, typename First, typename... Rest>
SettingKey<Owner> choice_key(std::string key, Words<Enum> words, std::string meaning, First Owner::*first,
                             Rest... rest) {
  SettingInfo info{.key = std::move(key), .type = SettingInfo::Type::word, .meaning = std::move(meaning)};
  for (const auto& word : words) info.words.push_back(word.first);
  const auto encode = [words](Enum x) {
    for (const auto& [word, value] : words)
      if (value == x) return SettingData(word);
    return SettingData("number " + std::to_string(static_cast<int>(x)));
  };
  const auto decode = [words](const SettingData& data) {
    for (const auto& [word, value] : words)
      if (word == std::get<std::string>(data)) return value;
    throw std::logic_error("no option '" + std::get<std::string>(data) + "'");
  };
  return setting_detail::bind_key<Owner>(std::move(info), encode, decode, first, rest...);
}

// A name out of a list of things called `noun`.
template <typename Owner, typename First, typename... Rest>
SettingKey<Owner> name_key(std::string key, std::string noun, std::vector<std::string> names,
                           std::string meaning, First Owner::*first, Rest... rest) {
  return setting_detail::bind_key<Owner>(
      {.key = std::move(key),
       .type = SettingInfo::Type::word,
       .meaning = std::move(meaning),
       .words = std::move(names),
       .noun = std::move(noun)},
      [](const std::string& x) { return SettingData(x); },
      [](const SettingData& data) { return std::get<std::string>(data); }, first, rest...);
}

// The same setting, of a struct that has the Owner as a member.
template <typename Outer, typename Owner, typename... Path>
SettingKey<Outer> lift_key(const SettingKey<Owner>& key, Path... path) {
  SettingKey<Outer> out{key, {}, {}};
  out.get = [get = key.get, path...](const Outer& outer) {
    return get(setting_detail::member_at(outer, path...));
  };
  out.set = [set = key.set, path...](Outer& outer, const SettingData& data) {
    set(setting_detail::member_at(outer, path...), data);
  };
  return out;
}

}  // namespace delassus
