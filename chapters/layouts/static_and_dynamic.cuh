// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Layouts of one tile, in one block: written by rows, read by columns.
#pragma once

#include "constants.cuh"

// [layout_square_static]
__global__ void layout_square_static(int* output, const int* input)
{
    __shared__ int tile[TILE_DIM][TILE_DIM];
    int i = threadIdx.y * TILE_DIM + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x][threadIdx.y];
}
// [/layout_square_static]

// [layout_square_static_padded]
__global__ void layout_square_static_padded(int* output, const int* input)
{
    __shared__ int tile[TILE_DIM][TILE_DIM + 1];
    int i = threadIdx.y * TILE_DIM + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x][threadIdx.y];
}
// [/layout_square_static_padded]

// [layout_square_dynamic]
__global__ void layout_square_dynamic(int* output, const int* input)
{
    extern __shared__ int tile[];
    int i = threadIdx.y * TILE_DIM + threadIdx.x;
    tile[threadIdx.y * TILE_DIM + threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x * TILE_DIM + threadIdx.y];
}
// [/layout_square_dynamic]

// [layout_square_dynamic_padded]
__global__ void layout_square_dynamic_padded(int* output, const int* input)
{
    extern __shared__ int tile[];
    int i = threadIdx.y * TILE_DIM + threadIdx.x;
    tile[threadIdx.y * (TILE_DIM + 1) + threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x * (TILE_DIM + 1) + threadIdx.y];
}
// [/layout_square_dynamic_padded]

// [layout_rectangle_static]
__global__ void layout_rectangle_static(int* output, const int* input)
{
    __shared__ int tile[ROWS][COLUMNS];
    int i = threadIdx.y * COLUMNS + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[i % ROWS][i / ROWS];
}
// [/layout_rectangle_static]

// [layout_rectangle_static_padded]
__global__ void layout_rectangle_static_padded(int* output, const int* input)
{
    __shared__ int tile[ROWS][COLUMNS + 2];
    int i = threadIdx.y * COLUMNS + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[i % ROWS][i / ROWS];
}
// [/layout_rectangle_static_padded]

// [layout_rectangle_dynamic]
__global__ void layout_rectangle_dynamic(int* output, const int* input)
{
    extern __shared__ int tile[];
    int i = threadIdx.y * COLUMNS + threadIdx.x;
    tile[threadIdx.y * COLUMNS + threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[(i % ROWS) * COLUMNS + i / ROWS];
}
// [/layout_rectangle_dynamic]

// [layout_rectangle_dynamic_padded]
__global__ void layout_rectangle_dynamic_padded(int* output, const int* input)
{
    extern __shared__ int tile[];
    int i = threadIdx.y * COLUMNS + threadIdx.x;
    tile[threadIdx.y * (COLUMNS + 2) + threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[(i % ROWS) * (COLUMNS + 2) + i / ROWS];
}
// [/layout_rectangle_dynamic_padded]
