// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "setup.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "errors.hpp"

namespace across_gpus {
namespace {

// What a rank tells the others of one allocation.
struct Shared {
    char host[64];
    int process;
    void* address;
    cudaIpcMemHandle_t handle;
};

struct Place {
    char host[64];
    char bus[32];
};

// Small allocations can share a piece of memory, and a handle is of a whole piece.
constexpr std::size_t FLAG_BYTES = 2 << 20;

void copy_host_name(char (&to)[64])
{
    std::memset(to, 0, sizeof(to));
    ::gethostname(to, sizeof(to) - 1);
}

std::string gigabytes(std::size_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f GB", bytes / 1e9);
    return text;
}

void* allocate(std::size_t bytes)
{
    void* memory = nullptr;
    if (bytes > 0)
        CHECK(cudaMalloc(&memory, bytes));
    return memory;
}

// The addresses that all ranks' `mine` have here. Ranks of this process share its addresses.
std::vector<void*> open_all(Control& control, void* mine)
{
    Shared shared{};
    copy_host_name(shared.host);
    shared.process = ::getpid();
    shared.address = mine;
    std::vector<int> processes = control.gather_values<int>(shared.process);
    bool one_process = true;
    for (int process : processes)
        one_process = one_process && process == shared.process;
    if (mine && !one_process)
        CHECK(cudaIpcGetMemHandle(&shared.handle, mine));
    std::vector<Shared> all = control.gather_values(shared);

    std::vector<void*> addresses;
    for (int other = 0; other < control.ranks(); ++other) {
        void* address = nullptr;
        if (std::strcmp(all[other].host, shared.host) != 0)
            throw std::runtime_error(
                "rank " + std::to_string(other) + " is on another host: its memory is out of reach");
        if (all[other].process == shared.process)
            address = all[other].address;
        else if (all[other].address)
            CHECK(cudaIpcOpenMemHandle(&address, all[other].handle, cudaIpcMemLazyEnablePeerAccess));
        addresses.push_back(address);
    }
    return addresses;
}

void reach_peers(Rank& rank)
{
    for (int other = 0; other < rank.ranks; ++other) {
        if (other == rank.rank || rank.devices[other] < 0)
            continue;
        int can = 0;
        CHECK(cudaDeviceCanAccessPeer(&can, rank.devices[rank.rank], rank.devices[other]));
        if (!can)
            throw std::runtime_error(
                "its GPU cannot reach the memory of rank " + std::to_string(other) + "'s");
        cudaError_t error = cudaDeviceEnablePeerAccess(rank.devices[other], 0);
        if (error == cudaErrorPeerAccessAlreadyEnabled)
            cudaGetLastError();
        else
            check(error, "cudaDeviceEnablePeerAccess");
    }
}

}  // namespace

void take_device(Rank& rank, Control& control, const Launch& launch)
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    // A launcher may show each process one GPU alone.
    int mine = launch.local_rank % count;
    CHECK(cudaSetDevice(mine));

    Place place{};
    copy_host_name(place.host);
    CHECK(cudaDeviceGetPCIBusId(place.bus, sizeof(place.bus), mine));
    std::vector<Place> places = control.gather_values(place);
    rank.devices.assign(rank.ranks, -1);
    for (int other = 0; other < rank.ranks; ++other) {
        if (std::strcmp(places[other].host, place.host) != 0)
            continue;
        if (other < rank.rank && std::strcmp(places[other].bus, place.bus) == 0)
            throw std::runtime_error("has the same GPU, " + std::string(place.bus) + ", as rank " +
                                     std::to_string(other) + ": start one process for each GPU");
        if (cudaDeviceGetByPCIBusId(&rank.devices[other], places[other].bus) != cudaSuccess) {
            rank.devices[other] = -1;
            cudaGetLastError();
        }
    }
    // Who failed above has told the others by the time that they are here.
    control.barrier();
    reach_peers(rank);
    for (cudaStream_t* stream : {&rank.stream, &rank.copying, &rank.placing})
        CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
}

void take_memory(Rank& rank, Control& control, const Needs& needs)
{
    std::size_t needed =
        sizeof(float) * (needs.input + needs.output + 2 * needs.staging + needs.whole) + FLAG_BYTES;
    std::size_t available = 0, total = 0;
    CHECK(cudaMemGetInfo(&available, &total));
    if (needed > available)
        throw std::runtime_error("too little memory: needs " + gigabytes(needed) + ", its GPU has " +
                                 gigabytes(available) + " left of " + gigabytes(total));
    control.barrier();

    float* input = static_cast<float*>(allocate(sizeof(float) * needs.input));
    float* output = static_cast<float*>(allocate(sizeof(float) * needs.output));
    rank.send = static_cast<float*>(allocate(sizeof(float) * needs.staging));
    rank.receive = static_cast<float*>(allocate(sizeof(float) * needs.staging));
    rank.whole = static_cast<float*>(allocate(sizeof(float) * needs.whole));
    unsigned* flags = static_cast<unsigned*>(allocate(FLAG_BYTES));
    CHECK(cudaMemset(flags, 0, FLAG_BYTES));
    CHECK(cudaDeviceSynchronize());

    for (void* address : open_all(control, input))
        rank.inputs.push_back(static_cast<float*>(address));
    for (void* address : open_all(control, output))
        rank.outputs.push_back(static_cast<float*>(address));
    rank.flags.rank = rank.rank;
    rank.flags.ranks = rank.ranks;
    rank.flags.count = flags + MOST_RANKS;
    rank.wrong = reinterpret_cast<unsigned long long*>(flags + 2 * MOST_RANKS);
    std::vector<void*> all_flags = open_all(control, flags);
    for (int other = 0; other < rank.ranks; ++other)
        rank.flags.of[other] = static_cast<unsigned*>(all_flags[other]);
}

void make_communicator(Rank& rank, Control& control)
{
    ncclUniqueId id{};
    if (rank.rank == 0)
        CHECK(ncclGetUniqueId(&id));
    id = control.gather_values(id)[0];
    CHECK(ncclCommInitRank(&rank.communicator, rank.ranks, id, rank.rank));
}

}  // namespace across_gpus
