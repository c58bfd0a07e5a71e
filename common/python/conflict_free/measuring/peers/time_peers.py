"""Time and check the work of one Python library: time_peers.py LIBRARY SUBJECT and options.

scripts/measure --peers runs it with a Python that has the library. It prints each stage as a line of stdout, and writes each row
at once, so that a later failure loses none. Needs the library and numpy.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import peer_checks
import peer_data
from peer_sampling import SAMPLES, call_text, measure_times, sets_of_buffers, used_sets

LIBRARIES = {"torch": "peers_of_torch", "cupy": "peers_of_cupy"}


@dataclass(frozen=True)
class Task:
    """A subject at a size: the inputs, an output to fill, and the check of a peer's output."""

    inputs: tuple[np.ndarray, ...]
    output: np.ndarray
    check: Callable[[np.ndarray], str]


def task(subject: str, width: int, height: int, seed: int) -> Task:
    """Return the data of our kernels for a subject at a size."""
    if subject == "transpose":
        matrix = peer_data.random_floats(width * height, seed).reshape(height, width)
        return Task((matrix,), np.empty((width, height), np.float32), partial(peer_checks.is_transposed, matrix))
    if subject == "sum":
        numbers = peer_data.random_floats(width, seed)
        return Task((numbers,), np.empty((), np.float32), lambda output: peer_checks.is_sum(numbers, float(output)))
    if subject == "product":
        a, b = peer_data.random_factors(width, height, seed)
        rows = peer_checks.rows_to_check(height)
        wanted = peer_checks.rounded_rows(a, b, rows)
        factors = (peer_data.bf16(a), peer_data.bf16(b))
        return Task(factors, np.empty((height, width), np.uint16), partial(peer_checks.has_rows, rows, wanted))
    points = peer_data.random_points(width, seed)
    least = peer_checks.least_squared_distances(points)
    return Task((points,), np.empty(width, np.int64), partial(peer_checks.are_nearest, points, least))


def measure(device: Any, function: Callable, work: Task, samples: int, l2_bytes: int) -> dict:
    """Time a peer, then check its output in every set of buffers that was used."""
    set_bytes = sum(array.nbytes for array in (*work.inputs, work.output))
    sets = sets_of_buffers(set_bytes, l2_bytes, device.free_bytes())
    inputs = [tuple(map(device.moved, work.inputs)) for _ in range(sets)]
    outputs = [device.moved(work.output) for _ in range(sets)]
    for output in outputs:
        device.poison(output)
    time = measure_times(device, lambda number: function(outputs[number], *inputs[number]), sets, samples)
    used = outputs[: used_sets(time, sets)]
    message = next(filter(None, (work.check(device.back(output)) for output in used)), "")
    return {"check": {"passed": not message, "message": message}, "time": time}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="time_peers.py", allow_abbrev=False)
    add = parser.add_argument
    add("library", choices=LIBRARIES)
    add("subject", choices=("transpose", "sum", "nearest", "product"))
    add("--size", metavar="WxH", action="append", required=True)
    add("--samples", type=int, default=SAMPLES)
    add("--seed", type=int, required=True)
    add("--l2-bytes", type=int, required=True)
    add("--json", type=Path, required=True)
    return parser.parse_args()


def write(path: Path, data: dict) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(data), encoding="utf-8")
    os.replace(new, path)


def main() -> int:
    options = parse()
    library = importlib.import_module(LIBRARIES[options.library])
    device = library.Device(options.l2_bytes)
    told: dict[str, Any] = {"library": library.NAME, "version": library.VERSION, "rows": [], "failures": []}
    for size in options.size:
        if int(size.split("x")[0]) > library.MOST.get(options.subject, sys.maxsize):
            continue
        work = None
        for function in library.CALLS.get(options.subject, ()):
            print(f"{function.__name__} at {size}", flush=True)
            try:
                work = work or task(options.subject, *map(int, size.split("x")), options.seed)
                row = measure(device, function, work, options.samples, options.l2_bytes)
                told["rows"].append({"name": function.__name__, "size": size, "call": call_text(function), **row})
            except Exception as error:  # a library may raise any error; the other peers still run
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                told["failures"].append(f"{function.__name__} at {size}: {reason}")
            write(options.json, told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
