// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// CUDA in a header beside the source that includes it.

#pragma once

namespace header {

__constant__ int scale[2] = {3, 5};

__global__ void scaled(int* out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = scale[threadIdx.x % 2];
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

inline void launch(int* out) { scaled<<<1, 32>>>(out); }

}  // namespace header
