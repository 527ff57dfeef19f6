// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/steppers/contact_diagnosis.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "delassus/problems/islands.hpp"
#include "delassus/steppers/assemble.hpp"

namespace delassus {
namespace {

// Islands with more rows are not examined: some twenty dense factorisations of this size take a few seconds.
constexpr int k_dense_rows = 900;
// Eigenvalues of W relative to the largest that count as zero: the square of a tolerance of 3e-6 on rows.
constexpr double k_rank_tolerance = 1e-11;
// Entries of null vectors below this are round-off.
constexpr double k_entry_tolerance = 1e-6;
// Contacts with less of the normal impulse take no part in a wedge.
constexpr double k_least_share = 1e-3;
constexpr std::size_t k_most_names = 8;
constexpr std::size_t k_most_lines = 8;

std::string name_of(const System& system, int body) {
  return body < 0 ? "world" : system.body_name(body);
}

std::string pair_of(const System& system, const ContactBodies& bodies) {
  return fmt::format("'{}' and '{}'", name_of(system, bodies.b), name_of(system, bodies.a));
}

bool known(const ContactBodies& bodies) {
  return bodies.a >= 0 || bodies.b >= 0;
}

// Null vectors of a symmetric positive semidefinite matrix, as columns.
Matrix null_space(const Matrix& Q) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Q);
  const Vector& values = eigen.eigenvalues();  // ascending
  Eigen::Index count = 0;
  while (count < values.size() && values[count] <= k_rank_tolerance * values[values.size() - 1]) ++count;
  return eigen.eigenvectors().leftCols(count);
}

// W of an island with every contact measured by its normal; contacts without effect keep their zeros.
Matrix scaled_matrix(const LocalProblem& island, const Vector& norms) {
  Matrix Q;
  island.W.to_dense(Q);
  for (int c = 0; c < island.num_contacts(); ++c) {
    if (!(norms[c] > 0)) continue;
    Q.middleRows(island.first_row(c), island.cones[c].dim) /= norms[c];
    Q.middleCols(island.first_row(c), island.cones[c].dim) /= norms[c];
  }
  return Q;
}

// What contact rows push on: columns of A⁻¹-free generalised impulses H_c x.
void add_impulse(const BlockRows& Ht, int contact, const Eigen::Ref<const Matrix>& x, Matrix& out) {
  for (int b = 0; b < Ht.num_blocks(contact); ++b) {
    const auto block = Ht.block(contact, b);
    out.middleRows(Ht.block_column(contact, b), block.cols()) += block.transpose() * x;
  }
}

void find_shared(const System& system, const Problem& problem, const LocalProblem& island,
                 const Vector& norms, std::span<const int> contacts, const Matrix& null,
                 ContactDiagnosis::Island& out) {
  struct Part {
    ContactDiagnosis::Pair pair;
    std::vector<int> members;  // of the island
  };
  std::vector<Part> parts;
  for (int i = 0; i < island.num_contacts(); ++i) {
    const auto rows = null.middleRows(island.first_row(i), island.cones[i].dim);
    if (rows.size() == 0 || rows.cwiseAbs().maxCoeff() <= k_entry_tolerance) continue;
    const ContactBodies bodies = system.contact_bodies(out.contacts[i]);
    auto part =
        std::find_if(parts.begin(), parts.end(), [&](const Part& x) { return x.pair.bodies == bodies; });
    if (part == parts.end() || !known(bodies)) part = parts.insert(parts.end(), Part{{.bodies = bodies}, {}});
    part->pair.contacts.push_back(out.contacts[i]);
    part->members.push_back(i);
  }
  for (Part& part : parts) {
    Matrix sum = Matrix::Zero(problem.Ht.columns(), null.cols()), one = sum;
    double largest = 0;
    for (int i : part.members) {
      const double scale = norms[i] > 0 ? 1 / norms[i] : 1.0;
      one.setZero();
      add_impulse(problem.Ht, contacts[i], scale * null.middleRows(island.first_row(i), island.cones[i].dim),
                  one);
      largest = std::max(largest, one.cwiseAbs().maxCoeff());
      sum += one;
    }
    part.pair.unique_sum = sum.cwiseAbs().maxCoeff() <= k_entry_tolerance * largest;
    out.shared.push_back(std::move(part.pair));
  }
}

// Names of the contacts with a share, the largest first.
std::vector<int> by_share(const std::vector<double>& shares) {
  std::vector<int> order;
  for (std::size_t c = 0; c < shares.size(); ++c)
    if (shares[c] > k_least_share) order.push_back(static_cast<int>(c));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return shares[a] > shares[b]; });
  return order;
}

std::string names(const System& system, std::span<const ContactId> ids, const std::vector<int>& order,
                  const std::vector<double>* shares) {
  std::string out;
  for (std::size_t i = 0; i < std::min(order.size(), k_most_names); ++i) {
    out += fmt::format("{}'{}'", i == 0 ? "" : ", ", system.contact_name(ids[order[i]]));
    if (shares != nullptr) out += fmt::format(" ({:.0f} %)", 100 * (*shares)[order[i]]);
  }
  if (order.size() > k_most_names) out += fmt::format(" and {} more", order.size() - k_most_names);
  return out;
}

void describe_wedge(const System& system, const ContactDiagnosis::Island& island,
                    std::vector<std::string>& lines) {
  const Pointedness& friction = island.friction;
  if (friction.answer == Pointed::undecided) {
    lines.push_back(fmt::format(
        "note: whether the contacts {} can wedge is undecided: between {:.1e} and {:.1e} of their impulses "
        "cannot "
        "cancel",
        names(system, island.contacts, by_share(friction.shares), nullptr), friction.lower, friction.upper));
    return;
  }
  const bool alone = island.normals.answer == Pointed::no;  // without friction
  const Pointedness& shown = alone ? island.normals : friction;
  const std::vector<int> order = by_share(shown.shares);
  if (order.size() == 1) {
    lines.push_back(
        fmt::format("warning: contact {} presses against joints only{}: no motion that they allow opens it, "
                    "and its force "
                    "can be anything",
                    names(system, island.contacts, order, nullptr), alone ? "" : " by friction"));
    return;
  }
  lines.push_back(
      fmt::format("warning: contacts are wedged {}: impulses of {} cancel each other; their forces are not "
                  "bounded by the motion, "
                  "and a step may have no solution",
                  alone ? "even without friction (MFCQ does not hold)" : "by friction",
                  names(system, island.contacts, order, &shown.shares)));
}

void describe_shared(const System& system, const ContactDiagnosis::Pair& pair,
                     std::vector<std::string>& lines) {
  const std::size_t n = pair.contacts.size();
  if (!known(pair.bodies)) {
    lines.push_back(fmt::format("note: the force of contact '{}' is not unique, others can take its load",
                                system.contact_name(pair.contacts[0])));
  } else if (!pair.unique_sum) {
    lines.push_back(
        fmt::format("note: the force between {} is not unique: other bodies can take its load ({} contact{})",
                    pair_of(system, pair.bodies), n, n == 1 ? "" : "s"));
  } else {
    lines.push_back(
        fmt::format("note: {} contacts of '{}' on '{}' share their load in many ways: the force of each is "
                    "not unique, their "
                    "sum and moment are",
                    n, name_of(system, pair.bodies.b), name_of(system, pair.bodies.a)));
  }
}

// The dynamic body that most of the normal impulse acts on from both sides, and whom it is pressed by.
std::string pressed_body(const System& system, std::span<const ContactId> ids, const std::vector<int>& order,
                         const std::vector<double>& shares) {
  std::vector<double> load(system.num_bodies(), 0.0);
  std::vector<ContactBodies> bodies;
  for (int c : order) {
    bodies.push_back(system.contact_bodies(ids[c]));
    for (int body : {bodies.back().a, bodies.back().b})
      if (body >= 0) load[body] += shares[c];
  }
  if (load.empty()) return {};
  const int pressed = static_cast<int>(std::max_element(load.begin(), load.end()) - load.begin());
  std::vector<std::string> others;
  for (const ContactBodies& pair : bodies) {
    if (pair.a != pressed && pair.b != pressed) continue;
    const std::string other = "'" + name_of(system, pair.a == pressed ? pair.b : pair.a) + "'";
    if (std::find(others.begin(), others.end(), other) == others.end()) others.push_back(other);
  }
  if (others.empty()) return {};
  if (others.size() == 1)
    return fmt::format("body '{}' is pressed by {}; ", system.body_name(pressed), others[0]);
  const std::string last = others.back();
  others.pop_back();
  return fmt::format("body '{}' is pressed between {} and {}; ", system.body_name(pressed),
                     fmt::join(others, ", "), last);
}

}  // namespace

ContactDiagnosis diagnose_contacts(const System& system, const StepperOptions& options, const State& state,
                                   double band) {
  ContactDiagnosis out;
  PhasePoint point{.phase = {state.t, state.q, state.v}};
  point.place(system);
  system.find_contacts(point.at, state.v, 0.0, nullptr, point.contacts);
  std::vector<std::size_t> closed;
  for (std::size_t c = 0; c < point.contacts.size(); ++c)
    if (point.contacts.gap(c) <= band && point.contacts.valid(c)) closed.push_back(c);
  if (closed.empty()) return out;
  ContactSet contacts_at;
  contacts_at.select(point.contacts, closed);
  out.closed = contacts_at.ids;

  StepData data;
  Problem problem;
  Reduction reduction;
  assemble_impact(system, options, point, contacts_at, {}, data, problem);
  if (!reduction.compute(problem)) return out;
  const Vector norms = compute_normal_norms(problem);
  Islands islands;
  islands.find(reduction.local().W);
  for (int i = 0; i < islands.size(); ++i) {
    const std::span<const int> contacts = islands.contacts(i);
    ContactDiagnosis::Island& island = out.islands.emplace_back();
    LocalProblem local;
    WarmStart unused;
    extract_island(reduction.local(), {}, contacts, local, unused);
    Vector island_norms(local.num_contacts());
    for (int c = 0; c < local.num_contacts(); ++c) {
      island.contacts.push_back(out.closed[contacts[c]]);
      island_norms[c] = norms[contacts[c]];
    }
    island.rows = local.W.rows();
    island.examined = island.rows <= k_dense_rows;
    if (!island.examined) continue;
    const Matrix Q = scaled_matrix(local, island_norms);
    const Matrix null = null_space(Q);
    std::vector<int> normal_rows;
    for (int c = 0; c < local.num_contacts(); ++c) normal_rows.push_back(local.first_row(c));
    island.rank = island.rows - static_cast<int>(null.cols());
    island.normal_rank =
        local.num_contacts() - static_cast<int>(null_space(Q(normal_rows, normal_rows)).cols());
    if (null.cols() > 0) find_shared(system, problem, local, island_norms, contacts, null, island);
    island.normals = find_pointedness(local, island_norms, false);
    island.friction = find_pointedness(local, island_norms);
  }
  return out;
}

std::string list_contact_names(const System& system, std::span<const ContactId> ids) {
  std::vector<int> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  return names(system, ids, order, nullptr);
}

std::vector<std::string> describe(const System& system, const ContactDiagnosis& diagnosis) {
  std::vector<std::string> lines;
  if (diagnosis.closed.empty()) return lines;
  int rows = 0, rank = 0, normals = 0, normal_rank = 0, skipped = 0;
  double constant = 1;
  bool pointed = true;
  std::vector<std::string> wedges, shared;
  std::size_t num_shared = 0;
  for (const ContactDiagnosis::Island& island : diagnosis.islands) {
    if (!island.examined) {
      ++skipped;
      continue;
    }
    rows += island.rows;
    rank += island.rank;
    normals += static_cast<int>(island.contacts.size());
    normal_rank += island.normal_rank;
    constant = std::min(constant, island.friction.lower);
    pointed = pointed && island.friction.answer == Pointed::yes;
    if (island.friction.answer != Pointed::yes) describe_wedge(system, island, wedges);
    for (const ContactDiagnosis::Pair& pair : island.shared) {
      if (num_shared++ < k_most_lines) describe_shared(system, pair, shared);
    }
  }
  const std::size_t groups = diagnosis.islands.size();
  lines.push_back(fmt::format(
      "contacts: {} closed at the start{}; independent are {} of {} normals (LICQ {}) and {} of {} rows",
      diagnosis.closed.size(), groups > 1 ? fmt::format(" in {} groups apart from each other", groups) : "",
      normal_rank, normals, normal_rank == normals ? "holds" : "does not hold", rank, rows));
  if (pointed && normals > 0)
    lines.push_back(
        fmt::format("contacts: impulses cannot cancel: the friction cone is pointed (MFCQ holds, too), with "
                    "constant {:.3g}",
                    constant));
  lines.insert(lines.end(), wedges.begin(), wedges.end());
  lines.insert(lines.end(), shared.begin(), shared.end());
  if (num_shared > k_most_lines)
    lines.push_back(fmt::format("note: and {} more pairs of bodies that share their load in many ways",
                                num_shared - k_most_lines));
  if (skipped > 0)
    lines.push_back(fmt::format("note: {} group{} of contacts too large to be examined", skipped,
                                skipped == 1 ? " is" : "s are"));
  return lines;
}

std::string describe_jam(const System& system, const Problem& problem, const LocalProblem& local,
                         std::span<const ContactId> ids) {
  if (ids.empty() || local.num_contacts() == 0 || !local.W.all_finite() || !local.u_free.allFinite())
    return {};
  const Vector norms = compute_normal_norms(problem);
  Islands islands;
  islands.find(local.W);
  for (int i = 0; i < islands.size(); ++i) {
    LocalProblem island;
    WarmStart unused;
    extract_island(local, {}, islands.contacts(i), island, unused);
    if (island.W.rows() > k_dense_rows) continue;
    std::vector<ContactId> island_ids;
    Vector island_norms(island.num_contacts());
    for (int c = 0; c < island.num_contacts(); ++c) {
      const int contact = islands.contacts(i)[c];
      island_norms[c] = norms[contact];
      // After the contacts come frictions of joints, which have no normal.
      if (contact < static_cast<int>(ids.size())) island_ids.push_back(ids[contact]);
    }
    Jam jam = find_jam(island, island_norms);
    if (!jam.found) continue;
    jam.shares.resize(island_ids.size());
    const std::vector<int> order = by_share(jam.shares);
    if (order.empty()) continue;
    return fmt::format("the contact{} {} jam{}{}: {}{}", order.size() == 1 ? "" : "s",
                       names(system, island_ids, order, nullptr), order.size() == 1 ? "s" : "",
                       jam.by_friction ? " by friction" : "",
                       pressed_body(system, island_ids, order, jam.shares),
                       order.size() == 1 ? "no velocity satisfies it together with the joints"
                                         : "no velocity satisfies them");
  }
  return {};
}

}  // namespace delassus
