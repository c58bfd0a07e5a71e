"""The facts about a submission's text. A program in the sandbox reads the text; the grader looks only at that program's findings.

``text_facts`` is the program. Nothing else reads a submission's text or the output of its compiler.
"""

import compileall
import contextlib
import functools
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conflict_free.schemas import Schema

from . import building, kept_files, sandbox
from .assignment import Assignment
from .compiler_messages import Message
from .finding import OURS
from .shown_text import exceeded

#: Facts are kept like programs: a text that is graded again is not read again.
KEPT = building.KEPT / "facts"
#: A text and a compiler's output of the largest size take less than a second.
LIMITS = sandbox.Limits(seconds=10, memory_megabytes=512, output_kilobytes=4096)
_PACKAGE = Path(__file__).parents[1]
#: Python starts faster with a command than with a module.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from conflict_free.grading.text_facts import main; main(sys.argv[2])"
_SCHEMA = Path(__file__).with_name("facts.schema.json")
_STOPPED = "Hand in readable source that gives few messages of the compiler."


@dataclass(frozen=True)
class Facts:
    """The facts of ``facts.schema.json``. ``messages`` says why there is no program; ``refusals`` has the first one only."""

    refusals: Sequence[Message] = ()
    messages: Sequence[Message] = ()
    declarations: Sequence[tuple[str, int, str]] = ()
    launches: Sequence[tuple[str, int]] = ()
    calls: Sequence[tuple[str, int]] = ()
    host_loops: Sequence[int] = ()
    host_accesses: Sequence[int] = ()
    kept_variables: Sequence[int] = ()
    shared_arrays: Sequence[int] = ()

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Facts":
        """Return the facts that the program has printed."""
        return cls(**{**told, **{name: [Message(*each) for each in told[name]] for name in ("refusals", "messages")}})

    def launches_of(self, kernel: str = "") -> list[int]:
        """Return the lines that launch a kernel, given with or without its template arguments; without a name, those of all launches."""
        name = kernel.partition("<")[0]
        return [line for launched, line in self.launches if launched == name or not name]

    def calls_of(self, *prefixes: str) -> list[tuple[str, int]]:
        """Return the name and the line of each call of a function whose name begins with one of the prefixes."""
        return [(name, line) for name, line in self.calls if name.startswith(prefixes)]


@functools.cache
def _compile_readers() -> None:
    """Compile the program's modules, which the sandbox can read and not write: else each submission would compile them again."""
    compileall.compile_dir(_PACKAGE / "grading", maxlevels=0, quiet=2)


@functools.cache
def _state_of_readers() -> str:
    """Return a digest of Python and of the grader's modules and schemas."""
    return kept_files.name_of([sys.version], sorted(path for path in (_PACKAGE / "grading").iterdir() if path.suffix in (".py", ".json")))


def read(text: str, compiled: sandbox.Done | None, assignment: Assignment, folder: Path, *, confined: bool) -> Facts:
    """Return the facts about a text, kept ones if it was read before. ``compiled`` is the end of its compiler if that failed. ``folder`` is
    made and used.

    If the program does not do its work, within its limits, the facts are a message about that.
    """
    task = {"source": assignment.source.name, "function": assignment.function, "declaration": assignment.declaration}
    question = json.dumps({"text": text, "compiled": compiled and asdict(compiled), "task": task})
    kept = KEPT / kept_files.name_of([question, str(confined), _state_of_readers()], [])
    if told := kept_files.text_of(kept):
        with contextlib.suppress(ValueError):  # a damaged file is read anew
            return Facts.of(json.loads(told))
    folder.mkdir(exist_ok=True)
    _compile_readers()
    asked = folder / "asked.json"
    asked.write_text(question, encoding="utf-8")
    python = Path(sys.executable).resolve()
    done = sandbox.run(
        [python, "-I", "-S", "-c", _PROGRAM, _PACKAGE.parent, asked.name],
        readable=[python.parents[1], _PACKAGE],
        writable=folder,
        limits=LIMITS,
        confined=confined,
    )
    if stopped_by := done.stopped_by:
        return Facts(messages=[Message(0, f"reading its text was stopped: {exceeded(stopped_by)}", _STOPPED)])
    try:
        told = json.loads(done.stdout)
        wrong = next((f"{misfit.at()}: {misfit.text}" for misfit in Schema.of(_SCHEMA).misfits(told)), "")
    except (ValueError, RecursionError):
        wrong = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
    if wrong:
        return Facts(messages=[Message(0, f"the grader could not read its text: {wrong}", OURS)])
    with contextlib.suppress(OSError):  # grading works without kept facts
        kept_files.keep_text(json.dumps(told), kept, building.KEPT_PROGRAMS)
    return Facts.of(told)
