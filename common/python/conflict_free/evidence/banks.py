"""The bank of shared memory that holds a word, for pictures of an access that the model has traced.

The trace names the wavefront that serves a word and the number of banks: both follow the rules of the machine
(``common/model/src/rules/shared_service.hpp``).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def bank_of(word: int, banks: int) -> int:
    """Return the number of the bank that holds the word with this number. Consecutive words are in consecutive banks of ``banks``."""
    return word % banks


def lanes_by_bank(wavefront: Iterable[Sequence[int]], banks: int) -> dict[int, list[int]]:
    """Return the lanes that each busy bank serves in a wavefront, as pairs of lane and word, in the order of the banks."""
    lanes: dict[int, list[int]] = {}
    for lane, word in wavefront:
        lanes.setdefault(bank_of(word, banks), []).append(lane)
    return dict(sorted(lanes.items()))


def words_of(access: Mapping[str, Any]) -> set[int]:
    """Return the words that a traced access of shared memory touches."""
    return {word for wavefront in access["wavefronts"] for _, word in wavefront}


def fullest_bank(words: Iterable[int], banks: int) -> int:
    """Return the number of different words in the bank that has most of them; 0 without words."""
    found = [bank_of(word, banks) for word in words]
    return max(map(found.count, set(found)), default=0)
