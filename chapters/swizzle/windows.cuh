// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Rows of any number of elements, which begin anywhere in a unit of sixteen bytes.
#pragma once

#include "constants.cuh"

#include <cstdint>

// [load_unit]
// The unit that begins at `first`, of a matrix that ends at `end`. What lies behind its end is not read.
template <class Element>
__device__ uint4 load_unit(const Element* input, size_t first, size_t end)
{
    constexpr int PER_UNIT = UNIT_BYTES / sizeof(Element);
    if (first + PER_UNIT <= end) return *reinterpret_cast<const uint4*>(&input[first]);
    alignas(uint4) Element elements[PER_UNIT] = {};
    for (int k = 0; k < PER_UNIT; ++k)
        if (first + k < end) elements[k] = input[first + k];
    return *reinterpret_cast<uint4*>(elements);
}
// [/load_unit]

// [transpose_windows]
// Rows that begin anywhere: of each row of the input, the units that hold its piece of the tile, and of each row of the
// output, units from its first whole sector on. Both matrices must begin with a unit.
template <class Element, int COLUMNS, int ROWS, int THREADS>
__device__ void transpose_windows(Element* output, const Element* input, int width, int height)
{
    constexpr int PER_UNIT = UNIT_BYTES / sizeof(Element), PER_SECTOR = SECTOR_BYTES / sizeof(Element);
    constexpr int ROW_UNITS = COLUMNS / PER_UNIT + 1, TILE_ROWS = ROWS + PER_SECTOR;
    constexpr int PITCH = (ROW_UNITS + UNITS_IN_BANKS - 1) / UNITS_IN_BANKS * UNITS_IN_BANKS;
    constexpr int LOADS = (TILE_ROWS * ROW_UNITS + THREADS - 1) / THREADS;
    constexpr int STORES = COLUMNS * (ROWS / PER_UNIT) / THREADS;
    __shared__ uint4 tile[TILE_ROWS][PITCH];

    int left = blockIdx.y * COLUMNS, top = static_cast<int>(blockIdx.x * ROWS) - PER_SECTOR;
    uint4 units[LOADS];
    for (int i = 0; i < LOADS; ++i) {
        int index = threadIdx.x + i * THREADS, y = top + index / ROW_UNITS;
        bool inside = index < TILE_ROWS * ROW_UNITS && y >= 0 && y < height;
        size_t first = (static_cast<size_t>(y) * width + left) / PER_UNIT + index % ROW_UNITS;
        units[i] = inside ? load_unit(input, first * PER_UNIT, static_cast<size_t>(width) * height) : uint4{};
    }
    for (int i = 0; i < LOADS; ++i) {
        int index = threadIdx.x + i * THREADS, row = index / ROW_UNITS;
        if (index < TILE_ROWS * ROW_UNITS)
            tile[row][index % ROW_UNITS ^ row / PER_UNIT % UNITS_IN_BANKS] = units[i];
    }

    __syncthreads();

    for (int i = 0; i < STORES; ++i) {
        int index = threadIdx.x / UNITS_IN_BANKS + i * (THREADS / UNITS_IN_BANKS);
        int column = index % COLUMNS;
        int unit = threadIdx.x % UNITS_IN_BANKS + index / COLUMNS * UNITS_IN_BANKS;
        if (left + column >= width) continue;
        // The row of the output begins `back` elements behind the start of a sector.
        size_t begin = static_cast<size_t>(left + column) * height;
        int back = begin % PER_SECTOR;
        int row = PER_SECTOR - back + unit * PER_UNIT, x = top + row;
        if (x + PER_UNIT <= 0 || x >= height) continue;
        alignas(uint4) Element elements[PER_UNIT];
        for (int k = 0; k < PER_UNIT; ++k) {
            // Each row of the tile begins as many elements late as its row of the input.
            unsigned late = (static_cast<unsigned>(x + k) * width + left) % PER_UNIT;
            unsigned place = (column + late) / PER_UNIT ^ static_cast<unsigned>(row + k) / PER_UNIT % UNITS_IN_BANKS;
            elements[k] = reinterpret_cast<const Element*>(&tile[row + k][place])[(column + late) % PER_UNIT];
        }
        if (x >= 0 && x + PER_UNIT <= height)
            *reinterpret_cast<uint4*>(&output[begin + x]) = *reinterpret_cast<uint4*>(elements);
        else
            for (int k = 0; k < PER_UNIT; ++k)
                if (x + k >= 0 && x + k < height) output[begin + x + k] = elements[k];
    }
}
// [/transpose_windows]

// [transpose_windows_1_byte]
__global__ void __launch_bounds__(256) transpose_windows_1_byte(uint8_t* output, const uint8_t* input, int width, int height)
{
    transpose_windows<uint8_t, 128, 128, 256>(output, input, width, height);
}
// [/transpose_windows_1_byte]

// [transpose_windows_2_bytes]
__global__ void __launch_bounds__(256) transpose_windows_2_bytes(uint16_t* output, const uint16_t* input, int width, int height)
{
    transpose_windows<uint16_t, 128, 64, 256>(output, input, width, height);
}
// [/transpose_windows_2_bytes]
