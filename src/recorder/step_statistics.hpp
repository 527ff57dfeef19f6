// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the steps of a run with a tolerance went: what they are as long as they are for, whose error or contact that was, and in which part
// of the time most of them lie.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "delassus/steppers/report.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class StepStatistics {
 public:
  void add(const System& system, const StepReport& report);

  bool empty() const { return steps_.empty(); }
  long taken() const { return static_cast<long>(steps_.size()); }
  double longest() const { return longest_; }  // [s]
  // How many steps each reason has, and who was behind those of errors and events, names of velocities and of contacts; most first.
  struct Count {
    std::string name;
    long steps = 0;
  };
  std::vector<Count> reasons() const;
  std::vector<Count> names() const;
  // The shortest interval that half of the steps begin in [s].
  struct Interval {
    double begin = 0, end = 0;
  };
  Interval busiest() const;
  const StepReport::Seconds& seconds() const { return seconds_; }

  // "half of the steps begin in t = 0.3 … 0.4 s; 60 % for the error of velocities, 30 % for events, most by 'bob.vx' (40 %)"
  std::string text() const;

 private:
  std::vector<double> steps_;  // where they began [s]
  double longest_ = 0;
  std::map<StepReason, long> reasons_;
  std::map<std::string, long> names_;
  std::map<int, std::string> velocity_names_;  // asked for once
  StepReport::Seconds seconds_;
};

}  // namespace delassus
