// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Who started this process, as which of how many, and where the processes find each other.
#pragma once

#include <optional>
#include <string>

namespace across_gpus {

/// Where the processes meet: a TCP address, or a file that rank 0 writes its address into.
struct MeetingPlace {
    std::string host;
    int port = 0;
    /// Empty if `host` and `port` are known beforehand.
    std::string file;
};

struct Launch {
    /// What the environment's variables belong to: `torchrun`, `mpirun`, `srun` or `threads`.
    std::string launcher;
    int rank = 0;
    int ranks = 1;
    /// Its number among the processes of its host, which is the number of its GPU too.
    int local_rank = 0;
    int local_ranks = 1;
    MeetingPlace place;
};

/// What a launcher's environment says, or nothing if there is none: then the program starts a thread for each GPU.
/// `place` is what the command line says of the meeting place, as `HOST:PORT` or `file:PATH`; empty if it says nothing.
/// Throws std::runtime_error with one line if a variable is missing or is no number.
std::optional<Launch> launch_from_environment(const std::string& place);

}  // namespace across_gpus
