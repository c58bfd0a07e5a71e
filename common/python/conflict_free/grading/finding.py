"""The finding of one check, before its points are known."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conflict_free.console import Stop

from .cases import DrawnCase
from .result import Place
from .shown_text import printable, shown

#: The help of a check that failed because of the grader.
OURS = "That is our mistake: show this file to those who teach the course."


@dataclass(frozen=True)
class Finding:
    """See result.Check for the fields."""

    passed: bool
    seen: str = ""
    wanted: str = ""
    help: str = ""
    lines: tuple[Place, ...] = ()
    case: str | None = None
    picture: str | None = None
    drawing: str | None = None

    def in_case(self, case: DrawnCase) -> "Finding":
        """Return the finding about a drawn case, with its name and sizes in ``seen``."""
        return replace(self, seen=f"{self.seen} (case {case.name}: {case.sizes})", case=case.name)

    def words(self) -> dict[str, Any]:
        """Return all fields except ``passed`` by name. Texts of a submission in them are made printable, and short enough to show."""
        lines = {name: shown(getattr(self, name)) for name in ("seen", "wanted", "help")}
        pictures = {name: _printable_lines(getattr(self, name)) for name in ("picture", "drawing")}
        return {**lines, **pictures, "lines": self.lines, "case": self.case}


def _printable_lines(text: str | None) -> str | None:
    return text and "\n".join(map(printable, text.split("\n")))


def guarded(make: Callable[[], Finding]) -> Finding:
    """Return the finding that ``make`` returns. If it raises an error that a submission may have caused, the check fails.

    Errors of the machine (OSError) and of the assignment or the tools (Stop) are raised: they say nothing about the submission.
    """
    try:
        return make()
    except (OSError, Stop):
        raise
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return Finding(False, f"the grader could not make this check: {what}", "a check that can be made", OURS)


def passed(seen: str = "") -> Finding:
    """Return the finding of a check that passes."""
    return Finding(True, seen)
