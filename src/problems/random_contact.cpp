// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/random_contact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <stdexcept>

#include "delassus/base/error.hpp"
#include "delassus/problems/as_lcp.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {
namespace {

class Random {
 public:
  // Neighbouring (stream, i) give unrelated numbers.
  Random(std::uint64_t stream, std::uint64_t i) : engine_(stream * 0x9e3779b97f4a7c15u + i) {}
  // Written out, because the distributions of the library differ between implementations.
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Matrix matrix(Eigen::Index rows, Eigen::Index columns) {
    Matrix a(rows, columns);
    for (Eigen::Index j = 0; j < columns; ++j)
      for (Eigen::Index i = 0; i < rows; ++i) a(i, j) = uniform(-1, 1);
    return a;
  }
  Vector vector(Eigen::Index size) { return matrix(size, 1); }

 private:
  std::mt19937_64 engine_;
};

// The stream of a class is its name, so that a new class changes no other.
std::uint64_t hash(const std::string& name) {
  std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

struct Contact {
  Cone cone;
  Matrix rows;  // of Hᵀ, dim × width
};

Contact make_contact(Random& random, Eigen::Index width, int num_directions, double mu) {
  Contact contact;
  const int dim = num_directions == 0 ? 1 : num_directions == 2 ? 2 : 3;
  contact.rows = random.matrix(dim, width);
  const bool round = random.integer(0, 2) == 0;
  if (round) contact.rows = contact.rows.array().round().matrix();
  contact.cone.dim = dim;
  if (dim == 1) return contact;
  contact.cone.kind = ConeKind::polyhedral;
  contact.cone.mu = mu;
  contact.cone.num_directions = num_directions;
  if (dim == 3 && !round) contact.cone.angle = random.uniform(-std::numbers::pi, std::numbers::pi);
  return contact;
}

Matrix make_step_matrix(Random& random, const ProblemClass& problem_class, int nv) {
  const Matrix L = random.matrix(nv, nv);
  Matrix A = L * L.transpose() + 0.1 * Matrix::Identity(nv, nv);
  if (problem_class.mass_ratio > 1) {
    const double half = 0.5 * std::log10(problem_class.mass_ratio);
    Vector mass(nv);
    for (int i = 0; i < nv; ++i) mass[i] = std::pow(10.0, random.uniform(-half, half));
    mass[0] = std::pow(10.0, -half);
    mass[nv - 1] = std::pow(10.0, half);
    A = mass.asDiagonal();
  }
  if (problem_class.skew) {
    const Matrix S = 3 * random.matrix(nv, nv);
    A += S - S.transpose();
  }
  return A;
}

}  // namespace

const std::vector<ProblemClass>& problem_classes() {
  static const std::vector<ProblemClass> classes = {
      {.name = "symmetric", .meaning = "symmetric positive definite A"},
      {.name = "skew", .meaning = "A with a large skew part, as gyroscopic forces make it", .skew = true},
      {.name = "high_friction", .meaning = "1 ≤ μ ≤ 10", .mu_min = 1, .mu_max = 10},
      {.name = "frictionless", .meaning = "friction directions, but μ = 0", .mu_max = 0},
      {.name = "duplicated", .meaning = "every contact twice", .copies = 2},
      {.name = "redundant_joints", .meaning = "every joint row twice", .joints = true},
      {.name = "opposed",
       .meaning = "every contact again with the opposite normal",
       .copies = 2,
       .opposed = true},
      {.name = "resting", .meaning = "p = 0: the solution is rest", .resting = true},
      {.name = "mass_ratio", .meaning = "masses from 1e-3 to 1e3 kg", .mass_ratio = 1e6},
      {.name = "combined",
       .meaning = "larger, masses from 1e-3 to 1e3 kg, 1 ≤ μ ≤ 10, every contact three times, once opposed",
       .mu_min = 1,
       .mu_max = 10,
       .mass_ratio = 1e6,
       .max_velocities = 18,
       .max_contacts = 6,
       .copies = 3,
       .opposed = true},
      {.name = "mass_ratio_joints",
       .meaning = "masses from 1e-3 to 1e3 kg and every joint row twice",
       .mass_ratio = 1e6,
       .joints = true},
  };
  return classes;
}

const ProblemClass& find_problem_class(const std::string& name) {
  std::string known;
  for (const ProblemClass& problem_class : problem_classes()) {
    if (problem_class.name == name) return problem_class;
    known += (known.empty() ? "" : ", ") + problem_class.name;
  }
  throw InputError("there is no problem class '" + name + "'; allowed: " + known);
}

Problem make_random_problem(const ProblemClass& problem_class, int i) {
  Random random(hash(problem_class.name), static_cast<std::uint64_t>(i));
  const int nv = random.integer(3, problem_class.max_velocities);
  const int nc = random.integer(1, problem_class.max_contacts);
  const int num_directions = 2 * random.integer(1, 3);

  Problem problem;
  const Matrix A = make_step_matrix(random, problem_class, nv);
  problem.A.clear(nv);
  problem.A.add_block(0, 0, nv, nv) = A;
  problem.symmetric = !problem_class.skew;
  problem.p = problem_class.resting ? Vector(Vector::Zero(nv)) : Vector(A * random.vector(nv));

  problem.Gt.clear(nv);
  if (problem_class.joints) {
    const int rows = random.integer(1, 2);
    const Matrix once = random.matrix(rows, nv);
    for (const double factor : {1.0, 2.0}) {
      problem.Gt.add_group(rows);
      problem.Gt.add_block(0, nv) = factor * once;
    }
  }
  problem.g.setZero(problem.Gt.rows());
  problem.C.setZero(problem.Gt.rows());

  std::vector<Contact> contacts;
  for (int c = 0; c < nc; ++c) {
    const double mu = random.uniform(problem_class.mu_min, problem_class.mu_max);
    contacts.push_back(make_contact(random, nv, num_directions, mu));
  }
  problem.Ht.clear(nv);
  for (int copy = 0; copy < problem_class.copies; ++copy)
    for (const Contact& contact : contacts) {
      problem.Ht.add_group(contact.cone.dim);
      BlockRows::Block rows = problem.Ht.add_block(0, nv);
      rows = contact.rows;
      if (problem_class.opposed && copy == 1) rows.row(0) *= -1;
      problem.cones.push_back(contact.cone);
    }
  problem.w.setZero(problem.Ht.rows());
  return problem;
}

Problem make_contact_heap(int n, int i) {
  Random random(hash("heap") + static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(i));
  constexpr int k_directions = 4, k_lcp_size = k_directions + 2, k_body = 6, k_contacts_per_body = 3;
  const int frictional = n / k_lcp_size;
  const int nc = frictional + n % k_lcp_size;
  const int nb = std::max(1, nc / k_contacts_per_body);

  Problem problem;
  problem.A.clear(k_body * nb);
  for (int a = 0; a < nb; ++a) problem.A.add_block(k_body * a, k_body * a, k_body, k_body).setIdentity();
  problem.p = random.vector(k_body * nb);
  problem.Gt.clear(k_body * nb);
  problem.g.resize(0);
  problem.C.resize(0);
  problem.Ht.clear(k_body * nb);
  for (int c = 0; c < nc; ++c) {
    const int a = c % nb;
    const int b = random.integer(-1, nb - 1);  // −1: the ground
    const double mu = random.uniform(0, 1);
    const int directions = c < frictional ? k_directions : 0;
    const Contact first = make_contact(random, k_body, directions, mu);
    const Contact second = make_contact(random, k_body, directions, mu);
    problem.Ht.add_group(first.cone.dim);
    problem.Ht.add_block(k_body * a, k_body) = first.rows;
    if (b >= 0 && b != a) problem.Ht.add_block(k_body * b, k_body) = second.rows;
    problem.cones.push_back(first.cone);
  }
  problem.w.setZero(problem.Ht.rows());
  return problem;
}

Lcp make_lcp(const Problem& problem) {
  Reduction reduction;
  if (!reduction.compute(problem)) throw std::invalid_argument("the step matrix is not positive definite");
  Lcp lcp;
  local_as_lcp(reduction.local(), lcp);
  return lcp;
}

}  // namespace delassus
