// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// NVIDIA's compiler library, which stands behind the model's.
#pragma once

namespace simt::nvrtc {

/// A function of NVIDIA's `libnvrtc`. It is looked for in the other folders of `LD_LIBRARY_PATH`, in `CUDA_PATH` and `CUDA_HOME`,
/// in the folders of the system, and in `/usr/local/cuda`. Null, after one line on stderr, where there is none.
void* real_function(const char* name);

}  // namespace simt::nvrtc
