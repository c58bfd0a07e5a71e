// NCCL between two devices of this process, and the counts of their links.

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "calls/nccl/abi.hpp"
#include "model_results.hpp"

namespace {

using simt::Hazard;
using simt::HazardKind;
using simt::Message;
using simt::MessageCode;

constexpr int N = 256;

// The model reads the variable when a program first asks for its devices.
[[maybe_unused]] const bool has_two_devices = setenv("SIMT_DEVICES", "2", 1) == 0;

unsigned long long link_bytes(int from, int to) {
    static auto* const ask = reinterpret_cast<unsigned long long (*)(int, int)>(dlsym(RTLD_DEFAULT, "simt_link_bytes"));
    return ask ? ask(from, to) : 0;
}

/// True if the report contains a text. Reading the report does not change it.
bool is_reported(const std::string& text) {
    static auto* const look = reinterpret_cast<const char* (*)(unsigned long long)>(dlsym(RTLD_DEFAULT, "simt_look_at_report"));
    return look && std::string(look(0)).find(text) != std::string::npos;
}

/// The description of a first message between two ranks.
Message first_of(int rank, MessageCode code, int bytes) {
    return {code, {{"bytes", bytes}, {"peer", 1 - rank}, {"number", 1}, {"rank", rank}}};
}
Message waits(const Message& message) { return {MessageCode::message_waits, {{"message", std::vector{message}}}}; }

/// The buffers from which a rank sends and into which it receives.
struct Rank {
    int number = 0;
    ncclComm_t communicator = nullptr;
    float *from = nullptr, *to = nullptr;
};

/// Runs `body` as two ranks, each in a thread with a device of its own.
void run_ranks(const std::function<void(Rank&)>& body) {
    ncclUniqueId id{};
    ncclGetUniqueId(&id);
    std::vector<std::thread> threads;
    for (int number = 0; number < 2; ++number)
        threads.emplace_back([&body, number, id] {
            ASSERT_EQ(cudaSetDevice(number), cudaSuccess);
            Rank rank{number};
            ASSERT_EQ(ncclCommInitRank(&rank.communicator, 2, id, number), ncclSuccess);
            cudaMalloc(&rank.from, N * sizeof(float));
            cudaMalloc(&rank.to, N * sizeof(float));
            const std::vector<float> values(N, static_cast<float>(number + 1));
            cudaMemcpy(rank.from, values.data(), N * sizeof(float), cudaMemcpyHostToDevice);
            body(rank);
            ncclCommDestroy(rank.communicator);
            cudaFree(rank.from);
            cudaFree(rank.to);
        });
    for (std::thread& thread : threads) thread.join();
}

float first_of(const float* memory) {
    float value = 0;
    cudaMemcpy(&value, memory, sizeof(float), cudaMemcpyDeviceToHost);
    return value;
}

std::vector<int> lines_of(const Hazard& hazard) {
    std::vector<int> lines;
    for (const simt::SourcePlace& place : hazard.lines) lines.push_back(place.file == "nccl_test.cu" ? place.line : 0);
    return lines;
}

TEST(Nccl, AGroupExchangesAndItsBytesCrossBothLinks) {
    model::take_hazards();
    const unsigned long long there = link_bytes(0, 1), back = link_bytes(1, 0);
    run_ranks([](Rank& rank) {
        const int other = 1 - rank.number;
        ncclGroupStart();
        EXPECT_EQ(ncclSend(rank.from, N, ncclFloat32, other, rank.communicator, nullptr), ncclSuccess);
        EXPECT_EQ(ncclRecv(rank.to, N, ncclFloat32, other, rank.communicator, nullptr), ncclSuccess);
        EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
        EXPECT_EQ(first_of(rank.to), static_cast<float>(other + 1));
    });
    EXPECT_TRUE(model::take_hazards().empty());
    EXPECT_EQ(link_bytes(0, 1) - there, N * sizeof(float));
    EXPECT_EQ(link_bytes(1, 0) - back, N * sizeof(float));
}

TEST(Nccl, WhatARankSendsItselfCrossesNoLink) {
    const unsigned long long before = link_bytes(-1, -1);
    run_ranks([](Rank& rank) {
        ncclGroupStart();
        ncclSend(rank.from, N, ncclFloat32, rank.number, rank.communicator, nullptr);
        ncclRecv(rank.to, N, ncclFloat32, rank.number, rank.communicator, nullptr);
        EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
        EXPECT_EQ(first_of(rank.to), static_cast<float>(rank.number + 1));
    });
    EXPECT_EQ(link_bytes(-1, -1), before);
}

TEST(Nccl, TwoWhoSendFirstAreADeadlockWithBothLines) {
    model::take_hazards();
    int line = 0;
    run_ranks([&line](Rank& rank) {
        if (rank.number == 0) line = __LINE__ + 1;
        EXPECT_EQ(ncclSend(rank.from, N, ncclFloat32, 1 - rank.number, rank.communicator, nullptr), ncclInvalidUsage);
    });
    EXPECT_TRUE(is_reported("\"ranks_wait\""));
    const std::vector<Hazard> hazards = model::take_hazards();
    EXPECT_FALSE(is_reported("\"ranks_wait\""));
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::deadlock);
    const std::vector waiting{waits(first_of(0, MessageCode::send, 1024)), waits(first_of(1, MessageCode::send, 1024))};
    EXPECT_EQ(hazards[0].message, Message(MessageCode::ranks_wait, {{"waiting", waiting}}));
    EXPECT_EQ(lines_of(hazards[0]), (std::vector<int>{line, line}));
}

TEST(Nccl, ASendThatMeetsAShorterReceiveIsReportedWithBothLines) {
    model::take_hazards();
    int send_line = 0, receive_line = 0;
    run_ranks([&](Rank& rank) {
        if (rank.number == 0) {
            send_line = __LINE__ + 1;
            EXPECT_NE(ncclSend(rank.from, N, ncclFloat32, 1, rank.communicator, nullptr), ncclSuccess);
        } else {
            receive_line = __LINE__ + 1;
            EXPECT_NE(ncclRecv(rank.to, N / 2, ncclFloat32, 0, rank.communicator, nullptr), ncclSuccess);
        }
    });
    const std::vector<Hazard> hazards = model::take_hazards();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].message, Message(MessageCode::sizes_differ, {{"sent", std::vector{first_of(0, MessageCode::send, 1024)}},
                                                                      {"received", std::vector{first_of(1, MessageCode::receive, 512)}}}));
    EXPECT_EQ(lines_of(hazards[0]), (std::vector<int>{send_line, receive_line}));
}

TEST(Nccl, ARankThatLeavesLetsNobodyWait) {
    model::take_hazards();
    run_ranks([](Rank& rank) {
        if (rank.number == 1) return;
        EXPECT_EQ(ncclRecv(rank.to, N, ncclFloat32, 1, rank.communicator, nullptr), ncclInvalidUsage);
    });
    const std::vector<Hazard> hazards = model::take_hazards();
    ASSERT_EQ(hazards.size(), 1u);
    const std::vector waiting{waits(first_of(0, MessageCode::receive, 1024)), Message(MessageCode::rank_has_left, {{"rank", 1}})};
    EXPECT_EQ(hazards[0].message, Message(MessageCode::ranks_wait, {{"waiting", waiting}}));
}

__global__ void add_one(float* to, const float* from) { to[threadIdx.x] = from[threadIdx.x] + 1; }

TEST(Links, CountWhatKernelsLoadFromAndStoreToAnotherDevice) {
    float *own = nullptr, *others = nullptr;
    cudaSetDevice(1);
    cudaMalloc(&others, N * sizeof(float));
    cudaSetDevice(0);
    cudaMalloc(&own, N * sizeof(float));
    cudaDeviceEnablePeerAccess(1, 0);
    unsigned long long there = link_bytes(0, 1), back = link_bytes(1, 0);
    add_one<<<1, N>>>(others, own);
    EXPECT_EQ(link_bytes(0, 1) - there, N * sizeof(float));
    EXPECT_EQ(link_bytes(1, 0) - back, 0u);
    add_one<<<1, N>>>(own, others);
    EXPECT_EQ(link_bytes(0, 1) - there, N * sizeof(float));
    EXPECT_EQ(link_bytes(1, 0) - back, N * sizeof(float));
    there = link_bytes(0, 1);
    cudaMemcpyPeer(others, 1, own, 0, 100);
    EXPECT_EQ(link_bytes(0, 1) - there, 100u);
    cudaFree(own);
    cudaFree(others);
}

}  // namespace
