// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/linalg/saddle_layout.hpp"

namespace delassus {
namespace {

void describe_rows(const BlockRows& rows, std::vector<int>& out) {
  out.push_back(rows.num_groups());
  for (int g = 0; g < rows.num_groups(); ++g) {
    out.push_back(rows.group_rows(g));
    out.push_back(rows.num_blocks(g));
    for (int b = 0; b < rows.num_blocks(g); ++b) {
      out.push_back(rows.block_column(g, b));
      out.push_back(static_cast<int>(rows.block(g, b).cols()));
    }
  }
}

}  // namespace

void describe_saddle_layout(const BlockMatrix& A, const BlockRows& rows, const BlockRows& directions,
                            std::vector<int>& out) {
  out.clear();
  out.push_back(A.size());
  out.push_back(A.num_blocks());
  for (int b = 0; b < A.num_blocks(); ++b) {
    out.push_back(A.block_row(b));
    out.push_back(A.block_column(b));
    out.push_back(static_cast<int>(A.block(b).rows()));
    out.push_back(static_cast<int>(A.block(b).cols()));
  }
  describe_rows(rows, out);
  out.push_back(&rows == &directions ? 1 : 0);
  if (&rows != &directions) describe_rows(directions, out);
}

}  // namespace delassus
