# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Measured results and counts: loading, validation, staleness, look-up by key, formatting.

Nothing here needs Sphinx: the book's directives and the scripts use the same functions, so that a
number is the same wherever it is shown. A GB is 10**9 bytes. Times are milliseconds per launch.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema

from conflict_free.console import ROOT

from .source import SourceError, Sources, read_source, read_sources

#: Folder of the schemas, beside the results they describe.
SCHEMAS = ROOT / "book" / "results"

#: Folder name, under the results folder, of the reader's own machine and of published figures.
LOCAL = "local"
HISTORICAL = "historical"

#: Bytes of a global-memory sector on every machine this book counts.
SECTOR_BYTES = 32

#: The folder of the programs that show errors, under the chapters, the counts and as a slug of results.
SPECIMENS = "errata"

#: What stands between the slug and the name in the key of a library's time.
PEERS = "peers"

#: The size of a chapter's counts unless its program names another.
COUNTED_SIZE = "2048x2048"

#: What every percentage of bandwidth is of: the copy of the CUDA runtime, a row of chapter ``copy``.
CEILING = "cudaMemcpy"
CEILING_SLUG = "copy"

#: What percentages of published figures are of: publications have no time of ``cudaMemcpy``, but one of a plain copy.
PUBLISHED_CEILING = "copy_plain"

#: The four kinds of access that are counted: key in the counts, words for a reader.
ACCESSES = {
    "global_load": "global load",
    "global_store": "global store",
    "shared_load": "shared load",
    "shared_store": "shared store",
}

#: Atomic operations, which are counted likewise and have no columns.
ATOMICS = ("global_atomic", "shared_atomic")

#: Comparisons of a claim, longest first so that ``>=`` is not read as ``>``.
COMPARISONS = {">=": operator.ge, "<=": operator.le, "==": operator.eq, ">": operator.gt, "<": operator.lt}

_COMPARISON = re.compile(r"\s(>=|<=|==|>|<)\s")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?\Z")
_SIZE = re.compile(r"([1-9][0-9]*|0(?=x))(?:x([1-9][0-9]*))?\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class ResultError(ValueError):
    """Evidence is missing, malformed or stale. The text is one line: what, what was given, what is accepted."""


class StaleError(ResultError):
    """Evidence was measured with a kernel's text that has changed since."""


# ------------------------------------------------------------------------------------------- files


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def _validate(data: Any, schema: str, where: str) -> None:
    error = jsonschema.exceptions.best_match(_validator(schema).iter_errors(data))
    if error is not None:
        place = "/".join(str(part) for part in error.absolute_path) or "the top level"
        message = " ".join(error.message.split())
        if len(message) > 300:
            message = message[:297] + "..."
        raise ResultError(f"{where}: at {place}: {message}")


def _read_json(path: Path) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a number of JSON")

    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=refuse)
    except FileNotFoundError:
        raise ResultError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read as JSON: {error}") from None


def peer_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of libraries in a result; like other rows they have their name under ``kernel`` too."""
    return [{**row, "kernel": row["name"]} for row in result.get("peers", ())]


def _check_rows(rows: list[dict[str, Any]], where: str) -> None:
    seen: set[tuple[str, str]] = set()
    for index, row in enumerate(rows):
        place = f"{where}/{index}"
        if row["size"] != f"{row['width']}x{row['height']}":
            raise ResultError(f"{place}: size is {row['size']}, but width and height are {row['width']} and {row['height']}")
        key = (row["kernel"], row["size"])
        if key in seen:
            raise ResultError(f"{place}: a second row of {row['kernel']} at {row['size']}; one is accepted")
        seen.add(key)
        for state, sample in (row["time"] or {}).items():
            if not sample["p10_ms"] <= sample["median_ms"] <= sample["p90_ms"]:
                raise ResultError(
                    f"{place}/time/{state}: p10 {sample['p10_ms']}, median {sample['median_ms']}, "
                    f"p90 {sample['p90_ms']} are not in ascending order"
                )


def validate_result(data: Any, where: str = "result") -> None:
    """Check the content of a result file against ``schema.json`` and the rules a schema cannot say.

    Raises ResultError, whose text starts with ``where``.
    """
    _validate(data, "schema.json", where)
    _check_rows(data["rows"], f"{where}: at rows")
    _check_rows(peer_rows(data), f"{where}: at peers")
    for row in data["rows"]:
        if not row["reference"] and row["kernel"] not in data["kernels"]:
            raise ResultError(f"{where}: at kernels: no hash for {row['kernel']}, which has rows")
    for row in data["rows"] + peer_rows(data):
        if row["fits_l2"] != (row["bytes"] <= data["provenance"]["l2_bytes"]):
            raise ResultError(
                f"{where}: {row['kernel']} at {row['size']} says fits_l2 {row['fits_l2']}, "
                f"but moves {row['bytes']} bytes and the L2 holds {data['provenance']['l2_bytes']}"
            )


def validate_program(data: Any, where: str = "program output") -> None:
    """Check what a chapter program wrote with ``--json``. Raises ResultError."""
    _validate(data, "program.schema.json", where)
    _check_rows(data["rows"], f"{where}: at rows")


def validate_historical(data: Any, where: str = "historical figures") -> None:
    """Check a file of published figures. Raises ResultError."""
    _validate(data, "historical.schema.json", where)
    for row in data["rows"]:
        unknown = sorted({*row.get("gbps", ()), *row.get("ms", ())} - set(data["machines"]))
        if unknown:
            raise ResultError(f"{where}: {row['kernel']} has figures of {unknown[0]}, which is not in machines")


def load_result(path: Path) -> dict[str, Any]:
    """Read and validate one ``book/results/<machine>/<slug>.json``; its name must be its slug. Raises ResultError."""
    data = _read_json(path)
    validate_result(data, str(path))
    if data["slug"] != Path(path).stem:
        raise ResultError(f"{path}: slug is {data['slug']}; by its name it must be {Path(path).stem}")
    return data


def load_program(path: Path) -> dict[str, Any]:
    """Read and validate the ``--json`` output of a chapter program. Raises ResultError."""
    data = _read_json(path)
    validate_program(data, str(path))
    return data


def load_historical(path: Path) -> dict[str, Any]:
    """Read and validate one file of published figures. Raises ResultError."""
    data = _read_json(path)
    validate_historical(data, str(path))
    return data


def stale_kernels(result: dict[str, Any], sources: Sources) -> list[str]:
    """Return the kernels of a result whose text has changed, or gone, since they were measured; sorted."""
    stale = []
    for kernel, entry in result["kernels"].items():
        try:
            current = sources.kernel_hash(kernel) == entry["hash"]
        except SourceError:
            current = False
        if not current:
            stale.append(kernel)
    return sorted(stale)


def stale_specimens(result: dict[str, Any], chapters: Path) -> list[str]:
    """Return the programs of the result of SPECIMENS whose text has changed, or gone, since they were measured; sorted."""
    stale = []
    for name, entry in result["kernels"].items():
        path = chapters / SPECIMENS / f"{name}.cu"
        try:
            sources = read_sources(path)
        except SourceError:
            sources = Sources.of_text("", path)
        stale += stale_kernels({"kernels": {name: entry}}, sources)
    return sorted(stale)


# ----------------------------------------------------------------------------------------- metrics


def parse_size(text: str) -> str:
    """Return ``WxH`` for ``N`` or ``WxH``. Raises ResultError for anything else."""
    match = _SIZE.match(text)
    if match is None:
        raise ResultError(f"size {text!r} is not N or WxH with positive integers")
    return f"{match[1]}x{match[2] or match[1]}"


def pretty_size(size: str) -> str:
    """Return a size for readers: ``2048 × 2048``, or ``1,000`` for the length of an array."""
    width, height = size.split("x")
    return f"{int(width):,}" if height == "1" and width != "1" else f"{width} × {height}"


def is_of_arrays(data: dict[str, Any]) -> bool:
    """Return whether a result or a program's output is of arrays: a size is then a length."""
    return all(row["height"] == 1 for row in data["rows"])


def counted_size(data: dict[str, Any], kernel: str) -> str:
    """Return the size at which a kernel's counts are shown, and compared with the counters of a GPU.

    That is the one that the chapter names, or the kernel's largest if it does not run there. ``data`` is what a
    chapter program wrote. Raises ResultError for an unknown kernel.
    """
    rows = [row for row in data["rows"] if row["kernel"] == kernel]
    if not rows:
        known = ", ".join(dict.fromkeys(row["kernel"] for row in data["rows"]))
        raise ResultError(f"no kernel {kernel!r} in the counts of chapter {data['slug']}; it has: {known or 'none'}")
    wanted = data.get("counted_size", COUNTED_SIZE)
    largest = max(rows, key=lambda row: row["width"] * row["height"])
    return wanted if any(row["size"] == wanted for row in rows) else largest["size"]


def sample(row: dict[str, Any], state: str = "cold") -> dict[str, Any]:
    """Return the times of a row, ``state`` cold or warm. What ran on the host, or on several GPUs, has one time, which
    stands for cold.

    Raises ResultError for the warm time of what has one time.
    """
    for only, where in (("host", "on the host"), ("ranks", "on several GPUs")):
        if only in row["time"]:
            if state == "warm":
                raise ResultError(f"{row['kernel']} at {row['size']} ran {where}, and has no warm time")
            return row["time"][only]
    return row["time"][state]


def gbps(row: dict[str, Any], state: str = "cold", which: str = "median_ms") -> float:
    """Return GB/s (10**9 bytes a second) of a row: useful bytes over ``which`` time, ``state`` cold or warm."""
    return row["bytes"] / sample(row, state)[which] / 1e6


def work_rate(row: dict[str, Any], state: str = "cold", which: str = "median_ms") -> float:
    """Return 10**9 units of a row's work a second. Raises ResultError if its work is told by bytes."""
    if not row.get("work"):
        raise ResultError(f"{row['kernel']} at {row['size']} has no unit of work but bytes; its metric is gbps")
    return row["work"]["amount"] / sample(row, state)[which] / 1e6


#: Lanes of all instructions that a multiprocessor issues in a cycle: one instruction from each of four schedulers.
LANES_ISSUED_PER_CYCLE = 4 * 32


def issue_limit(result: dict[str, Any], row: dict[str, Any]) -> float:
    """Return the most 10**9 pairs a second that a kernel could compare if nothing but its inner loop were issued.

    That is at the clock that was measured while the row ran. Raises ResultError if the result does not tell the clock, the
    multiprocessors or the instructions.
    """
    entry = result["kernels"].get(row["kernel"], {})
    per_pair, multiprocessors = entry.get("instructions_per_pair"), result["provenance"].get("multiprocessors")
    if not (per_pair and multiprocessors and row.get("sm_mhz")):
        raise ResultError(
            f"{row['kernel']} at {row['size']} has no issue limit: it takes instructions_per_pair of the kernel, "
            f"multiprocessors of the provenance and sm_mhz of the row"
        )
    return multiprocessors * LANES_ISSUED_PER_CYCLE * row["sm_mhz"] / per_pair / 1e3


def speed(row: dict[str, Any], state: str = "cold", spec: str = "") -> str:
    """Return a row's GB/s in a format of Python, or billions of what else it gets done in a second, with the unit."""
    if row.get("work"):
        return f"{format_number(work_rate(row, state), spec)} G{row['work']['unit']}/s"
    return format_number(gbps(row, state), spec)


#: In how many pieces a transpose across GPUs was sent, besides what its program does by itself.
PIECES = (3, 4, 5, 6, 8)

#: Metrics of a measured row: the state, and what is taken of it.
MEASURED = {
    "gbps": ("cold", "gbps"),
    "ms": ("cold", "median_ms"),
    "p10_ms": ("cold", "p10_ms"),
    "p90_ms": ("cold", "p90_ms"),
    "samples": ("cold", "samples"),
    "percent_of_memcpy": ("cold", "percent"),
    "billions_per_second": ("cold", "rate"),
    "warm_gbps": ("warm", "gbps"),
    "warm_billions_per_second": ("warm", "rate"),
    "warm_ms": ("warm", "median_ms"),
    "warm_p10_ms": ("warm", "p10_ms"),
    "warm_p90_ms": ("warm", "p90_ms"),
    "warm_percent_of_memcpy": ("warm", "percent"),
    "fits_l2": ("", "fits_l2"),
    "bytes": ("", "bytes"),
    "sm_mhz": ("", "own"),
    "error": ("", "figures"),
    "link_bytes": ("", "figures"),
    "link_data_kib": ("", "figures"),
    "link_raw_kib": ("", "figures"),
    **{f"gbps_in_{pieces}_pieces": ("", "figures") for pieces in PIECES},
    "error_bound": ("", "figures"),
    "instructions_per_pair": ("", "instructions"),
    "issue_limit_billions_per_second": ("", "issue_limit"),
    "percent_of_issue_limit": ("cold", "percent_of_issue_limit"),
    "shared_load_wavefronts": ("", "counters"),
    "shared_store_wavefronts": ("", "counters"),
    "l1_hit_sectors": ("", "caches"),
    "l2_load_sectors": ("", "caches"),
    "l2_store_sectors": ("", "caches"),
    "global_load_requests": ("", "counters"),
    "global_store_requests": ("", "counters"),
    "global_load_sectors": ("", "counters"),
    "global_store_sectors": ("", "counters"),
    "l2_load_hit_sectors": ("", "traffic"),
    "dram_read_bytes": ("", "traffic"),
    "dram_write_bytes": ("", "traffic"),
    "shared_wavefronts": ("", "traffic"),
    "instructions": ("", "traffic"),
    "instructions_issued": ("", "traffic"),
    "cycles": ("", "traffic"),
    "issue_slots": ("", "traffic"),
    "issue_slots_taken": ("", "traffic"),
    "percent_of_issue_slots": ("", "issue_slots"),
    "percent_of_shared_cycles": ("", "shared_cycles"),
    "l2_fabric_cycles_active": ("", "traffic"),
    "l2_cycles": ("", "traffic"),
    "percent_of_l2_fabric": ("", "l2_fabric"),
}

#: Counters of a row, by the key that has them, in the words of what it does not have. Where it has traffic, all are there.
_COUNTED = {"caches": "counters of the caches", "counters": "counters", "traffic": "counters of its traffic"}

#: What is a share, in percent: the counter of the part, and that of the whole.
_SHARES = {
    "issue_slots": ("issue_slots_taken", "issue_slots"),
    "l2_fabric": ("l2_fabric_cycles_active", "l2_cycles"),
}

#: What is measured of our kernels alone, and of no library.
_OF_KERNELS = (*_COUNTED, "own", "figures", "instructions", "issue_limit", "percent_of_issue_limit", "shared_cycles", *_SHARES)

_PER = {
    "sectors_per_request": ("sectors", "requests"),
    "ideal_sectors_per_request": ("ideal_sectors", "requests"),
    "bytes_per_request": ("bytes", "requests"),
    "wavefronts_per_instruction": ("wavefronts", "instructions"),
    "ideal_wavefronts_per_instruction": ("ideal_wavefronts", "instructions"),
    "sectors_over_ideal": ("sectors", "ideal_sectors"),
    "wavefronts_over_ideal": ("wavefronts", "ideal_wavefronts"),
}


def access_metric(access: dict[str, Any], name: str) -> float:
    """Return a metric of one kind of access (``global_load``, …): a raw count, ``bytes_moved``, or one per another.

    Raises ResultError for an unknown name, or for a ratio over nothing.
    """
    if name in _PER:
        over, under = _PER[name]
        if over in access and under in access:
            if access[under] == 0:
                raise ResultError(f"{name} asks for a ratio over {under}, and there are none")
            return access[over] / access[under]
    elif name == "bytes_moved" and "sectors" in access:
        return access["sectors"] * SECTOR_BYTES
    elif isinstance(access.get(name), int):
        return access[name]
    known = [key for key, value in access.items() if isinstance(value, int)]
    known += [key for key, (over, under) in _PER.items() if over in access and under in access]
    if "sectors" in access:
        known.append("bytes_moved")
    raise ResultError(f"unknown metric {name!r} of an access; accepted: {', '.join(known)}")


def is_measured(expression: str) -> bool:
    """Return whether a key, a ratio or a comparison of keys depends on the GPU that was measured."""
    keys = [word.split(".", 3) for word in expression.split() if not word.startswith("historical:")]
    return any(
        key[0] in ("machine", SPECIMENS) or len(key) == 4 and (key[1] == PEERS or key[3] in MEASURED) for key in keys
    )


#: The end of a metric that is a count over the number of blocks.
OF_A_BLOCK = "_per_block"


def counts_metric(counts: dict[str, Any], name: str) -> float:
    """Return a metric of a launch's counts, e.g. ``barriers``, ``blocks`` or ``global_store.sectors_per_request``.

    A raw count of a kind of access with ``_per_block`` behind it, such as ``shared_load.wavefronts_per_block``, is that of one block.
    ``partitions_per_step.load`` and ``.store`` are the partitions of device memory that concurrent blocks
    use together, on average, on machines whose partitions are watched. Raises ResultError for an unknown name.
    """
    head, _, rest = name.partition(".")
    if head == "partitions_per_step" and rest in ("load", "store"):
        if "partitions" not in counts:
            raise ResultError(f"{name} is of machines whose partitions are watched, such as gt200")
        return counts["partitions"][rest]["mean"]
    if (head in ACCESSES or head in ATOMICS and head in counts) and rest:
        total, of_a_block = rest.removesuffix(OF_A_BLOCK), rest.endswith(OF_A_BLOCK)
        return access_metric(counts[head], total) / (counts_metric(counts, "blocks") if of_a_block else 1)
    if name in ("barriers", "shared_bytes", "warp_barriers"):
        if name not in counts:
            raise ResultError(f"no {name} in these counts")
        return counts[name]
    if name == "blocks":
        return counts.get("blocks", math.prod(counts["grid"]))
    if name == "launches":
        return counts.get("launches", 1)
    if name == "threads_per_block":
        return math.prod(counts["block"])
    if name == "threads":
        return math.prod(counts["grid"]) * math.prod(counts["block"])
    raise ResultError(
        f"unknown metric {name!r}; accepted: {', '.join(MEASURED)}, barriers, warp_barriers, shared_bytes, blocks, "
        f"launches, threads_per_block, threads, or one of {', '.join((*ACCESSES, *ATOMICS))} with a dot and its metric"
    )


def glance(counts: dict[str, Any]) -> dict[str, float | None]:
    """Return a launch's counts at a glance, None where nothing is counted.

    ``load_sectors`` and ``store_sectors`` are of global memory, a request; ``wavefronts`` of shared memory, an
    instruction, and ``conflicts`` all of them, loads and stores together.
    """
    shared = [counts[key] for key in ("shared_load", "shared_store")]
    instructions = sum(access["instructions"] for access in shared)

    def sectors(access: dict[str, Any]) -> float | None:
        return access["sectors"] / access["requests"] if access["requests"] else None

    return {
        "load_sectors": sectors(counts["global_load"]),
        "store_sectors": sectors(counts["global_store"]),
        "wavefronts": sum(access["wavefronts"] for access in shared) / instructions if instructions else None,
        "conflicts": sum(access["conflicts"] for access in shared) if instructions else None,
    }


#: The six counters of a result: name there, kind of access, count of the model.
COUNTERS = {
    "shared_load_wavefronts": ("shared_load", "wavefronts"),
    "shared_store_wavefronts": ("shared_store", "wavefronts"),
    "global_load_requests": ("global_load", "requests"),
    "global_store_requests": ("global_store", "requests"),
    "global_load_sectors": ("global_load", "sectors"),
    "global_store_sectors": ("global_store", "sectors"),
}


def format_number(number: float, spec: str = "") -> str:
    """Return a number for readers by a format of Python, or without one by the rule of the book.

    The rule: integers in full with thousands separated, everything else to three significant digits.
    Raises ResultError for a format that does not fit.
    """
    if spec:
        try:
            return format(number, spec)
        except ValueError as error:
            raise ResultError(f"format {spec!r} does not fit {number!r}: {error}") from None
    if isinstance(number, bool) or float(number).is_integer():
        return f"{int(number):,}"
    decimals = max(0, 2 - math.floor(math.log10(abs(number))))
    return f"{number:,.{decimals}f}"


@dataclass(frozen=True)
class Value:
    """A number or word with where it comes from.

    ``default_format`` is used when the asker gives none; ``provenance`` is one line for a reader.
    """

    number: float | str
    provenance: str
    default_format: str = ""

    def text(self, spec: str = "") -> str:
        """Return the value for readers. Raises ResultError if the format does not fit."""
        if isinstance(self.number, str):
            if spec:
                raise ResultError(f"format {spec!r} given for {self.number!r}, which is not a number")
            return self.number
        return format_number(self.number, spec or self.default_format)


def _where(row: dict[str, Any], provenance: dict[str, Any]) -> str:
    """Return what ran a row, if it was not the GPU."""
    if "ranks" in row["time"]:
        return "the slowest GPU of each sample"
    return f"on the host, {provenance.get('cpu', 'its processor unknown')}" if "host" in row["time"] else ""


def describe(provenance: dict[str, Any]) -> str:
    """Return one line that names the machine, its software, the date and the commit of a result."""
    several = f"{provenance['gpus']} × " if "gpus" in provenance else ""
    nccl = f"NCCL {provenance['nccl']}, " if "nccl" in provenance else ""
    return (
        f"{several}{provenance['gpu']}, driver {provenance['driver']}, CUDA {provenance['toolkit']}, {nccl}"
        f"{provenance['date'][:10]}, commit {provenance['commit'][:10]}"
    )


@dataclass(frozen=True)
class Comparison:
    """Two values side by side: whether ``left`` and ``right`` stand as ``sign`` says, and one line of provenance."""

    holds: bool
    left: str
    sign: str
    right: str
    provenance: str

    @property
    def values(self) -> str:
        """The two values with the sign between them."""
        return f"{self.left} {self.sign} {self.right}"

    @property
    def shown(self) -> str:
        """The values, and where they come from."""
        return f"{self.values}. {self.provenance}"


# ----------------------------------------------------------------------------------------- look-up


@dataclass
class Evidence:
    """All that the book can show: sources, counts of this build, results of machines, published figures.

    ``chapters``, ``results`` and ``counts`` are folders; ``machine`` is the folder name of the book's own
    machine. ``on_read`` is told of each file that is looked at, present or not: the caller's
    dependencies. Files are read once per change.
    """

    chapters: Path
    results: Path
    counts: Path
    machine: str = "h200"
    on_read: Callable[[Path], None] = field(default=lambda path: None)

    def load(self, path: Path, load: Callable[[Path], Any]) -> Any:
        """Return what ``load`` makes of a file; a file that has not changed is read once."""
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

    def at(self, machine: str) -> Evidence:
        """Return the same evidence as seen from another machine's results; files that were read are not read again."""
        made = dataclasses.replace(self, machine=machine)
        made.__dict__["_cache"] = self.__dict__.setdefault("_cache", {})
        return made

    def measured_chapters(self, machine: str | None = None) -> list[str]:
        """Return the slugs of the chapters with a result file of a machine (default: the book's), sorted.

        The programs that show errors are no chapter of these: they have figures, and no times.
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

        Raises ResultError if a file is not there.
        """
        return self.sources_of(self.source_path(slug))

    def sources_of(self, path: Path) -> Sources:
        """Return the source files of the program whose ``.cu`` file is ``path``. Raises ResultError."""
        try:
            return read_sources(path, lambda file: self.load(file, read_source))
        except SourceError as error:
            raise ResultError(str(error)) from None

    def program(self, slug: str) -> dict[str, Any]:
        """Return what the chapter's model program wrote in this build, for the default machine.

        ``MACHINE:SLUG`` asks for what it wrote for another machine, such as ``gt200:padding``. Raises ResultError if
        there is nothing.
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
        """Return the row of the model's run, whose ``counts`` are present and whose check passed.

        Raises ResultError if there is no such row, naming the rows there are.
        """
        size = parse_size(size)
        rows = self.program(slug)["rows"]
        row = _find(rows, kernel, size, f"the counts of chapter {slug}")
        if row["counts"] is None:
            raise ResultError(f"{slug}.{kernel}.{size} is not counted: it is a reference row or not a model build")
        if not row["check"]["passed"]:
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

    def stale(self, slug: str, machine: str | None = None) -> list[str]:
        """Return the kernels of a result that were measured with another text than today's; none without a result."""
        result = self.result(slug, machine)
        if result is None:
            return []
        if slug != SPECIMENS:
            return stale_kernels(result, self.sources(slug))
        return stale_specimens(result, self.chapters)

    def measured_row(self, slug: str, kernel: str, size: str, machine: str | None = None) -> dict[str, Any]:
        """Return one measured row, timed, current and with its check passed. Raises ResultError otherwise."""
        size = parse_size(size)
        machine = machine or self.machine
        result = self.result(slug, machine)
        if result is None:
            raise ResultError(
                f"no results of chapter {slug} on {machine}: {self.results / machine / slug}.json does not exist"
            )
        row = _find(result["rows"], kernel, size, f"the results of chapter {slug} on {machine}")
        if not row["check"]["passed"]:
            raise ResultError(f"{slug}.{kernel}.{size} failed its check on {machine}: {row['check']['message']}")
        if not row["time"]:
            raise ResultError(f"{slug}.{kernel}.{size} was not timed on {machine}: the size is too small")
        if kernel in self.stale(slug, machine):
            raise StaleError(
                f"{slug}.{kernel}.{size} is stale on {machine}: the kernel's text has changed since it was measured; "
                f"run scripts/measure --name {machine}"
            )
        return row

    def peer_row(self, slug: str, name: str, size: str, machine: str | None = None) -> dict[str, Any]:
        """Return what a library took beside a chapter's kernels, with its check passed. Raises ResultError otherwise.

        It is never stale: the row has the text that was timed.
        """
        machine = machine or self.machine
        result = self.result(slug, machine)
        if result is None:
            raise ResultError(
                f"no results of chapter {slug} on {machine}: {self.results / machine / slug}.json does not exist"
            )
        where = f"the peers of chapter {slug} on {machine}"
        row = _find(peer_rows(result), name, parse_size(size), where, "peer")
        if not row["check"]["passed"]:
            raise ResultError(f"{slug}.{PEERS}.{name}.{size} failed its check on {machine}: {row['check']['message']}")
        return row

    def figures(self, specimen: str, machine: str | None = None) -> dict[str, float] | None:
        """Return what was measured of a program that shows an error, by name; None if it was not measured.

        Raises ResultError if it is stale, or failed.
        """
        machine = machine or self.machine
        self.on_read(self.specimen_path(specimen))
        result = self.result(SPECIMENS, machine)
        row = next((row for row in (result or {"rows": ()})["rows"] if row["kernel"] == specimen), None)
        if row is None:
            return None
        if specimen in self.stale(SPECIMENS, machine):
            raise ResultError(
                f"{SPECIMENS}.{specimen} is stale on {machine}: its text has changed since it was measured; "
                f"run scripts/measure --name {machine} --chapter {SPECIMENS}"
            )
        return row["figures"]

    def percent_of_memcpy(self, row: dict[str, Any], state: str, machine: str | None = None) -> float:
        """Return a row's bandwidth as a percentage of ``cudaMemcpy`` at the same size, state and machine.

        Raises ResultError if there is none, or if the row's work is not told by bytes.
        """
        if row.get("work"):
            raise ResultError(f"{row['kernel']} at {row['size']} does other work than moving bytes, so no copy is its measure")
        copy = self.measured_row(CEILING_SLUG, CEILING, row["size"], machine)
        return 100 * gbps(row, state) / gbps(copy, state)

    def historical(self) -> list[dict[str, Any]]:
        """Return all files of published figures, by file name."""
        folder = self.results / HISTORICAL
        return [self.load(path, load_historical) for path in sorted(folder.glob("*.json"))]

    def value(self, key: str) -> Value:
        """Return the value of a key, or of a ratio of two: ``A / B``.

        A key is ``slug.kernel.size.metric``, with a measured or a counted metric; ``gt200:slug.kernel.size.metric``
        with a counted metric of another modeled machine; ``slug.peers.NAME.size.metric`` with a measured metric of a library;
        ``errata.SPECIMEN.FIGURE`` with what a program that shows an error has measured;
        ``machine.FIELD`` with a field of the provenance, ``l2_mb`` or ``memory_gb``; or
        ``historical:MACHINE.kernel.size.gbps``, or ``.ms``. Raises ResultError for anything else, or if the evidence
        is missing or stale.
        """
        parts = key.split(" / ")
        if len(parts) == 1:
            return self._single(key.strip())
        if len(parts) > 2:
            raise ResultError(f"key {key!r} has more than one ' / '; a ratio has two keys")
        over, under = (self._single(part.strip()) for part in parts)
        for part, value in zip(parts, (over, under)):
            if isinstance(value.number, str):
                raise ResultError(f"{part.strip()} is not a number, so it has no ratio")
        if under.number == 0:
            raise ResultError(f"{parts[1].strip()} is 0, so there is no ratio over it")
        provenance = over.provenance
        if under.provenance != over.provenance:
            provenance += "; over: " + under.provenance
        return Value(over.number / under.number, f"{key}: {provenance}")

    def compare(self, expression: str) -> Comparison:
        """Return a comparison of two values, with what it says of them.

        The expression is ``A > B`` with one of ``> < >= <= ==``; a side is what ``value`` accepts, or a number.
        Raises ResultError if it is malformed, or the evidence is missing or stale.
        """
        parts = _COMPARISON.split(expression)
        if len(parts) != 3:
            raise ResultError(f"claim {expression!r} is not a comparison of two values; accepted: {' '.join(COMPARISONS)}")
        sides = []
        for part in (parts[0].strip(), parts[2].strip()):
            value = Value(float(part), "", ",.12g") if _NUMBER.match(part) else self.value(part)
            if isinstance(value.number, str):
                raise ResultError(f"{part} is not a number, so it cannot be compared")
            sides.append(value)
        left, right = sides
        provenance = "; ".join(dict.fromkeys(side.provenance for side in sides if side.provenance))
        return Comparison(
            COMPARISONS[parts[1]](left.number, right.number), left.text(), parts[1], right.text(), provenance
        )

    def _single(self, key: str) -> Value:
        if key.startswith("historical:"):
            return self._historical(key)
        if key.startswith("machine."):
            return self._machine(key)
        if key.startswith(f"{SPECIMENS}."):
            return self._figure(key)
        parts = key.split(".", 3)
        if len(parts) != 4 or not all(parts):
            raise ResultError(
                f"key {key!r} is malformed; accepted: slug.kernel.size.metric, gt200:slug.kernel.size.metric, "
                f"slug.{PEERS}.NAME.size.metric, machine.FIELD, historical:MACHINE.kernel.size.gbps"
            )
        slug, kernel, size, metric = parts
        if kernel == PEERS:
            return self._peer(key)
        if metric in MEASURED:
            return self._measured(slug, self.measured_row(slug, kernel, size), metric, kernel)
        row = self.counts_row(slug, kernel, size)
        number = counts_metric(row["counts"], metric)
        machine = self.program(slug)["machine"]
        return Value(number, f"{kernel} at {pretty_size(row['size'])}: counted by the model for {machine} in this build")

    def _peer(self, key: str) -> Value:
        parts = key.split(".")
        if len(parts) != 5 or not all(parts) or parts[4] not in MEASURED or MEASURED[parts[4]][1] in _OF_KERNELS:
            known = [name for name, (_, what) in MEASURED.items() if what not in _OF_KERNELS]
            raise ResultError(f"key {key!r} is malformed; accepted: slug.{PEERS}.NAME.size.metric, with one of {', '.join(known)}")
        slug, _, name, size, metric = parts
        row = self.peer_row(slug, name, size)
        return self._measured(slug, row, metric, f"{name} of {row['library']} {row['version']}")

    def _measured(self, slug: str, row: dict[str, Any], metric: str, name: str) -> Value:
        size = row["size"]
        provenance = self.result(slug)["provenance"]
        state, what = MEASURED[metric]
        if what == "gbps":
            number = gbps(row, state)
        elif what == "rate":
            number = work_rate(row, state)
        elif what == "percent":
            number = self.percent_of_memcpy(row, state)
        elif what == "fits_l2":
            number = "fits in L2" if row["fits_l2"] else "larger than L2"
        elif what == "bytes":
            number = row["bytes"]
        elif what == "instructions":
            entry = self.result(slug)["kernels"].get(row.get("kernel"), {})
            if metric not in entry:
                raise ResultError(f"{slug}.{name} has no count of instructions a pair on {self.machine}")
            number = entry[metric]
        elif what == "issue_limit":
            number = issue_limit(self.result(slug), row)
        elif what == "percent_of_issue_limit":
            number = 100 * work_rate(row, state) / issue_limit(self.result(slug), row)
        elif what == "shared_cycles":
            # A multiprocessor's shared memory serves one wavefront a cycle.
            wavefronts, cycles = (self._counter(slug, row, counter, name) for counter in ("shared_wavefronts", "cycles"))
            number = 100 * wavefronts / (cycles * provenance["multiprocessors"])
        elif what in ("own", "figures"):
            there = row if what == "own" else row.get("figures", {})
            if metric not in there:
                raise ResultError(f"{slug}.{name} at {pretty_size(size)} has no {metric} on {self.machine}")
            number = there[metric]
        elif what in _COUNTED:
            number = self._counter(slug, row, metric, name)
        elif what in _SHARES:
            part, whole = (self._counter(slug, row, counter, name) for counter in _SHARES[what])
            number = 100 * part / whole
        else:
            number = sample(row, state)[what]
        how = f"{_where(row, provenance) or state}, {sample(row, state)['samples']} samples, " if state else ""
        return Value(
            number,
            f"{name} at {pretty_size(size)}: {how}{describe(provenance)}",
            ".0f" if what == "percent" and number >= 1 else "",
        )

    def _counter(self, slug: str, row: dict[str, Any], metric: str, name: str) -> int:
        what = MEASURED[metric][1]
        there = (row.get("traffic") or {}) | (row.get(what) or {})
        if metric not in there:
            lacks = _COUNTED[what] if not there else f"counter {metric}"
            raise ResultError(f"{slug}.{name} at {pretty_size(row['size'])} has no {lacks} on {self.machine}")
        return there[metric]

    def _figure(self, key: str) -> Value:
        parts = key.split(".")
        if len(parts) != 3 or not all(parts):
            raise ResultError(f"key {key!r} is malformed; accepted: {SPECIMENS}.SPECIMEN.FIGURE")
        figures = self.figures(parts[1]) or {}
        if parts[2] not in figures:
            raise ResultError(f"no figure {key!r} on {self.machine}; {parts[1]} has: {', '.join(figures) or 'none'}")
        provenance = self.result(SPECIMENS)["provenance"]
        return Value(figures[parts[2]], f"{parts[2]} of {parts[1]}: {describe(provenance)}")

    def _machine(self, key: str) -> Value:
        name = key.removeprefix("machine.")
        result = self.result(CEILING_SLUG)
        if result is None:
            raise ResultError(
                f"{key}: no results of chapter {CEILING_SLUG} on {self.machine}: "
                f"{self.results / self.machine / CEILING_SLUG}.json does not exist"
            )
        provenance = result["provenance"]
        derived = {
            "l2_mb": provenance["l2_bytes"] / 1e6,
            "memory_gb": provenance["memory_bytes"] / 1e9,
            "name": result["machine"],
        }
        plain = {name: value for name, value in provenance.items() if isinstance(value, (str, int))}
        known = {**plain, **derived}
        if name not in known:
            raise ResultError(f"unknown key {key!r}; accepted after 'machine.': {', '.join(sorted(known))}")
        return Value(known[name], describe(provenance))

    def _historical(self, key: str) -> Value:
        parts = key.removeprefix("historical:").split(".")
        if len(parts) != 4 or parts[3] not in ("gbps", "ms"):
            raise ResultError(f"key {key!r} is malformed; accepted: historical:MACHINE.kernel.size.gbps, or .ms")
        machine, kernel, size, metric = parts
        size = parse_size(size)
        for data in self.historical():
            for row in data["rows"]:
                if data["size"] == size and row["kernel"] == kernel and machine in row.get(metric, ()):
                    return Value(
                        row[metric][machine],
                        f"{row['classic_name']} on {data['machines'][machine]} at {pretty_size(size)}, "
                        f"as published ({data['citation']})",
                        "g",
                    )
        raise ResultError(f"no published figure for {key!r} in {self.results / HISTORICAL}")


def _machine_and_slug(slug: str) -> tuple[str, str]:
    """Return the modeled machine and the chapter of ``MACHINE:SLUG``; no machine, an empty text, without a colon."""
    machine, _, name = slug.rpartition(":")
    return machine, name


def _find(
    rows: Iterable[dict[str, Any]], kernel: str, size: str, where: str, what: str = "kernel"
) -> dict[str, Any]:
    rows = list(rows)
    for row in rows:
        if row["kernel"] == kernel and row["size"] == size:
            return row
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    if kernel not in kernels:
        raise ResultError(f"no {what} {kernel!r} in {where}; it has: {', '.join(kernels) or 'none'}")
    sizes = [row["size"] for row in rows if row["kernel"] == kernel]
    raise ResultError(f"no size {size} of {kernel} in {where}; it has: {', '.join(sizes)}")
