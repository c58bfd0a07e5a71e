"""Programs for scripts/count, and how it is run on them.

The tests that build a program take the model from the build folder that CONFLICT_FREE_BUILD names, as CTest does.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY
from made_counts import global_, shared, warp_lanes

from conflict_free.counts import report_schema
from conflict_free.schemas import Schema

BUILD = os.environ.get("CONFLICT_FREE_BUILD")
SCHEMA = Schema(report_schema())

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


def run_script(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess:
    """Runs a script of the repository in `folder`."""
    command = [sys.executable, str(REPOSITORY / "scripts" / script), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, check=False)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Runs scripts/count in `folder` with the model that is built."""
    return run_script(folder, "count", *(("--build-dir", BUILD) if BUILD else ()), *arguments)


def read_report(folder: Path) -> dict:
    """The report out.json in `folder`, which must have the shape of the schema."""
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert SCHEMA.misfits(data) == []
    return data


def kernel(launch=0, wavefronts=128, **changes) -> dict:
    """A launch of one block whose line 3 stores to shared memory, four times."""
    counts = shared(4, wavefronts, 4)
    return {
        "name": "k",
        "launch": launch,
        "grid": [1, 1, 1],
        "block": [32, 2, 1],
        "shared_bytes": 0,
        "shared_load": shared(),
        "shared_store": counts,
        "shared_atomic": shared(),
        "global_load": global_(),
        "global_store": global_(),
        "global_atomic": global_(),
        "barriers": 1,
        "warp_barriers": 0,
        "lines": [{"file": "a.cu", "line": 3, "space": "shared", "op": "store", **counts, "first_access": warp_lanes(128)}],
        **changes,
    }


def report(*kernels: dict, **changes) -> dict:
    """A report of launches."""
    data = {"machine": "sm_90", "kernels": list(kernels), "hazards": [], "exit_code": 0, **changes}
    assert SCHEMA.misfits(data) == []
    return data
