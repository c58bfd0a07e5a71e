"""Compiles the answers of an assignment together, each in a namespace of its own.

nvcc reads CUDA's headers for nearly a second and compiles an answer in a few hundredths of one. All answers are in one program, which
has a file name for each answer. Started under such a name, the program calls the function of that answer.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from conflict_free.counting.machine_code import resources_in
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import Built, Toolchain, compile_with, driver_object

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+)\s*[,)]")


def build_all(tools: Toolchain, task: Assignment, texts: Mapping[str, str], folder: Path, *, confined: bool) -> dict[str, Built]:
    """Compile answers together in ``folder``. Return their programs by name, or none if they cannot be compiled together."""
    driver, unit, program = driver_object(tools, task), folder / "answers.cu", folder / "program"
    unit.write_text(unit_of(texts.values(), task.source.name, task.function, task.declaration), encoding="utf-8")
    done = compile_with(driver, tools, unit, program, confined=confined)
    if done.returncode or done.stopped_by:
        return {}
    resources = resources_in(done.stderr)
    return {name: Built(made, resources) for name, made in zip(texts, programs(program, len(texts)))}


def programs(program: Path, number: int) -> list[Path]:
    """Make a name for each text beside a program of several texts. Under that name the program runs the text. Return the names."""
    names = [program.with_name(f"program_{each}") for each in range(number)]
    for name in names:
        os.link(program, name)
    return names


def unit_of(texts: Iterable[str], source: str, function: str, declaration: str) -> str:
    """Return one text made of several sources, whose ``function`` calls that of one of them. The lines keep their numbers in ``source``."""
    texts = list(texts)
    parts = ["#include <cerrno>", "#include <cstdlib>", "#include <cstring>"]
    parts += dict.fromkeys(line for text in texts for line in _INCLUDE.findall(text))
    for number, text in enumerate(texts):
        macros = dict.fromkeys(_MACRO.findall(text))
        parts += [f'#pragma push_macro("{macro}")' for macro in macros]
        parts += [f"namespace answer_{number} {{", f'#line 1 "{source}"', _INCLUDE.sub("", text), "}"]
        parts += [f'#undef {macro}\n#pragma pop_macro("{macro}")' for macro in macros]
    functions = ", ".join(f"answer_{number}::{function}" for number in range(len(texts)))
    arguments = ", ".join(_PARAMETER.findall(declaration))
    parts += [
        f"static decltype(&answer_0::{function}) const all_answers[] = {{{functions}}};",
        f"{declaration} {{ return all_answers[std::atoi(std::strrchr(program_invocation_name, '_') + 1)]({arguments}); }}",
    ]
    return "\n".join(parts) + "\n"
