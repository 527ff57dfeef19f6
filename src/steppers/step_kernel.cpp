// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/step_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "delassus/base/stop_request.hpp"
#include "delassus/base/work_time.hpp"
#include "delassus/steppers/aligned_solve.hpp"

namespace delassus {
namespace {

// Joint rows that hold to less than this, relative to the velocities, contradict each other. Rows of full rank hold to
// round-off; redundant ones (Bricard's mechanism) agree only on the joints themselves, and the middle of a step lies
// O(h²) beside them.
constexpr double k_joint_tolerance = 1e-3;

// Solves in which the friction of sliding contacts is turned onto their slip, and the turn that ends them [rad].
constexpr int k_max_turns = 12;
constexpr double k_turned = 1e-12;
// A slip keeps its direction when it has turned by less than 60 degrees.
constexpr double k_forward = 0.5;

// Contact c stops instead of rebounding.
void drop_rebound(Problem& problem, int c, RowShift& shift) {
  const int row = problem.Ht.first_row(c),
            known = std::min(problem.cones[static_cast<std::size_t>(c)].dim, 3);
  problem.w.segment(row, known) += (shift.slow - shift.velocity).head(known);
  shift.velocity = shift.slow;
  shift.rebounds = false;
}

bool has_exact_derivatives(const ForceJacobians& J) {
  return J.k_q.num_blocks() + J.k_v.num_blocks() + J.k_q_remainder.num_blocks() > 0;
}

}  // namespace

void StepKernel::assemble(const System& system, const MatrixChoice& choice, const PhasePoint& begin, double h,
                          std::span<const ContactMode> modes, const VectorRef& slip_hint,
                          std::span<RowShift> shifts, StepData& data, Problem& problem) {
  if (given_.prediction != nullptr) {
    assemble_predicted_step(options_, choice, *given_.prediction, modes, slip_hint, data, problem);
  } else {
    data.whole_step = whole_step_;
    assemble_step(system, formula_, options_, choice, begin, h, modes, slip_hint, data, problem);
    // (8) of step_formula.hpp. What is captured has gaps of its own.
    if (options_.stabilisation > 0 && whole_step_ > 0 && shifts.empty())
      for (int c = 0; c < data.num_contacts; ++c)
        problem.w[problem.Ht.first_row(c)] += options_.stabilisation / whole_step_ * data.start_gaps[c];
  }
  if (given_.joint_targets != nullptr) problem.g.head(data.num_joint_rows) = *given_.joint_targets;
  // By the rows of the step, along which its impulses act: other ones would hide energy.
  if (std::any_of(shifts.begin(), shifts.end(), [](const RowShift& shift) { return shift.at_end; }))
    problem.Ht.multiply(VectorRef(begin.phase.v), u_);
  for (std::size_t c = 0; c < shifts.size(); ++c) {
    const int known = std::min(problem.cones[c].dim, 3), row = problem.Ht.first_row(static_cast<int>(c));
    auto w = problem.w.segment(row, known);
    if (shifts[c].at_end) {
      shifts[c].weight.head(known) = -(1 - formula_.sigma) * (u_.segment(row, known) + w);
      if (shifts[c].leaves) shifts[c].weight[0] = 0;
    }
    w += (shifts[c].velocity + shifts[c].drift + shifts[c].weight).head(known);
  }
}

bool StepKernel::prepare(const System& system, const PhasePoint& begin, double h,
                         std::span<const ContactMode> modes, const VectorRef& slip_hint,
                         std::span<RowShift> shifts, StepData& data, Slot& slot, Trial& trial) {
  const WorkScope scope(WorkKind::assembly);
  throw_if_stop_requested();
  trial.h = h;
  trial.failure.clear();
  Problem& problem = slot.problem;
  const bool automatic = options_.derivatives == ForceDerivatives::automatic && formula_.implicit_forces;
  MatrixChoice choice{.rank_one = options_.derivatives == ForceDerivatives::rank_one,
                      .symmetric = !solver_.capabilities().nonsymmetric || iterates()};
  // A solver for symmetric problems: other derivatives are left out of A.
  if (automatic && choice.symmetric && !data.jacobians.symmetric) choice.rank_one = true;
  const auto attempt = [&] {
    assemble(system, choice, begin, h, modes, slip_hint, shifts, data, problem);
    // Gyroscopic blocks are definite by themselves; only the other derivatives can make A indefinite.
    const bool check = automatic && !choice.rank_one && has_exact_derivatives(data.jacobians);
    return slot.reduction.compute(problem, check);
  };
  trial.ok = attempt();
  if (!trial.ok && automatic && !choice.rank_one) {
    // Exact derivatives made A indefinite at this step size; the rank-one ones cannot.
    choice.rank_one = true;
    trial.ok = attempt();
  }
  if (trial.ok && choice.symmetric && given_.prediction == nullptr &&
      data.gyroscopic.matrix.num_blocks() > 0) {
    // Gyroscopic impulses of mechanisms as they are without contacts: (A + D) y_free = p, then A y = p − D y_free.
    w_ = begin.phase.v - slot.reduction.v_free();
    choice.gyroscopic = false;
    assemble(system, choice, begin, h, modes, slip_hint, shifts, data, problem);
    data.gyroscopic.matrix.add_product(w_, problem.p);
    trial.ok = slot.reduction.compute(problem);
  }
  if (!trial.ok) {
    // Nothing of an earlier trial may be taken for this one's.
    const std::string trouble = slot.reduction.trouble();
    trial.failure = trouble.empty() ? "the step matrix is not positive definite or not finite" : trouble;
    trial.stats.status = SolveStatus::numerical_failure;
    trial.end.phase.q.resize(0);
    trial.solution = {};
    trial.residual = {};
  }
  trial.cones.assign(problem.cones.begin(), problem.cones.end());
  trial.num_contacts = data.num_contacts;
  trial.tangent_ratios.clear();
  for (const ContactSurface& surface : data.contact_rows().surfaces)
    trial.tangent_ratios.push_back(surface.tangent_ratio);
  trial.redundant_joint_rows = slot.reduction.num_redundant();
  trial.linear_iterations = slot.reduction.linear_iterations();
  return trial.ok;
}

void StepKernel::solve(const System& system, const PhasePoint& begin, double h, const ContactSet& active,
                       const VectorRef& slip_hint, std::span<const ContactMemory* const> memory, Trial& trial,
                       std::span<RowShift> shifts, std::span<const int> last_places,
                       const StepGivens& given) {
  given_ = given;
  trial.stats = {};
  trial.unsettled = 0;
  keep_forces(trial, last_places);
  remembered_.clear();
  for (const ContactMemory* one : memory)
    remembered_.push_back(one != nullptr ? mode_of(*one) : ContactMode{});
  if (given.prediction != nullptr)
    evaluate_predicted_step(*given.prediction, step_.data);
  else
    evaluate_step(system, formula_, options_, begin, active, h, step_.data);
  if (!prepare(system, begin, h, remembered_, slip_hint, shifts, step_.data, step_, trial)) return;
  drop_slow_rebounds(begin.phase, shifts);
  start_from_memory(memory, h);
  start_from_trial(last_places);
  turn_generators_from_memory(memory);
  u_turned_.resize(0);
  solve_contacts(system, h, trial);
  bound_restitution(system, begin, h, shifts, trial);
  conclude(system, begin, h, shifts, trial);
  // Newton's law may have no solution, where friction pulls a guided body down harder than the ground lifts it.
  if (trial.ok || trial.unsettled > 0 || !drop_rebounds(shifts)) return;
  trial.failure.clear();
  warm_ = {};
  solve_contacts(system, h, trial);
  conclude(system, begin, h, shifts, trial);
}

void StepKernel::conclude(const System& system, const PhasePoint& begin, double h,
                          std::span<const RowShift> shifts, Trial& trial) {
  if (trial.unsettled > 0) trial.stats.status = SolveStatus::iteration_limit;
  trial.cones.assign(step_.problem.cones.begin(), step_.problem.cones.end());
  trial.ok = usable(trial.stats.status);
  if (!trial.ok && trial.failure.empty())
    trial.failure = fmt::format("the contact solver '{}' ended with: {}, solved to {:.1e}", solver_.name(),
                                to_string(trial.stats.status), trial.stats.residual);
  finish(system, begin, h, shifts, step_.data, step_, trial);
  judge(trial);
}

// Whatever the solver says, its numbers are used only if they satisfy the problem.
void StepKernel::judge(Trial& trial) {
  if (!trial.ok || trial.cones.empty()) return;
  const double residual = judged_residual(trial.residual, local(), trial.solution);
  if (is_certified(residual, trial.stats.residual)) return;
  trial.ok = false;
  trial.stats.status = SolveStatus::numerical_failure;
  trial.failure =
      fmt::format("the forces that the contact solver '{}' found do not satisfy the step (residual {:.1e})",
                  solver_.name(), residual);
}

void StepKernel::solve_contacts(const System& system, double h, Trial& trial) {
  if (step_.data.friction.constant.empty()) {
    solve_once(trial);
  } else if (given_.joint_forces != nullptr) {
    limit_friction(*given_.joint_forces, h);
    solve_once(trial);
    friction_modes_.assign(trial.solution.modes.begin() + step_.data.num_contacts,
                           trial.solution.modes.end());
  } else {
    solve_with_friction(system, h, trial);
  }
}

void StepKernel::solve_once(Trial& trial) {
  solve_aligned(solver_, options_.law.aligned(), step_.problem, step_.reduction, warm_, trial.solution,
                trial.stats);
  if (usable(trial.stats.status)) take_least_forces(step_.reduction, trial);
}

// The next step starts from these, too: a load that stays is shared as before, whatever the solver would have chosen.
void StepKernel::take_least_forces(const Reduction& reduction, Trial& trial) {
  least_.apply(reduction, trial.solution);
  trial.shared_contacts = least_.shared_contacts();
  trial.shared_rows = least_.shared_rows();
}

// What the step does to u⁻ before contacts push, but for gyroscopic forces: gravity and springs work on the mean velocity, and
// joints that turn do no work. With v(p) the velocity without contacts: v(p) − v(p − h k) + v(A v⁻) − v⁻.
void StepKernel::evaluate_force_change(const System& system, const PhasePoint& begin, double h) {
  Problem& problem = step_.problem;
  const auto add_free_velocity = [&](double sign) {
    step_.reduction.update_free_velocity();
    mean_ += sign * step_.reduction.v_free();
  };
  mean_.setZero(system.nv());
  system.forces(begin.at, mean_, w_);
  momentum_ = problem.p;
  mean_ = step_.reduction.v_free() - begin.phase.v;
  problem.p -= formula_.sigma * h * w_;
  add_free_velocity(-1.0);
  problem.p.setZero();
  problem.A.add_product(begin.phase.v, problem.p);
  add_free_velocity(1.0);
  problem.Ht.multiply(VectorRef(mean_), force_change_);
  problem.p = momentum_;
  step_.reduction.update_free_velocity();
}

void StepKernel::bound_restitution(const System& system, const PhasePoint& begin, double h,
                                   std::span<RowShift> shifts, Trial& trial) {
  const auto rebounds = [](const RowShift& shift) { return shift.rebounds; };
  if (!options_.impact.bound_energy || !usable(trial.stats.status) ||
      std::none_of(shifts.begin(), shifts.end(), rebounds))
    return;
  Problem& problem = step_.problem;
  restitution_.setZero(problem.w.size());
  other_shift_.setZero(problem.w.size());
  evaluate_force_change(system, begin, h);
  u_before_ = local().u_free - force_change_;
  rebounds_.assign(problem.cones.size(), 0);
  for (std::size_t c = 0; c < shifts.size(); ++c) {
    const int row = problem.Ht.first_row(static_cast<int>(c)), known = std::min(problem.cones[c].dim, 3);
    rebounds_[c] = shifts[c].rebounds ? 1 : 0;
    (shifts[c].rebounds ? restitution_ : other_shift_).segment(row, known) = shifts[c].velocity.head(known);
    u_before_.segment(row, known) -= shifts[c].velocity.head(known);
    // Of rows of the weighted velocity y = u⁻ + σ (u⁺ − u⁻), σ (u⁺ + u⁻) is y + (2σ − 1) u⁻.
    if (!shifts[c].at_end) u_before_.segment(row, problem.cones[c].dim) *= 2 * formula_.sigma - 1;
  }
  u_turned_ = u_before_;
  bound_.begin(local(), restitution_, other_shift_, u_before_, rebounds_);
  int iterations = trial.stats.iterations;
  Vector before = bound_.shift();
  while (bound_.reduce(local(), trial.solution)) {
    problem.w += bound_.shift() - before;
    before = bound_.shift();
    step_.reduction.update_free_velocity();
    bound_.start_from_good(warm_);
    solve_contacts(system, h, trial);
    iterations += trial.stats.iterations;
    if (!usable(trial.stats.status)) break;
  }
  trial.stats.iterations = iterations;
  for (std::size_t c = 0; c < shifts.size(); ++c) {
    if (!shifts[c].rebounds) continue;
    shifts[c].share = bound_.share(static_cast<int>(c));
    shifts[c].velocity *= shifts[c].share;
  }
}

double pressing_speed(const BlockRows& rows, int c, const Vector& change) {
  double sum = 0;
  for (int b = 0; b < rows.num_blocks(c); ++b) {
    const BlockRows::ConstBlock block = rows.block(c, b);
    sum += std::max(0.0, -block.row(0).dot(change.segment(rows.block_column(c, b), block.cols())));
  }
  return sum;
}

bool StepKernel::drop_rebounds(std::span<RowShift> shifts) {
  bool any = false;
  for (std::size_t c = 0; c < shifts.size(); ++c) {
    RowShift& shift = shifts[c];
    if (!shift.rebounds) continue;
    drop_rebound(step_.problem, static_cast<int>(c), shift);
    shift.share = 0;
    any = true;
  }
  if (any) step_.reduction.update_free_velocity();
  return any;
}

void StepKernel::drop_slow_rebounds(const Phase& phase, std::span<RowShift> shifts) {
  const auto rebounds = [](const RowShift& shift) { return shift.rebounds; };
  if (std::none_of(shifts.begin(), shifts.end(), rebounds)) return;
  step_.problem.Ht.multiply(VectorRef(phase.v), u_);
  step_.problem.Ht.multiply(VectorRef(step_.reduction.v_free()), joint_u_);
  w_ = step_.reduction.v_free() - phase.v;
  bool any = false;
  for (std::size_t c = 0; c < shifts.size(); ++c) {
    RowShift& shift = shifts[c];
    if (!shift.rebounds) continue;
    const int row = step_.problem.Ht.first_row(static_cast<int>(c));
    const double drift = step_.problem.w[row] - shift.velocity[0] - shift.drift[0] - shift.weight[0];
    const bool falls_short = shift.slow[0] > 0 && shift.slow[0] + joint_u_[row] + drift + shift.drift[0] > 0;
    const double forced = shift.parts * pressing_speed(step_.problem.Ht, static_cast<int>(c), w_);
    if (!falls_short && std::abs(u_[row] + drift) > forced) continue;
    drop_rebound(step_.problem, static_cast<int>(c), shift);
    shift.impact = shift.impact && !falls_short;
    any = true;
  }
  if (any) step_.reduction.update_free_velocity();
}

// The last basis, forces and modes, contact by contact; a new contact starts open.
void StepKernel::start_from_memory(std::span<const ContactMemory* const> memory, double h) {
  warm_.basis.clear();
  warm_.modes.clear();
  bool known = false, any_basis = false;
  for (std::size_t c = 0; c < memory.size(); ++c) {
    const std::size_t n = static_cast<std::size_t>(lcp_size(step_.problem.cones[c]));
    known = known || memory[c] != nullptr;
    if (memory[c] != nullptr && memory[c]->basis.size() == n) {
      warm_.basis.insert(warm_.basis.end(), memory[c]->basis.begin(), memory[c]->basis.end());
      any_basis = true;
    } else {
      warm_.basis.insert(warm_.basis.end(), n, 0);
    }
  }
  if (!any_basis) warm_.basis.clear();
  if (!known) {
    warm_.r.resize(0);
    return;
  }
  warm_.r.setZero(step_.problem.Ht.rows());
  warm_.modes.assign(step_.problem.cones.size(), {});
  for (std::size_t c = 0; c < memory.size(); ++c) {
    if (memory[c] == nullptr) continue;
    // The unknown of the problem is σ times the impulse of the step.
    const int row = step_.problem.Ht.first_row(static_cast<int>(c));
    for (int k = 0; k < step_.problem.cones[c].dim; ++k)
      warm_.r[row + k] = formula_.sigma * h * memory[c]->force[k];
    warm_.modes[c] = mode_of(*memory[c]);
  }
}

void StepKernel::keep_forces(const Trial& trial, std::span<const int> last_places) {
  last_r_.resize(last_places.empty() ? 0 : trial.solution.r.size());
  if (last_places.empty()) return;
  last_r_ = trial.solution.r;
  last_modes_ = trial.solution.modes;
  last_rows_.clear();
  int row = 0;
  for (const Cone& cone : trial.cones) {
    last_rows_.push_back(row);
    row += cone.dim;
  }
}

void StepKernel::start_from_trial(std::span<const int> last_places) {
  if (last_places.empty()) return;
  warm_.basis.clear();
  warm_.r.setZero(step_.problem.Ht.rows());
  warm_.modes.assign(step_.problem.cones.size(), {});
  for (std::size_t c = 0; c < last_places.size(); ++c) {
    if (last_places[c] < 0) continue;
    const auto last = static_cast<std::size_t>(last_places[c]);
    const int row = step_.problem.Ht.first_row(static_cast<int>(c)), dim = step_.problem.cones[c].dim;
    warm_.r.segment(row, dim) = last_r_.segment(last_rows_[last], dim);
    warm_.modes[c] = last_modes_[last];
  }
}

// A contact without slip has none to turn a generator onto: one that begins to slip has the direction its
// mode knows, one that sticks the direction of its last friction, in which it must be able to take all of
// μ r_N.
void StepKernel::turn_generators_from_memory(std::span<const ContactMemory* const> memory) {
  for (std::size_t c = 0; c < memory.size(); ++c) {
    Cone& cone = step_.problem.cones[c];
    if (!options_.law.aligned() || cone.dim < 3 || cone.polygon || cone.angle != 0 || memory[c] == nullptr)
      continue;
    const bool slips = memory[c]->status == ContactStatus::slip;
    const double x = slips ? memory[c]->slip_direction[0] : memory[c]->force[1];
    const double y = slips ? memory[c]->slip_direction[1] : memory[c]->force[2];
    if (x != 0 || y != 0) cone.angle = std::atan2(y, x);
  }
  step_.reduction.update_cones();
}

double StepKernel::follow_slip(const Problem& problem, int num_contacts, const Solution& solution) {
  double turn = 0;
  for (int c = 0; c < num_contacts; ++c) {
    ContactMode& mode = all_modes_[c];
    for (const FrictionPart& part : mode_parts(problem.cones[c])) {
      const PartMode before = mode.part(part.kind);
      if (part.size < 2 || before.status != ContactStatus::slip) continue;
      const Eigen::Vector2d slip = solution.u.segment<2>(problem.Ht.first_row(c) + part.first);
      // A slip that has gone through zero ends its mode; its event function must see it.
      if (!(slip.dot(before.direction) > k_forward * slip.norm())) continue;
      const Eigen::Vector2d direction = slip.normalized();
      turn = std::max(turn, (direction - before.direction).norm());
      mode.set_part(part.kind, {ContactStatus::slip, direction});
    }
  }
  return turn;
}

void StepKernel::solve_modes(const System& system, const PhasePoint& begin, double h,
                             const ContactSet& active, std::span<const ContactMode> modes, ModeStep kind,
                             Trial& trial) {
  given_ = {};
  trial.stats = {};
  const bool as_solved = kind == ModeStep::as_solved;
  StepData& data = as_solved ? step_.data : modes_.data;
  if (!as_solved) evaluate_step(system, formula_, options_, begin, active, h, data);
  if (!prepare(system, begin, h, modes, begin.phase.v, {}, data, modes_, trial)) return;
  Problem& problem = modes_.problem;
  Reduction& reduction = modes_.reduction;
  // Joints go on sticking or slipping as in the last solve.
  all_modes_.assign(modes.begin(), modes.end());
  if (!data.friction.constant.empty()) {
    friction_modes_.resize(data.friction.constant.size());
    all_modes_.insert(all_modes_.end(), friction_modes_.begin(), friction_modes_.end());
  }
  const auto solve_once = [&] {
    double last = std::numeric_limits<double>::infinity();
    for (int round = 0; round < k_max_turns; ++round) {
      trial.ok = solve_with_modes(reduction, all_modes_, trial.solution, mode_scratch_);
      if (!trial.ok || options_.law.kind == ContactLawKind::polyhedral) return trial.ok;
      const double turn = follow_slip(problem, data.num_contacts, trial.solution);
      if (turn <= k_turned) return true;
      if (turn > last) {
        // A slip so slow that friction could turn it anywhere within the step: directions that chase it go astray.
        std::copy(modes.begin(), modes.end(), all_modes_.begin());
        return trial.ok = solve_with_modes(reduction, all_modes_, trial.solution, mode_scratch_);
      }
      last = turn;
    }
    return trial.ok;
  };
  if (data.friction.constant.empty())
    solve_once();
  else
    settle_friction(h, data, modes_, trial, std::ref(solve_once));
  trial.shared_contacts.clear();
  trial.shared_rows.clear();
  if (trial.ok && kind == ModeStep::taken && mode_scratch_.redundant) take_least_forces(reduction, trial);
  // The polygon follows the friction, so that the residual measures the law and not the polygon.
  for (std::size_t c = 0; c < modes.size() && options_.law.aligned(); ++c) {
    Cone& cone = problem.cones[c];
    if (cone.dim < 3 || cone.polygon || modes[c].status == ContactStatus::open) continue;
    const Eigen::Vector2d r_T =
        tangential(cone, trial.solution.r.segment(problem.Ht.first_row(static_cast<int>(c)), cone.dim));
    cone.angle = std::atan2(r_T.y(), r_T.x());
  }
  reduction.update_cones();
  trial.cones.assign(problem.cones.begin(), problem.cones.end());
  trial.stats.status = trial.ok ? SolveStatus::converged : SolveStatus::numerical_failure;
  trial.solution.basis.clear();
  finish(system, begin, h, {}, data, modes_, trial);
}

int StepKernel::worst_joint(const Trial& trial, const StepData& data, const Problem& problem) {
  problem.Gt.multiply(VectorRef(trial.y), joint_u_);
  int worst = 0;
  (joint_u_ - problem.g).head(data.num_joint_rows).cwiseAbs().maxCoeff(&worst);
  return worst;
}

// ½ rᵀ(u⁺ + u_free); of rows of the weighted velocity, `work` as it is. `solution.r` are impulses, not weighted.
double StepKernel::solved_work(const LocalProblem& local, const Solution& solution, const RowShift& shift,
                               int contact, double work) const {
  if (formula_.sigma != 1 && !shift.at_end) return work;
  const int row = local.first_row(contact), dim = local.W.dim(contact), known = std::min(dim, 3);
  const auto r = solution.r.segment(row, dim);
  const double twice = r.dot(solution.u.segment(row, dim) + local.u_free.segment(row, dim)) -
                       2 * r.head(known).dot(shift.velocity.head(known));
  return 0.5 * twice / formula_.sigma;
}

// ½ rᵀ(u⁺ + u⁻) with u⁻ as gyroscopic forces, which do no work, have turned it, where restitution was judged by that.
double StepKernel::turned_work(const LocalProblem& local, const Solution& solution, const RowShift& shift,
                               int contact, double work) const {
  if (formula_.sigma != 1 || u_turned_.size() != solution.r.size()) return work;
  const int row = local.first_row(contact), dim = local.W.dim(contact), known = std::min(dim, 3);
  const auto r = solution.r.segment(row, dim);
  return 0.5 * (r.dot(solution.u.segment(row, dim) + u_turned_.segment(row, dim)) -
                r.head(known).dot(shift.velocity.head(known)));
}

void StepKernel::finish(const System& system, const PhasePoint& begin, double h,
                        std::span<const RowShift> shifts, const StepData& data, Slot& slot, Trial& trial) {
  const Phase& phase = begin.phase;
  Phase& end = trial.end.phase;
  const Problem& problem = slot.problem;
  Solution& solution = trial.solution;
  trial.residual = compute_residual(problem, slot.reduction, solution, residual_scratch_);
  trial.y = solution.v;
  trial.alpha = formula_.alpha;
  // The problem was written for y with impulses σ r, σ λ: undo the weight.
  solution.r /= formula_.sigma;
  solution.lambda /= formula_.sigma;
  end.t = phase.t + h;
  end.v = phase.v + (trial.y - phase.v) / formula_.sigma;
  const auto move = [&] {
    if (given_.prediction != nullptr)
      w_ = given_.prediction->w + 0.5 * h * (end.v - given_.prediction->v);
    else
      w_ = h * ((1.0 - formula_.gamma) * phase.v + formula_.gamma * end.v);
    system.retract(phase.q, w_, end.q);
  };
  move();
  const bool finite = end.q.allFinite() && end.v.allFinite();
  if (finite) trial.end.place(system);
  if (finite && trial.ok && formula_.end_time && options_.projection != Projection::none) {
    // The impulse of a step whose rows are positions puts v off the joints by O(h), along its own directions; with
    // it goes the position, also where only velocities are held.
    if (projector_.project_velocity_along(problem, trial.end)) {
      solution.lambda.head(data.num_joint_rows) += projector_.impulses().head(data.num_joint_rows);
      move();
      trial.end.place(system);
    }
  }
  // ½ (v⁺ + v)ᵀ M (v⁺ − v) is the change of kinetic energy, so impulses work on the mean velocity.
  mean_ = 0.5 * (phase.v + end.v);
  problem.impulse_H().multiply(VectorRef(mean_), u_);
  trial.work_normal = trial.work_friction = trial.work_impacts = trial.work_beside_impacts = 0;
  trial.work_surfaces = trial.work_solved = 0;
  double after_forces = 0, after_turning = 0;
  const ContactRows& surfaces = data.contact_rows();
  const bool any_impact =
      std::any_of(shifts.begin(), shifts.end(), [](const RowShift& shift) { return shift.impact; });
  for (int c = 0; c < problem.num_contacts(); ++c) {
    const int row = problem.Ht.first_row(c), dim = problem.cones[c].dim;
    const double first = solution.r[row] * u_[row];
    const double others = solution.r.segment(row + 1, dim - 1).dot(u_.segment(row + 1, dim - 1));
    if (c < static_cast<int>(shifts.size())) {
      after_forces += solved_work(slot.reduction.local(), solution, shifts[c], c, first + others);
      trial.work_solved += first + others;
      after_turning += turned_work(slot.reduction.local(), solution, shifts[c], c, first + others);
    }
    // Contacts that impacts are captured with share in their energy.
    if (c < static_cast<int>(shifts.size()) && (shifts[c].impact || shifts[c].at_end)) {
      trial.work_impacts += first + others;
      continue;
    }
    trial.work_friction += others;
    if (c >= data.num_contacts) {
      (problem.cones[c].kind == ConeKind::box ? trial.work_friction : trial.work_normal) += first;
      continue;
    }
    // A contact that stays closed moves with its surface: n · v = −(velocity at v = 0). What it does beyond that beside an
    // impact is its share of the impact's energy.
    const double moved = -solution.r[row] * surfaces.drift_velocity[surfaces.rows.first_row(c)];
    trial.work_surfaces += moved;
    trial.work_normal += any_impact ? moved : first;
    if (any_impact) trial.work_beside_impacts += first - moved;
  }
  trial.work_solved = std::min({trial.work_solved, after_forces, after_turning});
  problem.impulse_G().multiply(VectorRef(mean_), joint_u_);
  // The rows after these are springs and dampers, whose work is not a joint's.
  const int joints = data.num_joint_rows;
  trial.work_joints = solution.lambda.head(joints).dot(joint_u_.head(joints));
  if (solution.lambda.size() != joints) solution.lambda.conservativeResize(joints);
  if (trial.ok && trial.residual.joints > k_joint_tolerance) {
    trial.ok = false;
    trial.stats.status = SolveStatus::numerical_failure;
    trial.failure = fmt::format("the joints contradict each other (worst: '{}')",
                                system.joint_name(worst_joint(trial, data, problem)));
  }
  if (!finite) {
    trial.ok = false;
    trial.failure = "the step gave numbers that are not finite";
  }
}

bool StepKernel::solve_forces(const System& system, const PhasePoint& point, const ContactSet& contacts,
                              std::span<const ContactMode> modes, Solution& solution) {
  throw_if_stop_requested();
  assemble_acceleration(system, options_, point, contacts, modes, std::numeric_limits<double>::infinity(),
                        forces_.data, forces_.problem);
  return forces_.reduction.compute(forces_.problem) &&
         solve_with_modes(forces_.reduction, modes, solution, mode_scratch_);
}

bool StepKernel::find_modes(const System& system, const PhasePoint& point, const ContactSet& contacts,
                            double slip_speed, std::vector<ContactMode>& modes,
                            std::span<const ContactMode> known, SolveEffort effort) {
  assemble_acceleration(system, options_, point, contacts, known, slip_speed, forces_.data, forces_.problem);
  if (!forces_.reduction.compute(forces_.problem)) return false;
  SolveStats stats;
  force_warm_.basis.clear();
  force_warm_.effort = effort;
  solve_aligned(solver_, options_.law.aligned(), forces_.problem, forces_.reduction, force_warm_,
                force_solution_, stats);
  if (!usable(stats.status)) return false;
  modes = force_solution_.modes;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (modes[c].status == ContactStatus::open) continue;
    // What slides went in without friction of its own; its direction is that of the slip.
    const bool frictionless = forces_.problem.cones[c].dim == 1;
    for (FrictionKind kind : {FrictionKind::sliding, FrictionKind::rolling, FrictionKind::spinning}) {
      const bool slides = (forces_.data.sliding[c] & held_part(kind)) != 0;
      if (!slides && !(frictionless && kind == FrictionKind::sliding)) continue;
      const Eigen::Vector2d slip = part_velocity(contacts, c, kind);
      modes[c].set_part(kind, {ContactStatus::slip, slip.norm() > 0 ? slip.normalized() : slip});
    }
  }
  return true;
}

double StepKernel::take_off_acceleration(int c) const {
  // Of contacts that share their forces those that are not needed do not move either, up to the tolerance of the solver.
  constexpr double round_off = 1e-6;
  const double a = force_solution_.u[forces_.problem.Ht.first_row(c)];
  return a > round_off * free_acceleration() ? a : 0.0;
}

Eigen::Vector2d StepKernel::slip_acceleration(int c) const {
  const int row = forces_.problem.Ht.first_row(c), size = std::min(forces_.problem.cones[c].dim, 3) - 1;
  Eigen::Vector2d a = Eigen::Vector2d::Zero();
  a.head(size) = force_solution_.u.segment(row + 1, size);
  return a;
}

}  // namespace delassus
