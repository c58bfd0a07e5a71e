"""Finds the submissions in a class's folder, as a course system or an archive has left it.

Each student has one submission. Other entries are passed over, and each of them is named with the reason. A student whose only
entries are passed over has a submission without a file, so that nobody is missing from the results.
"""

import itertools
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import USAGE, Stop

from . import sources
from .sources import Source, readable

SUFFIX = ".cu"
#: How many entries of a student's folder are read, and how deep its folders may be.
_MOST_ENTRIES, _DEEPEST = 2_000, 32
_SHOWN = 3  # the most names in a line about several files
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar")
_LEFT_BY_MACOS = "__MACOSX"


@dataclass(frozen=True)
class Submission:
    """The submission of a student: ``path`` in ``folder``, or None and ``found``, which says what is there instead.

    ``shown`` is the path inside the folder as text.
    """

    student: str
    folder: Path
    path: Path | None
    shown: str
    found: str = ""

    def to_json(self) -> dict[str, str | None]:
        """Return the submission as a JSON object."""
        return {**vars(self), "folder": str(self.folder.absolute()), "path": self.path and str(self.path)}

    @classmethod
    def from_json(cls, data: Mapping[str, str | None]) -> "Submission":
        """Return the submission from the ``data`` of ``to_json``."""
        return cls(**{**data, "folder": Path(data["folder"]), "path": data["path"] and Path(data["path"])})

    def read(self) -> Source:
        """Return the source, or what is wrong with it."""
        if self.path is None:
            name = self.shown.rpartition("/")[2]
            return Source(name, wrong=self.found, help=f"Hand in one source file, named {name}.")
        return sources.read(self.folder / self.path, self.folder)


@dataclass(frozen=True)
class Class:
    """The submissions of a folder by student, and a line about each entry that is no submission."""

    submissions: Sequence[Submission]
    passed_over: Sequence[str]


@dataclass(frozen=True)
class _Entry:
    """An entry of a folder: its path inside, and the reason why it cannot be a submission, or ""."""

    path: Path
    reason: str
    #: Whether only its name is the reason, as for a Makefile.
    is_other: bool = False

    @property
    def is_nobodys(self) -> bool:
        """Whether no student has handed the entry in."""
        return self.path.name.startswith(".") or self.path.name == _LEFT_BY_MACOS

    @property
    def shown(self) -> str:
        return "/".join(map(readable, self.path.parts))

    @property
    def told(self) -> str:
        return f"{self.shown}: {self.reason}"


def find(folder: Path, source: str) -> Class:
    """Return the submissions of a folder: FOLDER/STUDENT.cu, or FOLDER/STUDENT/ with one .cu somewhere in it.

    If a student's folder has several .cu files, the one named ``source`` counts. Links are not followed. Raises Stop for a folder
    without students: one in which there are only files whose names no submission has.
    """
    found: dict[str, list[Submission]] = {}
    passed_over, without_file = [], {}
    try:
        entries = list(_entries(folder, Path()))
    except OSError as error:
        raise Stop(f"DIR: {str(folder)!r} cannot be read: {error.strerror}", USAGE) from error
    for entry in entries:
        if not entry.reason and entry.path.suffix == SUFFIX:
            submission = Submission(readable(entry.path.stem), folder, entry.path, entry.shown)
        elif not entry.reason:
            submission, others = _of_folder(folder, entry.path, source)
            passed_over += others
        else:
            passed_over.append(entry.told)
            if not entry.is_nobodys:
                without_file.setdefault(readable(entry.path.name.partition(".")[0]), []).append(entry)
            continue
        found.setdefault(submission.student, []).append(submission)
    if not found and all(entry.is_other for others in without_file.values() for entry in others):
        raise Stop(f"DIR: {str(folder)!r} given, a folder with STUDENT.cu or STUDENT/….cu is accepted", USAGE)
    for student, others in without_file.items():
        told = "; ".join(entry.told for entry in others[:_SHOWN])
        found.setdefault(student, [Submission(student, folder, None, f"{student}{SUFFIX}", told)])
    return Class([_only(found[student], source) for student in sorted(found)], passed_over)


def _only(submissions: Sequence[Submission], source: str) -> Submission:
    if len(submissions) == 1:
        return submissions[0]
    shown = " and ".join(submission.shown for submission in submissions)
    first = submissions[0]
    return Submission(first.student, first.folder, None, source, f"{len(submissions)} submissions with this student's name: {shown}")


def _entries(folder: Path, inside: Path) -> Iterator[_Entry]:
    """Yield the entries of a folder by name. Those without a reason are folders, or files that end in .cu."""
    with os.scandir(folder / inside) as found:
        names = sorted((each.name, each.stat(follow_symlinks=False).st_mode) for each in found)
    for name, mode in names:
        path = inside / name
        is_folder, is_source = stat.S_ISDIR(mode), name.endswith(SUFFIX)
        kind = sources.kind_of(mode)
        if name.startswith("."):
            yield _Entry(path, "its name is hidden", is_other=True)
        elif kind and not is_folder:
            yield _Entry(path, kind)
        elif name == _LEFT_BY_MACOS:
            yield _Entry(path, "what macOS leaves in archives")
        elif is_folder and is_source:
            yield _Entry(path, "a folder that is named like a source")
        elif not is_folder and name.lower().endswith(_ARCHIVES):
            yield _Entry(path, "an archive; unpack it first")
        elif not is_folder and not is_source:
            yield _Entry(path, f"its name does not end in {SUFFIX}", is_other=True)
        else:
            yield _Entry(path, "")


def _walk(folder: Path, inside: Path, depth: int = 0) -> Iterator[_Entry]:
    """Yield all files below a student's folder, and the entries that are passed over."""
    try:
        entries = list(_entries(folder, inside))
    except OSError as error:
        yield _Entry(inside, f"it cannot be read: {error.strerror}")
        return
    for entry in entries:
        if entry.reason or entry.path.suffix == SUFFIX:
            yield entry
        elif depth == _DEEPEST:
            yield _Entry(entry.path, f"it is deeper than {_DEEPEST} folders")
        else:
            yield from _walk(folder, entry.path, depth + 1)


def _of_folder(folder: Path, inside: Path, source: str) -> tuple[Submission, list[str]]:
    """Return a student's submission in a folder, and lines about the other entries."""
    student, wanted = readable(inside.name), f"{readable(inside.name)}/{source}"
    entries = list(itertools.islice(_walk(folder, inside), _MOST_ENTRIES + 1))
    files = [entry for entry in entries if not entry.reason]
    named = [entry for entry in files if entry.path.name == source]
    told = _told(student, [entry for entry in entries if entry.reason])
    if len(entries) > _MOST_ENTRIES:
        return Submission(student, folder, None, wanted, f"more than {_MOST_ENTRIES:,} files"), [
            f"{student}: more than {_MOST_ENTRIES:,} files"
        ]
    for choice in (named, files):
        if len(choice) == 1:
            told += [f"{entry.shown}: {choice[0].shown} counts" for entry in files if entry != choice[0]]
            return Submission(student, folder, choice[0].path, choice[0].shown), told
    if files:
        found = f"{len(named or files)} source files, {'each' if named else 'none of them'} named {source}: {_some(named or files)}"
    else:
        found = f"no file that ends in {SUFFIX}; there is {'; '.join(told[:_SHOWN]) if told else 'nothing in the folder'}"
    return Submission(student, folder, None, wanted, found), [
        *told,
        *(f"{entry.shown}: one of {len(files)} source files" for entry in files),
    ]


def _told(student: str, entries: Sequence[_Entry]) -> list[str]:
    """Return a line about each entry, and one line about all entries whose names alone rule them out."""
    others = [entry for entry in entries if entry.is_other]
    lines = [entry.told for entry in entries if not entry.is_other]
    if others:
        files = "1 file" if len(others) == 1 else f"{len(others)} files"
        lines.append(f"{student}: {files} whose names are hidden or do not end in {SUFFIX}: {_some(others)}")
    return lines


def _some(entries: Sequence[_Entry]) -> str:
    more = [f"{len(entries) - _SHOWN} more"] if len(entries) > _SHOWN else []
    return ", ".join([*(entry.shown for entry in entries[:_SHOWN]), *more])
