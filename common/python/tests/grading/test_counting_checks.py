"""Tests the lines and the picture that a student is shown of an exceeded threshold."""

import xml.etree.ElementTree as xml
from types import SimpleNamespace

import made_counts
import pytest
from test_runs import ORDINARY

from conflict_free.grading import counting_checks
from conflict_free.grading.partition_pictures import picture_of
from conflict_free.grading.parts import Threshold

CASE = SimpleNamespace(name="square", sizes="n 8", parameters={"n": 8})


def kernel(name: str, *, lines=(), load=(0,) * 8, steps=(0,) * 8, requests: int = 0) -> dict:
    use = {"load": {"first_step": list(load), "steps": list(steps)}, "store": {"first_step": [0] * 8, "steps": [0] * 8}}
    return {"name": name, "grid": [2, 3, 1], "lines": list(lines), "partitions": use, "global_load": {"requests": requests}}


def global_load(line: int, sectors: int, ideal: int) -> dict:
    return made_counts.line(line, "global", "load", made_counts.global_(sectors, sectors, ideal))


def run_of(*kernels: dict) -> SimpleNamespace:
    return SimpleNamespace(report={"kernels": list(kernels)}, case=CASE, calls={"data": ORDINARY})


def threshold(count: str, limit: str, *, is_upper: bool) -> Threshold:
    return Threshold("bound", count, limit, is_upper, 10, "Help.")


def blamed(count: str, *, beyond: float) -> list[int]:
    lines = [global_load(10, 100, 100), global_load(20, 30, 10)]
    found = counting_checks._culprits(threshold(count, "0", is_upper=True), run_of(kernel("k", lines=lines)), beyond)
    return [place["line"] for place in found]


def test_what_could_be_avoided_is_to_blame_if_it_is_enough():
    assert blamed("global_load.sectors", beyond=20) == [20]


def test_else_the_line_with_the_most_is():
    assert blamed("global_load.sectors", beyond=21) == [10, 20]


def test_lines_that_load_are_to_blame_for_partitions_that_loads_miss():
    assert blamed("partitions.load.mean", beyond=0) == [10, 20]
    assert blamed("partitions.store.mean", beyond=0) == []


@pytest.mark.parametrize("requests, mean", [(1, 8.0), (11, 8.0), (12, 1.0), (1000, 1.0)])
def test_the_launch_with_the_fewest_partitions_counts_unless_it_moves_next_to_nothing(requests, mean):
    camped = kernel("a", steps=(500, 0, 0, 0, 0, 0, 0, 0), requests=requests)
    spread = kernel("b", steps=(0, 0, 0, 0, 0, 0, 0, 3), requests=100)
    names = counting_checks.names_of(run_of(spread, camped))
    assert names["partitions"] == {"load": {"mean": mean}, "store": {"mean": 0.0}}
    assert names["blocks"] == 12


def test_the_picture_is_of_the_launch_with_the_fewest_partitions():
    drawn = picture_of([kernel("even", load=(30,) * 8), kernel("idle"), kernel("camped", load=(0, 240, 0, 0, 0, 0, 0, 1))], "load", 5)
    assert drawn.heading[0] == "The first load of the blocks of camped that run together:"
    assert drawn.to_text().splitlines()[2:5] == ["", "partition 0  · 0", "partition 1  " + "█" * 40 + " 240"]
    assert drawn.to_text().splitlines()[-1] == "partition 7  █ 1"
    assert len(xml.fromstring(drawn.to_svg()).findall("{http://www.w3.org/2000/svg}rect")) == 9


def test_a_first_step_that_is_spread_enough_is_not_drawn():
    assert picture_of([kernel("even", load=(30,) * 8)], "load", 5) is None
    assert picture_of([{"name": "k"}], "load", 5) is None
