// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace across_gpus {
namespace {

std::optional<std::string> variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

int number(const std::string& name, const std::string& text)
{
    int value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        throw std::runtime_error(name + "=" + text + " is not a number of a process");
    return value;
}

// The value of the first of `names` that is set.
std::optional<int> first_of(const std::vector<const char*>& names)
{
    for (const char* name : names)
        if (auto text = variable(name))
            return number(name, *text);
    return std::nullopt;
}

int required(const std::string& launcher, const std::vector<const char*>& names)
{
    if (auto value = first_of(names))
        return *value;
    throw std::runtime_error("the environment of " + launcher + " lacks " + names.front());
}

// What the launchers call the rank, the ranks, and both within a host.
struct Names {
    const char* launcher;
    std::vector<const char*> rank, ranks, local_rank, local_ranks;
    /// What tells this run from others on the host.
    std::vector<const char*> job;
};

// SLURM_NTASKS is set by sbatch and salloc for what they start themselves, too. SLURM_STEP_NUM_TASKS is srun's alone.
const std::vector<Names>& launchers()
{
    static const std::vector<Names> all = {
        {"torchrun", {"RANK"}, {"WORLD_SIZE"}, {"LOCAL_RANK"}, {"LOCAL_WORLD_SIZE"}, {"MASTER_PORT"}},
        {"mpirun", {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"},
            {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"},
            {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_FD", "HYDI_CONTROL_FD"}},
        {"srun", {"SLURM_PROCID"}, {"SLURM_STEP_NUM_TASKS"}, {"SLURM_LOCALID"},
            {"SLURM_STEP_TASKS_PER_NODE"}, {"SLURM_JOB_ID"}},
    };
    return all;
}

MeetingPlace place_of(const std::string& text)
{
    MeetingPlace place;
    if (text.rfind("file:", 0) == 0) {
        place.file = text.substr(5);
        return place;
    }
    std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        throw std::runtime_error("--rendezvous " + text + " is neither HOST:PORT nor file:PATH");
    place.host = text.substr(0, colon);
    place.port = number("--rendezvous", text.substr(colon + 1));
    return place;
}

std::string name_of_job(const Names& names)
{
    std::string job = names.launcher;
    for (const char* name : names.job)
        if (auto value = variable(name))
            job += "-" + *value;
    if (auto step = variable("SLURM_STEP_ID"))
        job += "-" + *step;
    for (char& c : job)
        if (c == '/')
            c = '_';
    return job;
}

MeetingPlace default_place(const Names& names, const Launch& launch)
{
    auto host = variable("MASTER_ADDR"), port = variable("MASTER_PORT");
    // torchrun keeps a store of its own at MASTER_PORT.
    if (host && port)
        return {*host, number("MASTER_PORT", *port) + (variable("TORCHELASTIC_RUN_ID") ? 1 : 0), ""};
    if (launch.local_ranks != launch.ranks)
        throw std::runtime_error(
            "the processes are on several hosts: set MASTER_ADDR and MASTER_PORT, or give "
            "--rendezvous HOST:PORT or --rendezvous file:PATH in a folder that all hosts share");
    auto folder = variable("TMPDIR");
    return {"", 0, folder.value_or("/tmp") + "/across_gpus-" + name_of_job(names)};
}

// SLURM_STEP_TASKS_PER_NODE counts the processes of each host: `4`, `4(x2)` or `4,3`. All are here if it is one number.
int local_ranks_of(const Names& names, int ranks)
{
    for (const char* name : names.local_ranks)
        if (auto text = variable(name)) {
            std::string digits = text->substr(0, text->find_first_not_of("0123456789"));
            return number(name, digits);
        }
    return ranks;
}

Launch launch_of(const Names& names, const std::string& place)
{
    Launch launch;
    launch.launcher = names.launcher;
    launch.rank = required(names.launcher, names.rank);
    launch.ranks = required(names.launcher, names.ranks);
    launch.local_ranks = local_ranks_of(names, launch.ranks);
    launch.local_rank = first_of(names.local_rank).value_or(launch.rank);
    if (launch.rank >= launch.ranks)
        throw std::runtime_error("rank " + std::to_string(launch.rank) + " of " +
                                 std::to_string(launch.ranks) + " processes: ranks begin at 0");
    launch.place = place.empty() ? default_place(names, launch) : place_of(place);
    return launch;
}

}  // namespace

std::optional<Launch> launch_from_environment(const std::string& place)
{
    for (const Names& names : launchers())
        if (first_of(names.rank)) {
            // A process that srun started is torchrun's or mpirun's if they run inside it.
            bool whole = first_of(names.ranks).has_value();
            if (!whole && std::string(names.launcher) == "srun")
                continue;
            return launch_of(names, place);
        }
    return std::nullopt;
}

}  // namespace across_gpus
