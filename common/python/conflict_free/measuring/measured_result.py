"""The result files of scripts/measure: their provenance, their shape, and the writing of them."""

import json
import shlex
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from conflict_free.console import Stop, shown_path
from conflict_free.evidence import files
from conflict_free.evidence.names import ResultError
from conflict_free.whole_files import write_whole

from .counters import profiler_name
from .machine import compiler_flags, host_processor, query_smi, toolkit_version


@dataclass
class Session:
    """One call of scripts/measure: its options, and the notes to print at the end."""

    build: Path
    folder: Path
    name: str
    commit: str
    command: str
    samples: int | None = None
    counts: Path | None = None
    ncu: str | None = None
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    peer_failures: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep a line for the end, once."""
        if text not in self.notes:
            self.notes.append(text)


def command_line(options) -> str:
    """Return the command that was given, without the options that name places on this machine."""
    words = ["scripts/measure"]
    for slug in options.chapter or ():
        words += ["--chapter", slug]
    if options.samples:
        words += ["--samples", str(options.samples)]
    if options.no_counters:
        words.append("--no-counters")
    if options.peers:
        words.append("--peers")
    if options.name != "local":
        words += ["--name", options.name]
    return shlex.join(words)


def provenance(session: Session, device: dict, slug: str, clocks_around: tuple[dict, dict], seed: int, profiled: bool) -> dict:
    """Return the provenance of a result."""
    return {
        "gpu": device["name"],
        "cpu": host_processor(),
        "driver": query_smi(["driver_version"])["driver_version"],
        "toolkit": toolkit_version(session.build),
        "compiler_flags": compiler_flags(session.build, slug),
        "compute_capability": device["compute_capability"],
        "l2_bytes": device["l2_bytes"],
        "memory_bytes": device["memory_bytes"],
        "multiprocessors": device["multiprocessors"],
        "clocks_before": clocks_around[0],
        "clocks_after": clocks_around[1],
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": session.commit,
        "seed": seed,
        "profiler": profiler_name(session.ncu) if profiled else None,
        "command": session.command,
    }


def whole_result(session: Session, slug: str, told: dict, hashes: dict[str, str], rows: list[dict]) -> dict:
    """Return the content of a result file, validated."""
    result = {
        "schema": 1,
        "slug": slug,
        "machine": session.name,
        "provenance": told,
        "kernels": {kernel: {"hash": hashed} for kernel, hashed in hashes.items()},
        "rows": rows,
    }
    try:
        files.validate_result(result, f"the result of {slug}")
    except ResultError as error:
        raise Stop(str(error)) from error
    return result


def write_json(path: Path, data: dict) -> None:
    """Write a file whole or not at all."""
    try:
        write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise Stop(f"cannot write {shown_path(path)}: {error.strerror}") from error


def check_writable(folder: Path) -> None:
    """Raise Stop before the first measurement if results cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Stop(f"cannot write to {shown_path(folder)}: {error.strerror}") from error
