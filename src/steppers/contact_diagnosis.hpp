// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// What is the matter with contacts, in words and names: groups of them that share their load in many ways, that are
// wedged, or that jam.
//
//   independent   the normal rows of the closed contacts (LICQ), and all of their rows: ranks of W. Where rows depend on
//                 others the force of each contact is one choice of many; the forces between two bodies are unique all
//                 the same when no null vector of W has a part of them with a resultant.
//   pointed       impulses cannot cancel (problems/pointedness.hpp); of the normals alone this is MFCQ.
//
// Contacts are taken by islands: those between which W has no block know nothing of each other.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "delassus/problems/pointedness.hpp"
#include "delassus/problems/reduction.hpp"
#include "delassus/steppers/options.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

struct ContactDiagnosis {
  // Contacts of two bodies, as far as their forces are not unique.
  struct Pair {
    ContactBodies bodies;
    std::vector<ContactId> contacts;
    bool unique_sum = true;  // of the force and moment between the two
  };
  struct Island {
    std::vector<ContactId> contacts;
    bool examined = true;  // false: too large
    int rows = 0, rank = 0, normal_rank = 0;
    Pointedness friction, normals;
    std::vector<Pair> shared;
  };
  std::vector<ContactId> closed;
  std::vector<Island> islands;
};

// Contacts with a gap of at most `band` [m] at the state. Dense within an island: meant for a start, not for a step.
ContactDiagnosis diagnose_contacts(const System& system, const StepperOptions& options, const State& state,
                                   double band);

// For users: one line a finding, "note: …" or "warning: …" where it is one.
std::vector<std::string> describe(const System& system, const ContactDiagnosis& diagnosis);

// The names of some contacts, quoted, and how many more there are.
std::string list_contact_names(const System& system, std::span<const ContactId> ids);

// Which contacts make a problem unsolvable, in a sentence that names them and the body between them. Empty: none do. `ids`
// are those of the first contacts of the problem.
std::string describe_jam(const System& system, const Problem& problem, const LocalProblem& local,
                         std::span<const ContactId> ids);

}  // namespace delassus
