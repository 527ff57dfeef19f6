// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The three modes of a contact: the word that states, problems and reports share.
#pragma once
#include <cstdint>

namespace delassus {

enum class ContactStatus : std::uint8_t { open, stick, slip };
const char* to_string(ContactStatus status);

}  // namespace delassus
