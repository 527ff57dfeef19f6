// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Every case of `delassus verify`, so that the tests fail where the program would.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "apps/cli/verify/checks.hpp"

namespace delassus::cli::verify_test {
namespace {

class Verify : public ::testing::TestWithParam<VerifyCase> {
 protected:
  // Reference files beside the checkout, unless the environment says otherwise; without them their checks are skipped.
  static void SetUpTestSuite() { setenv("DELASSUS_SHARED_DATA_DIR", DELASSUS_SHARED_DATA_DIR, 0); }
};

TEST_P(Verify, AllChecksPass) {
#ifdef __SANITIZE_ADDRESS__
  // Long integrations of code that shorter tests run as well.
  if (std::set<std::string>{"V4", "V5", "V6", "V7"}.contains(GetParam().id))
    GTEST_SKIP() << "too long under the sanitizers";
#endif
  Checks checks(false);
  checks.begin(GetParam().id);
  GetParam().run(checks);
  int compared = 0;
  for (const Check& check : checks.all()) {
    if (!check.pass) continue;
    ++compared;
    EXPECT_TRUE(*check.pass) << check.quantity << ": ours " << check.value << ", reference "
                             << check.reference << ", tolerance " << check.tolerance;
  }
  if (compared == 0 && !checks.all().empty()) GTEST_SKIP() << "long: only with --all";
  EXPECT_GT(compared, 3);
}

INSTANTIATE_TEST_SUITE_P(Cases, Verify, ::testing::ValuesIn(verify_cases()),
                         [](const ::testing::TestParamInfo<VerifyCase>& c) { return c.param.id; });

// A check must be able to fail.
TEST(Checks, JudgesBothWays) {
  Checks checks(false);
  checks.near("right", 1.0 + 1e-9, 1.0, Source::exact, 1e-6);
  checks.near("wrong", 1.0 + 1e-3, 1.0, Source::exact, 1e-6);
  checks.near("not a number", NAN, 1.0, Source::exact, 1e-6);
  checks.at_most("too much", 2, 1);
  checks.between("outside", 3, 1, 2);
  checks.within("inside", 1.5, 1, Source::paper, 1);
  checks.skip("nothing", "no data");
  const auto& all = checks.all();
  EXPECT_TRUE(*all[0].pass);
  for (int i = 1; i < 5; ++i) EXPECT_FALSE(*all[i].pass) << all[i].quantity;
  EXPECT_TRUE(*all[5].pass);
  EXPECT_FALSE(all[6].pass.has_value());
}

}  // namespace
}  // namespace delassus::cli::verify_test
