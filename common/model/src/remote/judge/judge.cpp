// `simt_judge CASE… LEFT --connection N` or `simt_judge CASE… LEFT -- PROGRAM ARGUMENTS…`
//
// Owns the device of a graded program for one case after another. It holds the data of the folders CASE and runs the program's
// kernels. For each case it writes a folder of the same name in the folder LEFT: `NAME.bin` for each output, `calls.json` with the
// calls of the runtime, `report.json` with the counts of kernels, and last `outcome.json`, a JSON object with the end of the
// case. Its `how` is one of `finished`, `failed`, `ended`, `broken` and `memory`; `failure` is the text of a program that failed;
// for `broken` there is a message of the model, as in reports. Counts begin at zero in each case. After a case that has not
// `finished`, no other begins.
//
// The program is at the other end of the socket with this process's descriptor N, or the judge starts it with one.
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
#include <vector>

#include "remote/judge/server.hpp"
#include "remote/protocol.hpp"
#include "report/report.hpp"
#include "report/session.hpp"
#include "simt/json.hpp"

namespace {

using simt::remote::CaseEnding;

constexpr int usage_error = 2;

struct Arguments {
    std::vector<std::filesystem::path> cases;
    std::filesystem::path left;
    int connection = -1;
    char** command = nullptr;
};

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    int at = 1;
    for (; at < argc && std::strncmp(argv[at], "--", 2) != 0; ++at) arguments.cases.emplace_back(argv[at]);
    if (at + 2 == argc && std::strcmp(argv[at], "--connection") == 0) {
        const char* const end = argv[at + 1] + std::strlen(argv[at + 1]);
        if (std::from_chars(argv[at + 1], end, arguments.connection).ptr != end) arguments.connection = -1;
    } else if (at + 1 < argc && std::strcmp(argv[at], "--") == 0) {
        arguments.command = argv + at + 1;
    }
    if (arguments.cases.size() < 2 || (arguments.connection < 0 && !arguments.command))
        throw std::invalid_argument("arguments: CASE... LEFT --connection N or CASE... LEFT -- PROGRAM ARGUMENTS... is accepted");
    arguments.left = arguments.cases.back();
    arguments.cases.pop_back();
    return arguments;
}

/// Starts a program with one end of a socket, and returns the other.
int start(char** command) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error("a socket cannot be made");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("a process cannot be started");
    if (child == 0) {
        close(ends[0]);
        setenv(simt::remote::socket_variable, std::to_string(ends[1]).c_str(), 1);
        execvp(command[0], command);
        std::fprintf(stderr, "error: %s cannot be started\n", command[0]);
        std::_Exit(127);
    }
    close(ends[1]);
    return ends[0];
}

const char* word_for(CaseEnding::How how) {
    switch (how) {
        case CaseEnding::How::finished: return "finished";
        case CaseEnding::How::failed: return "failed";
        case CaseEnding::How::ended: return "ended";
        case CaseEnding::How::broken: return "broken";
    }
    return "";
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(path.string() + " cannot be written");
}

/// Serves one case and writes its results. True if the program can continue with the next.
bool judge(simt::remote::Server& server, simt::Device& device, const std::filesystem::path& folder, const std::filesystem::path& left,
           bool is_last) {
    simt::remote::TrialCase trial(folder, device);
    simt::remote::CallLog log;
    CaseEnding served;
    std::string word;
    std::filesystem::create_directory(left);
    try {
        served = server.run(trial, log, is_last);
        for (const simt::Message& note : log.notes()) simt::report::session().add_error(note);
        word = word_for(served.how);
        if (served.how == CaseEnding::How::finished) trial.write_outputs(left);
        write(left / "calls.json", simt::report::text_of(log.to_json(trial.overwritten_inputs(), trial.data_use().to_json())) + "\n");
    } catch (const std::bad_alloc&) {
        word = "memory";
    }
    write(left / "report.json", simt::report::report_text(EXIT_SUCCESS));
    simt::take_launches();
    simt::take_hazards();
    simt::take_errors();
    nlohmann::ordered_json outcome = {{"how", word}, {"failure", served.failure}};
    if (served.message) outcome.update(simt::to_json(*served.message));
    write(left / "outcome.json", simt::report::text_of(outcome) + "\n");
    return word == word_for(CaseEnding::How::finished);
}

void judge(const Arguments& arguments) {
    simt::Device& device = simt::device(0);
    // Kernels compute on memory that the runtime allocates.
    device.remove_heap();
    simt::remote::Server server(device, arguments.command ? start(arguments.command) : arguments.connection);
    for (const std::filesystem::path& folder : arguments.cases)
        if (!judge(server, device, folder, arguments.left / folder.filename(), folder == arguments.cases.back())) break;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        judge(parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return usage_error;
    }
    while (wait(nullptr) > 0) {}
    return EXIT_SUCCESS;
}
