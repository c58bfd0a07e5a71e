# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/grade run-all and watch with the real grader, on answers of the assignment padding."""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import REPOSITORY, start
from grading_tools import answer_file

from conflict_free.console import INTERRUPTED
from conflict_free.grading import command_line, sandbox

#: What six students hand in, and what it is worth.
CLASS = {
    "ada": ("padded_by_one", 100),
    "bea": ("unpadded", 70),
    "cleo": ("no_barrier", 5),
    "dan": ("does_not_compile", 0),
    "eve": ("padded_by_one", 100),
    "finn": ("visible_sizes_only", 15),
}


@pytest.fixture(scope="session")
def grade() -> list:
    """The start of each command. Where there is no sandbox, these submissions are our own."""
    build = os.environ.get("CONFLICT_FREE_BUILD")
    assert build, "CONFLICT_FREE_BUILD is not set; CTest sets it to a build folder with the model"
    subprocess.run(["cmake", "--build", build, "--target", "grading_toolchain"], check=True, stdout=subprocess.DEVNULL)
    return [sys.executable, REPOSITORY / "scripts" / "grade"], ["--build-dir", build, *(["--no-sandbox"] if sandbox.available() else [])]


@pytest.fixture
def folder(tmp_path) -> Path:
    """The class's folder, the students in no order: files, and folders with a file."""
    made = tmp_path / "class"
    for number, (student, (answer, _)) in enumerate(sorted(CLASS.items(), key=lambda item: item[1])):
        path = made / (f"{student}.cu" if number % 2 else f"{student}/week_1/transpose_doubles.cu")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(answer_file(answer), path)
    return made


def command(grade, folder: Path, kept: Path, *more: object) -> list:
    first, last = grade
    return [*first, "run-all", "padding", folder, "--csv", kept.with_suffix(".csv"), "--kept", kept, *last, *more]


@pytest.mark.long
def test_a_class_is_graded_interrupted_and_resumed(grade, folder, tmp_path):
    whole = tmp_path / "whole"
    done = subprocess.run(
        command(
            grade, folder, whole, "--json-dir", tmp_path / "json", "--gradescope-dir", tmp_path / "gs", "--junit", tmp_path / "junit.xml"
        ),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(whole.with_suffix(".csv").read_text(encoding="utf-8").splitlines()))
    assert {row["student"]: int(row["points"]) for row in rows} == {student: points for student, (_, points) in CLASS.items()}
    assert [row["student"] for row in rows] == sorted(CLASS)
    assert "the same file: ada, eve" in done.stdout.splitlines()
    # Each has a seed of its own, and so other hidden sizes.
    assert len({row["seed"] for row in rows}) == len(CLASS)
    for student, (_, points) in CLASS.items():
        assert json.loads((tmp_path / "json" / f"{student}.json").read_text(encoding="utf-8"))["points"] == points
        assert json.loads((tmp_path / "gs" / student / "results.json").read_text(encoding="utf-8"))["score"] == points

    part = tmp_path / "part"
    process = start(command(grade, folder, part, "--jobs", "1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while len(list(part.rglob("*.json"))) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED and "the same command goes on from there" in said.splitlines()[-1]
    assert not part.with_suffix(".csv").exists()
    before = {path.name: path.stat().st_mtime_ns for path in part.rglob("*.json")}
    assert 2 <= len(before) < len(CLASS)
    assert subprocess.run(command(grade, folder, part), capture_output=True).returncode == 0
    after = {path.name: path.stat().st_mtime_ns for path in part.rglob("*.json")}
    assert before.items() <= after.items() and len(after) == len(CLASS)
    assert part.with_suffix(".csv").read_bytes() == whole.with_suffix(".csv").read_bytes()


@pytest.mark.long
def test_a_class_in_shares_gives_the_same_bytes(grade, folder, tmp_path):
    """And it is graded to its end with what no student should hand in among it."""
    os.mkfifo(folder / "fifo.cu")
    (folder / "gil").mkdir()
    (folder / "gil" / "transpose_doubles.cu").symlink_to(answer_file("padded_by_one"))
    (folder / "hal.cu").symlink_to("/etc/passwd")
    (folder / "=1+1.cu").write_bytes(b"\xef\xbb\xbf" + answer_file("padded_by_one").read_bytes())
    (folder / "ivo.cu").write_text(answer_file("padded_by_one").read_text(encoding="utf-8"), encoding="utf-16")
    kept, parts = tmp_path / "kept", []
    for number in (1, 2):
        done = subprocess.run(command(grade, folder, kept, "--shard", f"{number}/2"), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert [line for line in done.stdout.splitlines() if line.startswith("passed over")] == [
            "passed over: fifo.cu: a FIFO",
            "passed over: gil/transpose_doubles.cu: a symbolic link",
            "passed over: hal.cu: a symbolic link",
        ]
        parts.append(kept.with_suffix(".csv").rename(tmp_path / f"{number}.csv"))
    first, _ = grade
    done = subprocess.run([*first, "merge", "--csv", tmp_path / "merged.csv", *parts], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(command(grade, folder, kept), capture_output=True, text=True)
    assert (tmp_path / "merged.csv").read_bytes() == kept.with_suffix(".csv").read_bytes()
    points = {row["student"]: row["points"] for row in csv.DictReader((tmp_path / "merged.csv").read_text(encoding="utf-8").splitlines())}
    assert points == {**{student: str(most) for student, (_, most) in CLASS.items()}, "gil": "0", "ivo": "0", "'=1+1": "100"}


def test_a_run_follows_no_link_and_waits_for_no_pipe(grade, tmp_path):
    first, last = grade
    os.mkfifo(tmp_path / "pipe.cu")
    (tmp_path / "link.cu").symlink_to(answer_file("padded_by_one"))
    (tmp_path / "week").symlink_to(answer_file("padded_by_one").parent)
    for name, seen in (
        ("pipe.cu", "a FIFO with this name"),
        ("link.cu", "a symbolic link with this name"),
        ("week/padded_by_one.cu", "a symbolic link in the place of the folder week"),
    ):
        done = subprocess.run([*first, "run", "padding", name, *last], capture_output=True, text=True, cwd=tmp_path, timeout=120)
        assert done.returncode == 1 and f"seen:    {seen}" in done.stdout, done.stderr


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
def test_what_cannot_be_written_is_said_before_grading(grade, folder, tmp_path, option, place):
    (tmp_path / "file").touch()
    kept = tmp_path / "kept"
    done = subprocess.run(command(grade, folder, kept, option, place), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and f"argument {option}: '{place}' given" in done.stderr and done.stderr.count("error") == 1
    assert not kept.exists() and done.stdout == ""


@pytest.mark.long
def test_a_secret_has_other_sizes(grade, folder, tmp_path):
    for path in (path for path in folder.iterdir() if path.stem not in ("bea", "finn")):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    texts = []
    for secret in ("one", "one", "two"):
        kept = tmp_path / f"kept{len(texts)}"
        assert subprocess.run(command(grade, folder, kept, "--secret", secret), capture_output=True).returncode == 0
        texts.append(kept.with_suffix(".csv").read_text(encoding="utf-8"))
    assert texts[0] == texts[1] != texts[2]


def test_a_run_writes_each_format(grade, tmp_path):
    first, last = grade
    options = [word for name in ("json", "gradescope", "classroom50", "junit") for word in (f"--{name}", tmp_path / name)]
    run = [*first, "run", "padding", answer_file("unpadded"), "--student", "ada", *options, *last]
    runner = {
        "CLASSROOM": "gpu-101",
        "ASSIGNMENT": "week-3",
        "OWNER": "ada",
        "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
        "COMMIT_URL": "https://example.org/c",
        "RELEASE_URL": "https://example.org/r",
    }
    for environment, warns in (({}, True), (runner, False)):
        done = subprocess.run(run, capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode == 1
        assert ("--classroom50: CLASSROOM, ASSIGNMENT, " in done.stderr) is warns
        assert json.loads((tmp_path / "json").read_text(encoding="utf-8"))["points"] == 70
        assert json.loads((tmp_path / "gradescope").read_text(encoding="utf-8"))["score"] == 70
        assert json.loads((tmp_path / "classroom50").read_text(encoding="utf-8"))["score"] == 70
        assert 'failures="1"' in (tmp_path / "junit").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "classroom50").read_text(encoding="utf-8"))["classroom"] == "gpu-101"


def test_watch_once(grade, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    first, last = grade
    said = {}
    for answer in ("unpadded", "padded_by_one"):
        shutil.copy(answer_file(answer), tmp_path / "work.cu")
        done = subprocess.run([*first, "watch", "padding", tmp_path / "work.cu", "--once", *last], capture_output=True, text=True)
        said[answer] = done.stdout
        assert done.returncode == (answer == "unpadded"), done.stderr
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
    done = subprocess.run([sys.executable, REPOSITORY / "scripts" / "grade", *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["run", "run-all", "watch"])
def test_help_hides_no_option(name):
    """Each option that is accepted is in the help, with words."""
    commands = next(action for action in command_line.parser()._actions if action.dest == "command").choices
    assert all(action.help and action.help != argparse.SUPPRESS for action in commands[name]._actions if action.option_strings)


def test_an_empty_folder_is_one_line(grade, tmp_path):
    (tmp_path / "empty").mkdir()
    done = subprocess.run(command(grade, tmp_path / "empty", tmp_path / "kept"), capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith("a folder with STUDENT.cu or STUDENT/….cu is accepted")
