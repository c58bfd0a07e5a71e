# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Tests that a brief asks for what its task.toml checks: it takes its numbers from there."""

from __future__ import annotations

import re

import pytest

from conflict_free.grading import limit_numbers
from conflict_free.grading.assignment import BRIEF, GATES, load, names

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
#: By assignment: what the brief says of `busiest_accesses`, with groups for its numbers, and the limit with these numbers.
BUSIEST = {
    "padding": (r"the busiest one accesses memory at most (\d+) times", "{0}"),
    "coalesced": (r"the busiest one accesses memory at most (\d+) times", "{0}"),
    "naive": (
        r"at most a tenth more often than a block that brings (\d+) rows .* each of its rows, and (\d+) accesses to shared memory",
        "1.1 * ((width + 31) // 32 * (min(height, {0}) + {1}) + 1)",
    ),
    "across_gpus": (
        r"the busiest one accesses memory at most (\d+) times for each tile .* and one more, if the tiles of (\d+) × \2 .* dealt out to (\d+) mult",
        "{0} * ((ranks * ranks * (((width + ranks - 1) // ranks + 31) // {1}) * (((height + ranks - 1) // ranks + 31) // {1}) + 131) // {2} + 1)",
    ),
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


def test_each_limit_on_the_busiest_multiprocessor_is_in_its_table():
    assert set(BUSIEST) == {name for name in names() if load(name).kernels.busiest_accesses}


@pytest.mark.parametrize("name", BUSIEST)
def test_a_brief_has_the_numbers_of_the_busiest_multiprocessor(name):
    said, limit = BUSIEST[name]
    task = load(name)
    found = re.search(said, " ".join(task.brief().split()))
    assert found, f"brief.rst does not say: {said}"
    assert limit.format(*found.groups()) == task.kernels.busiest_accesses


def test_no_cheat_has_more_points_than_what_is_right_and_slow():
    """The page For teachers says so, and that this is half of the points at most."""
    for name in names():
        task = load(name)
        most = sum(task.points[check] for check in GATES)
        assert 2 * most <= task.max_points
        for answer in task.answers:
            if answer.is_cheat or answer.expected.fails == "by_kernels":
                assert answer.expected.points <= most, f"{name}: {answer.name}"


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
