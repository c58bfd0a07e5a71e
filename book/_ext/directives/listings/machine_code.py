"""``machine-code``: the memory instructions and barriers of a kernel as ptxas orders them."""

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective


def instructions_of(path: Path, kernel: str) -> list[str]:
    """Return the instructions of a kernel from the comparison of its program with machine code. Raises ResultError."""
    try:
        texts = json.loads(path.read_text(encoding="utf-8"))["texts"]
    except (OSError, KeyError, ValueError) as error:
        raise ResultError(f"{path.name} cannot be read: {error}") from None
    # A mangled name has the length of the function's name before it, and after it the types of the parameters.
    name = f"_Z{len(kernel)}{kernel}"
    found = [each["machine_code"] for functions in texts.values() for mangled, each in functions.items() if mangled.startswith(name)]
    if len(found) != 1:
        raise ResultError(f"{path.name} has {len(found)} functions {kernel}; needed is 1")
    return found[0]


def lines_of(instructions: Sequence[str]) -> list[str]:
    """Return a line for each run of equal instructions. A guard is ``@P``, whatever the number of its predicate."""
    shown = [re.sub(r"^@\S+", "@P", instruction) for instruction in instructions]
    runs = [(len(list(same)), instruction) for instruction, same in itertools.groupby(shown)]
    return [f"{count} × {instruction}" for count, instruction in runs]


class MachineCode(EvidenceDirective, directive="machine-code"):
    """``.. machine-code:: SLUG.KERNEL``: its memory instructions and barriers, in the order of the machine code for sm_90."""

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, kernel = self.kernel_argument(self.arguments[0])
        path = Path(evidence.counts).parent / "chapters" / slug / f"{slug}.exactness"
        self.env.note_dependency(str(path))
        caption = f"The memory instructions of ``{kernel}`` (sm_90); @P: behind a predicate"
        return self.parsed(
            [
                ".. code-block:: none",
                f"   :caption: {caption}",
                "   :class: machine-code",
                "",
                *(f"   {line}" for line in lines_of(instructions_of(path, kernel))),
            ]
        )
