// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Resets the device, with the memory of the driver and all that was counted.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    cudaDeviceReset();
}
