"""Finds the errors in the output of the compiler and the linker, and says what to do about them. Standard library only."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from conflict_free.grading import source_text
from conflict_free.grading.shown_text import exceeded, printable

#: A line of a compiler's output. It is matched from its beginning, so that a long line takes linear time.
_MESSAGE = re.compile(
    r"(?P<file>[^\s:(][^:(]*)(?:\((?P<line>\d+)\)|:(?P<host_line>\d+)(?::\d+)?):\s*(?:catastrophic |fatal )?error(?: #[\w-]+)?:\s*(?P<text>.*)"
)
_AT_END = re.compile(r"At end of source: error(?: #[\w-]+)?: (?P<text>.*)")
#: An error of the assembler, whose line is one of the kernel's PTX.
_IN_PTX = re.compile(r"ptxas [^,]*, line \d+; (?:error|fatal)\s*:\s*(?P<text>.*)")
_UNDEFINED = re.compile(r"undefined reference to [`'](?P<name>[^'\n]{0,1000})'")
_UNKNOWN = re.compile(r'identifier "(?P<name>\w+)" is undefined')
#: Words of the compiler's messages, and the help that goes with them.
_HELP = (
    ("__global__ function call must be configured", "Say how many blocks and threads run the kernel: kernel<<<grid, block>>>(arguments)."),
    ('expected a ";"', "The end of the line before may lack it."),
    ("expected a declaration", "There may be a brace too many before it, or too few."),
)
#: The last lines of an internal error of the host compiler.
_ASKS_FOR_REPORT = ("Please submit", "See <file")
_TWICE = re.compile(r"multiple definition of [`'](?P<name>[^'\n]{0,1000})'")


class Message(NamedTuple):
    """A tool's message about a line (0 if it names none), and what to do about it ("" if the message says enough)."""

    line: int
    text: str
    help: str = ""


def messages(compiled: Mapping[str, Any], text: str, task: Mapping[str, str]) -> Iterator[Message]:
    """Yield the errors of the compiler or the linker. If some are in the submission's own lines, only those.

    ``compiled`` has the fields of ``sandbox.Done``. ``task`` has the name of its ``source`` and of its ``function``, and the function's
    ``declaration``.
    """
    if compiled["stopped_by"]:
        yield Message(
            0,
            f"compiling it was stopped: {exceeded(compiled['stopped_by'])}",
            "Look for an include or a template that never ends, and for an array that is far too large.",
        )
        return
    # A source can put control characters into the compiler's messages.
    lines = list(map(printable, (compiled["stderr"] + compiled["stdout"]).split("\n")))
    found = list(filter(None, map(_MESSAGE.match, lines)))
    own = [match for match in found if match["file"].rpartition("/")[2] == task["source"]]
    # nvcc compiles kernels and host code one after the other, and may report an error twice.
    errors = dict.fromkeys((int((match["line"] or match["host_line"])[-9:]) if own else 0, match["text"]) for match in own or found)
    for number, (line, what) in enumerate(errors):
        yield Message(line, what) if number else _compiler_message(line, what, text)
        if what.startswith("expected "):  # errors after one of syntax follow from it
            break
    if not found and (in_ptx := next(filter(None, map(_IN_PTX.match, lines)), None)):
        yield Message(0, f"the assembler of PTX says: {in_ptx['text']}", "Look at the inline assembly: its text is put into the kernel's.")
    elif not found and (at_end := next(filter(None, map(_AT_END.match, lines)), None)):
        yield _compiler_message(len(text.splitlines()), at_end["text"], text)
    elif not found:
        said = "\n".join(lines)
        yield from _link_messages(said, text, task) or [
            Message(0, _last_line(said) or f"the compiler ended with exit code {compiled['returncode']}")
        ]


def _compiler_message(line: int, said: str, text: str) -> Message:
    """Return the first error of the compiler, with a suggestion or help if there is one."""
    if opened := source_text.unclosed_brace(text):
        return Message(
            opened, f'a "{{" without a "}}" (the compiler says in line {line}: {said})', "Close the block that begins in this line."
        )
    if unknown := _UNKNOWN.search(said):
        meant = source_text.meant(text, unknown["name"])
        return Message(line, f"{said}; did you mean {meant}?" if meant and "did you mean" not in said else said)
    return Message(line, said, next((help_ for words, help_ in _HELP if words in said), ""))


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if "ld returned" not in line and not line.startswith(_ASKS_FOR_REPORT)]
    return re.sub(r"^.*?: ", "", lines[-1]) if lines else ""


def _link_messages(said: str, text: str, task: Mapping[str, str]) -> list[Message]:
    """Return the messages about functions that the linker finds twice or not at all."""
    undefined = dict.fromkeys(match["name"] for match in _UNDEFINED.finditer(said))
    twice = dict.fromkeys(match["name"] for match in _TWICE.finditer(said))
    if not undefined and not twice:
        return []
    lines, declared = source_text.first_lines(text), source_text.declarations(text)
    found = [
        Message(
            lines.get(source_text.simple_name(name), 0), f"{name} is defined by the driver, too", "Leave it out, or give it another name."
        )
        for name in twice
    ]
    for name in undefined:
        simple = source_text.simple_name(name)
        if simple == task["function"]:
            found.append(_no_function(text, task))
        elif function := declared.get(simple):
            said = f"`{function.head}` is declared and nowhere defined"
            found.append(Message(function.line, said, "Define it in this file, with these parameters."))
        else:
            said = f"{name} is used and nowhere defined"
            found.append(Message(lines.get(simple, 0), said, "Define it in this file: nothing else is linked with it."))
    return found


def _no_function(text: str, task: Mapping[str, str]) -> Message:
    """Return the message about a missing function of the task, with the function that may have been meant to be it."""
    defined = [function for function in source_text.functions(text) if function.body is not None]
    same = next((function for function in defined if function.name == task["function"]), None)
    if same:
        before, found, _ = same.head.partition(task["declaration"].partition("(")[0])
        return Message(
            same.line,
            f"it defines `{same.head}`, which is not the function that the driver calls",
            f"Take `{before.strip()}` away."
            if found and before
            else f"Define exactly: {task['declaration']}, neither static nor in a namespace.",
        )
    help_ = f"Define exactly: {task['declaration']}."
    meant = source_text.similar(task["function"], [function.name for function in defined])
    if meant:
        line = next(function.line for function in defined if function.name == meant)
        return Message(line, f"it defines no function {task['function']}; is {meant} meant to be it?", help_)
    return Message(0, f"it defines no function {task['function']}", help_)
