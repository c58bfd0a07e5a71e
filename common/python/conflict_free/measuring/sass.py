"""The machine instructions of a GPU program, from cuobjdump: how many a pair of points takes. Standard library only.

A pair of points takes three differences, the sum of their squares and a comparison. Its instructions are counted in the loop
that does little else: a backward branch over them, with three FADD for each pair and two FFMA.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Instructions of each squared distance in space, by which pairs are counted.
DIFFERENCES_OF_PAIR = 3
FUSED_OF_PAIR = 2

_FUNCTION = re.compile(r"^\s*Function : (\S+)$")
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)([^;]*);")
_TARGET = re.compile(r"\b(?:0x)([0-9a-f]+)\s*$")


class NoSass(Exception):
    """A program's instructions cannot be read; the text gives the reason in a few words."""


@dataclass(frozen=True)
class Instruction:
    """One machine instruction: its place in its function, its operation, and the target of its jump."""

    address: int
    operation: str
    target: int | None = None


@dataclass(frozen=True)
class Loop:
    """A loop over pairs of points."""

    instructions: int
    pairs: int

    @property
    def instructions_per_pair(self) -> float:
        return self.instructions / self.pairs


def parse_sass(text: str) -> dict[str, list[Instruction]]:
    """Return the instructions of each function in the output of `cuobjdump -sass`, by its mangled name."""
    functions: dict[str, list[Instruction]] = {}
    current: list[Instruction] = []
    for line in text.splitlines():
        if found := _FUNCTION.match(line):
            current = functions.setdefault(found[1], [])
        elif found := _INSTRUCTION.match(line):
            operation = found[2].split(".")[0]
            target = _TARGET.search(found[3]) if operation == "BRA" else None
            current.append(Instruction(int(found[1], 16), operation, int(target[1], 16) if target else None))
    return functions


def is_of(mangled: str, kernel: str) -> bool:
    """Return whether a mangled name belongs to a kernel, or to an instance of a kernel template, in the global namespace."""
    return re.match(rf"_Z{len(kernel)}{kernel}(?![a-z_])", mangled) is not None


def pair_loops(function: list[Instruction]) -> list[Loop]:
    """Return the innermost loops of a function that compute nothing but squared distances of pairs, and their minima."""
    ends = [i for i in function if i.target is not None and i.target <= i.address]
    loops = []
    for end in ends:
        inner = [e for e in ends if e is not end and end.target <= e.target and e.address < end.address]
        if inner:
            continue
        body = [i.operation for i in function if end.target <= i.address <= end.address]
        pairs, left = divmod(body.count("FADD"), DIFFERENCES_OF_PAIR)
        if pairs and not left and body.count("FFMA") == FUSED_OF_PAIR * pairs:
            loops.append(Loop(len(body), pairs))
    return loops


def instructions_per_pair(text: str, kernel: str) -> float | None:
    """Return the fewest instructions for a pair among the instances of a kernel in the output of `cuobjdump -sass`; None without pairs.

    A kernel has a leaner loop for tiles without its own queries: that loop is the one counted.
    """
    loops = [loop for name, function in parse_sass(text).items() if is_of(name, kernel) for loop in pair_loops(function)]
    return min((loop.instructions_per_pair for loop in loops), default=None)


def find_cuobjdump(nvcc: Path | None = None) -> str | None:
    """Return cuobjdump: beside the compiler, or in the search path."""
    beside = nvcc.parent / "cuobjdump" if nvcc else None
    return str(beside) if beside and beside.exists() else shutil.which("cuobjdump")


def read_sass(cuobjdump: str, program: Path, architecture: str) -> str:
    """Return cuobjdump's output for a program's code of an architecture such as sm_90. Raises NoSass."""
    done = subprocess.run(
        [cuobjdump, "-sass", "-arch", architecture, str(program)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
        raise NoSass(f"cuobjdump ended with exit code {done.returncode}: {said}")
    return done.stdout
