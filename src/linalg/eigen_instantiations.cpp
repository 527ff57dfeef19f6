// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#define DELASSUS_INSTANTIATE template
#include "delassus/linalg/eigen_instantiations.hpp"
