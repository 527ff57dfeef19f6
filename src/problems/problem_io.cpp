// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The problem files: words and hexadecimal floats between white space.
//
//   delassus-problem 1
//   symmetric 0|1   separate_directions 0|1
//   A size num_blocks, then each block: row column rows columns, values column by column
//   p size values
//   Gt columns num_groups, then each group: rows num_blocks, then each block: column width, values row by row
//   g, C, Ht, w, G_directions, H_directions likewise
//   cones count, then each cone: kind dim mu num_directions extra_normal angle, and the bound of a box, or of a circular
//   cone of dim 4 to 6 mu_rolling mu_spinning; a polyhedral cone with a polygon has the kind `polygon`, and its corners follow
//   end
//
//   delassus-local-problem 1
//   symmetric 0|1
//   cones as above
//   W, then each contact: num_blocks, then each block: column (another contact, ascending; itself among them), values row
//   by row
//   u_free size values
//   end
//
// Values may be nan or infinite (a problem that made a step fail is worth keeping); the structure may not.
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <iterator>
#include <limits>
#include <ostream>
#include <stdexcept>

#include "delassus/base/text_reader.hpp"
#include "delassus/problems/problem.hpp"

namespace delassus {
namespace {

constexpr int k_version = 1;
// The number of generators enters the size of the LCP squared: beyond this a file is corrupt.
constexpr int k_max_directions = 10'000;

// In the order of ConeKind.
constexpr const char* k_kind_words[] = {"nonnegative", "coulomb",  "polyhedral", "box",
                                        "convex",      "equality", "polygon"};
constexpr int k_polygon_word = 6;

void write(std::ostream& out, const char* keyword, const Vector& values) {
  out << keyword << ' ' << values.size();
  for (double x : values) out << fmt::format(" {:a}", x);
  out << '\n';
}

void write(std::ostream& out, const char* keyword, const BlockMatrix& matrix) {
  out << keyword << ' ' << matrix.size() << ' ' << matrix.num_blocks() << '\n';
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    const auto block = matrix.block(b);
    out << fmt::format("{} {} {} {}", matrix.block_row(b), matrix.block_column(b), block.rows(),
                       block.cols());
    for (double x : block.reshaped()) out << fmt::format(" {:a}", x);
    out << '\n';
  }
}

void write(std::ostream& out, const char* keyword, const BlockRows& rows) {
  out << keyword << ' ' << rows.columns() << ' ' << rows.num_groups() << '\n';
  for (int g = 0; g < rows.num_groups(); ++g) {
    out << rows.group_rows(g) << ' ' << rows.num_blocks(g) << '\n';
    for (int b = 0; b < rows.num_blocks(g); ++b) {
      const auto block = rows.block(g, b);
      out << "  " << rows.block_column(g, b) << ' ' << block.cols();
      for (double x : block.reshaped<Eigen::RowMajor>()) out << fmt::format(" {:a}", x);
      out << '\n';
    }
  }
}

// Counts what a matrix stores, so that its offsets fit an int.
class Budget {
 public:
  explicit Budget(const TextReader& reader) : reader_(reader) {}
  void take(long count) {
    left_ -= count;
    if (left_ < 0) reader_.fail(fmt::format("a matrix has more than {} entries", TextReader::k_max_count));
  }

 private:
  const TextReader& reader_;
  long left_ = TextReader::k_max_count;
};

void read(TextReader& reader, const char* keyword, BlockMatrix& matrix) {
  reader.expect(keyword);
  const int size = reader.count(), num_blocks = reader.count();
  matrix.clear(size);
  Budget budget(reader);
  std::vector<double> values;
  for (int b = 0; b < num_blocks; ++b) {
    const int row = static_cast<int>(reader.integer(0, size));
    const int column = static_cast<int>(reader.integer(0, size));
    const int rows = static_cast<int>(reader.integer(0, size - row));
    const int columns = static_cast<int>(reader.integer(0, size - column));
    const long entries = static_cast<long>(rows) * columns;
    budget.take(entries);
    reader.numbers(entries, values);
    matrix.add_block(row, column, rows, columns).reshaped() =
        Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(entries));
  }
}

void read(TextReader& reader, const char* keyword, BlockRows& out) {
  reader.expect(keyword);
  const int columns = reader.count(), num_groups = reader.count();
  out.clear(columns);
  Budget row_budget(reader), budget(reader);
  std::vector<double> values;
  for (int g = 0; g < num_groups; ++g) {
    const int rows = reader.count(), num_blocks = reader.count();
    row_budget.take(rows);
    out.add_group(rows);
    for (int b = 0; b < num_blocks; ++b) {
      const int column = static_cast<int>(reader.integer(0, columns));
      const int width = static_cast<int>(reader.integer(0, columns - column));
      const long entries = static_cast<long>(rows) * width;
      budget.take(entries);
      reader.numbers(entries, values);
      out.add_block(column, width).reshaped<Eigen::RowMajor>() =
          Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(entries));
    }
  }
}

void write(std::ostream& out, const std::vector<Cone>& cones) {
  out << "cones " << cones.size() << '\n';
  for (const Cone& cone : cones) {
    out << fmt::format("{} {} {:a} {} {:a} {:a}",
                       k_kind_words[cone.polygon ? k_polygon_word : static_cast<int>(cone.kind)], cone.dim,
                       cone.mu, cone.num_directions, cone.extra_normal, cone.angle);
    if (cone.kind == ConeKind::box) out << fmt::format(" {:a}", cone.bound);
    if (has_couples(cone)) out << fmt::format(" {:a} {:a}", cone.mu_rolling, cone.mu_spinning);
    if (cone.polygon)
      for (const Eigen::Vector2d& corner : cone.polygon->corners())
        out << fmt::format(" {:a} {:a}", corner.x(), corner.y());
    out << '\n';
  }
}

Cone read_cone(TextReader& reader) {
  constexpr double any = -std::numeric_limits<double>::infinity();
  Cone cone;
  const auto word = static_cast<int>(reader.one_of({std::begin(k_kind_words), std::end(k_kind_words)}));
  cone.kind = word == k_polygon_word ? ConeKind::polyhedral : static_cast<ConeKind>(word);
  cone.dim = static_cast<int>(reader.integer(1, k_max_cone_dim));
  cone.mu = reader.finite_number("mu", 0);
  cone.num_directions = static_cast<int>(reader.integer(0, k_max_directions));
  cone.extra_normal = reader.finite_number("extra_normal", 0);
  cone.angle = reader.finite_number("angle", any);
  if (cone.kind == ConeKind::box) cone.bound = reader.finite_number("bound", 0);
  if (word == k_polygon_word) {
    std::vector<Eigen::Vector2d> corners(static_cast<std::size_t>(cone.num_directions));
    for (Eigen::Vector2d& corner : corners) {
      corner.x() = reader.finite_number("corner", any);
      corner.y() = reader.finite_number("corner", any);
    }
    auto polygon = std::make_shared<ConvexPolygon>();
    if (const std::string wrong = ConvexPolygon::make(corners, *polygon); !wrong.empty())
      reader.fail("the polygon of a cone: " + wrong);
    cone.polygon.polygon = std::move(polygon);
  }
  if (has_couples(cone)) {
    cone.mu_rolling = reader.finite_number("mu_rolling", 0);
    cone.mu_spinning = reader.finite_number("mu_spinning", 0);
  }
  return cone;
}

std::vector<Cone> read_cones(TextReader& reader) {
  reader.expect("cones");
  const int count = reader.count();
  std::vector<Cone> cones;
  for (int c = 0; c < count; ++c) cones.push_back(read_cone(reader));
  return cones;
}

void write(std::ostream& out, const ContactMatrix& W) {
  out << "W\n";
  for (int a = 0; a < W.num_contacts(); ++a) {
    out << W.row_end(a) - W.row_begin(a) << '\n';
    for (int e = W.row_begin(a); e < W.row_end(a); ++e) {
      out << "  " << W.column(e);
      for (double x : W.block(a, e).reshaped<Eigen::RowMajor>()) out << fmt::format(" {:a}", x);
      out << '\n';
    }
  }
}

void read(TextReader& reader, const std::vector<Cone>& cones, ContactMatrix& W) {
  reader.expect("W");
  const int num_contacts = static_cast<int>(cones.size());
  Budget budget(reader);
  std::vector<int> dims, columns, starts{0};
  for (const Cone& cone : cones) dims.push_back(cone.dim);
  std::vector<double> values, block;
  for (int a = 0; a < num_contacts; ++a) {
    const int num_blocks = static_cast<int>(reader.integer(1, num_contacts));
    bool diagonal = false;
    for (int k = 0; k < num_blocks; ++k) {
      const int column =
          static_cast<int>(reader.integer(k == 0 ? 0 : columns.back() + 1L, num_contacts - 1L));
      diagonal = diagonal || column == a;
      columns.push_back(column);
      const long entries = static_cast<long>(dims[a]) * dims[column];
      budget.take(entries);
      reader.numbers(entries, block);
      values.insert(values.end(), block.begin(), block.end());
    }
    if (!diagonal) reader.fail(fmt::format("row {} of W has no diagonal block", a));
    starts.push_back(static_cast<int>(columns.size()));
  }
  W.set_pattern(dims, starts, columns);
  const double* next = values.data();
  for (int a = 0; a < num_contacts; ++a)
    for (int e = W.row_begin(a); e < W.row_end(a); ++e) {
      const auto size = W.block(a, e).size();
      std::copy(next, next + size, W.values(e));
      next += size;
    }
}

}  // namespace

void save(const Problem& problem, std::ostream& out) {
  out << k_problem_header << ' ' << k_version << '\n';
  out << "symmetric " << int{problem.symmetric} << " separate_directions " << int{problem.separate_directions}
      << '\n';
  write(out, "A", problem.A);
  write(out, "p", problem.p);
  write(out, "Gt", problem.Gt);
  write(out, "g", problem.g);
  write(out, "C", problem.C);
  write(out, "Ht", problem.Ht);
  write(out, "w", problem.w);
  write(out, "G_directions", problem.G_directions);
  write(out, "H_directions", problem.H_directions);
  write(out, problem.cones);
  out << "end\n";
}

Problem load_problem(std::istream& in, const std::string& name) {
  TextReader reader(in, name, "problem file");
  reader.expect(k_problem_header);
  reader.integer(k_version, k_version);
  Problem problem;
  reader.expect("symmetric");
  problem.symmetric = reader.flag();
  reader.expect("separate_directions");
  problem.separate_directions = reader.flag();
  read(reader, "A", problem.A);
  problem.p = reader.vector("p");
  read(reader, "Gt", problem.Gt);
  problem.g = reader.vector("g");
  problem.C = reader.vector("C");
  read(reader, "Ht", problem.Ht);
  problem.w = reader.vector("w");
  read(reader, "G_directions", problem.G_directions);
  read(reader, "H_directions", problem.H_directions);
  problem.cones = read_cones(reader);
  reader.expect("end");
  try {
    require_consistent(problem);
  } catch (const std::invalid_argument& error) {
    reader.fail(error.what());
  }
  return problem;
}

void save(const LocalProblem& problem, std::ostream& out) {
  out << k_local_problem_header << ' ' << k_version << '\n';
  out << "symmetric " << int{problem.symmetric} << '\n';
  write(out, problem.cones);
  write(out, problem.W);
  write(out, "u_free", problem.u_free);
  out << "end\n";
}

LocalProblem load_local_problem(std::istream& in, const std::string& name) {
  TextReader reader(in, name, "problem file");
  reader.expect(k_local_problem_header);
  reader.integer(k_version, k_version);
  LocalProblem problem;
  reader.expect("symmetric");
  problem.symmetric = reader.flag();
  problem.cones = read_cones(reader);
  for (int c = 0; c < problem.num_contacts(); ++c)
    if (const std::string wrong = check_cone(problem.cones[c]); !wrong.empty())
      reader.fail(fmt::format("cone {}: {}", c, wrong));
  read(reader, problem.cones, problem.W);
  problem.u_free = reader.vector("u_free");
  if (problem.u_free.size() != problem.W.rows())
    reader.fail(
        fmt::format("the size of u_free is {}, but W has {} rows", problem.u_free.size(), problem.W.rows()));
  reader.expect("end");
  return problem;
}

}  // namespace delassus
