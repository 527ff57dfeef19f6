// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What the structure of the factors of a saddle point [A −D; R C] depends on, as numbers that can be compared: the sizes and places of
// the blocks of A and of the rows. Equal numbers: order and structure can be kept.
#pragma once
#include <vector>

#include "delassus/linalg/block_matrix.hpp"
#include "delassus/linalg/block_rows.hpp"

namespace delassus {

// `directions`: Dᵀ, the rows themselves where D = Rᵀ.
void describe_saddle_layout(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                            std::vector<int>& out);

}  // namespace delassus
