// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How programs time their launches.
#pragma once

#include <cmath>
#include <cuda_runtime.h>
#include <vector>

// The milliseconds of some launches. Under the model, which has no time, they are NaN.
template <class Launch>
std::vector<float> milliseconds(int launches, Launch launch)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times(launches);
    for (float& ms : times) {
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
    }
    return times;
}
