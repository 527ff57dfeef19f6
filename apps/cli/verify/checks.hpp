// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The table that `delassus verify` fills: ours beside theirs.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "delassus/base/data_tree.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {

// Analytic values are met to this, where a case names no other tolerance.
inline constexpr double k_close = 1e-6;
inline constexpr double k_gravity = 9.81;  // of the cases [m/s²]

enum class Source { paper, exact, scheme };
const char* to_string(Source source);

struct Check {
  std::string case_id, quantity;
  double value = 0, reference = 0;
  Source source = Source::exact;
  double tolerance = 0;      // relative, beside 1e-12 absolute; absolute where the reference is 0
  std::optional<bool> pass;  // empty: skipped
  std::string note;
};

class Checks {
 public:
  explicit Checks(bool long_cases) : long_cases_(long_cases) {}
  bool long_cases() const { return long_cases_; }
  void begin(const std::string& case_id) { case_id_ = case_id; }

  // |value − reference| ≤ tolerance |reference| + 1e-12
  void near(const std::string& quantity, double value, double reference, Source source, double tolerance);
  // |value − reference| ≤ tolerance
  void within(const std::string& quantity, double value, double reference, Source source, double tolerance);
  // value ≤ bound
  void at_most(const std::string& quantity, double value, double bound);
  // lowest ≤ value ≤ highest; the reference shown is the middle
  void between(const std::string& quantity, double value, double lowest, double highest);
  void skip(const std::string& quantity, const std::string& reason);
  // Errors at h, h/2, h/4, h/8 for a scheme: their fitted order lies between the two bounds. Kept for plots.
  void order(const std::string& quantity, const std::string& scheme, double h,
             const std::function<double(double h)>& error, double lowest, double highest);

  const std::vector<Check>& all() const { return checks_; }
  struct OrderSeries {
    std::string case_id, quantity, scheme;
    std::vector<std::pair<double, double>> points;  // step, error
  };
  const std::vector<OrderSeries>& orders() const { return orders_; }

 private:
  void add(Check check);
  bool long_cases_;
  std::string case_id_;
  std::vector<Check> checks_;
  std::vector<OrderSeries> orders_;
};

struct VerifyCase {
  std::string id, title;
  std::function<void(Checks&)> run;
};
const std::vector<VerifyCase>& verify_cases();

// The cases, one function each.
void verify_double_pendulum(Checks& checks);       // A
void verify_block(Checks& checks);                 // B
void verify_carts(Checks& checks);                 // C
void verify_stiff_carts(Checks& checks);           // C, by Radau IIA
void verify_held_point(Checks& checks);            // D
void verify_event_capturing(Checks& checks);       // E
void verify_local_errors(Checks& checks);          // E, section 4
void verify_runge_kutta(Checks& checks);           // E, Algorithm 1
void verify_lemke_and_impacts(Checks& checks);     // F
void verify_bouncing_ball(Checks& checks);         // V1
void verify_rotating_ball(Checks& checks);         // V2
void verify_pendulum(Checks& checks);              // V3
void verify_four_bars(Checks& checks);             // V4
void verify_andrews(Checks& checks);               // V5
void verify_bricard(Checks& checks);               // V6
void verify_joint_histories(Checks& checks);       // V7
void verify_woodpecker(Checks& checks);            // V8
void verify_rocking_block(Checks& checks);         // V9
void verify_rolling_balls(Checks& checks);         // V10
void verify_frictionless_spheres(Checks& checks);  // V11
void verify_bouncing_balls(Checks& checks);        // V12
void verify_pulled_box(Checks& checks);            // U1
void verify_sliding_cube(Checks& checks);          // U2
void verify_pinched_capsule(Checks& checks);       // U3
void verify_heavy_on_light(Checks& checks);        // U4
void verify_light_rod(Checks& checks);             // U5
void verify_ball_ball_wall(Checks& checks);        // U6
void verify_dropped_ball(Checks& checks);          // U7
void verify_box_stack(Checks& checks);             // U8
void verify_resting_cube(Checks& checks);          // U9
void verify_incline(Checks& checks);               // U10
void verify_three_balls(Checks& checks);           // U11

// The same with a tolerance instead of a step.
void verify_controlled_ball(Checks& checks);           // V1
void verify_controlled_rotating_ball(Checks& checks);  // V2
void verify_controlled_woodpecker(Checks& checks);     // V8
void verify_controlled_rocking_block(Checks& checks);  // V9

// As Simulation::observe takes it.
using StepWatcher = std::function<bool(const Simulation& simulation, const StepReport& report)>;
// Runs a built-in scene with settings to its end. Throws InputError when it stops.
State run_scene(const std::string& scene, const std::vector<std::string>& settings,
                const StepWatcher& observer = {});
// A table of library/papers.
const DataTree& paper(const std::string& name);
// A number (or constant formula) of such a table.
double number_at(const DataTree& table, const std::string& key);
std::string setting(const std::string& path, double value);
// Least-squares slope of log(errors) over log(steps).
double fitted_order(const std::vector<double>& steps, const std::vector<double>& errors);

}  // namespace delassus::cli
