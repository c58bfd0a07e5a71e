// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "measure.hpp"

#include <algorithm>

#include "check.cuh"
#include "errors.hpp"

namespace across_gpus {
namespace {

constexpr int WARM_UP = 2;

dim3 grid_for(int rows) { return dim3(8, std::min(rows, 4096)); }

unsigned long long count_wrong(Rank& rank)
{
    unsigned long long result = 0;
    int rows = rank.columns(rank.rank);
    CHECK(cudaMemsetAsync(rank.wrong, 0, sizeof(result), rank.stream));
    if (rows > 0) {
        check_rows<<<grid_for(rows), 256, 0, rank.stream>>>(
            rank.output(), rank.column(rank.rank), rows, rank.height, rank.wrong);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(&result, rank.wrong, sizeof(result), cudaMemcpyDeviceToHost, rank.stream));
    CHECK(cudaStreamSynchronize(rank.stream));
    return result;
}

// All outputs are full of NaN when a rank goes on: no step passes on what another left.
void poison(Rank& rank, Control& control)
{
    if (rank.output())
        CHECK(cudaMemsetAsync(
            rank.output(), 0xff, sizeof(float) * rank.columns(rank.rank) * rank.height, rank.stream));
    CHECK(cudaStreamSynchronize(rank.stream));
    control.barrier();
}

std::vector<float> take_times(Rank& rank, const Step& step, int samples)
{
    for (int i = 0; i < WARM_UP; ++i)
        step.enqueue(rank);
    std::vector<cudaEvent_t> begins(samples), ends(samples);
    for (int i = 0; i < samples; ++i) {
        CHECK(cudaEventCreate(&begins[i]));
        CHECK(cudaEventCreate(&ends[i]));
    }
    // All ranks begin a sample together.
    for (int i = 0; i < samples; ++i) {
        meet_all(rank);
        CHECK(cudaEventRecord(begins[i], rank.stream));
        step.enqueue(rank);
        CHECK(cudaEventRecord(ends[i], rank.stream));
    }
    CHECK(cudaStreamSynchronize(rank.stream));
    std::vector<float> milliseconds(samples);
    for (int i = 0; i < samples; ++i) {
        CHECK(cudaEventElapsedTime(&milliseconds[i], begins[i], ends[i]));
        CHECK(cudaEventDestroy(begins[i]));
        CHECK(cudaEventDestroy(ends[i]));
    }
    return milliseconds;
}

}  // namespace

void fill_input(Rank& rank)
{
    int rows = rank.rows(rank.rank);
    if (rows > 0)
        fill_rows<<<grid_for(rows), 256, 0, rank.stream>>>(
            rank.input(), rank.row(rank.rank), rows, rank.width);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(rank.stream));
}

Outcome measure(Rank& rank, Control& control, const Step& step, int samples)
{
    Outcome outcome;
    poison(rank, control);
    step.enqueue(rank);
    CHECK(cudaStreamSynchronize(rank.stream));
    control.barrier();
    if (step.transposes)
        outcome.wrong += count_wrong(rank);
    if (samples == 0)
        return outcome;
    control.barrier();
    outcome.milliseconds = take_times(rank, step, samples);
    control.barrier();
    if (step.transposes)
        outcome.wrong += count_wrong(rank);
    return outcome;
}

}  // namespace across_gpus
