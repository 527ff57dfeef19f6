// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace delassus {
namespace {

// Up to this many velocities, joint rows and contact rows `describe` prints every number.
constexpr int k_small = 12;

// In the order of ConeKind.
constexpr std::array<const char*, 6> k_kinds = {"nonnegative", "coulomb", "polyhedral",
                                                "box",         "convex",  "equality"};

// The checks return what is wrong, or nothing.
std::string check_size(const char* what, Eigen::Index size, const char* expected_what,
                       Eigen::Index expected) {
  if (size == expected) return {};
  return fmt::format("{} is {}, but {} is {}", what, size, expected_what, expected);
}

std::string check_columns(const char* what, const BlockRows& rows, int nv) {
  if (rows.num_groups() == 0) return {};
  return check_size(what, rows.columns(), "the size of A", nv);
}

std::string check_layout(const char* what, const BlockRows& directions, const BlockRows& rows) {
  if (directions.num_groups() != rows.num_groups())
    return fmt::format("{} has {} groups, but the rows have {}", what, directions.num_groups(),
                       rows.num_groups());
  for (int i = 0; i < rows.num_groups(); ++i)
    if (directions.group_rows(i) != rows.group_rows(i))
      return fmt::format("group {} of {} has {} rows, but that of the rows has {}", i, what,
                         directions.group_rows(i), rows.group_rows(i));
  return {};
}

}  // namespace

double LocalProblem::velocity_floor() const {
  // Times a tolerance of 1e-10 some fifty machine epsilons: round-off of sums of a dozen terms, and of the velocities in them.
  constexpr double share = 1e-4;
  return terms.size() > 0 ? share * terms.maxCoeff() : 0.0;
}

double LocalProblem::contact_mass(int contact) const {
  const double trace = W.diagonal(contact).trace();
  return trace > 0 ? W.dim(contact) / trace : std::numeric_limits<double>::infinity();
}

std::string check_cone(const Cone& cone) {
  if (!std::isfinite(cone.mu) || cone.mu < 0)
    return fmt::format("mu is {}, it must be finite and not negative", cone.mu);
  if (!std::isfinite(cone.extra_normal) || cone.extra_normal < 0)
    return fmt::format("extra_normal is {}, it must be finite and not negative", cone.extra_normal);
  if (!std::isfinite(cone.angle)) return fmt::format("angle is {}, it must be finite", cone.angle);
  switch (cone.kind) {
    case ConeKind::nonnegative:
      if (cone.dim != 1) return fmt::format("a nonnegative cone has dim 1, not {}", cone.dim);
      return {};
    case ConeKind::coulomb:
    case ConeKind::convex:
      if (cone.dim < 2 || cone.dim > k_max_cone_dim)
        return fmt::format("a circular friction cone has dim 2 to {}, not {}", k_max_cone_dim, cone.dim);
      if (!std::isfinite(cone.mu_rolling) || cone.mu_rolling < 0)
        return fmt::format("mu_rolling is {}, it must be finite and not negative", cone.mu_rolling);
      if (!std::isfinite(cone.mu_spinning) || cone.mu_spinning < 0)
        return fmt::format("mu_spinning is {}, it must be finite and not negative", cone.mu_spinning);
      return {};
    case ConeKind::equality:
      if (cone.dim < 1 || cone.dim > k_max_cone_dim)
        return fmt::format("an equality has dim 1 to {}, not {}", k_max_cone_dim, cone.dim);
      return {};
    case ConeKind::polyhedral:
      if (cone.dim != 2 && cone.dim != 3)
        return fmt::format("a polyhedral cone has dim 2 or 3, not {}", cone.dim);
      if (cone.dim == 2 && cone.num_directions != 2)
        return fmt::format("a planar polyhedral cone has 2 directions, not {}", cone.num_directions);
      if (cone.polygon) {
        if (cone.dim != 3) return fmt::format("a cone with a polygon has dim 3, not {}", cone.dim);
        if (cone.num_directions != cone.polygon->size())
          return fmt::format("a cone with {} directions has a polygon of {} corners", cone.num_directions,
                             cone.polygon->size());
        return {};
      }
      if (cone.num_directions < 2 || cone.num_directions % 2 != 0)
        return fmt::format("a polyhedral cone has an even number of directions, 2 or more, not {}",
                           cone.num_directions);
      return {};
    case ConeKind::box:
      if (cone.dim != 1) return fmt::format("a box has dim 1, not {}", cone.dim);
      if (!std::isfinite(cone.bound) || cone.bound < 0)
        return fmt::format("bound is {}, it must be finite and not negative", cone.bound);
      return {};
  }
  return fmt::format("{} is not a kind of cone", static_cast<int>(cone.kind));
}

namespace {

std::string check_contacts(const Problem& problem) {
  if (problem.Ht.num_groups() != problem.num_contacts())
    return fmt::format("Ht has {} groups, but there are {} cones", problem.Ht.num_groups(),
                       problem.num_contacts());
  for (int c = 0; c < problem.num_contacts(); ++c) {
    if (const std::string wrong = check_cone(problem.cones[c]); !wrong.empty())
      return fmt::format("cone {}: {}", c, wrong);
    if (problem.Ht.group_rows(c) != problem.cones[c].dim)
      return fmt::format("group {} of Ht has {} rows, but its cone has dim {}", c, problem.Ht.group_rows(c),
                         problem.cones[c].dim);
  }
  return {};
}

std::string check_consistent(const Problem& problem) {
  const int nv = problem.A.size();
  std::string wrong = check_size("the size of p", problem.p.size(), "the size of A", nv);
  const auto then = [&](const auto& check) {
    if (wrong.empty()) wrong = check();
  };
  then([&] { return check_columns("the number of columns of Gt", problem.Gt, nv); });
  then([&] {
    return check_size("the size of g", problem.g.size(), "the number of rows of Gt", problem.Gt.rows());
  });
  then([&] {
    return check_size("the size of C", problem.C.size(), "the number of rows of Gt", problem.Gt.rows());
  });
  then([&] { return check_columns("the number of columns of Ht", problem.Ht, nv); });
  then([&] {
    return check_size("the size of w", problem.w.size(), "the number of rows of Ht", problem.Ht.rows());
  });
  then([&] { return check_contacts(problem); });
  if (!problem.separate_directions) return wrong;
  then([&] { return check_columns("the number of columns of G_directions", problem.G_directions, nv); });
  then([&] { return check_layout("G_directions", problem.G_directions, problem.Gt); });
  then([&] { return check_columns("the number of columns of H_directions", problem.H_directions, nv); });
  then([&] { return check_layout("H_directions", problem.H_directions, problem.Ht); });
  return wrong;
}

std::string counted(Eigen::Index count, const char* singular, const char* plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string describe_cones(const std::vector<Cone>& cones) {
  std::array<int, k_kinds.size()> counts{};
  double mu_min = 0, mu_max = 0;
  bool friction = false;
  for (const Cone& cone : cones) {
    ++counts[static_cast<std::size_t>(cone.kind)];
    if (cone.kind == ConeKind::nonnegative || cone.kind == ConeKind::box) continue;
    mu_min = friction ? std::min(mu_min, cone.mu) : cone.mu;
    mu_max = friction ? std::max(mu_max, cone.mu) : cone.mu;
    friction = true;
  }
  std::string text = "cones:";
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0) text += fmt::format(" {} {}", counts[k], k_kinds[k]);
  if (friction) text += fmt::format("; mu {} … {}", mu_min, mu_max);
  return text + "\n";
}

bool is_finite(const BlockMatrix& matrix) {
  for (int b = 0; b < matrix.num_blocks(); ++b)
    if (!matrix.block(b).allFinite()) return false;
  return true;
}

bool is_finite(const BlockRows& rows) {
  for (int g = 0; g < rows.num_groups(); ++g)
    for (int b = 0; b < rows.num_blocks(g); ++b)
      if (!rows.block(g, b).allFinite()) return false;
  return true;
}

std::string describe_not_finite(const Problem& problem) {
  std::string names;
  const auto note = [&](bool finite, const char* name) {
    if (!finite) names += std::string(names.empty() ? "" : ", ") + name;
  };
  note(is_finite(problem.A), "A");
  note(problem.p.allFinite(), "p");
  note(is_finite(problem.Gt), "Gt");
  note(problem.g.allFinite(), "g");
  note(problem.C.allFinite(), "C");
  note(is_finite(problem.Ht), "Ht");
  note(problem.w.allFinite(), "w");
  note(is_finite(problem.G_directions), "G_directions");
  note(is_finite(problem.H_directions), "H_directions");
  return names.empty() ? names : "not finite: " + names + "\n";
}

void print(std::ostream& out, const char* name, const Matrix& values) {
  static const Eigen::IOFormat format(9, 0, "  ", "\n", "  ", "");
  if (values.size() > 0) out << name << " =\n" << values.format(format) << '\n';
}

void print(std::ostream& out, const char* name, const BlockRows& rows) {
  Matrix transposed;
  rows.to_dense_transposed(transposed);
  print(out, name, Matrix(transposed.transpose()));
}

std::string describe_numbers(const Problem& problem) {
  std::ostringstream out;
  Matrix A;
  problem.A.to_dense(A);
  print(out, "A", A);
  print(out, "pᵀ", Matrix(problem.p.transpose()));
  print(out, "Gᵀ", problem.Gt);
  print(out, "gᵀ", Matrix(problem.g.transpose()));
  print(out, "Cᵀ", Matrix(problem.C.transpose()));
  print(out, "Hᵀ", problem.Ht);
  print(out, "wᵀ", Matrix(problem.w.transpose()));
  if (problem.separate_directions) {
    print(out, "G_directionsᵀ", problem.G_directions);
    print(out, "H_directionsᵀ", problem.H_directions);
  }
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const Cone& cone = problem.cones[c];
    out << fmt::format("cone {}: {}, dim {}, mu {}", c, k_kinds[static_cast<std::size_t>(cone.kind)],
                       cone.dim, cone.mu);
    if (cone.kind == ConeKind::polyhedral)
      out << fmt::format(", {} directions from {} rad, extra_normal {}", cone.num_directions, cone.angle,
                         cone.extra_normal);
    if (cone.kind == ConeKind::box) out << fmt::format(", bound {}", cone.bound);
    out << '\n';
  }
  return out.str();
}

}  // namespace

void require_consistent(const Problem& problem) {
  if (const std::string wrong = check_consistent(problem); !wrong.empty())
    throw std::invalid_argument("inconsistent problem: " + wrong);
}

std::string describe(const Problem& problem) {
  std::string text = fmt::format("one-step problem: {}, {} in {}, {} in {}\n",
                                 counted(problem.A.size(), "velocity", "velocities"),
                                 counted(problem.Gt.rows(), "joint row", "joint rows"),
                                 counted(problem.Gt.num_groups(), "group", "groups"),
                                 counted(problem.Ht.rows(), "contact row", "contact rows"),
                                 counted(problem.num_contacts(), "contact", "contacts"));
  text += fmt::format("A: {} in {}; impulses {}\n", problem.symmetric ? "symmetric" : "not symmetric",
                      counted(problem.A.num_blocks(), "block", "blocks"),
                      problem.separate_directions ? "along separate directions" : "along the rows");
  text += describe_not_finite(problem);
  if (const std::string wrong = check_consistent(problem); !wrong.empty())
    return text + "inconsistent: " + wrong + "\n";
  if (problem.num_contacts() > 0) text += describe_cones(problem.cones);
  if (problem.A.size() <= k_small && problem.Gt.rows() <= k_small && problem.Ht.rows() <= k_small)
    text += describe_numbers(problem);
  return text;
}

}  // namespace delassus
