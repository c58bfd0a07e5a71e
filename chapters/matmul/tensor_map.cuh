// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How a matrix is told to the copy engine.
#pragma once

#include "tiles.cuh"

#include <stdexcept>
#include <string>

// [tensor_map]
// Describes a matrix to the copy engine: where its rows lie, and boxes of 64 columns, swizzled.
inline CUtensorMap tensor_map(const bf16* matrix, int width, int height, int box_height)
{
    // A function of the driver: asked for by name, so that no program needs to be linked with it.
    static auto encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        cudaError_t error = cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
        if (error != cudaSuccess)
            throw std::runtime_error(std::string("cuTensorMapEncodeTiled: ") + cudaGetErrorString(error));
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
    }();
    const cuuint64_t extent[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)};
    const cuuint64_t row_bytes[] = {extent[0] * sizeof(bf16)};
    const cuuint32_t box[] = {BOX, static_cast<cuuint32_t>(box_height)}, every[] = {1, 1};
    CUtensorMap map;
    const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix),
        extent, row_bytes, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        throw std::runtime_error("cuTensorMapEncodeTiled failed: " + std::to_string(result));
    return map;
}
// [/tensor_map]
