// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A tree of values with the place each came from: what a YAML or JSON file is before anyone knows its
// meaning. Readers of formats fill it (io/yaml.hpp), the scene decoder gives it meaning (scene/decode.hpp),
// command-line settings change it (set_path).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "delassus/base/error.hpp"

namespace delassus {

struct DataTree {
  enum class Kind { null, boolean, number, text, list, map };

  DataTree();  // out of line: clang cannot make a default constructor here, where the pairs of `map` are incomplete

  Kind kind = Kind::null;
  Place place;
  bool boolean = false;
  double number = 0;
  std::string text;     // of a scalar: as written
  bool quoted = false;  // the scalar was quoted: it is text even if it looks like a number
  // Where a scalar goes on in another line of the file: from the character `first` of the text on.
  struct Line {
    int first, line, column;
  };
  std::vector<Line> lines;
  std::vector<DataTree> list;
  std::vector<std::pair<std::string, DataTree>> map;  // in file order
  std::vector<Place> key_places;                      // parallel to map

  // The member with this key, null when there is none.
  const DataTree* find(const std::string& key) const;
  DataTree* find(const std::string& key);
  // The place of a character of a scalar's text, counted from 0.
  Place place_of_character(int character) const;
};

const char* to_string(DataTree::Kind kind);

// A text for an error message: in quotes, cut to a readable length, without control characters.
std::string quote(const std::string& text);

// Replaces or adds the value at a path such as `stepper.step`, `bodies.m1.mass` (list elements by their name)
// or `bodies[0].mass`. Missing maps on the way are made; a missing list element is an InputError that names
// what there is.
void set_path(DataTree& root, const std::string& path, DataTree value);

}  // namespace delassus
