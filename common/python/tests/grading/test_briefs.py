"""Tests that a brief asks for what its task.toml checks: it takes its numbers from there."""

import inspect
import re

import pytest

from conflict_free.console import ROOT
from conflict_free.grading import data_checks, limit_numbers, refusals
from conflict_free.grading.assignment import BRIEF, GATES, load, names
from conflict_free.grading.parts import KernelWork

#: Thresholds whose limit has no number of its own, and the brief's words instead.
WITHOUT_NUMBERS = {
    **{
        (name, "conflicts"): "no access to shared memory has a (bank )?conflict"
        for name in ("across_gpus", "coalesced", "fragments", "padding")
    },
    **{(name, "conflicts"): "no bank conflict" for name in ("nearest_neighbor_blocking", "reduction_bank_conflicts")},
    (
        "diagonal",
        "coalesced",
    ): r"widths of 512 and more .* at least once and at most twice, and write it once, in at most a tenth more sectors",
}
#: The brief's words on each limit in [kernels] that is no plain number, with groups for its numbers, and the limit with them.
SIZED = {
    ("across_gpus", "instructions"): (
        r"warps execute at most (\d),(\d+) instructions for each of the tiles",
        "{0}{1} * ranks * ranks * (((width + ranks - 1) // ranks + 31) // 32) * (((height + ranks - 1) // ranks + 31) // 32)",
    ),
    ("nearest_neighbor_blocking", "instructions"): (
        r"warps execute at most (\d+) instructions for each access to memory, and (\d),(\d+) more",
        "{0} * (traffic.requests + shared.ideal_wavefronts) + {1}{2}",
    ),
    ("naive", "slots"): (
        r"time for at most a tenth more accesses than those of such a block, or for each row (\d+) and one for each (\d+) columns or part of \2, "
        r".* with one row, for (\d+\.\d) accesses for each column",
        "1.1 * max(height * ((width + 31) // {1} + {0}), (width + 31) // 32 * (height + 64 * ((height + 31) // 32)) + (height + 31) // 32) "
        "if height > 1 else {2} * width",
    ),
    ("padding", "slots"): (
        r"time for at most (\d+) accesses for each tile of (\d+) × \2 elements or part of a tile",
        "{0} * ((width + 31) // {1}) * ((height + 31) // {1})",
    ),
    ("coalesced", "slots"): (
        r"time for at most (\d+) accesses for each tile of (\d+) × \2 pixels or part of a tile, and (\d+) more",
        "{0} * ((width + 31) // {1}) * ((height + 31) // {1}) + {2}",
    ),
    ("fragments", "slots"): (
        r"time for at most (\d\.\d+) times as many accesses as they make",
        "{0} * (traffic.requests + shared.ideal_wavefronts)",
    ),
    ("fragments", "instructions"): (r"execute at most (\d),(\d+) instructions for each pair", "{0}{1} * pairs"),
    ("fragments", "narrow_global"): ("accesses to global memory. In each of these, more than half of a warp takes part", "0"),
    ("fragments", "global_slots"): (r"at most a fifth more accesses to global memory", "1.2 * traffic.requests"),
    ("across_gpus", "narrow_global"): (
        r"``width`` and ``height`` are multiples of (\d+) × ``ranks``, more than half of a warp takes part in each access to global memory",
        "0 if width % ({0} * ranks) + height % ({0} * ranks) == 0 else traffic.requests",
    ),
    ("padding", "accesses"): (
        r"access memory at most a tenth more often than such tiles take, with (\d+) accesses to shared memory each",
        "1.1 * (height * ((width + 31) // 32) + width * ((height + 31) // 32) + {0} * ((width + 31) // 32) * ((height + 31) // 32))",
    ),
    ("coalesced", "accesses"): (
        r"access memory at most a tenth more often than such tiles take, with (\d+) accesses to shared memory each",
        "1.1 * (height * ((width + 31) // 32) + width * ((height + 31) // 32) + {0} * ((width + 31) // 32) * ((height + 31) // 32)) + 1",
    ),
    ("diagonal", "atomics"): (
        r"at most (\d) atomic operations for each (\d+) columns or part of \2, and a tenth more",
        "{0}.3 * height * ((width + 63) // {1})",
    ),
    ("diagonal", "accesses"): (
        r"access memory at most (\d+) times for each (\d+) columns or part of \2 of a row, or (\d+) times for these and (\d+) times more, "
        r"and (\d) times for each \2 rows or part of \2, and a tenth more",
        "1.1 * (height * max({0} * ((width + 63) // {1}), {2} * ((width + 63) // {1}) + {3}) + {4} * ((height + 63) // {1}))",
    ),
    ("naive", "atomics"): (
        r"at most (\d) atomic operations a row, or one for each (\d+) columns or part of \2",
        "height * max({0}, (width + 31) // {1})",
    ),
    ("reduction_bank_conflicts", "atomics"): (
        r"at most one atomic operation for (\d+) numbers, and (\d+) more",
        "(n + second_n) // {0} + {1}",
    ),
    ("across_gpus", "launches"): (r"never more than one for each block and one for each rank", "ranks * (ranks + 1)"),
    ("unroll", "accesses"): (r"at most once for each (\d+) bytes, and (\d+) times more", "count // {0} + {1}"),
    ("unroll", "atomics"): (r"more, (\d+) and one for each (\d+) bytes of them by atomic operations", "count // {1} + {0}"),
    ("across_gpus", "shared_accesses"): (
        r"In shared memory they make at most (\d+) for each tile, and one more for each rank",
        "{0} * ranks * ranks * (((width + ranks - 1) // ranks + 31) // 32) * (((height + ranks - 1) // ranks + 31) // 32) + ranks",
    ),
    ("unroll", "slots"): (
        r"time for a tenth more accesses to memory than they make, and (\d+) more",
        "1.1 * (traffic.requests + shared.ideal_wavefronts) + {0}",
    ),
    ("across_gpus", "slots"): (
        r"time for at most a quarter more accesses than they make, or than (\d+) for each of these tiles",
        "1.25 * max(traffic.requests + shared.ideal_wavefronts, {0} * ranks * ranks * (((width + ranks - 1) // ranks + 31) // 32) "
        "* (((height + ranks - 1) // ranks + 31) // 32))",
    ),
    ("nearest_neighbor_blocking", "slots"): (
        r"time for at most (\d\.\d) times as many accesses to memory as they make, local memory included, and (\d+) more",
        "{0} * (traffic.requests + shared.ideal_wavefronts) + {1}",
    ),
    ("diagonal", "slots"): (
        r"time for at most (\d\.\d) times as many accesses to memory as they make, and (\d) more for each row, or (\d+) at other widths",
        "{0} * (traffic.requests + shared.ideal_wavefronts) + ({2} if width % 64 else {1}) * height",
    ),
    ("nearest_neighbor_blocking", "stored"): (
        r"no block writes the neighbors of more than (\d+) points, and a tenth more",
        "1.1 * 16 * {0}",
    ),
    ("diagonal", "loaded"): ("no block loads more than twice the bytes of a row and a tenth", "8.8 * width"),
    ("naive", "read_accesses"): (
        r"load from global memory at most once for each (\d+) columns of a row, or at other widths (\d+) times a row, or for each (\d+) "
        r"rows or part of \3 once for each column, and a tenth more",
        "1.1 * max(height * max((width + 31) // {0}, {1} if width % {0} else 0), width * ((height + 31) // {2}))",
    ),
    ("nearest_neighbor_blocking", "narrow_global"): (
        r"in no access to global memory does .* where \*n\* is a multiple of (\d+), and in at most (\d+) elsewhere, or in a fourth of the loads",
        "max({1}, global_load.requests // 4) if n % {0} else 0",
    ),
    ("nearest_neighbor_blocking", "narrow"): (
        r"at most (\d+) are of that kind where \*n\* is a multiple of (\d+), or (\d) for each point and (\d) more elsewhere, .* and one more "
        r"for each wavefront above (\d+) \*n\* for each (\d+) points or part of \6",
        "max(0, shared.wavefronts - {4} * n * ((n + 255) // {5})) + ({2} * n + {3} if n % {1} else {0})",
    ),
    ("nearest_neighbor_blocking", "narrow_stores"): (
        r"of its stores at most (\d), and one more for each wavefront above (\d+) \*n\* for each (\d+) points or part of \3",
        "max(0, shared.wavefronts - {1} * n * ((n + 255) // {2})) + {0}",
    ),
    ("reduction_bank_conflicts", "loaded"): (
        r"no block reads more than (\d+) bytes, or (\d+) more than the mean of all blocks",
        "min({0}, 4 * (n + second_n) // blocks + {1})",
    ),
    ("reduction_bank_conflicts", "global_slots"): (
        r"for at most a twentieth and (\d+) more accesses to global memory with more than half of a warp than they make in all",
        "1.05 * traffic.requests + {0}",
    ),
    ("naive", "global_slots"): (
        r"a tenth more than they make in all where the height is a multiple of (\d+), or (\d) times as many elsewhere",
        "1.1 * traffic.requests * ({1} if height % {0} else 1)",
    ),
    ("reduction_bank_conflicts", "read_accesses"): (
        r"load from global memory at most once for (\d+) numbers, and a tenth and (\d+) more",
        "1.1 * ((n + second_n) // {0}) + {1}",
    ),
    ("reduction_bank_conflicts", "slots"): (
        r"time for at most (\d\.\d) times as many accesses to memory as they make, and (\d+) more",
        "{0} * (traffic.requests + shared.ideal_wavefronts) + {1}",
    ),
    ("diagonal", "narrow_global"): (
        r"in at most (\d+) accesses to global memory a row, or at other widths in (\d+) for each (\d+) columns or part of \3 and (\d+) more, "
        "and a tenth",
        "1.1 * height * max({0}, {1} * ((width + 63) // {2}) + {3} if width % {2} else 0)",
    ),
    ("naive", "busiest_accesses"): (
        r"at most a tenth more often than a block that brings (\d+) rows .* each of its rows, and (\d+) accesses to shared memory",
        "1.1 * ((width + 31) // 32 * (min(height, {0}) + {1}) + 1)",
    ),
    ("across_gpus", "busiest_accesses"): (
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


@pytest.mark.parametrize("name", names())
def test_a_brief_has_the_numbers_of_all_limits_on_kernels(name):
    task = load(name)
    for kind in data_checks.FEW_LANES:
        limit = getattr(task.kernels, kind)
        if limit == getattr(KernelWork, kind):
            continue
        if limit.isdigit() and (name, kind) not in SIZED:
            assert f"{{kernels.{kind}" in (task.folder / BRIEF).read_text(encoding="utf-8"), kind
        else:
            assert (name, kind) in SIZED
    for kind in [kind for of, kind in SIZED if of == name]:
        said, wanted = SIZED[name, kind]
        found = re.search(said, " ".join(task.brief().split()), re.IGNORECASE)
        assert found, f"brief.rst does not say: {said}"
        assert wanted.format(*found.groups()) == getattr(task.kernels, kind)


@pytest.mark.parametrize("name", names())
def test_a_brief_says_what_every_assignment_refuses(name):
    assert (load(name).folder / BRIEF).read_text(encoding="utf-8").count(f"\n\n{refusals.PLACE}\n") == 1
    assert f"\n\n{refusals.SENTENCE}\n" in load(name).brief()


def test_each_refusal_has_its_words():
    """The last words are those of ``_not_exact``, those before the judge's. The numbers of what the model tells are the model's."""
    found = sum(inspect.getsource(each).count("yield Finding") for each in (data_checks._by_other_ways, data_checks._registers))
    assert found + 2 == len(refusals.REFUSED)
    warp = (ROOT / "common/model/src/interpreter/schedule/warp.hpp").read_text(encoding="utf-8")
    within, beyond, most = map(int, re.search(r"cost_in_block = (\d+), cost_in_memory = (\d+), most_cost = (\d+);", warp).groups())
    assert (most // beyond, most // within) == (refusals.MOST_FENCES, refusals.MOST_READINGS)


def test_a_brief_has_the_number_of_idle_blocks_where_an_answer_exceeds_it():
    for name in names():
        task = load(name)
        says = f"at most {data_checks.MOST_IDLE_BLOCKS:,} blocks access no memory"
        if any(answer.expected.says == "blocks are launched" for answer in task.answers if not answer.is_cheat):
            assert says in " ".join(task.brief().split()), name


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
