// The sizes that a chapter accepts, their layout, and the messages about them.

#include <conflict_free/matrix_references.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "outcome.hpp"
#include "trial_kernels.hpp"

namespace {

using namespace conflict_free;
using Json = nlohmann::json;

/// Runs a chapter of one kernel that works on padded rows, or on square sizes alone.
std::string run_padded(int padding, bool into_padding) {
    MatrixChapter<float> chapter("trial", "Are rows padded?");
    chapter.add({.name = "transposes_pitched",
                 .launch = [=](const Matrices<float>& m) { launch_transposes_pitched(m, into_padding); },
                 .expected = transposed<float>,
                 .row_padding = padding});
    chapter.prepare({5, 3}, 2, 1);
    chapter.choose(0);
    chapter.poison();
    for (int set = 0; set < 2; ++set) chapter.launch(0, set);
    const std::string difference = chapter.verify(0);
    chapter.release();
    return difference;
}

TEST(Chapter, RowsArePaddedAndTheirPaddingIsChecked) {
    EXPECT_EQ(run_padded(4, false), "");
    EXPECT_EQ(run_padded(0, false), "");
    EXPECT_NE(run_padded(4, true).find("the first is element 3: 0"), std::string::npos) << run_padded(4, true);
}

TEST(Chapter, WhereNothingIsTimedALaunchRepeatsItsWorkAtMostTwice) {
    for (const auto& [asked, given] : {std::pair{1, 1}, std::pair{2, 2}, std::pair{100, 2}}) {
        MatrixChapter<float> chapter("trial", "How often?");
        int seen = 0;
        chapter.add({.name = "right",
                     .launch =
                         [&](const Matrices<float>& m) {
                             seen = m.repetitions;
                             launch_right(m);
                         },
                     .expected = copied<float>,
                     .repetitions = asked});
        chapter.sizes({{8, 8}});
        EXPECT_EQ(outcome_of(chapter, {}).exit_code, 0);
        EXPECT_EQ(seen, given);
    }
}

TEST(Chapter, AKernelForSquareSizesIsLeftOutAtOthers) {
    const auto run_at = [](const char* size) {
        MatrixChapter<float> chapter("trial", "Is it square?");
        chapter.add({.name = "right", .launch = launch_right, .expected = copied<float>, .sizes = square_sizes()});
        return outcome_of(chapter, {"--size", size});
    };
    EXPECT_EQ(run_at("8").exit_code, 0);
    const Outcome refused = run_at("8x4");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("square sizes for right"), std::string::npos) << refused.err;
}

TEST(Chapter, AKernelThatLeavesOutAPartSaysWhatItMoves) {
    const std::string path = temporary("moves.json");
    const auto run_at = [&](const std::string& size) {
        MatrixChapter<float> chapter("trial", "How much of it?");
        chapter.add({.name = "right", .launch = launch_right, .expected = copied<float>});
        chapter.add(
            {.name = "part", .launch = launch_right, .expected = copied<float>, .sizes = widths_from(8), .useful_bytes = [](Size all) {
                 return all.count();
             }});
        EXPECT_EQ(outcome_of(chapter, {"--size", size, "--json", path}).exit_code, 0);
        return Json::parse(std::ifstream(path))["rows"];
    };
    const Json both = run_at("8x3");
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0]["bytes"], 2 * 8 * 3 * 4);
    EXPECT_EQ(both[1]["bytes"], 8 * 3);
    EXPECT_EQ(run_at("7x3").size(), 1u);
    std::filesystem::remove(path);
}

TEST(Chapter, AMatrixHasNoMoreRowsThanTheGridCovers) {
    MatrixChapter<float> chapter("trial", "How high may a matrix be?");
    EXPECT_EQ(chapter.size_from("1x2097120").height, 2097120);
    EXPECT_THROW(chapter.size_from("1x2097121"), UsageError);
    chapter.rows_of_smallest_tile(16);
    EXPECT_EQ(chapter.size_from("1x1048560").height, 1048560);
    EXPECT_THROW(chapter.size_from("1x1048561"), UsageError);
}

TEST(Chapter, SizesWhoseTrafficIsReadAreOfTheChapter) {
    const auto run_with = [](std::initializer_list<Size> traffic_sizes, const std::string& json_file) {
        MatrixChapter<float> chapter("trial", "Which traffic?");
        chapter.sizes({{64, 64}, {33, 31}}).gpu_sizes({{128, 64}}).traffic_sizes(traffic_sizes);
        chapter.add({.name = "right", .launch = launch_right, .expected = copied<float>});
        return outcome_of(chapter, {"--json", json_file});
    };
    const std::string path = temporary("traffic.json");
    EXPECT_EQ(run_with({{128, 64}, {33, 31}}, path).exit_code, 0);
    EXPECT_EQ(Json::parse(std::ifstream(path))["traffic_sizes"], Json({"128x64", "33x31"}));
    EXPECT_EQ(run_with({}, path).exit_code, 0);
    EXPECT_FALSE(Json::parse(std::ifstream(path)).contains("traffic_sizes"));
    const Outcome wrong = run_with({{64, 64}, {31, 33}}, path);
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_EQ(wrong.err, "trial: traffic_sizes: got 31x33, accepted: a size that the chapter runs by itself\n");
    std::filesystem::remove(path);
}

}  // namespace
