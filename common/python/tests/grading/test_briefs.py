# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Tests that a brief asks for what its task.toml checks: it takes its numbers from there."""

from __future__ import annotations

import re

import pytest

from conflict_free.grading import limit_numbers
from conflict_free.grading.assignment import BRIEF, load, names

#: Thresholds whose limit has no number of its own, and what the brief says instead.
WITHOUT_NUMBERS = {
    **{(name, "conflicts"): "no access to shared memory has a (bank )?conflict" for name in ("across_gpus", "coalesced", "padding")},
    **{(name, "conflicts"): "no bank conflict" for name in ("nearest_neighbor_blocking", "reduction_bank_conflicts")},
    (
        "diagonal",
        "coalesced",
    ): r"widths of 512 and more .* at least once and at most twice, and write it once, in at most a tenth more sectors",
    ("diagonal", "stores"): "at least six partitions on average, and so does a step of the stores",
}
ALL = [(name, threshold) for name in names() for threshold in load(name).thresholds]


@pytest.mark.parametrize(("name", "threshold"), ALL, ids=[f"{name}-{threshold.name}" for name, threshold in ALL])
def test_a_brief_has_each_number_of_a_threshold(name, threshold):
    task = load(name)
    if threshold.numbers:
        written = (task.folder / BRIEF).read_text(encoding="utf-8")
        assert {number for number in threshold.numbers if not re.search(rf"\{{{threshold.name}\.{number}(:word)?\}}", written)} == set()
        assert (name, threshold.name) not in WITHOUT_NUMBERS
    else:
        assert re.search(WITHOUT_NUMBERS[name, threshold.name], " ".join(task.brief().split()), re.IGNORECASE)


def test_limits_and_briefs_take_their_numbers():
    assert limit_numbers.limit("{of} * ((n + {of - 1}) // {of}) + {more * 8}", {"of": 16, "more": 1.625}) == "16 * ((n + 15) // 16) + 13"
    text = "a ``struct { int value; }``, {a.b:word} of {a.c}, {a.d}"
    assert limit_numbers.brief(text, {"a.b": 2, "a.c": 36000, "a.d": 1.8}) == "a ``struct { int value; }``, two of 36,000, 1.8"


@pytest.mark.parametrize(
    ("fill", "text", "numbers", "said"),
    [
        (limit_numbers.limit, "{many} * n", {"few": 1}, "'{many} * n' given, expressions of few are accepted in braces"),
        (limit_numbers.brief, "{a.many}", {"a.few": 1}, "{a.many} given, one of {a.few:word}, {a.few} is accepted"),
        (limit_numbers.brief, "{a.few:word}", {"a.few": 1.5}, "{a.few:word} given, one of {a.few} is accepted"),
        (limit_numbers.brief, "{a.few:word}", {"a.few": 11}, "{a.few:word} given, one of {a.few} is accepted"),
    ],
)
def test_numbers_that_there_are_not(fill, text, numbers, said):
    with pytest.raises(limit_numbers.NumberError) as caught:
        fill(text, numbers)
    assert str(caught.value) == said
