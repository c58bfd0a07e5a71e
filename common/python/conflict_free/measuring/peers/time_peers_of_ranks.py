"""The transpose of a matrix that is split by rows over GPUs, in plain PyTorch: timing and checking.

mpirun starts one process for each GPU. The processes meet at the file --meet. Needs PyTorch.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Callable

import torch
import torch.distributed as dist
from peer_sampling import call_text

WARM_UP = 3
# Rows to fill or check at a time.
ROWS = 1024
# The variables of Open MPI and of MPICH.
RANK, RANKS = (
    int(next(os.environ[name] for name in names if name in os.environ))
    for names in (("OMPI_COMM_WORLD_RANK", "PMI_RANK"), ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"))
)
DEVICE = torch.device("cuda", RANK)


def torch_pack_all_to_all(matrix: torch.Tensor, ranks: int) -> torch.Tensor:
    blocks = [block.t().contiguous() for block in matrix.chunk(ranks, dim=1)]
    send = torch.cat([block.flatten() for block in blocks])
    received = torch.empty_like(send)
    dist.all_to_all_single(received, send)
    return torch.cat([block.view(blocks[0].shape) for block in received.chunk(ranks)], dim=1)


def torch_all_to_all(matrix: torch.Tensor, ranks: int) -> torch.Tensor:
    send = matrix.t().contiguous()
    received = torch.empty_like(send)
    dist.all_to_all_single(received, send)
    return torch.cat(received.chunk(ranks), dim=1)


def values(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Return the number of each place of the matrix, exact as a float."""
    return ((rows[:, None] * 40503 + columns[None, :] * 30011) & 0xFFFFFF).to(torch.float32)


def own_rows(n: int) -> torch.Tensor:
    return torch.arange(n * RANK // RANKS, n * (RANK + 1) // RANKS, device=DEVICE)


def filled(n: int) -> torch.Tensor:
    every, mine = torch.arange(n, device=DEVICE), own_rows(n)
    matrix = torch.empty(len(mine), n, device=DEVICE)
    for i in range(0, len(mine), ROWS):
        matrix[i : i + ROWS] = values(mine[i : i + ROWS], every)
    return matrix


def is_right(transposed: torch.Tensor, n: int) -> bool:
    every, mine = torch.arange(n, device=DEVICE), own_rows(n)
    right = all(bool((transposed[i : i + ROWS] == values(every, mine[i : i + ROWS]).t()).all()) for i in range(0, len(mine), ROWS))
    wrong = torch.tensor([0 if right else 1], device=DEVICE)
    dist.all_reduce(wrong)
    return wrong.item() == 0


def measure(function: Callable, n: int, samples: int) -> dict:
    """Return a row: all ranks begin a sample together, and the slowest rank gives its time."""
    matrix, one = filled(n), torch.ones(1, device=DEVICE)
    for _ in range(WARM_UP):
        function(matrix, RANKS)
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(samples)]
    torch.cuda.synchronize()
    dist.barrier()
    for begin, end in pairs:
        dist.all_reduce(one)
        begin.record()
        transposed = function(matrix, RANKS)
        end.record()
    torch.cuda.synchronize()
    slowest = torch.tensor([begin.elapsed_time(end) for begin, end in pairs], device=DEVICE)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    times, right = sorted(slowest.tolist()), is_right(transposed, n)
    return {
        "name": function.__name__,
        "library": "PyTorch",
        "version": torch.__version__,
        "call": call_text(function),
        "size": f"{n}x{n}",
        "width": n,
        "height": n,
        "element_bytes": 4,
        "bytes": matrix.numel() * 4 // RANKS * (RANKS - 1),
        "check": {"passed": right, "message": "" if right else "the transpose is wrong"},
        "time": {
            "ranks": {
                "median_ms": statistics.median(times),
                "p10_ms": times[round(0.1 * (samples - 1))],
                "p90_ms": times[round(0.9 * (samples - 1))],
                "samples": samples,
                "launches_per_sample": 1,
            }
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, action="append", required=True)
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--meet", required=True)
    options = parser.parse_args()
    torch.cuda.set_device(DEVICE)
    dist.init_process_group("nccl", init_method=f"file://{options.meet}", rank=RANK, world_size=RANKS, device_id=DEVICE)
    rows = []
    for n in options.size:
        for function in (torch_pack_all_to_all, torch_all_to_all):
            rows.append(measure(function, n, options.samples))
            torch.cuda.empty_cache()
    if RANK == 0:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
