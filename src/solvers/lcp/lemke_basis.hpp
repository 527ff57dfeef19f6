// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear algebra of Lemke's method: the almost complementary basis of w − M z − d z0 = q, in revised form.
//
//   basic variables {w_i, i ∈ β} ∪ {z0} ∪ {z_i, i ∈ α},   R = rows not in β,   |R| = |α| + 1 = k
//   B x = b   ⇔   K x_S = −b_R,   x_β = b_β + M_βα x_α + d_β x_0,   K = [d_R  M_Rα] (k×k), S = {z0} ∪ α (1)
//
//   The columns of basic w are unit vectors, so that only the kernel K has to be inverted. Its inverse P is
//   kept explicitly and changed by one rank-one update per pivot: bordering (z enters, w leaves), row
//   replacement of P (z for z), column replacement of P (w for w), Schur complement removal (w enters, z
//   leaves). Cost: k² + n k per direction, 2 k² per pivot, 2/3 k³ + 2 k³ per refresh. Memory: n² for P and n²
//   for the LU.
#pragma once
#include <vector>

#include "delassus/linalg/types.hpp"

namespace delassus {

// LU with partial pivoting in a buffer that only grows: no allocation for a size seen before.
class DenseLu {
 public:
  // Storage of a k×k matrix (column-major, leading dimension k), to be filled before factor().
  double* matrix(int k);
  // False where a pivot vanishes against the largest entry of its column at the start: numerically singular.
  bool factor();
  void solve(double* b) const;  // b ← A⁻¹ b
  // out ← A⁻¹, leading dimension ld.
  void compute_inverse(double* out, Eigen::Index ld);

 private:
  int k_ = 0;
  std::vector<double> lu_;
  std::vector<int> swap_;           // row exchanged with row j at step j
  std::vector<double> column_max_;  // of |A|, the measure of a vanishing pivot
  std::vector<double> panel_;       // right sides of compute_inverse, interleaved
};

// y ← y + Σ_p A(:, columns[p]) c[p]; columns null means 0, 1, 2 …
void add_columns(double* y, Eigen::Index rows, const double* A, Eigen::Index ld, const int* columns,
                 const double* c, int count);

class LemkeBasis {
 public:
  // A nonbasic variable: z_i or w_i.
  struct Variable {
    bool is_z = false;
    int i = 0;
  };
  // Where a basic variable sits: w_i has slot i, the structural ones have slots n + p; z0 is always p = 0.
  using Slot = int;

  // Begins with {w_i, i ≠ r} ∪ {z0}. M (n×n, column-major), q and d are kept by pointer and must outlive the
  // run.
  void start(int n, const double* M, const double* q, const double* d, int r);
  // Pivots between two refreshes. balance: not less than k, so that the 3 k³ of a refresh cost no more than
  // the updates, of 2 k² each, since the last one.
  void set_refresh_interval(int interval, bool balance);

  // direction ← B⁻¹ a, a the column of the entering variable; basic variables move by −t · direction.
  // Refreshes P where the residual of (1) shows that it has drifted; false when even that does not help.
  bool update_direction(Variable entering);
  // Steps by t, exchanges the variables. False when the refreshed kernel is singular.
  bool pivot(double t, Slot leaving);
  // Steps by t without exchanging anything: the last step, in which z0 leaves, or a ray.
  void advance(double t);
  // Recomputes the inverse by LU from scratch and the values from it; false when K is singular.
  bool refresh();

  int size() const { return n_; }
  int kernel_size() const { return k_; }
  Slot slot_z0() const { return n_; }
  bool is_basic_w(int i) const { return row_position_[static_cast<size_t>(i)] < 0; }
  Variable variable(Slot slot) const;
  double value(Slot slot) const { return slot < n_ ? x_w_[size_t(slot)] : x_s_[size_t(slot - n_)]; }
  double direction(Slot slot) const { return slot < n_ ? g_[size_t(slot)] : u_[size_t(slot - n_)]; }
  double max_structural_value() const;
  double max_direction() const;
  // Entry (slot, j) of B⁻¹, for the lexicographic test.
  double inverse_entry(Slot slot, int j) const;
  int factorizations() const { return factorizations_; }

 private:
  void update_values();                                                 // x = B⁻¹ q by (1)
  void solve_kernel(const double* rhs, double* out) const;              // out ← P rhs
  void residual_product(const double* structural, double* full) const;  // full += M_α x_α + d x_0
  double kernel_residual(const double* full) const;                     // max over R of |full|
  void remove_structural(int p, int t);
  double* P(int t) { return P_.data() + t * ld_; }
  const double* P(int t) const { return P_.data() + t * ld_; }

  int n_ = 0;
  int k_ = 0;
  Eigen::Index ld_ = 0;
  int interval_ = 1;
  bool balance_ = true;
  int updates_ = 0;  // since the last refresh
  int factorizations_ = 0;
  const double* M_ = nullptr;
  const double* q_ = nullptr;
  const double* d_ = nullptr;
  Variable entering_;
  std::vector<double> P_;          // K⁻¹: rows follow structural_, columns follow rows_
  std::vector<int> structural_;    // index of z at position p; structural_[0] is unused (z0)
  std::vector<int> rows_;          // R
  std::vector<int> row_position_;  // position in rows_, −1 where w_i is basic
  std::vector<double> x_w_, x_s_;  // values of the basic variables
  std::vector<double> g_, u_;      // direction, w and structural part; g_ on R is the residual of (1)
  std::vector<double> rhs_, v_, correction_;
  DenseLu lu_;
};

}  // namespace delassus
