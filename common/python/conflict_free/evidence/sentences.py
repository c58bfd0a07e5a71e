"""Numbers in sentences that describe a picture."""

from collections.abc import Iterable
from itertools import groupby


def plural(number: int, noun: str) -> str:
    """Return ``1 lane`` or ``2 lanes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ranges(numbers: Iterable[int]) -> str:
    """Return ascending numbers for readers: ``0, 4–7``."""
    parts = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        found = [number for _, number in run]
        parts.append(str(found[0]) if len(found) == 1 else f"{found[0]}–{found[-1]}")
    return ", ".join(parts)
