// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/setting_keys.hpp"

#include "delassus/steppers/runge_kutta/tableau.hpp"

namespace delassus {
namespace {

using Keys = std::vector<SettingKey<StepperSettings>>;
using S = StepperSettings;
using O = StepperOptions;
constexpr auto k_options = &S::options;

// Below, round-off is what is left; above, nothing is controlled.
constexpr double k_tightest_tolerance = 1e-13, k_loosest_tolerance = 0.1;

std::vector<std::string> stepper_names() {
  std::vector<std::string> out;
  for (const StepperInfo& info : list_steppers()) out.push_back(info.name);
  return out;
}

std::vector<std::string> runge_kutta_names() {
  std::vector<std::string> out;
  for (const Tableau& tableau : list_tableaux()) out.push_back(tableau.name);
  return out;
}

Keys make_scheme_keys() {
  return {
      name_key("name", "stepper", stepper_names(),
               "the scheme; automatic: by the model, see `delassus list defaults`", &S::name),
      number_key(
          "tolerance", "-", number_between(k_tightest_tolerance, k_loosest_tolerance),
          "error of positions and velocities that the steps of a second may make, as a part of the largest "
          "one, and besides `absolute_tolerance`; steps are as long as it allows, `step` is the interval of "
          "outputs only; automatic: none, all steps are `step`",
          &S::tolerance),
      number_key("absolute_tolerance", "m, rad, m/s, rad/s", number_above(0),
                 "with `tolerance`: error that is allowed whatever the size of the coordinate; automatic: as "
                 "`tolerance`",
                 &S::absolute_tolerance),
      number_key("length_tolerance", "m", number_above(0),
                 "the same for lengths; automatic: as `absolute_tolerance`, as the next three",
                 &S::length_tolerance),
      number_key("angle_tolerance", "rad", number_above(0), "for angles", &S::angle_tolerance),
      number_key("speed_tolerance", "m/s", number_above(0), "for speeds", &S::speed_tolerance),
      number_key("angular_speed_tolerance", "rad/s", number_above(0), "for angular speeds",
                 &S::angular_speed_tolerance),
      number_key(
          "longest_step", "s", number_above(0),
          "with `tolerance`: no step is longer; automatic: where nothing depends on time none is too long, "
          "and 10 `step` otherwise",
          &S::longest_step),
      choice_key<OrderGuess>(
          "order_guess",
          {{"none", OrderGuess::none}, {"status", OrderGuess::status}, {"events", OrderGuess::events}},
          "moreau-adaptive: steps of which the error is taken to go with h and not with h²: all, those in "
          "which a contact closes, or those in which anything happens",
          &S::order_guess),
      number_key("alpha", "-", number_above(0, 1), "α of alpha-gamma", &S::alpha),
      number_key("gamma", "-", number_between(0, 1), "γ of alpha-gamma", &S::gamma),
      choice_key<DataPoint>(
          "data", {{"start", DataPoint::start}, {"middle", DataPoint::middle}, {"end", DataPoint::end}},
          "where mass and rows are taken (anitescu-potra, alpha-gamma, moreau-jean); automatic: as the "
          "scheme "
          "is published",
          &S::data),
      flag_key("rows_at_end", "trapezoidal-1: rows at the end of the step, order 2 on curved constraints",
               &S::rows_at_end),
      flag_key("rows_at_start",
               "trapezoidal-linearized: joint rows at the start of the step, simpler and of order 1",
               &S::rows_at_start),
      choice_key<MassPoint>(
          "mass", {{"middle", MassPoint::middle}, {"mean", MassPoint::mean}},
          "schemes that take the mass matrix in the middle of the step: there, or as the mean of those of "
          "both ends of the predicted motion (Potra et al. 2006, eq. 2.13)",
          &S::mass),
      flag_key("implicit_forces",
               "dvi-euler: stiffness and damping in the step matrix (Tasora 2017, eq. 148), stable on stiff "
               "springs",
               &S::implicit_forces),
      number_key("rho", "-", number_between(0, 1),
                 "generalized-alpha, nonsmooth-generalized-alpha: ρ∞, what is left of an infinitely fast "
                 "vibration in "
                 "a step",
                 &S::rho),
      number_key("hht_alpha", "-", number_between(-1.0 / 3.0, 0), "hht: α, more negative damps more",
                 &S::hht_alpha),
      number_key("newmark_beta", "-", number_above(0, 1), "newmark: β", &S::newmark_beta),
      number_key("newmark_gamma", "-", number_between(0.5, 1),
                 "newmark: γ; above 1/2 it damps and is of order 1", &S::newmark_gamma),
      number_key(
          "theta", "-", number_between(0, 1),
          "moreau-jean: θ, weight of the end of the step; 1 damps stiff forces, below 1/2 they gain energy",
          &S::theta),
      number_key(
          "prediction", "-", number_between(0, 1),
          "moreau-jean: γ, a contact enters when gap + γ·step·velocity ≤ 0; 1: before it can penetrate",
          &S::prediction),
      name_key("method", "method", runge_kutta_names(),
               "event-capturing-rk: the method between events; automatic: radau-5", &S::method),
      number_key("critical_step", "s^-p", number_at_least(0),
                 "event-capturing-rk: C, events are located to C·step^(p+1) in time; 0: to round-off",
                 &S::critical_step),
      number_key("recovery_speed", "m/s", number_at_least(0),
                 "dvi-euler: how fast penetrations are taken back", k_options, &O::recovery_speed),
      limit_key("joint_recovery_speed", "m/s", number_at_least(0),
                "dvi-euler: how fast joints that are off are taken back", k_options,
                &O::joint_recovery_speed),
  };
}

// Newton's method of the implicit schemes.
Keys make_newton_keys() {
  using Second = DaeOptions::SecondDerivatives;
  using Unknowns = DaeOptions::Unknowns;
  constexpr auto dae = &O::dae;
  return {
      choice_key<Second>("second_derivatives", {{"exact", Second::exact}, {"dropped", Second::dropped}},
                         "implicit schemes: derivatives of reactions and inertia in Newton's matrix",
                         k_options, dae, &DaeOptions::second_derivatives),
      choice_key<Unknowns>("unknowns",
                           {{"acceleration", Unknowns::acceleration},
                            {"velocity", Unknowns::velocity},
                            {"position", Unknowns::position}},
                           "implicit schemes: what Newton's method starts from and is judged by", k_options,
                           dae, &DaeOptions::unknowns),
      number_key("newton_iterations", "-", number_between(1, 1000),
                 "implicit schemes: Newton iterations, at most", k_options, dae, &DaeOptions::max_iterations),
      number_key("newton_tolerance", "-", number_above(0, 1),
                 "implicit schemes: relative correction that ends the iteration", k_options, dae,
                 &DaeOptions::tolerance),
  };
}

// What is the same for all schemes with contacts.
Keys make_step_keys() {
  using Derivatives = ForceDerivatives;
  return {
      choice_key<Derivatives>("derivatives",
                              {{"none", Derivatives::none},
                               {"rank-one", Derivatives::rank_one},
                               {"exact", Derivatives::exact},
                               {"automatic", Derivatives::automatic}},
                              "derivatives of the forces in the step matrix; automatic: exact while it stays "
                              "positive definite, rank-one otherwise",
                              k_options, &O::derivatives),
      flag_key("rank_one_right_side", "the papers' variant of the right side: first order", k_options,
               &O::rank_one_right_side),
      flag_key("springs_as_rows", "springs and dampers as compliant rows instead of terms of the step matrix",
               k_options, &O::springs_as_rows),
      choice_key<Projection>("projection",
                             {{"none", Projection::none},
                              {"joints", Projection::joints},
                              {"all", Projection::all},
                              {"automatic", Projection::automatic}},
                             "what is put back onto its constraints after each step; automatic: all, with "
                             "dvi-euler none",
                             k_options, &O::projection),
      choice_key<FailurePolicy>(
          "on_failure",
          {{"stop", FailurePolicy::stop}, {"retry", FailurePolicy::retry}, {"warn", FailurePolicy::warn}},
          "when a step cannot be solved", k_options, &O::policy),
      number_key("max_halvings", "-", number_between(0, 40), "of the step when it is retried", k_options,
                 &O::max_halvings),
      number_key("smallest_step", "s", number_at_least(0),
                 "no step is halved below this, and events that follow each other faster are captured, not "
                 "located; 0: "
                 "no limit",
                 k_options, &O::smallest_step),
      number_key("stabilisation", "-", number_between(0, 1),
                 "schemes with located events: part of the drift of joints and closed contacts that their "
                 "rows take back in a "
                 "step, instead of projection (which is none then)",
                 k_options, &O::stabilisation),
      choice_key<LinearSolver>(
          "linear_solver", {{"direct", LinearSolver::direct}, {"minres", LinearSolver::minres}},
          "implicit and linearised schemes for joints: how their linear systems are solved; minres: "
          "symmetric ones only",
          k_options, &O::linear_solver),
  };
}

Keys make_event_keys() {
  return {
      flag_key("detect_collisions", "locate impacts within the step", k_options, &O::detect_collisions),
      choice_key<ImpactLocation>(
          "locate",
          {{"step", ImpactLocation::step},
           {"interpolant", ImpactLocation::interpolant},
           {"automatic", ImpactLocation::automatic}},
          "state at an impact: from a step that ends there, or from the interpolant of the "
          "step (Potra et al. 2006, eq. 7.3); automatic: interpolant for the papers' plain "
          "schemes (projection none), step otherwise",
          k_options, &O::location),
      flag_key("detect_transitions", "locate stick-slip and take-off within the step", k_options,
               &O::detect_transitions),
      flag_key("islands", "bodies that nothing ties to each other go through events on their own", k_options,
               &O::islands),
      flag_key("capture_slow",
               "impacts slower than the forces of a step make them, and those of crowds, are not located",
               k_options, &O::capture_slow),
      number_key("epsilon_a", "m", number_at_least(0), "contacts with gap ≤ max(ε_a, ε_b h³) are active",
                 k_options, &O::epsilon_a),
      number_key("epsilon_b", "m/s³", number_at_least(0), "see epsilon_a", k_options, &O::epsilon_b),
      flag_key("keep_active_after_impact",
               "a contact that was hit stays active until the grid is reached (Potra et al. 2006)", k_options,
               &O::keep_active_after_impact),
      flag_key("snap_to_grid", "an impact ends the step (Gavrea, Anitescu and Potra 2008, section 4)",
               k_options, &O::snap_to_grid),
      number_key("max_events", "-", number_between(0, 1e6),
                 "events in one step before event capturing takes over", k_options, &O::max_events),
  };
}

Keys make_law_keys() {
  Words<ContactLawKind> laws;
  for (const LawInfo& info : list_laws()) laws.emplace_back(info.name, info.kind);
  constexpr auto law = &O::law;
  Keys out{
      choice_key("name", laws, "the law", k_options, law, &ContactLaw::kind),
      number_key("directions", "-", even_number_between(2, 360),
                 "coulomb-polyhedral: friction directions of a spatial contact", k_options, law,
                 &ContactLaw::num_directions),
      flag_key(
          "align",
          "coulomb-polyhedral: turn a direction onto the slip, so that sliding friction is exactly opposed "
          "to it",
          k_options, law, &ContactLaw::align),
  };
  out[0].noun = "law";
  return out;
}

Keys make_impact_keys() {
  constexpr auto impact = &O::impact;
  return {
      choice_key<ImpactKind>("law",
                             {{"newton", ImpactKind::newton},
                              {"poisson", ImpactKind::poisson},
                              {"simplified", ImpactKind::simplified}},
                             "see docs/impacts.md", k_options, impact, &ImpactLaw::kind),
      flag_key("bound_by_total_impulse",
               "poisson: friction of decompression bounded by the total normal impulse; cannot add energy",
               k_options, impact, &ImpactLaw::bound_by_total_impulse),
      flag_key("bound_energy",
               "newton: restitution is reduced where friction or unequal values would gain "
               "energy",
               k_options, impact, &ImpactLaw::bound_energy),
      number_key("tangential_restitution", "-", number_between(0, 1),
                 "e_T: slip after = −e_T · slip before, where the contact sticks", k_options, impact,
                 &ImpactLaw::tangential_restitution),
      number_key("tangential_impulse_restitution", "-", number_between(0, 1),
                 "poisson: decompression returns this times e of the friction impulse of compression",
                 k_options, impact, &ImpactLaw::tangential_impulse_restitution),
      number_key("threshold", "m/s", number_at_least(0), "slower impacts do not rebound", k_options, impact,
                 &ImpactLaw::threshold),
  };
}

}  // namespace

const Keys& stepper_keys() {
  static const Keys keys = [] {
    Keys out;
    for (const Keys& part : {make_scheme_keys(), make_newton_keys(), make_step_keys(), make_event_keys()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return keys;
}

const Keys& law_keys() {
  static const Keys keys = make_law_keys();
  return keys;
}

const Keys& impact_keys() {
  static const Keys keys = make_impact_keys();
  return keys;
}

}  // namespace delassus
