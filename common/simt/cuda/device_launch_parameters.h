// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// threadIdx, blockIdx, blockDim and gridDim.
#pragma once

#include "simt_cuda/built_in_variables.h"
