"""Prints a result for a student: each check with what was seen, and for a failed one what was wanted, the lines, and help."""

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from .pictures import PLAIN
from .result import Check, Result

_MARKS = {True: ("passed", "green"), False: ("failed", "bold red"), None: ("not reached", "dim")}
_INDENT = 4
# Without a terminal, lines are not wrapped.
_UNBOUNDED_WIDTH = 400


def _console() -> Console:
    out = Console(highlight=False, markup=False, emoji=False)
    if not out.is_terminal:
        out.width = _UNBOUNDED_WIDTH
    return out


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current step: it rewrites a line on a terminal, and does nothing elsewhere."""
    out = _console()
    if not out.is_terminal:
        yield lambda what: None
        return
    with out.status("grading") as status:
        yield lambda what: status.update(f"grading: {what}")


def show(result: Result) -> None:
    """Print a result."""
    out = _console()

    def line(text: Text | str, indent: int = 0) -> None:
        shown = Text(text) if isinstance(text, str) else text
        if not shown.plain:
            out.print()
            return
        if not out.encoding.lower().startswith("utf"):
            shown = Text(shown.plain.translate(PLAIN).encode(out.encoding, "replace").decode(out.encoding), shown.style)
        out.print(Padding(shown, (0, 0, 0, indent), expand=False))

    line(Text(f"{result.title}: {result.submission}, by the rules of {result.machine}", style="bold"))
    line("")
    for check in result.checks:
        word, style = _MARKS[check.passed]
        line(Text(f"{word:<12}{_points(check):>9}  {check.name}", style=style))
        if check.passed and check.seen:
            line(Text(", ".join(filter(None, (check.seen, check.wanted))), style="dim"), _INDENT)
        if check.passed is False:
            for text in _told(check):
                line(text, _INDENT)
            line("")
    if result.passed:
        line("")
    line(Text(f"{result.points} of {result.max_points} points", style="bold"))


def _points(check: Check) -> str:
    return f"{check.points} of {check.max_points}" if check.max_points else ""


def _told(check: Check) -> Iterator[Text]:
    yield Text(f"seen:    {check.seen}")
    yield Text(f"wanted:  {check.wanted}")
    for place in check.lines:
        yield Text(f"{place.file}:{place.line}:  {place.text}", style="cyan")
    yield Text(check.help)
    if check.picture:
        yield Text("")
        yield from map(Text, check.picture.splitlines())
