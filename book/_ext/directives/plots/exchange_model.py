# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The time of an all-to-all between GPUs: a start for each message, and its bytes at the speed of a link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """``start`` seconds for each message, and ``speed`` bytes a second."""

    start: float
    speed: float

    def seconds(self, messages: float, sent: float) -> float:
        """Return the time of messages one after the other, with ``sent`` bytes in total."""
        return messages * self.start + sent / self.speed


def fit(times: Iterable[tuple[float, float]]) -> Link:
    """Return the link that fits ``(bytes, seconds)`` of single messages best: with the least squares of the relative errors."""
    points = list(times)
    weights = [1 / seconds**2 for _, seconds in points]
    one = sum(weights)
    x = sum(w * size for w, (size, _) in zip(weights, points))
    xx = sum(w * size * size for w, (size, _) in zip(weights, points))
    y = sum(w * seconds for w, (_, seconds) in zip(weights, points))
    xy = sum(w * size * seconds for w, (size, seconds) in zip(weights, points))
    determinant = one * xx - x * x
    return Link((xx * y - x * xy) / determinant, determinant / (one * xy - x * y))


def one_stage(gpus: int, of_gpu: float, host: int, within: Link, between: Link) -> float:
    """Return the seconds in which each GPU sends a block to each other GPU, ``of_gpu`` bytes in total, with ``host`` GPUs in a host."""
    near = min(gpus, host)
    block = of_gpu / gpus
    return within.seconds(near - 1, (near - 1) * block) + between.seconds(gpus - near, (gpus - near) * block)


def two_stages(gpus: int, of_gpu: float, host: int, within: Link, between: Link) -> float:
    """Return the seconds if blocks for other hosts are collected within the host first: fewer messages, more bytes."""
    near = min(gpus, host)
    hosts = gpus / near
    return within.seconds(near - 1, of_gpu * (near - 1) / near) + between.seconds(hosts - 1, of_gpu * (hosts - 1) / hosts)
