"""The memory instructions of machine code, by the line of PTX of each. Standard library only.

With -lineinfo ptxas notes two lines for each instruction: that of the source, and that of its own PTX text. nvdisasm -gp shows both.
"""

import re
from dataclasses import dataclass, field

_SECTION = re.compile(r"^\.text\.(\S+):$")
_PLACE = re.compile(r'^\s*//## File "\.nv_debug_ptx_txt[^"]*", line (\d+)')
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*);")
_LABEL = re.compile(r"^(\.L_x_\d+|\$?[\w$.]+):$")
_JUMP = re.compile(r"`\((\.L_x_\d+)\)")

# The guard of instructions that only fill a place in the pipeline.
_NEVER = "!PT"

# The first word of an instruction gives the space and the operation.
_KINDS = {
    "LDS": ("shared", "load"),
    "STS": ("shared", "store"),
    "ATOMS": ("shared", "atomic"),
    "LDSM": ("shared", "load"),
    "STSM": ("shared", "store"),
    "LDG": ("global", "load"),
    "STG": ("global", "store"),
    "ATOMG": ("global", "atomic"),
    "RED": ("global", "atomic"),
    "REDG": ("global", "atomic"),
    "LD": ("generic", "load"),
    "ST": ("generic", "store"),
    "ATOM": ("generic", "atomic"),
    "LDL": ("local", "load"),
    "STL": ("local", "store"),
    "LDGSTS": ("global", "async_copy"),
}
_SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}


@dataclass(frozen=True)
class MachineAccess:
    """A memory instruction. `line` is its line of PTX; `loop` is a number of its innermost loop.

    `behind` has the lines of PTX of the conditional exits and forward branches that can keep lanes from it.
    """

    line: int
    address: int
    space: str
    operation: str
    bytes: int
    text: str
    loop: int
    behind: frozenset[int] = frozenset()


@dataclass
class Section:
    """The code of a function, and of the functions that are called from it and have no section of their own."""

    name: str
    accesses: list[MachineAccess] = field(default_factory=list)
    # Line of PTX and innermost loop of each barrier.
    barriers: list[tuple[int, int]] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    # Lines of PTX whose machine code chooses one of the active lanes.
    elected: set[int] = field(default_factory=set)
    # The memory instructions and barriers in their order, with their guards.
    order: list[str] = field(default_factory=list)


def _bytes_of(words: list[str]) -> int:
    if words[0] in ("LDSM", "STSM"):
        return 4 * int(words[-1]) if words[-1] in ("2", "4") else 4
    return next((_SIZES[word] for word in words[1:] if word in _SIZES), 4)


def _loops(code: list[tuple], labels: dict[str, int]) -> list[tuple[int, int]]:
    """Return the first and last address of each loop, from the target of a backward branch to the branch; the innermost loop first."""
    found = {}
    for _, address, _, operation, operands in code:
        target = _JUMP.search(operands)
        if operation.startswith("BRA") and target and labels.get(target[1], address + 1) < address:
            first = labels[target[1]]
            found[first] = max(found.get(first, 0), address)
    return sorted(found.items(), key=lambda loop: loop[1] - loop[0])


def _ways_past(code: list[tuple], labels: dict[str, int]) -> list[tuple[int, int, int]]:
    """Return each conditional exit and forward branch: its line of PTX, and the addresses between which it keeps lanes from the code."""
    ways = []
    for line, address, guard, operation, operands in code:
        if guard is None or guard.endswith("PT"):
            continue
        target = _JUMP.search(operands)
        if operation.startswith("EXIT"):
            ways.append((line, address, code[-1][1] + 1))
        elif operation.startswith("BRA") and target and labels.get(target[1], 0) > address:
            ways.append((line, address, labels[target[1]]))
    return ways


class _Leaders:
    """The predicates that hold in only one of the active lanes, up to the last instruction read.

    Such a predicate compares the lane's number with the number of a lane that was found in a mask.
    """

    def __init__(self):
        self._numbers: set[str] = set()
        self._found: set[str] = set()
        self._predicates: set[str] = set()

    def holds(self, guard: str | None) -> bool:
        return guard in self._predicates

    def read(self, operation: str, operands: str) -> None:
        words = [word.strip() for word in operands.split(",")]
        written, sources = words[0], set(words[1:])
        compares = operation.startswith("ISETP.EQ") and sources & self._numbers and sources & self._found
        for known in (self._numbers, self._found, self._predicates):
            known.discard(written)
        if compares:
            self._predicates.add(written)
        elif operation.startswith("S2R") and "SR_LANEID" in sources:
            self._numbers.add(written)
        elif operation.split(".")[0] in ("FLO", "UFLO"):
            self._found.add(written)


def _elected(code: list[tuple]) -> set[int]:
    """Return the lines of atomic operations that only one of the active lanes executes.

    The code takes the active lanes (a vote on true) and finds one of them: in the same line, or earlier for several lines together.
    """
    of_line: dict[int, set[str]] = {}
    leaders, elected = _Leaders(), set()
    for line, _, guard, operation, operands in code:
        word = operation.split(".")[0]
        of_line.setdefault(line, set()).add(word)
        if _KINDS.get(word, ("", ""))[1] == "atomic" and leaders.holds(guard):
            elected.add(line)
        leaders.read(operation, operands)
    return elected | {line for line, words in of_line.items() if words & {"VOTE", "VOTEU"} and words & {"FLO", "UFLO"}}


def _finish(name: str, code: list[tuple], labels: dict[str, int]) -> Section:
    section = Section(name, elected=_elected(code))
    loops, ways = _loops(code, labels), _ways_past(code, labels)
    for line, address, guard, operation, _ in code:
        if guard == _NEVER:
            continue
        section.lines.add(line)
        words = operation.split(".")
        loop = next((first for first, last in loops if first <= address <= last), -1)
        if words[0] in _KINDS or words[0] == "BAR":
            section.order.append(f"@{guard} {operation}" if guard else operation)
        if words[0] == "BAR" and words[1:2] != ["ARV"]:
            section.barriers.append((line, loop))
        if words[0] in _KINDS:
            space, does = _KINDS[words[0]]
            behind = frozenset(at for at, first, last in ways if first < address < last)
            section.accesses.append(MachineAccess(line, address, space, does, _bytes_of(words), operation, loop, behind))
    return section


def read(text: str) -> list[Section]:
    """Return the sections with code in the output of `nvdisasm -c -gp`."""
    sections = []
    name, code, labels, waiting, line = "", [], {}, [], 0
    for shown in text.splitlines():
        if found := _SECTION.match(shown):
            if code:
                sections.append(_finish(name, code, labels))
            name, code, labels, waiting, line = found[1], [], {}, [], 0
        elif found := _PLACE.match(shown):
            line = int(found[1])
        elif found := _INSTRUCTION.match(shown):
            address = int(found[1], 16)
            labels.update((label, address) for label in waiting)
            waiting = []
            code.append((line, address, found[2], found[3], found[4]))
        elif found := _LABEL.match(shown):
            waiting.append(found[1])
    if code:
        sections.append(_finish(name, code, labels))
    return sections
