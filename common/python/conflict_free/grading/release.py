"""Writes what students receive: the starter, the program that tries it, and a page with the brief and the checks."""

import textwrap
from collections.abc import Iterator
from pathlib import Path

from conflict_free.console import USAGE, Stop

from .assignment import DEFAULT_MACHINE, TRY, Assignment
from .parts import Case, Range

#: The page with the brief, the checks, and the commands to work with.
README = "README.rst"


def files(assignment: Assignment) -> dict[str, str]:
    """Return the texts that are handed out, by the name of the file."""
    trial = (assignment.folder / TRY).read_text(encoding="utf-8")
    return {README: readme(assignment), assignment.source.name: assignment.starter(), TRY: trial}


def readme(assignment: Assignment) -> str:
    """Return the page for students. It has nothing of the answers, and only the number of the hidden cases."""
    licence, brief = assignment.brief().split("\n\n", 1)
    parts = [
        licence,
        _titled(assignment.title, "="),
        brief.strip(),
        _titled("Work on it", "-"),
        _commands(assignment),
        _titled("What is graded", "-"),
        *_graded(assignment),
    ]
    return "\n\n".join(parts) + "\n"


def _titled(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _commands(assignment: Assignment) -> str:
    source = assignment.source.name
    machine = "" if assignment.machine == DEFAULT_MACHINE else f" --machine {assignment.machine}"
    commands = {
        f"scripts/count {TRY}{machine}": "counts what it does, line by line; needs no GPU",
        f"nvcc {TRY} && ./a.out": "runs it on a GPU",
        f"scripts/grade run {assignment.name} {source}": "grades it",
        f"scripts/grade watch {assignment.name} {source}": "grades it each time you save it",
        f"scripts/grade hint {assignment.name}": "shows a hint; one with a 2 behind it says more",
    }
    widest = max(map(len, commands))
    lines = [f"    {command:<{widest}}  {what}" for command, what in commands.items()]
    return "\n".join([f"Your work is in ``{source}``. In a clone of the book, with the path to this folder::", "", *lines])


def _sizes(case: Case) -> str:
    """Return the parameters of a case, and the range of a drawn parameter."""
    shown = {name: f"{value.first} to {value.last}" if isinstance(value, Range) else value for name, value in case.parameters.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def _graded(assignment: Assignment) -> Iterator[str]:
    """Yield the paragraphs about the checks in order, the sizes, and the limits."""
    yield "The checks in this order; one that fails stops those that mean nothing without it."
    points = assignment.points
    rows = [
        ("exists", points["exists"], "The file is there."),
        ("compiles", points["compiles"], f"It compiles and defines ``{assignment.declaration}``."),
        ("safe", points["safe"], "No hazard, and an end within the limits, in every case."),
        ("correct", points["correct"], "The right output in every case."),
    ]
    for threshold in assignment.thresholds:
        bound = "at most" if threshold.is_upper else "at least"
        rows.append((threshold.check, threshold.points, f"``{threshold.count}`` is {bound} ``{threshold.limit}``."))
    yield "\n".join(f"- **{name}**, {number} points: {what}" if number else f"- **{name}**: {what}" for name, number, what in rows)
    visible = [f"*{case.name}* ({_sizes(case)})" for case in assignment.cases if case.visible]
    hidden = len(assignment.cases) - len(visible)
    limits = assignment.limits
    yield textwrap.fill(
        f"Cases that you know: {', '.join(visible)}. There {'is one more' if hidden == 1 else f'are {hidden} more'}, with sizes of your "
        f"own. The rules are those of the machine {assignment.machine}. A case may take {limits.seconds:g} seconds and "
        f"{limits.memory_megabytes:,} megabytes.",
        120,
        break_on_hyphens=False,
    )


def release(assignment: Assignment, folder: Path) -> list[Path]:
    """Write the texts into a new or empty folder and return the files. Raises Stop if the folder has something in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Stop(f"{str(folder)!r} given, a folder that is new or empty is accepted", USAGE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made = []
        for name, text in files(assignment).items():
            made.append(folder / name)
            made[-1].write_text(text, encoding="utf-8")
    except OSError as error:
        raise Stop(f"{str(folder)!r} cannot be written: {error.strerror}", USAGE) from error
    return made
