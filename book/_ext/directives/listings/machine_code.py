"""``machine-code``: the memory instructions and barriers of a kernel as ptxas orders them."""

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective


def instructions_of(path: Path, kernel: str) -> list[str]:
    """Return the instructions of a kernel from the comparison of its program with machine code. Raises ResultError."""
    try:
        compared = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultError(f"{path.name} cannot be read: {error}") from None
    if why := compared.get("unknown"):
        raise ResultError(f"{path.name}: {why}")
    # A mangled name has the length of the function's name before it, and after it the types of the parameters.
    name = f"_Z{len(kernel)}{kernel}"
    found = [
        each["machine_code"] for functions in compared["texts"].values() for mangled, each in functions.items() if mangled.startswith(name)
    ]
    if len(found) != 1:
        raise ResultError(f"{path.name} has {len(found)} functions {kernel}; needed is 1")
    return found[0]


def lines_of(instructions: Sequence[str]) -> list[str]:
    """Return a line for each run of equal instructions. A guard is ``@P``, whatever the number of its predicate."""
    shown = [re.sub(r"^@\S+", "@P", instruction) for instruction in instructions]
    runs = [(len(list(same)), instruction) for instruction, same in itertools.groupby(shown)]
    return [f"{count} × {instruction}" for count, instruction in runs]


def pair_of(option: str) -> list[str]:
    """Return the two operations of ``:before:``. Raises ResultError."""
    operations = option.split()
    if len(operations) != 2:
        raise ResultError(f":before: has {option!r}; accepted: two operations, such as LDG STS")
    return operations


def check_order(instructions: Sequence[str], first: str, second: str) -> None:
    """Raise ResultError unless both operations are there, and each ``first`` stands before each ``second``."""
    operations = [instruction.split(" ")[-1].split(".")[0] for instruction in instructions]
    if missing := {first, second} - set(operations):
        raise ResultError(f"no {' and no '.join(sorted(missing))} in the machine code, which has {', '.join(sorted(set(operations)))}")
    if first in operations[operations.index(second) :]:
        raise ResultError(f"not every {first} stands before the first {second} in the machine code")


class MachineCode(EvidenceDirective, directive="machine-code"):
    """``.. machine-code:: SLUG.KERNEL``: its memory instructions and barriers, in the order of the machine code for sm_90.

    ``:before: LDG STS`` holds what the page says of them: each of the first operation stands before each of the second.
    """

    required_arguments = 1
    option_spec = {"before": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, kernel = self.kernel_argument(self.arguments[0])
        path = Path(evidence.counts).parent / "chapters" / slug / f"{slug}.exactness"
        self.env.note_dependency(str(path))
        instructions = instructions_of(path, kernel)
        if "before" in self.options:
            check_order(instructions, *pair_of(self.options["before"]))
        caption = f"The memory instructions of ``{kernel}`` (sm_90); @P: behind a predicate"
        return self.parsed(
            [
                ".. code-block:: none",
                f"   :caption: {caption}",
                "   :class: machine-code",
                "",
                *(f"   {line}" for line in lines_of(instructions)),
            ]
        )
