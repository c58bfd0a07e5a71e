// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <conflict_free/testing.hpp>

#include "transpose.cuh"

TEST(Transpose, HasNoBankConflict) {
    constexpr int N = 2 * TILE_DIM;
    float *in, *out;
    ASSERT_EQ(cudaMalloc(&in, N * N * sizeof(float)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out, N * N * sizeof(float)), cudaSuccess);

    const auto counts = conflict_free::counted([&] { transpose<<<dim3(2, 2), dim3(TILE_DIM, TILE_DIM)>>>(out, in, N); });
    if (!counts.counted) GTEST_SKIP() << counts.why;

    const conflict_free::Launch launch = counts.kernel("transpose");
    EXPECT_EQ(launch.shared_load.conflicts, 0);
    EXPECT_EQ(launch.global_store.sectors_per_request(), 4);
    EXPECT_TRUE(counts.hazards.empty()) << counts.hazards.front();

    cudaFree(in);
    cudaFree(out);
}
