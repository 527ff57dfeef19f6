// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "delassus/base/data_tree.hpp"

namespace delassus {
namespace {

constexpr std::size_t k_longest_name = 200;  // keeps the quadratic distance cheap on garbage

// The characters of a UTF-8 text, each as its bytes packed in a number; stray bytes stand for themselves.
std::vector<unsigned> split_characters(const std::string& text) {
  std::vector<unsigned> characters;
  for (const char c : text) {
    const unsigned byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0U) == 0x80U && !characters.empty();
    if (continues) {
      characters.back() = (characters.back() << 8U) | byte;
    } else {
      characters.push_back(byte);
    }
  }
  return characters;
}

unsigned lower(unsigned c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

// Edit distance with swaps of neighbours (optimal string alignment).
std::size_t compute_distance(const std::vector<unsigned>& a, const std::vector<unsigned>& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, std::span<const std::string> known) {
  const std::vector<unsigned> exact = split_characters(name);
  if (exact.empty() || exact.size() > k_longest_name) return {};
  std::vector<unsigned> folded = exact;
  std::ranges::transform(folded, folded.begin(), lower);
  const std::size_t limit = std::max<std::size_t>(2, exact.size() / 3);

  const std::string* best = nullptr;
  std::size_t best_folded = 0;
  std::size_t best_exact = 0;
  for (const std::string& candidate : known) {
    const std::vector<unsigned> other = split_characters(candidate);
    const std::size_t longer = std::max(other.size(), exact.size());
    if (longer - std::min(other.size(), exact.size()) > limit) continue;
    std::vector<unsigned> other_folded = other;
    std::ranges::transform(other_folded, other_folded.begin(), lower);
    const std::size_t distance = compute_distance(folded, other_folded);
    if (distance > limit || distance >= longer) continue;
    const std::size_t distance_exact = compute_distance(exact, other);
    const bool nearer =
        best == nullptr || distance < best_folded || (distance == best_folded && distance_exact < best_exact);
    if (!nearer) continue;
    best = &candidate;
    best_folded = distance;
    best_exact = distance_exact;
  }
  return best == nullptr ? std::string() : *best;
}

std::string name_advice(const std::string& name, std::span<const std::string> known) {
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return "; did you mean '" + near + "'?";
  return fmt::format("; known: {}", known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

std::string unknown_name(const std::string& noun, const std::string& name,
                         std::span<const std::string> known) {
  return fmt::format("unknown {} {}{}", noun, quote(name), name_advice(name, known));
}

std::string allowed_words(const std::string& name, std::span<const std::string> words) {
  const std::string near = nearest_name(name, words);
  return fmt::format("; {}allowed: {}", near.empty() ? "" : "did you mean '" + near + "'? ",
                     fmt::join(words, ", "));
}

}  // namespace delassus
