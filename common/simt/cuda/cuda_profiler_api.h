// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// cudaProfilerStart() and cudaProfilerStop(), which do nothing here.
#pragma once

#include "cuda_runtime_api.h"
