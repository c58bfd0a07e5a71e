// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What a rank works with, and what a step is.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <functional>
#include <string>
#include <vector>

#include "blocks.cuh"

namespace across_gpus {

// A process with its GPU. All but `inputs`, `outputs` and `flags` is only there if the steps need it.
struct Rank {
    int rank = 0, ranks = 1;
    /// Of the input, over all ranks.
    std::size_t width = 0, height = 0;
    /// Each rank's rows of the input and of the output, in addresses of this rank.
    std::vector<float*> inputs, outputs;
    /// Blocks in the order of the ranks: as they are sent, and as they are received. And a whole transposed input.
    float *send = nullptr, *receive = nullptr, *whole = nullptr;
    /// In how many pieces `in_pieces` sends.
    int pieces = 0;
    /// CUDA's numbers of the ranks' GPUs, as this process counts them; -1 for those that it does not see.
    std::vector<int> devices;
    ncclComm_t communicator = nullptr;
    /// Where the check counts what is wrong.
    unsigned long long* wrong = nullptr;
    Flags flags{};
    cudaStream_t stream = nullptr, copying = nullptr, placing = nullptr;
    std::vector<cudaEvent_t> events;

    std::size_t row(int of) const { return first_row(height, of, ranks); }
    int rows(int of) const { return rows_of(height, of, ranks); }
    std::size_t column(int of) const { return first_row(width, of, ranks); }
    int columns(int of) const { return rows_of(width, of, ranks); }
    float* input() const { return inputs[rank]; }
    float* output() const { return outputs[rank]; }
    /// Bytes that this rank sends to others.
    std::size_t bytes_sent() const { return sizeof(float) * rows(rank) * (width - columns(rank)); }
};

struct Step {
    std::string name;
    /// Puts the step into `stream` and what it forks from there. It has ended everywhere when `stream` goes on.
    std::function<void(Rank&)> enqueue;
    /// False for what only moves as many bytes, to compare with.
    bool transposes = true;
    /// Whether it calls NCCL, needs memory to send from and to receive into, and a whole transposed input.
    bool communicates = false, stages = true, keeps_whole = false;
    /// How often kernels load and store each float of the matrix, and once more those that are sent. The model's counts are held
    /// against it.
    int passes = 1, passes_of_sent = 0;
};

/// Waits, in the stream, until all ranks are here.
void meet_all(Rank& rank);

/// The steps of this chapter, in the order of the book, and what they are compared with.
std::vector<Step> all_steps();

}  // namespace across_gpus
