"""Tests a class in shares: the share of each student, the CSV of a share, and merging."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from grading_results import make_result

from conflict_free.console import Stop, module_command
from conflict_free.grading import classes, exports, shards
from conflict_free.grading.command_line import Shard
from conflict_free.grading.handed_in import Submission, find
from conflict_free.schemas import Schema

STUDENTS = ["-dash", "=1+1", "ada", "bea", 'comma,quote"', "new\\nline", "übung", *(f"student{number:02}" for number in range(13))]
FAILS = ("", "safe", "correct", "exists", "counts.conflicts")


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "class"
    made.mkdir()
    for student in STUDENTS:
        (made / f"{student}.cu").write_text(student, encoding="utf-8")
    return made


def graded(submissions: list[Submission]) -> classes.Graded:
    """Return results for all submissions but one, for which the grader failed."""
    found = classes.Graded()
    for submission in submissions:
        if submission.student == "bea":
            found.errors["bea"] = "SIGKILL,\nor so"
        else:
            fails = FAILS[len(submission.student + submission.shown) % len(FAILS)]
            found.results[submission.student] = make_result(submission.student, fails, seen='@no, "formula"')
    return found


def write_parts(folder: Path, of: int, state: str = "state", name: str = "part") -> list[Path]:
    paths = []
    for number in range(1, of + 1):
        submissions = find(folder, "work.cu").submissions
        part = shards.Part.of(Shard(number, of), submissions, "padding", state)
        share = [each for each in submissions if shards.share_of(each.student, of) == number]
        paths.append(folder.parent / f"{name}{number}.csv")
        classes.write(share, graded(share), csv=paths[-1], part=part)
    return paths


@pytest.mark.parametrize("of", [1, 2, 7, 60])
def test_parts_make_the_same_bytes_as_one_machine(folder, of):
    submissions = find(folder, "work.cu").submissions
    assert len(submissions) == len(STUDENTS)
    rows, checks = shards.merge(write_parts(folder, of)[::-1])
    assert exports.class_csv(rows, checks) == classes.csv_text(submissions, graded(submissions))


def test_a_part_is_in_the_shape_of_its_schema(folder):
    schema = Schema.of(Path(exports.__file__).parent / "schemas" / "class-row.schema.json")
    for path in write_parts(folder, 2):
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
            assert schema.misfits(row) == []


def test_who_comes_late_moves_nobody():
    before = {student: shards.share_of(student, 4) for student in STUDENTS}
    assert set(before.values()) == {1, 2, 3, 4}
    assert {student: shards.share_of(student, 4) for student in [*STUDENTS, "late"]}.items() > before.items()


def change_rows(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(old, text)
    path.write_text(re.sub(old, new, text, count=1), encoding="utf-8")


def refusal(paths: list[Path]) -> str:
    with pytest.raises(Stop) as stop:
        shards.merge(paths)
    assert stop.value.code == 2 and "\n" not in str(stop.value)
    return str(stop.value)


def test_parts_that_do_not_belong_together_are_refused(folder, tmp_path):
    first, second, third = write_parts(folder, 3)
    assert refusal([first]) == "PART: no 2/3, 3/3 given, all 3 shares are accepted"
    assert refusal([first, second, first]) == f"PART {first}: it is share 1/3, and so is {first}"
    other = write_parts(folder, 3, "another grader", "other")
    assert f"{other[1]}: it is of another run than {first}" in refusal([first, other[1], third])
    (folder / "late.cu").write_text("late", encoding="utf-8")
    assert "it is of another run" in refusal([first, second, write_parts(folder, 3, name="later")[2]])
    assert f"PART {tmp_path / 'nowhere.csv'}: it cannot be read" in refusal([first, tmp_path / "nowhere.csv"])
    whole = tmp_path / "whole.csv"
    submissions = find(folder, "work.cu").submissions
    classes.write(submissions, graded(submissions), csv=whole)
    assert refusal([whole]) == f"PART {whole}: run-all --shard has not written it"


def test_parts_that_are_not_whole_are_refused(folder):
    first, second = write_parts(folder, 2)
    text = first.read_text(encoding="utf-8")
    first.write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    assert refusal([first, second]) == f"PART: {len(STUDENTS) - 1} rows of {len(STUDENTS)} given; a part is incomplete"
    first.write_text(text[:-12], encoding="utf-8")
    assert "is incomplete" in refusal([first, second])
    row = second.read_text(encoding="utf-8").splitlines()[1]
    first.write_text(f"{text}{row}\n", encoding="utf-8")
    assert refusal([first, second]) == f"PART {second}: it has rows that another part has, too"
    first.write_bytes(b"\xff")
    assert "it cannot be read" in refusal([first, second])


def test_merging_on_the_command_line(folder, tmp_path):
    paths = write_parts(folder, 2)

    def run(*arguments: object) -> subprocess.CompletedProcess:
        command = module_command(sys.executable, "grading.main", "merge", *arguments)
        return subprocess.run(command, capture_output=True, text=True)

    done = run("--csv", tmp_path / "all.csv", *paths)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[-2:] == [
        "not graded: bea: SIGKILL, or so",
        f"{len(STUDENTS)} students of 2 parts in {tmp_path / 'all.csv'}",
    ]
    submissions = find(folder, "work.cu").submissions
    assert (tmp_path / "all.csv").read_text(encoding="utf-8") == classes.csv_text(submissions, graded(submissions))
    done = run("--csv", tmp_path / "some.csv", paths[0])
    assert done.returncode == 2 and done.stderr == "error: PART: no 2/2 given, all 2 shares are accepted\n"
    assert not (tmp_path / "some.csv").exists()
