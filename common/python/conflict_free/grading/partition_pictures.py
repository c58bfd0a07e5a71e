"""Draws how the first step of a launch spreads over the partitions of memory, as plain text and as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .svg import Svg

_BAR = 40  # characters of the longest bar
_CELL, _ROW, _LEFT, _TOP, _EDGE = 12, 20, 100, 48, 12
_BUSY, _IDLE = "█", "·"


@dataclass(frozen=True)
class Queues:
    """The number of requests to each partition, and the words above the picture."""

    heading: tuple[str, ...]
    requests: tuple[int, ...]

    def _length(self, requests: int) -> int:
        """Return the length of a bar; a partition with any request has one."""
        return -(-requests * _BAR // max(self.requests))

    def to_text(self) -> str:
        """Return the picture as lines of text."""
        rows = (
            f"partition {number}  {_BUSY * self._length(requests) or _IDLE} {requests}" for number, requests in enumerate(self.requests)
        )
        return "\n".join((*self.heading, "", *rows))

    def to_svg(self) -> str:
        """Return the picture with a bar for each partition."""
        width, height = _LEFT + (_BAR + 6) * _CELL + _EDGE, _TOP + _ROW * len(self.requests) + _EDGE
        svg = Svg(width, height, self.heading, _EDGE)
        for number, requests in enumerate(self.requests):
            top, length = _TOP + number * _ROW, self._length(requests) * _CELL
            svg.text(f"partition {number}", _LEFT - 6, top + 14, "l")
            svg.box(_LEFT, top, length, _ROW - 4, "b")
            svg.text(str(requests), _LEFT + length + 6, top + 14)
        return svg.to_text()


def picture_of(kernels: Sequence[Mapping[str, Any]], op: str, wanted: float) -> Queues | None:
    """Return the picture of the launch whose first load or store uses the fewest partitions.

    Return None unless these are fewer than wanted: then later steps are the cause, and the report has no single later steps.
    """
    used = [
        (sum(map(bool, steps)), kernel["name"], steps)
        for kernel in kernels
        if "partitions" in kernel and any(steps := kernel["partitions"][op]["first_step"])
    ]
    if not used or min(used)[0] >= wanted:
        return None
    number, kernel, steps = min(used)
    heading = (
        f"The first {op} of the blocks of {kernel} that run together:",
        f"{sum(steps):,} requests, to {number} of {len(steps)} partitions. How many each of them gets:",
    )
    return Queues(heading, tuple(steps))
