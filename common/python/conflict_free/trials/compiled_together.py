"""Compiles many answers of an assignment at once, each in a namespace of its own.

nvcc reads CUDA's headers for nearly a second and compiles an answer in a few hundredths of one. The linker makes a program for each
answer: it gives the answer's function the name that the driver calls.
"""

import re
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from conflict_free.grading import sandbox
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import COMPILE_LIMITS, OPTIONS, Built, Toolchain, driver_object

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def build_all(tools: Toolchain, task: Assignment, texts: Mapping[str, str], folder: Path, *, confined: bool) -> dict[str, Built]:
    """Return the programs of answers by name, which are made in ``folder``. Answers that cannot be compiled together have none."""
    driver, unit, compiled = driver_object(tools, task), folder / "answers.cu", folder / "answers.o"
    unit.write_text(_unit(task.source.name, texts.values()), encoding="utf-8")

    def run(*arguments: str | Path) -> bool:
        command, readable = [tools.nvcc, *OPTIONS, *arguments], [*tools.readable(), driver]
        done = sandbox.run(command, readable=readable, writable=folder, limits=COMPILE_LIMITS, confined=confined)
        return done.returncode == 0 and not done.stopped_by

    if not run("-c", "-o", compiled, unit.name):
        return {}
    [(called, wanted)] = [each for each in _symbols(driver, "--undefined-only").items() if each[0].startswith(f"{task.function}(")]
    defined, built = _symbols(compiled, "--defined-only"), {}
    for number, name in enumerate(texts):
        symbol, program = defined.get(f"answer_{number}::{called}"), folder / f"program_{number}"
        if symbol and run("-nodlink", "-o", program, compiled, driver, *tools.libraries, "-Xlinker", f"--defsym={wanted}={symbol}"):
            built[name] = Built(program)
    return built


def _unit(name: str, texts: Collection[str]) -> str:
    """Return one source of several. The lines of each keep their numbers."""
    parts = list(dict.fromkeys(line for text in texts for line in _INCLUDE.findall(text)))
    for number, text in enumerate(texts):
        parts += [f"namespace answer_{number} {{", f'#line 1 "{name}"', _INCLUDE.sub("", text), "}"]
        parts += [f"#undef {macro}" for macro in _MACRO.findall(text)]
    return "\n".join(parts) + "\n"


def _symbols(compiled: Path, which: str) -> dict[str, str]:
    """Return the symbols of an object by their names in C++."""

    def listed(*options: str) -> list[str]:
        done = subprocess.run(["nm", "--format=posix", which, *options, compiled], capture_output=True, text=True, check=True)
        return re.findall(r"^(.*?) [A-Za-z](?: [\da-f ]*)?$", done.stdout, re.MULTILINE)

    return dict(zip(listed("--demangle"), listed()))
