// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction problems in the text form of Siconos (.dat), numbers between white space:
//
//   dim nc, then     local:  W, q (dim·nc), mu (nc)          global:  M, H, f (n), w (dim·nc), mu (nc)
//
//   matrix: storage rows columns, then
//     storage 0, dense:         rows columns again, values column by column
//     storage 1, sparse-block:  number of blocks, of block rows, of block columns; ends of the block rows, ends of the
//                               block columns; sizes of two index lists and the lists (compressed block rows); then each
//                               block: its number, values column by column
//
// Local and global differ by how much follows the first matrix; one more word at the end is passed over. Equality rows and rolling parts cannot be stored.
// Siconos also writes a storage 2 with 6 digits a number; it is refused.
#pragma once
#include <string>

#include "delassus/io/stored_problem.hpp"

namespace delassus {

// Throws InputError with file, line and what is allowed.
StoredProblem read_siconos_text(const std::string& path);
// In sparse blocks: contacts, and the ranges of unknowns that M does not couple with others. Numbers have 17 digits, so that
// reading gives back every bit. Throws InputError when the format cannot hold the problem.
void write_siconos_text(const std::string& path, const StoredProblem& problem);

}  // namespace delassus
