// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Case F: Lemke on random contact problems, energy at impacts, Painlevé's rod.
#include <fmt/format.h>

#include <cmath>

#include "apps/cli/verify/checks.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/problems/random_contact.hpp"
#include "delassus/problems/residual.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/steppers/assemble.hpp"

namespace delassus::cli {
namespace {

double energy(const BlockMatrix& A, const Vector& v) {
  return kinetic_energy(A, v);
}

// 2,000 problems of a class (fewer in the short suite): the worst residual, and for symmetric A without rheonomic rows the energy bound (Anitescu and Potra 1997, 2.22).
void verify_class(const ProblemClass& problem_class, int count, Checks& checks) {
  const std::unique_ptr<Solver> solver = make_solver({});
  Reduction reduction;
  Solution solution;
  double worst_lcp = 0, worst = 0, worst_energy = 0;
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    const Problem problem = make_random_problem(problem_class, i);
    SolveStats stats;
    if (!reduction.compute(problem)) {
      ++failures;
      continue;
    }
    delassus::solve(*solver, reduction, {}, solution, stats);
    if (!usable(stats.status)) ++failures;
    worst_lcp = std::max(worst_lcp, stats.residual);
    // With unequal masses the round-off of r alone, times W, exceeds 1e-10 of the free velocity: judged relative to that.
    const double round_off =
        problem_class.mass_ratio > 1 ? compute_cancellation(reduction.local(), solution.r) : 1.0;
    const Residual residual = compute_residual(problem, reduction, solution);
    worst = std::max({worst, residual.contact / round_off, residual.momentum, residual.joints});
    if (!problem.symmetric) continue;
    Solution free;
    reduction.recover(Vector::Zero(problem.Ht.rows()), free);
    const double bound = energy(problem.A, free.v);
    if (bound > 0) worst_energy = std::max(worst_energy, energy(problem.A, solution.v) / bound - 1);
  }
  checks.at_most(fmt::format("Lemke, {}: failures of {}", problem_class.name, count), failures, 0);
  checks.at_most(fmt::format("Lemke, {}: worst LCP residual", problem_class.name), worst_lcp, 1e-10);
  checks.at_most(fmt::format("Lemke, {}: worst problem residual{}", problem_class.name,
                             problem_class.mass_ratio > 1 ? " (over W r)" : ""),
                 worst, 1e-10);
  checks.at_most(fmt::format("Lemke, {}: energy above the free one", problem_class.name), worst_energy,
                 1e-12);
}

// Change of kinetic energy of the first impact of the falling rod.
double impact_energy(const std::vector<std::string>& settings) {
  double change = NAN;
  std::vector<std::string> all{"constants.mu=1.2", "constants.e=1", "constants.vx=0", "constants.vy=-1",
                               "duration=1e-3"};
  all.insert(all.end(), settings.begin(), settings.end());
  run_scene("falling_rod", all, [&](const Simulation&, const StepReport& report) {
    for (const Event& event : report.events)
      if (event.kind == EventKind::impact && std::isnan(change)) change = event.energy_change;
    return true;
  });
  return change;
}

}  // namespace

void verify_lemke_and_impacts(Checks& checks) {
  for (const ProblemClass& problem_class : problem_classes()) verify_class(problem_class, 2000, checks);

  const DataTree& reference = *paper("analytic").find("F");
  // The rod falls with kinetic energy ½ m v² = 0.5.
  constexpr double before = 0.5;
  checks.within("rod, Poisson: energy after", before + impact_energy({"impact.law=poisson"}),
                number_at(reference, "poisson_energy"), Source::exact, 5e-4);
  checks.within("rod, Poisson bounded by total impulse",
                before + impact_energy({"impact.law=poisson", "impact.bound_by_total_impulse=true"}), before,
                Source::exact, 1e-12);
  checks.at_most("rod, simplified law: energy gained", impact_energy({"impact.law=simplified"}), 1e-12);
  checks.at_most("rod, e = 0: energy gained", impact_energy({"impact.law=poisson", "constants.e=0"}), 0);
  checks.at_most("rod, frictionless Poisson: energy gained",
                 impact_energy({"impact.law=poisson", "constants.mu=0"}), 1e-12);

  // Painlevé: the accelerations have no solution above μ = 4/3, the impulses stick.
  const Scene scene = load_scene("falling_rod", {"constants.mu=1.5"});
  const CompiledScene compiled = compile(scene.desc);
  StepData data;
  Problem problem;
  PhasePoint point{.phase = {0.0, compiled.state.q, compiled.state.v}};
  point.place(*compiled.system);
  const ContactId ids[] = {0};
  const ContactSet contacts = compiled.system->contacts_of(ids, 0.0, compiled.state.q, compiled.state.v);
  StepperOptions options;
  options.law.kind = ContactLawKind::polyhedral;
  assemble_acceleration(*compiled.system, options, point, contacts, {}, 1e-12, data, problem);
  Reduction reduction;
  Solution solution;
  SolveStats stats;
  reduction.compute(problem);
  delassus::solve(*make_solver({.name = "lemke"}), reduction, {}, solution, stats);
  checks.within("Painleve rod: accelerations end on a ray", stats.status == SolveStatus::ray ? 1 : 0, 1,
                Source::exact, 0);
  constexpr double h = 1e-3;
  Vector3 impulse = Vector3::Zero();
  run_scene("falling_rod",
            {"constants.mu=1.5", setting("stepper.step", h), setting("duration", h),
             "stepper.name=anitescu-potra", "stepper.data=start"},
            [&](const Simulation&, const StepReport& report) {
              if (!report.contacts.empty()) impulse = report.contacts.front().impulse;
              return true;
            });
  const DataTree& painleve = *reference.find("painleve");
  checks.near("Painleve rod: normal impulse", impulse[0],
              number_at(painleve, "normal_0") + number_at(painleve, "normal_gh") * k_gravity * h,
              Source::exact, 1e-12);
  checks.near("Painleve rod: friction impulse", impulse[1],
              number_at(painleve, "tangent_0") + number_at(painleve, "tangent_gh") * k_gravity * h,
              Source::exact, 1e-12);
}

}  // namespace delassus::cli
