// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Small surfaces and random points for tests of shapes.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "delassus/base/error.hpp"
#include "delassus/model/shape.hpp"

namespace delassus::testing {

// The twelve triangles of a box about the origin.
inline Surface box_surface(const Vector3& size) {
  Surface out;
  for (int i = 0; i < 8; ++i)
    out.vertices.emplace_back(0.5 *
                              size.cwiseProduct(Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  out.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return out;
}

inline Shape surface_shape(ShapeKind kind, Surface surface) {
  return {.kind = kind, .surface = std::make_shared<const Surface>(std::move(surface))};
}

inline Shape hull_shape(std::vector<Vector3> points) {
  return surface_shape(ShapeKind::hull, {.vertices = std::move(points)});
}

class RandomVectors {
 public:
  explicit RandomVectors(unsigned long seed) : random_(seed) {}
  Vector3 normal() {
    const double x = normal_(random_), y = normal_(random_), z = normal_(random_);
    return {x, y, z};
  }
  Vector3 direction() { return normal().normalized(); }
  std::vector<Vector3> directions(int n) {
    std::vector<Vector3> out(n);
    for (Vector3& d : out) d = direction();
    return out;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

// The message of the InputError that `action` throws; it must name all `words`.
template <typename Action>
void expect_refused(const Action& action, const std::vector<std::string>& words) {
  try {
    action();
    ADD_FAILURE() << "not refused; expected '" << words[0] << "'";
  } catch (const InputError& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << error.what() << "\nlacks " << word;
  }
}

}  // namespace delassus::testing
