// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Which block is whose, and how blocks get from rank to rank.
#pragma once

#include <algorithm>
#include <cuda/atomic>

#include "blocks.cuh"
#include "errors.hpp"
#include "rank.hpp"

namespace across_gpus {

// [after]
// The ranks after this one, and it itself last: no two ranks send to the same at the same time.
inline int after(const Rank& rank, int i) { return (rank.rank + 1 + i) % rank.ranks; }
// [/after]

// [block_for]
// The block of this rank for `other`: columns `begin` to `end` of that rank's.
inline Block block_for(
    const Rank& rank, int other, int begin, int end, float* destination, std::size_t pitch)
{
    return {rank.input() + rank.column(other) + begin, destination, rank.width, pitch, rank.rows(rank.rank),
        end - begin};
}

inline Block block_for(const Rank& rank, int other, float* destination, std::size_t pitch)
{
    return block_for(rank, other, 0, rank.columns(other), destination, pitch);
}

// Where this rank's part of the rows of `other`'s output lies.
inline float* place_in_output(const Rank& rank, int other)
{
    return rank.outputs[other] + rank.row(rank.rank);
}

inline float* to_send(const Rank& rank, int other)
{
    return rank.send + rank.column(other) * rank.rows(rank.rank);
}
inline float* received(const Rank& rank, int other)
{
    return rank.receive + rank.row(other) * rank.columns(rank.rank);
}
// [/block_for]

// [place]
// Copies blocks without transposing them.
template <class Unit>
__global__ void place_blocks(const __grid_constant__ Blocks blocks)
{
    const Block& block = blocks.block[blockIdx.z];
    int units = block.columns * sizeof(float) / sizeof(Unit);
    for (int y = blockIdx.y; y < block.rows; y += gridDim.y) {
        const Unit* from = reinterpret_cast<const Unit*>(block.source + y * block.source_pitch);
        Unit* to = reinterpret_cast<Unit*>(block.destination + y * block.destination_pitch);
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < units; x += gridDim.x * blockDim.x)
            to[x] = from[x];
    }
}

inline bool whole_units(const void* pointer, std::size_t pitch, int count)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0 && pitch % 4 == 0 &&
           count % 4 == 0;
}

inline void place(const Blocks& blocks, cudaStream_t stream)
{
    bool aligned = true;
    int rows = 0;
    for (int i = 0; i < blocks.count; ++i) {
        const Block& block = blocks.block[i];
        rows = std::max(rows, block.rows);
        aligned = aligned && whole_units(block.source, block.source_pitch, block.columns) &&
                  whole_units(block.destination, block.destination_pitch, block.columns);
    }
    if (rows == 0)
        return;
    dim3 grid(2, std::min(rows, 2048), blocks.count);
    (aligned ? place_blocks<float4> : place_blocks<float>)<<<grid, 256, 0, stream>>>(blocks);
    CHECK(cudaGetLastError());
}
// [/place]

// [exchange]
// Sends each rank its block, or one of `parts` parts of it, and receives the like, as runs of bytes.
inline void exchange(Rank& rank, int part, int parts, bool with_self, cudaStream_t stream)
{
    CHECK(ncclGroupStart());
    for (int i = 0; i < rank.ranks; ++i) {
        int other = after(rank, i);
        if (other == rank.rank && !with_self)
            continue;
        auto begin = [&](int of, int number) { return first_row(rank.columns(of), number, parts); };
        std::size_t mine = rank.rows(rank.rank), theirs = rank.rows(other);
        std::size_t sent = begin(other, part + 1) - begin(other, part);
        std::size_t taken = begin(rank.rank, part + 1) - begin(rank.rank, part);
        if (sent * mine > 0)
            CHECK(ncclSend(to_send(rank, other) + begin(other, part) * mine, sent * mine, ncclFloat, other,
                rank.communicator, stream));
        if (taken * theirs > 0)
            CHECK(ncclRecv(received(rank, other) + begin(rank.rank, part) * theirs, taken * theirs,
                ncclFloat, other, rank.communicator, stream));
    }
    CHECK(ncclGroupEnd());
}
// [/exchange]

// [concatenate]
// Puts what was received into its columns of the output.
inline void concatenate(Rank& rank, int part, int parts, bool with_self, cudaStream_t stream)
{
    Blocks blocks{};
    int begin = first_row(rank.columns(rank.rank), part, parts),
        end = first_row(rank.columns(rank.rank), part + 1, parts);
    for (int i = 0; i < rank.ranks; ++i) {
        int other = after(rank, i);
        if (other == rank.rank && !with_self)
            continue;
        std::size_t columns = rank.rows(other);
        blocks.block[blocks.count++] = {received(rank, other) + begin * columns,
            rank.output() + begin * rank.height + rank.row(other), columns, rank.height, end - begin,
            int(columns)};
    }
    place(blocks, stream);
}
// [/concatenate]

// [copy_rows]
// Copies rows `begin` to `end` of what was transposed for `other` to its output, by a copy engine.
inline void copy_rows(Rank& rank, int other, int begin, int end, cudaStream_t stream)
{
    std::size_t mine = rank.rows(rank.rank), bytes = mine * sizeof(float);
    if (bytes == 0 || end == begin)
        return;
    CHECK(cudaMemcpy2DAsync(place_in_output(rank, other) + begin * rank.height, rank.height * sizeof(float),
        to_send(rank, other) + begin * mine, bytes, bytes, end - begin, cudaMemcpyDefault, stream));
}
// [/copy_rows]

// [fork]
// Work that is added to `to` from here on waits for the work that is in `from`.
inline void fork(Rank& rank, cudaStream_t to, cudaStream_t from, std::size_t& event)
{
    if (event == rank.events.size()) {
        rank.events.emplace_back();
        CHECK(cudaEventCreateWithFlags(&rank.events.back(), cudaEventDisableTiming));
    }
    CHECK(cudaEventRecord(rank.events[event], from));
    CHECK(cudaStreamWaitEvent(to, rank.events[event], 0));
    ++event;
}
// [/fork]

// [meet_all]
// A barrier between GPUs, in their streams: no host waits. One block with a thread for each rank.
// All that was written before it, by any rank, has arrived after it.
__global__ void meet(const __grid_constant__ Flags flags)
{
    int other = threadIdx.x;
    unsigned turn = *flags.count + 1;
    __threadfence_system();
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> there(flags.of[other][flags.rank]);
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> here(flags.of[flags.rank][other]);
    there.store(turn, cuda::memory_order_release);
    while (static_cast<int>(here.load(cuda::memory_order_acquire) - turn) < 0) {}
    if (other == 0)
        *flags.count = turn;
}

void meet_all(Rank& rank)
{
    if (rank.ranks == 1)
        return;
    meet<<<1, rank.ranks, 0, rank.stream>>>(rank.flags);
    CHECK(cudaGetLastError());
}
// [/meet_all]

}  // namespace across_gpus
