// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/expression.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "delassus/base/expression_nodes.hpp"

namespace delassus {
namespace {

using detail::make_constant;
using detail::Node;
using detail::NodePtr;
using detail::Op;

// One step of a program. index: the variable, the whole exponent, or the place to jump to.
struct Instruction {
  Op op = Op::constant;
  int index = 0;
  double value = 0;
};

// Appends the program of a tree; it leaves one more value on the stack.
class Compiler {
 public:
  explicit Compiler(std::vector<Instruction>& program) : program_(program) {}

  void compile(const Node& node) {
    if (node.op == Op::constant) {
      emit(Op::constant, 0, node.value);
    } else if (node.op == Op::variable) {
      emit(Op::variable, node.variable);
    } else if (node.op == Op::select) {
      compile_select(node);
    } else if (is_unary(node.op)) {
      compile(*node.a);
      emit(node.op);
    } else {
      compile_binary(node);
    }
  }

 private:
  void compile_binary(const Node& node) {
    const bool whole_power =
        node.op == Op::power && node.b->op == Op::constant && detail::is_small_integer(node.b->value);
    if (whole_power) {
      compile(*node.a);
      emit(Op::integer_power, static_cast<int>(node.b->value));
      return;
    }
    // The operand that needs more places goes first (Node::stack counts on it).
    const bool swapped = node.b->stack > node.a->stack;
    compile(swapped ? *node.b : *node.a);
    compile(swapped ? *node.a : *node.b);
    const bool commutes = node.op == Op::add || node.op == Op::multiply || node.op == Op::equal ||
                          node.op == Op::not_equal || node.op == Op::logical_and || node.op == Op::logical_or;
    if (swapped && !commutes) emit(Op::swap);
    emit(node.op);
  }

  void compile_select(const Node& node) {
    compile(*node.a);
    const std::size_t to_else = emit(Op::jump_if_zero);
    compile(*node.b);
    const std::size_t to_end = emit(Op::jump);
    program_[to_else].index = static_cast<int>(program_.size());
    compile(*node.c);
    program_[to_end].index = static_cast<int>(program_.size());
  }

  std::size_t emit(Op op, int index = 0, double value = 0) {
    program_.push_back({.op = op, .index = index, .value = value});
    return program_.size() - 1;
  }

  std::vector<Instruction>& program_;
};

// How tightly the text of a node binds; see the grammar in the header.
enum Level {
  level_or = 1,
  level_and,
  level_compare,
  level_sum,
  level_product,
  level_sign,
  level_power,
  level_atom
};

struct Infix {
  Op op;
  Level level;
  const char* text;
};
constexpr auto k_infix = std::to_array<Infix>({
    {Op::logical_or, level_or, " || "},
    {Op::logical_and, level_and, " && "},
    {Op::less, level_compare, " < "},
    {Op::less_equal, level_compare, " <= "},
    {Op::greater, level_compare, " > "},
    {Op::greater_equal, level_compare, " >= "},
    {Op::equal, level_compare, " == "},
    {Op::not_equal, level_compare, " != "},
    {Op::add, level_sum, " + "},
    {Op::subtract, level_sum, " - "},
    {Op::multiply, level_product, "*"},
    {Op::divide, level_product, "/"},
    {Op::power, level_power, "^"},
});

class Printer {
 public:
  explicit Printer(const std::vector<std::string>& names) : names_(names) {}

  // Prints in brackets when the node binds less tightly than `level`.
  void print(const Node& node, int level) {
    if (node.op == Op::constant) return print_number(node.value, level);
    if (node.op == Op::variable) {
      text_ += names_[static_cast<std::size_t>(node.variable)];
      return;
    }
    if (node.op == Op::negate || node.op == Op::logical_not) {
      open(level_sign, level);
      text_ += node.op == Op::negate ? '-' : '!';
      print(*node.a, level_sign);
      return close(level_sign, level);
    }
    const auto* infix = std::ranges::find(k_infix, node.op, &Infix::op);
    if (infix != k_infix.end()) return print_infix(node, *infix, level);
    if (node.op == Op::select) {
      text_ += "if";
    } else {
      text_ += std::ranges::find(detail::k_functions, node.op, &detail::Function::op)->name;
    }
    text_ += '(';
    for (const NodePtr* operand : {&node.a, &node.b, &node.c}) {
      if (!*operand) break;
      if (operand != &node.a) text_ += ", ";
      print(**operand, 0);
    }
    text_ += ')';
  }

  std::string take() { return std::move(text_); }

 private:
  void print_infix(const Node& node, const Infix& infix, int level) {
    // Sums and products group from the left, powers from the right (their exponent may carry a sign),
    // comparisons not at all.
    int left = infix.level;
    int right = infix.level + 1;
    if (infix.level == level_compare) left = infix.level + 1;
    if (infix.level == level_power) {
      left = level_atom;
      right = level_sign;
    }
    open(infix.level, level);
    print(*node.a, left);
    text_ += infix.text;
    print(*node.b, right);
    close(infix.level, level);
  }

  void print_number(double value, int level) {
    if (!std::isfinite(value)) {
      text_ += std::isnan(value) ? "(0/0)" : value > 0 ? "(1/0)" : "(-1/0)";
      return;
    }
    const int own = std::signbit(value) ? level_sign : level_atom;
    open(own, level);
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);  // shortest exact
    text_.append(buffer.data(), result.ptr);
    close(own, level);
  }

  void open(int own, int level) {
    if (own < level) text_ += '(';
  }
  void close(int own, int level) {
    if (own < level) text_ += ')';
  }

  const std::vector<std::string>& names_;
  std::string text_;
};

}  // namespace

struct Expression::Data {
  NodePtr root;
  std::shared_ptr<const std::vector<std::string>> names;  // of the variables
  std::vector<Instruction> program;
  int num_values = 0;  // 1 + the largest index of a variable in the program

  Data(NodePtr root_in, std::shared_ptr<const std::vector<std::string>> names_in)
      : root(std::move(root_in)), names(std::move(names_in)) {
    Compiler(program).compile(*root);
    program.shrink_to_fit();
    for (const Instruction& i : program)
      if (i.op == Op::variable) num_values = std::max(num_values, i.index + 1);
  }
};

ExpressionError::ExpressionError(int column, const std::string& message)
    : std::runtime_error(column > 0 ? "column " + std::to_string(column) + ": " + message : message),
      column_(column),
      message_(message) {}

Expression::Expression(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Expression::Expression() {
  static const Expression zero = constant(0);
  data_ = zero.data_;
}

Expression Expression::constant(double value) {
  return Expression(
      std::make_shared<const Data>(make_constant(value), std::make_shared<const std::vector<std::string>>()));
}

Expression Expression::parse(const std::string& text, std::span<const std::string> variables,
                             const std::map<std::string, double>& constants) {
  return Expression(std::make_shared<const Data>(
      detail::parse_formula(text, variables, constants),
      std::make_shared<const std::vector<std::string>>(variables.begin(), variables.end())));
}

Expression Expression::derivative(int variable) const {
  assert(variable >= 0);
  return Expression(
      std::make_shared<const Data>(detail::make_derivative(data_->root, variable), data_->names));
}

double Expression::evaluate(std::span<const double> values) const {
  assert(static_cast<int>(values.size()) >= data_->num_values);
  std::array<double, detail::k_stack + 1> stack;  // place 0 stays empty: the program pushes before it reads
  double* top = stack.data();
  const Instruction* const program = data_->program.data();
  const Instruction* const end = program + data_->program.size();
  for (const Instruction* i = program; i != end; ++i) {
    switch (i->op) {
      case Op::constant:
        *++top = i->value;
        break;
      case Op::variable:
        *++top = values[static_cast<std::size_t>(i->index)];
        break;
      case Op::add:
        --top;
        *top += top[1];
        break;
      case Op::subtract:
        --top;
        *top -= top[1];
        break;
      case Op::multiply:
        --top;
        *top *= top[1];
        break;
      case Op::divide:
        --top;
        *top /= top[1];
        break;
      case Op::negate:
        *top = -*top;
        break;
      case Op::integer_power:
        *top = detail::integer_power(*top, i->index);
        break;
      case Op::swap:
        std::swap(top[0], top[-1]);
        break;
      case Op::jump:
        i = program + i->index - 1;
        break;
      case Op::jump_if_zero:
        if (*top-- == 0) i = program + i->index - 1;
        break;
      default:
        if (is_unary(i->op)) {
          *top = detail::apply_unary(i->op, *top);
        } else {
          --top;
          *top = detail::apply_binary(i->op, top[0], top[1]);
        }
    }
  }
  return *top;
}

bool Expression::is_constant() const {
  return data_->num_values == 0;
}

bool Expression::is_zero() const {
  return detail::is_constant(data_->root, 0);
}

bool Expression::depends_on(int variable) const {
  return std::ranges::any_of(data_->program, [variable](const Instruction& i) {
    return i.op == Op::variable && i.index == variable;
  });
}

int Expression::size() const {
  return static_cast<int>(data_->program.size());
}

std::string Expression::text() const {
  Printer printer(*data_->names);
  printer.print(*data_->root, 0);
  return printer.take();
}

}  // namespace delassus
