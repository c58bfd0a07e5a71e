// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Elements of 1 to 16 bytes, sixteen bytes at a time: one pattern serves all of them.
#pragma once

#include "constants.cuh"

#include <cstdint>

// [transpose_elements]
// A tile of COLUMNS x ROWS elements, by units; both must be multiples of a unit's elements.
template <class Element, int COLUMNS, int ROWS, int THREADS>
__device__ void transpose_elements(Element* output, const Element* input, int width, int height)
{
    constexpr int PER_UNIT = UNIT_BYTES / sizeof(Element);
    constexpr int ROW_UNITS = COLUMNS / PER_UNIT;
    constexpr int LOADS = ROWS * ROW_UNITS / THREADS;
    constexpr int STORES = COLUMNS * (ROWS / PER_UNIT) / THREADS;
    __shared__ uint4 tile[ROWS][ROW_UNITS];

    int left = blockIdx.y * COLUMNS, top = blockIdx.x * ROWS;
    int place = threadIdx.x % ROW_UNITS, row = threadIdx.x / ROW_UNITS;

    uint4 units[LOADS];
    for (int i = 0; i < LOADS; ++i) {
        int x = left + place * PER_UNIT, y = top + row + i * (THREADS / ROW_UNITS);
        bool inside = x < width && y < height;
        units[i] =
            inside ? *reinterpret_cast<const uint4*>(&input[static_cast<size_t>(y) * width + x]) : uint4{};
    }
    // The rows of one unit of the output have the same swizzle.
    for (int i = 0; i < LOADS; ++i) {
        int r = row + i * (THREADS / ROW_UNITS);
        tile[r][place ^ r / PER_UNIT % UNITS_IN_BANKS] = units[i];
    }

    __syncthreads();

    // A warp writes 8 units of each of 4 rows of the output.
    for (int i = 0; i < STORES; ++i) {
        int index = threadIdx.x / UNITS_IN_BANKS + i * (THREADS / UNITS_IN_BANKS);
        int column = index % COLUMNS;
        int unit = threadIdx.x % UNITS_IN_BANKS + index / COLUMNS * UNITS_IN_BANKS;
        int x = top + unit * PER_UNIT, y = left + column;
        alignas(uint4) Element elements[PER_UNIT];
        for (int k = 0; k < PER_UNIT; ++k) {
            const uint4& from = tile[unit * PER_UNIT + k][column / PER_UNIT ^ unit % UNITS_IN_BANKS];
            elements[k] = reinterpret_cast<const Element*>(&from)[column % PER_UNIT];
        }
        if (x < height && y < width)
            *reinterpret_cast<uint4*>(&output[static_cast<size_t>(y) * height + x]) =
                *reinterpret_cast<uint4*>(elements);
    }
}
// [/transpose_elements]

// [transpose_1_byte]
__global__ void __launch_bounds__(512)
    transpose_1_byte(uint8_t* output, const uint8_t* input, int width, int height)
{
    transpose_elements<uint8_t, 256, 128, 512>(output, input, width, height);
}
// [/transpose_1_byte]

// [transpose_2_bytes]
__global__ void __launch_bounds__(512)
    transpose_2_bytes(uint16_t* output, const uint16_t* input, int width, int height)
{
    transpose_elements<uint16_t, 128, 128, 512>(output, input, width, height);
}
// [/transpose_2_bytes]

// [transpose_4_bytes]
__global__ void __launch_bounds__(512)
    transpose_4_bytes(uint32_t* output, const uint32_t* input, int width, int height)
{
    transpose_elements<uint32_t, 64, 64, 512>(output, input, width, height);
}
// [/transpose_4_bytes]

// [transpose_8_bytes]
__global__ void __launch_bounds__(512)
    transpose_8_bytes(uint64_t* output, const uint64_t* input, int width, int height)
{
    transpose_elements<uint64_t, 32, 64, 512>(output, input, width, height);
}
// [/transpose_8_bytes]

// [transpose_16_bytes]
__global__ void __launch_bounds__(512)
    transpose_16_bytes(uint4* output, const uint4* input, int width, int height)
{
    transpose_elements<uint4, 32, 32, 512>(output, input, width, height);
}
// [/transpose_16_bytes]
