// The report is set up from the environment when the library is loaded, and written when the program ends.
//   SIMT_MACHINE=NAME  the modelled machine
//   SIMT_REPORT=FILE   the file of the report
//   SIMT_TRACE=FILE    the file for single accesses of the first blocks
//   SIMT_TIMEOUT=SECONDS  the most processor time of a kernel and, with a report, of host code without a launch; by default, a kernel is
//                      ended after 60 s in which no block ends, and host code after 300 s
//   SIMT_TIME_LIMIT=SECONDS  the most time of the program, with a report
//   SIMT_LAUNCHES=N    launches of each kernel and configuration that are counted
//   SIMT_BLOCKS=N      blocks of each of them that are counted
//   SIMT_BUDGET=SECONDS  the time of launches in which they are counted

#include "report/report.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include <unistd.h>

#include "device/links.hpp"
#include "report/session.hpp"
#include "report/trace.hpp"
#include "simt/json.hpp"

namespace simt::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr int usage_error = 2;

[[noreturn]] void refuse(const std::string& message) {
    std::cerr << "error: " << message << std::endl;
    std::_Exit(usage_error);
}

/// The file of the report, or empty. A copy, because the program may change its environment.
std::string& report_path() {
    static std::string& path = *new std::string;
    return path;
}

/// Writes down single accesses until the program ends.
void start_trace(const char* path) {
    static Trace& trace =
        *new Trace({.machine = current_machine, .kernel = [] { return current_launch().kernel; }, .place_of = source_place});
    static const std::string& file = *new std::string(path);
    add_listener(trace);
    on_exit(
        [](int, void*) {
            if (!write_atomically(file, trace.launches().dump() + "\n")) std::cerr << "error: cannot write " << file << std::endl;
        },
        nullptr);
}

void follow_machine() {
    const char* name = std::getenv("SIMT_MACHINE");
    if (!name) return;
    const Machine* machine = find_machine(name);
    if (!machine) refuse("SIMT_MACHINE: '" + std::string(name) + "' given, one of " + machine_names() + " is accepted");
    set_machine(*machine);
}

using Seconds = std::chrono::duration<double>;

/// Reads a setting. Ends the program unless it is a number above 0, and a whole number if `whole`. Returns nothing if it is not set.
std::optional<double> number_of(const char* name, bool whole) {
    const char* given = std::getenv(name);
    if (!given) return {};
    constexpr double most = 1e15;
    char* end = nullptr;
    const double value = std::strtod(given, &end);
    if (end == given || *end != '\0' || !(value > 0) || (whole && (value > most || value != std::floor(value))))
        refuse(std::string(name) + ": '" + given + "' given, a " + (whole ? "whole number" : "number of seconds") + " above 0 is accepted");
    return value;
}

void follow_limits() {
    CountingLimits& limits = session().budget.limits;
    if (const auto seconds = number_of("SIMT_TIMEOUT", false)) session().timeout = Seconds(*seconds);
    if (const auto seconds = number_of("SIMT_TIME_LIMIT", false)) session().time_limit = Seconds(*seconds);
    if (const auto seconds = number_of("SIMT_BUDGET", false)) limits.budget = Seconds(*seconds);
    if (const auto launches = number_of("SIMT_LAUNCHES", true)) limits.launches = static_cast<std::uint64_t>(*launches);
    if (const auto blocks = number_of("SIMT_BLOCKS", true)) limits.blocks = static_cast<std::uint64_t>(*blocks);
}

bool follow_environment() {
    follow_machine();
    follow_limits();
    if (const char* path = std::getenv("SIMT_TRACE")) start_trace(path);
    if (const char* path = std::getenv("SIMT_REPORT")) {
        report_path() = path;
        on_exit([](int exit_code, void*) { write_report(exit_code); }, nullptr);
    }
    catch_signals();
    return true;
}

[[maybe_unused]] const bool follows_environment = follow_environment();

Json to_json(const Extent& extent) { return {extent.x, extent.y, extent.z}; }

Json to_json(const LaunchTally& tally) {
    return {{"name", tally.kernel},          {"grid", to_json(tally.grid)},
            {"block", to_json(tally.block)}, {"shared_bytes", tally.shared_bytes},
            {"launches", tally.launches},    {"counted", tally.counted}};
}

}  // namespace

Json records_as_json(std::size_t first_launch) {
    const std::scoped_lock lock(session().mutex);
    Json kernels = Json::array(), hazards = Json::array(), errors = Json::array();
    for (std::size_t number = first_launch; number < session().launches.size(); ++number) {
        const LaunchCounts& launch = session().launches[number];
        Json kernel = simt::to_json(launch);
        kernel["launch"] = number;
        if (launch.stopped) kernel["stopped"] = true;
        kernels.push_back(std::move(kernel));
    }
    for (const Hazard& hazard : session().hazards) hazards.push_back(simt::to_json(hazard));
    for (const Message& error : session().errors) errors.push_back(simt::to_json(error));
    Json records = {{"kernels", std::move(kernels)}, {"hazards", std::move(hazards)}, {"errors", std::move(errors)}};
    for (const LaunchTally& tally : session().budget.uncounted()) records["uncounted"].push_back(to_json(tally));
    for (const memory::LinkCounts& link : memory::Links::instance().all())
        records["links"].push_back({{"from", link.from}, {"to", link.to}, {"bytes", link.bytes}, {"sectors", link.sectors}});
    return records;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool write_atomically(const std::string& path, const std::string& text) {
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
        // A terminal, a pipe, /dev/null.
        std::ofstream out(path);
        out << text;
        out.close();
        return static_cast<bool>(out);
    }
    const std::string part = path + ".part" + std::to_string(getpid());
    std::ofstream out(part);
    out << text;
    out.close();
    if (out && std::rename(part.c_str(), path.c_str()) == 0) return true;
    std::remove(part.c_str());
    return false;
}

bool report_is_wanted() { return !report_path().empty(); }

std::string report_text(int exit_code) {
    constexpr int reaches_the_caller = 0xFF;
    Json report = {{"machine", current_machine().name}};
    if (!current_machine().is_checked) report["unchecked"] = true;
    // update() would copy all launches.
    Json records = records_as_json(0);
    for (auto& [name, record] : records.items()) report[name] = std::move(record);
    report["files"] = session().files;
    report["exit_code"] = exit_code & reaches_the_caller;
    return text_of(report) + "\n";
}

void write_report(int exit_code) {
    if (!report_is_wanted()) return;
    if (!write_atomically(report_path(), report_text(exit_code))) std::cerr << "error: cannot write " << report_path() << std::endl;
}

}  // namespace simt::report
