// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// delassus verify: runs the cases, prints and writes the table.
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/plot.hpp"
#include "apps/cli/verify/checks.hpp"
#include "delassus/base/files.hpp"
#include "delassus/base/names.hpp"
#include "delassus/front/load_scene.hpp"
#include "delassus/simulation/simulation.hpp"

namespace delassus::cli {
namespace {

std::vector<const VerifyCase*> choose(const std::vector<std::string>& ids) {
  std::vector<const VerifyCase*> chosen;
  std::vector<std::string> known;
  for (const VerifyCase& c : verify_cases()) {
    known.push_back(c.id);
    if (ids.empty()) chosen.push_back(&c);
  }
  for (const std::string& id : ids) {
    const auto found = std::find_if(verify_cases().begin(), verify_cases().end(),
                                    [&](const VerifyCase& c) { return c.id == id; });
    if (found == verify_cases().end())
      throw InputError(fmt::format("there is no case '{}'; known: {}", id, fmt::join(known, ", ")));
    chosen.push_back(&*found);
  }
  return chosen;
}

nlohmann::json to_json(const Check& check) {
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(); };
  nlohmann::json out{{"case", check.case_id},
                     {"quantity", check.quantity},
                     {"value", number(check.value)},
                     {"reference", number(check.reference)},
                     {"source", to_string(check.source)},
                     {"tolerance", check.tolerance},
                     {"pass", check.pass ? nlohmann::json(*check.pass) : nlohmann::json()}};
  if (!check.note.empty()) out["note"] = check.note;
  return out;
}

// One plot a case and quantity, a line a scheme.
void write_plots(const Checks& checks, const std::string& directory) {
  std::map<std::string, LogPlot> plots;
  for (const Checks::OrderSeries& series : checks.orders()) {
    LogPlot& plot = plots[series.case_id + " " + series.quantity];
    plot.title = series.case_id + ": " + series.quantity;
    plot.x_label = "step [s]";
    plot.y_label = "error";
    plot.series.push_back({series.scheme, series.points});
  }
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const auto& [name, plot] : plots) {
    std::string file = name;
    for (char& c : file)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    write_file(directory + "/" + file + ".svg", to_svg(plot));
  }
  fmt::print("{} plots in {}\n", plots.size(), directory);
}

}  // namespace

int verify_command(const VerifyArguments& arguments) {
  require_writable(arguments.json);
  Checks checks(arguments.all);
  int passed = 0, failed = 0, skipped = 0;
  for (const VerifyCase* c : choose(arguments.ids)) {
    const std::size_t first = checks.all().size();
    checks.begin(c->id);
    try {
      c->run(checks);
    } catch (const InputError& error) {
      fmt::print(stderr, "{}: {}\n", c->id, error.what());
      checks.at_most("runs to its end", 1, 0);
    }
    fmt::print("{}  {}\n", c->id, c->title);
    for (std::size_t i = first; i < checks.all().size(); ++i) {
      const Check& check = checks.all()[i];
      if (!check.pass) {
        fmt::print("  SKIP  {:<44} {}\n", check.quantity, check.note);
        ++skipped;
        continue;
      }
      fmt::print("  {}  {:<44} ours {:<20.12g} {} {:<20.12g} tol {:.1e}{}\n", *check.pass ? "pass" : "FAIL",
                 check.quantity, check.value,
                 check.note == "at most" ? "limit " : fmt::format("{:<6}", to_string(check.source)),
                 check.note == "at most" ? check.tolerance : check.reference, check.tolerance,
                 check.note.empty() ? "" : " " + check.note);
      *check.pass ? ++passed : ++failed;
    }
  }
  fmt::print("\n{} passed, {} failed, {} skipped\n", passed, failed, skipped);
  if (!arguments.json.empty()) {
    nlohmann::json table = nlohmann::json::array();
    for (const Check& check : checks.all()) table.push_back(to_json(check));
    write_file(arguments.json, table.dump(2) + "\n");
  }
  if (!arguments.plots.empty()) write_plots(checks, arguments.plots);
  return failed == 0 ? k_done : k_check_failed;
}

}  // namespace delassus::cli
