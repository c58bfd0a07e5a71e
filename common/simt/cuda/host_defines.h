// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// CUDA's keywords.
#pragma once

#include "simt_cuda/qualifiers.h"
