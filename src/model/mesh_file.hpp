// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Surfaces in files: Wavefront OBJ and STL, in metres, counter-clockwise from outside.
//
// OBJ: `v x y z` and `f a b c …` with corners i, i/t, i//n or i/t/n; i counts vertices from 1, or back from −1. Polygons
// are cut into triangles from their first corner, so they must be convex. Other keywords are ignored.
// STL: text or binary (single precision); corners with the same coordinates become one vertex, their normals are ignored.
//
// Contents are parsed as they are, files are read with corners on borders that differ by round-off as one vertex (weld.hpp).
// Whether a surface is a good one says check_shape.
#pragma once
#include <string>

#include "delassus/model/shape.hpp"

namespace delassus {

// By the ending of the path, .obj or .stl. Errors are InputErrors with file, line and value.
Surface read_mesh_file(const std::string& path);
// Of the contents; `file` is for messages and Surface::file.
Surface parse_obj(const std::string& text, const std::string& file);
Surface parse_stl(const std::string& bytes, const std::string& file);

// As an OBJ file that is read back to the same bits.
std::string format_obj(const Surface& surface);

}  // namespace delassus
