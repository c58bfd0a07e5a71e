"""The files of the evidence and their rows: sources, counts of this build, results of machines, published figures."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .files import load_historical, load_program, load_result, peer_rows, stale_kernels, stale_specimens
from .metrics import gbps, parse_size
from .names import CEILING, CEILING_SLUG, HISTORICAL, LOCAL, PEERS, SPECIMENS, ResultError, StaleError
from .source import SourceError, Sources, read_source, read_sources

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass
class Rows:
    """Sources, counts of this build, results of machines, published figures.

    ``chapters``, ``results`` and ``counts`` are folders; ``machine`` is the folder name of the book's own machine. ``on_read`` gets each
    file that is looked at, present or not: the caller's dependencies. Files are read once per change.

    ``strict`` is false for a reader who changes a kernel and has no GPU: earlier measurements of the book's machine are returned, marked as
    stale, and ``on_stale`` gets their ``SLUG.KERNEL``; kernels whose check fails have counts.
    """

    chapters: Path
    results: Path
    counts: Path
    machine: str = "h200"
    on_read: Callable[[Path], None] = field(default=lambda path: None)
    strict: bool = True
    on_stale: Callable[[str], None] = field(default=lambda kernel: None)

    def load(self, path: Path, load: Callable[[Path], Any]) -> Any:
        """Return the result of ``load`` for a file. A file that has not changed is read once."""
        self.on_read(path)
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            stamp = 0
        cache = self.__dict__.setdefault("_cache", {})
        entry = cache.get(path)
        if entry is None or entry[0] != stamp or stamp == 0:
            entry = (stamp, load(path))
            cache[path] = entry
        return entry[1]

    def measured_chapters(self, machine: str | None = None) -> list[str]:
        """Return the slugs of the chapters with a result file of a machine (default: the book's), sorted.

        The programs that show errors are not among them: they have figures, and no times.
        """
        found = (path.stem for path in (self.results / (machine or self.machine)).glob("*.json"))
        return sorted(slug for slug in found if slug != SPECIMENS)

    def source_path(self, slug: str) -> Path:
        """Return the path of a chapter's ``.cu`` file. ``slug`` may name a machine, as in ``program``."""
        _, name = _machine_and_slug(slug)
        if not _NAME.match(name):
            raise ResultError(f"{name!r} is not a chapter; a slug has letters, digits and underscores")
        return self.chapters / name / f"{name}.cu"

    def specimen_path(self, name: str) -> Path:
        """Return the path of the source file of a program that shows an error."""
        return self.chapters / SPECIMENS / f"{name}.cu"

    def sources(self, slug: str) -> Sources:
        """Return a chapter's source files, in reading order, with their regions. ``slug`` is as in ``source_path``.

        Raises ResultError if a file is missing.
        """
        return self.sources_of(self.source_path(slug))

    def sources_of(self, path: Path) -> Sources:
        """Return the source files of the program whose ``.cu`` file is ``path``. Raises ResultError."""
        try:
            return read_sources(path, lambda file: self.load(file, read_source))
        except SourceError as error:
            raise ResultError(str(error)) from None

    def program(self, slug: str) -> dict[str, Any]:
        """Return the output of the chapter's model program in this build, for the default machine.

        ``MACHINE:SLUG`` asks for its output for another machine, such as ``gt200:padding``. Raises ResultError if
        there is none.
        """
        machine, name = _machine_and_slug(slug)
        path = self.counts / (f"{name}.{machine}.json" if machine else f"{name}.json")
        data = self.load(path, load_program)
        if data["slug"] != name:
            raise ResultError(f"{path}: slug is {data['slug']}, wanted {name}")
        if machine and data["machine"] != machine:
            raise ResultError(f"{path}: machine is {data['machine']}, wanted {machine}")
        return data

    def counts_row(self, slug: str, kernel: str, size: str) -> dict[str, Any]:
        """Return the row of the model's run. It has ``counts``, and with ``strict`` its check has passed.

        Raises ResultError if there is no such row, naming the rows there are.
        """
        size = parse_size(size)
        rows = self.program(slug)["rows"]
        row = _find(rows, kernel, size, f"the counts of chapter {slug}")
        if row["counts"] is None:
            raise ResultError(f"{slug}.{kernel}.{size} is not counted: it is a baseline or not a model build")
        if self.strict and not row["check"]["passed"]:
            raise ResultError(f"{slug}.{kernel}.{size} failed its check on the model: {row['check']['message']}")
        return row

    def result(self, slug: str, machine: str | None = None) -> dict[str, Any] | None:
        """Return the result file of a chapter on a machine (default: the book's), None if there is none.

        There is none for a modeled machine, as in ``gt200:padding``. Raises ResultError if it is malformed.
        """
        if _machine_and_slug(slug)[0]:
            return None
        path = self.results / (machine or self.machine) / f"{slug}.json"
        if not path.is_file():
            self.on_read(path)
            return None
        return self.load(path, load_result)

    def some_result(self, slug: str, machine: str | None = None) -> dict[str, Any]:
        """Return what ``result`` returns. Raises ResultError if there is no result file."""
        result = self.result(slug, machine)
        if result is None:
            machine = machine or self.machine
            raise ResultError(f"no results of chapter {slug} on {machine}: {self.results / machine / slug}.json does not exist")
        return result

    def rows_of(self, slug: str, kernel: str, machine: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of a kernel in a result file, timed or not; none without a result. Raises ResultError if it is malformed."""
        result = self.result(slug, machine)
        return [row for row in result["rows"] if row["kernel"] == kernel] if result else []

    def stale(self, slug: str, machine: str | None = None) -> list[str]:
        """Return the kernels of a result whose text has changed since the measurement; none without a result."""
        result = self.result(slug, machine)
        if result is None:
            return []
        if slug != SPECIMENS:
            return stale_kernels(result, self.sources(slug))
        return stale_specimens(result, self.chapters)

    def specimen_is_stale(self, specimen: str, machine: str | None = None) -> bool:
        """Return whether the text of a program that shows an error has changed since its measurement.

        Raises ResultError if it was not measured.
        """
        kernels = self.some_result(SPECIMENS, machine)["kernels"]
        return bool(stale_specimens({"kernels": {name: entry for name, entry in kernels.items() if name == specimen}}, self.chapters))

    def measured_row(self, slug: str, kernel: str, size: str, machine: str | None = None) -> dict[str, Any]:
        """Return one measured row: timed, with its check passed, and current or marked by ``stale``. Raises ResultError otherwise."""
        size = parse_size(size)
        machine = machine or self.machine
        row = _find(self.some_result(slug, machine)["rows"], kernel, size, f"the results of chapter {slug} on {machine}")
        if not row["check"]["passed"]:
            raise ResultError(f"{slug}.{kernel}.{size} failed its check on {machine}: {row['check']['message']}")
        if not row["time"]:
            raise ResultError(f"{slug}.{kernel}.{size} was not timed on {machine}: the size is too small")
        if kernel not in self.stale(slug, machine):
            return row
        if self._refuses_stale(machine):
            raise StaleError(
                f"{slug}.{kernel}.{size} is stale on {machine}: the kernel's text has changed since it was measured; "
                f"run scripts/measure --name {machine}"
            )
        self.on_stale(f"{slug}.{kernel}")
        return {**row, "stale": True}

    def _refuses_stale(self, machine: str) -> bool:
        """Return whether stale rows of a machine are an error. Those of the reader's GPU are: scripts/measure can make new ones."""
        return self.strict or machine == LOCAL

    def peer_row(self, slug: str, name: str, size: str, machine: str | None = None) -> dict[str, Any]:
        """Return the time of a library beside a chapter's kernels, with its check passed. Raises ResultError otherwise.

        It is never stale: the row has the timed text.
        """
        machine = machine or self.machine
        where = f"the peers of chapter {slug} on {machine}"
        row = _find(peer_rows(self.some_result(slug, machine)), name, parse_size(size), where, "peer")
        if not row["check"]["passed"]:
            raise ResultError(f"{slug}.{PEERS}.{name}.{size} failed its check on {machine}: {row['check']['message']}")
        return row

    def figures(self, specimen: str, machine: str | None = None) -> dict[str, float] | None:
        """Return the figures of a program that shows an error, by name; None if it was not measured.

        Raises ResultError if it is stale, or failed.
        """
        machine = machine or self.machine
        self.on_read(self.specimen_path(specimen))
        rows = self.rows_of(SPECIMENS, specimen, machine)
        if not rows:
            return None
        if self.specimen_is_stale(specimen, machine):
            if self._refuses_stale(machine):
                raise ResultError(
                    f"{SPECIMENS}.{specimen} is stale on {machine}: its text has changed since it was measured; "
                    f"run scripts/measure --name {machine} --chapter {SPECIMENS}"
                )
            self.on_stale(f"{SPECIMENS}.{specimen}")
        return rows[0]["figures"]

    def percent_of_memcpy(self, row: dict[str, Any], state: str, machine: str | None = None) -> float:
        """Return a row's bandwidth as a percentage of ``cudaMemcpy`` at the same size, state and machine.

        Raises ResultError if there is none, or if the row's unit of work is not the byte.
        """
        if row.get("work"):
            raise ResultError(f"{row['kernel']} at {row['size']} does other work than moving bytes, so it has no percentage of a copy")
        copy = self.measured_row(CEILING_SLUG, CEILING, row["size"], machine)
        return 100 * gbps(row, state) / gbps(copy, state)

    def historical(self) -> list[dict[str, Any]]:
        """Return all files of published figures, by file name."""
        folder = self.results / HISTORICAL
        return [self.load(path, load_historical) for path in sorted(folder.glob("*.json"))]


def _machine_and_slug(slug: str) -> tuple[str, str]:
    """Return the modeled machine and the chapter of ``MACHINE:SLUG``; no machine, an empty text, without a colon."""
    machine, _, name = slug.rpartition(":")
    return machine, name


def _find(rows: Iterable[dict[str, Any]], kernel: str, size: str, where: str, what: str = "kernel") -> dict[str, Any]:
    rows = list(rows)
    for row in rows:
        if row["kernel"] == kernel and row["size"] == size:
            return row
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    if kernel not in kernels:
        raise ResultError(f"no {what} {kernel!r} in {where}; it has: {', '.join(kernels) or 'none'}")
    sizes = [row["size"] for row in rows if row["kernel"] == kernel]
    raise ResultError(f"no size {size} of {kernel} in {where}; it has: {', '.join(sizes)}")
