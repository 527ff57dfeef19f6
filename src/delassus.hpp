// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything a program against the library needs; docs/cpp.md is its guide. The headers below are the interface. Others are
// installed only because these include them: they may change without a word.
#pragma once
// Scenes, simulations, results.
#include "delassus/base/error.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/front/run_files.hpp"
#include "delassus/recorder/pair_forces.hpp"
#include "delassus/recorder/recorder.hpp"
#include "delassus/recorder/recording.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"
// Models built in code, and their statics.
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/equilibrium.hpp"
#include "delassus/steppers/linearization.hpp"
#include "delassus/system/lagrangian.hpp"
// One-step problems, and solvers of one's own.
#include "delassus/problems/modes.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/problems/solver.hpp"
