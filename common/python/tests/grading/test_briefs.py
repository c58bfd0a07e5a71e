"""Tests that a brief asks for what its task.toml checks: it takes its numbers from there."""

import inspect
import re

import pytest

from conflict_free.console import ROOT
from conflict_free.grading import data_checks, limit_numbers, refusals
from conflict_free.grading.answer_texts import tomllib
from conflict_free.grading.assignment import BRIEF, GATES, TASK, load, names
from conflict_free.trials import templates

#: Limits that have no number of their own, and the brief's words instead.
WITHOUT_NUMBERS = {
    **{
        (name, "conflicts"): "no access to shared memory has a (bank )?conflict"
        for name in ("across_gpus", "coalesced", "fragments", "padding")
    },
    **{(name, "conflicts"): "no bank conflict" for name in ("nearest_neighbor_blocking", "reduction_bank_conflicts")},
    ("fragments", "kernels.narrow_global"): "accesses to global memory. In each of these, more than half of a warp takes part",
    (
        "across_gpus",
        "kernels.narrow_global",
    ): r"are multiples of 32 × ``ranks``, more than half of a warp takes part in each access to global memory",
    ("across_gpus", "kernels.launches"): "never more than one for each block and one for each rank",
}
#: Numbers that may be typed in a limit and in a brief: small ones, the GPU's, those of tiles, and the sizes from which a limit holds.
CONSTANTS = {*range(9), 16, 24, 31, 32, 63, 64, 127, 128, 131, 132, 255, 256, 512}


def limits_of(name):
    """Yield the place of each limit in task.toml, and its text."""
    task = tomllib.loads((load(name).folder / TASK).read_text(encoding="utf-8"))
    for threshold, entry in task["thresholds"].items():
        yield threshold, entry.get("at_most") or entry["at_least"]
    yield from ((f"kernels.{kind}", task["kernels"][kind]) for kind in data_checks.FEW_LANES if kind in task["kernels"])


def numbers_in(text):
    """Return the numbers of a text that are typed, and not taken from task.toml."""
    return {float(number.replace(",", "")) for number in re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?\b", re.sub(r"\{[^{}]*\}", "", text))}


@pytest.mark.parametrize("name", names())
def test_a_brief_has_each_limit(name):
    task, written = load(name), (load(name).folder / BRIEF).read_text(encoding="utf-8")
    own = dict(limits_of(name))
    for number in task.numbers.keys() - {f"kernels.{kind}" for kind in data_checks.FEW_LANES if f"kernels.{kind}" not in own}:
        assert re.search(rf"\{{{number}(:word|:part)?\}}", written) or (name, number) in WITHOUT_NUMBERS, number
    for place, limit in own.items():
        if "{" not in limit and place not in task.numbers or (name, place) in WITHOUT_NUMBERS:
            assert re.search(WITHOUT_NUMBERS[name, place], " ".join(task.brief().split()), re.IGNORECASE), place


@pytest.mark.parametrize("name", names())
def test_a_limit_is_typed_once(name):
    """In a limit its own numbers have names, and the brief takes them by these."""
    for place, limit in limits_of(name):
        assert limit.isdigit() or numbers_in(limit) <= CONSTANTS, place
    brief = (load(name).folder / BRIEF).read_text(encoding="utf-8")
    typed = numbers_in(brief.rpartition("**What is graded")[2])
    assert typed & set(load(name).numbers.values()) <= CONSTANTS


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


def test_no_cheat_has_more_points_than_what_is_right_and_slow():
    """The page For teachers says so, and that this is half of the points at most."""
    for name in names():
        task = templates.load(name)
        most = sum(task.points[check] for check in GATES)
        assert 2 * most <= task.max_points
        for answer in task.answers:
            if answer.name in templates.EXPECTED or answer.expected.fails == "by_kernels":
                assert answer.expected.points <= most, f"{name}: {answer.name}"


def test_limits_and_briefs_take_their_numbers():
    assert limit_numbers.limit("{of} * ((n + {of - 1}) // {of}) + {more * 8}", {"of": 16, "more": 1.625}) == "16 * ((n + 15) // 16) + 13"
    text = "a ``struct { int value; }``, {a.b:word} of {a.c}, {a.d}, {a.e:part}"
    filled = "a ``struct { int value; }``, two of 36,000, 1.8, a tenth"
    assert limit_numbers.brief(text, {"a.b": 2, "a.c": 36000, "a.d": 1.8, "a.e": 1.1}) == filled


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
