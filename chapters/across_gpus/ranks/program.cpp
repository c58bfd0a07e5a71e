// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The program: starts as one rank of many, or as a thread for each GPU, and runs the steps.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "errors.hpp"
#include "measure.hpp"
#include "model.hpp"
#include "options.hpp"
#include "report.hpp"
#include "setup.hpp"

namespace across_gpus {
namespace {

constexpr int FAILED = 1, USAGE_ERROR = 2, NO_GPU = 77;

Needs needs_of(const Options& options, int ranks)
{
    Needs needs;
    bool stages = false, whole = false;
    for (const Step& step : options.steps) {
        stages = stages || step.stages;
        whole = whole || step.keeps_whole;
        needs.communicator = needs.communicator || step.communicates;
    }
    for (const Size& size : options.sizes)
        // The others' rows are reached by their first, so all ranks' memory is of one size.
        for (int rank = 0; rank < ranks; ++rank) {
            needs.input = std::max(needs.input, size.width * rows_of(size.height, rank, ranks));
            needs.output = std::max(needs.output, size.height * rows_of(size.width, rank, ranks));
        }
    if (stages)
        needs.staging = std::max(needs.input, needs.output);
    if (whole)
        needs.whole = needs.input;
    return needs;
}

// Returns whether all steps were right.
bool run_steps(Rank& rank, Control& control, const Options& options)
{
    Report report;
    Counting counting;
    bool right = true, times = model_machine().empty();
    for (const Size& size : options.sizes) {
        rank.width = size.width;
        rank.height = size.height;
        fill_input(rank);
        for (const Step& step : options.steps) {
            control.allow(20, "step " + step.name);
            control.barrier();
            Outcome outcome = measure(rank, control, step, times ? options.samples : 0);
            control.barrier();
            // Rank 0 looks at what all ranks have done, while they wait for it.
            Counted counted = rank.rank == 0 ? counting.take() : Counted();
            right = report.add(rank, control, step, outcome, counted) && right;
        }
    }
    if (rank.rank == 0 && !options.json.empty())
        report.write(options.json);
    return right;
}

bool run_rank(const Launch& launch, const Options& options)
{
    Control control(launch, options.common);
    bool right = false;
    try {
        if (launch.ranks > MOST_RANKS)
            throw std::runtime_error("there are " + std::to_string(launch.ranks) + " ranks, and at most " +
                                     std::to_string(MOST_RANKS));
        Rank rank;
        rank.rank = launch.rank;
        rank.ranks = launch.ranks;
        rank.pieces = options.pieces;
        control.allow(30, "the set-up");
        take_device(rank, control, launch);
        const Needs needs = needs_of(options, rank.ranks);
        take_memory(rank, control, needs);
        control.allow(60, "the set-up of NCCL");
        if (needs.communicator)
            make_communicator(rank, control);
        right = run_steps(rank, control, options);
        control.allow(0, "");
        control.barrier();
    } catch (const std::exception& error) {
        const std::string hazard = first_hazard();
        control.fail(error.what() + (hazard.empty() ? "" : "; the model found a hazard: " + hazard));
    }
    return right;
}

bool run_threads(int count, const Options& options)
{
    Launch launch{
        "threads", 0, count, 0, count, {"", 0, "/tmp/across_gpus-threads-" + std::to_string(::getpid())}};
    std::vector<std::thread> threads;
    std::vector<char> right(count, 0);
    for (int rank = 0; rank < count; ++rank) {
        launch.rank = launch.local_rank = rank;
        threads.emplace_back([=, &options, &right] { right[rank] = run_rank(launch, options); });
    }
    for (std::thread& thread : threads)
        thread.join();
    return std::all_of(right.begin(), right.end(), [](char one) { return one; });
}

int run(const Options& options)
{
    std::optional<Launch> launch = launch_from_environment(options.rendezvous);
    // A kernel that is loaded when it is first launched waits for those that run. If one of these waits for another GPU,
    // whose thread waits for the loading to end, nothing ends.
    if (!launch)
        ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    if (launch && options.devices > 0)
        throw std::runtime_error("--devices: " + std::to_string(options.devices) + " given, and " +
                                 launch->launcher + " says how many processes there are");
    // The model looks when it is first asked for its devices.
    if (options.devices > 0)
        ::setenv("SIMT_DEVICES", std::to_string(options.devices).c_str(), 1);
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        std::fprintf(stderr, "across_gpus: there is neither a GPU nor the model\n");
        return NO_GPU;
    }
    if (options.devices > count)
        throw std::runtime_error(
            "--devices: " + std::to_string(options.devices) + " given, there are " + std::to_string(count));
    if (options.devices > 0)
        count = options.devices;
    if (!options.machine.empty())
        choose_machine(options.machine);
    const bool right = launch ? run_rank(*launch, options) : run_threads(count, options);
    const std::string hazard = first_hazard();
    if (!hazard.empty())
        std::fprintf(stderr, "across_gpus: the model found a hazard: %s\n", hazard.c_str());
    return right && hazard.empty() ? 0 : FAILED;
}

}  // namespace
}  // namespace across_gpus

int main(int argc, char** argv)
{
    using namespace across_gpus;
    try {
        const Options options = options_from({argv + 1, argv + argc});
        if (options.help)
            std::fputs(USAGE, stdout);
        if (options.list)
            for (const Step& step : all_steps())
                std::printf("%s\n", step.name.c_str());
        return options.help || options.list ? 0 : run(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "across_gpus: %s\n", error.what());
        return USAGE_ERROR;
    }
}
