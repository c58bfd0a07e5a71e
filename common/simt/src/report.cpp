// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The report that a program leaves behind: set up before main() from the environment, written when the program ends.
//   SIMT_MACHINE=NAME  the machine that is modelled
//   SIMT_REPORT=FILE   where the report goes
//   SIMT_TRACE=FILE    where single accesses of the first blocks go
//   SIMT_TIMEOUT=SECONDS  how much processor time one kernel may take

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include <unistd.h>

#include "faults.hpp"
#include "grid_runner.hpp"
#include "reporting.hpp"
#include "session.hpp"
#include "simt/json.hpp"
#include "trace.hpp"

namespace simt::detail {

namespace {

constexpr int usage_error = 2;

[[noreturn]] void refuse(const std::string& message)
{
    std::cerr << "error: " << message << std::endl;
    std::_Exit(usage_error);
}

nlohmann::ordered_json report(int exit_code)
{
    using Json = nlohmann::ordered_json;
    Json kernels = Json::array();
    for (const LaunchCounts& launch : session().launches) {
        Json kernel = to_json(launch);
        kernel["launch"] = kernels.size();
        if (launch.stopped) kernel["stopped"] = true;
        kernels.push_back(std::move(kernel));
    }
    Json hazards = Json::array();
    for (const Hazard& hazard : session().hazards) hazards.push_back(to_json(hazard));
    return {{"machine", session().machine->name},
            {"kernels", kernels},
            {"hazards", hazards},
            {"errors", session().errors},
            {"exit_code", exit_code}};
}

/// Writes a file whole or not at all.
bool write_atomically(const std::string& path, const std::string& text)
{
    const std::string part = path + ".part" + std::to_string(getpid());
    std::ofstream out(part);
    out << text;
    out.close();
    if (out && std::rename(part.c_str(), path.c_str()) == 0) return true;
    std::remove(part.c_str());
    return false;
}

void write_report(int exit_code, void* path)
{
    exit_code &= 0xFF;  // no more of it reaches whoever started the program
    const std::string text = report(exit_code).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (!write_atomically(static_cast<const char*>(path), text))
        std::cerr << "error: cannot write " << static_cast<const char*>(path) << std::endl;
}

std::string& report_path()
{
    static std::string& path = *new std::string;
    return path;
}

/// A program that dies leaves a report too. A handler of signals should not write files: if it has interrupted what it
/// needs itself, an alarm ends it, and the report is missing.
void write_last_report(int signal)
{
    constexpr int shell_offset = 128;
    constexpr unsigned seconds_to_write = 5;
    std::signal(SIGALRM, SIG_DFL);
    alarm(seconds_to_write);
    const bool in_kernel = GridRunner::instance().is_in_kernel();
    session().errors.push_back((in_kernel ? "in kernel " + current_launch().kernel + ", " + block_name(current_launch().block) + ": " : "in host code: ") +
                               "ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")");
    write_report(shell_offset + signal, report_path().data());
}

/// Writes down single accesses until the program ends.
void start_trace(const char* path)
{
    static Trace& trace = *new Trace({.machine = current_machine, .kernel = [] { return current_launch().kernel; }, .place_of = source_place});
    static const std::string& file = *new std::string(path);
    add_listener(trace);
    on_exit([](int, void*) {
        if (!write_atomically(file, trace.launches().dump() + "\n")) std::cerr << "error: cannot write " << file << std::endl;
    }, nullptr);
}

bool follow_environment()
{
    if (const char* name = std::getenv("SIMT_MACHINE")) {
        const Machine* machine = find_machine(name);
        if (!machine) refuse("SIMT_MACHINE: '" + std::string(name) + "' given, one of " + machine_names() + " is accepted");
        set_machine(*machine);
    }
    if (const char* seconds = std::getenv("SIMT_TIMEOUT")) {
        char* end = nullptr;
        const double value = std::strtod(seconds, &end);
        if (end == seconds || *end != '\0' || !(value > 0)) refuse("SIMT_TIMEOUT: '" + std::string(seconds) + "' given, a number of seconds above 0 is accepted");
        session().timeout = std::chrono::duration<double>(value);
    }
    // The session is made before the handler is registered, so that it is still there when the handler runs.
    session();
    if (const char* path = std::getenv("SIMT_TRACE")) start_trace(path);
    if (const char* path = std::getenv("SIMT_REPORT")) {
        // A copy, as the program may change its environment.
        report_path() = path;
        on_exit(write_report, report_path().data());
        session().before_death = write_last_report;
        catch_faults();
        catch_requests();
    }
    return true;
}

}  // namespace

}  // namespace simt::detail

// The linker is asked for this symbol by name, so that this file is part of every program of the model.
extern "C" const bool simt_report_is_set_up = simt::detail::follow_environment();
