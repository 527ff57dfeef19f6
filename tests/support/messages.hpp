// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call that should be refused says.
#pragma once
#include <string>

#include "delassus/base/error.hpp"

namespace delassus::testing {

// The text of the InputError that the call ends with.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace delassus::testing
