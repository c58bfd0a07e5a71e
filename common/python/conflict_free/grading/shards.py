"""Divides a class into shares for several machines, and joins the CSV files of the shares.

A student's share depends only on the student's name, so a late submission moves nobody else to another machine. Each machine sees
the whole folder. The CSV of a share has one more column: its header names the share and the class, and its cells are the places
of the rows in the class.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conflict_free.console import USAGE, Stop

from .command_line import Shard
from .exports import CSV_COLUMNS
from .handed_in import Submission

_HEADER = re.compile(r"part (?P<number>\d{1,6})/(?P<of>\d{1,6}) of (?P<students>\d{1,9}) students, (?P<state>[a-z][a-z0-9_]* [0-9a-f]{16})")


def share_of(student: str, of: int) -> int:
    """Return the number of a student's share, from 1."""
    return int(hashlib.sha256(student.encode()).hexdigest()[:16], 16) % of + 1


@dataclass(frozen=True)
class Part:
    """The additional column in the CSV of a share: its header, and each student's place in the class, from 0."""

    header: str
    places: Mapping[str, int]

    @classmethod
    def of(cls, shard: Shard, submissions: Sequence[Submission], assignment: str, state: Any) -> "Part":
        """Return the part of a share. ``submissions`` are those of the whole class, ``state`` is everything else that the results
        depend on.
        """
        handed_in = [(each.student, each.shown, source.sha256, source.wrong) for each in submissions for source in [each.read()]]
        digest = hashlib.sha256(json.dumps([state, handed_in]).encode()).hexdigest()[:16]
        header = f"part {shard.number}/{shard.of} of {len(submissions)} students, {assignment} {digest}"
        return cls(header, {submission.student: place for place, submission in enumerate(submissions)})


@dataclass(frozen=True)
class _Read:
    """The CSV of a share, parsed."""

    path: Path
    header: str
    shard: Shard
    students: int
    state: str
    checks: Sequence[str]
    rows: Mapping[int, Mapping[str, str]]


def merge(paths: Sequence[Path]) -> tuple[list[Mapping[str, str]], list[str]]:
    """Return the rows of a class and the names of its checks from the CSV files of all its shares.

    Raises Stop for a file that is no share, for shares of different runs, and if a share is missing or given twice.
    """
    parts = [_part(path) for path in paths]
    first = parts[0]
    by_number: dict[int, _Read] = {}
    for part in parts:
        if (part.state, part.students, part.shard.of) != (first.state, first.students, first.shard.of):
            raise _refused(
                part.path, f"it is of another run than {first.path}: class, assignment, options, grader and compiler have to be the same"
            )
        if other := by_number.get(part.shard.number):
            raise _refused(part.path, f"it is share {part.shard.number}/{part.shard.of}, and so is {other.path}")
        by_number[part.shard.number] = part
    missing = [f"{number}/{first.shard.of}" for number in range(1, first.shard.of + 1) if number not in by_number]
    if missing:
        raise Stop(f"PART: no {', '.join(missing)} given, all {first.shard.of} shares are accepted", USAGE)
    rows: dict[int, Mapping[str, str]] = {}
    for part in parts:
        if rows.keys() & part.rows.keys():
            raise _refused(part.path, "it has rows that another part has, too")
        rows |= part.rows
    if sorted(rows) != list(range(first.students)):
        raise Stop(f"PART: {len(rows)} rows of {first.students} given; a part is incomplete", USAGE)
    return [rows[place] for place in sorted(rows)], list(dict.fromkeys(check for part in parts for check in part.checks))


def _part(path: Path) -> _Read:
    try:
        lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8")), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _refused(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    head = lines[0] if lines else []
    found = _HEADER.fullmatch(head[-1]) if head else None
    if found is None or tuple(head[: len(CSV_COLUMNS)]) != CSV_COLUMNS:
        raise _refused(path, "run-all --shard has not written it")
    rows = {}
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(head) or not re.fullmatch(r"\d{1,9}", cells[-1]) or int(cells[-1]) in rows:
            raise _refused(path, f"row {number} is incomplete")
        rows[int(cells[-1])] = dict(zip(head[:-1], cells))
    return _Read(
        path,
        head[-1],
        Shard(int(found["number"]), int(found["of"])),
        int(found["students"]),
        found["state"],
        head[len(CSV_COLUMNS) : -1],
        rows,
    )


def _refused(path: Path, what: str) -> Stop:
    return Stop(f"PART {path}: {what}", USAGE)
