"""Tests several cases in one process, and removing the folder of a run while a killed process still writes into it."""

import contextlib
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import REPOSITORY
from grading_tools import CONFINED, build_folder, padding

from conflict_free.grading import assignment, building, cases, running, scratch

_ABORTS_IN_THIRD_CALL = """
#include <cstdlib>
static int calls;
void transpose_doubles(double*, const double*, int, int) { if (++calls == 3) std::abort(); }
"""


def run_all(text, task, drawn, folder: Path):
    tools = building.Toolchain.of(build_folder())
    made = building.build(tools, task, text, folder, confined=CONFINED)
    return run(tools, made, task, drawn, folder)


def run(tools, made: building.Built, task, drawn, folder: Path):
    deadline = time.monotonic() + running.allowed_seconds(task, drawn)
    return running.run_all(tools, made, task, drawn, folder / "run", confined=CONFINED, deadline=deadline)


def test_an_order_is_drawn_and_its_first_case_comes_again_with_other_data():
    task = padding()
    drawn = {seed: cases.draw_all(task, seed) for seed in ("1", "2", "3")}
    assert len({tuple(case.name for case in each) for each in drawn.values()}) > 1
    for seed, each in drawn.items():
        assert sorted(case.name for case in each[:-1]) == sorted(case.name for case in task.cases)
        first, again = each[0], each[-1]
        assert (first.name, first.parameters) == (again.name, again.parameters) and first.key != again.key
        assert any((first.inputs[name] != again.inputs[name]).any() for name in first.inputs)
        assert [case.key for case in cases.draw_all(task, seed)] == [case.key for case in each]


def test_a_case_counts_after_others_what_it_counts_alone(tmp_path):
    task = padding()
    drawn = cases.draw_all(task, "seed")
    tools = building.Toolchain.of(build_folder())
    made = building.build(tools, task, task.solution(), tmp_path, confined=CONFINED)
    together = run(tools, made, task, drawn, tmp_path)
    assert [found.case for found in together] == drawn and all(found.finished for found in together)
    for found in together:
        [alone] = run(tools, made, task, [found.case], tmp_path)
        assert (found.report, found.calls) == (alone.report, alone.calls)
        assert all((found.outputs[name] == alone.outputs[name]).all() for name in alone.outputs)


def test_after_a_crash_no_case_is_begun(tmp_path):
    runs = run_all(_ABORTS_IN_THIRD_CALL, padding(), cases.draw_all(padding(), "seed"), tmp_path)
    assert [(found.outcome, found.finished, found.done.stopped_by) for found in runs] == [
        ("finished", True, None),
        ("finished", True, None),
        ("ended", False, "signal 6"),
    ]


@pytest.mark.long
def test_an_endless_loop_of_lanes_that_wait_for_each_other_is_ended(tmp_path):
    """Each case runs alone. In some cases only some lanes of a warp loop for ever."""
    task = assignment.load("naive")
    task = replace(task, limits=replace(task.limits, seconds=0.25))
    text = task.text_of("endless")
    for number, case in enumerate(cases.draw_all(task, "seed")[:-1]):
        (tmp_path / str(number)).mkdir()
        [found] = run_all(text, task, [case], tmp_path / str(number))
        assert found.report["errors"][0]["code"] == "kernel_does_not_end" and found.judged.stopped_by is None


def test_a_folder_is_removed_while_something_still_writes_there(tmp_path):
    folder = tmp_path / "run"
    (folder / "left").mkdir(parents=True)
    started = time.monotonic()

    def write():
        number = 0
        while time.monotonic() - started < 0.5:
            number += 1
            with contextlib.suppress(OSError):
                (folder / "left").mkdir(parents=True, exist_ok=True)
                (folder / "left" / str(number)).write_text("x")

    writer = threading.Thread(target=write)
    writer.start()
    writer.join(0.1)
    while writer.is_alive():
        if folder.exists():
            scratch.remove(folder)
    writer.join()
    if folder.exists():
        scratch.remove(folder)
    assert not folder.exists()


def test_a_grader_has_one_thread():
    code = "import os; from conflict_free.grading import cases; print(len(os.listdir('/proc/self/task')))"
    package = REPOSITORY / "common" / "python"
    assert subprocess.run([sys.executable, "-c", code], cwd=package, stdout=subprocess.PIPE, text=True, check=True).stdout == "1\n"
