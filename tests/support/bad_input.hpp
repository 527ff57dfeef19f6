// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenes with a mistake, and what the program must say about them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace delassus::testing {

// The text with one piece replaced.
inline std::string with(const std::string& text, const std::string& piece, const std::string& other) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return at == std::string::npos ? text : std::string(text).replace(at, piece.size(), other);
}

struct Mistake {
  const char* name;  // of the test
  std::string scene;
  std::string place;               // "line:column"
  std::vector<std::string> words;  // that the message must have
};

inline void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

inline std::string name_of(const ::testing::TestParamInfo<Mistake>& mistake) {
  return mistake.param.name;
}

class BadInputTest : public ProgramTest {
 protected:
  // Runs and expects status 2, the message and a directory as before.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& begin,
                      const std::vector<std::string>& words) {
    const std::vector<std::string> before = entries();
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_TRUE(result.err.starts_with(begin)) << "wanted: " << begin << "\ngot: " << result.err;
    for (const std::string& word : words)
      EXPECT_NE(result.err.find(word), std::string::npos) << "wanted: " << word << "\ngot: " << result.err;
    EXPECT_TRUE(result.err.ends_with("\n"));
    EXPECT_LT(result.err.size(), 1000u);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err.find("internal error"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(entries(), before);
  }
};

class BadSceneTest : public BadInputTest, public ::testing::WithParamInterface<Mistake> {
 protected:
  // By a run and by a check.
  void expect_scene_refused(const Mistake& mistake) {
    write("scene.yaml", mistake.scene);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"run", "scene.yaml", "--out", "result"}, {"check", "scene.yaml"}})
      expect_refused(arguments, "scene.yaml:" + mistake.place + ": ", mistake.words);
  }
};

}  // namespace delassus::testing
