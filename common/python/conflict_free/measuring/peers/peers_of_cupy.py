"""The work for CuPy. The body of each function is stored with its times."""

from __future__ import annotations

import cupy
import numpy as np
from peer_sampling import L2_MULTIPLE

NAME = "CuPy"
VERSION = cupy.__version__


def cupy_copyto(output: cupy.ndarray, matrix: cupy.ndarray) -> None:
    cupy.copyto(output, matrix.T)


def cupy_sum(output: cupy.ndarray, numbers: cupy.ndarray) -> None:
    cupy.sum(numbers, out=output)


MOST: dict[str, int] = {}

CALLS = {"transpose": (cupy_copyto,), "sum": (cupy_sum,)}


class Device:
    """The GPU as CuPy sees it; see peer_sampling.Device."""

    def __init__(self, l2_bytes: int) -> None:
        self._flushed = cupy.zeros(L2_MULTIPLE * l2_bytes // 4, dtype=cupy.float32)
        self._sink = cupy.empty((), dtype=cupy.float32)

    def free_bytes(self) -> int:
        cupy.get_default_memory_pool().free_all_blocks()
        return cupy.cuda.Device().mem_info[0]

    def flush(self) -> None:
        cupy.sum(self._flushed, out=self._sink)

    def event(self) -> cupy.cuda.Event:
        return cupy.cuda.Event()

    def milliseconds(self, begin: cupy.cuda.Event, end: cupy.cuda.Event) -> float:
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end)

    def synchronize(self) -> None:
        cupy.cuda.Device().synchronize()

    def moved(self, host: np.ndarray) -> cupy.ndarray:
        """Return the array in device memory."""
        return cupy.asarray(host)

    def poison(self, array: cupy.ndarray) -> None:
        """Fill an array with values that no peer computes."""
        array.fill(cupy.nan if array.dtype.kind == "f" else -1)

    def back(self, array: cupy.ndarray) -> np.ndarray:
        """Return the array in host memory."""
        return cupy.asnumpy(array)
