// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus bench contact: whole steps with contact. Each solver on a stack, an arch and a column that collapses, beside
// Bullet; boxes that fall, against real time; and spheres in a box, 100 … 10,000.
//
// All solvers have the exact law of Coulomb. A step that misses the tolerance is counted and the run goes on with what
// the solver has, so that none of them is spared work by failing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "apps/cli/bench.hpp"
#include "delassus/base/error.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"

#ifdef DELASSUS_HAS_BULLET
#include "apps/cli/peers/contact_peer.hpp"
#endif

namespace delassus::cli {
namespace {

constexpr const char* k_solvers[] = {"auto", "newton", "admm", "nsgs", "psor",
                                     "ssor", "jacobi", "apgd", "spg"};
constexpr double k_tolerances[] = {1e-4, 1e-8};
constexpr const char* k_law = "coulomb";
// Iterations a solve, so that the step in which a run reaches its time limit does not take much longer than the run.
constexpr int k_max_iterations = 5000;

struct ContactScene {
  const char* name;
  const char* scene;
  std::vector<SceneSetting> settings;
  int bodies, steps;
};
std::vector<ContactScene> list_scenes() {
  return {{"stack", "box_stack", {}, 10, 100},
          {"arch", "arch", {}, 11, 100},
          {"column", "granular_column", {"constants.n=6"}, 216, 200}};
}

struct ContactRun {
  int steps = 0, missed = 0;  // made; of these without the tolerance
  double seconds = 0;
  long iterations = 0;       // sweeps, steps and pivots of all solves, fallbacks and projection counted
  double residual = 0;       // largest contact residual of the certificates [-]
  double penetration = 0;    // largest [m]
  double moved = 0;          // largest way of a body from the start to the end [m]
  std::size_t contacts = 0;  // at the end
  bool capped = false;
  std::string failure;  // why a step could not be made; empty: it could
  double steps_per_second() const { return steps / seconds; }
};

std::vector<Vector3> positions(const System& system, double t, const Vector& q) {
  std::vector<BodyMotion> motions;
  system.body_motions(t, q, Vector::Zero(system.nv()), motions);
  std::vector<Vector3> out;
  for (const BodyMotion& motion : motions) out.push_back(motion.position);
  return out;
}

double largest_distance(const std::vector<Vector3>& a, const std::vector<Vector3>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, (a[i] - b[i]).norm());
  return out;
}

ContactRun run_steps(Simulation& simulation, int steps, double cap) {
  ContactRun out;
  const std::vector<Vector3> before =
      positions(simulation.system(), simulation.state().t, simulation.state().q);
  while (out.steps < steps && !out.capped) {
    const double started = cpu_seconds();
    const StepReport& report = simulation.step();
    out.seconds += cpu_seconds() - started;
    const Certificate& certificate = report.certificate;
    out.iterations += certificate.iterations;
    if (!report.ok) {
      out.failure = report.message;
      break;
    }
    ++out.steps;
    if (!usable(certificate.status) && certificate.status != SolveStatus::not_run) ++out.missed;
    // A residual that is not a number must not be lost.
    if (!(certificate.contact_residual <= out.residual)) out.residual = certificate.contact_residual;
    out.penetration = std::max(out.penetration, certificate.penetration);
    out.contacts = report.contacts.size();
    out.capped = out.seconds > cap && out.steps < steps;
  }
  out.moved =
      largest_distance(before, positions(simulation.system(), simulation.state().t, simulation.state().q));
  return out;
}

std::string remark(const ContactRun& run, int steps) {
  if (!run.failure.empty()) return fmt::format("  failed at step {}: {}", run.steps + 1, run.failure);
  if (run.capped) return fmt::format("  {} of {} steps in the time", run.steps, steps);
  return "";
}

nlohmann::json to_json(const ContactRun& run) {
  nlohmann::json out{{"steps", run.steps},           {"steps_per_second", run.steps_per_second()},
                     {"iterations", run.iterations}, {"residual", run.residual},
                     {"missed_steps", run.missed},   {"penetration", run.penetration},
                     {"moved", run.moved},           {"contacts", run.contacts},
                     {"capped", run.capped}};
  if (run.steps == 0) out["steps_per_second"] = nullptr;
  if (!run.failure.empty()) out["failure"] = run.failure;
  return out;
}

// ---- Scenes, by every solver.

Simulation make_scene(const ContactScene& scene, const std::string& solver, double tolerance) {
  std::vector<SceneSetting> settings = scene.settings;
  for (const std::string& text : {std::string("stepper.name=moreau-jean"),
                                  std::string("stepper.on_failure=warn"), fmt::format("law.name={}", k_law),
                                  "solver.name=" + solver, fmt::format("solver.tolerance={}", tolerance),
                                  fmt::format("solver.max_iterations={}", k_max_iterations)})
    settings.emplace_back(text);
  return Simulation(load_scene(scene.scene, settings));
}

// Without `all`: by `auto` alone.
nlohmann::json bench_scenes(int max_size, double time_limit, bool all) {
  fmt::print(
      "Scenes with the exact law ({}), moreau-jean, {} iterations a solve and about {:g} s a run at most.\n"
      "missed: steps without the tolerance; moved: farthest way of a body; it is error for stack and "
      "arch.\n\n"
      "{:<9}{:<9}{:>10}{:>11}{:>12}{:>10}{:>8}{:>13}{:>11}\n",
      k_law, k_max_iterations, time_limit, "scene", "solver", "tolerance", "steps/s", "iterations",
      "residual", "missed", "penetration", "moved");
  nlohmann::json out = nlohmann::json::array();
  for (const ContactScene& scene : list_scenes()) {
    if (scene.bodies > max_size) continue;
    for (double tolerance : k_tolerances)
      for (const char* solver : k_solvers) {
        if (!all && solver != k_solvers[0]) continue;
        Simulation simulation = make_scene(scene, solver, tolerance);
        const ContactRun run = run_steps(simulation, scene.steps, time_limit);
        fmt::print("{:<9}{:<9}{:>10.0e}{:>11.1f}{:>12}{:>10.1e}{:>8}{:>13.1e}{:>11.1e}{}\n", scene.name,
                   solver, tolerance, run.steps_per_second(), run.iterations, run.residual, run.missed,
                   run.penetration, run.moved, remark(run, scene.steps));
        std::fflush(stdout);
        nlohmann::json entry = to_json(run);
        entry.update({{"scene", scene.name},
                      {"bodies", scene.bodies},
                      {"law", k_law},
                      {"step", simulation.options().step},
                      {"solver", solver},
                      {"tolerance", tolerance}});
        out.push_back(std::move(entry));
      }
  }
  return out;
}

// ---- Spheres in a box.

constexpr int k_contact_sizes[] = {100, 316, 1000, 3162, 10'000};
constexpr const char* k_growth_solvers[] = {"auto", "nsgs"};
constexpr double k_growth_tolerance = 1e-4;
constexpr double k_contact_step = 1e-3;              // [s]
constexpr double k_radius = 0.02, k_density = 2500;  // glass beads [m, kg/m³]
// Of the lattice at the start, in radii: near enough that the spheres lie on each other after some steps.
constexpr double k_pitch = 2.02, k_noise = 0.01;
constexpr int k_settle_steps = 40, k_measured_steps = 5;
// A box that grows sideways has the same forces in every size; in one as deep as wide they grow with the depth, and what a
// sweep carries from layer to layer needs more of them.
struct BoxKind {
  const char* name;
  int layers;    // 0: as deep as wide
  int max_size;  // beyond it takes minutes
};
constexpr BoxKind k_boxes[] = {{"flat", 5, 10'000}, {"cubic", 0, 1000}};

double uniform(std::mt19937_64& random, double size) {
  return size * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1);
}
Vector3 uniform_vector(std::mt19937_64& random, double size) {
  const double x = uniform(random, size), y = uniform(random, size), z = uniform(random, size);
  return {x, y, z};
}

Shape plane_at(const Vector3& position, const Vector3& normal) {
  Shape out{.kind = ShapeKind::plane, .position = position};
  out.orientation =
      quaternion_from_matrix(frame_with_axis(normal, Vector3(normal.y(), normal.z(), normal.x())));
  return out;
}

Body make_body(const std::string& name, const Shape& shape, const Vector3& position) {
  Body body{.name = name, .kind = BodyKind::rigid};
  body.position = position;
  body.shapes = {shape};
  const MassProperties properties = mass_properties(body.shapes, k_density);
  body.mass = properties.mass;
  body.inertia = properties.inertia;
  return body;
}

Model make_sphere_box(const BoxKind& kind, int n) {
  std::mt19937_64 random(1);
  const int m = static_cast<int>(std::lround(kind.layers > 0 ? std::sqrt(n / kind.layers) : std::cbrt(n)));
  const double pitch = k_pitch * k_radius, width = m * pitch;
  Model model;
  model.gravity = {0, 0, -9.81};
  Body box{.name = "box", .kind = BodyKind::fixed};
  box.shapes = {plane_at(Vector3::Zero(), Vector3::UnitZ()), plane_at(Vector3::Zero(), Vector3::UnitX()),
                plane_at(Vector3::Zero(), Vector3::UnitY()), plane_at({width, 0, 0}, -Vector3::UnitX()),
                plane_at({0, width, 0}, -Vector3::UnitY())};
  model.bodies.push_back(box);
  for (int i = 0; i < n; ++i) {
    const Vector3 cell(i % m + 0.5, i / m % m + 0.5, i / (m * m) + 0.5);
    model.bodies.push_back(make_body(fmt::format("sphere{}", i),
                                     {.kind = ShapeKind::sphere, .radius = k_radius},
                                     pitch * cell + uniform_vector(random, k_noise * k_radius)));
  }
  return model;
}

SimulationOptions make_options(const std::string& solver, double tolerance) {
  SimulationOptions options{.step = k_contact_step};
  options.stepper.name = "moreau-jean";
  options.stepper.options.policy = FailurePolicy::warn;
  options.solver.name = solver;
  options.solver.tolerance = tolerance;
  return options;
}

nlohmann::json bench_growth(int max_size) {
  fmt::print(
      "\nN spheres in a box: flat, {} deep; cubic, as deep as wide. Tolerance {:g}. Mean over {} steps of "
      "{:g} s after {} in which they settle.\n\n{:<8}{:<8}{:<8}{:>10}{:>13}{:>13}{:>11}{:>8}\n",
      k_boxes[0].layers, k_growth_tolerance, k_measured_steps, k_contact_step, k_settle_steps, "box", "N",
      "solver", "contacts", "time a step", "iterations", "residual", "missed");
  nlohmann::json entries = nlohmann::json::array(), exponents = nlohmann::json::array();
  for (const BoxKind& box : k_boxes) {
    std::vector<Timing> timings[std::size(k_growth_solvers)];
    for (int n : k_contact_sizes) {
      if (n > std::min(max_size, box.max_size)) break;
      const auto system = std::make_shared<const MultibodySystem>(make_sphere_box(box, n));
      Simulation settling(system, system->initial_state(), make_options("nsgs", k_growth_tolerance));
      for (int k = 0; k < k_settle_steps; ++k) settling.step();
      for (std::size_t s = 0; s < std::size(k_growth_solvers); ++s) {
        Simulation simulation(system, settling.state(),
                              make_options(k_growth_solvers[s], k_growth_tolerance));
        simulation.step();  // memory grows to its final size
        const ContactRun run =
            run_steps(simulation, k_measured_steps, std::numeric_limits<double>::infinity());
        const double seconds = run.seconds / k_measured_steps,
                     iterations = static_cast<double>(run.iterations) / k_measured_steps;
        timings[s].push_back({n, seconds});
        fmt::print("{:<8}{:<8}{:<8}{:>10}{}{:>13.1f}{:>11.1e}{:>8}{}\n", box.name, n, k_growth_solvers[s],
                   run.contacts, pad(duration_text(seconds), 13), iterations, run.residual, run.missed,
                   remark(run, k_measured_steps));
        std::fflush(stdout);
        entries.push_back({{"box", box.name},
                           {"n", n},
                           {"solver", k_growth_solvers[s]},
                           {"law", k_law},
                           {"tolerance", k_growth_tolerance},
                           {"contacts", run.contacts},
                           {"seconds_per_step", seconds},
                           {"iterations_per_step", iterations},
                           {"residual", run.residual},
                           {"missed_steps", run.missed}});
      }
    }
    for (std::size_t s = 0; s < std::size(k_growth_solvers); ++s)
      if (const std::optional<double> p = fit_exponent(timings[s])) {
        fmt::print("{}, {}: time a step = c N^{:.2f}\n", box.name, k_growth_solvers[s], *p);
        exponents.push_back({{"box", box.name},
                             {"solver", k_growth_solvers[s]},
                             {"tolerance", k_growth_tolerance},
                             {"exponent", *p}});
      }
  }
  return {{"entries", entries}, {"exponents", exponents}};
}

// ---- Boxes that fall, against real time.

constexpr double k_real_time_tolerance = 1e-9, k_real_time_seconds = 1, k_real_time_cap = 10;  // [-, s, s]
struct Fall {
  const char* name;
  SceneSetting setting;
};

nlohmann::json bench_real_time(int max_size) {
  constexpr int bodies = 100;
  nlohmann::json out = nlohmann::json::array();
  if (bodies > max_size) return out;
  fmt::print("\n{} boxes that fall on a plane, tolerance {:g}: simulated over computed time.\n\n", bodies,
             k_real_time_tolerance);
  for (const Fall& fall : {Fall{"side by side", "constants.pitch=2.5*a"},
                           Fall{"striking each other", "constants.pitch=1.45*a"}}) {
    Simulation simulation =
        make_scene({"", "falling_boxes", {fall.setting}, bodies, 0}, "auto", k_real_time_tolerance);
    const double h = simulation.options().step;
    const int steps = static_cast<int>(std::lround(k_real_time_seconds / h));
    const ContactRun run = run_steps(simulation, steps, k_real_time_cap);
    const double ratio = run.steps * h / run.seconds;
    fmt::print("{:<20}{:>8.2f}   residual {:.1e}, {} contacts, missed {}, penetration {:.1e} m{}\n",
               fall.name, ratio, run.residual, run.contacts, run.missed, run.penetration, remark(run, steps));
    std::fflush(stdout);
    nlohmann::json entry = to_json(run);
    entry.update({{"name", fall.name},
                  {"bodies", bodies},
                  {"step", h},
                  {"tolerance", k_real_time_tolerance},
                  {"solver", "auto"},
                  {"law", k_law},
                  {"ratio", ratio}});
    out.push_back(std::move(entry));
  }
  return out;
}

// ---- Bullet.

#ifdef DELASSUS_HAS_BULLET
struct BulletSetting {
  int iterations;
  bool conjugate_gradients;
};
// Its default; ten times that; and conjugate gradients.
constexpr BulletSetting k_bullet_settings[] = {{10, false}, {100, false}, {100, true}};

std::array<double, 3> to_array(const Vector3& x) {
  return {x[0], x[1], x[2]};
}

PeerPose to_peer_pose(const Matrix3& R, const Vector3& x) {
  PeerPose out;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(out.rotation.data()) = R;
  out.position = to_array(x);
  return out;
}

// Bodies of one shape, as those of the scenes here. About the centre of mass, as Bullet wants it.
PeerBody to_peer_body(const Body& body) {
  const Shape& shape = body.shapes.front();
  const Matrix3 R = rotation_matrix(body.orientation);
  PeerBody out;
  out.friction = shape.material.friction;
  if (shape.kind == ShapeKind::plane) {
    out.plane = true;
    out.pose = to_peer_pose(R * rotation_matrix(shape.orientation), body.position + R * shape.position);
    return out;
  }
  out.pose = to_peer_pose(R, body.position + R * body.center_of_mass);
  out.mass = body.mass;
  out.inertia = to_array(body.inertia.diagonal());
  if (shape.kind == ShapeKind::sphere) {
    out.shape.kind = PeerKind::sphere;
    out.shape.radius = shape.radius;
  } else if (shape.kind == ShapeKind::box) {
    out.shape.kind = PeerKind::box;
    out.shape.size = to_array(shape.size);
  } else {
    out.shape.kind = PeerKind::hull;
    for (const Vector3& x : shape.surface->vertices)
      out.shape.vertices.push_back(
          to_array(shape.position + rotate(shape.orientation, x) - body.center_of_mass));
  }
  return out;
}

// Its bodies as coordinates of ours.
void read_coordinates(const ContactPeer& peer, const Model& model, Vector& q) {
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].dynamic()) continue;
    const PeerPose pose = peer.pose(i);
    q.segment<3>(at) = Eigen::Map<const Vector3>(pose.position.data());
    q.segment<4>(at + 3) = quaternion_from_matrix(
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data()));
    at += 7;
  }
}

// By our geometry.
double penetration(const System& system, const Vector& q) {
  const ContactSet contacts = system.contacts_within(k_contact_step, 0, q, Vector::Zero(system.nv()));
  double out = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (contacts.valid(c)) out = std::max(out, -contacts.gap(c));
  return out;
}

nlohmann::json bench_bullet(int max_size, const nlohmann::json& ours) {
  fmt::print(
      "\nThe same scenes in Bullet with n iterations a step; penetration by our geometry. Beside it the time "
      "of auto over its time.\n\n{:<9}{:<18}{:>11}{:>13}{:>11}{:>11}{:>11}\n",
      "scene", "engine", "steps/s", "penetration", "moved", "at 1e-4", "at 1e-8");
  nlohmann::json out = nlohmann::json::array();
  for (const ContactScene& scene : list_scenes()) {
    if (scene.bodies > max_size) continue;
    const Simulation simulation = make_scene(scene, "auto", k_tolerances[0]);
    const System& system = simulation.system();
    const Model& model = dynamic_cast<const MultibodySystem&>(system).model();
    std::vector<PeerBody> bodies;
    for (const Body& body : model.bodies) bodies.push_back(to_peer_body(body));
    for (const BulletSetting& setting : k_bullet_settings) {
      const auto peer = make_bullet_world(setting.iterations, setting.conjugate_gradients);
      if (!peer->take(bodies, to_array(model.gravity))) continue;
      Vector q = simulation.state().q;
      double seconds = 0, deepest = 0;
      for (int k = 0; k < scene.steps; ++k) {
        const double started = cpu_seconds();
        peer->step(simulation.options().step);
        seconds += cpu_seconds() - started;
        read_coordinates(*peer, model, q);
        deepest = std::max(deepest, penetration(system, q));
      }
      const double rate = scene.steps / seconds,
                   moved =
                       largest_distance(positions(system, 0, simulation.state().q), positions(system, 0, q));
      fmt::print("{:<9}{:<18}{:>11.1f}{:>13.1e}{:>11.1e}", scene.name, peer->name(), rate, deepest, moved);
      nlohmann::json ratios = nlohmann::json::array();
      for (const nlohmann::json& entry : ours) {
        if (entry["scene"] != scene.name || entry["solver"] != "auto" || entry["steps"] == 0) continue;
        const double ratio = rate / entry["steps_per_second"].get<double>();
        fmt::print("{:>11.2f}", ratio);
        ratios.push_back({{"tolerance", entry["tolerance"]}, {"ratio", ratio}});
      }
      fmt::print("\n");
      std::fflush(stdout);
      out.push_back({{"scene", scene.name},
                     {"engine", peer->name()},
                     {"iterations_per_step", setting.iterations},
                     {"steps", scene.steps},
                     {"steps_per_second", rate},
                     {"penetration", deepest},
                     {"moved", moved},
                     {"ratios", ratios}});
    }
  }
  return out;
}
#endif

}  // namespace

nlohmann::json bench_contact(const BenchArguments& arguments) {
  const int max_size = arguments.max_size;
  const std::vector<std::string> parts{"scenes", "bullet", "real_time", "growth"};
  if (!arguments.part.empty() && std::find(parts.begin(), parts.end(), arguments.part) == parts.end())
    throw InputError(fmt::format("--part {}: allowed: {}", arguments.part, fmt::join(parts, ", ")));
  const auto wanted = [&](const char* part) { return arguments.part.empty() || arguments.part == part; };
  nlohmann::json out = nlohmann::json::object();
  // Without them Bullet has nothing to stand beside.
  if (wanted("scenes") || wanted("bullet"))
    out["scenes"] = bench_scenes(max_size, arguments.time_limit, wanted("scenes"));
#ifdef DELASSUS_HAS_BULLET
  if (wanted("bullet")) out["bullet"] = bench_bullet(max_size, out["scenes"]);
#endif
  if (wanted("real_time")) out["real_time"] = bench_real_time(max_size);
  if (wanted("growth")) out["growth"] = bench_growth(max_size);
  return out;
}

}  // namespace delassus::cli
