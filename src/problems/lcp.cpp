// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/lcp.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace delassus {

namespace {

// Rows handled together: w of one block stays on the stack and in the first-level cache while the columns of
// M stream by, so that the residual needs neither an allocation nor strided reads.
constexpr Eigen::Index k_block_rows = 64;
// Terms M_ij z_j count up to this times the largest |q_i|: a w that is wrong by as much as q then has a
// residual of 1e-9, which no tolerance of ours accepts.
constexpr double k_largest_terms = 1e9;

}  // namespace

double compute_residual(const Lcp& lcp, const VectorRef& z) {
  const Eigen::Index n = lcp.size();
  assert(lcp.M.rows() == n && lcp.M.cols() == n && z.size() == n);
  // Maxima drop NaN, sums keep it: one sum per array decides whether everything is finite.
  if (!std::isfinite(lcp.q.sum()) || !std::isfinite(z.sum()) || !std::isfinite(lcp.M.sum()))
    return std::numeric_limits<double>::quiet_NaN();
  double worst = 0;
  double largest_q = 0;
  double largest_term = 0;  // max_ij |M_ij z_j| = max_j s_j |z_j|
  for (Eigen::Index first = 0; first < n; first += k_block_rows) {
    const Eigen::Index rows = std::min(k_block_rows, n - first);
    double w[k_block_rows];
    for (Eigen::Index i = 0; i < rows; ++i) w[i] = lcp.q[first + i];
    for (Eigen::Index j = 0; j < n; ++j) {
      if (z[j] == 0) continue;
      const double* column = lcp.M.data() + j * n + first;
      for (Eigen::Index i = 0; i < rows; ++i) w[i] += column[i] * z[j];
    }
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double s = lcp.M.col(first + i).cwiseAbs().maxCoeff();
      const double z_i = z[first + i];
      worst = std::max(worst, std::abs(std::min(z_i * s, w[i])));
      largest_q = std::max(largest_q, std::abs(lcp.q[first + i]));
      largest_term = std::max(largest_term, s * std::abs(z_i));
    }
  }
  if (largest_q > 0 && largest_term > k_largest_terms * largest_q) {
    // Round-off of the sums may hide an error of this size.
    worst = std::max(worst, std::numeric_limits<double>::epsilon() * largest_term);
    largest_term = k_largest_terms * largest_q;
  }
  const double scale = std::max(largest_q, largest_term);
  return scale > 0 ? worst / scale : 0;  // scale = 0 only where q = 0 and M z = 0: solved exactly
}

}  // namespace delassus
