// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of expression.cpp: the tree of a formula, built bottom-up by functions that simplify.
//
// Every node is allocated only after no rule applied to it. Rebuilding a tree from the leaves therefore gives
// the same tree, which is what makes text() → parse() reproduce the same bits.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace delassus::detail {

enum class Op : std::uint8_t {
  constant,
  variable,
  // one operand
  negate,
  logical_not,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  cbrt,
  abs,
  sign,
  floor,
  ceil,
  // two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  min,
  max,
  atan2,
  hypot,
  mod,
  // three operands
  select,
  // in programs only
  integer_power,
  swap,
  jump,
  jump_if_zero,
};

constexpr bool is_unary(Op op) {
  return op >= Op::negate && op <= Op::ceil;
}
constexpr bool is_binary(Op op) {
  return op >= Op::add && op <= Op::mod;
}

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  Op op = Op::constant;
  int variable = -1;  // index, for Op::variable
  double value = 0;   // for Op::constant
  // Operands; select: a ? b : c.
  NodePtr a = nullptr;
  NodePtr b = nullptr;
  NodePtr c = nullptr;
  // Set when the node is allocated:
  std::size_t hash = 0;
  std::size_t size = 1;  // operations when written out as a tree
  int depth = 1;         // longest path to a leaf
  int stack = 1;         // stack places its program needs
};

constexpr int k_stack = 64;                    // places of the evaluation stack
constexpr int k_max_depth = 4000;              // bounds the recursion over any tree
constexpr std::size_t k_max_size = 1'000'000;  // operations of any tree, derivatives included
constexpr int k_max_parsed_depth = 1000;       // operations in one chain as written by the user
constexpr std::size_t k_max_parsed_size = 100'000;
constexpr int k_max_nesting = 200;             // bounds the recursion of the parser
constexpr std::size_t k_max_text = 1'000'000;  // bytes
constexpr int k_max_integer_power = 16;        // x^n by multiplication up to here

// The operations themselves, the same for folding and for evaluation.
double apply_unary(Op op, double a);
double apply_binary(Op op, double a, double b);
double integer_power(double a, int n);
// True when a^n is computed by integer_power.
bool is_small_integer(double n);

NodePtr make_constant(double value);
NodePtr make_variable(int index);
NodePtr make_unary(Op op, const NodePtr& a);
NodePtr make_binary(Op op, const NodePtr& a, const NodePtr& b);
NodePtr make_select(const NodePtr& condition, const NodePtr& a, const NodePtr& b);
bool is_constant(const NodePtr& node, double value);

NodePtr make_derivative(const NodePtr& node, int variable);

// Functions that are one operation; the first name of an operation is the one that text() prints.
struct Function {
  std::string_view name;
  Op op;
};
inline constexpr auto k_functions = std::to_array<Function>({
    {"sin", Op::sin},   {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin}, {"acos", Op::acos},
    {"atan", Op::atan}, {"sinh", Op::sinh},   {"cosh", Op::cosh},   {"tanh", Op::tanh}, {"exp", Op::exp},
    {"log", Op::log},   {"ln", Op::log},      {"log10", Op::log10}, {"sqrt", Op::sqrt}, {"cbrt", Op::cbrt},
    {"abs", Op::abs},   {"sign", Op::sign},   {"floor", Op::floor}, {"ceil", Op::ceil}, {"min", Op::min},
    {"max", Op::max},   {"atan2", Op::atan2}, {"hypot", Op::hypot}, {"mod", Op::mod},   {"pow", Op::power},
});

// In expression_parser.cpp; throws ExpressionError.
NodePtr parse_formula(const std::string& text, std::span<const std::string> variables,
                      const std::map<std::string, double>& constants);

}  // namespace delassus::detail
