// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Handles: things of a system by number. They are found by name once and cost nothing afterwards; they hold for every
// simulation of the same scene.
#pragma once
namespace delassus {

class BodyHandle {
 public:
  explicit constexpr BodyHandle(int index) : index_(index) {}
  constexpr int index() const { return index_; }  // of System::body_name; −1: the world
  constexpr bool is_world() const { return index_ < 0; }
  bool operator==(const BodyHandle&) const = default;

 private:
  int index_;
};
inline constexpr BodyHandle k_world_body{-1};

// A joint or a measure: where its coordinates and its reaction stand.
class JointHandle {
 public:
  constexpr JointHandle(int reaction, int first_coordinate, int num_coordinates)
      : reaction_(reaction), first_coordinate_(first_coordinate), num_coordinates_(num_coordinates) {}
  constexpr int reaction() const { return reaction_; }  // of System::reaction_name; −1: a measure has none
  constexpr int first_coordinate() const { return first_coordinate_; }  // of System::joint_coordinate_name
  constexpr int num_coordinates() const { return num_coordinates_; }
  bool operator==(const JointHandle&) const = default;

 private:
  int reaction_, first_coordinate_, num_coordinates_;
};

// An input of the system (System::signal_name).
class SignalHandle {
 public:
  explicit constexpr SignalHandle(int index) : index_(index) {}
  constexpr int index() const { return index_; }
  bool operator==(const SignalHandle&) const = default;

 private:
  int index_;
};

}  // namespace delassus
