// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// YAML (and JSON, its subset) as a DataTree with line and column of everything.
#pragma once
#include <string>

#include "delassus/base/data_tree.hpp"

namespace delassus {

// `name` is what error messages call the text. Throws InputError with the place of the first mistake;
// duplicate keys are one.
DataTree parse_yaml(const std::string& text, const std::string& name);
DataTree read_yaml_file(const std::string& path);
// The tree as YAML: maps in blocks, lists of scalars in brackets, scalars as they were written. Comments are not part of
// a tree.
std::string write_yaml(const DataTree& value);

}  // namespace delassus
