"""The work for PyTorch. The body of each function is stored with its times."""

from __future__ import annotations

import numpy as np
import torch
from peer_sampling import L2_MULTIPLE

NAME = "PyTorch"
VERSION = torch.__version__

# Distances in memory at a time: a GiB of floats, the usual chunk of a matrix that may exceed the memory.
_DISTANCES = 1 << 28


def torch_copy(output: torch.Tensor, matrix: torch.Tensor) -> None:
    output.copy_(matrix.t())


def torch_sum(output: torch.Tensor, numbers: torch.Tensor) -> None:
    torch.sum(numbers, dim=0, out=output)


# cdist makes distances from a product of matrices. It rounds nothing for the points of our kernels: all that is added there is a
# multiple of 2**-20 and less than 2**4, which a float holds.
def torch_cdist_topk(output: torch.Tensor, points: torch.Tensor) -> None:
    rows = max(1, _DISTANCES // len(points))
    for first in range(0, len(points), rows):
        distances = torch.cdist(points[first : first + rows], points)
        distances.diagonal(first).fill_(torch.inf)
        output[first : first + rows] = distances.topk(1, largest=False).indices[:, 0]


def torch_cdist_argmin(output: torch.Tensor, points: torch.Tensor) -> None:
    rows = max(1, _DISTANCES // len(points))
    for first in range(0, len(points), rows):
        distances = torch.cdist(points[first : first + rows], points)
        distances.diagonal(first).fill_(torch.inf)
        output[first : first + rows] = distances.argmin(dim=1)


def torch_mm(output: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    torch.mm(a, b, out=output)


# Larger matrices of distances take a minute to verify and show nothing new.
MOST = {"nearest": 1 << 16}

CALLS = {"transpose": (torch_copy,), "sum": (torch_sum,), "nearest": (torch_cdist_topk, torch_cdist_argmin), "product": (torch_mm,)}


class Device:
    """The GPU as PyTorch sees it; see peer_sampling.Device."""

    def __init__(self, l2_bytes: int) -> None:
        self._flushed = torch.zeros(L2_MULTIPLE * l2_bytes // 4, device="cuda")
        self._sink = torch.empty((), device="cuda")

    def free_bytes(self) -> int:
        torch.cuda.empty_cache()
        return torch.cuda.mem_get_info()[0]

    def flush(self) -> None:
        torch.sum(self._flushed, dim=0, out=self._sink)

    def event(self) -> torch.cuda.Event:
        return torch.cuda.Event(enable_timing=True)

    def milliseconds(self, begin: torch.cuda.Event, end: torch.cuda.Event) -> float:
        end.synchronize()
        return begin.elapsed_time(end)

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def moved(self, host: np.ndarray) -> torch.Tensor:
        """Return the array in device memory. Whole numbers of 2 bytes are the bits of bf16, which numpy does not have."""
        if host.dtype == np.uint16:
            return torch.from_numpy(host.view(np.int16)).cuda().view(torch.bfloat16)
        return torch.from_numpy(host).cuda()

    def poison(self, array: torch.Tensor) -> None:
        """Fill an array with values that no peer computes."""
        array.fill_(torch.nan if array.is_floating_point() else -1)

    def back(self, array: torch.Tensor) -> np.ndarray:
        """Return the array in host memory."""
        if array.dtype == torch.bfloat16:
            return array.view(torch.int16).cpu().numpy().view(np.uint16)
        return array.cpu().numpy()
