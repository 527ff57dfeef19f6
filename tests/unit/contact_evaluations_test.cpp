// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Each contact is evaluated once a phase: a system that counts, between the steppers and the system of a scene.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "delassus/front/load_scene.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::contact_evaluations_test {
namespace {

// Forwards everything, and counts how often each contact is evaluated at each (t, q, v).
class CountingSystem final : public System {
 public:
  explicit CountingSystem(std::shared_ptr<const System> system) : system_(std::move(system)) {}

  int nq() const override { return system_->nq(); }
  int nv() const override { return system_->nv(); }
  std::string coordinate_name(int i) const override { return system_->coordinate_name(i); }
  std::string joint_name(int row) const override { return system_->joint_name(row); }
  void retract(const VectorRef& q, const VectorRef& w, Vector& out) const override {
    system_->retract(q, w, out);
  }
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override {
    system_->difference(q1, q0, w);
  }
  void rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const override {
    system_->rate_from_velocity(w, v, rate);
  }
  void velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const override {
    system_->velocity_from_rate(w, rate, v);
  }
  void configure(double t, const VectorRef& q, Configuration& out) const override {
    system_->configure(t, q, out);
  }
  const BlockMatrix* constant_mass() const override { return system_->constant_mass(); }
  void mass(const Configuration& at, BlockMatrix& M) const override { system_->mass(at, M); }
  bool depends_on_time() const override { return system_->depends_on_time(); }
  void forces(const Configuration& at, const VectorRef& v, Vector& k) const override {
    system_->forces(at, v, k);
  }
  void force_jacobians(const Configuration& at, const VectorRef& v, ForceJacobians& out) const override {
    system_->force_jacobians(at, v, out);
  }
  void gyroscopic_step(const VectorRef& v, const VectorRef& impulse, double h, double alpha, bool exact,
                       std::span<const char> in_matrix, GyroscopicStep& out) const override {
    system_->gyroscopic_step(v, impulse, h, alpha, exact, in_matrix, out);
  }
  double potential_energy(const Configuration& at) const override { return system_->potential_energy(at); }
  double nonconservative_power(const Configuration& at, const VectorRef& v) const override {
    return system_->nonconservative_power(at, v);
  }
  void bilateral(const Configuration& at, BilateralRows& out) const override { system_->bilateral(at, out); }
  void bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const override {
    system_->bilateral_bias(at, v, bias);
  }
  void add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const override {
    system_->add_bilateral_stiffness(at, lambda, scale, out);
  }
  bool has_contacts() const override { return system_->has_contacts(); }
  bool has_moving_surfaces() const override { return system_->has_moving_surfaces(); }
  std::string contact_name(ContactId id) const override { return system_->contact_name(id); }
  void find_contacts(const Configuration& at, const VectorRef& v, double h, const ContactSet* known,
                     ContactSet& out) const override {
    system_->find_contacts(at, v, h, known, out);
    for (ContactId id : out.ids)
      if (known == nullptr || known->find(id) == known->size()) count(id, at);
  }
  void evaluate_contacts(std::span<const ContactId> ids, const Configuration& at,
                         ContactSet& out) const override {
    system_->evaluate_contacts(ids, at, out);
    for (ContactId id : ids) count(id, at);
  }
  void contact_bias(const ContactSet& contacts, const Configuration& at, const VectorRef& v,
                    Vector& bias) const override {
    system_->contact_bias(contacts, at, v, bias);
  }
  GapAt gap_at(ContactId id, double t, const VectorRef& q, const VectorRef& w) const override {
    return system_->gap_at(id, t, q, w);
  }
  ContactId successor(ContactId id, const Configuration& at) const override {
    return system_->successor(id, at);
  }
  double contact_step_limit(const ContactSet& contacts, std::span<const std::size_t> open,
                            const Configuration& at, const VectorRef& v, double h) const override {
    return system_->contact_step_limit(contacts, open, at, v, h);
  }

  // Most evaluations of one contact at one place, and all of them.
  int most() const {
    int most = 0;
    for (const auto& [place, times] : counts_) most = std::max(most, times);
    return most;
  }
  std::size_t places() const { return counts_.size(); }
  void forget() const { counts_.clear(); }

 private:
  void count(ContactId id, const Configuration& at) const {
    std::vector<double> place(at.q.begin(), at.q.end());
    place.push_back(at.t);
    ++counts_[{id, std::move(place)}];
  }

  std::shared_ptr<const System> system_;
  mutable std::map<std::pair<ContactId, std::vector<double>>, int> counts_;
};

struct Run {
  const char *scene, *stepper;
  std::optional<double> tolerance = {};
};
void PrintTo(const Run& run, std::ostream* out) {
  *out << run.scene << ' ' << run.stepper << ' ' << run.tolerance.value_or(0);
}
class ContactEvaluations : public ::testing::TestWithParam<Run> {};
// With less accurate forces bodies sink in by more, and are lifted in some steps, also in vain.
INSTANTIATE_TEST_SUITE_P(Scenes, ContactEvaluations,
                         ::testing::Values(Run{"box_stack", "trapezoidal-2"}, Run{"box_stack", "moreau-jean"},
                                           Run{"double_pendulum_wall", "trapezoidal-2"},
                                           Run{"arch", "moreau-jean"}, Run{"arch", "moreau-jean", 1e-7},
                                           Run{"arch", "moreau-jean", 1e-9}));

// Steps without events: an impact changes the velocities at a place, and what is found there then is another phase.
TEST_P(ContactEvaluations, AreOnceAPhase) {
  const Scene scene = load_scene(GetParam().scene, {});
  const CompiledScene compiled = compile(scene.desc);
  const auto counting = std::make_shared<CountingSystem>(compiled.system);
  SimulationOptions options = scene.desc.run.options;
  options.stepper.name = GetParam().stepper;
  if (GetParam().tolerance) options.solver.tolerance = GetParam().tolerance;
  Simulation simulation(counting, compiled.state, options);
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    counting->forget();
    ASSERT_TRUE(simulation.step().ok) << simulation.report().message;
    if (!simulation.report().events.empty()) continue;
    EXPECT_EQ(counting->most(), 1) << "step " << i;
    compared += counting->places() > 0 ? 1 : 0;
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace delassus::contact_evaluations_test
