"""Tests grading a folder of submissions: keeping results, failures of the grader, interruptions, output. The grader only pretends."""

import csv
import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import REPOSITORY, start
from grading_results import make_result

from conflict_free.console import INTERRUPTED, Stop
from conflict_free.grading import classes, workers
from conflict_free.grading.handed_in import Submission, find
from conflict_free.grading.order import grade_order

TESTS = Path(__file__).parent


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Make a class: a folder of submissions, an assignment, settings, a folder of kept results, and the grader's log."""
    folder = tmp_path / "class"
    folder.mkdir()
    task = tmp_path / "assignment"
    task.mkdir()
    (task / "task.toml").write_text("1", encoding="utf-8")
    log = tmp_path / "log"
    log.touch()
    monkeypatch.setenv("PRETEND_LOG", str(log))
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    tools = {name: tmp_path / "tools" / name for name in ("nvcc", "judge", "trial.a", "lib")}
    tools["lib"].mkdir(parents=True)
    for name in ("nvcc", "judge", "trial.a", "lib/libcudart.so.13"):
        (tmp_path / "tools" / name).write_text("1", encoding="utf-8")
    told = {
        "nvcc": str(tools["nvcc"]),
        "include_folders": [],
        "libraries": [str(tools["trial.a"])],
        "runtime": str(tools["lib"]),
        "judge": str(tools["judge"]),
    }
    (tmp_path / "grading_toolchain.json").write_text(json.dumps(told), encoding="utf-8")
    settings = classes.Settings("padding", tmp_path, grader="pretend_grader:grade_order")
    return SimpleNamespace(
        folder=folder,
        log=log,
        kept=tmp_path / "kept",
        settings=settings,
        assignment=SimpleNamespace(name="padding", folder=task, source=Path("work.cu")),
    )


def hand_in(room, **contents: str) -> list[Submission]:
    for student, content in contents.items():
        (room.folder / f"{student}.cu").write_text(content, encoding="utf-8")
    return find(room.folder, "work.cu").submissions


def grade(room, submissions, *, jobs: int = 2, settings=None) -> classes.Graded:
    return classes.grade_class(room.assignment, submissions, settings or room.settings, jobs, room.kept)


def asked(room) -> list[str]:
    names = room.log.read_text(encoding="utf-8").split()
    room.log.write_text("", encoding="utf-8")
    return sorted(names)


# --- grading and keeping -------------------------------------------------------------------------


def test_a_second_run_grades_nothing_that_is_unchanged(room):
    submissions = hand_in(room, ada="", bea="safe", cleo="correct")
    first = grade(room, submissions)
    assert asked(room) == ["ada", "bea", "cleo"] and first.kept == 0
    second = grade(room, submissions)
    assert asked(room) == [] and second.kept == 3
    assert classes.csv_text(submissions, first) == classes.csv_text(submissions, second)


@pytest.mark.parametrize(
    "change", ["submission", "assignment", "secret", "confined", "gpu", "nvcc", "judge", "trial.a", "lib/libcudart.so.13"]
)
def test_what_a_result_depends_on_has_it_graded_again(room, change):
    submissions = hand_in(room, ada="", bea="safe")
    grade(room, submissions)
    asked(room)
    settings = room.settings
    if change == "submission":
        hand_in(room, bea="correct")
    elif change == "assignment":
        (room.assignment.folder / "task.toml").write_text("2", encoding="utf-8")
    elif (tool := room.settings.build / "tools" / change).exists():
        tool.write_text("version 2", encoding="utf-8")
    else:
        settings = replace(settings, **{change: {"secret": "s", "confined": False, "gpu": True}[change]})
    grade(room, submissions, settings=settings)
    assert asked(room) == (["bea"] if change == "submission" else ["ada", "bea"])


def test_a_broken_result_is_graded_again(room):
    submissions = hand_in(room, ada="")
    grade(room, submissions)
    asked(room)
    for path in (room.kept / "padding").iterdir():
        path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert grade(room, submissions).results["ada"].points == 100
    assert asked(room) == ["ada"]


@pytest.mark.long
def test_the_csv_is_the_same_in_any_order_of_running(room):
    contents = {f"student{number:02}": ["", "safe", "correct", "counts.conflicts", "slow"][number % 5] for number in range(12)}
    submissions = hand_in(room, **contents)
    texts = set()
    for jobs, seed in ((1, 1), (4, 2), (3, 3)):
        shuffled = random.Random(seed).sample(submissions, len(submissions))
        room.kept = room.kept.with_name(f"kept{seed}")
        texts.add(classes.csv_text(shuffled, grade(room, shuffled, jobs=jobs)))
    assert len(texts) == 1
    assert [row["student"] for row in csv.DictReader(texts.pop().splitlines())] == sorted(contents)


def test_the_grader_may_fail_on_one(room, capfd):
    submissions = hand_in(room, ada="", bea="die", cleo="raise no numpy\nhere", dan="", eve="print")
    graded = grade(room, submissions, jobs=1)
    assert sorted(graded.results) == ["ada", "dan", "eve"]
    assert graded.errors == {"bea": "the process that graded it ended with SIGKILL", "cleo": "ValueError: no numpy here"}
    assert classes.exit_code(graded) == 1 and classes.exit_code(classes.Graded(graded.results)) == 0
    rows = {row["student"]: row for row in csv.DictReader(classes.csv_text(submissions, graded).splitlines())}
    assert (rows["bea"]["status"], rows["bea"]["points"], rows["bea"]["seen"]) == ("error", "", graded.errors["bea"])
    assert rows["dan"]["status"] == "graded"
    assert "Traceback" in capfd.readouterr().err
    # An error is not kept: the next run tries again.
    asked(room)
    grade(room, submissions)
    assert asked(room) == ["bea", "cleo"]


def test_a_grader_that_hangs_is_ended(room):
    submission, _ = hand_in(room, ada="hang", bea="")
    order = {"submission": submission.to_json(), "place": str(room.kept)}
    began = time.monotonic()
    (answer,) = workers.carry_out_all(room.settings.grader, {}, [order], 1, patience=1.0)
    assert answer.error == "no result after 1 s; the process that graded it was ended"
    assert time.monotonic() - began < 30


def test_a_worker_removes_at_its_end_what_it_has_made(room, tmp_path):
    [answer] = workers.carry_out_all("pretend_grader:register_removal", {}, [str(tmp_path / "made")], 1)
    assert answer.error is None and not (tmp_path / "made").exists()


def test_a_submission_that_is_not_there_is_graded(room):
    (room.folder / "ada").mkdir()
    submissions = find(room.folder, "work.cu").submissions
    assert grade(room, submissions).results["ada"].first_failed.name == "exists"


def test_a_submission_that_changes_meanwhile_is_not_graded(room):
    (submission,) = hand_in(room, ada="")
    order = {"submission": submission.to_json(), "place": str(room.kept / "ada"), "sha256": "another", "wrong": ""}
    with pytest.raises(ValueError, match="ada.cu changed while the class was graded"):
        grade_order(room.settings.to_json(), order)


# --- interrupting --------------------------------------------------------------------------------

RUN_ALL = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, {lib!r})
from conflict_free.console import run_main
from conflict_free.grading import classes, handed_in
folder, kept, task, out = map(Path, sys.argv[1:])
def main():
    submissions = handed_in.find(folder, "work.cu").submissions
    settings = classes.Settings("padding", kept.parent, grader="pretend_grader:grade_order")
    graded = classes.grade_class(SimpleNamespace(name="padding", folder=task), submissions, settings, 2, kept)
    classes.write(submissions, graded, csv=out)
    return classes.exit_code(graded)
run_main(main)
"""


def run_all(room, out: Path) -> subprocess.Popen:
    code = RUN_ALL.format(lib=str(REPOSITORY / "common" / "python"))
    return start(
        [sys.executable, "-c", code, room.folder, room.kept, room.assignment.folder, out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on_where_it_was(room, number):
    contents = {f"s{number}": "safe" if number % 3 else "slow" for number in range(12)}
    submissions = hand_in(room, **contents)
    whole = classes.csv_text(submissions, grade(room, submissions))
    asked(room)
    room.kept = room.kept.with_name("again")
    out = room.folder.parent / "class.csv"
    process = run_all(room, out)
    while len(room.log.read_text(encoding="utf-8").split()) < 5:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    if number != signal.SIGKILL:
        assert process.returncode == INTERRUPTED
        assert said.splitlines()[-1].startswith("error: interrupted; ") and "of 12 results are kept" in said
    assert not out.exists()
    time.sleep(1.0)  # the workers of a killed run finish their submissions
    kept = len(list((room.kept / "padding").glob("*.json")))
    assert 0 < kept < 12
    asked(room)
    process = run_all(room, out)
    assert process.wait(60) == 0
    assert len(asked(room)) == 12 - kept
    assert out.read_text(encoding="utf-8") == whole


def test_no_process_is_left_after_an_interruption(room):
    hand_in(room, ada="hang", bea="hang")
    process = run_all(room, room.folder.parent / "class.csv")
    while len(room.log.read_text(encoding="utf-8").split()) < 2:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == INTERRUPTED
    left = [path for path in Path("/proc").glob("[0-9]*/environ") if _mentions(path, str(room.log))]
    assert left == []


def _mentions(path: Path, text: str) -> bool:
    try:
        return text.encode() in path.read_bytes()
    except OSError:
        return False


# --- writing -------------------------------------------------------------------------------------


def test_all_that_was_asked_for_is_written(room, tmp_path):
    submissions = hand_in(room, ada="", bea="safe", cleo="die")
    graded = grade(room, submissions)
    classes.write(
        submissions,
        graded,
        csv=tmp_path / "c.csv",
        json_dir=tmp_path / "json",
        gradescope_dir=tmp_path / "gs",
        junit=tmp_path / "junit.xml",
    )
    assert sorted(path.name for path in (tmp_path / "json").iterdir()) == ["ada.json", "bea.json"]
    assert json.loads((tmp_path / "json" / "bea.json").read_text(encoding="utf-8"))["points"] == 5
    assert json.loads((tmp_path / "gs" / "bea" / "results.json").read_text(encoding="utf-8"))["score"] == 5
    assert 'errors="1"' in (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert len((tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()) == 4
    assert not list(tmp_path.rglob("*.part"))


def test_what_cannot_be_written_is_one_line_and_leaves_the_old_file(room, tmp_path):
    submissions = hand_in(room, ada="")
    graded = grade(room, submissions)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Stop, match="cannot be written") as stop:
        classes.write(submissions, graded, csv=tmp_path / "c.csv", json_dir=tmp_path / "file")
    assert stop.value.code == 2 and "\n" not in str(stop.value)
    assert not (tmp_path / "c.csv").exists()


def test_a_long_name_is_written(room, tmp_path):
    submissions = hand_in(room, **{"a" * 240: "", "a" * 239 + "b": ""})
    classes.write(submissions, grade(room, submissions), csv=tmp_path / "c.csv", json_dir=tmp_path / "json", gradescope_dir=tmp_path / "gs")
    assert len(list((tmp_path / "json").iterdir())) == len(list((tmp_path / "gs").iterdir())) == 2


def test_the_summary_names_the_same_file_and_what_was_not_graded():
    results = {
        student: make_result(student, "safe", content=content)
        for student, content in (("cleo", "x"), ("ada", "x"), ("bea", "y"), ("dan", ""), ("eve", ""))
    }
    lines = list(classes.summary(classes.Graded(results, {"finn": "signal 9"}, kept=2)))
    assert lines == [
        "5 graded, 2 of them before; mean 5.0 of 100 points",
        "first failed check: safe 5",
        "the same file: ada, cleo",
        "not graded: finn: signal 9",
    ]
