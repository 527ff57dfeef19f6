// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of a scene → typed options.
#include <fmt/format.h>

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus {
namespace {

template <typename Enum>
struct Named {
  const char* name;
  Enum value;
};

// The schema has checked the name already; a miss is our own mistake.
template <typename Enum, std::size_t n>
Enum lookup(const Named<Enum> (&table)[n], const std::string& name) {
  for (const auto& entry : table)
    if (name == entry.name) return entry.value;
  throw std::logic_error("no option '" + name + "'");
}

constexpr Named<DataPoint> k_data[] = {{"default", DataPoint::start},
                                       {"start", DataPoint::start},
                                       {"middle", DataPoint::middle},
                                       {"end", DataPoint::end}};
constexpr Named<ForceDerivatives> k_derivatives[] = {{"none", ForceDerivatives::none},
                                                     {"rank-one", ForceDerivatives::rank_one},
                                                     {"exact", ForceDerivatives::exact},
                                                     {"automatic", ForceDerivatives::automatic}};
constexpr Named<DaeOptions::Unknowns> k_unknowns[] = {{"acceleration", DaeOptions::Unknowns::acceleration},
                                                      {"velocity", DaeOptions::Unknowns::velocity},
                                                      {"position", DaeOptions::Unknowns::position}};
constexpr Named<Projection> k_projection[] = {{"automatic", Projection::all},
                                              {"none", Projection::none},
                                              {"joints", Projection::joints},
                                              {"all", Projection::all}};
constexpr Named<FailurePolicy> k_policy[] = {
    {"stop", FailurePolicy::stop}, {"retry", FailurePolicy::retry}, {"warn", FailurePolicy::warn}};
constexpr Named<ImpactKind> k_impact[] = {
    {"newton", ImpactKind::newton}, {"poisson", ImpactKind::poisson}, {"simplified", ImpactKind::simplified}};

constexpr Named<ImpactLocation> k_location[] = {{"step", ImpactLocation::step},
                                                {"interpolant", ImpactLocation::interpolant}};

// Checks a name against a list, with the place where the user wrote it.
template <typename Infos>
std::string known_name(const NameRef& ref, const char* kind, const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) {
    if (info.name == ref.name) return ref.name;
    names.push_back(info.name);
  }
  const std::string near = nearest_name(ref.name, names);
  throw InputError(ref.place, fmt::format("unknown {} '{}'{}", kind, ref.name,
                                          near.empty() ? fmt::format("; known: {}", fmt::join(names, ", "))
                                                       : "; did you mean '" + near + "'?"));
}

}  // namespace

const std::vector<LawInfo>& list_laws() {
  static const std::vector<LawInfo> laws{
      {"coulomb",
       "exact Coulomb friction: what sticks does not move, what slides does not lift; the default"},
      {"coulomb-convex",
       "the relaxed cone law (CCP): convex, but a sliding contact separates at the friction coefficient "
       "times its speed"},
      {"coulomb-polyhedral",
       "Coulomb friction with a polygon of m directions, one of them turned onto the slip (LCP)"},
      {"frictionless", "unilateral contact without friction, whatever the coefficients say"}};
  return laws;
}

SimulationOptions simulation_options(const RunSettings& run) {
  SimulationOptions out;
  out.step = run.step;
  StepperSettings& s = out.stepper;
  if (run.stepper) s.name = known_name(*run.stepper, "stepper", list_steppers());
  s.alpha = run.alpha;
  s.gamma = run.gamma;
  s.default_data = run.data == "default";
  s.data = lookup(k_data, run.data);
  s.rows_at_end = run.rows_at_end;
  s.rho = run.rho;
  s.hht_alpha = run.hht_alpha;
  s.newmark_beta = run.newmark_beta;
  s.newmark_gamma = run.newmark_gamma;
  out.assemble = run.assemble;
  StepperOptions& o = s.options;
  o.derivatives = lookup(k_derivatives, run.derivatives);
  o.rank_one_right_side = run.rank_one_right_side;
  o.springs_as_rows = run.springs_as_rows;
  o.projection = lookup(k_projection, run.projection);
  // dvi-euler takes errors back by its rows.
  if (run.projection == "automatic" && s.name == "dvi-euler") o.projection = Projection::none;
  s.theta = run.theta;
  s.prediction = run.prediction;
  o.recovery_speed = run.recovery_speed;
  o.joint_recovery_speed = run.joint_recovery_speed;
  o.policy = lookup(k_policy, run.on_failure);
  o.max_halvings = run.max_halvings;
  o.dae.second_derivatives = run.second_derivatives == "exact" ? DaeOptions::SecondDerivatives::exact
                                                               : DaeOptions::SecondDerivatives::dropped;
  o.dae.unknowns = lookup(k_unknowns, run.unknowns);
  o.dae.max_iterations = run.newton_iterations;
  o.dae.tolerance = run.newton_tolerance;
  o.detect_collisions = run.detect_collisions;
  o.detect_transitions = run.detect_transitions;
  o.location = o.projection == Projection::none ? ImpactLocation::interpolant : ImpactLocation::step;
  if (run.locate != "automatic") o.location = lookup(k_location, run.locate);
  o.epsilon_a = run.epsilon_a;
  o.epsilon_b = run.epsilon_b;
  o.keep_active_after_impact = run.keep_active_after_impact;
  o.snap_to_grid = run.snap_to_grid;
  o.max_events = run.max_events;
  if (run.law) {
    const std::string law = known_name(*run.law, "law", list_laws());
    o.law.kind = law == "coulomb"              ? ContactLawKind::coulomb
                 : law == "coulomb-convex"     ? ContactLawKind::convex
                 : law == "coulomb-polyhedral" ? ContactLawKind::polyhedral
                                               : ContactLawKind::frictionless;
  }
  o.law.num_directions = run.directions;
  o.law.align = run.align;
  o.impact.kind = lookup(k_impact, run.impact_law);
  o.impact.bound_by_total_impulse = run.bound_by_total_impulse;
  o.impact.tangential_restitution = run.tangential_restitution;
  o.impact.threshold = run.impact_threshold;
  if (run.solver) out.solver.name = known_name(*run.solver, "solver", list_solvers());
  out.solver.tolerance = run.tolerance;
  out.solver.max_iterations = run.max_iterations;
  return out;
}

}  // namespace delassus
