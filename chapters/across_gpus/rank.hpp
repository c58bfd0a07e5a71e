// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data of a rank, and the type of a step.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "blocks.cuh"

namespace across_gpus {

// A GPU, its streams and its data. Memory that only some steps need is allocated before the first of these.
struct Rank {
    int rank = 0, ranks = 1;
    /// The sizes of the input, over all ranks.
    std::size_t width = 0, height = 0;
    /// This rank's rows of the input, and each rank's rows of the output, in addresses of this rank.
    float* rows_of_input = nullptr;
    std::vector<float*> outputs;
    /// Blocks in the order of the ranks: as they are sent, and as they are received. And a whole transposed input.
    float *send = nullptr, *receive = nullptr, *whole = nullptr;
    /// In how many pieces `in_pieces` sends.
    int pieces = 0;
    ncclComm_t communicator = nullptr;
    /// Where the check counts wrong elements.
    unsigned long long* wrong = nullptr;
    Flags flags{};
    cudaStream_t stream = nullptr, copying = nullptr, placing = nullptr;
    std::vector<cudaEvent_t> events;

    std::size_t row(int of) const { return first_row(height, of, ranks); }
    int rows(int of) const { return rows_of(height, of, ranks); }
    std::size_t column(int of) const { return first_row(width, of, ranks); }
    int columns(int of) const { return rows_of(width, of, ranks); }
    float* input() const { return rows_of_input; }
    float* output() const { return outputs[rank]; }
    /// Bytes of its rows of the input or of the output, whichever has more.
    std::size_t bytes_of_part() const
    {
        return sizeof(float) * std::max(rows(rank) * width, columns(rank) * height);
    }
    /// Bytes that this rank sends to others.
    std::size_t bytes_sent() const { return sizeof(float) * rows(rank) * (width - columns(rank)); }
};

struct Step {
    std::string name;
    /// Puts the step into `stream` and into streams that fork from it. The step has ended everywhere when `stream` goes on.
    std::function<void(Rank&)> enqueue;
    /// False for a step that only moves as many bytes, to compare with.
    bool transposes = true;
    /// Whether it calls NCCL, needs memory to send from and to receive into, and a whole transposed input.
    bool communicates = false, stages = true, keeps_whole = false;
    /// How often kernels load and store each float of the matrix, and once more those that are sent. The model's counts are compared with
    /// it.
    int passes = 1, passes_of_sent = 0;
};

/// Waits, in the stream, until all ranks are here.
void meet_all(Rank& rank);

/// Fills this rank's rows of the input with numbers that tell where they belong.
void fill_input(const Rank& rank);
/// Elements of this rank's rows of the output that are wrong.
unsigned long long count_wrong(const Rank& rank);

/// Runs the steps as a chapter's program does, on all GPUs, and returns its exit code. Processes that mpirun or srun started have one
/// GPU each; one process alone has a thread for each.
int run(int argc, char** argv, std::vector<Step> steps);

}  // namespace across_gpus
