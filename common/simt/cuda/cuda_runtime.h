// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// CUDA C++ for source that runs under the counting model: what nvcc includes ahead of each file.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cstddef>

#include "simt_cuda/qualifiers.h"

#include "cuda_runtime_api.h"
#include "simt/execution.hpp"
#include "simt_cuda/atomics.h"
#include "simt_cuda/built_in_variables.h"
#include "simt_cuda/conversions.h"
#include "simt_cuda/dpx.h"
#include "simt_cuda/float_math.h"
#include "simt_cuda/integer_math.h"
#include "simt_cuda/memory_hints.h"
#include "simt_cuda/min_max.h"
#include "simt_cuda/runtime_templates.h"
#include "simt_cuda/synchronization.h"
#include "simt_cuda/warp.h"
#include "vector_types.h"
