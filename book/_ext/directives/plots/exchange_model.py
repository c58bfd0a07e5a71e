"""The time of an all-to-all between GPUs: that of its messages over links, measured ones and assumed ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol


class Link(Protocol):
    """A link that carries messages between two GPUs."""

    def seconds(self, messages: float, sent: float) -> float:
        """Return the time of equal messages one after the other, with ``sent`` bytes in total."""


@dataclass(frozen=True)
class AssumedLink:
    """``start`` seconds for each message, and ``speed`` bytes a second."""

    start: float
    speed: float

    def seconds(self, messages: float, sent: float) -> float:
        """Return the time of messages one after the other, with ``sent`` bytes in total."""
        return messages * self.start + sent / self.speed


@dataclass(frozen=True)
class MeasuredLink:
    """The measured ``(bytes, seconds)`` of single messages, by their bytes.

    Between two of them the time follows a straight line. A message shorter than the shortest takes as long as the shortest. A longer
    message than the longest has the speed of the longest.
    """

    times: Sequence[tuple[float, float]]

    def seconds(self, messages: float, sent: float) -> float:
        """Return the time of equal messages one after the other, with ``sent`` bytes in total."""
        return messages * self._one(sent / messages) if messages else 0.0

    def _one(self, size: float) -> float:
        (first, shortest), (last, longest) = self.times[0], self.times[-1]
        if size <= first:
            return shortest
        if size >= last:
            return longest * size / last
        (low, before), (high, after) = next(pair for pair in pairwise(self.times) if pair[1][0] >= size)
        return before + (after - before) * (size - low) / (high - low)


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
