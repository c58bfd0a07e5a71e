"""Reads the text of a submission and the compiler's messages about it, as a program that ``facts.read`` runs in the sandbox.

The program gets both in a file, and prints the facts that ``facts.schema.json`` describes. The sandbox has nothing but the standard
library; and each module that is imported here costs each submission time.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import islice

from conflict_free.grading import source_text, text_admission
from conflict_free.grading.shown_text import shown

#: The beginnings of the names of functions whose calls a check may name.
_CALLS = ("printf", "cuda")
#: More entries of a kind are left out.
_MOST_ENTRIES = 1000


def facts(text: str, compiled: Mapping | None, task: Mapping[str, str]) -> dict[str, list]:
    """Return all that a check may want to know of a text. The arguments are those of ``compiler_messages.messages``; without a failed
    compiler ``compiled`` is None.
    """
    found = {
        "refusals": ((each.line, f"{each.kind}: {each.message}", each.help) for each in text_admission.examine_text(text)),
        "messages": _messages(compiled, text, task) if compiled else (),
        "declarations": ((each.name, each.line, each.head) for each in source_text.declarations(text).values()),
        "launches": source_text.launches(text),
        "calls": source_text.calls(text, *_CALLS),
        "host_loops": source_text.host_loops(text),
        "host_accesses": source_text.host_accesses(text),
        "kept_variables": source_text.kept_variables(text),
        "shared_arrays": source_text.shared_arrays(text),
    }
    return {name: list(map(_entry, islice(each, _MOST_ENTRIES))) for name, each in found.items()}


def _messages(compiled: Mapping, text: str, task: Mapping[str, str]) -> Iterable[tuple[int, str, str]]:
    from conflict_free.grading import compiler_messages  # imported here, because most submissions compile

    return compiler_messages.messages(compiled, text, task)


def _entry(found: int | Iterable[int | str]) -> int | list[int | str]:
    """Return an entry as JSON. Long texts lose their middle."""
    return found if isinstance(found, int) else [shown(each) if isinstance(each, str) else each for each in found]


def main(path: str) -> None:
    """Print the facts about what is in a file."""
    with open(path, encoding="utf-8") as file:
        print(json.dumps(facts(**json.load(file))))
