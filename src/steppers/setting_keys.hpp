// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of a stepper, its contact law and its impact law: the tables `stepper`, `law` and `impact` of a scene, and
// the ranges of the members for C++ programs. A new setting is a member of StepperSettings (or of a struct in it) and
// an entry in setting_keys.cpp.
#pragma once
#include "delassus/base/setting_key.hpp"
#include "delassus/steppers/registry.hpp"

namespace delassus {

const std::vector<SettingKey<StepperSettings>>& stepper_keys();
const std::vector<SettingKey<StepperSettings>>& law_keys();
const std::vector<SettingKey<StepperSettings>>& impact_keys();

}  // namespace delassus
