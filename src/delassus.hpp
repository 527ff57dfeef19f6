// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything a program against the library needs.
#pragma once
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/recorder/pair_forces.hpp"
#include "delassus/recorder/recorder.hpp"
#include "delassus/recorder/recording.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/scene/decode.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/equilibrium.hpp"
#include "delassus/steppers/linearization.hpp"
#include "delassus/system/lagrangian.hpp"
