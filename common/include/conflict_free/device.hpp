// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What a launch has to know of the device that it is for.
#pragma once

#include "conflict_free/error.hpp"

namespace conflict_free {

/// Multiprocessors of the device, or of the modeled machine. Asked for once, then remembered.
inline int multiprocessors()
{
    static const int count = [] {
        int device = 0, found = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device));
        return found;
    }();
    return count;
}

}  // namespace conflict_free
