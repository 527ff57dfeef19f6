// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Suggestions for misspelt names, for error messages: "unknown name 'stifness'; did you mean 'stiffness'?".
#pragma once
#include <span>
#include <string>

namespace delassus {

// The known name nearest to `name`, or "" when none is near.
//
// Distance: insertions, deletions, substitutions and swaps of neighbours, in characters (UTF-8), upper and
// lower case alike; among equals the one that also agrees best in case, then the first in the list. Near
// means a distance of at most max(2, length/3) with at least one character kept, so that "q" is
// never taken for "t". Names longer than 200 characters are near to nothing.
std::string nearest_name(const std::string& name, std::span<const std::string> known);

// "; did you mean 'x'?", or "; known: a, b" when none is near.
std::string name_advice(const std::string& name, std::span<const std::string> known);
// "unknown stepper 'x'; did you mean 'y'?"
std::string unknown_name(const std::string& noun, const std::string& name,
                         std::span<const std::string> known);
// "; did you mean 'x'? allowed: x, y" for a word out of a short list.
std::string allowed_words(const std::string& name, std::span<const std::string> words);

}  // namespace delassus
