# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Tests that a brief asks for what its task.toml checks, with the same numbers."""

from __future__ import annotations

import re

import pytest

from conflict_free.grading.assignment import BRIEF, GATES, load, names

#: By assignment and threshold: what the brief says, with groups for its numbers, and the limit of task.toml with these numbers in
#: their places. A number from 1 on may be written as a word.
LIMITS = {
    ("across_gpus", "sectors"): (
        r"move at most (\d+) sectors for each (\d+) elements of a row of the input",
        "{0} * (height * (width // {1} + ranks) + width * (height // {1} + ranks))",
    ),
    ("across_gpus", "conflicts"): (r"(no) access to shared memory has a conflict", "{0}"),
    ("across_gpus", "launches"): (r"at most (two) launches a rank", "{0} * ranks"),
    ("coalesced", "sectors"): (
        r"at most (\d+) sectors for each (\d+) pixels or part of \2",
        "{0} * (height * ((width + {1} - 1) // {1}) + width * ((height + {1} - 1) // {1}))",
    ),
    ("coalesced", "conflicts"): (r"(no) access to shared memory has a bank conflict", "{0}"),
    ("diagonal", "coalesced"): (
        r"widths of (\d+) and more .* at (least once) and at most twice, and write it once, in at most a (tenth) more sectors",
        "1.1 * 3 * height * width / 8 if width >= {0} and height >= 128 else 3 * height * 8 * ((width + 31) // 32)",
    ),
    ("diagonal", "loads"): (
        r"widths of (\d+) and more .* of the loads goes to at least (six) partitions",
        "{1} if width >= {0} and height >= 128 else 1",
    ),
    ("diagonal", "stores"): (
        r"widths of (\d+) and more .* at least (six) partitions on average, and so does a step of the stores",
        "{1} if width >= {0} and height >= 128 else 1",
    ),
    ("naive", "loads"): (
        r"at most (\d+) sectors for each (\d+) elements or part of \2",
        "height * ({0} * ((width + {1} - 1) // {1}) + 1)",
    ),
    ("naive", "stores"): (r"at most (\d+) sectors a row, stores", "{0} * height"),
    ("nearest_neighbor_blocking", "reuse"): (
        r"at most ([\d.]+) sectors for each point and each (\d+) points or part of \2, and (\d+) more",
        "{0} * n * ((n + {1} - 1) // {1}) + {2}",
    ),
    ("nearest_neighbor_blocking", "broadcast"): (
        r"at most ([\d.]+) wavefronts for 32 pairs and (\d+) more",
        "{0} * 8 * n * ((n + 255) // 256) + {1}",
    ),
    ("nearest_neighbor_blocking", "conflicts"): (r"(no) bank conflict", "{0}"),
    ("nearest_neighbor_blocking", "stores"): (r"at most (\d+) sectors more than it has", "n * 4 * 4 / 32 + {0}"),
    ("padding", "coalesced"): (
        r"at most (\d+) sectors for each (\d+) elements, or part of \2",
        "{0} * (height * ((width + {1} - 1) // {1}) + width * ((height + {1} - 1) // {1}))",
    ),
    ("padding", "conflicts"): (r"(No) access to shared memory has a bank conflict", "{0}"),
    ("reduction_bank_conflicts", "one_launch"): (r"(one) launch in each call", "2 * {0}"),
    ("reduction_bank_conflicts", "many_blocks"): (r"at least one block for ([\d,]+) numbers", "4 * {0}"),
    ("reduction_bank_conflicts", "conflicts"): (r"(no) bank conflict", "{0}"),
    ("reduction_bank_conflicts", "wavefronts"): (
        r"at most one wavefront for (ten) numbers, and (\d+) more",
        "(n + second_n) // {0} + {1}",
    ),
    ("reduction_bank_conflicts", "reads"): (r"reading each number once, and ([\d,]+) more", "(n + second_n) // 8 + {0}"),
    ("reduction_bank_conflicts", "results"): (r"at most ([\d,]+) sectors of stores and atomic operations", "{0}"),
    ("unroll", "loads"): (r"at most one load request for each ([\d,]+) bytes.*?, and (\d+) more", "count // {0} + {1}"),
    ("unroll", "sectors"): (r"at most one sector for each (\d+) bytes, and (\d+) more", "count // {0} + {1}"),
    ("unroll", "additions"): (
        r"at most one store or atomic operation .*? for each ([\d,]+) bytes, and (\d+) more",
        "count // {0} + {1}",
    ),
    ("unroll", "blocks"): (r"no block loads more than ([\d,]+) bytes", "{0}"),
}
#: The same by assignment and limit of `[kernels]`.
KERNELS = {
    ("padding", "busiest_instructions"): (r"the busiest one accesses memory by at most (\d+) instructions", "{0}"),
    ("coalesced", "busiest_instructions"): (r"the busiest one accesses memory by at most (\d+) instructions", "{0}"),
    ("naive", "busiest_instructions"): (
        r"at most a (tenth) more instructions of warps .* brings (\d+) rows .* each of its rows, and (\d+) accesses to shared memory",
        "{0} * ((width + 31) // 32 * (min(height, {1}) + {2}) + 1)",
    ),
    ("across_gpus", "busiest_instructions"): (
        r"the busiest one accesses memory by at most (\d+) instructions of warps for each pair of ranks, .* as many as for (\d) pairs",
        "{0} * ranks * max(ranks, {1})",
    ),
}
WORDS = {"no": "0", "one": "1", "two": "2", "six": "6", "ten": "10", "tenth": "1.1"}


def test_each_threshold_is_in_the_table():
    assert set(LIMITS) == {(name, threshold.name) for name in names() for threshold in load(name).thresholds}


def test_each_limit_on_the_busiest_multiprocessor_is_in_its_table():
    assert set(KERNELS) == {(name, "busiest_instructions") for name in names() if load(name).kernels.busiest_instructions}


@pytest.mark.parametrize(("name", "threshold"), LIMITS)
def test_a_brief_and_its_check_have_the_same_numbers(name, threshold):
    task = load(name)
    checked = next(each.limit for each in task.thresholds if each.name == threshold)
    assert same(said_by(task, *LIMITS[name, threshold]), checked, task.cases[0].parameters)


@pytest.mark.parametrize(("name", "limit"), KERNELS)
def test_a_brief_and_its_limit_on_kernels_have_the_same_numbers(name, limit):
    task = load(name)
    assert same(said_by(task, *KERNELS[name, limit]), getattr(task.kernels, limit), task.cases[0].parameters)


def said_by(task, said: str, limit: str) -> str:
    """Return the limit with the numbers that the brief has for it."""
    brief = " ".join((task.folder / BRIEF).read_text(encoding="utf-8").split())
    found = re.search(said, brief)
    assert found, f"brief.rst does not say: {said}"
    return limit.format(*[WORDS.get(number.lower(), number.replace(",", "")) for number in found.groups()])


def test_no_cheat_has_more_points_than_what_is_right_and_slow():
    """The page For teachers says so, and that this is half of the points at most."""
    for name in names():
        task = load(name)
        most = sum(task.points[check] for check in GATES)
        assert 2 * most <= task.max_points
        for answer in task.answers:
            if answer.is_cheat or answer.expected.fails == "by_kernels":
                assert answer.expected.points <= most, f"{name}: {answer.name}"


def same(first: str, second: str, parameters) -> bool:
    """Return whether two expressions have the same value for several sizes."""
    sizes = [{name: 3 + (7 * number + 11 * place) ** 2 % 700 for place, name in enumerate(parameters)} for number in range(50)]
    return all(eval(first, {}, each) == pytest.approx(eval(second, {}, each)) for each in sizes)
