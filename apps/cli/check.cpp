// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus check: reads a scene, compiles it and looks at its start.
//
//   degrees of freedom   nv − rank G at the start
//   overlaps             pairs of shapes whose signed distance is negative; --resolve moves them apart
//   contacts             of those closed at the start: which share their load in many ways, which are wedged
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "apps/cli/commands.hpp"
#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/linalg/kkt.hpp"
#include "delassus/model/weld.hpp"
#include "delassus/scene/compile.hpp"
#include "delassus/simulation/simulation.hpp"
#include "delassus/simulation/start_check.hpp"
#include "delassus/steppers/consistent_start.hpp"
#include "delassus/steppers/contact_diagnosis.hpp"
#include "delassus/steppers/redundancy.hpp"

namespace delassus::cli {
namespace {

// Above these the start is reported as violated, or as moved by assembly.
constexpr double k_position_tolerance = 1e-9;  // [m]
constexpr double k_velocity_tolerance = 1e-9;  // [m/s]
// Contacts with smaller gaps count as closed: what a scene means by touching, up to the digits in it.
constexpr double k_closed_gap = 1e-6;  // [m]
// Beyond this size nothing is computed with dense matrices.
constexpr int k_dense_limit = 600;
// Ratios of masses from which on there is a note.
constexpr double k_large_ratio = 1e4;

std::string plural(int n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

class Check {
 public:
  Check(const Scene& scene, const CompiledScene& compiled)
      : scene_(scene.desc), system_(*compiled.system), state_(compiled.state) {
    for (const MotorDesc& motor : scene_.motors) motors_.insert(motor.name.name);
  }

  int run() {
    system_.mass(state_.t, state_.q, M_);
    const bool assembled = put_together();
    system_.bilateral(state_.t, state_.q, joints_);
    const Vector C = Vector::Zero(joints_.rows.rows());
    if (!kkt_.compute(M_, true, joints_.rows, nullptr, C)) {
      fmt::print("problem: the mass matrix is not positive definite\n");
      return k_check_failed;
    }
    contacts_ = system_.contacts_within(0.0, state_.t, state_.q, state_.v);
    print_sizes();
    for (const std::string& line : lines_) fmt::print("{}\n", line);
    // Rows that contradict each other say nothing about freedom.
    if (assembled) {
      report_freedom();
      report_redundant();
    }
    report_welded();
    report_gaps();
    if (assembled) report_contacts();
    report_masses();
    report_stepper();
    fmt::print("{}\n", problems_ == 0 ? "no problems found" : plural(problems_, "problem") + " found");
    return problems_ == 0 ? k_done : k_check_failed;
  }

 private:
  const char* unit(int row) const { return system_.joint_row_is_angle(row) ? "rad" : "m"; }
  bool is_motor(int row) const { return motors_.contains(system_.joint_name(row)); }
  void problem(std::string text) {
    lines_.push_back("problem: " + std::move(text));
    ++problems_;
  }

  // Moves the state to where a run starts; its lines come after the sizes.
  bool put_together() {
    if (!scene_.run.options.assemble) {
      report_violated_start();
      return true;
    }
    const StartResult start = assemble_start(system_, state_);
    if (!start.ok) {
      problem(start.message);
      return false;
    }
    if (start.moved > k_position_tolerance || start.velocity_change > k_velocity_tolerance)
      lines_.push_back(fmt::format(
          "note: the joints do not hold at the start; a run begins with positions moved by up to {:.3g} "
          "m and velocities by {:.3g} m/s",
          start.moved, start.velocity_change));
    return true;
  }

  void report_violated_start() {
    system_.bilateral(state_.t, state_.q, joints_);
    Vector u;
    joints_.rows.multiply(VectorRef(state_.v), u);
    for (int i = 0; i < joints_.rows.rows(); ++i) {
      if (i < joints_.num_holonomic && std::abs(joints_.violation[i]) > k_position_tolerance)
        problem(fmt::format("joint '{}' is violated by {:.3g} {} at the start", system_.joint_name(i),
                            joints_.violation[i], unit(i)));
      if (std::abs(u[i] - joints_.target[i]) > k_velocity_tolerance)
        problem(fmt::format("joint '{}' is violated by {:.3g} {}/s at the start", system_.joint_name(i),
                            u[i] - joints_.target[i], unit(i)));
    }
  }

  void print_sizes() const {
    const int rows = joints_.rows.rows(), independent = rows - kkt_.num_redundant();
    fmt::print("{}: {} bodies, {} coordinates, {} joint rows ({} independent), {} contacts, {}\n",
               scene_.name, system_.num_bodies(), system_.nq(), rows, independent, contacts_.size(),
               system_.nv() - independent == 1
                   ? std::string("1 degree of freedom")
                   : fmt::format("{} degrees of freedom", system_.nv() - independent));
    if (system_.num_joint_coordinates() > 0) {
      fmt::print("joint coordinates:");
      constexpr int most = 12;
      for (int i = 0; i < std::min(system_.num_joint_coordinates(), most); ++i)
        fmt::print(" {}", system_.joint_coordinate_name(i));
      if (system_.num_joint_coordinates() > most)
        fmt::print(" … ({} in all)", system_.num_joint_coordinates());
      fmt::print("\n");
    }
  }

  // Locked by joints alone, or driven in all that it can do?
  void report_freedom() {
    const int rows = joints_.rows.rows();
    if (system_.nv() == 0 || system_.nv() > rows - kkt_.num_redundant()) return;
    BlockRows passive;
    passive.clear(system_.nv());
    for (int g = 0; g < joints_.rows.num_groups(); ++g)
      if (!is_motor(joints_.rows.first_row(g)))
        passive.add_group(joints_.rows, g, joints_.rows.group_rows(g));
    KktFactor kkt;
    const Vector C = Vector::Zero(passive.rows());
    kkt.compute(M_, true, passive, nullptr, C);
    const int free = system_.nv() - (passive.rows() - kkt.num_redundant());
    if (free > 0)
      fmt::print("note: motors prescribe the whole motion (without them: {})\n",
                 free == 1 ? std::string("1 degree of freedom") : fmt::format("{} degrees of freedom", free));
    else
      fmt::print("note: the mechanism is locked: its joints leave no motion at the start\n");
  }

  void report_redundant() const {
    if (kkt_.num_redundant() == 0) return;
    std::vector<std::string> others;  // of the dependent sets
    for (const Redundancy::Joint& joint : find_redundancy(system_, state_).joints) {
      if (joint.redundant == 0) {
        if (!joint.unique) others.push_back(joint.name);
      } else if (motors_.contains(joint.name)) {
        fmt::print(
            "note: motor '{}' drives what other joints and motors hold already; it can only fail or do "
            "nothing\n",
            joint.name);
      } else {
        fmt::print(
            "note: joint '{}': {} of its {} {} redundant at the start; its reactions are not unique "
            "(least-norm ones are reported)\n",
            joint.name, joint.redundant, plural(joint.rows, "row"), joint.redundant == 1 ? "is" : "are");
      }
    }
    if (!others.empty())
      fmt::print("note: of the same loops, with reactions that are not unique: '{}'\n",
                 fmt::join(others, "', '"));
  }

  void report_welded() const {
    const auto* multibody = dynamic_cast<const MultibodySystem*>(&system_);
    if (multibody == nullptr) return;
    std::set<const Surface*> told;
    for (const Body& body : multibody->model().bodies)
      for (const Shape& shape : body.shapes) {
        const Surface* surface = shape.surface.get();
        // The hull of points is the same with all of them.
        if (shape.kind != ShapeKind::mesh || !told.insert(surface).second) continue;
        if (const int welded = count_welded(*surface); welded > 0)
          fmt::print(
              "note: {} of body '{}': {} on borders welded to others within {:g} of its size; they differ by "
              "round-off\n",
              delassus::describe(shape), body.name,
              welded == 1 ? "1 vertex" : fmt::format("{} vertices", welded), k_weld_tolerance);
      }
  }

  void report_gaps() {
    for (const std::string& text : find_start_problems(system_, state_)) {
      fmt::print("problem: {}{}\n", text,
                 problems_ == 0 ? "; --resolve FILE writes the scene with the bodies moved apart" : "");
      ++problems_;
    }
    if (problems_ > 0) return;
    const std::vector<std::string> small = find_start_problems(system_, state_, k_start_overlap, 0.0);
    for (const std::string& text : find_start_problems(system_, state_, k_position_tolerance, 0.0))
      if (std::find(small.begin(), small.end(), text) == small.end())
        fmt::print("note: {}, which counts as touching\n", text);
      else
        fmt::print(
            "note: {}, less than {:g} % of the smaller one: the run begins all the same, and its "
            "certificate says how deep they are\n",
            text, 100 * k_start_share);
  }

  void report_contacts() const {
    const StepperOptions& options = scene_.run.options.stepper.options;
    for (const std::string& line :
         describe(system_, diagnose_contacts(system_, options, state_, k_closed_gap)))
      fmt::print("{}\n", line);
  }

  void report_masses() const {
    const auto* multibody = dynamic_cast<const MultibodySystem*>(&system_);
    if (multibody == nullptr) {
      report_mass_matrix();
      return;
    }
    struct Extreme {
      double least = std::numeric_limits<double>::infinity(), largest = 0;
      std::string lightest, heaviest;
      void add(double x, const std::string& name) {
        if (x < least) least = x, lightest = name;
        if (x > largest) largest = x, heaviest = name;
      }
      double ratio() const { return largest / least; }
    } mass, inertia;
    for (const Body& body : multibody->model().bodies) {
      if (!body.dynamic()) continue;
      mass.add(body.mass, body.name);
      if (body.kind != BodyKind::rigid) continue;
      const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>(body.inertia).eigenvalues();
      inertia.add(moments[0], body.name);
      inertia.add(moments[2], body.name);
    }
    if (mass.largest == 0) return;
    fmt::print("masses {:.3g} … {:.3g} kg, ratio {:.3g}", mass.least, mass.largest, mass.ratio());
    if (inertia.largest > 0)
      fmt::print("; principal inertias {:.3g} … {:.3g} kg·m², ratio {:.3g}", inertia.least, inertia.largest,
                 inertia.ratio());
    fmt::print("\n");
    for (const auto& [what, extreme] : {std::pair{"mass", &mass}, std::pair{"inertia", &inertia}})
      if (extreme->largest > 0 && extreme->ratio() > k_large_ratio)
        fmt::print(
            "note: {} ratio {:.3g} between '{}' and '{}'; joints hold all the same, but look at the joint "
            "drift\n",
            what, extreme->ratio(), extreme->heaviest, extreme->lightest);
  }

  void report_mass_matrix() const {
    if (system_.nv() > k_dense_limit) return;
    Matrix dense;
    M_.to_dense(dense);
    const Vector eigenvalues =
        Eigen::SelfAdjointEigenSolver<Matrix>(dense, Eigen::EigenvaluesOnly).eigenvalues();
    fmt::print("mass ratio {:.3g}\n", eigenvalues.maxCoeff() / eigenvalues.minCoeff());
  }

  void report_stepper() const {
    const SimulationOptions& asked = scene_.run.options;
    const std::string chosen = default_stepper(system_, state_, asked.stepper);
    fmt::print("stepper {}, {}; step {:g} s\n", asked.stepper.name.value_or(chosen),
               stepper_reason(asked.stepper, system_, state_), asked.step);
  }

  const SceneDesc& scene_;
  const System& system_;
  State state_;
  std::set<std::string> motors_;
  BlockMatrix M_;
  BilateralRows joints_;
  KktFactor kkt_;
  ContactSet contacts_;
  std::vector<std::string> lines_;
  int problems_ = 0;
};

// Files of shapes lie relative to the scene: from the folder of the old scene to that of the new one.
void move_file_paths(DataTree& value, const std::filesystem::path& from, const std::filesystem::path& to) {
  for (DataTree& element : value.list) move_file_paths(element, from, to);
  for (auto& [key, member] : value.map) {
    if (key == "file" && member.kind == DataTree::Kind::text &&
        std::filesystem::path(member.text).is_relative())
      member.text = std::filesystem::relative(from / member.text, to).string();
    else
      move_file_paths(member, from, to);
  }
}

bool has_rotation(const DataTree& scene, const std::string& body) {
  const DataTree* bodies = scene.find("bodies");
  if (bodies == nullptr) return false;
  return std::any_of(bodies->list.begin(), bodies->list.end(), [&](const DataTree& x) {
    const DataTree* name = x.find("name");
    return name != nullptr && name->text == body && x.find("rotation") != nullptr;
  });
}

// Writes the scene with the bodies where no shapes overlap, and tells which ones have moved.
int resolve_overlaps(const Scene& scene, const CompiledScene& compiled, const std::string& path) {
  const auto* system = dynamic_cast<const MultibodySystem*>(compiled.system.get());
  if (system == nullptr) throw InputError("--resolve is for scenes with bodies; this one has formulas only");
  State state = compiled.state;
  if (scene.desc.run.options.assemble) assemble_start(*system, state);
  const State before = state;
  try {
    resolve_start(*system, state);
  } catch (const InputError& error) {
    fmt::print("problem: {}\n", error.what());
    return k_check_failed;
  }
  std::vector<BodyMotion> old_motions, motions;
  system->body_motions(state.t, before.q, before.v, old_motions);
  system->body_motions(state.t, state.q, state.v, motions);
  DataTree values = scene.values;
  const auto list = [](const auto& numbers) {
    DataTree out;
    out.kind = DataTree::Kind::list;
    for (double x : numbers) {
      DataTree number;
      number.kind = DataTree::Kind::number;
      number.number = x;
      number.text = fmt::format("{}", x);
      out.list.push_back(number);
    }
    return out;
  };
  int moved = 0;
  for (int i = 0; i < system->num_bodies(); ++i) {
    const Body& body = system->model().bodies[i];
    const Vector3 shift = motions[i].position - old_motions[i].position;
    const double turn = quaternion_difference(motions[i].orientation, old_motions[i].orientation).norm();
    if (!body.dynamic() || (shift.norm() <= k_position_tolerance && turn <= k_position_tolerance)) continue;
    set_path(values, "bodies." + body.name + ".position", list(motions[i].position));
    if (body.kind == BodyKind::rigid) {
      // The key that the scene uses; it may have one of them only.
      const std::string at = "bodies." + body.name;
      if (has_rotation(values, body.name))
        set_path(values, at + ".rotation", list(quaternion_logarithm(motions[i].orientation)));
      else
        set_path(values, at + ".orientation", list(motions[i].orientation));
    }
    fmt::print("'{}' moved by {:.3g} m and turned by {:.3g} rad\n", body.name, shift.norm(), turn);
    ++moved;
  }
  move_file_paths(values, std::filesystem::absolute(scene.desc.file).parent_path(),
                  std::filesystem::absolute(path).parent_path());
  write_file(path, write_yaml(values));
  fmt::print("{} moved; written to {}\n", moved == 1 ? "1 body" : fmt::format("{} bodies", moved), path);
  return k_done;
}

}  // namespace

int check_command(const std::string& name, const std::vector<SceneSetting>& settings,
                  const std::string& resolve) {
  require_writable(resolve);
  const Scene scene = load_scene(name, settings);
  const CompiledScene compiled = compile(scene.desc);
  require_stepper_fits(scene.desc, *compiled.system, compiled.state);
  if (!resolve.empty()) return resolve_overlaps(scene, compiled, resolve);
  return Check(scene, compiled).run();
}

}  // namespace delassus::cli
