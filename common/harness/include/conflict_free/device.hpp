// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Properties of the device that launches depend on.
#pragma once

#include "conflict_free/error.hpp"

namespace conflict_free {

/// Multiprocessors of the device, or of the modeled machine. Queried once, then kept.
inline int multiprocessors() {
    static const int count = [] {
        int device = 0, found = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device));
        return found;
    }();
    return count;
}

/// Compute capability of the device, or of the modeled machine: 90 for 9.0. Queried once, then kept.
inline int compute_capability() {
    static const int capability = [] {
        int device = 0, major = 0, minor = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
        return 10 * major + minor;
    }();
    return capability;
}

}  // namespace conflict_free
