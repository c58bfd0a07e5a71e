// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What programs of the runtime API take from the driver API's header: its version. The driver API itself is not modelled.
#pragma once

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION
