"""Single accesses that the model wrote down in this build, in ``traces`` beside the counts; see ``common/model/src/report/trace.hpp``."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

#: Bytes of shared memory that the system keeps for itself, below a block's first variable: ``shared_begin`` of the model's
#: ``interpreter/decode/program.cpp``. A picture counts from behind them.
SYSTEM_BYTES = 1024

WORD_BYTES = 4

#: Words of a panel that choose an access, with their defaults.
CHOICES = {"match": "", "instruction": "0", "warp": "0", "occurrence": "0"}


def read_json(path: Path) -> Any:
    """Return the content of a file of traces. Raises ResultError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: {error}; the CMake target 'book' makes it") from None


def load(evidence: Evidence, name: str, read: Callable[[Path], Any] = read_json) -> Any:
    """Return what ``read`` makes of ``traces/NAME.json`` of this build. Raises ResultError."""
    return evidence.load(evidence.counts.parent / "traces" / f"{name}.json", read)


def _of_the_block(access: dict[str, Any]) -> dict[str, Any]:
    """Return a traced access whose shared addresses and words count from the block's first byte, behind the system's."""
    if access["space"] != "shared":
        return access
    lanes = [None if offset is None else offset - SYSTEM_BYTES for offset in access["lanes"]]
    first = SYSTEM_BYTES // WORD_BYTES
    wavefronts = [[[lane, word - first] for lane, word in served] for served in access["wavefronts"]]
    return {**access, "lanes": lanes, "wavefronts": wavefronts}


def read_launches(path: Path) -> list[dict[str, Any]]:
    """Return the launches of a file of traces, with shared addresses that count from the block's first byte. Raises ResultError."""
    return [
        {**one, "blocks": [{**block, "accesses": [_of_the_block(access) for access in block["accesses"]]} for block in one["blocks"]]}
        for one in read_json(path)
    ]


def launch(evidence: Evidence, slug: str, kernel: str) -> dict[str, Any]:
    """Return the first launch of a kernel in the trace of ``SLUG`` or ``MACHINE:SLUG``.

    Its shared addresses and words count from the first byte of the block's own shared memory. Raises ResultError.
    """
    machine, _, name = slug.rpartition(":")
    launches = load(evidence, f"{name}.{machine}" if machine else name, read_launches)
    for one in launches:
        if one["kernel"] == kernel:
            return one
    known = ", ".join(dict.fromkeys(one["kernel"] for one in launches))
    raise ResultError(f"no kernel {kernel!r} in the trace of {slug}; it has: {known or 'none'}")


@dataclass(frozen=True)
class Panel:
    """One line of a bank map: an access, and the words above its picture."""

    slug: str
    kernel: str
    op: str
    choices: dict[str, str]
    label: str

    @classmethod
    def parse(cls, text: str) -> "Panel":
        """Return the panel of ``[MACHINE:]SLUG.KERNEL load|store [match=TEXT] [instruction=N] [warp=N] [occurrence=N] [| LABEL]``.

        Raises ResultError.
        """
        asked, _, label = text.partition(" | ")
        try:
            words = shlex.split(asked)
        except ValueError as error:
            raise ResultError(f"{asked!r}: {error}") from None
        slug, dot, kernel = words[0].partition(".") if words else ("", "", "")
        if not (slug and dot and kernel) or len(words) < 2 or words[1] not in ("load", "store"):
            raise ResultError(f"{asked!r} does not begin with SLUG.KERNEL and load or store")
        choices = dict(CHOICES)
        for word in words[2:]:
            key, equals, value = word.partition("=")
            if not equals or key not in CHOICES or (key != "match" and not value.isdecimal()):
                raise ResultError(f"{word!r} chooses no access; accepted: match=TEXT, instruction=N, warp=N, occurrence=N")
            choices[key] = value
        return cls(slug, kernel, words[1], choices, label.strip())


def shared_access(evidence: Evidence, panel: Panel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the launch of a panel and the one shared access of its first block that it chooses.

    Raises ResultError if none fits, or if the accesses that fit stand on several lines.
    """
    run = launch(evidence, panel.slug, panel.kernel)
    sources = evidence.sources(panel.slug)
    fitting = [
        access
        for access in run["blocks"][0]["accesses"]
        if access["space"] == "shared"
        and access["op"] == panel.op
        and panel.choices["match"] in sources.line(access["file"], access["line"])
    ]
    lines = sorted({(access["file"], access["line"]) for access in fitting})
    if len(lines) != 1:
        found = ", ".join(str(line) for _, line in lines) or "none"
        raise ResultError(f"a bank-map wants one line of {panel.slug}.{panel.kernel} with a shared {panel.op}; found: {found}")
    wanted = {key: int(panel.choices[key]) for key in ("instruction", "warp", "occurrence")}
    for access in fitting:
        if all(access[key] == value for key, value in wanted.items()):
            return run, access
    asked = ", ".join(f"{key} {value}" for key, value in wanted.items())
    raise ResultError(f"no shared {panel.op} of {panel.slug}.{panel.kernel} on line {lines[0][1]} with {asked} in the trace")


def refuse_rows_beyond(evidence: Evidence, slug: str, kernel: str, row_bytes: int, rows: int) -> None:
    """Raise ResultError if ``rows`` rows of an array need more than the shared memory that the kernel declares."""
    program = evidence.program(slug)
    declared = max((row["counts"]["shared_bytes"] for row in program["rows"] if row["kernel"] == kernel and row["counts"]), default=0)
    # The last row may end before its unused columns do.
    if row_bytes * (rows - 1) >= declared:
        raise ResultError(
            f"a picture of {slug}.{kernel} has {rows} rows of {row_bytes} bytes, and the kernel declares {declared} bytes of shared memory"
        )
