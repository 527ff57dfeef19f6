// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/contact_status.hpp"

namespace delassus {

const char* to_string(ContactStatus status) {
  switch (status) {
    case ContactStatus::open:
      return "open";
    case ContactStatus::stick:
      return "stick";
    case ContactStatus::slip:
      return "slip";
  }
  return "unknown";
}

}  // namespace delassus
