// Declarations that the tests of the CUDA surface share.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "device_array.cuh"
#include "model_results.hpp"

template <class T> using Device = DeviceArray<T>;

/// Runs `launch` and returns its counts. There must be one launch and no hazard.
template <class Run> simt::LaunchCounts counts_of(Run&& launch) {
    model::take_launches();
    model::take_hazards();
    launch();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    for (const simt::Hazard& hazard : model::take_hazards()) ADD_FAILURE() << hazard.message.text();
    const auto launches = model::take_launches();
    EXPECT_EQ(launches.size(), 1u);
    return launches.empty() ? simt::LaunchCounts{} : launches.front();
}

/// Expects an error of a call, which stays the last error until cudaGetLastError() takes it.
inline void expect_error(cudaError_t given, cudaError_t expected) {
    EXPECT_EQ(given, expected) << cudaGetErrorName(given);
    EXPECT_EQ(cudaPeekAtLastError(), expected);
    EXPECT_EQ(cudaGetLastError(), expected);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/// Random numbers, the same in every run.
template <class T> std::vector<T> random_values(std::size_t count, std::uint64_t seed = 1) {
    std::mt19937_64 generator(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) value = std::uniform_real_distribution<T>(-100, 100)(generator);
        else value = static_cast<T>(generator() >> (generator() % 64));
    }
    return values;
}
