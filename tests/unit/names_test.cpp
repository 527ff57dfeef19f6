// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/base/names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace delassus::names_test {
namespace {

const std::vector<std::string> k_known = {"stiffness", "damping", "mass", "Mass2", "mu", "φ_dot"};

TEST(NearestName, FindsMisspellings) {
  EXPECT_EQ(nearest_name("stifness", k_known), "stiffness");
  EXPECT_EQ(nearest_name("dampign", k_known), "damping");  // a swap counts once
  EXPECT_EQ(nearest_name("stiffness", k_known), "stiffness");
  EXPECT_EQ(nearest_name("masss", k_known), "mass");
}

TEST(NearestName, EmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("gravity", k_known), "");
  EXPECT_EQ(nearest_name("", k_known), "");
  EXPECT_EQ(nearest_name("mass", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'm'), k_known), "");
}

TEST(NearestName, LimitIsTwoOrAThirdOfTheLength) {
  const std::vector<std::string> known = {"abcdef", "abcdefghijkl"};
  EXPECT_EQ(nearest_name("abcdXY", known), "abcdef");
  EXPECT_EQ(nearest_name("abcXYZ", known), "");
  EXPECT_EQ(nearest_name("WXYZefghijkl", known), "abcdefghijkl");
  EXPECT_EQ(nearest_name("VWXYZfghijkl", known), "");
}

TEST(NearestName, ShortNamesNeedSomethingInCommon) {
  const std::vector<std::string> known = {"t", "x", "v1"};
  EXPECT_EQ(nearest_name("q", known), "");
  EXPECT_EQ(nearest_name("v", known), "v1");
  EXPECT_EQ(nearest_name("X", known), "x");
}

TEST(NearestName, CaseDecidesOnlyAmongEquals) {
  const std::vector<std::string> known = {"RADIUS", "radius", "Radios"};
  EXPECT_EQ(nearest_name("radiu", known), "radius");
  EXPECT_EQ(nearest_name("RADIU", known), "RADIUS");
  EXPECT_EQ(nearest_name("rADIOS", known), "Radios");
}

TEST(NearestName, CountsCharactersNotBytes) {
  EXPECT_EQ(nearest_name("ψ_dot", k_known), "φ_dot");
  EXPECT_EQ(nearest_name("φdot", k_known), "φ_dot");
}

TEST(NearestName, FirstOfEquals) {
  const std::vector<std::string> known = {"x1", "x2"};
  EXPECT_EQ(nearest_name("x3", known), "x1");
}

}  // namespace
}  // namespace delassus::names_test
