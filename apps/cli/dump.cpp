// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus dump: the one-step problem of a scene at a time, as a file for `delassus solve` and other programs.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/problem_file.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {

int dump_command(const DumpArguments& arguments) {
  require_writable(arguments.out);
  const Scene scene = load_scene(arguments.scene, arguments.settings);
  Simulation simulation(scene);
  if (!(arguments.time >= simulation.state().t) || !std::isfinite(arguments.time))
    throw InputError(fmt::format("--time {:g}: allowed: a time of the scene, {:g} s or later", arguments.time,
                                 simulation.state().t));
  // The step that contains the time; one that ends there contains it, too. A step that fails is what one wants to see.
  bool ok = true;
  do {
    ok = simulation.step().ok;
  } while (ok && simulation.state().t < arguments.time);
  if (!ok)
    fmt::print(stderr, "{}: could not go on at t = {:.9g} s: {}\n", scene.desc.name, simulation.state().t,
               simulation.report().message);
  const Problem* problem = simulation.last_problem();
  if (problem == nullptr)
    throw InputError(
        fmt::format("the stepper '{}' forms no one-step problem; allowed: the steppers for contacts, e.g. "
                    "--stepper trapezoidal-2",
                    simulation.stepper_name()));
  write_problem_file(arguments.out, *problem);
  fmt::print(
      "{}: problem of the step to t = {:.9g} s ({}): {} velocities, {} joint rows, {} contacts; written to "
      "{}\n",
      scene.desc.name, simulation.state().t, simulation.stepper_name(), problem->A.size(), problem->Gt.rows(),
      problem->num_contacts(), arguments.out);
  return ok ? k_done : k_stopped;
}

}  // namespace delassus::cli
