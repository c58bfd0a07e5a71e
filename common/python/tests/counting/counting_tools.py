# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Programs for scripts/count, and how it is run on them.

The tests that build a program take the model from the build folder that CONFLICT_FREE_BUILD names, as CTest does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

from conflict_free.model_files import REPORT_SCHEMA
from conflict_free.schemas import Schema

BUILD = os.environ.get("CONFLICT_FREE_BUILD")
SCHEMA = Schema.of(REPORT_SCHEMA)

needs_model = pytest.mark.skipif(not BUILD, reason="CONFLICT_FREE_BUILD names no build folder")

HEADER = """\
#pragma once
__device__ float doubled(float x) { return 2 * x; }
template <class T>
void start(T* out) { reverse<<<1, 64>>>(out); }
"""

SOURCE = """\
#include <cstdio>
#include <cstdlib>

template <class T>
__global__ void reverse(T* out)
{
    __shared__ T tile[64];
    tile[threadIdx.x] = threadIdx.x;
#ifndef RACE
    __syncthreads();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
#include "start.cuh"

int main(int argc, char** argv)
{
    float *out;
    cudaMalloc(&out, 64 * sizeof(float));
#ifdef TO_NOWHERE
    start(out);
    start(static_cast<float*>(nullptr));
    start(out);
#else
    for (int i = 0; i < 3; ++i) start(out);
#endif
    std::printf("value %d, %s\\n", VALUE, argc > 1 ? argv[1] : "no argument");
    if (argc > 2) std::abort();
    return argc - 1;
}
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Runs scripts/count in `folder` with the model that is built."""
    build = ("--build-dir", BUILD) if BUILD else ()
    return subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "count"), *build, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
