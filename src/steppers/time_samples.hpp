// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces and drives that depend on time may rise and fall between the points that a step and its halves look at: a block that sticks then
// shows no error, however long the step. So they are looked at in four points more, and what lies off the parabola through both ends and
// the middle is what the step does not see:
//
//   M d − G λ = (h²/8) δk,   Gᵀ d = (h/8) δb        at the middle of the step                                   (1)
//
//   δk = k(t_s, q, v) − parabola [N],  δb likewise of the right sides of Gᵀ v = b [m/s],  t_s = t + (1, 3, 5, 7) h/8
//   where contacts stick and a scheme knows forces in the mean only, δk = k(t_s, q, v) − mean of the ends of its half: a force that is above the limit of friction for
//   a part of the step, and below it in the mean, moves nothing in the step or its halves
//   d: what a force of δk, or a drive that is off by δb, moves within the step, for an eighth of it and all of it
//
// Cost: seven evaluations of forces and joint rows, and a factorisation where anything lies off.
#pragma once
#include "delassus/linalg/kkt.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class TimeSamples {
 public:
  // `out`: the largest |d| of each velocity [m, rad], in a step h from t with (q, v) in its middle. False: there are none.
  bool find_unseen(const System& system, double t, double h, const VectorRef& q, const VectorRef& v,
                   bool sticks, Vector& out);

 private:
  struct Sample {
    Vector forces, targets;
  };
  void evaluate(const System& system, double t, const VectorRef& q, const VectorRef& v, Sample& out);

  Configuration at_;
  BilateralRows joints_;
  BlockMatrix M_;
  KktFactor factor_;
  Sample seen_[3], sample_;
  Vector compliance_, way_, lambda_;
};

}  // namespace delassus
