// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/verify/checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "delassus/base/embedded_file.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/io/yaml.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus {
// The files of library/papers (cmake/embed.cmake).
const std::vector<EmbeddedFile>& embedded_papers();
}  // namespace delassus

namespace delassus::cli {

const char* to_string(Source source) {
  switch (source) {
    case Source::paper:
      return "paper";
    case Source::exact:
      return "exact";
    case Source::scheme:
      return "scheme";
  }
  return "unknown";
}

void Checks::add(Check check) {
  check.case_id = case_id_;
  checks_.push_back(std::move(check));
}

void Checks::near(const std::string& quantity, double value, double reference, Source source,
                  double tolerance) {
  constexpr double absolute = 1e-12;
  add({.quantity = quantity,
       .value = value,
       .reference = reference,
       .source = source,
       .tolerance = tolerance,
       .pass = std::abs(value - reference) <= tolerance * std::abs(reference) + absolute});
}

void Checks::within(const std::string& quantity, double value, double reference, Source source,
                    double tolerance) {
  add({.quantity = quantity,
       .value = value,
       .reference = reference,
       .source = source,
       .tolerance = tolerance,
       .pass = std::abs(value - reference) <= tolerance,
       .note = "absolute"});
}

void Checks::at_most(const std::string& quantity, double value, double bound) {
  add({.quantity = quantity,
       .value = value,
       .reference = 0,
       .source = Source::exact,
       .tolerance = bound,
       .pass = value <= bound,
       .note = "at most"});
}

void Checks::between(const std::string& quantity, double value, double lowest, double highest) {
  add({.quantity = quantity,
       .value = value,
       .reference = 0.5 * (lowest + highest),
       .source = Source::exact,
       .tolerance = 0.5 * (highest - lowest),
       .pass = value >= lowest && value <= highest,
       .note = "absolute"});
}

void Checks::order(const std::string& quantity, const std::string& scheme, double h,
                   const std::function<double(double h)>& error, double lowest, double highest) {
  OrderSeries series{case_id_, quantity, scheme, {}};
  std::vector<double> steps, errors;
  for (int i = 0; i < 4; ++i, h /= 2) {
    steps.push_back(h);
    errors.push_back(error(h));
    series.points.emplace_back(steps.back(), errors.back());
  }
  orders_.push_back(std::move(series));
  between(quantity + ", " + scheme, fitted_order(steps, errors), lowest, highest);
}

void Checks::skip(const std::string& quantity, const std::string& reason) {
  add({.quantity = quantity, .value = NAN, .reference = NAN, .note = reason});
}

const std::vector<VerifyCase>& verify_cases() {
  static const std::vector<VerifyCase> cases{
      {"A", "Potra et al. 2006, Table 10.1: double pendulum and wall", verify_double_pendulum},
      {"B", "Potra et al. 2006, Tables 10.2/10.3, Gavrea et al. 2008, 9.2: block under 8 cos t",
       verify_block},
      {"C", "Potra et al. 2006, 10.3: two carts and a stopper",
       [](Checks& checks) {
         verify_carts(checks);
         verify_stiff_carts(checks);
       }},
      {"D", "Gavrea et al. 2008, 9.1: joint with a velocity error", verify_held_point},
      {"E", "Acary 2009: impacts captured, and located to any order",
       [](Checks& checks) {
         verify_event_capturing(checks);
         verify_local_errors(checks);
         verify_runge_kutta(checks);
       }},
      {"F", "Anitescu and Potra 1997: Lemke and impacts", verify_lemke_and_impacts},
      {"V1", "bouncing ball with Zeno point",
       [](Checks& checks) {
         verify_bouncing_ball(checks);
         verify_controlled_ball(checks);
       }},
      {"V2", "rotating ball",
       [](Checks& checks) {
         verify_rotating_ball(checks);
         verify_controlled_rotating_ball(checks);
       }},
      {"V3", "point pendulum", verify_pendulum},
      {"V4", "four-bars in a row", verify_four_bars},
      {"V5", "Andrews' squeezer", verify_andrews},
      {"V6", "Bricard's mechanism", verify_bricard},
      {"V7", "joints and their reactions against Adams", verify_joint_histories},
      {"V8", "woodpecker toy",
       [](Checks& checks) {
         verify_woodpecker(checks);
         verify_controlled_woodpecker(checks);
       }},
      {"V9", "rocking block",
       [](Checks& checks) {
         verify_rocking_block(checks);
         verify_controlled_rocking_block(checks);
       }},
      {"V10", "balls roll on a plate", verify_rolling_balls},
      {"V11", "216 spheres without friction", verify_frictionless_spheres},
      {"V12", "49 balls bounce without loss", verify_bouncing_balls},
      {"U1", "box pulled with less and more than friction holds", verify_pulled_box},
      {"U2", "cube that slides at 6 m/s", verify_sliding_cube},
      {"U3", "pinched capsule", verify_pinched_capsule},
      {"U4", "heavy on light", verify_heavy_on_light},
      {"U5", "light rod, heavy bob", verify_light_rod},
      {"U6", "ball, ball and wall without loss", verify_ball_ball_wall},
      {"U7", "ball that stops dead or returns", verify_dropped_ball},
      {"U8", "stack of ten boxes", verify_box_stack},
      {"U9", "resting cube", verify_resting_cube},
      {"U10", "box on a slope at the angle of friction", verify_incline},
      {"U11", "three balls", verify_three_balls}};
  return cases;
}

State run_scene(const std::string& name, const std::vector<std::string>& settings,
                const StepWatcher& observer) {
  const Scene scene = load_scene(name, {settings.begin(), settings.end()});
  Simulation simulation(scene);
  if (observer) simulation.observe(observer);
  if (!simulation.run_until(scene.desc.duration) && !simulation.report().ok)
    throw InputError(fmt::format("scene {} stopped: {}", name, simulation.report().message));
  return simulation.state();
}

const DataTree& paper(const std::string& name) {
  static std::map<std::string, DataTree> tables;
  const auto known = tables.find(name);
  if (known != tables.end()) return known->second;
  for (const EmbeddedFile& file : embedded_papers())
    if (file.name == name + ".yaml") return tables[name] = parse_yaml(file.content, file.name);
  throw std::logic_error("no paper table " + name);
}

double number_at(const DataTree& table, const std::string& key) {
  const DataTree* value = table.find(key);
  if (value == nullptr) throw std::logic_error("no entry '" + key + "' in " + to_string(table.place));
  return value->kind == DataTree::Kind::number ? value->number
                                               : Expression::parse(value->text, {}).evaluate({});
}

std::string setting(const std::string& path, double value) {
  return fmt::format("{}={:.17g}", path, value);
}

double fitted_order(const std::vector<double>& steps, const std::vector<double>& errors) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace delassus::cli
