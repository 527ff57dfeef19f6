// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction problems in HDF5 as the library FCLIB lays them out [Acary 2014]:
//
//   /fclib_local           spacedim, W, optional V and R, vectors/{q, mu, s}, info
//   /fclib_global          spacedim, M, H, optional G, vectors/{f, w, mu, b}, info
//   /fclib_global_rolling  the same and vectors/mu_r
//   /solution/{v, u, r, l}, /guesses/…
//
//   matrix: m, n, nz, nzmax, p, i, x     nz ≥ 0: triplets, i the row and p the column (as files have it; the comments of
//   fclib.h say the opposite), duplicates add; nz = −1: compressed columns; nz = −2: compressed rows
//   info: texts title, description, math_info and attributes
//
// Stored solutions and guesses are not read: most of those in circulation are wrong.
#pragma once
#include <string>

#include "delassus/io/stored_problem.hpp"

namespace delassus {

// Throws InputError with file, dataset and what is allowed.
StoredProblem read_fclib(const std::string& path);
// Matrices by compressed columns. `solution`, when given, in the layout of the problem (see to_stored) becomes /solution.
// Throws InputError when the problem is not consistent or the file cannot be written; then nothing is left behind.
void write_fclib(const std::string& path, const StoredProblem& problem, const Solution* solution = nullptr);

}  // namespace delassus
