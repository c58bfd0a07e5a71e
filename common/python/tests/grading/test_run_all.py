"""Tests scripts/grade run-all, run and watch with the real grader, on answers of the assignment padding."""

import argparse
import csv
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import start
from grading_tools import GRADE, answer_file, run_grade, tools

from conflict_free.console import INTERRUPTED
from conflict_free.grading import command_line

#: The answers that six students hand in, and their points.
CLASS = {
    "ada": ("padded_by_one", 100),
    "bea": ("unpadded", 70),
    "cleo": ("no_barrier", 5),
    "dan": ("does_not_compile", 0),
    "eve": ("padded_by_one", 100),
    "finn": ("visible_sizes_only", 15),
}
#: Classes of so many students that are graded, interrupted and resumed as one: 34 make a class of 204.
CLASSES = int(os.environ.get("CONFLICT_FREE_CLASSES", "1"))


@pytest.fixture
def folder(tmp_path) -> Path:
    """Make a class's folder with files, and folders with a file. The students come in no order."""
    made = tmp_path / "class"
    for number, (student, (answer, _)) in enumerate(sorted(CLASS.items(), key=lambda item: item[1])):
        path = made / (f"{student}.cu" if number % 2 else f"{student}/week_1/transpose_doubles.cu")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(answer_file(answer), path)
    return made


def run_all(folder: Path, kept: Path, *more: object) -> list:
    """Return the arguments that grade a class."""
    return ["run-all", "padding", folder, "--csv", kept.with_suffix(".csv"), "--kept", kept, *tools(), *more]


@pytest.mark.long
def test_a_class_is_graded_interrupted_and_resumed(folder, tmp_path):
    students = {student: points for student, (_, points) in CLASS.items()}
    for number in range(1, CLASSES):
        for student, (answer, points) in CLASS.items():
            text = answer_file(answer).read_text(encoding="utf-8")
            (folder / f"{student}{number}.cu").write_text(f"{text}\n// class {number}\n", encoding="utf-8")
            students[f"{student}{number}"] = points
    whole = tmp_path / "whole"
    formats = ("--json-dir", tmp_path / "json", "--gradescope-dir", tmp_path / "gs", "--junit", tmp_path / "junit.xml")
    done = run_grade(*run_all(folder, whole, *formats), code=0)
    rows = list(csv.DictReader(whole.with_suffix(".csv").read_text(encoding="utf-8").splitlines()))
    assert {row["student"]: int(row["points"]) for row in rows} == students
    assert [row["student"] for row in rows] == sorted(students)
    assert "the same file: ada, eve" in done.stdout.splitlines()
    # Each student has a seed, and so hidden sizes, of their own.
    assert len({row["seed"] for row in rows}) == len(students)
    for student, points in students.items():
        assert json.loads((tmp_path / "json" / f"{student}.json").read_text(encoding="utf-8"))["points"] == points
        assert json.loads((tmp_path / "gs" / student / "results.json").read_text(encoding="utf-8"))["score"] == points

    for by in (signal.SIGINT, signal.SIGKILL):
        part = tmp_path / by.name
        process = start([*GRADE, *run_all(folder, part, "--jobs", "1")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while len(list(part.rglob("*.json"))) < len(students) // 3:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        process.send_signal(by)
        _, said = process.communicate(timeout=60)
        if by == signal.SIGINT:
            assert process.returncode == INTERRUPTED and "the same command goes on from there" in said.splitlines()[-1]
        assert not part.with_suffix(".csv").exists()
        before = {path.name: path.stat().st_mtime_ns for path in part.rglob("*.json")}
        assert len(students) // 3 <= len(before) < len(students)
        run_grade(*run_all(folder, part), code=0)
        after = {path.name: path.stat().st_mtime_ns for path in part.rglob("*.json")}
        assert before.items() <= after.items() and len(after) == len(students)
        assert part.with_suffix(".csv").read_bytes() == whole.with_suffix(".csv").read_bytes()


@pytest.mark.long
def test_a_class_in_shares_gives_the_same_bytes(folder, tmp_path):
    """The class is graded to its end although it has entries that no student should hand in."""
    os.mkfifo(folder / "fifo.cu")
    (folder / "gil").mkdir()
    (folder / "gil" / "transpose_doubles.cu").symlink_to(answer_file("padded_by_one"))
    (folder / "hal.cu").symlink_to("/etc/passwd")
    (folder / "=1+1.cu").write_bytes(b"\xef\xbb\xbf" + answer_file("padded_by_one").read_bytes())
    (folder / "ivo.cu").write_text(answer_file("padded_by_one").read_text(encoding="utf-8"), encoding="utf-16")
    kept, parts = tmp_path / "kept", []
    for number in (1, 2):
        done = run_grade(*run_all(folder, kept, "--shard", f"{number}/2"), code=0)
        assert [line for line in done.stdout.splitlines() if line.startswith("passed over")] == [
            "passed over: fifo.cu: a FIFO",
            "passed over: gil/transpose_doubles.cu: a symbolic link",
            "passed over: hal.cu: a symbolic link",
        ]
        parts.append(kept.with_suffix(".csv").rename(tmp_path / f"{number}.csv"))
    run_grade("merge", "--csv", tmp_path / "merged.csv", *parts, code=0)
    run_grade(*run_all(folder, kept), code=0)
    assert (tmp_path / "merged.csv").read_bytes() == kept.with_suffix(".csv").read_bytes()
    points = {row["student"]: row["points"] for row in csv.DictReader((tmp_path / "merged.csv").read_text(encoding="utf-8").splitlines())}
    others = {"fifo": "0", "gil": "0", "hal": "0", "ivo": "0", "'=1+1": "100"}
    assert points == {student: str(most) for student, (_, most) in CLASS.items()} | others


def test_a_run_follows_no_link_and_waits_for_no_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.cu")
    (tmp_path / "link.cu").symlink_to(answer_file("padded_by_one"))
    (tmp_path / "week").symlink_to(answer_file("padded_by_one").parent)
    for name, seen in (
        ("pipe.cu", "a FIFO with this name"),
        ("link.cu", "a symbolic link with this name"),
        ("week/padded_by_one.cu", "a symbolic link in the place of the folder week"),
    ):
        done = run_grade("run", "padding", name, *tools(), code=1, cwd=tmp_path, timeout=120)
        assert f"seen:    {seen}" in done.stdout


@pytest.mark.parametrize(
    ("option", "place"),
    [
        ("--json-dir", "/proc/nowhere"),
        ("--gradescope-dir", "file"),
        ("--csv", "/dev/null"),
        ("--json-dir", "class/json"),
        ("--kept", "class"),
    ],
)
def test_what_cannot_be_written_is_said_before_grading(folder, tmp_path, option, place):
    (tmp_path / "file").touch()
    kept = tmp_path / "kept"
    done = run_grade(*run_all(folder, kept, option, place), code=2, cwd=tmp_path)
    assert f"argument {option}: '{place}' given" in done.stderr and done.stderr.count("error") == 1
    assert not kept.exists() and done.stdout == ""


@pytest.mark.long
def test_a_secret_has_other_sizes(folder, tmp_path):
    for path in (path for path in folder.iterdir() if path.stem not in ("bea", "finn")):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    texts = []
    for secret in ("one", "one", "two"):
        kept = tmp_path / f"kept{len(texts)}"
        run_grade(*run_all(folder, kept, "--secret", secret), code=0)
        texts.append(kept.with_suffix(".csv").read_text(encoding="utf-8"))
    assert texts[0] == texts[1] != texts[2]


def test_a_run_writes_each_format(tmp_path):
    options = [word for name in ("json", "gradescope", "classroom50", "junit") for word in (f"--{name}", tmp_path / name)]
    runner = {
        "CLASSROOM": "gpu-101",
        "ASSIGNMENT": "week-3",
        "OWNER": "ada",
        "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
        "COMMIT_URL": "https://example.org/c",
        "RELEASE_URL": "https://example.org/r",
    }
    for environment, warns in (({}, True), (runner, False)):
        arguments = ("run", "padding", answer_file("unpadded"), "--student", "ada", *options, *tools())
        done = run_grade(*arguments, code=1, env={**os.environ, **environment})
        assert ("--classroom50: CLASSROOM, ASSIGNMENT, " in done.stderr) is warns
        assert json.loads((tmp_path / "json").read_text(encoding="utf-8"))["points"] == 70
        assert json.loads((tmp_path / "gradescope").read_text(encoding="utf-8"))["score"] == 70
        assert json.loads((tmp_path / "classroom50").read_text(encoding="utf-8"))["score"] == 70
        assert 'failures="1"' in (tmp_path / "junit").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "classroom50").read_text(encoding="utf-8"))["classroom"] == "gpu-101"


def test_watch_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    said = {}
    for answer in ("unpadded", "padded_by_one"):
        shutil.copy(answer_file(answer), tmp_path / "work.cu")
        done = run_grade("watch", "padding", tmp_path / "work.cu", "--once", *tools(), code=int(answer == "unpadded"))
        said[answer] = done.stdout
    assert "70 of 100 points, best so far 70" in said["unpadded"] and "left: counts.conflicts" in said["unpadded"]
    assert "100 of 100 points, best so far 100" in said["padded_by_one"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run-all", "padding", "nowhere", "--csv", "x.csv"], "argument DIR: 'nowhere' given, a folder that exists is accepted"),
        (["run-all", "padding", "."], "the following arguments are required: --csv"),
        (["run-all", "paddings", ".", "--csv", "x.csv"], "argument NAME: 'paddings' given, one of "),
        (
            ["run-all", "padding", ".", "--csv", "x.csv", "--jobs", "0"],
            "argument --jobs: '0' given, a whole number from 1 to 1024 is accepted",
        ),
        (
            ["run-all", "padding", ".", "--csv", "nowhere/x.csv"],
            "argument --csv: 'nowhere/x.csv' given, a file in a folder that can be written",
        ),
        (["run-all", "padding", ".", "--csv", "x.csv", "--shard", "3/2"], "argument --shard: '3/2' given, K/N with K from 1 to N"),
        (["run-all", "padding", ".", "--csv", "x.csv", "--shard", "2"], "argument --shard: '2' given, K/N with K from 1 to N"),
        (["merge", "--csv", "x.csv"], "the following arguments are required: PART"),
        (["watch", "padding"], "the following arguments are required: FILE"),
    ],
)
def test_wrong_arguments_are_one_line(tmp_path, arguments, message):
    done = run_grade(*arguments, code=2, cwd=tmp_path)
    assert done.stderr.count("\n") == 1 and message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["run", "run-all", "watch"])
def test_help_hides_no_option(name):
    """The help explains each option."""
    commands = next(action for action in command_line.parser()._actions if action.dest == "command").choices
    assert all(action.help and action.help != argparse.SUPPRESS for action in commands[name]._actions if action.option_strings)


def test_an_empty_folder_is_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    done = run_grade(*run_all(tmp_path / "empty", tmp_path / "kept"), code=2)
    assert done.stderr.splitlines()[-1].endswith("a folder with STUDENT.cu or STUDENT/….cu is accepted")
