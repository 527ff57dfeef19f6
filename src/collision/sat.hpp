// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The depth of two polytopes: the greatest s(n) over all directions in which the difference C = B − A has a face,
//
//   n = normals of the faces of A, those of B reversed, ± u_a × u_b of edges whose arcs of normals cross          (1)
//
// Exact where they overlap, since the point of the border of C next to the origin lies in a face; where they are apart
// a lower bound, met when a face of one or two crossing edges are nearest. No direction comes from the positions, so
// that nothing is lost where bodies touch. Arcs that nearly cross are tried as well: any n is a valid bound.
// Source: [Gottschalk96], arcs of normals after [Gregorius13].
// Cost: faces × vertices + edges × edges; 15 directions for boxes. Does not allocate.
#pragma once
#include "delassus/collision/convex_pair.hpp"

namespace delassus {

// `pair` of two polytopes (points, segments and boxes included); at least one has faces.
BestDirection separate_polytopes(const ConvexPair& pair);
// The greatest s(n) of the normals of all faces, disks included, of any two solids.
BestDirection separate_by_faces(const ConvexPair& pair);
// `pair` of two boxes.
BestDirection separate_boxes(const ConvexPair& pair);

}  // namespace delassus
