// The program that was run on the H200, run under the model: translation, instrumentation and the grouping of lanes
// into warp-level accesses take part, and its counts are compared launch by launch.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

#include "hardware_table.hpp"

namespace simt {
namespace {

/// Runs the probe in a folder of its own. Returns its output, a line a launch, and the model's report.
std::pair<std::vector<std::string>, nlohmann::json> run_probe() {
    const auto folder = std::filesystem::path(::testing::TempDir()) / ("access_probe_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder);
    const auto report = (folder / "report.json").string(), printed = (folder / "printed.txt").string();
    setenv("SIMT_REPORT", report.c_str(), 1);
    unsetenv("SIMT_MACHINE");
    const int status = std::system(("'" SIMT_ACCESS_PROBE "' > '" + printed + "' 2> '" + printed + ".err'").c_str());
    EXPECT_EQ(status, 0);
    std::vector<std::string> lines;
    std::ifstream printed_file(printed);
    for (std::string line; std::getline(printed_file, line);) lines.push_back(line);
    std::ifstream report_file(report);
    auto json = nlohmann::json::parse(report_file);
    std::filesystem::remove_all(folder);
    return {lines, json};
}

/// The line that the program prints for a case.
std::string line_of(const HardwareCase& row) {
    std::ostringstream line;
    line << row.key;
    for (const std::uint64_t offset : row.offsets) line << ' ' << offset;
    return line.str();
}

/// The counts of a launch that the table holds for this case.
std::vector<int> counts_of(const nlohmann::json& kernel, const HardwareCase& row) {
    const auto& counts = kernel.at(std::string(name_of(row.space)) + "_" + name_of(row.operation));
    if (row.space == Space::shared) return {counts.at("wavefronts")};
    return {counts.at("requests"), counts.at("sectors")};
}

TEST(Truth, TheProbeItselfCountsWhatTheH200Counted) {
    const HardwareTable table = read_hardware_table();
    const auto [lines, report] = run_probe();
    const auto& kernels = report.at("kernels");
    ASSERT_EQ(lines.size(), table.cases.size());
    ASSERT_EQ(kernels.size(), table.cases.size());
    for (std::size_t i = 0; i < table.cases.size(); ++i) {
        const HardwareCase& row = table.cases[i];
        EXPECT_EQ(lines[i], line_of(row)) << "launch " << i << ": the table is of another version of the probe";
        EXPECT_EQ(counts_of(kernels[i], row) == row.counts, !table.open.contains(row.key)) << row.key << ": " << kernels[i].dump();
    }
}

}  // namespace
}  // namespace simt
