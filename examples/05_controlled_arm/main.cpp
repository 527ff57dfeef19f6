// Lesson 5: a scene from a file, a controller, a joint angle and a contact force by name, the report page.
#include <cstdio>
#include <delassus/delassus.hpp>

using namespace delassus;

int main(int argc, char** argv) try {
  const Scene scene = load_scene(argc > 1 ? argv[1] : "arm.yaml");
  Simulation simulation(scene);
  const JointHandle hip = simulation.find_joint("hip");
  const BodyHandle arm = simulation.find_body("arm"), table = simulation.find_body("table");

  simulation.control([&](const Simulation& now, Signals& signals) {
    const double target = now.time() < 1 ? 0.5 : -0.6;  // lift the hand, then put it below the table's top
    signals.set("hip_torque", 40 * (target - now.joint(hip).angle()) - 6 * now.joint(hip).rate());
  });

  RunFiles files("out/arm", scene, simulation);
  const bool done = simulation.run_until(scene.duration());
  files.finish(simulation);
  files.write_page();

  const Vector3 force = simulation.contact_force(arm, table);
  std::printf("hip at %.4f rad, the table carries %.3f N\n", simulation.joint(hip).angle(), force.y());
  return done ? 0 : 1;
} catch (const InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
