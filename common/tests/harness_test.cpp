// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "conflict_free/error.hpp"
#include "conflict_free/expectation.hpp"
#include "conflict_free/random.hpp"
#include "conflict_free/size.hpp"
#include "conflict_free/verify.hpp"

namespace conflict_free {
namespace {

TEST(Size, ReadsSquareAndRectangular)
{
    EXPECT_EQ(parse_size("2048"), (Size{2048, 2048}));
    EXPECT_EQ(parse_size("33x31"), (Size{33, 31}));
    EXPECT_EQ(to_string(parse_size("1x7")), "1x7");
}

TEST(Size, RefusesWhatIsNoSizeAndSaysWhatIs)
{
    for (const char* text : {"", "0", "-1", "12a", "a", "3x", "x3", "0x5", "5x0", "1x2x3", "1.5", " 4", "99999999999999999999", "65536x65536",
                             "1x2097121", "46341"}) {
        try {
            parse_size(text);
            ADD_FAILURE() << "accepted '" << text << "'";
        } catch (const UsageError& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find("--size"), std::string::npos);
            EXPECT_NE(message.find("'" + std::string(text) + "'"), std::string::npos) << message;
            EXPECT_NE(message.find("accepted"), std::string::npos) << message;
        }
    }
}

TEST(Expectation, PartitionsAreThoseOfAMeanStepAndNoneWhereTheyAreNotWatched)
{
    simt::LaunchCounts counts;
    EXPECT_TRUE((partitions_per_step.store == 0).holds(partitions_per_step.store.value(counts)));
    counts.partitions.emplace();
    counts.partitions->load.steps = {0, 0, 0, 5};
    counts.partitions->store.steps = {3, 1};
    EXPECT_EQ(partitions_per_step.load.value(counts), 4);
    EXPECT_EQ(partitions_per_step.store.value(counts), 1.25);
    EXPECT_EQ((partitions_per_step.store < 2).text, "partitions_per_step.store < 2");
}

TEST(Random, IsReproducibleAndNeverConstant)
{
    std::vector<float> a(100000), b(100000), c(100000);
    fill_random(a, 1);
    fill_random(b, 1);
    fill_random(c, 2);
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
    EXPECT_GT(std::set<float>(a.begin(), a.end()).size(), 99000u);
    double sum = 0;
    for (const float value : a) {
        ASSERT_GE(value, -1.0f);
        ASSERT_LT(value, 1.0f);
        sum += value;
    }
    EXPECT_LT(std::abs(sum / 100000), 0.01);
}

TEST(Random, IntegersNeverEqualThePoison)
{
    std::vector<int> values(100000);
    fill_random(values, 3);
    for (const int value : values) {
        ASSERT_GE(value, -(1 << 30));
        ASSERT_LT(value, 1 << 30);
    }
}

TEST(Verify, NamesTheFirstDifference)
{
    std::vector<float> values(1000000);
    fill_random(values, 5);
    const std::vector<float> wanted = values;
    const auto expected = [&](std::size_t i) { return wanted[i]; };
    EXPECT_EQ(compare_elements<float>(values, expected), "");
    values[654321] += 1;
    values[999999] = NAN;
    const std::string difference = compare_elements<float>(values, expected);
    EXPECT_NE(difference.find("2 of 1000000 elements differ; the first is element 654321"), std::string::npos) << difference;
}

TEST(Expectation, SaysWhatItWantsAndJudges)
{
    simt::LaunchCounts counts;
    counts.global_store = {.requests = 10, .sectors = 320, .ideal_sectors = 40, .bytes = 1280};
    counts.shared_load = {.instructions = 4, .wavefronts = 9, .ideal_wavefronts = 4};
    const Expectation met = global_store.sectors_per_request == 32;
    EXPECT_EQ(met.text, "global_store.sectors_per_request == 32");
    EXPECT_TRUE(met.holds(met.metric.value(counts)));
    const Expectation unmet = shared_load.conflicts == 0;
    EXPECT_EQ(unmet.metric.value(counts), 5);
    EXPECT_FALSE(unmet.holds(5));
    EXPECT_TRUE((global_store.sectors_over_ideal >= 8).holds(8));
    EXPECT_FALSE((global_store.sectors_over_ideal < 8).holds(8));
}

}  // namespace
}  // namespace conflict_free
