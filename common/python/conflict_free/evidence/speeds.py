"""The rule by which the book calls one time faster than another, as fast as it, or not measurably different."""

from enum import Enum
from typing import Any

from .metrics import sample
from .names import SPEED_WORDS

#: Two times whose medians differ by no more than this share of the smaller one are called equally fast.
AS_FAST_WITHIN = 0.02

#: The ending of a key that asks for the warm time.
WARM = ".warm"


class Verdict(Enum):
    """The rule's verdict on the first of two times."""

    FASTER = "faster"
    SLOWER = "slower"
    AS_FAST = "as fast"
    NOT_MEASURABLE = "not measurable"


def time_of_work(row: dict[str, Any], state: str) -> tuple[float, float, float]:
    """Return p10, median and p90 of a row's time for a unit of its work, which makes different sizes comparable."""
    times = sample(row, state)
    work = row["work"]["amount"] if row.get("work") else row["bytes"]
    return tuple(times[which] / work for which in ("p10_ms", "median_ms", "p90_ms"))


def verdict(left: tuple[float, float, float], right: tuple[float, float, float]) -> Verdict:
    """Return the verdict on ``left`` beside ``right``, each a time's p10, median and p90.

    Overlapping spreads cannot be told apart. Of others, medians within AS_FAST_WITHIN are as fast; beyond it, the smaller is faster.
    """
    if left[0] <= right[2] and right[0] <= left[2]:
        return Verdict.NOT_MEASURABLE
    smaller, larger = sorted((left[1], right[1]))
    if larger <= (1 + AS_FAST_WITHIN) * smaller:
        return Verdict.AS_FAST
    return Verdict.FASTER if left[1] < right[1] else Verdict.SLOWER


#: The verdicts that a claim holds for, by what it says between two times.
SPEED_CLAIMS = dict(
    zip(
        SPEED_WORDS,
        (
            {Verdict.SLOWER, Verdict.AS_FAST, Verdict.NOT_MEASURABLE},
            {Verdict.FASTER, Verdict.AS_FAST, Verdict.NOT_MEASURABLE},
            {Verdict.NOT_MEASURABLE},
            {Verdict.AS_FAST, Verdict.NOT_MEASURABLE},
            {Verdict.FASTER},
            {Verdict.SLOWER},
        ),
        strict=True,
    )
)
