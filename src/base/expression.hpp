// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Formulas written as text: forces of (t, q, v), gaps Φ(t, q), entries of a mass matrix. A formula is parsed
// once, differentiated exactly (symbolically, as often as needed) and evaluated as a compiled postfix program
// without allocation.
//
// Grammar, loosest binding first; blanks and line ends separate, nothing else is implied (2*x, never 2x):
//
//   c ? a : b                  a where c is not 0, else b; groups from the right
//   a || b                     1 or 0
//   a && b                     1 or 0
//   a < b  <=  >  >=  ==  !=   1 or 0; not chained: 0 < x && x < 1
//   a + b   a - b
//   a * b   a / b
//   -a   +a   !a               !a is 1 where a is 0, else 0
//   a ^ b   a ** b             power, groups from the right, above the sign: -x^2 = -(x^2); 2^-3 is allowed
//   number                     1   1.5   .5   1e-3
//   name                       a letter or _, then letters, digits, _; Greek and other UTF-8 letters count
//   ( a )   function(a, …)
//
// Functions:
//   sin cos tan asin acos atan sinh cosh tanh   angles in rad
//   atan2(y, x)   hypot(x, y) = √(x² + y²)
//   exp   log = ln   log10   sqrt   cbrt   pow(a, b) = a^b
//   abs   sign (−1, 0, 1)   floor   ceil   step(x) = 1 for x >= 0, else 0
//   min(a, b, …)   max(a, b, …)   clamp(x, lo, hi) = min(max(x, lo), hi)
//   mod(a, b) = a − b floor(a/b), with the sign of b
//   if(c, a, b) = c ? a : b
// Constants: pi. There is no e (it is free for restitution; Euler's number is exp(1)).
// A variable hides a constant of the same name, a given constant hides pi.
//
// Derivatives: where a function is not smooth, the derivative of the piece that gives the value: abs → sign;
// min, max, clamp, if → the chosen branch (of equals the first); floor, ceil, sign, step, comparisons,
// logic → 0. Branches that are not chosen are not evaluated, so if(x > 0, sqrt(x), 0) and its derivatives are
// clean for x <= 0.
// Simplification at every construction: constants folded (when the result is finite), 0·a, 1·a, a + 0, a^1,
// a − a, like terms, constant factors gathered in front. It holds almost everywhere: 0·a is 0 even where a is
// infinite.
//
// Limits, all reported as ExpressionError: 1 000 000 bytes of text, 200 nested levels, 1000 operations in one
// chain, 100 000 operations in all; derivatives: 4000 deep, 1 000 000 operations.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace delassus {

// A formula that cannot be read. what() is "column 7: <message>"; the message says what is wrong and allowed.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(int column, const std::string& message);
  // Counts characters (not bytes) from 1; 0 when the error is not at a place (a derivative that is too
  // large).
  int column() const { return column_; }
  // The message without the column.
  const std::string& message() const { return message_; }

 private:
  int column_;
  std::string message_;
};

// An immutable formula; copies share everything, so they are cheap. Safe to use from many threads.
class Expression {
 public:
  Expression();  // the constant 0
  static Expression constant(double value);

  // `variables`: names in the order of the values given to evaluate(). `constants`: named numbers.
  // Throws ExpressionError.
  static Expression parse(const std::string& text, std::span<const std::string> variables,
                          const std::map<std::string, double>& constants = {});

  // The exact partial derivative by the variable with this index, simplified.
  // Throws ExpressionError when it exceeds the limits above.
  Expression derivative(int variable) const;

  // `values`: one per variable of parse(), in that order. Does not allocate.
  double evaluate(std::span<const double> values) const;

  bool is_constant() const;
  bool is_zero() const;
  bool depends_on(int variable) const;

  // The number of operations in the compiled program, a measure of the cost of evaluate().
  int size() const;

  // The simplified formula; parse() of it with the same variables evaluates to the same bits
  // (derivatives may exceed the limits of parse()).
  std::string text() const;

 private:
  struct Data;
  explicit Expression(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};

}  // namespace delassus
