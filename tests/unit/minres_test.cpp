// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Saddle-point systems by MINRES: the solutions of the factorisation, on random systems, chains and redundant rows, and in the
// steppers that may be asked to use it.
#include "delassus/linalg/minres.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../support/random_problem.hpp"
#include "../support/simulate.hpp"
#include "../support/smooth_runs.hpp"
#include "delassus/linalg/kkt.hpp"

namespace delassus::minres_test {
namespace {

using testing::Random;

struct SaddlePoint {
  BlockMatrix A;
  BlockRows R;
  Vector C, p, g;
};

void expect_same(const SaddlePoint& s, double tolerance) {
  KktFactor direct, minres;
  minres.use(LinearSolver::minres);
  ASSERT_TRUE(direct.compute(s.A, true, s.R, nullptr, s.C));
  ASSERT_TRUE(minres.compute(s.A, true, s.R, nullptr, s.C));
  Vector v, lambda, v_direct, lambda_direct;
  direct.solve(s.p, s.g, v_direct, lambda_direct);
  minres.solve(s.p, s.g, v, lambda);
  EXPECT_STREQ(minres.trouble(), "");
  EXPECT_GT(minres.iterations(), 0);
  EXPECT_LT((v - v_direct).norm(), tolerance * v_direct.norm());
  EXPECT_LT((lambda - lambda_direct).norm(), tolerance * (lambda_direct.norm() + 1e-300));
}

Vector random_vector(Random& random, int n) {
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = random.uniform(-1, 1);
  return x;
}

// Bodies of very different masses, hanging on each other by joints of three rows.
SaddlePoint chain(Random& random, int bodies, double ratio, double compliance) {
  SaddlePoint s;
  constexpr int six = 6;
  s.A.clear(six * bodies);
  for (int b = 0; b < bodies; ++b)
    s.A.add_block(six * b, six * b, six, six) = std::pow(ratio, b % 3) * testing::make_spd(random, six);
  s.R.clear(six * bodies);
  for (int b = 0; b < bodies; ++b) {
    s.R.add_group(3);
    for (int side = 0; side < (b > 0 ? 2 : 1); ++side) {
      auto block = s.R.add_block(six * (b - side), six);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < six; ++j) block(i, j) = random.uniform(-1, 1);
    }
  }
  s.C = Vector::Constant(3 * bodies, compliance);
  s.p = random_vector(random, six * bodies);
  s.g = random_vector(random, 3 * bodies);
  return s;
}

TEST(Minres, SolvesWhatTheFactorisationSolves) {
  Random random(7);
  for (int bodies : {1, 2, 5, 20})
    for (double ratio : {1.0, 100.0})
      for (double compliance : {0.0, 0.3}) {
        SCOPED_TRACE(std::to_string(bodies) + " bodies, ratio " + std::to_string(ratio));
        expect_same(chain(random, bodies, ratio, compliance), 1e-9);
      }
}

// No rows at all, and blocks that overlap: springs between bodies.
TEST(Minres, WithoutJoints) {
  Random random(3);
  SaddlePoint s;
  s.A.clear(9);
  for (int b = 0; b < 3; ++b) s.A.add_block(3 * b, 3 * b, 3, 3) = testing::make_spd(random, 3);
  BlockRows spring;
  spring.clear(9);
  spring.add_group(1);
  spring.add_block(0, 3) << 1, 2, 0.5;
  spring.add_block(6, 3) << -1, 0.3, 1;
  add_rank_one(spring, 0, 50, s.A);
  s.R.clear(9);
  s.C.resize(0);
  s.p = random_vector(random, 9);
  s.g.resize(0);
  expect_same(s, 1e-11);
}

// The same joint twice: the velocities are unique, and the sum of both impulses is.
TEST(Minres, RedundantRowsThatAgree) {
  Random random(11);
  SaddlePoint once = chain(random, 3, 1, 0), twice = once;
  twice.R.add_group(once.R, 1, 3);
  twice.C.conservativeResize(12);
  twice.C.setZero();
  twice.g.conservativeResize(12);
  twice.g.tail(3) = once.g.segment(3, 3);
  KktFactor direct, minres;
  minres.use(LinearSolver::minres);
  ASSERT_TRUE(direct.compute(once.A, true, once.R, nullptr, once.C));
  ASSERT_TRUE(minres.compute(twice.A, true, twice.R, nullptr, twice.C));
  Vector v, lambda, v_direct, lambda_direct;
  direct.solve(once.p, once.g, v_direct, lambda_direct);
  minres.solve(twice.p, twice.g, v, lambda);
  EXPECT_STREQ(minres.trouble(), "");
  EXPECT_LT((v - v_direct).norm(), 1e-9 * v_direct.norm());
  EXPECT_LT((lambda.segment(3, 3) + lambda.tail(3) - lambda_direct.segment(3, 3)).norm(),
            1e-8 * lambda_direct.norm());
  // Shared in equal parts.
  EXPECT_LT((lambda.segment(3, 3) - lambda.tail(3)).norm(), 1e-8 * lambda_direct.norm());
}

TEST(Minres, WhatItCannotIsSaid) {
  Random random(5);
  SaddlePoint s = chain(random, 3, 1, 0);
  KktFactor minres;
  minres.use(LinearSolver::minres);
  EXPECT_FALSE(minres.compute(s.A, false, s.R, nullptr, s.C));
  EXPECT_NE(std::string(minres.trouble()).find("symmetric"), std::string::npos);
  // A row twice with different right sides contradicts itself.
  s.R.add_group(s.R, 1, 3);
  s.C = Vector::Zero(12);
  s.g.conservativeResize(12);
  s.g.tail(3).setConstant(100);
  ASSERT_TRUE(minres.compute(s.A, true, s.R, nullptr, s.C));
  Vector v, lambda;
  minres.solve(s.p, s.g, v, lambda);
  EXPECT_NE(std::string(minres.trouble()).find("does not converge"), std::string::npos);
  EXPECT_FALSE(v.allFinite());
  // A mass that is negative.
  s.A.add_block(0, 0, 1, 1)(0, 0) = -1e6;
  EXPECT_FALSE(minres.compute(s.A, true, s.R, nullptr, s.C));
}

// ---- in steppers ----

const char* const k_mechanism = R"(
delassus: 1
bodies:
  - {name: a, type: rigid, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0.5, 0, 0], angular_velocity: [3, 0, 0]}
  - {name: b, type: rigid, mass: 0.3, inertia: [0.01, 0.02, 0.03], position: [1.5, 0, 0]}
  - {name: c, mass: 0.5, position: [2.5, 0, 0]}
joints:
  - {name: first, type: spherical, between: [world, a], point: [0, 0, 0]}
  - {name: second, type: revolute, between: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: spring, type: spring, between: [b, c], stiffness: 300, damping: 3}
)";

class MinresStepper : public ::testing::TestWithParam<const char*> {};

TEST_P(MinresStepper, MovesAsWithTheFactorisation) {
  const auto run = [](const char* solver, int& linear_iterations) {
    Simulation simulation =
        testing::simulate(k_mechanism, {std::string("stepper.name=") + GetParam(), "stepper.step=0.005",
                                        std::string("stepper.linear_solver=") + solver});
    simulation.observe([&](const Simulation&, const StepReport& report) {
      linear_iterations += report.certificate.linear_iterations;
      return true;
    });
    EXPECT_TRUE(simulation.run_until(0.5)) << simulation.report().message;
    return simulation.state();
  };
  int none = 0, some = 0;
  const State direct = run("direct", none), minres = run("minres", some);
  EXPECT_EQ(none, 0);
  EXPECT_GT(some, 100);
  EXPECT_LT((direct.q - minres.q).norm(), 1e-8);
  EXPECT_LT((direct.v - minres.v).norm(), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Names, MinresStepper,
                         ::testing::Values("generalized-alpha", "euler-implicit", "newmark", "hht",
                                           "trapezoidal-implicit"),
                         [](const auto& name) {
                           std::string out = name.param;
                           std::replace(out.begin(), out.end(), '-', '_');
                           return out;
                         });

// Gyroscopic terms of rigid bodies are not symmetric, and a linear scheme has nothing that would correct them: particles.
TEST(MinresLinearized, MovesAsWithTheFactorisation) {
  const auto scene = testing::compile_text(R"(
delassus: 1
bodies:
  - {name: a, mass: 1, position: [1, 0, 0]}
  - {name: b, mass: 0.3, position: [1.8, 0.2, 0.1], velocity: [0, 0, 0.5]}
joints:
  - {name: first, type: distance, between: [world, a]}
  - {name: second, type: distance, between: [a, b]}
)");
  for (const char* name : {"euler-implicit-linearized", "trapezoidal-linearized"}) {
    StepperSettings settings;
    settings.name = name;
    const State direct = testing::advance_to(*scene.system, scene.state, settings, 0.5, 100);
    settings.options.linear_solver = LinearSolver::minres;
    long iterations = 0;
    const State minres = testing::advance_to(
        *scene.system, scene.state, settings, 0.5, 100,
        [&](const State&, const StepReport& report) { iterations += report.certificate.linear_iterations; });
    EXPECT_GT(iterations, 100) << name;
    EXPECT_LT((direct.q - minres.q).norm(), 1e-10) << name;
  }
}

TEST(MinresStepper, RefusedWhereThereAreContacts) {
  StepperSettings settings;
  settings.name = "trapezoidal-2";
  settings.options.linear_solver = LinearSolver::minres;
  try {
    testing::stepper_of(settings);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("solver.name"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace delassus::minres_test
