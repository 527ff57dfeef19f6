// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The problem file: words and hexadecimal floats between white space.
//
//   delassus-problem 1
//   symmetric 0|1   separate_directions 0|1
//   A size num_blocks, then each block: row column rows columns, values column by column
//   p size values
//   Gt columns num_groups, then each group: rows num_blocks, then each block: column width, values row by row
//   g, C, Ht, w, G_directions, H_directions likewise
//   cones count, then each cone: kind dim mu num_directions extra_normal angle, and the bound of a box
//   end
//
// Values may be nan or infinite (a problem that made a step fail is worth keeping); the structure may not.
#include <fmt/format.h>

#include <istream>
#include <iterator>
#include <limits>
#include <ostream>
#include <stdexcept>

#include "delassus/base/text_reader.hpp"
#include "delassus/problems/problem.hpp"

namespace delassus {
namespace {

constexpr const char* k_header = "delassus-problem";
constexpr int k_version = 1;
// The number of generators enters the size of the LCP squared: beyond this a file is corrupt.
constexpr int k_max_directions = 10'000;

// In the order of ConeKind.
constexpr const char* k_kinds[] = {"nonnegative", "coulomb", "polyhedral", "box"};

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

Cone read_cone(TextReader& reader) {
  constexpr double any = -std::numeric_limits<double>::infinity();
  Cone cone;
  cone.kind = static_cast<ConeKind>(reader.one_of({std::begin(k_kinds), std::end(k_kinds)}));
  cone.dim = static_cast<int>(reader.integer(1, 3));
  cone.mu = reader.finite_number("mu", 0);
  cone.num_directions = static_cast<int>(reader.integer(0, k_max_directions));
  cone.extra_normal = reader.finite_number("extra_normal", 0);
  cone.angle = reader.finite_number("angle", any);
  if (cone.kind == ConeKind::box) cone.bound = reader.finite_number("bound", 0);
  return cone;
}

}  // namespace

void save(const Problem& problem, std::ostream& out) {
  out << k_header << ' ' << k_version << '\n';
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
  out << "cones " << problem.num_contacts() << '\n';
  for (const Cone& cone : problem.cones)
    out << fmt::format("{} {} {:a} {} {:a} {:a}{}\n", k_kinds[static_cast<int>(cone.kind)], cone.dim, cone.mu,
                       cone.num_directions, cone.extra_normal, cone.angle,
                       cone.kind == ConeKind::box ? fmt::format(" {:a}", cone.bound) : "");
  out << "end\n";
}

Problem load_problem(std::istream& in, const std::string& name) {
  TextReader reader(in, name, "problem file");
  reader.expect(k_header);
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
  reader.expect("cones");
  const int num_cones = reader.count();
  for (int c = 0; c < num_cones; ++c) problem.cones.push_back(read_cone(reader));
  reader.expect("end");
  try {
    require_consistent(problem);
  } catch (const std::invalid_argument& error) {
    reader.fail(error.what());
  }
  return problem;
}

}  // namespace delassus
