// A chapter program on arrays, of right and wrong kernels, run as a user would run it.

#include <conflict_free/verify.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "outcome.hpp"
#include "trial_kernels.hpp"

namespace {

using namespace conflict_free;
using Json = nlohmann::json;

std::string is_doubled(const ArrayKernels<int, int>::Written& w) {
    return compare_elements<int>(w.output, [&](std::size_t i) { return 2 * w.input[i]; });
}

std::string is_negated(const ArrayKernels<float, float>::Written& w) {
    return compare_elements<float>(w.output, [&](std::size_t i) { return -w.input[i]; });
}

std::string is_same_by_way_of_the_scratch(const ArrayKernels<float, float>::Written& w) {
    const std::string wrong = compare_elements<float>(w.scratch, [&](std::size_t i) { return -w.input[i]; });
    return wrong.empty() ? compare_elements<float>(w.output, [&](std::size_t i) { return w.input[i]; }) : "scratch: " + wrong;
}

std::string leaves_the_scratch_alone(const ArrayKernels<float, float>::Written& w) {
    for (const float value : w.scratch)
        if (!std::isnan(value)) return "the scratch was not overwritten before the launch";
    return is_negated(w);
}

void double_on_host(std::span<const int> input, std::span<int> output) {
    for (std::size_t i = 0; i < input.size(); ++i) output[i] = 2 * input[i];
}

std::string no_zeros(std::span<const float> input) {
    for (std::size_t i = 0; i < input.size(); ++i)
        if (input[i] == 0) return "element " + std::to_string(i) + ": got 0, accepted: other numbers";
    return {};
}

Outcome run(std::vector<std::string> arguments, bool only_floats = false) {
    ArrayChapter chapter("trial", "Does the harness tell right from wrong in arrays?");
    chapter.lengths({100, 33, 1, 0}).counted_length(100).traffic_lengths({33, 100});
    chapter.work_is("halves", [](double n) { return 2 * n; });
    const auto same = [](std::size_t n) { return n; };
    if (!only_floats) {
        auto& integers = chapter.arrays<int, int>(same);
        integers.add_baseline({.name = "host", .compute = double_on_host, .verify = is_doubled, .sizes = at_most(33)});
        integers.add_baseline(
            {.name = "lazy_host", .compute = [](std::span<const int>, std::span<int>) {}, .verify = is_doubled, .sizes = at_most(0)});
        integers.add({.name = "doubled", .launch = launch_doubled, .verify = is_doubled, .expect = {global_load.requests_per_block == 1}});
        integers.add(
            {.name = "doubles_all_but_the_last", .launch = launch_doubles_all_but_the_last, .verify = is_doubled, .sizes = at_most(0)});
    }
    auto& floats = chapter.arrays<float, float>(same, same);
    floats.reads_numbers([](std::span<const float> numbers) { return std::vector<float>(numbers.begin(), numbers.end()); })
        .accepts(no_zeros);
    floats.add({.name = "negated_again",
                .launch = launch_negated_again,
                .verify = is_same_by_way_of_the_scratch,
                .expect = {global_store.requests_per_block == 1},
                .left_out_on = {"g80"}});
    floats.add({.name = "negated", .launch = launch_negated, .verify = leaves_the_scratch_alone});

    return outcome_of(chapter, std::move(arguments));
}

std::string file_with(const char* name, const std::string& text) {
    std::ofstream(temporary(name)) << text;
    return temporary(name);
}

Json rows_of(std::vector<std::string> arguments) {
    const std::string path = temporary("rows.json");
    arguments.insert(arguments.end(), {"--json", path});
    EXPECT_EQ(run(arguments).exit_code, 0);
    return Json::parse(std::ifstream(path));
}

/// Returns the text that comes out of a pipe that is open before the program runs.
std::string written_into(const std::string& pipe, const std::vector<std::string>& arguments) {
    std::filesystem::remove(pipe);
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    std::string text(1 << 20, '\0');
    EXPECT_GE(fcntl(reader, F_SETPIPE_SZ, static_cast<int>(text.size())), 0);
    EXPECT_EQ(run(arguments).exit_code, 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(reader, text.data(), text.size()), 0)));
    close(reader);
    return text;
}

TEST(ArrayChapter, RowsGoIntoAPipeAsTheyGoToAFile) {
    const std::string pipe = temporary("pipe");
    EXPECT_EQ(Json::parse(written_into(pipe, {"--size", "33", "--json", pipe}))["rows"].size(), rows_of({"--size", "33"})["rows"].size());
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(ArrayChapter, RightKernelsPassAtEachLength) {
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    // At 100: three kernels. At 33 and 1: the host's function as well. At 0: also the two that accept no other length.
    EXPECT_NE(outcome.out.find("17 results checked"), std::string::npos) << outcome.out;
}

TEST(ArrayChapter, AKernelIsLeftOutBeyondItsMostElements) {
    EXPECT_EQ(run({"--kernel", "host", "--size", "33"}).exit_code, 0);
    const Outcome none = run({"--kernel", "host", "--size", "34"});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_TRUE(one_line(none.err)) << none.err;
    EXPECT_NE(none.err.find("accepted: at most 33 elements for host"), std::string::npos) << none.err;
}

TEST(ArrayChapter, WrongKernelsAndWrongHostFunctionsFail) {
    ArrayChapter chapter("trial", "Are wrong ones found?");
    auto& integers = chapter.arrays<int, int>([](std::size_t n) { return n; });
    integers.add({.name = "doubles_all_but_the_last", .launch = launch_doubles_all_but_the_last, .verify = is_doubled});
    integers.add_baseline({.name = "lazy_host", .compute = [](std::span<const int>, std::span<int>) {}, .verify = is_doubled});
    const auto [exit_code, out, err] = outcome_of(chapter, {"--size", "33"});
    EXPECT_EQ(exit_code, 1);
    EXPECT_NE(err.find("doubles_all_but_the_last at 33x1: 1 of 33 elements differ; the first is element 32"), std::string::npos) << err;
    EXPECT_NE(err.find("lazy_host at 33x1: 33 of 33 elements differ"), std::string::npos) << err;
}

TEST(ArrayChapter, JsonTellsKernelsFromTheHostAndSumsLaunches) {
    const Json json = rows_of({"--size", "33"});
    EXPECT_EQ(json["counted_size"], "100x1");
    EXPECT_EQ(json["traffic_sizes"], Json({"33x1", "100x1"}));
    const Json& host = json["rows"][0];
    EXPECT_EQ(host["kernel"], "host");
    EXPECT_EQ(host["reference"], true);
    EXPECT_TRUE(host["counts"].is_null());
    const Json& kernel = json["rows"][1];
    EXPECT_EQ(kernel["kernel"], "doubled");
    EXPECT_EQ(kernel["reference"], false);
    EXPECT_EQ(kernel["size"], "33x1");
    EXPECT_EQ(kernel["bytes"], 2 * 33 * 4);
    EXPECT_EQ(kernel["work"]["unit"], "halves");
    EXPECT_EQ(kernel["work"]["amount"], 66);
    EXPECT_EQ(kernel["counts"]["launches"], 1);
    EXPECT_EQ(kernel["counts"]["blocks"], 2);
    const Json& twice = json["rows"][2];
    EXPECT_EQ(twice["kernel"], "negated_again");
    EXPECT_EQ(twice["counts"]["launches"], 2);
    EXPECT_EQ(twice["counts"]["blocks"], 4);
    EXPECT_EQ(twice["counts"]["global_load"]["requests"], 4);
    EXPECT_EQ(twice["expectations"][0]["seen"], 1);
}

TEST(ArrayChapter, NoElementsMakeNoLaunchAndNoCounts) {
    const Json json = rows_of({"--kernel", "doubled", "--size", "0"});
    EXPECT_EQ(json["rows"][0]["size"], "0x1");
    EXPECT_TRUE(json["rows"][0]["counts"].is_null());
    EXPECT_EQ(json["rows"][0]["check"]["passed"], true);
}

TEST(ArrayChapter, AKernelIsLeftOutOnAMachineThatCannotRunIt) {
    const Outcome outcome = run({"--machine", "g80", "--size", "33"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("negated_again"), std::string::npos) << outcome.out;
    run({"--machine", "sm_90", "--size", "0"});
}

TEST(ArrayChapter, TheUserGivesNumbersInAFile) {
    const std::string file = file_with("numbers.txt", "1 2,3\n\t-4e3\r\n inf , 0x0");
    const Outcome wrong = run({"--input", file}, true);
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_NE(wrong.err.find("got '0x0' in line 3"), std::string::npos) << wrong.err;
    const Outcome right = run({"--input", file_with("numbers.txt", "1 2,3\n\t-4e3\r\n")}, true);
    EXPECT_EQ(right.exit_code, 0) << right.err;
    EXPECT_NE(right.out.find("4x1"), std::string::npos) << right.out;
    EXPECT_EQ(run({"--input", file_with("numbers.txt", "")}, true).exit_code, 0) << "no numbers are an input of none";
}

TEST(ArrayChapter, InputsThatAreNotAcceptedExitWithTwoAndOneLine) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"--input", file_with("zero.txt", "1 0 2")}, "element 1: got 0, accepted: other numbers"},
        {{"--input", "/no/such/file"}, "/no/such/file"},
        {{"--input", std::filesystem::temp_directory_path().string()}, "--input"},
        {{"--input", file_with("words.txt", "1 two")}, "got 'two' in line 1"},
        {{"--input", file_with("large.txt", "1e40")}, "got '1e40'"},
        {{"--input", file_with("one.txt", "1"), "--size", "1"}, "--size"},
        {{"--size", "33x31"}, "33x31"},
        {{"--size", "-1"}, "-1"},
        {{"--size", "2147483647"}, "from 0 to 2147482624"},
        {{"--colour"}, "--input FILE"},
    };
    for (const auto& [arguments, named] : cases) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_refused(run(arguments, true), named);
    }
}

TEST(ArrayChapter, InputIsOfferedOnlyWhereAllArraysCanBeRead) {
    EXPECT_NE(run({"--help"}, true).out.find("--input"), std::string::npos);
    EXPECT_EQ(run({"--help"}).out.find("--input"), std::string::npos);
    EXPECT_EQ(run({"--input", file_with("one.txt", "1")}).exit_code, 2);
}

TEST(ArrayChapter, AKernelThatIsStoppedIsReportedAndTheNextRuns) {
    ArrayChapter chapter("trial", "What does a kernel leave behind that was stopped?");
    chapter.lengths({100, 33});
    const auto same = [](std::size_t n) { return n; };
    auto& integers = chapter.arrays<int, int>(same);
    integers.add({.name = "doubled_far_away", .launch = launch_doubled_far_away, .verify = is_doubled});
    integers.add({.name = "doubled", .launch = launch_doubled, .verify = is_doubled});
    chapter.arrays<float, float>(same).add({.name = "negated", .launch = launch_negated, .verify = is_negated});
    const auto [exit_code, out, err] = outcome_of(chapter, {});
    EXPECT_EQ(exit_code, 1);
    const std::string reported = "out_of_bounds at trial_kernels.cu:" + std::to_string(line_of_far_double) + ": ";
    for (const char* length : {"100x1", "33x1"})
        EXPECT_NE(err.find(std::string("hazard: doubled_far_away at ") + length + ": " + reported), std::string::npos) << err;
    EXPECT_EQ(err.find(": doubled at "), std::string::npos) << err;
    EXPECT_EQ(err.find(": negated at "), std::string::npos) << err;
    EXPECT_NE(out.find("6 results checked"), std::string::npos) << out;
}

}  // namespace
