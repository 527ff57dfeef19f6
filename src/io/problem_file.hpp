// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Problem files of any format: FCLIB (io/fclib.hpp), the text of Siconos (io/siconos_text.hpp), ours (problems/problem.hpp,
// global or local). The format is told by the content, never by the name.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "delassus/io/stored_problem.hpp"

namespace delassus {

using AnyProblem = std::variant<StoredProblem, Problem, LocalProblem>;

// Throws InputError with the file and what is allowed there.
AnyProblem read_problem_file(const std::string& path);
// By the ending of the name: .hdf5 or .h5 FCLIB, .dat Siconos, .txt ours. Problems are converted where the format cannot
// hold them as they are; those that no conversion fits are InputErrors.
void write_problem_file(const std::string& path, const AnyProblem& problem);
// The local problem that solvers take; `name` stands in front of errors.
LocalProblem to_local(const AnyProblem& problem, const std::string& name);
// Files in a directory that are problems, sorted: all that end with .hdf5, .h5 or .dat, and those ending with .txt that
// start as ours do.
std::vector<std::string> list_problem_files(const std::string& directory);

}  // namespace delassus
