// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// `simt_judge CASE OUTPUT --connection N` or `simt_judge CASE OUTPUT -- PROGRAM ARGUMENTS…`
///
/// Owns the device of a program that is graded: it holds the data of the folder CASE, runs the program's kernels, and leaves
/// in the folder OUTPUT what has come of it: `NAME.bin` for each output, `calls.json` with what was moved besides kernels, and
/// at last `outcome.txt`: how the program came to its end, as one word of `finished`, `failed`, `ended`, `broken` and
/// `memory`, and on the next line what there is to say about it. The program is at the other end of the socket that is this
/// process's descriptor N, or is started with one. The model's report is written where SIMT_REPORT says.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "remote/protocol.hpp"
#include "remote/serve.hpp"
#include "report/session.hpp"

namespace {

using simt::remote::Served;

constexpr int usage_error = 2;

struct Arguments {
    std::filesystem::path case_folder, output_folder;
    int connection = -1;
    char** command = nullptr;
};

Arguments parse(int argc, char** argv)
{
    Arguments arguments;
    const bool connects = argc == 5 && std::strcmp(argv[3], "--connection") == 0;
    if (connects) {
        const char* const end = argv[4] + std::strlen(argv[4]);
        if (std::from_chars(argv[4], end, arguments.connection).ptr != end) arguments.connection = -1;
    } else if (argc > 4 && std::strcmp(argv[3], "--") == 0) {
        arguments.command = argv + 4;
    }
    if (arguments.connection < 0 && !arguments.command)
        throw std::invalid_argument("arguments: CASE OUTPUT --connection N or CASE OUTPUT -- PROGRAM ARGUMENTS... is accepted");
    arguments.case_folder = argv[1];
    arguments.output_folder = argv[2];
    return arguments;
}

/// Starts a program with one end of a socket, and returns the other.
int start(char** command)
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error("a socket cannot be made");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("a process cannot be started");
    if (child == 0) {
        close(ends[0]);
        setenv(simt::remote::socket_variable, std::to_string(ends[1]).c_str(), 1);
        unsetenv("SIMT_REPORT");
        execvp(command[0], command);
        std::fprintf(stderr, "error: %s cannot be started\n", command[0]);
        std::_Exit(127);
    }
    close(ends[1]);
    return ends[0];
}

const char* word_for(Served::How how)
{
    switch (how) {
    case Served::How::finished: return "finished";
    case Served::How::failed: return "failed";
    case Served::How::ended: return "ended";
    case Served::How::broken: return "broken";
    }
    return "";
}

void write(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(path.string() + " cannot be written");
}

void judge(const Arguments& arguments)
{
    simt::Device& device = simt::device(0);
    // What kernels compute on lies in memory that the runtime gives out.
    device.remove_heap();
    simt::remote::TrialCase trial(arguments.case_folder, device);
    simt::remote::CallLog log;
    const int connection = arguments.command ? start(arguments.command) : arguments.connection;
    Served served;
    std::string word;
    try {
        served = simt::remote::serve(device, connection, &trial, log);
        for (const std::string& line : log.notes()) simt::detail::session().add_error(line);
        word = word_for(served.how);
        if (served.how == Served::How::finished) trial.write_outputs(arguments.output_folder);
        write(arguments.output_folder / "calls.json", log.to_json(trial.overwritten_inputs(), trial.data_use().to_json()));
    } catch (const std::bad_alloc&) {
        word = "memory";
    }
    write(arguments.output_folder / "outcome.txt", word + "\n" + served.message + "\n");
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        judge(parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return usage_error;
    }
    while (wait(nullptr) > 0) {}
    return EXIT_SUCCESS;
}
