// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/cone_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"

namespace delassus {
namespace {

constexpr int k_max_iterations = 100;
// Gap at which to stop: what round-off leaves of an objective of size one.
constexpr double k_smallest_gap = 1e-15;
// Fraction of the way to the boundary that a step goes.
constexpr double k_step_fraction = 0.95;
// Centring that is always kept: products of slack and multiplier that vanish long before the others leave nothing to
// scale by. Cones at which both vanish (a contact that neither opens nor pushes) would make them.
constexpr double k_least_centring = 0.05;
// Added to the diagonal, relative to its largest entry of Q: redundant contacts must not stop the factorisation, nor let
// impulses drift that nothing determines. It changes the way, not the end.
constexpr double k_regularisation = 1e-14;
constexpr double k_strong_regularisation = 1e-10;  // relative to each entry, where the first does not do

// One second-order cone x_0 ≥ ‖x_tail‖ over chosen variables, its slack s, multiplier z and their scaling.
struct SecondOrderCone {
  std::vector<int> variables;  // the first one is the normal
  Vector s, z, lambda, w;      // w: the scaling point w̄, with w̄ᵀ J w̄ = 1
  double eta = 1;
  Vector ds, dz, p;

  int size() const { return static_cast<int>(variables.size()); }
  static double determinant(const Vector& x) {
    const double tail = x.tail(x.size() - 1).norm();
    return (x[0] - tail) * (x[0] + tail);
  }
  bool inside(const Vector& x) const { return x[0] > 0 && determinant(x) > 0; }

  // W x (power 1) or W⁻¹ x (power −1).
  Vector scale(const Vector& x, int power) const {
    const int n = size() - 1;
    const double sign = power;
    const double product = w.tail(n).dot(x.tail(n));
    Vector out(n + 1);
    out[0] = w[0] * x[0] + sign * product;
    out.tail(n) = x.tail(n) + (sign * x[0] + product / (1.0 + w[0])) * w.tail(n);
    return power > 0 ? Vector(eta * out) : Vector(out / eta);
  }

  bool update_scaling() {
    const double ds_ = determinant(s), dz_ = determinant(z);
    if (!inside(s) || !inside(z)) return false;
    const int n = size() - 1;
    const Vector s_bar = s / std::sqrt(ds_), z_bar = z / std::sqrt(dz_);
    const double gamma = std::sqrt(0.5 * (1.0 + s_bar.dot(z_bar)));
    w.resize(n + 1);
    w[0] = (s_bar[0] + z_bar[0]) / (2.0 * gamma);
    w.tail(n) = (s_bar.tail(n) - z_bar.tail(n)) / (2.0 * gamma);
    eta = std::pow(ds_ / dz_, 0.25);
    lambda = scale(z, 1);
    return lambda.allFinite() && std::isfinite(eta) && eta > 0;
  }

  // λ \ d of the Jordan product.
  Vector divide(const Vector& d) const {
    const int n = size() - 1;
    Vector out(n + 1);
    out[0] = (lambda[0] * d[0] - lambda.tail(n).dot(d.tail(n))) / determinant(lambda);
    out.tail(n) = (d.tail(n) - out[0] * lambda.tail(n)) / lambda[0];
    return out;
  }
  static Vector product(const Vector& a, const Vector& b) {
    const int n = static_cast<int>(a.size()) - 1;
    Vector out(n + 1);
    out[0] = a.dot(b);
    out.tail(n) = a[0] * b.tail(n) + b[0] * a.tail(n);
    return out;
  }

  // Largest α ≤ 1 with x + α dx inside.
  static double longest_step(const Vector& x, const Vector& dx) {
    const int n = static_cast<int>(x.size()) - 1;
    double most = 1.0;
    if (dx[0] < 0) most = std::min(most, -x[0] / dx[0]);
    if (n == 0) return most;
    // det(x + α dx) = a α² + 2 b α + c, c > 0
    const double a = dx[0] * dx[0] - dx.tail(n).squaredNorm(), b = x[0] * dx[0] - x.tail(n).dot(dx.tail(n)),
                 c = determinant(x), d = b * b - a * c;
    if (d < 0) return most;
    // The smallest positive root, in the form without cancellation.
    const double q = -(b + std::copysign(std::sqrt(d), b));
    for (const double root : {q != 0 ? c / q : -1.0, a != 0 ? q / a : -1.0})
      if (root > 0) most = std::min(most, root);
    return most;
  }
};

class Program {
 public:
  Program(const Matrix& Q, const Vector& c, const std::vector<Cone>& cones,
          const std::vector<int>& first_rows, bool friction)
      : rows_(Q.rows()) {
    for (std::size_t i = 0; i < cones.size(); ++i) add(cones[i], first_rows[i], friction);
    const int n = static_cast<int>(row_of_.size());
    Q_.resize(n, n);
    c_.resize(n);
    for (int i = 0; i < n; ++i) {
      c_[i] = factor_[i] * c[row_of_[i]];
      for (int j = 0; j < n; ++j) Q_(i, j) = factor_[i] * factor_[j] * Q(row_of_[i], row_of_[j]);
    }
  }

  ConeProgramResult solve() {
    ConeProgramResult result;
    if (normals_.empty()) return result;
    start();
    Vector best = x_;
    double best_gap = gap();
    for (int i = 0; i < k_max_iterations && best_gap > k_smallest_gap; ++i) {
      throw_if_stop_requested();
      ++result.iterations;
      if (!step()) break;
      const double now = gap();
      // Round-off ends the progress; the best is kept.
      if (!(now < best_gap)) break;
      best_gap = now;
      best = x_;
    }
    result.gap = best_gap;
    result.x = Vector::Zero(rows_);
    double sum = 0;
    for (int v : normals_) sum += best[v];
    for (int v = 0; v < best.size(); ++v) result.x[row_of_[v]] = factor_[v] * best[v] / sum;
    return result;
  }

 private:
  int add_variable(int row, double factor) {
    row_of_.push_back(row);
    factor_.push_back(factor);
    return static_cast<int>(row_of_.size()) - 1;
  }

  // Tangential variables are measured by their bound, so that all cones are circular ones of 45 degrees.
  void add(const Cone& cone, int row, bool friction) {
    if (cone.kind == ConeKind::box) return;
    if (cone.kind == ConeKind::equality) {
      for (int k = 0; k < cone.dim; ++k) add_variable(row + k, 1.0);
      return;
    }
    const int normal = add_variable(row, 1.0);
    normals_.push_back(normal);
    Cone circular = cone;
    if (cone.kind == ConeKind::polyhedral) circular.kind = ConeKind::convex;
    const FrictionParts parts = friction_parts(circular);
    bool any = false;
    for (int p = 0; friction && p < parts.count; ++p) {
      const FrictionPart& part = parts.part[p];
      if (!(part.coefficient > 0)) continue;
      SecondOrderCone& soc = cones_.emplace_back();
      soc.variables.push_back(normal);
      for (int k = 0; k < part.size; ++k)
        soc.variables.push_back(add_variable(row + part.first + k, part.coefficient));
      any = true;
    }
    if (!any) cones_.emplace_back().variables.push_back(normal);
  }

  void start() {
    const int n = static_cast<int>(row_of_.size());
    x_.setZero(n);
    a_.setZero(n);
    std::vector<int> shared(n, 0);  // cones of a normal
    for (int v : normals_) {
      x_[v] = 1.0 / static_cast<double>(normals_.size());
      a_[v] = 1.0;
    }
    for (const SecondOrderCone& cone : cones_) ++shared[cone.variables[0]];
    // The multipliers of the start are the gradient, lifted into the cone by ν.
    const Vector gradient = Q_ * x_ + c_;
    nu_ = 0;
    for (const SecondOrderCone& cone : cones_) {
      double tail = 0;
      for (int k = 1; k < cone.size(); ++k) tail = std::hypot(tail, gradient[cone.variables[k]]);
      nu_ = std::max(nu_, 2.0 * shared[cone.variables[0]] * tail - gradient[cone.variables[0]]);
    }
    nu_ += std::max(1.0, gradient.cwiseAbs().maxCoeff());
    for (SecondOrderCone& cone : cones_) {
      const int m = cone.size();
      cone.s.resize(m);
      cone.z.resize(m);
      for (int k = 0; k < m; ++k) {
        const int v = cone.variables[k];
        cone.s[k] = x_[v];
        cone.z[k] = k == 0 ? (gradient[v] + nu_) / shared[v] : gradient[v];
      }
    }
  }

  double gap() const {
    double sum = 0;
    for (const SecondOrderCone& cone : cones_) sum += cone.s.dot(cone.z);
    return sum;
  }

  // Direction for the right sides `p` of the cones.
  void find_direction() {
    rhs_ = -residual_;
    for (SecondOrderCone& cone : cones_) {
      const Vector scaled = cone.scale(cone.p, -1);
      for (int k = 0; k < cone.size(); ++k) rhs_[cone.variables[k]] += scaled[k];
    }
    const Vector free_step = factor_of_step_.solve(rhs_);
    d_nu_ = (a_.dot(free_step) - (1.0 - a_.dot(x_))) / a_.dot(response_);
    dx_ = free_step - d_nu_ * response_;
    for (SecondOrderCone& cone : cones_) {
      cone.ds.resize(cone.size());
      for (int k = 0; k < cone.size(); ++k) cone.ds[k] = dx_[cone.variables[k]];
      cone.dz = cone.scale(cone.p - cone.scale(cone.ds, -1), -1);
    }
  }

  double longest_step() const {
    double alpha = 1.0;
    for (const SecondOrderCone& cone : cones_)
      alpha = std::min({alpha, SecondOrderCone::longest_step(cone.s, cone.ds),
                        SecondOrderCone::longest_step(cone.z, cone.dz)});
    return alpha;
  }

  bool step() {
    residual_ = Q_ * x_ + c_ + nu_ * a_;
    matrix_ = Q_;
    const double largest = Q_.size() > 0 ? Q_.cwiseAbs().maxCoeff() : 0.0;
    matrix_.diagonal().array() += k_regularisation * largest;
    for (SecondOrderCone& cone : cones_) {
      if (!cone.update_scaling()) return false;
      // W⁻² = (2 J w̄ (J w̄)ᵀ − J)/η²
      Vector jw = -cone.w;
      jw[0] = cone.w[0];
      for (int k = 0; k < cone.size(); ++k) {
        residual_[cone.variables[k]] -= cone.z[k];
        for (int l = 0; l < cone.size(); ++l) {
          const double j = k != l ? 0.0 : k == 0 ? 1.0 : -1.0;
          matrix_(cone.variables[k], cone.variables[l]) += (2.0 * jw[k] * jw[l] - j) / (cone.eta * cone.eta);
        }
      }
    }
    factor_of_step_.compute(matrix_);
    if (factor_of_step_.info() != Eigen::Success) {
      // Cones of very different scalings: round-off of the large ones hides the small ones.
      matrix_.diagonal() *= 1.0 + k_strong_regularisation;
      factor_of_step_.compute(matrix_);
      if (factor_of_step_.info() != Eigen::Success) return false;
    }
    response_ = factor_of_step_.solve(a_);

    const double mu = gap() / static_cast<double>(cones_.size());
    for (SecondOrderCone& cone : cones_) cone.p = -cone.lambda;
    find_direction();
    const double sigma = std::max(std::pow(1.0 - longest_step(), 3), k_least_centring);
    for (SecondOrderCone& cone : cones_) {
      Vector d = -SecondOrderCone::product(cone.lambda, cone.lambda) -
                 SecondOrderCone::product(cone.scale(cone.ds, -1), cone.scale(cone.dz, 1));
      d[0] += sigma * mu;
      cone.p = cone.divide(d);
    }
    find_direction();
    const double longest = longest_step(), alpha = longest < 1.0 ? k_step_fraction * longest : 1.0;
    if (!dx_.allFinite() || !std::isfinite(d_nu_) || !(alpha > 0)) return false;
    x_ += alpha * dx_;
    nu_ += alpha * d_nu_;
    for (SecondOrderCone& cone : cones_) {
      for (int k = 0; k < cone.size(); ++k) cone.s[k] = x_[cone.variables[k]];
      cone.z += alpha * cone.dz;
    }
    return std::all_of(cones_.begin(), cones_.end(), [](const SecondOrderCone& cone) {
      return cone.inside(cone.s) && cone.inside(cone.z);
    });
  }

  Eigen::Index rows_ = 0;
  std::vector<int> row_of_;     // of a variable
  std::vector<double> factor_;  // x = factor · variable
  std::vector<int> normals_;
  std::vector<SecondOrderCone> cones_;
  Matrix Q_, matrix_;
  Vector c_, a_, x_, dx_, residual_, rhs_, response_;
  double nu_ = 0, d_nu_ = 0;
  Eigen::LLT<Matrix> factor_of_step_;
};

}  // namespace

ConeProgramResult solve_cone_program(const Matrix& Q, const Vector& c, const std::vector<Cone>& cones,
                                     const std::vector<int>& first_rows, bool friction) {
  return Program(Q, c, cones, first_rows, friction).solve();
}

}  // namespace delassus
