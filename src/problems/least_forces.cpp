// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/problems/least_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "delassus/base/work_time.hpp"

namespace delassus {
namespace {

// Velocities of a contact below this, relative to the free ones, are the zeros of an iterative solver.
constexpr double k_zero_velocity = 1e-9;
// The same of the terms that they are the sums of: some hundred machine epsilons.
constexpr double k_round_off = 1e-13;
// Added to the diagonal of (3), relative to it: free directions must not stop the factorisation. Repeated steps take it
// out again.
constexpr double k_diagonal = 1e-10;
constexpr int k_linear_steps = 6;
constexpr int k_newton_steps = 40;
constexpr int k_max_halvings = 20;
constexpr double k_armijo = 1e-4;
// Errors of momentum relative to its largest term: at which steps end, and that a result may have.
constexpr double k_ended = 1e-15;
constexpr double k_same_momentum = 1e-12;
// Impulses outside of their cones by less, relative to the largest impulse, are on the border.
constexpr double k_border = 1e-13;
// A result nearer to that of the solver is the same.
constexpr double k_same_impulse = 1e-11;
// Parts of a null vector below this are round-off.
constexpr double k_null_entry = 1e-6;

// The velocity of a contact that is the error of a solver: of the free one, and of the sums that the velocity is of.
double unresolved_velocity(const LocalProblem& local, int c, const Vector& r) {
  const double free = local.u_free.segment(local.first_row(c), local.cones[c].dim).cwiseAbs().maxCoeff();
  double terms = local.terms.size() > 0 ? local.terms[c] : 0.0;
  for (int e = local.W.row_begin(c); e < local.W.row_end(c); ++e) {
    const auto block = local.W.block(c, e);
    const int first = local.first_row(local.W.column(e));
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      terms = std::max(terms, block.col(j).cwiseAbs().maxCoeff() * std::abs(r[first + j]));
  }
  return std::max(k_zero_velocity * free, k_round_off * terms);
}

// Numbers between ½ and 3/2 without a pattern.
double scattered(int i) {
  return 0.5 + std::abs(std::fmod(std::sin(12.9898 * (i + 1)) * 43758.5453, 1.0));
}

}  // namespace

struct LeastForces::Island {
  std::vector<Face> faces;
  std::vector<int> parts, joint_rows;  // of the problem
  BlockRows Ht, Gt;                    // in the numbers of the island
  int num_velocities = 0;
  Vector r_found, r_rest, b, C;  // r_found = a part in the faces + r_rest; b = H (r_found − r_rest)
  double scale = 0;              // of the momentum
  // The system of a step and its unknowns
  BlockMatrix K;
  Vector diagonal, kappa;  // of joint rows: 1/‖row‖²
  KktFactor kkt;
  std::vector<ContactBlock> J;
  Vector y, lambda, z, r, F, F_joints, right, dy, dlambda, y_0, probe;

  // r(y), and (3) there. Returns the convex function whose minimum is sought.
  double evaluate(bool linear) {
    Ht.multiply(VectorRef(y), z);
    r.setZero(z.size());
    double value = -b.dot(y);
    ContactVector r_c;
    for (std::size_t i = 0; i < faces.size(); ++i) {
      const Face& face = faces[i];
      value += project_onto_face(face, linear, z.segment(face.row, face.dim), r_c, J[i]);
      r.segment(face.row, face.dim) = r_c;
    }
    F = -b;
    Ht.add_transposed_product(r, F);
    Gt.add_transposed_product(lambda, F);
    Gt.multiply(VectorRef(y), F_joints);
    return value;
  }
  double error() const { return F.size() > 0 ? F.cwiseAbs().maxCoeff() : 0.0; }

  // K = Σ H J Hᵀ + Σ κ G Gᵀ, which the joints leave as it is where Gᵀ y = 0, and a little of its diagonal.
  bool factorize() {
    K.clear(num_velocities);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (faces[i].kind != FaceKind::absent) add_contact(static_cast<int>(i), J[i]);
    }
    for (int g = 0; g < Gt.num_groups(); ++g)
      for (int a = 0; a < Gt.num_blocks(g); ++a)
        for (int c = 0; c < Gt.num_blocks(g); ++c) {
          const auto left = Gt.block(g, a), right_block = Gt.block(g, c);
          auto out = K.add_block(Gt.block_column(g, a), Gt.block_column(g, c), static_cast<int>(left.cols()),
                                 static_cast<int>(right_block.cols()));
          for (int row = 0; row < Gt.group_rows(g); ++row)
            out += kappa[Gt.first_row(g) + row] * left.row(row).transpose().lazyProduct(right_block.row(row));
        }
    for (int i = 0; i < num_velocities; ++i) K.add_block(i, i, 1, 1)(0, 0) = k_diagonal * diagonal[i];
    // As for many right sides: dense while it is small, which allocates nothing.
    return kkt.compute(K, true, Gt, nullptr, C, num_velocities);
  }

  // H_c J H_cᵀ of a contact, column by column.
  void add_contact(int g, const ContactBlock& weight) {
    ContactVector weighted;
    for (int a = 0; a < Ht.num_blocks(g); ++a)
      for (int c = 0; c < Ht.num_blocks(g); ++c) {
        const auto left = Ht.block(g, a), right_block = Ht.block(g, c);
        auto out = K.add_block(Ht.block_column(g, a), Ht.block_column(g, c), static_cast<int>(left.cols()),
                               static_cast<int>(right_block.cols()));
        for (Eigen::Index j = 0; j < right_block.cols(); ++j) {
          weighted = weight.lazyProduct(right_block.col(j));
          out.col(j) = left.transpose().lazyProduct(weighted);
        }
      }
  }

  void find_step() {
    right = -F;
    Gt.add_transposed_product(kappa.cwiseProduct(F_joints), right, -1.0);
    F_joints *= -1.0;
    kkt.solve(right, F_joints, dy, dlambda);
  }

  // The impulses that the solver has found, apart into a part on the faces and the rest, its error.
  void take(const LocalProblem& local, const Vector& found) {
    r_found.resize(Ht.rows());
    r_rest.setZero(Ht.rows());
    for (const Face& face : faces) {
      auto r_c = r_found.segment(face.row, face.dim);
      auto rest = r_rest.segment(face.row, face.dim);
      r_c = found.segment(local.first_row(face.contact), face.dim);
      if (face.kind == FaceKind::absent) rest = r_c;
      for (int i = 0; face.kind == FaceKind::contact && i < face.parts; ++i) {
        const FacePart& part = face.part[i];
        if (!part.sticks)
          rest.segment(part.first, part.size) =
              r_c.segment(part.first, part.size) +
              part.coefficient * (r_c[0] + face.extra) * part.direction.head(part.size);
      }
    }
    z = r_found - r_rest;
    b.setZero(num_velocities);
    Ht.add_transposed_product(z, b);
    scale = std::max(z.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  }

  // Factors of the system on the planes of the faces. False: there are none.
  bool begin() {
    y.setZero(num_velocities);
    lambda.setZero(Gt.rows());
    J.resize(faces.size());
    probe.resize(Ht.rows());
    C.setZero(Gt.rows());
    diagonal.setZero(num_velocities);
    kappa.setZero(Gt.rows());
    const auto add_squares = [&](const BlockRows& rows, int g, int row, double weight) {
      double sum = 0;
      for (int a = 0; a < rows.num_blocks(g); ++a) {
        const auto block = rows.block(g, a);
        for (Eigen::Index j = 0; j < block.cols(); ++j) {
          diagonal[rows.block_column(g, a) + j] += weight * block(row, j) * block(row, j);
          sum += block(row, j) * block(row, j);
        }
      }
      return sum;
    };
    for (int g = 0; g < Gt.num_groups(); ++g)
      for (int row = 0; row < Gt.group_rows(g); ++row) {
        const double squares = add_squares(Gt, g, row, 0.0);
        if (!(squares > 0)) continue;
        kappa[Gt.first_row(g) + row] = 1 / squares;
        add_squares(Gt, g, row, 1 / squares);
      }
    for (int g = 0; g < Ht.num_groups(); ++g)
      for (int row = 0; row < Ht.group_rows(g); ++row) add_squares(Ht, g, row, 1.0);
    for (Eigen::Index i = 0; i < diagonal.size(); ++i)
      if (diagonal[i] == 0) diagonal[i] = 1;
    evaluate(true);
    return factorize();
  }

  // On the planes of the faces, with their factors.
  void solve_linear() {
    y.setZero();
    lambda.setZero();
    evaluate(true);
    for (int i = 0; i < k_linear_steps; ++i) {
      const double before = error();
      find_step();
      y += dy;
      lambda -= dlambda;
      evaluate(true);
      if (error() <= k_ended * scale || !(error() < 0.5 * before)) break;
    }
  }

  bool within_faces() const {
    const double border = k_border * r.cwiseAbs().maxCoeff();
    return std::all_of(faces.begin(), faces.end(), [&](const Face& face) {
      return within_face(face, r.segment(face.row, face.dim), border);
    });
  }

  // Newton steps with a line search on the convex function; they end where its gradient is round-off.
  void solve_within_faces() {
    double value = evaluate(false);
    for (int i = 0; i < k_newton_steps && error() > k_ended * scale; ++i) {
      if (!factorize()) return;
      const double before = error();
      find_step();
      const double slope = F.dot(dy);
      y_0 = y;
      lambda -= dlambda;
      double length = 1, next = value;
      for (int cut = 0; cut <= k_max_halvings; ++cut, length *= 0.5) {
        y = y_0 + length * dy;
        next = evaluate(false);
        if (next <= value + k_armijo * length * slope || error() < 0.5 * before) break;
      }
      value = next;
      if (!std::isfinite(value)) return;
      if (before <= k_same_momentum * scale && !(error() < 0.5 * before)) return;
    }
  }

  // The least impulses into r. False: they could not be found.
  bool minimise() {
    solve_linear();
    if (!y.allFinite()) return false;
    if (!within_faces()) solve_within_faces();
    return y.allFinite() && error() <= k_same_momentum * scale;
  }

  // False: the solver's are the least ones.
  bool put(const LocalProblem& local, Vector& out, std::vector<ContactMode>& modes) {
    r += r_rest;
    const double largest = r_found.cwiseAbs().maxCoeff();
    if ((r - r_found).cwiseAbs().maxCoeff() <= k_same_impulse * largest) return false;
    for (const Face& face : faces) {
      out.segment(local.first_row(face.contact), face.dim) = r.segment(face.row, face.dim);
      // A contact that had touched without a force may have got one.
      ContactMode& mode = modes[face.contact];
      if (face.kind != FaceKind::contact || mode.status != ContactStatus::open ||
          !(r[face.row] > k_border * largest))
        continue;
      mode.status = ContactStatus::slip;
      for (const FrictionPart& part : mode_parts(local.cones[face.contact]))
        for (int i = 0; i < face.parts; ++i)
          if (face.part[i].first == part.first)
            mode.set_part(part.kind, {face.part[i].sticks ? ContactStatus::stick : ContactStatus::slip,
                                      face.part[i].direction});
    }
    return true;
  }

  // A null vector n of [H G] on the planes of the faces with all the entries that such vectors have: the one nearest to
  // scattered numbers. False: it is zero.
  bool find_shared(std::vector<char>& shared_contacts, std::vector<char>& shared_rows) {
    for (Eigen::Index i = 0; i < z.size(); ++i) probe[i] = scattered(static_cast<int>(i));
    constexpr int passes = 3;
    for (int pass = 0; pass < passes; ++pass) {
      Ht.multiply(VectorRef(y), z);
      z += probe;
      for (std::size_t i = 0; i < faces.size(); ++i)
        r.segment(faces[i].row, faces[i].dim) = J[i] * z.segment(faces[i].row, faces[i].dim);
      if (pass + 1 == passes) break;
      F.setZero(num_velocities);
      Ht.add_transposed_product(r, F);
      Gt.add_transposed_product(lambda, F);
      Gt.multiply(VectorRef(y), F_joints);
      find_step();
      y += dy;
      lambda -= dlambda;
    }
    bool any = false;
    for (const Face& face : faces) {
      if (!(r.segment(face.row, face.dim).cwiseAbs().maxCoeff() > k_null_entry)) continue;
      any = true;
      if (face.kind == FaceKind::contact) shared_contacts[face.contact] = 1;
    }
    for (std::size_t i = 0; any && i < joint_rows.size(); ++i)
      if (std::abs(lambda[static_cast<Eigen::Index>(i)]) > k_null_entry) shared_rows[joint_rows[i]] = 1;
    return any;
  }
};

// Whether the directions in which contacts push are more than the velocities they act on, so that they depend on each other.
bool LeastForces::outnumber_velocities(const BlockRows& H, std::span<const int> contacts,
                                       std::span<const Face> faces) {
  int directions = 0;
  auto next = contacts.begin();
  for (const Face& face : faces) {
    if (next == contacts.end() || *next != face.contact) continue;
    ++next;
    directions += static_cast<int>(span_face(face).cols());
  }
  acted_on_.clear();
  for (const int c : contacts)
    for (int b = 0; b < H.num_blocks(c); ++b)
      acted_on_.emplace_back(H.block_column(c, b), static_cast<int>(H.block(c, b).cols()));
  std::sort(acted_on_.begin(), acted_on_.end());
  acted_on_.erase(std::unique(acted_on_.begin(), acted_on_.end()), acted_on_.end());
  int velocities = 0;
  for (const auto& [column, width] : acted_on_) velocities += width;
  return directions > velocities;
}

// The equations of an island. False: its forces are unique, or not covered.
bool LeastForces::gather(const Reduction& reduction, const Solution& solution, std::span<const int> contacts,
                         Island& island) {
  const Problem& problem = reduction.problem();
  const LocalProblem& local = reduction.local();
  const Parts& parts = reduction.parts();
  const BlockRows &H = problem.impulse_H(), &G = problem.impulse_G();
  double zero = 0;
  for (const int c : contacts) zero = std::max(zero, unresolved_velocity(local, c, solution.r));
  island.faces.clear();
  pushing_.clear();
  for (const int c : contacts) {
    const auto r = solution.r.segment(local.first_row(c), local.cones[c].dim),
               u = solution.u.segment(local.first_row(c), local.cones[c].dim);
    Face face;
    if (!find_face(local.cones[c], r, u, zero, face)) return false;
    face.contact = c;
    if (face.kind != FaceKind::absent) pushing_.push_back(c);
    island.faces.push_back(face);
  }
  std::span<const int> core = core_.find(H, pushing_, held_);
  if (core.empty()) return false;
  if (unique_joints_ && !outnumber_velocities(H, core, island.faces) &&
      core_.independent(local.W, island.faces))
    return false;
  // Small islands are taken whole: their sizes, and what is allocated for them, stay the same from step to step.
  constexpr std::size_t small = 16;
  if (contacts.size() <= small) core = contacts;
  auto next = core.begin();
  std::erase_if(island.faces, [&](const Face& face) {
    const bool left = next != core.end() && *next == face.contact;
    if (left) ++next;
    return !left;
  });
  island.parts.clear();
  for (const int c : core)
    for (int b = 0; b < H.num_blocks(c); ++b)
      for (Eigen::Index j = 0; j < H.block(c, b).cols(); ++j)
        island.parts.push_back(parts.part_of(H.block_column(c, b) + static_cast<int>(j)));
  std::sort(island.parts.begin(), island.parts.end());
  island.parts.erase(std::unique(island.parts.begin(), island.parts.end()), island.parts.end());
  const bool jointed = std::any_of(island.parts.begin(), island.parts.end(),
                                   [&](int part) { return groups_[part] < groups_[part + 1]; });
  island.num_velocities = 0;
  for (const int part : island.parts) {
    part_start_[part] = island.num_velocities;
    island.num_velocities += parts.num_velocities(part);
  }
  if (island.num_velocities > k_most_velocities) return false;

  const auto place = [&](int velocity) {
    return part_start_[parts.part_of(velocity)] + parts.place(velocity);
  };
  // A body alone has two parts, its translation and its rotation: its blocks fall apart where those do.
  const auto copy = [&](const BlockRows& from, int g, BlockRows& to) {
    to.add_group(from.group_rows(g));
    for (int b = 0; b < from.num_blocks(g); ++b) {
      const auto block = from.block(g, b);
      const int column = from.block_column(g, b), width = static_cast<int>(block.cols());
      for (int j = 0, size = 0; j < width; j += size) {
        const int first = place(column + j);
        for (size = 1; j + size < width && place(column + j + size) == first + size;) ++size;
        to.add_block(first, size) = block.middleCols(j, size);
      }
    }
  };
  island.Ht.clear(island.num_velocities);
  for (Face& face : island.faces) {
    if (!std::isfinite(local.contact_mass(face.contact)) && !jointed) face.kind = FaceKind::absent;
    face.row = island.Ht.rows();
    copy(H, face.contact, island.Ht);
  }
  island.Gt.clear(island.num_velocities);
  island.joint_rows.clear();
  for (const int part : island.parts)
    for (int k = groups_[part]; k < groups_[part + 1]; ++k) {
      const int g = joint_groups_[k];
      copy(G, g, island.Gt);
      for (int row = 0; row < G.group_rows(g); ++row) island.joint_rows.push_back(G.first_row(g) + row);
    }
  return true;
}

// Of each part the groups of joint rows whose impulses are free: those of springs follow from the velocity.
void LeastForces::sort_joints(const Reduction& reduction) {
  const Problem& problem = reduction.problem();
  const Parts& parts = reduction.parts();
  const BlockRows& G = problem.impulse_G();
  const auto is_rigid = [&](int g) {
    return G.num_blocks(g) > 0 && problem.C.segment(G.first_row(g), G.group_rows(g)).isZero(0.0);
  };
  groups_.assign(static_cast<std::size_t>(parts.size()) + 1, 0);
  for (int g = 0; g < G.num_groups(); ++g)
    if (is_rigid(g)) ++groups_[parts.part_of(G.block_column(g, 0)) + 1];
  std::partial_sum(groups_.begin(), groups_.end(), groups_.begin());
  joint_groups_.resize(static_cast<std::size_t>(groups_.back()));
  part_start_.assign(groups_.begin(), groups_.end() - 1);
  for (int g = 0; g < G.num_groups(); ++g)
    if (is_rigid(g)) joint_groups_[part_start_[parts.part_of(G.block_column(g, 0))]++] = g;
  held_.assign(static_cast<std::size_t>(problem.p.size()), 0);
  for (const int g : joint_groups_)
    for (int b = 0; b < G.num_blocks(g); ++b)
      std::fill_n(held_.begin() + G.block_column(g, b), G.block(g, b).cols(), 1);
}

bool LeastForces::apply(const Reduction& reduction, Solution& solution) {
  const WorkScope scope(WorkKind::shared_forces);
  unique_joints_ = !reduction.problem().separate_directions && reduction.num_redundant() == 0;
  const LocalProblem& local = reduction.local();
  shared_contacts_.assign(local.cones.size(), 0);
  shared_rows_.assign(static_cast<std::size_t>(reduction.problem().Gt.rows()), 0);
  if (local.cones.empty() || !solution.r.allFinite() || !solution.u.allFinite()) return false;
  islands_.find(local.W);
  sort_joints(reduction);
  bool changed = false;
  r_ = solution.r;
  for (int i = 0; i < islands_.size(); ++i) {
    if (static_cast<int>(work_.size()) == i) work_.push_back(std::make_shared<Island>());
    Island& island = *work_[i];
    if (!gather(reduction, solution, islands_.contacts(i), island)) continue;
    island.take(local, solution.r);
    if (!island.begin() || !island.find_shared(shared_contacts_, shared_rows_)) continue;
    if (island.minimise()) changed = island.put(local, r_, solution.modes) || changed;
  }
  if (changed) reduction.recover(r_, solution);
  return changed;
}

}  // namespace delassus
