"""The memory instructions of a text of PTX: their lines, basic blocks and loops. Standard library only."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FUNCTION = re.compile(r"^\s*(?:\.(?:visible|extern|weak|common)\s+)*\.(entry|func)\b(.*)")
_NAME = re.compile(r"(?:\([^()]*\)\s*)?([\w$.%]+)")
_LABEL = re.compile(r"^\s*([\w$]+):\s*(.*)")
_ASSEMBLY = ("begin inline asm", "end inline asm")
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_INSTRUCTION = re.compile(r"^\s*(?:@!?([%\w$]+)\s+)?([a-z][\w.:]*)\s*(.*)", re.DOTALL)
_ADDRESS = re.compile(r"\[\s*([%\w$.]+)\s*(?:\+\s*(-?\w+))?\s*\]")
_TYPE_BITS = re.compile(r"^[bsuf](8|16|32|64|128)$|^(f16x2|bf16x2|bf16|f16)$")
_OTHER_BYTES = {"f16x2": 4, "bf16x2": 4, "bf16": 2, "f16": 2}
# The instruction behind one of these begins another basic block.
_ENDS = ("bra", "brx", "ret", "exit", "trap", "call")
_ACCESSES = {"ld": "load", "ldu": "load", "st": "store", "atom": "atomic", "red": "atomic", "ldmatrix": "load", "stmatrix": "store"}
_MATRICES = {"x1": 4, "x2": 8, "x4": 16}


@dataclass(frozen=True)
class Access:
    """A memory instruction. `bytes` is the size of one lane's access; 0 if that is not a fixed number."""

    line: int
    block: int
    space: str  # global, shared, local or generic
    operation: str  # load, store, atomic or async_copy
    bytes: int
    base: str
    offset: int
    guard: str
    text: str
    file: str = ""
    source_line: int = 0
    vectorizable: bool = True


@dataclass
class Function:
    """A function with a body. Its lines are those of the text, counted from 1."""

    name: str
    first_line: int
    last_line: int = 0
    accesses: list[Access] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    # Lines of block barriers, and their basic blocks.
    barriers: dict[int, int] = field(default_factory=dict)
    # A loop: the target line of a backward branch, and the line of the branch.
    loops: list[tuple[int, int]] = field(default_factory=list)
    # Lines of branches, and their target lines.
    branches: dict[int, int] = field(default_factory=dict)

    def in_loop(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self.loops)

    def ways_out(self, line: int) -> list[int]:
        """Return the lines of the branches at which lanes leave the innermost loop around a line, or begin its next round."""
        around = [loop for loop in self.loops if loop[0] <= line <= loop[1]]
        if not around:
            return []
        first, last = min(around, key=lambda loop: loop[1] - loop[0])
        return [at for at, target in self.branches.items() if first <= at <= last and (at == last or not first <= target <= last)]


def _bytes_of(words: list[str]) -> int:
    for word in reversed(words):
        if found := _TYPE_BITS.match(word):
            size = int(found[1]) // 8 if found[1] else _OTHER_BYTES[found[2]]
            return size * next((int(w[1]) for w in words if w in ("v2", "v4", "v8")), 1)
    return 0


def _space_of(words: list[str]) -> str:
    for word in words:
        name = word.split("::")[0]
        if name in ("global", "shared", "local", "param", "const"):
            return name
    return "generic"


def _constant(text: str | None) -> int:
    return int(text, 0) if text and re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text) else 0


def _access(line: int, block: int, guard: str, operation: str, operands: str) -> Access | None:
    """Return the memory access of an instruction; None if a GPU's memory pipe does not see it."""
    words = operation.split(".")
    if words[0] == "cp":
        if words[1:2] != ["async"] or not {"ca", "cg"} & set(words):
            return None
        sizes = [_constant(word.strip()) for word in operands.split(",")[2:3]]
        return Access(line, block, "global", "async_copy", sizes[0] if sizes else 0, "", 0, guard, operation, vectorizable=False)
    kind = _ACCESSES.get(words[0])
    space = _space_of(words)
    if kind is None or space in ("param", "const"):
        return None
    if words[0] in ("ldmatrix", "stmatrix"):
        size = next((_MATRICES[word] for word in words if word in _MATRICES), 0)
        return Access(line, block, space, kind, size, "", 0, guard, operation, vectorizable=False)
    found = _ADDRESS.search(operands)
    base, offset = (found[1], _constant(found[2])) if found else ("", 0)
    plain = kind != "atomic" and not {"volatile", "relaxed", "acquire", "release", "mmio"} & set(words)
    return Access(line, block, space, kind, _bytes_of(words[1:]), base, offset, guard, operation, vectorizable=plain)


def _statements(lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield the statements from a line up to the brace that closes the function, each with its first line."""
    depth, pending, start = 0, "", first
    # Lines of inline assembly have numbers of their own. All of them stand at the line of the first, that of the statement.
    assembly, located = False, False
    for number in range(first, len(lines) + 1):
        line, _, comment = lines[number - 1].partition("//")
        if (words := comment.strip()) in _ASSEMBLY:
            assembly, located = words == _ASSEMBLY[0], False
        if not pending.strip():
            start = number
        if _LOC.match(line):
            if assembly and located:
                continue
            located = True
        if _LOC.match(line) or _LABEL.match(line) and not pending.strip():
            yield number, line
            label = _LABEL.match(line)
            if not label or not label[2]:
                continue
            line = label[2]
        for part in re.split(r"([;{}])", line):
            # The braces of a vector stand within a statement.
            if part == "{" and not pending.strip():
                depth += 1
            elif part == "}" and not pending.strip():
                depth -= 1
                if depth == 0:
                    yield number, "}"
                    return
            elif part == ";":
                yield start, pending.strip()
                pending, start = "", number
            else:
                pending += part
        pending += " " if pending.strip() else ""


def _read_body(lines: list[str], function: Function, files: dict[int, str]) -> None:
    block, file, source_line = 0, "", 0
    label_lines: dict[str, int] = {}
    targets: dict[int, str] = {}
    for number, text in _statements(lines, function.first_line):
        function.last_line = number
        if found := _LOC.match(text):
            file, source_line = files.get(int(found[1]), ""), int(found[2])
            continue
        if found := _LABEL.match(text):
            block += 1
            label_lines[found[1]] = number
            continue
        found = _INSTRUCTION.match(text)
        if not found or text.startswith("."):
            continue
        guard, operation, operands = found[1] or "", found[2], found[3]
        if access := _access(number, block, guard, operation, operands):
            function.accesses.append(Access(**{**vars(access), "file": file, "source_line": source_line}))
        name = operation.split(".")[0]
        if name in ("bar", "barrier"):
            function.barriers[number] = block
        if name == "call":
            function.calls.update(re.findall(r"[A-Za-z_$][\w$]*", operands))
        if name in _ENDS:
            block += 1
        if name == "bra":
            targets[number] = operands.strip()
            if operands.strip() in label_lines:
                function.loops.append((label_lines[operands.strip()], number))
    function.branches = {number: label_lines[label] for number, label in targets.items() if label in label_lines}


def read(text: str) -> list[Function]:
    """Return the functions of a text that have a body."""
    lines = text.splitlines()
    files = {int(found[1]): found[2].rsplit("/", 1)[-1] for line in lines if (found := _FILE.match(line))}
    functions = []
    number = 1
    while number <= len(lines):
        found = _FUNCTION.match(lines[number - 1])
        if not found:
            number += 1
            continue
        # The name may stand on a later line, behind the return values in parentheses; a declaration ends with a semicolon.
        head, at = found[2], number
        while not re.search(r"[;{]", head.split("//", 1)[0]) and at < len(lines):
            at += 1
            if lines[at - 1].strip() == "{":
                head += "{"
                break
            head += " " + lines[at - 1].split("//", 1)[0]
        name = _NAME.match(head.strip())
        if "{" not in head or not name:
            number = at + 1
            continue
        function = Function(name[1], at)
        _read_body(lines, function, files)
        functions.append(function)
        number = max(function.last_line, at) + 1
    return functions
