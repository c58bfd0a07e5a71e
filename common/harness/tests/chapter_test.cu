// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A chapter program of right and wrong kernels, run as a user would run it.

#include <conflict_free/error.hpp>
#include <conflict_free/matrix_chapter.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "outcome.hpp"

namespace {

using namespace conflict_free;
using Json = nlohmann::json;

__global__ void right(float* output, const float* input, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i];
}

__global__ void leaves_last(float* output, const float* input, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) output[i] = input[i];
}

__global__ void transposes_pitched(float* output, const float* input, int width, int height, int padding, int into_padding)
{
    for (int i = threadIdx.x; i < width * height; i += blockDim.x)
        output[i % width * (height + padding) + i / width] = input[i / width * (width + padding) + i % width];
    if (into_padding && threadIdx.x == 0) output[height] = 0;
}

__global__ void loads_wide_one_late(float* output, const float* input, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 8) reinterpret_cast<float4*>(output)[i] = *reinterpret_cast<const float4*>(input + 4 * i + 1);
}
constexpr int line_of_wide_load = __LINE__ - 2;

// It spoils its input, too.
__global__ void stores_far_away(float* output, float* input, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) input[i] = 0;
    if (i < n) output[i + (std::size_t{1} << 30)] = 0;
}
constexpr int line_of_far_store = __LINE__ - 2;

float copied(const float* input, Size, std::size_t index) { return input[index]; }

template <auto kernel>
void launch(const Matrices<float>& m)
{
    int n = m.width * m.height;
    kernel<<<(n + 127) / 128, 128>>>(m.output, m.input, n);
}

void launch_large_blocks(const Matrices<float>& m)
{
    int n = m.width * m.height;
    right<<<(n + 1023) / 1024, 1024>>>(m.output, m.input, n);
}

void launch_far_away(const Matrices<float>& m) { stores_far_away<<<1, 128>>>(m.output, const_cast<float*>(m.input), m.width * m.height); }

void launch_too_large_blocks(const Matrices<float>& m) { right<<<1, 2048>>>(m.output, m.input, m.width * m.height); }

/// As a program launches that looks at once whether a launch has failed.
void launch_and_check(const Matrices<float>& m)
{
    launch<loads_wide_one_late>(m);
    CUDA_CHECK(cudaGetLastError());
}

Outcome run(std::vector<std::string> arguments)
{
    MatrixChapter<float> chapter("trial", "Does the harness tell right from wrong?");
    chapter.sizes({{64, 64}, {33, 31}}).whole_tiles(32);
    chapter.add_baseline({.name = "library",
                          .launch =
                              [](const Matrices<float>& m) {
                                  const std::size_t bytes = sizeof(float) * m.width * m.height;
                                  CUDA_CHECK(cudaMemcpyAsync(m.output, m.input, bytes, cudaMemcpyDeviceToDevice));
                              },
                          .expected = copied,
                          .library = Library{"CUDA", "1.2"}});
    chapter.add({.name = "right", .launch = launch<right>, .expected = copied, .expect = {global_load.sectors_per_request == 4}});
    chapter.add({.name = "leaves_last", .launch = launch<leaves_last>, .expected = copied});
    chapter.add(
        {.name = "expects_too_much", .launch = launch<right>, .expected = copied, .expect = {global_store.sectors_per_request == 3}});
    chapter.add({.name = "large_blocks",
                 .launch = launch_large_blocks,
                 .expected = copied,
                 .expect = {global_load.requests_per_block == 32},
                 .left_out_on = {"gt200"}});

    return outcome_of(chapter, std::move(arguments));
}

std::string temporary(const char* name)
{
    const auto folder = std::filesystem::temp_directory_path() / ("conflict_free_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

bool one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

TEST(Chapter, ARightKernelPasses)
{
    const Outcome outcome = run({"--kernel", "right", "--kernel", "library"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("4 results checked, 1 expectations judged: all right"), std::string::npos) << outcome.out;
}

TEST(Chapter, AnElementLeftUnwrittenIsFoundAfterARightKernelRan)
{
    const Outcome outcome = run({"--kernel", "right", "--kernel", "leaves_last", "--size", "33x31"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("leaves_last at 33x31: 1 of 1023 elements differ; the first is element 1022"), std::string::npos)
        << outcome.err;
}

/// Runs a kernel that is stopped at two sizes, each time before one that is right.
Outcome run_stopped(MatrixChapter<float>::LaunchFunction stopped, const std::string& json_file)
{
    MatrixChapter<float> chapter("trial", "What does a kernel leave behind that was stopped?");
    chapter.sizes({{64, 64}, {32, 64}});
    chapter.add({.name = "stopped", .launch = std::move(stopped), .expected = copied, .expect = {global_load.sectors_per_request == 4}});
    chapter.add({.name = "right", .launch = launch<right>, .expected = copied, .expect = {global_load.sectors_per_request == 4}});
    return outcome_of(chapter, {"--json", json_file});
}

std::size_t free_bytes()
{
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

TEST(Chapter, AKernelThatIsStoppedIsReportedAndTheNextRuns)
{
    const std::string path = temporary("stopped.json"), here = "chapter_test.cu:";
    const std::string misaligned = "misaligned at " + here + std::to_string(line_of_wide_load) + ": ";
    const std::string outside = "out_of_bounds at " + here + std::to_string(line_of_far_store) + ": ";
    const std::vector<std::pair<MatrixChapter<float>::LaunchFunction, std::string>> cases = {
        {launch<loads_wide_one_late>, misaligned},
        {launch_and_check, misaligned},
        {launch_far_away, outside},
        {launch_too_large_blocks, "kernel right was not launched: "},
    };
    for (const auto& [stopped, reported] : cases) {
        const std::size_t free_before = free_bytes();
        const Outcome outcome = run_stopped(stopped, path);
        EXPECT_EQ(outcome.exit_code, 1) << reported;
        for (const char* size : {"64x64", "32x64"}) {
            const std::string where = std::string("stopped at ") + size + ": ";
            EXPECT_NE(outcome.err.find("hazard: " + where + reported), std::string::npos) << outcome.err;
            EXPECT_NE(outcome.err.find("check failed: " + where + "the kernel was stopped"), std::string::npos) << outcome.err;
        }
        EXPECT_EQ(outcome.err.find(": right at "), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.out.find("4 results checked, 2 expectations judged: FAILED"), std::string::npos) << outcome.out;
        EXPECT_EQ(free_bytes(), free_before) << reported;

        const Json rows = Json::parse(std::ifstream(path))["rows"];
        ASSERT_EQ(rows.size(), 4u);
        EXPECT_EQ(rows[0]["check"]["passed"], false);
        EXPECT_NE(rows[0]["check"]["message"].get<std::string>().find(reported), std::string::npos) << rows[0]["check"];
        EXPECT_TRUE(rows[0]["counts"].is_null()) << "the counts of a part of a kernel";
        EXPECT_EQ(rows[1]["check"]["passed"], true);
        EXPECT_EQ(rows[3]["check"]["passed"], true);
        std::filesystem::remove(path);
    }
}

TEST(Chapter, AFailedCallThatNoHazardExplainsEndsTheProgram)
{
    const std::string path = temporary("failed.json");
    const auto copies_to_nowhere = [](const Matrices<float>& m) { CUDA_CHECK(cudaMemcpy(nullptr, m.input, 4, cudaMemcpyDeviceToDevice)); };
    const Outcome outcome = run_stopped(copies_to_nowhere, path);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("invalid argument"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Chapter, AnUnmetExpectationFailsAtWholeTilesOnly)
{
    EXPECT_EQ(run({"--kernel", "expects_too_much", "--size", "33x31"}).exit_code, 0);
    const Outcome outcome = run({"--kernel", "expects_too_much"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("expects_too_much at 64x64: global_store.sectors_per_request == 3, but it is 4"), std::string::npos);
}

TEST(Chapter, AKernelIsLeftOutOnAMachineThatCannotRunIt)
{
    EXPECT_EQ(run({"--kernel", "large_blocks"}).exit_code, 0);
    const Outcome with_another = run({"--kernel", "right", "--kernel", "large_blocks", "--machine", "gt200"});
    EXPECT_EQ(with_another.exit_code, 0) << with_another.err;
    EXPECT_EQ(with_another.out.find("large_blocks"), std::string::npos) << with_another.out;
    const Outcome alone = run({"--kernel", "large_blocks", "--machine", "gt200"});
    EXPECT_EQ(alone.exit_code, 2);
    EXPECT_TRUE(one_line(alone.err)) << alone.err;
    EXPECT_NE(alone.err.find("--machine: got 'gt200', accepted: "), std::string::npos) << alone.err;
    run({"--kernel", "right", "--machine", "sm_90"});
}

TEST(Chapter, AnOlderGpuThanItNeedsIsUnsuitable)
{
    MatrixChapter<float> chapter("pieces", "Which pieces?");
    EXPECT_EQ(chapter.unsuitable("3.0"), "");
    chapter.least_compute_capability(9, 0, "pieces are new");
    EXPECT_EQ(chapter.unsuitable("8.9"), "compute capability 8.9, accepted: 9.0 or later, because pieces are new");
    EXPECT_EQ(chapter.unsuitable("9.0"), "");
    EXPECT_EQ(chapter.unsuitable("12.1"), "");
}

TEST(Chapter, RequestsAreCountedByTheBlock)
{
    const std::string path = temporary("requests.json");
    EXPECT_EQ(run({"--kernel", "large_blocks", "--size", "64", "--json", path}).exit_code, 0);
    const Json expectation = Json::parse(std::ifstream(path))["rows"][0]["expectations"][0];
    EXPECT_EQ(expectation["text"], "global_load.requests_per_block == 32");
    EXPECT_EQ(expectation["seen"], 32);
    std::filesystem::remove(path);
}

TEST(Chapter, JsonSaysWhoseCallARowIs)
{
    const std::string path = temporary("library.json");
    EXPECT_EQ(run({"--kernel", "library", "--kernel", "right", "--size", "64", "--json", path}).exit_code, 0);
    const Json rows = Json::parse(std::ifstream(path))["rows"];
    EXPECT_EQ(rows[0]["library"], (Json{{"name", "CUDA"}, {"version", "1.2"}}));
    EXPECT_FALSE(rows[1].contains("library"));
    std::filesystem::remove(path);
}

float transposed(const float* input, Size size, std::size_t index) { return input[index % size.height * size.width + index / size.height]; }

/// Runs a chapter of one kernel that works on padded rows, or on square sizes alone.
std::string run_padded(int padding, bool into_padding)
{
    MatrixChapter<float> chapter("trial", "Are rows padded?");
    chapter.add({.name = "transposes_pitched",
                 .launch =
                     [=](const Matrices<float>& m) {
                         transposes_pitched<<<1, 64>>>(m.output, m.input, m.width, m.height, m.row_padding, into_padding);
                     },
                 .expected = transposed,
                 .row_padding = padding});
    chapter.prepare({5, 3}, 2, 1);
    chapter.choose(0);
    chapter.poison();
    for (int set = 0; set < 2; ++set) chapter.launch(0, set);
    const std::string difference = chapter.verify(0);
    chapter.release();
    return difference;
}

TEST(Chapter, RowsArePaddedAndTheirPaddingIsChecked)
{
    EXPECT_EQ(run_padded(4, false), "");
    EXPECT_EQ(run_padded(0, false), "");
    EXPECT_NE(run_padded(4, true).find("the first is element 3: 0"), std::string::npos) << run_padded(4, true);
}

TEST(Chapter, WhereNothingIsTimedALaunchRepeatsItsWorkAtMostTwice)
{
    for (const auto& [asked, given] : {std::pair{1, 1}, std::pair{2, 2}, std::pair{100, 2}}) {
        MatrixChapter<float> chapter("trial", "How often?");
        int seen = 0;
        chapter.add({.name = "right",
                     .launch =
                         [&](const Matrices<float>& m) {
                             seen = m.repetitions;
                             launch<right>(m);
                         },
                     .expected = copied,
                     .repetitions = asked});
        chapter.sizes({{8, 8}});
        EXPECT_EQ(outcome_of(chapter, {}).exit_code, 0);
        EXPECT_EQ(seen, given);
    }
}

TEST(Chapter, AKernelForSquareSizesIsLeftOutAtOthers)
{
    const auto run_at = [](const char* size) {
        MatrixChapter<float> chapter("trial", "Is it square?");
        chapter.add({.name = "right", .launch = launch<right>, .expected = copied, .sizes = square_sizes()});
        return outcome_of(chapter, {"--size", size});
    };
    EXPECT_EQ(run_at("8").exit_code, 0);
    const Outcome refused = run_at("8x4");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("square sizes for right"), std::string::npos) << refused.err;
}

TEST(Chapter, AKernelThatLeavesOutAPartSaysWhatItMoves)
{
    const std::string path = temporary("moves.json");
    const auto run_at = [&](const std::string& size) {
        MatrixChapter<float> chapter("trial", "How much of it?");
        chapter.add({.name = "right", .launch = launch<right>, .expected = copied});
        chapter.add({.name = "part", .launch = launch<right>, .expected = copied, .sizes = widths_from(8), .useful_bytes = [](Size all) {
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

TEST(Chapter, ListNamesTheKernels) { EXPECT_EQ(run({"--list"}).out, "library\nright\nleaves_last\nexpects_too_much\nlarge_blocks\n"); }

TEST(Chapter, HelpNamesEveryOption)
{
    const Outcome outcome = run({"--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* option : {"--list", "--kernel", "--size", "--samples", "--machine", "--json", "--no-timing", "--seed"})
        EXPECT_NE(outcome.out.find(option), std::string::npos) << option;
}

TEST(Chapter, BadArgumentsExitWithTwoAndOneLineThatNamesThem)
{
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"--size", "0"}, "--size"},
        {{"--size", "-4"}, "--size"},
        {{"--size", "99999999"}, "--size"},
        {{"--size", "many"}, "--size"},
        {{"--size"}, "--size"},
        {{"--kernel", "wrong"}, "wrong"},
        {{"--samples", "0"}, "--samples"},
        {{"--samples", "x"}, "--samples"},
        {{"--machine", "sm_1"}, "sm_1"},
        {{"--json", "/no/such/folder/f"}, "/no/such/folder/f"},
        {{"--json", "/"}, "--json"},
        {{"--colour"}, "--colour"},
        {{"stray"}, "stray"},
        {{"--seed", "-1"}, "--seed"},
        {{"--json", ""}, "--json"},
    };
    for (const auto& [arguments, named] : cases) {
        const Outcome outcome = run(arguments);
        const std::string given = testing::PrintToString(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << given;
        EXPECT_TRUE(one_line(outcome.err)) << given << ": " << outcome.err;
        EXPECT_NE(outcome.err.find(named), std::string::npos) << given << ": " << outcome.err;
        EXPECT_NE(outcome.err.find("accepted"), std::string::npos) << given << ": " << outcome.err;
        EXPECT_EQ(outcome.out, "") << given;
    }
}

TEST(Chapter, AMatrixHasNoMoreRowsThanTheGridCovers)
{
    MatrixChapter<float> chapter("trial", "How high may a matrix be?");
    EXPECT_EQ(chapter.size_from("1x2097120").height, 2097120);
    EXPECT_THROW(chapter.size_from("1x2097121"), UsageError);
    chapter.rows_of_smallest_tile(16);
    EXPECT_EQ(chapter.size_from("1x1048560").height, 1048560);
    EXPECT_THROW(chapter.size_from("1x1048561"), UsageError);
}

TEST(Chapter, SizesWhoseTrafficIsReadAreOfTheChapter)
{
    const auto run_with = [](std::initializer_list<Size> traffic_sizes, const std::string& json_file) {
        MatrixChapter<float> chapter("trial", "Which traffic?");
        chapter.sizes({{64, 64}, {33, 31}}).gpu_sizes({{128, 64}}).traffic_sizes(traffic_sizes);
        chapter.add({.name = "right", .launch = launch<right>, .expected = copied});
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

TEST(Chapter, JsonHoldsEveryRow)
{
    const std::string path = temporary("rows.json");
    EXPECT_EQ(run({"--json", path}).exit_code, 1);
    const Json json = Json::parse(std::ifstream(path));
    EXPECT_EQ(json["slug"], "trial");
    EXPECT_EQ(json["build"], "model");
    EXPECT_EQ(json["machine"], "sm_90");
    ASSERT_EQ(json["rows"].size(), 10u);
    const Json& row = json["rows"][1];
    EXPECT_EQ(row["kernel"], "right");
    EXPECT_EQ(row["size"], "64x64");
    EXPECT_EQ(row["bytes"], 2 * 64 * 64 * 4);
    EXPECT_EQ(row["check"]["passed"], true);
    EXPECT_EQ(row["counts"]["global_load"]["requests"], 128);
    EXPECT_EQ(row["expectations"][0]["text"], "global_load.sectors_per_request == 4");
    EXPECT_TRUE(row["time"].is_null());
    EXPECT_TRUE(json["rows"][0]["counts"].is_null());
    EXPECT_EQ(json["rows"][2]["check"]["passed"], false);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {}), 1)
        << "a partial file is left";
    std::filesystem::remove(path);
}

TEST(Chapter, ABadArgumentLeavesAnOldJsonAlone)
{
    const std::string path = temporary("old.json");
    std::ofstream(path) << "old";
    EXPECT_EQ(run({"--json", path, "--size", "0"}).exit_code, 2);
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "old");
    std::filesystem::remove(path);
}

TEST(Chapter, TheSeedChangesTheDataAndNotTheCounts)
{
    const Outcome one = run({"--kernel", "right", "--seed", "1"}), two = run({"--kernel", "right", "--seed", "2"});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_EQ(one.out, two.out);
}

}  // namespace
