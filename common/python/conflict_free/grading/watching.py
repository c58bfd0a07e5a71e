"""Grades a file each time it is saved, and shows which checks are left: scripts/grade watch."""

import contextlib
import hashlib
import json
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conflict_free.console import FAILED
from conflict_free.whole_files import write_whole

from . import exports
from .assignment import Assignment
from .result import Result

_FORMAT = "conflict_free/progress/1"
#: Seconds between two looks at the file, and seconds without a change before it is read.
_LOOK_SECONDS = 0.25
_SETTLED_SECONDS = 0.1
_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}
_PLAIN_MARKS = {True: "+", False: "x", None: "."}


@dataclass
class Progress:
    """A student's progress with a file: best points, checks that have passed once, number of gradings, number of hints shown."""

    best: int = 0
    passed: list[str] = field(default_factory=list)
    gradings: int = 0
    hints: int = 0

    def take_in(self, result: Result) -> None:
        """Add a grading."""
        self.gradings += 1
        self.best = max(self.best, result.points)
        self.passed = sorted({*self.passed, *(check.name for check in result.checks if check.passed)})


def progress_file(assignment: Assignment, path: Path) -> Path:
    """Return the file that remembers the progress. It lies in the user's state folder, never beside the submission."""
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    return state / "conflict_free_cuda" / "progress" / f"{assignment.name}-{name}.json"


def load(path: Path) -> Progress:
    """Return the progress in a file; an empty one if the file is missing or has another format."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("format") == _FORMAT:
            return Progress(int(data["best"]), list(map(str, data["passed"])), int(data["gradings"]), int(data["hints"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return Progress()


def save(path: Path, progress: Progress) -> None:
    """Write the progress. An error is ignored: grading works without it."""
    with contextlib.suppress(OSError):
        write_whole(path, json.dumps({"format": _FORMAT, **asdict(progress)}, indent=1) + "\n")


# --- the view ------------------------------------------------------------------------------------


def view(result: Result, progress: Progress, encoding: str) -> Group:
    """Return the view for a student: each check with its mark and points, the total, the checks that are left, the first failure."""
    checks = Table.grid(padding=(0, 2, 0, 0))
    for check in result.checks:
        mark, style = _MARKS[check.passed]
        if not mark.isascii() and not encoding.lower().startswith("utf"):
            mark = _PLAIN_MARKS[check.passed]
        once = " (has passed before)" if not check.passed and check.name in progress.passed else ""
        note = "not reached" if check.passed is None else check.seen if check.passed is False else ""
        checks.add_row(Text(mark, style), Text(check.name), Text(f"{check.points} of {check.max_points}"), Text(note + once, "dim"))
    left = [check.name for check in result.checks if not check.passed]
    total = f"{result.points} of {result.max_points} points, best so far {max(progress.best, result.points)}"
    parts = [Text(f"{result.title}: {result.submission}", "bold"), Padding(checks, (1, 0, 1, 2)), Text(total)]
    parts.append(Text(f"left: {', '.join(left)}" if left else "Nothing is left: every check passes."))
    first = result.first_failed
    if first:
        parts += [Text(""), Text(first.name, "bold red"), Padding(Text(exports.details(first)), (0, 0, 0, 2))]
    return Group(*parts)


def next_hint(assignment: Assignment, progress: Progress) -> str:
    """Return the next hint, or the last one again."""
    number = min(progress.hints + 1, len(assignment.hints))
    progress.hints = number
    return f"Hint {number} of {len(assignment.hints)}: {assignment.hints[number - 1]}"


# --- waiting -------------------------------------------------------------------------------------


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
    except OSError:
        return ()


def _settled(path: Path) -> tuple[int, ...]:
    """Wait until the file stays unchanged, because an editor may save in steps. Return its stamp."""
    stamp = _stamp(path)
    while True:
        time.sleep(_SETTLED_SECONDS)
        now = _stamp(path)
        if now == stamp:
            return now
        stamp = now


@contextlib.contextmanager
def keys() -> Iterator[Callable[[float], str]]:
    """Yield a function that waits some seconds for a key and returns it, or "". Without a terminal there are no keys."""
    if not sys.stdin.isatty():

        def rest(seconds: float) -> str:
            time.sleep(seconds)
            return ""

        yield rest
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def read(seconds: float) -> str:
        ready, _, _ = select.select([terminal], [], [], seconds)
        return os.read(terminal, 1).decode("ascii", "replace") if ready else ""

    try:
        tty.setcbreak(terminal)
        yield read
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def watch(assignment: Assignment, path: Path, grade: Callable[[], Result], *, once: bool, out: Console) -> int:
    """Grade and show the file now and after each change, until q or Ctrl+C. With ``once``, do so only now.

    Return 0 if all checks passed the last time, else 1.
    """
    remembered = progress_file(assignment, path)
    progress = load(remembered)
    result = None
    with contextlib.suppress(KeyboardInterrupt), keys() if not once else contextlib.nullcontext() as read:
        key = "r"
        seen: tuple[int, ...] = ()
        while key != "q":
            if key == "h":
                out.print(next_hint(assignment, progress), markup=False, highlight=False)
                save(remembered, progress)
            elif key == "r" or _stamp(path) != seen:
                seen = _settled(path)
                result = _show(assignment, grade, progress, remembered, out, once)
            if once:
                break
            key = read(_LOOK_SECONDS)
    return 0 if result and result.passed else FAILED


def _show(assignment: Assignment, grade: Callable[[], Result], progress: Progress, remembered: Path, out: Console, once: bool) -> Result:
    """Grade the file, write the progress, and show the result."""
    if not once and out.is_terminal:
        out.clear()
    with out.status("grading"):
        result = grade()
    progress.take_in(result)
    save(remembered, progress)
    out.print(view(result, progress, out.encoding))
    if not once:
        keys_shown = "h: hint   r: grade again   q: quit" if sys.stdin.isatty() else f"hints: scripts/grade hint {assignment.name}"
        out.print(f"\n{keys_shown}; each save of {result.submission} is graded", style="dim", markup=False, highlight=False)
    return result
