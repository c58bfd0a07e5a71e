"""Makes the starter and the solution of an assignment from one source, whose lines are marked like this:

    // BEGIN SOLUTION
    lines of the solution
    // INSTEAD
    // |    lines of the starter, each behind "// |"
    // END SOLUTION

Without INSTEAD the starter has no lines in the region.
"""

import re
from dataclasses import dataclass

BEGIN, INSTEAD, END = "BEGIN SOLUTION", "INSTEAD", "END SOLUTION"
_MARKER = re.compile(rf"\s*//\s*({BEGIN}|{INSTEAD}|{END})\s*")
_STARTER_LINE = re.compile(r"\s*// ?\|(.*)", re.DOTALL)


class RegionError(Exception):
    """The marks are not balanced. The message is one line: the place, what is wrong, what is accepted."""


@dataclass(frozen=True)
class Region:
    """The lines between two marks, or outside of all marks; there ``starter`` and ``solution`` are the same."""

    starter: tuple[str, ...]
    solution: tuple[str, ...]
    marked: bool
    begin: str = ""
    end: str = ""


def parse(text: str, name: str) -> list[Region]:
    """Return the regions of a source, marked and unmarked ones in order. Raises RegionError."""
    regions: list[Region] = []
    outside: list[str] = []
    open_at, instead, begin = 0, False, ""
    solution: list[str] = []
    starter: list[str] = []
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        found = _MARKER.fullmatch(line)
        mark = found.group(1) if found else None
        if mark == BEGIN and not open_at:
            regions.append(Region(tuple(outside), tuple(outside), marked=False))
            outside, solution, starter, open_at, instead, begin = [], [], [], number, False, line
        elif mark == END and open_at:
            regions.append(Region(tuple(starter), tuple(solution), marked=True, begin=begin, end=line))
            open_at, instead = 0, False
        elif mark == INSTEAD and open_at and not instead:
            instead = True
        elif mark:
            after = f"{BEGIN} in line {open_at}" if open_at else "no open region"
            raise RegionError(f"{name}:{number}: {mark} after {after}; {BEGIN} [{INSTEAD}] {END} is accepted")
        elif instead:
            kept = _STARTER_LINE.fullmatch(line)
            if not kept:
                raise RegionError(f"{name}:{number}: {line.strip()!r} after {INSTEAD}; lines that begin with '// |' are accepted")
            starter.append(kept.group(1))
        else:
            (solution if open_at else outside).append(line)
    if open_at:
        raise RegionError(f"{name}:{open_at}: {BEGIN} without {END}")
    return [*regions, Region(tuple(outside), tuple(outside), marked=False)]


def starter(text: str, name: str) -> str:
    """Return the starter, which keeps the marks where students work. Raises RegionError."""
    parts = []
    for region in parse(text, name):
        lines = "".join(region.starter)
        parts.append(f"{region.begin}{lines}{region.end}" if region.marked else lines)
    return "".join(parts)


def solution(text: str, name: str) -> str:
    """Return the source with the solution and without marks. Raises RegionError."""
    return "".join(line for region in parse(text, name) for line in region.solution)


def solution_lines(text: str, name: str) -> set[str]:
    """Return the stripped lines that only the solution has. Raises RegionError."""
    regions = parse(text, name)
    given = {line.strip() for region in regions for line in region.starter}
    return {line.strip() for region in regions for line in region.solution} - given


def differ_only_inside(starter_text: str, solution_text: str, text: str, name: str) -> bool:
    """Return whether two texts differ only between the marks of their source. Raises RegionError.

    The texts themselves are compared: both must contain the lines outside of the marks, in order.
    """
    fixed = [region.solution for region in parse(text, name) if not region.marked]
    pieces = re.split(rf"[^\n]*//[ \t]*{BEGIN}[ \t]*\n(?:[^\n]*\n)*?[^\n]*//[ \t]*{END}[ \t]*\n", starter_text)
    if pieces != ["".join(lines) for lines in fixed]:
        return False
    at = 0
    for piece in pieces:
        found = solution_text.find(piece, at)
        if found < 0 or (at == 0 and found != 0):
            return False
        at = found + len(piece)
    return solution_text.endswith(pieces[-1])
