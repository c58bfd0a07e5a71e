// A chapter program of right and wrong kernels, run as a user would run it.

#include <conflict_free/error.hpp>
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

/// Launches, and checks at once whether the launch has failed.
void launch_and_check(const Matrices<float>& m) {
    launch_loads_wide_one_late(m);
    CUDA_CHECK(cudaGetLastError());
}

Outcome run(std::vector<std::string> arguments) {
    MatrixChapter<float> chapter("trial", "Does the harness tell right from wrong?");
    chapter.sizes({{64, 64}, {33, 31}}).whole_tiles(32);
    chapter.add_baseline({.name = "library",
                          .launch =
                              [](const Matrices<float>& m) {
                                  const std::size_t bytes = sizeof(float) * m.width * m.height;
                                  CUDA_CHECK(cudaMemcpyAsync(m.output, m.input, bytes, cudaMemcpyDeviceToDevice));
                              },
                          .expected = copied<float>,
                          .library = Library{"CUDA", "1.2"}});
    chapter.add({.name = "right", .launch = launch_right, .expected = copied<float>, .expect = {global_load.sectors_per_request == 4}});
    chapter.add({.name = "leaves_last", .launch = launch_leaves_last, .expected = copied<float>});
    chapter.add(
        {.name = "expects_too_much", .launch = launch_right, .expected = copied<float>, .expect = {global_store.sectors_per_request == 3}});
    chapter.add({.name = "large_blocks",
                 .launch = launch_large_blocks,
                 .expected = copied<float>,
                 .expect = {global_load.requests_per_block == 32},
                 .left_out_on = {"gt200"}});

    return outcome_of(chapter, std::move(arguments));
}

TEST(Chapter, ARightKernelPasses) {
    const Outcome outcome = run({"--kernel", "right", "--kernel", "library"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("4 results checked, 1 expectations judged: all right"), std::string::npos) << outcome.out;
}

TEST(Chapter, AnElementLeftUnwrittenIsFoundAfterARightKernelRan) {
    const Outcome outcome = run({"--kernel", "right", "--kernel", "leaves_last", "--size", "33x31"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("leaves_last at 33x31: 1 of 1023 elements differ; the first is element 1022"), std::string::npos)
        << outcome.err;
}

/// Runs a kernel that is stopped at each of two sizes, before a kernel that is right.
Outcome run_stopped(MatrixChapter<float>::LaunchFunction stopped, const std::string& json_file) {
    MatrixChapter<float> chapter("trial", "What does a kernel leave behind that was stopped?");
    chapter.sizes({{64, 64}, {32, 64}});
    chapter.add(
        {.name = "stopped", .launch = std::move(stopped), .expected = copied<float>, .expect = {global_load.sectors_per_request == 4}});
    chapter.add({.name = "right", .launch = launch_right, .expected = copied<float>, .expect = {global_load.sectors_per_request == 4}});
    return outcome_of(chapter, {"--json", json_file});
}

std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

TEST(Chapter, AKernelThatIsStoppedIsReportedAndTheNextRuns) {
    const std::string path = temporary("stopped.json"), here = "trial_kernels.cu:";
    const std::string misaligned = "misaligned at " + here + std::to_string(line_of_wide_load) + ": ";
    const std::string outside = "out_of_bounds at " + here + std::to_string(line_of_far_store) + ": ";
    const std::vector<std::pair<MatrixChapter<float>::LaunchFunction, std::string>> cases = {
        {launch_loads_wide_one_late, misaligned},
        {launch_and_check, misaligned},
        {launch_stores_far_away, outside},
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

TEST(Chapter, AFailedCallThatNoHazardExplainsEndsTheProgram) {
    const std::string path = temporary("failed.json");
    const auto copies_to_nowhere = [](const Matrices<float>& m) { CUDA_CHECK(cudaMemcpy(nullptr, m.input, 4, cudaMemcpyDeviceToDevice)); };
    const Outcome outcome = run_stopped(copies_to_nowhere, path);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("invalid argument"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Chapter, AnUnmetExpectationFailsAtWholeTilesOnly) {
    EXPECT_EQ(run({"--kernel", "expects_too_much", "--size", "33x31"}).exit_code, 0);
    const Outcome outcome = run({"--kernel", "expects_too_much"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("expects_too_much at 64x64: global_store.sectors_per_request == 3, but it is 4"), std::string::npos);
}

TEST(Chapter, AKernelIsLeftOutOnAMachineThatCannotRunIt) {
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

TEST(Chapter, AnOlderGpuThanItNeedsIsUnsuitable) {
    MatrixChapter<float> chapter("pieces", "Which pieces?");
    EXPECT_EQ(chapter.unsuitable("3.0"), "");
    chapter.least_compute_capability(9, 0, "pieces are new");
    EXPECT_EQ(chapter.unsuitable("8.9"), "compute capability 8.9, accepted: 9.0 or later, because pieces are new");
    EXPECT_EQ(chapter.unsuitable("9.0"), "");
    EXPECT_EQ(chapter.unsuitable("12.1"), "");
}

TEST(Chapter, RequestsAreCountedByTheBlock) {
    const std::string path = temporary("requests.json");
    EXPECT_EQ(run({"--kernel", "large_blocks", "--size", "64", "--json", path}).exit_code, 0);
    const Json expectation = Json::parse(std::ifstream(path))["rows"][0]["expectations"][0];
    EXPECT_EQ(expectation["text"], "global_load.requests_per_block == 32");
    EXPECT_EQ(expectation["seen"], 32);
    std::filesystem::remove(path);
}

TEST(Chapter, JsonSaysWhoseCallARowIs) {
    const std::string path = temporary("library.json");
    EXPECT_EQ(run({"--kernel", "library", "--kernel", "right", "--size", "64", "--json", path}).exit_code, 0);
    const Json rows = Json::parse(std::ifstream(path))["rows"];
    EXPECT_EQ(rows[0]["library"], (Json{{"name", "CUDA"}, {"version", "1.2"}}));
    EXPECT_FALSE(rows[1].contains("library"));
    std::filesystem::remove(path);
}

TEST(Chapter, ListNamesTheKernels) { EXPECT_EQ(run({"--list"}).out, "library\nright\nleaves_last\nexpects_too_much\nlarge_blocks\n"); }

TEST(Chapter, HelpNamesEveryOption) {
    const Outcome outcome = run({"--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const char* option : {"--list", "--kernel", "--size", "--samples", "--machine", "--json", "--no-timing", "--seed"})
        EXPECT_NE(outcome.out.find(option), std::string::npos) << option;
}

TEST(Chapter, BadArgumentsExitWithTwoAndOneLineThatNamesThem) {
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
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_refused(run(arguments), named);
    }
}

TEST(Chapter, JsonHoldsEveryRow) {
    const std::filesystem::path folder = temporary("rows");
    std::filesystem::create_directory(folder);
    const std::string path = folder / "rows.json";
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
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a partial file is left";
    std::filesystem::remove(path);
}

TEST(Chapter, ABadArgumentLeavesAnOldJsonAlone) {
    const std::string path = temporary("old.json");
    std::ofstream(path) << "old";
    EXPECT_EQ(run({"--json", path, "--size", "0"}).exit_code, 2);
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "old");
    std::filesystem::remove(path);
}

/// A chapter in one of several processes, with an option and its own check of counts.
class OneOfSeveral : public MatrixChapter<float> {
public:
    explicit OneOfSeveral(bool reports) : MatrixChapter("trial", "Who speaks for all?"), reports_(reports) {
        sizes({{64, 64}});
        add({.name = "right", .launch = launch_right, .expected = copied<float>});
        add_option("--pieces", "Pieces (5)", 16, [this](int number) { pieces_ = number; });
    }
    std::string speaker() const override { return "trial: rank 3"; }
    bool reports() const override { return reports_; }
    std::string wrong_counts(int, const std::vector<simt::LaunchCounts>& launches, std::uint64_t link_bytes) override {
        EXPECT_EQ(link_bytes, 0u);
        EXPECT_EQ(launches.size(), 1u);
        return launches[0].global_load.requests == 128 && pieces_ != 13 ? "" : "13 pieces were not to be";
    }
    std::map<std::string, double> figures(int) override { return {{"pieces", pieces_}}; }

private:
    bool reports_;
    int pieces_ = 5;
};

TEST(Chapter, HasOptionsAndFiguresOfItsOwn) {
    OneOfSeveral chapter(true);
    const Outcome outcome = outcome_of(chapter, {"--pieces", "7"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("conflicts  pieces\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("       7\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome_of(chapter, {"--help"}).out.find("--pieces"), std::string::npos);
    for (const char* number : {"0", "17", "x"}) expect_refused(outcome_of(chapter, {"--pieces", number}), "trial: rank 3: --pieces: got");
    expect_refused(outcome_of(chapter, {"--colour"}), "--pieces N");
}

TEST(Chapter, JudgesItsCountsByItself) {
    OneOfSeveral chapter(true);
    const Outcome outcome = outcome_of(chapter, {"--pieces", "13"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("check failed: right at 64x64: 13 pieces were not to be"), std::string::npos) << outcome.err;
}

TEST(Chapter, AProcessThatDoesNotReportEndsWithTheSameExitCode) {
    const std::string path = temporary("not_reported.json");
    for (const auto& [pieces, exit_code] : {std::pair{"7", 0}, std::pair{"13", 1}}) {
        OneOfSeveral chapter(false);
        const Outcome outcome = outcome_of(chapter, {"--pieces", pieces, "--json", path});
        EXPECT_EQ(outcome.exit_code, exit_code);
        EXPECT_EQ(outcome.out + outcome.err, "");
        EXPECT_FALSE(std::filesystem::exists(path));
    }
}

TEST(Chapter, TheSeedChangesTheDataAndNotTheCounts) {
    const Outcome one = run({"--kernel", "right", "--seed", "1"}), two = run({"--kernel", "right", "--seed", "2"});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_EQ(one.out, two.out);
}

}  // namespace
