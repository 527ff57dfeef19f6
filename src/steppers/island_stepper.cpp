// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/island_stepper.hpp"

#include <algorithm>
#include <numeric>

#include "delassus/steppers/contact_memory.hpp"
#include "delassus/steppers/contact_modes.hpp"
#include "delassus/steppers/step_finish.hpp"

namespace delassus {
namespace {

// Islands that are kept for each one in use: bodies that meet and part again find theirs made.
constexpr std::size_t k_kept_islands = 4;

// A step that fails where contacts are located, and then has this many times the kinetic energy it began with [-].
constexpr double k_sudden = 10;

Vector gather(const Vector& from, const std::vector<int>& places) {
  Vector out(static_cast<Eigen::Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) out[static_cast<Eigen::Index>(i)] = from[places[i]];
  return out;
}

void scatter(const Vector& part, const std::vector<int>& places, Vector& out) {
  for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = part[static_cast<Eigen::Index>(i)];
}

// Which modes are unknown, contact by contact: the states of islands are put together.
void mark_modes(History& history) {
  for (ContactMemory& contact : history.contacts) contact.mode_unknown = !history.modes_known;
}

void add_ledger(const EnergyLedger& part, EnergyLedger& out) {
  out.nonconservative += part.nonconservative;
  out.friction += part.friction;
  out.normal += part.normal;
  out.joints += part.joints;
  out.impacts += part.impacts;
  out.projection += part.projection;
  out.driven += part.driven;
}

}  // namespace

State split_state(const System& whole, const SystemPart& part, const State& state) {
  std::vector<int> contacts;
  for (std::size_t i = 0; i < state.history.contacts.size(); ++i) {
    const int body = whole.mover(state.history.contacts[i].id);
    if (body >= 0 && part.system->moves(body)) contacts.push_back(static_cast<int>(i));
  }
  return split_state(part, state, contacts);
}

State split_state(const SystemPart& part, const State& state, std::span<const int> contacts) {
  State out;
  out.t = state.t;
  out.q = gather(state.q, part.q);
  out.v = gather(state.v, part.v);
  const History& from = state.history;
  History& to = out.history;
  to.num_steps = from.num_steps;
  to.grid = from.grid;
  to.modes_known = true;
  for (int i : contacts) {
    const ContactMemory& contact = from.contacts[static_cast<std::size_t>(i)];
    to.contacts.push_back(contact);
    to.modes_known = to.modes_known && !contact.mode_unknown;
  }
  if (from.joint_impulses.size() > 0) to.joint_impulses = gather(from.joint_impulses, part.joint_rows);
  if (from.weighted_velocity.size() == state.v.size())
    to.weighted_velocity = gather(from.weighted_velocity, part.v);
  for (std::size_t i = 0; i < part.friction_rows.size(); ++i)
    if (std::find(from.held_frictions.begin(), from.held_frictions.end(), part.friction_rows[i]) !=
        from.held_frictions.end())
      to.held_frictions.push_back(static_cast<int>(i));
  to.energy.started = true;  // what it books is added to the ledger of the whole
  return out;
}

IslandStepper::IslandStepper(Maker make, Maker make_captured)
    : make_(std::move(make)), make_captured_(std::move(make_captured)), whole_(make_()) {}

void IslandStepper::advance(const System& system, State& state, const StepRequest& request,
                            StepReport& report) {
  if (system.divisible()) {
    if (!ended_with_events(state.history)) {
      StepRequest whole = request;
      whole.stop_at_event = true;
      const bool many = is_crowded(state.history);
      if (many) before_ = state;
      whole_->advance(system, state, whole, report);
      if (!report.stopped_at_event && report.ok && !(many && misses_transition(system, state, report)))
        return mark_modes(state.history);
      if (report.stopped) return;
      if (many && report.ok) std::swap(state, before_);
    }
    begin(system, state);
    if (take_islands(system, state, request)) return combine(system, state, request, report);
    if (failed_crowd_ != nullptr) return report_failure(failed_crowd_->report, system, state, report);
  }
  whole_->advance(system, state, request, report);
  if (report.ok) mark_modes(state.history);
}

// The state is that of the beginning. What the island has booked on its way has not happened.
void IslandStepper::report_failure(const StepReport& of_island, const System& system, const State& state,
                                   StepReport& report) {
  system.configure(state.t, state.q, at_);
  BilateralRows joints;
  system.bilateral(at_, joints);
  report.clear();
  report.t_begin = report.t_end = state.t;
  report.joint_impulses.setZero(joints.violation.size());
  report.ok = false;
  report.message = of_island.message;
  report.rejected = of_island.rejected;
  report.warnings = of_island.warnings;
  report.certificate.status = of_island.certificate.status;
}

void IslandStepper::begin(const System& system, const State& state) {
  if (system_ != system.number()) {
    system_ = system.number();
    islands_.clear();
    system.ties(ties_);
  }
  for (auto& [bodies, island] : islands_) island.taken = false;
  const std::vector<ContactMemory>& contacts = state.history.contacts;
  movers_.resize(contacts.size());
  first_contact_.assign(static_cast<std::size_t>(system.num_bodies()) + 1, 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    movers_[i] = system.mover(contacts[i].id);
    if (movers_[i] >= 0) ++first_contact_[static_cast<std::size_t>(movers_[i]) + 1];
  }
  std::partial_sum(first_contact_.begin(), first_contact_.end(), first_contact_.begin());
  contacts_by_body_.resize(static_cast<std::size_t>(first_contact_.back()));
  next_.assign(first_contact_.begin(), first_contact_.end());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (movers_[i] >= 0)
      contacts_by_body_[static_cast<std::size_t>(next_[static_cast<std::size_t>(movers_[i])]++)] =
          static_cast<int>(i);
}

bool IslandStepper::misses_transition(const System& system, const State& state, const StepReport& report) {
  changed_.clear();
  for (const ContactMemory& contact : before_.history.contacts) {
    if (!contact.closed) continue;
    const ContactMemory* after = find_memory(state.history, contact.id);
    if (after == nullptr || changed_parts(mode_of(*after), mode_of(contact)) != 0)
      changed_.push_back(system.mover(contact.id));
  }
  // Friction opposes the slip in the middle of the step; one that is turned round at its end has come to rest on the way.
  for (const ContactReport& contact : report.contacts) {
    const ContactMemory* after = find_memory(state.history, contact.id);
    if (after == nullptr || after->status != ContactStatus::slip) continue;
    const double* d = after->slip_direction;
    if (contact.velocity[1] * d[0] + contact.velocity[2] * d[1] < 0)
      changed_.push_back(system.mover(contact.id));
  }
  if (changed_.empty()) return false;
  begin(system, before_);
  system.configure(before_.t, before_.q, at_);
  reach_.clear();
  system.extend_reach(at_, before_.v, state.t - before_.t, reach_);
  for (const Bodies& bodies : components(system, reach_)) {
    const auto has = [&](int body) { return std::binary_search(bodies.begin(), bodies.end(), body); };
    if (std::none_of(changed_.begin(), changed_.end(), has)) continue;
    list_contacts(bodies, next_);
    if (next_.size() <= k_crowded) return true;
  }
  return false;
}

void IslandStepper::list_contacts(const Bodies& bodies, std::vector<int>& out) const {
  out.clear();
  for (int body : bodies) {
    const auto b = static_cast<std::size_t>(body);
    out.insert(out.end(), contacts_by_body_.begin() + first_contact_[b],
               contacts_by_body_.begin() + first_contact_[b + 1]);
  }
  std::sort(out.begin(), out.end());
}

std::vector<IslandStepper::Bodies> IslandStepper::components(const System& system, const Reach& reach) {
  const int n = system.num_bodies();
  parent_.resize(static_cast<std::size_t>(n));
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto root = [&](int i) {
    while (parent_[static_cast<std::size_t>(i)] != i) i = parent_[static_cast<std::size_t>(i)];
    return i;
  };
  // The smaller number is the root.
  const auto unite = [&](int a, int b) {
    a = root(a);
    b = root(b);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  };
  for (const Bodies& tie : ties_)
    for (std::size_t i = 1; i < tie.size(); ++i) unite(tie[0], tie[i]);
  system.meetings(reach, meetings_);
  for (const auto& [a, b] : meetings_) unite(a, b);
  std::map<int, Bodies> by_root;
  for (int i = 0; i < n; ++i)
    if (system.moves(i)) by_root[root(i)].push_back(i);
  std::vector<Bodies> out;
  out.reserve(by_root.size());
  for (auto& [first, bodies] : by_root) out.push_back(std::move(bodies));
  return out;
}

void IslandStepper::take(const System& system, const State& state, const StepRequest& request,
                         const Bodies& bodies, Workers& workers, Island& island) {
  if (!island.part.system) island.part = system.part(bodies);
  if (!workers.located) workers.located = make_();
  island.taken = true;
  list_contacts(bodies, island.contacts);
  island.state = split_state(island.part, state, island.contacts);
  if (is_crowded(island.state.history)) return take_captured(state, request, workers, island);
  island.reach.clear();
  // What follows the step is found for all bodies together.
  StepRequest own{.t_end = request.t_end, .t_next = request.t_end, .reach = &island.reach};
  if (make_captured_) {
    own.most_events = k_most_events;
    own.few_contacts = k_crowded;
  }
  workers.located->advance(*island.part.system, island.state, own, island.report);
  if (island.report.stopped_at_event) return take_captured(state, request, workers, island);
  if (island.report.ok || island.report.stopped || !make_captured_) return;
  const std::string reason = island.report.message;
  take_captured(state, request, workers, island);
  if (island.report.ok && !is_jammed(state, island)) {
    island.report.warn(WarningKind::captured, reason + "; the events of this step are captured, not located");
    return;
  }
  island.report.ok = false;
  island.report.message = reason;
}

bool IslandStepper::is_jammed(const State& state, const Island& island) {
  const State begin = split_state(island.part, state, island.contacts);
  const System& part = *island.part.system;
  const double kinetic = kinetic_energy(part.mass_at(part.configuration(begin.t, begin.q), M_), begin.v);
  const double after = island.report.energy.kinetic, driven = island.state.history.energy.driven;
  return after > k_sudden * kinetic && driven > 0.5 * after;
}

void IslandStepper::take_captured(const State& state, const StepRequest& request, Workers& workers,
                                  Island& island) {
  if (!workers.captured) workers.captured = make_captured_();
  island.state = split_state(island.part, state, island.contacts);
  island.reach.clear();
  StepRequest own{.t_end = request.t_end, .t_next = request.t_end, .reach = &island.reach};
  workers.captured->advance(*island.part.system, island.state, own, island.report);
  // What the scheme that locates events would know is not known.
  island.state.history.modes_known = island.state.history.contacts.empty();
  island.state.history.weighted_velocity = island.state.v;
  island.report.captured = 1;
}

bool IslandStepper::take_islands(const System& system, const State& state, const StepRequest& request) {
  system.configure(state.t, state.q, at_);
  reach_.clear();
  system.extend_reach(at_, state.v, request.t_end - state.t, reach_);
  failed_crowd_ = nullptr;
  // Ends: every round merges islands.
  for (;;) {
    std::vector<Bodies> next = components(system, reach_);
    if (next.empty() || (next.size() < 2 && !make_captured_)) return false;
    bool all_taken = true;
    for (std::size_t i = 0; i < next.size(); ++i) {
      Island& island = islands_[next[i]];
      if (island.taken) continue;
      all_taken = false;
      take(system, state, request, next[i], workers_[i % k_steppers], island);
      if (!island.report.ok) {
        // What cannot be captured cannot be located among hundreds of contacts, and not for less; otherwise the step of all bodies
        // says why.
        if (make_captured_ && island.contacts.size() > k_large_crowd) failed_crowd_ = &island;
        return false;
      }
      reach_.extend(island.reach);
    }
    current_ = std::move(next);
    if (all_taken) return true;
  }
}

void IslandStepper::combine(const System& system, State& state, const StepRequest& request,
                            StepReport& report) {
  report.clear();
  report.t_begin = state.t;
  History& history = state.history;
  history.ahead.reset();
  if (!history.energy.started) {
    history.energy.started = true;
    history.energy.initial_total =
        kinetic_energy(system.mass_at(at_, M_), state.v) + system.potential_energy(at_);
  }
  history.contacts.clear();
  history.held_frictions.clear();
  history.modes_known = true;
  history.weighted_velocity = state.v;
  BilateralRows joints;
  system.bilateral(at_, joints);
  report.joint_impulses.setZero(joints.violation.size());
  for (const Bodies& bodies : current_) {
    const Island& island = islands_[bodies];
    const History& own = island.state.history;
    scatter(island.state.q, island.part.q, state.q);
    scatter(island.state.v, island.part.v, state.v);
    const bool weighted = own.weighted_velocity.size() == island.state.v.size();
    scatter(weighted ? own.weighted_velocity : island.state.v, island.part.v, history.weighted_velocity);
    scatter(island.report.joint_impulses, island.part.joint_rows, report.joint_impulses);
    const std::vector<char>& shared = island.report.shared_joint_rows;
    if (!shared.empty())
      report.shared_joint_rows.resize(static_cast<std::size_t>(joints.violation.size()), 0);
    for (std::size_t i = 0; i < shared.size(); ++i)
      report.shared_joint_rows[static_cast<std::size_t>(island.part.joint_rows[i])] = shared[i];
    for (ContactMemory contact : own.contacts) {
      contact.mode_unknown = !own.modes_known;
      history.contacts.push_back(std::move(contact));
    }
    history.modes_known = history.modes_known && (own.modes_known || own.contacts.empty());
    for (int row : own.held_frictions)
      history.held_frictions.push_back(island.part.friction_rows[static_cast<std::size_t>(row)]);
    add_ledger(own.energy, history.energy);
    report.certificate.add(island.report.certificate);
    const StepReport& part = island.report;
    report.substeps += part.substeps;
    report.rejected += part.rejected;
    report.captured += part.captured;
    report.warnings.insert(report.warnings.end(), part.warnings.begin(), part.warnings.end());
    report.events.insert(report.events.end(), part.events.begin(), part.events.end());
    report.contacts.insert(report.contacts.end(), part.contacts.begin(), part.contacts.end());
  }
  std::sort(history.held_frictions.begin(), history.held_frictions.end());
  const auto by_id = [](const auto& a, const auto& b) { return a.id < b.id; };
  std::sort(history.contacts.begin(), history.contacts.end(), by_id);
  std::sort(report.contacts.begin(), report.contacts.end(), by_id);
  std::stable_sort(report.events.begin(), report.events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  StepInProgress step;
  step.system = &system;
  step.request = request;
  step.report = &report;
  step.history = std::move(history);
  step.now.phase = {request.t_end, state.q, state.v};
  step.now.place(system);
  finisher_.finish(step, state);
  if (islands_.size() > k_kept_islands * current_.size())
    std::erase_if(islands_, [](const auto& entry) { return !entry.second.taken; });
}

}  // namespace delassus
