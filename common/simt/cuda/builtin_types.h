// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The types of the runtime API and the vector types.
#pragma once

#include "driver_types.h"
#include "vector_types.h"
