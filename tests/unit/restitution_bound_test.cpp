// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Which gains of energy reduce restitution, on problems small enough to be solved by hand.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <vector>

#include "delassus/steppers/impact/restitution_bound.hpp"

namespace delassus::restitution_bound_test {
namespace {

struct Example {
  LocalProblem local;
  Solution solution;
  Vector restitution, before;
  std::vector<char> rebounds;

  bool is_reduced() {
    RestitutionBound bound;
    bound.begin(local, restitution, Vector::Zero(restitution.size()), before, rebounds);
    return bound.reduce(local, solution);
  }
};

// A tip hits the side of a heavy body that rests on the ground. Friction at the tip turns with the impulse:
// ½ r₀ᵀ(u₀⁺ + u₀⁻) = ½ (−0.1 + 0.3 · 0.8) = 0.07 J. What the ground carries, 20 N s of which no more than 0.5 N s are weight, goes
// through a contact at rest and does no work; with u_free in place of u⁻ = 0 it would take ½ · 20 · 0.0098 = 0.098 J.
Example hit_on_a_heavy_body() {
  Example out;
  Matrix W(3, 3);
  W << 1.9, 0, -0.02, 0, -8.0 / 3, 0, -0.02, 0, 0.02;
  out.local.W = ContactMatrix(W, std::vector<int>{2, 1});
  out.local.cones = {{.kind = ConeKind::coulomb, .dim = 2, .mu = 0.3}, {}};
  out.restitution = Vector::Zero(3);
  out.restitution[0] = -0.9;
  out.before.resize(3);
  out.before << -1, 0.8, 0;
  out.rebounds = {1, 0};
  out.solution.r.resize(3);
  out.solution.r << 1, 0.3, 20;
  out.solution.u = Vector::Zero(3);
  out.local.u_free.resize(3);
  out.local.u_free << -1.9, 0.8, -0.0098;
  return out;
}

TEST(RestitutionBound, ForcesDoNotPayForWhatTheLawGains) {
  EXPECT_TRUE(hit_on_a_heavy_body().is_reduced());
}

// With friction a share may have two solutions. The search ends with a share whose solution gained nothing; should another one come
// out then, nothing is left of restitution.
TEST(RestitutionBound, TheLastSolutionIsJudgedToo) {
  Example gaining = hit_on_a_heavy_body(), quiet = gaining;
  gaining.solution.r << 1, 1.5, 20;  // ½ (−1 + 1.5 · 0.8) = 0.1 J with any share
  quiet.solution.r << 0.5, 0, 10;
  RestitutionBound bound;
  bound.begin(gaining.local, gaining.restitution, Vector::Zero(3), gaining.before, gaining.rebounds);
  int solves = 0;
  double last = 1;
  WarmStart warm;
  for (const Example* found = &gaining; bound.reduce(found->local, found->solution) && solves < 20;
       ++solves) {
    last = bound.share(0);
    bound.start_from_good(warm);
    found = solves < 5 && last < 0.4 ? &quiet : &gaining;
  }
  EXPECT_EQ(last, 0);
  EXPECT_LT(solves, 10);
  // What solves begin with is the solution that gained nothing.
  ASSERT_EQ(warm.r.size(), 3);
  EXPECT_EQ(warm.r, quiet.solution.r);
}

// Forces on the heavy body, whose stop they may pay for up to m f²/4 = 12.5 J with f = 1 m/s, are not those of the tip, which weighs
// a fortieth.
TEST(RestitutionBound, WhatOneContactIsAllowedDoesNotPayForAnother) {
  Example pressed = hit_on_a_heavy_body();
  pressed.local.u_free[2] = -1;
  EXPECT_TRUE(pressed.is_reduced());
}

// A stop turns a hinge round; its friction, which opposes what comes out, acts along what went in: ½ · 0.4 · 120 = 24 J, more than
// the stop takes, ½ · 1 · (60 − 80) = −10 J. What friction takes does not count.
TEST(RestitutionBound, FrictionInJointsMayGive) {
  Example hinge;
  Matrix W(2, 2);
  W << 140, 1e-3, 1e-3, 140;
  hinge.local.W = ContactMatrix(W, std::vector<int>{1, 1});
  hinge.local.cones = {{}, {.kind = ConeKind::box, .dim = 1}};
  hinge.restitution.resize(2);
  hinge.restitution << -60, 0;
  hinge.before.resize(2);
  hinge.before << -80, 120;
  hinge.local.u_free.resize(2);
  hinge.local.u_free << -140, 120;
  hinge.rebounds = {1, 0};
  hinge.solution.r.resize(2);
  hinge.solution.r << 1, 0.4;
  hinge.solution.u = Vector::Zero(2);
  EXPECT_TRUE(hinge.is_reduced());
  hinge.solution.r[1] = -0.4;
  EXPECT_FALSE(hinge.is_reduced());
}

TEST(RestitutionBound, WithoutFrictionTheSameImpactLosesEnergy) {
  Example smooth = hit_on_a_heavy_body();
  smooth.solution.r[1] = 0;
  EXPECT_FALSE(smooth.is_reduced());
}

// Two balls of 1 kg on each other, g h = 0.00981 m/s: the upper one leaves the other so slowly that it would be back within the step,
// and is stopped. That gains less than 2 · m (g h)²/8, by forces and not by the law.
TEST(RestitutionBound, StopsOfWhatFallsBackAreAllowed) {
  Example balls;
  Matrix W(2, 2);
  W << 1, -1, -1, 2;
  balls.local.W = ContactMatrix(W, std::vector<int>{1, 1});
  balls.local.cones.resize(2);
  balls.restitution.resize(2);
  balls.before.resize(2);
  balls.local.u_free.resize(2);
  balls.solution.r.resize(2);
  const double leaves = 0.0015, e = 0.3, fall = 0.00981;
  balls.restitution << 0, e * leaves;
  balls.before << 0, leaves;
  balls.local.u_free << -fall, (1 + e) * leaves;
  balls.rebounds = {0, 1};
  // u = 0 at both.
  balls.solution.r << 2 * fall - (1 + e) * leaves, fall - (1 + e) * leaves;
  balls.solution.u = Vector::Zero(2);
  EXPECT_FALSE(balls.is_reduced());
  // With impulses that forces do not make it is a gain of the law.
  balls.solution.r *= 10;
  EXPECT_TRUE(balls.is_reduced());
}

// A body that leaves the ground at 0.09 m/s, and that forces bring back in the step, belongs to a joint whose elastic stop is hit. What
// stops it against the forces, 0.45 N s, gains nothing; what the stop makes necessary, 20.45 N s, gains 0.5 · 20.45 · 0.09 = 0.92 J.
TEST(RestitutionBound, ForcesExcuseNoMoreThanTheyDo) {
  const auto stop_and_ground = [](double coupling) {
    Example out;
    Matrix W(2, 2);
    W << 2, -coupling, -coupling, 1;
    out.local.W = ContactMatrix(W, std::vector<int>{1, 1});
    out.local.cones.resize(2);
    out.restitution.resize(2);
    out.restitution << -10, 0;
    out.before.resize(2);
    out.before << -10, 0.09;
    out.local.u_free.resize(2);
    out.local.u_free << -20, -0.45;
    out.rebounds = {1, 0};
    out.solution.r = W.inverse() * -out.local.u_free;
    out.solution.u = Vector::Zero(2);
    return out;
  };
  EXPECT_FALSE(stop_and_ground(0).is_reduced());
  EXPECT_TRUE(stop_and_ground(1).is_reduced());
}

}  // namespace
}  // namespace delassus::restitution_bound_test
