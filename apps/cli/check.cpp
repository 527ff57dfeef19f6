// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus check: reads a scene, compiles it and looks at its start.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "apps/cli/commands.hpp"
#include "apps/cli/load.hpp"
#include "delassus/linalg/kkt.hpp"

namespace delassus::cli {
namespace {

// Above these the start is reported as violated.
constexpr double k_position_tolerance = 1e-9;  // [m]
constexpr double k_velocity_tolerance = 1e-9;  // [m/s]

}  // namespace

int check_command(const std::string& name, const std::vector<Setting>& settings) {
  const LoadedScene scene = load_scene(name, settings);
  const CompiledScene compiled = compile(scene.desc);
  simulation_options(scene.desc.run);
  const System& system = *compiled.system;
  const State& state = compiled.state;
  int problems = 0;

  BlockMatrix M;
  system.mass(state.t, state.q, M);
  BilateralRows joints;
  system.bilateral(state.t, state.q, joints);
  KktFactor kkt;
  const Vector C = Vector::Zero(joints.rows.rows());
  if (!kkt.compute(M, true, joints.rows, nullptr, C)) {
    fmt::print("problem: the mass matrix is not positive definite\n");
    return k_check_failed;
  }
  std::vector<ContactId> ids;
  system.candidates(state.t, state.q, state.v, 0, ids);
  const int independent = joints.rows.rows() - kkt.num_redundant();
  fmt::print(
      "{}: {} bodies, {} coordinates, {} joint rows ({} independent), {} contacts, {} degrees of freedom\n",
      scene.desc.name, system.num_bodies(), system.nq(), joints.rows.rows(), independent, ids.size(),
      system.nv() - independent);
  for (int row : kkt.redundant_rows())
    fmt::print(
        "note: joint '{}' depends on others; its reaction is not unique (least-norm one is reported)\n",
        system.joint_name(row));

  Vector u;
  joints.rows.multiply(VectorRef(state.v), u);
  for (int i = 0; i < joints.rows.rows(); ++i) {
    if (i < joints.num_holonomic && std::abs(joints.violation[i]) > k_position_tolerance) {
      fmt::print("problem: joint '{}' is violated by {:.3g} m at the start\n", system.joint_name(i),
                 joints.violation[i]);
      ++problems;
    }
    if (std::abs(u[i] - joints.target[i]) > k_velocity_tolerance) {
      fmt::print("problem: joint '{}' is violated by {:.3g} m/s at the start\n", system.joint_name(i),
                 u[i] - joints.target[i]);
      ++problems;
    }
  }
  Vector gaps;
  system.gaps(ids, state.t, state.q, gaps);
  for (std::size_t c = 0; c < ids.size(); ++c)
    if (gaps[static_cast<Eigen::Index>(c)] < -k_position_tolerance) {
      fmt::print("problem: contact '{}' penetrates by {:.3g} m at the start\n", system.contact_name(ids[c]),
                 -gaps[static_cast<Eigen::Index>(c)]);
      ++problems;
    }
  Matrix dense;
  M.to_dense(dense);
  constexpr int k_dense_limit = 600;
  if (dense.rows() <= k_dense_limit) {
    const Vector eigenvalues =
        Eigen::SelfAdjointEigenSolver<Matrix>(dense, Eigen::EigenvaluesOnly).eigenvalues();
    fmt::print("mass ratio {:.3g}\n", eigenvalues.maxCoeff() / eigenvalues.minCoeff());
  }
  fmt::print("{}\n", problems == 0 ? "no problems found" : fmt::format("{} problems found", problems));
  return problems == 0 ? k_done : k_check_failed;
}

}  // namespace delassus::cli
