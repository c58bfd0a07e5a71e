# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Which bank of shared memory holds a word, for what draws an access that the model has traced.

Which wavefront serves a word is the model's to say, and stands in the trace (``common/model/src/rules/shared_service.hpp``).
How many banks there are is the machine's, and stands there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def bank_of(word: int, banks: int) -> int:
    """Return the bank, from 0 on, that holds the word with this number: words go round all ``banks``."""
    return word % banks


def lanes_by_bank(wavefront: Iterable[Sequence[int]], banks: int) -> dict[int, list[int]]:
    """Return the lanes that each busy bank serves in a wavefront, a list of lane and word; banks ascend."""
    lanes: dict[int, list[int]] = {}
    for lane, word in wavefront:
        lanes.setdefault(bank_of(word, banks), []).append(lane)
    return dict(sorted(lanes.items()))


def words_of(access: Mapping[str, Any]) -> set[int]:
    """Return the words that a traced access of shared memory touches."""
    return {word for wavefront in access["wavefronts"] for _, word in wavefront}


def fullest_bank(words: Iterable[int], banks: int) -> int:
    """Return how many of these different words lie in the bank that has most of them; 0 without words."""
    found = [bank_of(word, banks) for word in words]
    return max(map(found.count, set(found)), default=0)
