// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The nearest local maximum of s(n), by Newton's method on the pieces that are supporting:
//
//   max t   with  t ≤ g_k + q_kᵀδ + ½ δᵀ (Σ λ_k H_k) δ,     n⁺ = (n + T δ)/|n + T δ|                            (1)
//   g_k = nᵀw_k,   q_k = Tᵀ w_k,   H_k = Tᵀ ∇²(nᵀw_k) T − s(n) I                                               (2)
//
//   T: 3×2, tangents at n;  w_k(n): the points of C of the pieces k, at most four;  λ: multipliers of the last step
//
// Pieces that turn out lower than the active ones are added, in place of one with the least λ. Near a maximum between smooth
// pieces the number of digits doubles with each step, whether the bodies are apart, touch or overlap.
// Cost: about 0.2 µs a step; does not allocate.
#pragma once
#include "delassus/collision/convex_pair.hpp"

namespace delassus {

// From `start`; returns the best direction met, with the error that (1) predicts, and where the bodies are apart the
// bound |Σ λ w| − s.
BestDirection climb(const ConvexPair& pair, const BestDirection& start, double tolerance);

}  // namespace delassus
