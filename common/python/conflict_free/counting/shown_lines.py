"""The lines of a source that a report shows beside the counts: the functions around the counted lines."""

import re
from collections.abc import Iterable, Sequence

# Lines shown around a counted line whose function cannot be made out.
CONTEXT_LINES = 2
# A listing leaves out gaps without counts that are longer than this.
LONGEST_GAP = 24


def _function_around(lines: Sequence[str], numbers: Sequence[int]) -> range:
    """Return the lines of the function around the numbered lines, counted from 1, according to the indentation."""
    first, last = min(numbers), max(numbers)
    begin, end = max(1, first - CONTEXT_LINES), min(len(lines), last + CONTEXT_LINES)
    for number in range(min(first, len(lines)), 0, -1):
        if re.search(r"\b__(global|device)__\b", lines[number - 1]):
            begin = number
            break
        if lines[number - 1].startswith("}"):
            break
    opening = int(begin > 1 and lines[begin - 2].startswith("template"))
    if begin == last and 0 < lines[begin - 1].count("{") == lines[begin - 1].count("}"):
        return range(begin - opening, begin + 1)
    for number in range(last, min(len(lines), last + 40) + 1):
        if re.match(r"\s*}", lines[number - 1]) and _indent(lines[number - 1]) <= _indent(lines[begin - 1]):
            end = number
            break
    return range(begin - opening, end + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _ranges(lines: Sequence[str], numbers: Iterable[int]) -> list[range]:
    """Return the functions around the numbered lines, in order and without overlap."""
    found: list[range] = []
    for number in sorted(set(numbers)):
        if found and number in found[-1]:
            continue
        around = _function_around(lines, [number])
        if found and around.start < found[-1].stop:
            found[-1] = range(found[-1].start, max(around.stop, found[-1].stop))
        else:
            found.append(around)
    return found


def shown_numbers(lines: Sequence[str], counted: Iterable[int]) -> list[int | None]:
    """Return the numbers of the lines to show; None stands for left-out lines."""
    counted = set(counted)
    shown: list[int | None] = []
    for around in _ranges(lines, counted):
        if shown:
            shown.append(None)
        marks = sorted({around.start, *(n for n in counted if n in around), around.stop - 1})
        for mark, following in zip(marks, [*marks[1:], marks[-1]]):
            between = range(mark + 1, following)
            shown += [mark, *(between if len(between) <= LONGEST_GAP else [None])]
    return shown
