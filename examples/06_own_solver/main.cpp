// Lesson 6: a contact solver of our own in a simulation: nonsmooth Gauss-Seidel with projections, in 30 lines.
#include <algorithm>
#include <cstdio>
#include <delassus/delassus.hpp>

using namespace delassus;

namespace {

class ProjectedSweeps final : public Solver {
 public:
  std::string name() const override { return "projected-sweeps"; }
  SolverCapabilities capabilities() const override {
    return {.nonnegative = true, .coulomb = true, .convex = true, .nonsymmetric = true};
  }

  void solve(const LocalProblem& problem, const WarmStart& warm, Solution& solution,
             SolveStats& stats) override {
    const int n = problem.num_contacts();
    const double small =
        k_tolerance * std::max(problem.velocity_floor(), problem.u_free.lpNorm<Eigen::Infinity>());
    Vector& r = solution.r;
    r = warm.r.size() == problem.u_free.size() ? warm.r : Vector::Zero(problem.u_free.size());
    stats = {};
    stats.status = n > 0 ? SolveStatus::iteration_limit : SolveStatus::converged;
    for (int sweep = 0; sweep < k_max_sweeps && !usable(stats.status); ++sweep) {
      double largest = 0;  // change of an impulse, as a velocity
      for (int c = 0; c < n; ++c) {
        const Cone& cone = problem.cones[c];
        auto r_c = r.segment(problem.first_row(c), cone.dim);
        Vector u(cone.dim);  // u = W r + u_free of this contact
        problem.W.multiply_row(c, r.data(), u.data());
        u += problem.u_free.segment(problem.first_row(c), cone.dim);
        const double rho = problem.contact_mass(c);
        const Vector change = natural_map(cone, rho, r_c, u);  // r − P(r − ρ (u + shift)), 0 at the solution
        r_c -= change;
        largest = std::max(largest, change.norm() / rho);
      }
      ++stats.iterations;
      if (largest <= small) stats.status = SolveStatus::converged;
    }
    sweeps += stats.iterations;
    solution.u = problem.W * r + problem.u_free;
    derive_modes(problem, solution);
  }

  static inline long sweeps = 0;

 private:
  static constexpr int k_max_sweeps = 10000;
  static constexpr double k_tolerance = 1e-12;
};

// Where the cube comes to rest.
Vector3 slide(OwnParts parts) {
  const Scene scene = load_scene("sliding_cube");
  Simulation simulation(scene, std::move(parts));
  if (!simulation.run_until(scene.duration())) throw InputError(simulation.report().message);
  const Vector3 x = simulation.body(simulation.find_body("cube")).position();
  std::printf("%s: the cube is at (%.9f, %.9f) m\n", simulation.solver_name().c_str(), x.x(), x.y());
  return x;
}

}  // namespace

int main() {
  const Vector3 ours = slide({.solver = std::make_unique<ProjectedSweeps>()}), theirs = slide({});
  return ProjectedSweeps::sweeps > 0 && (ours - theirs).norm() < 1e-9 ? 0 : 1;
}
