// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "delassus/base/error.hpp"
#include "delassus/base/names.hpp"
#include "delassus/steppers/capturing_stepper.hpp"
#include "delassus/steppers/dae/dae_stepper.hpp"
#include "delassus/steppers/energy_midpoint.hpp"
#include "delassus/steppers/error_control.hpp"
#include "delassus/steppers/event_stepper.hpp"
#include "delassus/steppers/island_stepper.hpp"
#include "delassus/steppers/runge_kutta/runge_kutta_stepper.hpp"
#include "delassus/steppers/schatzman_paoli.hpp"
#include "delassus/steppers/setting_keys.hpp"

namespace delassus {
namespace {

// One function a family; each gets settings in which nothing is automatic.
using Located = StepFormula (*)(const StepperSettings&);
using Captured = CapturingFormula (*)(const StepperSettings&);
using Implicit = DaeFormula (*)(const StepperSettings&);
using Own = std::unique_ptr<Stepper> (*)(const StepperOptions&);
using InPositions = double (*)(const StepperSettings&);  // θ of schatzman_paoli.hpp
using OfRungeKutta = RungeKuttaSettings (*)(const StepperSettings&);

struct Entry {
  StepperInfo info;
  std::variant<Located, Captured, InPositions, Implicit, Own, OfRungeKutta> make;
  std::optional<DataPoint> data = {};  // that `automatic` stands for, where it can be chosen
  Projection projection = Projection::all;
  bool adapts = false;  // its steps by the published rule of error_control.hpp
};

CapturingFormula make_moreau_jean(const StepperSettings& s, bool projected) {
  CapturingFormula out{
      .step = moreau_jean_formula(s.theta, *s.data), .prediction = s.prediction, .lift_all = projected};
  out.step.name = *s.name;
  // Joints on the mean velocity ring unless they are projected (Gavrea et al. 2008, 9.1).
  if (s.options.projection == Projection::none && !projected) out.step.joint_sigma = 1;
  return out;
}

CapturingFormula make_nonsmooth_alpha(const StepperSettings& s) {
  return {.step = {.name = *s.name, .sigma = 1},
          .prediction = s.prediction,
          .smooth = generalized_alpha_formula(s.rho)};
}

StepFormula make_trapezoidal_1(const StepperSettings& s) {
  StepFormula out = trapezoidal_1_formula(s.rows_at_end);
  // As above; the rows of a turning joint in the middle of the step would hold v⁺ back, with an error of order 1.
  constexpr double middle = 0.5;
  if (s.options.projection != Projection::none && !s.rows_at_end) out.joint_sigma = middle;
  return out;
}

// With contacts.
std::vector<Entry> make_contact_entries() {
  const std::string potra = "Potra, Anitescu, Gavrea and Trinkle 2006, eq. ";
  return {
      {{"trapezoidal-2", potra + "6.10", "2",
        "linearly implicit trapezoidal method, constraints on the mean velocity; the default with contacts, "
        "stops "
        "or dry friction"},
       Located([](const StepperSettings&) { return trapezoidal_2_formula(); })},
      {{"trapezoidal-1", potra + "6.12", "1-2",
        "the same, contacts on the end velocity: order 2 on straight ones, 1 on curved (2 with "
        "rows_at_end)"},
       Located(make_trapezoidal_1)},
      {{"alpha-gamma", "Gavrea, Anitescu and Potra 2008, eq. 4.4", "1-2",
        "two-parameter family: (1/2,1/2) trapezoidal, (1,1) implicit Euler, (1,1/2) Moreau's midpoint rule"},
       Located([](const StepperSettings& s) { return alpha_gamma_formula(s.alpha, s.gamma, *s.data); }),
       DataPoint::start},
      {{"anitescu-potra", "Anitescu and Potra 1997, section 4", "1", "semi-implicit Euler, explicit forces"},
       Located([](const StepperSettings& s) { return anitescu_potra_formula(*s.data); }),
       DataPoint::end},
      {{"anitescu-potra-stiff", "Anitescu and Potra 2002", "1",
        "linearly implicit Euler, damps stiff springs and dampers"},
       Located([](const StepperSettings&) { return anitescu_potra_stiff_formula(); })},
      {{"leapfrog", "Hairer, Lubich and Wanner 2003", "1-2",
        "explicit: drift, kick, drift; order 2 where forces do not depend on velocities"},
       Located([](const StepperSettings&) { return leapfrog_formula(); })},
      {{"moreau-jean", "Acary 2009, eqs. 16-18", "1-2",
        "event capturing: Moreau's time stepping, one problem a step whatever happens in it; for many "
        "contacts"},
       Captured([](const StepperSettings& s) { return make_moreau_jean(s, false); }),
       DataPoint::middle},
      {{"moreau-jean-projected", "Acary 2009, eq. 19", "1",
        "the same, no contact penetrates at the end of a step"},
       Captured([](const StepperSettings& s) { return make_moreau_jean(s, true); }),
       DataPoint::middle},
      {{"moreau-adaptive", "Acary 2009, eqs. 63-70", "1",
        "moreau-jean with steps as long as the published rule allows: halved steps, positions only, order "
        "guessed from the contacts"},
       Captured([](const StepperSettings& s) { return make_moreau_jean(s, false); }),
       DataPoint::middle,
       Projection::all,
       true},
      {{"schatzman-paoli", "Acary 2009, eqs. 22-24", "1-2",
        "event capturing in positions: two steps at once, nothing penetrates where e = 0; impacts take two "
        "steps"},
       InPositions([](const StepperSettings& s) { return s.theta; })},
      {{"nonsmooth-generalized-alpha", "Bruels, Acary and Cardona 2014", "1-2",
        "event capturing: generalised-α on the smooth part, joints and contacts that stay closed of order 2, "
        "damping of fast motions set by rho"},
       Captured(make_nonsmooth_alpha)},
      // It takes errors back by its rows.
      {{"dvi-euler", "Tasora 2017, eqs. 107-123", "1",
        "event capturing: semi-implicit Euler, gaps and joints stabilised in the rows; explicit forces "
        "unless "
        "implicit_forces"},
       Captured([](const StepperSettings& s) {
         return CapturingFormula{.step = dvi_euler_formula(s.implicit_forces), .gaps_in_rows = true};
       }),
       {},
       Projection::none},
      {{"event-capturing-rk", "Acary 2009, Algorithm 1", "1-6",
        "Runge-Kutta methods (stepper.method, see `delassus list methods`) on the motion between events, "
        "which "
        "are located to their order"},
       OfRungeKutta([](const StepperSettings& s) {
         return RungeKuttaSettings{
             .name = *s.name, .method = s.method.value_or("radau-5"), .critical_step = s.critical_step};
       })},
  };
}

// The methods of event-capturing-rk on their own, for joints only.
void add_runge_kutta_entries(std::vector<Entry>& out) {
  for (const StepperInfo& method : list_methods()) {
    out.push_back({{method.name, method.source, method.order, "joints only: " + method.summary},
                   OfRungeKutta([](const StepperSettings& s) {
                     return RungeKuttaSettings{.name = *s.name, .method = *s.name, .joints_only = true};
                   })});
  }
}

// Joints only.
std::vector<Entry> make_smooth_entries() {
  return {
      {{"generalized-alpha", "Tasora 2017, eqs. 189-201", "2",
        "joints only: generalised-α, damping of fast motions set by rho; the default without contacts"},
       Implicit([](const StepperSettings& s) { return generalized_alpha_formula(s.rho); })},
      {{"hht", "Tasora 2017, eqs. 180-188", "2",
        "joints only: Hilber-Hughes-Taylor, damping set by hht_alpha"},
       Implicit([](const StepperSettings& s) { return hht_formula(s.hht_alpha); })},
      {{"newmark", "Tasora 2017, eqs. 172-179", "1-2",
        "joints only: Newmark's family (newmark_beta, newmark_gamma)"},
       Implicit([](const StepperSettings& s) { return newmark_formula(s.newmark_beta, s.newmark_gamma); })},
      {{"trapezoidal-implicit", "Tasora 2017, eqs. 162-169", "2",
        "joints only: trapezoidal rule by Newton's method, undamped"},
       Implicit([](const StepperSettings&) { return trapezoidal_implicit_formula(); })},
      {{"euler-implicit", "Tasora 2017, eqs. 152-159", "1",
        "joints only: backward Euler by Newton's method, damps most"},
       Implicit([](const StepperSettings&) { return euler_implicit_formula(); })},
      {{"trapezoidal-linearized", "Tasora 2017, eqs. 170-171", "2",
        "joints only: one Newton step of the trapezoidal rule, joints in position"},
       Located([](const StepperSettings& s) { return trapezoidal_linearized_formula(s.rows_at_start); })},
      {{"euler-implicit-linearized", "Tasora 2017, eqs. 160-161", "1",
        "joints only: one Newton step of backward Euler, joints pulled back"},
       Located([](const StepperSettings&) { return euler_implicit_linearized_formula(); })},
      {{"energy-midpoint", "ours, after Gonzalez 1996", "2",
        "joints only: midpoint rule that keeps the energy balance to round-off, for long runs"},
       Own(make_energy_midpoint_stepper)},
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> out = make_contact_entries();
    for (Entry& entry : make_smooth_entries()) out.push_back(std::move(entry));
    add_runge_kutta_entries(out);
    return out;
  }();
  return all;
}

const Entry& find_entry(const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw InputError(unknown_name("stepper", name, names));
}

// One problem a step whatever happens in it.
bool captures_all(const Entry& entry) {
  return std::holds_alternative<Captured>(entry.make) || std::holds_alternative<InPositions>(entry.make);
}

// What a key asks for and the named scheme cannot do. The settings are resolved.
void require_possible(const StepperSettings& settings) {
  const Entry& entry = find_entry(*settings.name);
  const auto* located = std::get_if<Located>(&entry.make);
  const auto* captured = std::get_if<Captured>(&entry.make);
  const auto refuse = [&](const std::string& key, const std::string& what) {
    throw InputError(fmt::format("{} is for {}, not for the stepper '{}'", key, what, *settings.name));
  };
  const bool one_problem = located != nullptr || captured != nullptr;
  const StepFormula formula = located != nullptr    ? (*located)(settings)
                              : captured != nullptr ? (*captured)(settings).step
                                                    : StepFormula{};
  if (settings.mass == MassPoint::mean && !(one_problem && formula.mass == DataPoint::middle))
    refuse("stepper.mass: mean",
           "schemes that take the mass matrix in the middle of the step, as trapezoidal-2");
  if (settings.options.stabilisation > 0) {
    if (located == nullptr || formula.joints_only)
      refuse("stepper.stabilisation", "schemes with located events, as trapezoidal-2");
    if (settings.options.projection != Projection::none)
      throw InputError(
          "stepper.stabilisation takes the place of the projection: leave stepper.projection out, or none");
  }
  const bool implicit =
      std::holds_alternative<Implicit>(entry.make) || std::holds_alternative<Own>(entry.make);
  if (settings.options.linear_solver != LinearSolver::direct && !implicit && !formula.joints_only)
    refuse("stepper.linear_solver",
           "implicit and linearised schemes for joints, as generalized-alpha; problems with contacts are "
           "solved by "
           "solver.name");
}

void require_valid(const StepperSettings& settings) {
  require_settings("stepper", stepper_keys(), settings);
  require_settings("law", law_keys(), settings);
  require_settings("impact", impact_keys(), settings);
  require_possible(settings);
}

StepFormula with_mass(StepFormula formula, const StepperSettings& settings) {
  formula.mean_mass = settings.mass == MassPoint::mean;
  return formula;
}

// What only makes sense beside a tolerance.
constexpr std::array<std::optional<double> StepperSettings::*, 6> k_tolerances{
    &StepperSettings::absolute_tolerance,      &StepperSettings::length_tolerance,
    &StepperSettings::angle_tolerance,         &StepperSettings::speed_tolerance,
    &StepperSettings::angular_speed_tolerance, &StepperSettings::longest_step};

void require_no_tolerances(const StepperSettings& settings) {
  for (auto tolerance : k_tolerances)
    if (settings.*tolerance)
      throw InputError(
          "absolute tolerances and the longest step are those of error control: give stepper.tolerance, too, "
          "or "
          "take the stepper 'moreau-adaptive'");
}

// One solver for all islands: what it remembers between calls changes no result.
class SharedSolver final : public Solver {
 public:
  explicit SharedSolver(std::shared_ptr<Solver> solver) : solver_(std::move(solver)) {}
  std::string name() const override { return solver_->name(); }
  SolverCapabilities capabilities() const override { return solver_->capabilities(); }
  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override {
    solver_->solve(problem, warm, solution, stats);
  }
  void solve_global(const Reduction& reduction, const WarmStart& warm, Solution& solution,
                    SolveStats& stats) override {
    solver_->solve_global(reduction, warm, solution, stats);
  }

 private:
  std::shared_ptr<Solver> solver_;
};

// The order that error control counts on; orders that depend on the problem are taken as 1.
int controlled_order(const StepperSettings& settings) {
  const Entry& entry = find_entry(*settings.name);
  if (const auto* rk = std::get_if<OfRungeKutta>(&entry.make))
    return find_tableau((*rk)(settings).method).order;
  return entry.info.order == "2" ? 2 : 1;
}

IslandStepper::Maker make_captured_maker(StepperSettings captured, std::shared_ptr<Solver> solver) {
  captured.name = k_captured_stepper;
  captured.data.reset();
  captured.options.islands = false;
  return [captured, solver] { return make_stepper(captured, std::make_unique<SharedSolver>(solver)); };
}

// What takes the steps of islands whose events are not located; none where all are to be.
IslandStepper::Maker captured_maker(const StepperSettings& settings, std::shared_ptr<Solver> solver) {
  const StepperOptions& options = settings.options;
  if (!options.capture_slow || !options.detect_collisions || options.projection != Projection::all) return {};
  return make_captured_maker(settings, std::move(solver));
}

std::unique_ptr<Stepper> make_runge_kutta(const StepperSettings& settings, RungeKuttaSettings own,
                                          std::shared_ptr<Solver> solver,
                                          std::shared_ptr<Solver> captured_solver) {
  const StepperOptions& options = settings.options;
  if (!own.joints_only && options.law.kind != ContactLawKind::coulomb &&
      options.law.kind != ContactLawKind::frictionless)
    throw InputError(fmt::format("the stepper '{}' takes the laws 'coulomb' and 'frictionless', not '{}'",
                                 own.name, find_law(options.law.kind).name));
  const IslandStepper::Maker rest =
      own.joints_only ? IslandStepper::Maker() : make_captured_maker(settings, captured_solver);
  const auto make = [own, options, solver, rest]() -> std::unique_ptr<Stepper> {
    return std::make_unique<RungeKuttaStepper>(own, options, std::make_unique<SharedSolver>(solver),
                                               rest ? rest() : nullptr);
  };
  if (own.joints_only || !options.islands) return make();
  return std::make_unique<IslandStepper>(make, captured_maker(settings, std::move(captured_solver)));
}

}  // namespace

const std::vector<StepperInfo>& list_methods() {
  static const std::vector<StepperInfo> all = [] {
    std::vector<StepperInfo> out;
    for (const Tableau& tableau : list_tableaux()) {
      const bool radau = tableau.name.rfind("radau", 0) == 0, lobatto = tableau.name.rfind("lobatto", 0) == 0;
      const std::string kind = radau     ? "Radau IIA, damps stiff forces"
                               : lobatto ? "Lobatto IIIA, symmetric, does not damp"
                                         : "explicit, where nothing is stiff";
      out.push_back({tableau.name,
                     tableau.is_explicit ? "Hairer, Norsett and Wanner 1993, chapter II"
                                         : "Hairer and Wanner 1996, section IV.5",
                     std::to_string(tableau.order),
                     fmt::format("Runge-Kutta method of order {}, {}", tableau.order, kind)});
    }
    return out;
  }();
  return all;
}

const std::vector<StepperInfo>& list_steppers() {
  static const std::vector<StepperInfo> steppers = [] {
    std::vector<StepperInfo> infos;
    for (const Entry& entry : entries()) infos.push_back(entry.info);
    return infos;
  }();
  return steppers;
}

const std::vector<LawInfo>& list_laws() {
  static const std::vector<LawInfo> laws{
      {ContactLawKind::coulomb, "coulomb",
       "exact Coulomb friction: what sticks does not move, what slides does not lift; the default"},
      {ContactLawKind::convex, "coulomb-convex",
       "the relaxed cone law (CCP): convex, but a sliding contact separates at the friction coefficient "
       "times its "
       "speed"},
      {ContactLawKind::polyhedral, "coulomb-polyhedral",
       "Coulomb friction with a polygon of m directions, one of them turned onto the slip (LCP)"},
      {ContactLawKind::frictionless, "frictionless",
       "unilateral contact without friction, whatever the coefficients say"}};
  return laws;
}

const LawInfo& find_law(ContactLawKind kind) {
  for (const LawInfo& info : list_laws())
    if (info.kind == kind) return info;
  throw InputError(fmt::format("there is no contact law number {}", static_cast<int>(kind)));
}

bool is_joints_only(const std::string& name) {
  const Entry& entry = find_entry(name);
  if (captures_all(entry)) return false;
  if (const auto* rk = std::get_if<OfRungeKutta>(&entry.make)) return (*rk)({.name = name}).joints_only;
  const auto* located = std::get_if<Located>(&entry.make);
  return located == nullptr || (*located)(resolve_settings({.name = name})).joints_only;
}

bool captures_all_events(const std::string& name) {
  return captures_all(find_entry(name));
}

double default_tolerance(const std::string& stepper) {
  // The first one with room for the certificate, which measures contacts one by one.
  constexpr double by_steps = 0.1 * k_certified, by_events = 1e-10;
  return captures_all_events(stepper) ? by_steps : by_events;
}

StepperSettings resolve_settings(StepperSettings settings) {
  if (!settings.name)
    throw InputError("the settings name no stepper; default_stepper() chooses one for a system");
  const Entry& entry = find_entry(*settings.name);
  StepperOptions& options = settings.options;
  if (!settings.data) settings.data = entry.data;
  if (entry.adapts && !settings.tolerance) settings.tolerance = ControlRule{}.tolerance;
  if (options.projection == Projection::automatic)
    options.projection = options.stabilisation > 0 ? Projection::none : entry.projection;
  // The papers' plain schemes take the state at an impact from the interpolant.
  if (options.location == ImpactLocation::automatic)
    options.location =
        options.projection == Projection::none ? ImpactLocation::interpolant : ImpactLocation::step;
  return settings;
}

std::string stepper_caution(const StepperSettings& settings, const System& system, const State& state) {
  const Entry& entry = find_entry(*settings.name);
  StepFormula formula;
  if (const auto* located = std::get_if<Located>(&entry.make))
    formula = (*located)(settings);
  else if (const auto* captured = std::get_if<Captured>(&entry.make))
    formula = (*captured)(settings).step;
  else if (const auto* theta = std::get_if<InPositions>(&entry.make))
    // θ = 0 are central differences.
    formula = {.alpha = (*theta)(settings), .gamma = 0.5, .sigma = 1};
  else if (const auto* rk = std::get_if<OfRungeKutta>(&entry.make))
    formula.implicit_forces = !find_tableau((*rk)(settings).method).is_explicit;
  else
    return {};  // implicit, with weights that its keys keep at ½ or above
  if (system.has_friction_polygons() && formula.sigma < 1)
    return fmt::format(
        "the stepper '{}' holds contacts on the mean velocity: one with a friction_polygon that sticks rings "
        "at ± the velocity it "
        "came with; 'moreau-jean' and 'trapezoidal-1' hold it still",
        *settings.name);
  const bool explicit_forces =
      !formula.implicit_forces || (settings.options.derivatives == ForceDerivatives::none &&
                                   !std::holds_alternative<OfRungeKutta>(entry.make));
  // Of a spring, A v̇ = −k q: it gains where the weights of the end, of forces and velocities, are less than 1 together.
  if (!explicit_forces && formula.alpha + formula.gamma >= 1) return {};
  ForceJacobians k;
  system.force_jacobians(state.t, state.q, state.v, k);
  if (k.spring_rows.rows() + k.damper_rows.rows() + k.k_q.num_blocks() + k.k_v.num_blocks() == 0) return {};
  return fmt::format(
      "the stepper '{}' {}: springs, dampers and other forces that change with the motion may gain energy "
      "unless "
      "the step is far below their fastest period; 'trapezoidal-2', 'moreau-jean' with theta >= 1/2 and "
      "'dvi-euler' with "
      "implicit_forces do not",
      *settings.name,
      explicit_forces
          ? "takes forces explicitly"
          : fmt::format("weighs the end of a step by {:g} (forces) and {:g} (velocities), below 1 together",
                        formula.alpha, formula.gamma));
}

std::unique_ptr<Stepper> make_stepper(const StepperSettings& settings, std::unique_ptr<Solver> solver,
                                      std::unique_ptr<Solver> captured_solver) {
  const StepperSettings resolved = resolve_settings(settings);
  require_valid(resolved);
  if (const Entry& scheme = find_entry(*resolved.name); resolved.tolerance) {
    if (!std::holds_alternative<Implicit>(scheme.make) && resolved.options.projection == Projection::none)
      throw InputError(
          "stepper.tolerance needs stepper.projection: joints or all; without it velocities swing about "
          "their constraints, whatever the step");
    if (std::holds_alternative<InPositions>(scheme.make))
      throw InputError(fmt::format(
          "the stepper '{}' takes no stepper.tolerance: its restitution needs two steps of the same length; "
          "take one that does, e.g. 'event-capturing-rk' or 'moreau-jean'",
          *resolved.name));
    ControlRule rule{.name = *resolved.name,
                     .order = controlled_order(resolved),
                     .captures = captures_all(scheme),
                     .longest = resolved.longest_step};
    rule.tolerance = *resolved.tolerance;
    const double absolute = resolved.absolute_tolerance.value_or(rule.tolerance);
    rule.absolute = {.length = resolved.length_tolerance.value_or(absolute),
                     .angle = resolved.angle_tolerance.value_or(absolute),
                     .speed = resolved.speed_tolerance.value_or(absolute),
                     .angular_speed = resolved.angular_speed_tolerance.value_or(absolute)};
    rule.smallest_step = resolved.options.smallest_step;
    StepperSettings steps = settings;
    for (auto tolerance : k_tolerances) (steps.*tolerance).reset();
    steps.tolerance.reset();
    steps.options.hold_velocities = true;
    if (scheme.adapts) {
      steps.name = k_captured_stepper;
      rule.published = resolved.order_guess;
    }
    return std::make_unique<ErrorControl>(make_stepper(steps, std::move(solver), std::move(captured_solver)),
                                          std::move(rule));
  }
  require_no_tolerances(resolved);
  const StepperOptions& options = resolved.options;
  const bool explicit_forces = options.derivatives == ForceDerivatives::none;
  const Entry& entry = find_entry(*resolved.name);
  if (const auto* located = std::get_if<Located>(&entry.make)) {
    StepFormula formula = with_mass((*located)(resolved), resolved);
    if (explicit_forces) formula.implicit_forces = false;
    if (!options.islands || formula.joints_only)
      return std::make_unique<EventStepper>(std::move(formula), options, std::move(solver));
    const std::shared_ptr<Solver> shared = std::move(solver);
    const std::shared_ptr<Solver> own =
        captured_solver ? std::shared_ptr<Solver>(std::move(captured_solver)) : shared;
    return std::make_unique<IslandStepper>(
        [formula, options, shared] {
          return std::make_unique<EventStepper>(formula, options, std::make_unique<SharedSolver>(shared));
        },
        captured_maker(resolved, own));
  }
  if (const auto* rk = std::get_if<OfRungeKutta>(&entry.make)) {
    const std::shared_ptr<Solver> shared = std::move(solver);
    return make_runge_kutta(resolved, (*rk)(resolved), shared,
                            captured_solver ? std::shared_ptr<Solver>(std::move(captured_solver)) : shared);
  }
  if (const auto* captured = std::get_if<Captured>(&entry.make)) {
    CapturingFormula formula = (*captured)(resolved);
    formula.step = with_mass(std::move(formula.step), resolved);
    if (explicit_forces) formula.step.implicit_forces = false;
    return std::make_unique<CapturingStepper>(std::move(formula), options, std::move(solver));
  }
  if (const auto* theta = std::get_if<InPositions>(&entry.make))
    return std::make_unique<SchatzmanPaoliStepper>((*theta)(resolved), options, std::move(solver));
  if (const auto* implicit = std::get_if<Implicit>(&entry.make))
    return std::make_unique<DaeStepper>((*implicit)(resolved), options);
  return std::get<Own>(entry.make)(options);
}

}  // namespace delassus
