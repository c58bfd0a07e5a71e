#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "conflict_free/array_chapter.hpp"
#include "conflict_free/error.hpp"
#include "conflict_free/expectation.hpp"
#include "conflict_free/random.hpp"
#include "conflict_free/size.hpp"
#include "conflict_free/sums.hpp"
#include "conflict_free/timing.hpp"
#include "conflict_free/verify.hpp"

namespace conflict_free {
namespace {

TEST(Size, ReadsSquareAndRectangular) {
    EXPECT_EQ(parse_size("2048"), (Size{2048, 2048}));
    EXPECT_EQ(parse_size("33x31"), (Size{33, 31}));
    EXPECT_EQ(to_string(parse_size("1x7")), "1x7");
    EXPECT_EQ(parse_size("2147482624x1"), (Size{2147482624, 1}));
}

TEST(Size, RefusesWhatIsNoSizeAndSaysWhatIs) {
    for (const char* text : {"", "0", "-1", "12a", "a", "3x", "x3", "0x5", "5x0", "1x2x3", "1.5", " 4", "99999999999999999999",
                             "65536x65536", "1x2097121", "46341", "2147482625x1", "2147483647x1"}) {
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

TEST(Expectation, PartitionsAreThoseOfAMeanStepAndNoneWhereTheyAreNotWatched) {
    simt::LaunchCounts counts;
    EXPECT_TRUE((partitions_per_step.store == 0).holds(partitions_per_step.store.value(counts)));
    counts.partitions.emplace();
    counts.partitions->load.steps = {0, 0, 0, 5};
    counts.partitions->store.steps = {3, 1};
    EXPECT_EQ(partitions_per_step.load.value(counts), 4);
    EXPECT_EQ(partitions_per_step.store.value(counts), 1.25);
    EXPECT_EQ((partitions_per_step.store < 2).text, "partitions_per_step.store < 2");
}

TEST(Size, ReadsLengths) {
    EXPECT_EQ(parse_length("1000", 1), (Size{1000, 1}));
    EXPECT_EQ(parse_length("1000x1", 1), (Size{1000, 1}));
    EXPECT_EQ(parse_length("0", 0), (Size{0, 1}));
    EXPECT_EQ(parse_length("0x1", 0), (Size{0, 1}));
    EXPECT_EQ(parse_length("2147482624", 0), (Size{2147482624, 1}));
    for (const char* text : {"", "x1", "-1", "1000x2", "1000x1x1", "many", "1.5", "2147482625", "99999999999", "0"}) {
        try {
            parse_length(text, 1);
            ADD_FAILURE() << "accepted '" << text << "'";
        } catch (const UsageError& error) {
            EXPECT_STREQ(error.what(),
                         ("--size: got '" + std::string(text) + "', accepted: N, a whole number from 1 to 2147482624").c_str());
        }
    }
}

TEST(Random, IsReproducibleAndNeverConstant) {
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

TEST(Random, IntegersNeverEqualThePoison) {
    std::vector<int> values(100000);
    fill_random(values, 3);
    for (const int value : values) {
        ASSERT_GE(value, -(1 << 30));
        ASSERT_LT(value, 1 << 30);
    }
}

TEST(Random, UnsignedIntegersUseAllBits) {
    std::vector<unsigned> values(1000);
    fill_random(values, 4);
    unsigned some = 0, all = ~0u;
    for (const unsigned value : values) {
        some |= value;
        all &= value;
    }
    EXPECT_EQ(some, ~0u);
    EXPECT_EQ(all, 0u);
}

TEST(Sums, IntegersAreComparedExactlyAndWrapAround) {
    std::vector<unsigned> numbers(70);
    fill_random(numbers, 6);
    std::vector<unsigned> sums(3);
    for (std::size_t i = 0; i < numbers.size(); ++i) sums[i / 32] += numbers[i];
    EXPECT_EQ(check_block_sums(numbers, sums, 32), "");
    ++sums[2];
    const std::string wrong = check_block_sums(numbers, sums, 32);
    EXPECT_EQ(wrong, "the sum of block 2 of 3 is " + std::to_string(sums[2]) + ", expected " + std::to_string(sums[2] - 1));
    EXPECT_EQ(check_block_sums(std::vector<unsigned>{}, std::vector<unsigned>{0}, 32), "");
    EXPECT_NE(check_block_sums(std::vector<unsigned>{}, std::vector<unsigned>{1}, 32), "");
}

TEST(Sums, TheBoundIsTheDerivedOne) {
    const double u = std::numeric_limits<float>::epsilon() / 2;
    EXPECT_EQ(summation_bound(0, 5), 0);
    EXPECT_EQ(summation_bound(1, 1), u / (1 - u));
    EXPECT_EQ(summation_bound(8, 256), 8 * u / (1 - 8 * u) * 256);
}

TEST(Sums, FloatsMayRoundAndMayNotLoseANumber) {
    std::vector<float> numbers(256);
    fill_random(numbers, 7);
    // A tree of pairs: eight additions for each number.
    std::vector<float> tree = numbers;
    for (std::size_t half = 128; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) tree[i] += tree[i + half];
    double exact = 0, magnitudes = 0;
    for (const float number : numbers) {
        exact += number;
        magnitudes += std::abs(number);
    }
    const auto check = [&](double sum) { return check_block_sums(numbers, std::vector<float>{static_cast<float>(sum)}, 256, 8); };
    EXPECT_NE(tree[0], exact) << "this input does not show any rounding";
    EXPECT_EQ(check(tree[0]), "");
    EXPECT_EQ(check(exact + 0.9 * summation_bound(8, magnitudes)), "");
    EXPECT_NE(check(exact + 1.1 * summation_bound(8, magnitudes)), "");
    EXPECT_NE(check(exact - 1.1 * summation_bound(8, magnitudes)), "");
    EXPECT_NE(check(NAN), "");
    EXPECT_NE(check(0), "");
    for (const float number : numbers) {
        if (std::abs(number) < 2 * summation_bound(8, magnitudes)) continue;
        EXPECT_NE(check(tree[0] - number), "") << "lost " << number;
        EXPECT_NE(check(tree[0] + number), "") << "added twice " << number;
    }
}

TEST(Expectation, CountsByTheBlockOfAllLaunches) {
    simt::LaunchCounts counts;
    counts.blocks = 3;
    counts.shared_store = {.instructions = 4, .wavefronts = 12, .ideal_wavefronts = 6};
    simt::LaunchCounts more = counts;
    more.blocks = 1;
    counts += more;
    EXPECT_EQ(counts.launches, 2u);
    const Expectation expectation = shared_store.conflicts_per_block == 3;
    EXPECT_EQ(expectation.text, "shared_store.conflicts_per_block == 3");
    EXPECT_TRUE(expectation.holds(expectation.metric.value(counts)));
    EXPECT_EQ(shared_store.wavefronts_per_block.value(counts), 6);
}

TEST(Timing, PowerIsThatOfThisMomentOrElseOfTheLastSecond) {
    // Opened by NVML's file name, so that the harness finds this library.
    void* const nvml = dlopen(PRETEND_NVML, RTLD_NOW);
    ASSERT_NE(nvml, nullptr) << dlerror();
    int launches = 0;
    const auto watts = [&] { return measure_watts([&] { ++launches; }, 100); };
    EXPECT_EQ(watts(), 650.5);
    EXPECT_GT(launches, 100);
    *static_cast<int*>(dlsym(nvml, "status_of_this_moment")) = 3;
    EXPECT_EQ(watts(), 300.25);
}

TEST(Verify, PartsCoverEverythingOnce) {
    for (const std::size_t least_part : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        std::vector<std::atomic<int>> seen(100);
        parallel_for(
            seen.size(),
            [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) ++seen[i];
            },
            least_part);
        for (const auto& times : seen) EXPECT_EQ(times, 1);
    }
}

TEST(Verify, NamesTheFirstDifference) {
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

TEST(Expectation, SaysWhatItWantsAndJudges) {
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
