// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A kernel that copies a matrix as it should, and what its tests share.
#pragma once

#include <conflict_free/matrix_chapter.hpp>

#include <unistd.h>

#include <filesystem>
#include <string>

__global__ void right(float* output, const float* input, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i];
}

inline float copied(const float* input, conflict_free::Size, std::size_t index) { return input[index]; }

template <auto kernel>
void launch(const conflict_free::Matrices<float>& m)
{
    int n = m.width * m.height;
    kernel<<<(n + 127) / 128, 128>>>(m.output, m.input, n);
}

/// The path of a file in a folder of this process.
inline std::string temporary(const char* name)
{
    const auto folder = std::filesystem::temp_directory_path() / ("conflict_free_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}
