"""The timing of a library's call, by the rules and constants of common/harness/src/timing.cpp, which times our kernels.

A cold sample reads a buffer of several times the L2, then calls on one set of buffers after another; a warm sample calls on the
first set again and again. Standard library only.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, Protocol

L2_MULTIPLE = 4
WARM_UP_LAUNCHES = 3
LEAST_SAMPLE_MS = 1.0
MOST_TOTAL_MS = 2000.0
MOST_LAUNCHES = 1000
LEAST_SAMPLES = 10
MOST_SETS = 64
SAMPLES = 50


class Device(Protocol):
    """The GPU from a library's view."""

    def free_bytes(self) -> int:
        """Return the bytes of device memory that can be allocated."""

    def flush(self) -> None:
        """Start reading a buffer of L2_MULTIPLE times the L2, which displaces the content of the L2."""

    def event(self) -> Any:
        """Return an event, whose method record() puts it behind the work started before."""

    def milliseconds(self, begin: Any, end: Any) -> float:
        """Wait for `end`, and return the time from `begin` to `end`."""

    def synchronize(self) -> None:
        """Wait for all started work."""


def call_text(function: Callable) -> str:
    """Return the statements of a function, without its first line."""
    text = textwrap.dedent(inspect.getsource(function))
    body = ast.parse(text).body[0].body
    return textwrap.dedent("\n".join(text.splitlines()[body[0].lineno - 1 :]))


def sets_of_buffers(set_bytes: int, l2_bytes: int, free_bytes: int) -> int:
    """Return how many sets of buffers cold samples use: L2_MULTIPLE times the L2 in all, in half of the free memory at most."""
    wanted = min(max(math.ceil(L2_MULTIPLE * l2_bytes / set_bytes), 1), MOST_SETS)
    return min(max(free_bytes // 2 // set_bytes, 1), wanted)


def quantile(ordered: list[float], q: float) -> float:
    """Return the quantile `q` of the ordered samples, interpolated between neighbors."""
    at = q * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def spread(samples: list[float], launches: int) -> dict[str, float]:
    """Return median, p10 and p90 of samples in milliseconds, in the form of a result file."""
    ordered = sorted(samples)
    return {
        "median_ms": quantile(ordered, 0.5),
        "p10_ms": quantile(ordered, 0.1),
        "p90_ms": quantile(ordered, 0.9),
        "samples": len(ordered),
        "launches_per_sample": launches,
    }


def affordable(samples: int, sample_ms: float) -> int:
    """Return how many of `samples` take about MOST_TOTAL_MS in all, if one takes `sample_ms`."""
    return min(max(int(MOST_TOTAL_MS / sample_ms), min(samples, LEAST_SAMPLES)), samples)


def used_sets(times: dict[str, dict[str, float]], sets: int) -> int:
    """Return the first of `sets`: those that measure_times() has used."""
    return max(min(WARM_UP_LAUNCHES, sets), times["cold"]["launches_per_sample"])


def measure_times(device: Device, call: Callable[[int], None], sets: int, samples: int) -> dict[str, dict[str, float]]:
    """Time `call(set)`, cold and warm, in milliseconds a call. Only the sets of used_sets() are changed."""

    def sample(of_sets: Iterator[int], calls: int) -> float:
        begin, end = device.event(), device.event()
        begin.record()
        for _, number in zip(range(calls), of_sets):
            call(number)
        end.record()
        return device.milliseconds(begin, end) / calls

    def first() -> Iterator[int]:
        while True:
            yield 0

    for i in range(WARM_UP_LAUNCHES):
        call(i % sets)
    device.synchronize()

    estimate_ms = sample(first(), 1)
    launches = min(max(math.ceil(LEAST_SAMPLE_MS / estimate_ms), 1), MOST_LAUNCHES)
    cold_launches = min(launches, sets)
    samples = affordable(samples, estimate_ms * launches)
    # A library's call may take long, so only the sets of samples are warmed up.
    for number in range(WARM_UP_LAUNCHES, cold_launches):
        call(number)
    device.synchronize()
    cold, warm = [], []
    for _ in range(samples):
        device.flush()
        cold.append(sample(iter(range(sets)), cold_launches))
    for _ in range(samples):
        warm.append(sample(first(), launches))
    return {"cold": spread(cold, cold_launches), "warm": spread(warm, launches)}
