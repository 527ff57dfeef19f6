// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of a multibody system allocates nothing after warm-up: joints, springs, servos, contacts that slide, stick and
// wait. Exceptions are sparse factorisations and the rank-revealing one of redundant joints (closed loops of hinges).
// An executable of its own: it replaces malloc.
#include <gtest/gtest.h>

#include "../support/allocation_counter.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"

#ifdef DELASSUS_COUNTS_ALLOCATIONS
namespace delassus::step_alloc_test {
namespace {

struct Case {
  const char* scene;
  std::vector<SceneSetting> settings;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.scene;
}

class StepAllocations : public ::testing::TestWithParam<Case> {};

TEST_P(StepAllocations, NoneWithoutEvents) {
  Simulation simulation(load_scene(GetParam().scene, GetParam().settings));
  int allocating = 0;
  int compared = 0;
  int warm = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t contacts = simulation.report().contacts.size();
    const int solves = simulation.report().certificate.solves;
    const bool iterated = simulation.report().certificate.iterations > 0;
    const long before = allocation_count;
    ASSERT_TRUE(simulation.step().ok);
    const long count = allocation_count - before;
    // An event changes the size of the problem; a few steps warm up all buffers again (some are used in turns).
    constexpr int needed = 3;
    const bool smooth = simulation.report().events.empty() &&
                        simulation.report().contacts.size() == contacts &&
                        simulation.report().certificate.solves == solves;
    // A start that is the solution goes on as it is; the solve that iterates again sets up its buffers.
    const bool resumed = simulation.report().certificate.iterations > 0 && !iterated;
    // The watch of the energy notes its first largest errors.
    constexpr int first = 20;
    if (smooth && !resumed && warm >= needed && i > first) {
      if (count > 0) ++allocating;
      ++compared;
    }
    warm = smooth ? warm + 1 : 0;
  }
  // Whether modes change is looked at where they may: the first times set up the buffers of that.
  EXPECT_LE(allocating, 2);
  EXPECT_GT(compared, 200);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, StepAllocations,
    ::testing::Values(
        Case{"double_pendulum_wall", {}}, Case{"double_pendulum_wall", {"stepper.projection=all"}},
        Case{"block_on_table", {}}, Case{"two_carts", {}}, Case{"spring_chain", {}},
        Case{"sliding_particle", {"stepper.step=1e-3"}}, Case{"bouncing_ball", {}}, Case{"pendulum", {}},
        Case{"pendulum", {"stepper.name=trapezoidal-2"}}, Case{"robot_arm", {}},
        Case{"robot_arm", {"stepper.name=trapezoidal-2"}}, Case{"rolling_disk", {}},
        Case{"light_rod_pendulum", {}}, Case{"gyroscope", {"stepper.name=energy-midpoint"}},
        Case{"bouncing_ball", {"stepper.name=moreau-jean"}},
        Case{"block_on_table", {"stepper.name=moreau-jean", "law.name=coulomb-polyhedral"}},
        Case{"box_on_plane", {"stepper.name=moreau-jean", "solver.name=nsgs", "solver.tolerance=1e-10"}},
        Case{"box_on_plane", {"stepper.name=dvi-euler", "solver.name=nsgs"}}, Case{"quadruped", {}},
        Case{"robot_arm", {"stepper.name=moreau-jean"}},
        // The law and the solver that a scene gets by itself, with contacts in space that rest, slide and share their
        // forces. Not with located events: modes of contacts that share their forces need a rank-revealing factorisation.
        Case{"box_on_plane", {"stepper.name=moreau-jean"}},
        Case{"block_on_table", {"stepper.name=moreau-jean"}},
        Case{"sliding_cube", {"stepper.name=moreau-jean"}},
        Case{"box_on_incline", {"stepper.name=moreau-jean"}},
        Case{"box_stack", {"stepper.name=moreau-jean"}}));

}  // namespace
}  // namespace delassus::step_alloc_test
#endif
