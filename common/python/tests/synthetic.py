"""Counts and results of an invented machine, for tests of the book's own code only.

The figures are made up from simple rules; they say nothing about any GPU. They are written to folders
that a test chooses, never to ``book/results``.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from made_counts import global_, line, shared, warp_lanes
from synthetic_sources import COPY, NAIVE

from conflict_free.counts import MEASURES
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.source import Sources, parse_regions

MACHINE = "invented"
GPU = "Invented GPU 1"
L2_BYTES = 40_000_000
CACHES = {"l1_hit_sectors": 1000, "l2_load_sectors": 200, "l2_store_sectors": 400}
COUNTED_SIZES = ((2048, 2048), (4096, 1024))
MEASURED_SIZES = ((2048, 2048), (16384, 16384))

#: Regions that are no kernels.
HELPERS = {"constants", "launch", "entry"}


def _access(number: int, op: str, width: int, height: int, column: bool) -> dict:
    """Return the counts of one source line that touches each element once, a row or a column per warp."""
    requests = width * height // 32
    moved = global_(requests, requests * (32 if column else 4), requests * 4, requests * 128) | {
        "wavefronts": requests * (32 if column else 1)
    }
    return line(number, "global", op, {**moved, "first_access": warp_lanes(4 * height if column else 4)}, "")


def _shared(number: int, op: str, width: int, height: int) -> dict:
    return line(number, "shared", op, {**shared(*[width * height // 32] * 3), "first_access": warp_lanes(4)}, "")


def _total(lines: list[dict], space: str, op: str) -> dict:
    chosen = [line for line in lines if line["space"] == space and line["op"] == op]
    return {key: sum(line[key] for line in chosen) for key in MEASURES[space].keys}


def counts(source: str, file: str, kernel: str, width: int, height: int) -> dict:
    """Return counts for one kernel, guessed from which arrays its lines name."""
    region = parse_regions(source, file)[kernel]
    lines = []
    for number, text in enumerate(region.lines, start=region.first_line):
        target, equals, origin = text.partition(" = ")
        if not equals:
            continue
        if "input[" in origin:
            lines.append(_access(number, "load", width, height, column="column_read" in kernel))
        if "output[" in target:
            lines.append(_access(number, "store", width, height, column="row_read" in kernel))
        if "tile[" in target:
            lines.append(_shared(number, "store", width, height))
        if "tile[" in origin:
            lines.append(_shared(number, "load", width, height))
    for each in lines:
        each["file"] = file
    blocks = [-(-width // 32), -(-height // 32), 1]
    return {
        "grid": blocks,
        "block": [32, 8, 1],
        "shared_bytes": 4096 if "__shared__" in region.text else 0,
        "shared_load": _total(lines, "shared", "load"),
        "shared_store": _total(lines, "shared", "store"),
        "global_load": _total(lines, "global", "load"),
        "global_store": _total(lines, "global", "store"),
        "barriers": blocks[0] * blocks[1] if "__syncthreads" in region.text else 0,
        "lines": lines,
    }


def program(source: str, slug: str) -> dict:
    """Return the output of an invented model program."""
    rows = []
    for kernel in parse_regions(source):
        if kernel in HELPERS:
            continue
        for width, height in COUNTED_SIZES:
            rows.append(
                {
                    **_row(kernel, width, height),
                    "expectations": [],
                    "counts": counts(source, f"{slug}.cu", kernel, width, height),
                    "time": None,
                }
            )
    return {"schema": 1, "slug": slug, "build": "model", "machine": "sm_90", "seed": 1, "rows": rows}


def older_program(source: str, slug: str) -> dict:
    """Return the output of an invented model program for an older machine, whose partitions are watched."""
    data = {**program(source, slug), "machine": "gt200"}
    for row in data["rows"]:
        row["counts"]["partitions"] = {
            "count": 8,
            "bytes": 256,
            "concurrent_blocks": 90,
            "load": {"steps": [0, 0, 0, 0, 0, 0, 0, 12], "mean": 8.0, "first_step": [12, 12, 11, 11, 11, 11, 11, 11]},
            "store": {"steps": [3, 9, 0, 0, 0, 0, 0, 0], "mean": 1.75, "first_step": [60, 0, 30, 0, 0, 0, 0, 0]},
        }
    return data


def _row(kernel: str, width: int, height: int) -> dict:
    return {
        "kernel": kernel,
        "size": f"{width}x{height}",
        "width": width,
        "height": height,
        "element_bytes": 4,
        "bytes": 8 * width * height,
        "reference": kernel == "cudaMemcpy",
        "check": {"passed": True, "message": ""},
    }


def _sample(median: float) -> dict:
    return {"median_ms": median, "p10_ms": 0.97 * median, "p90_ms": 1.05 * median, "samples": 40, "launches_per_sample": 8}


def result(source: str, slug: str, machine: str = MACHINE, gpu: str = GPU) -> dict:
    """Return results of the invented machine: 1,000 GB/s for the copy, less for later kernels of the file."""
    kernels = [name for name in parse_regions(source) if name not in HELPERS]
    rows = []
    for place, kernel in enumerate((["cudaMemcpy"] if slug == "copy" else []) + kernels):
        for width, height in MEASURED_SIZES:
            bytes_moved = 8 * width * height
            rate = {"cudaMemcpy": 1100, "copy_plain": 1000}.get(kernel, 900 / (place + 2))
            median = bytes_moved / rate / 1e6
            rows.append(
                {
                    **_row(kernel, width, height),
                    "fits_l2": bytes_moved <= L2_BYTES,
                    "time": {"cold": _sample(median), "warm": _sample(0.8 * median)},
                    "counters": None,
                    "model": None,
                    **({"caches": dict(CACHES)} if width == 2048 and kernel not in ("cudaMemcpy", "copy_plain") else {}),
                }
            )
    clocks = {"sm_mhz": 1000, "memory_mhz": 2000}
    return {
        "schema": 1,
        "slug": slug,
        "machine": machine,
        "provenance": {
            "gpu": gpu,
            "driver": "1.2.3",
            "toolkit": "0.0.0",
            "compiler_flags": "-O3",
            "compute_capability": "9.0",
            "l2_bytes": L2_BYTES,
            "memory_bytes": 16 * 2**30,
            "clocks_before": clocks,
            "clocks_after": clocks,
            "date": "2001-02-03T04:05:06+00:00",
            "commit": "0123456789abcdef",
            "seed": 1,
            "profiler": None,
            "command": "none: this machine is invented",
        },
        "kernels": {name: {"hash": Sources.of_text(source).kernel_hash(name)} for name in kernels},
        "rows": rows,
    }


def make_arrays(counts_folder: Path, results: Path, slug: str, machine: str = MACHINE) -> None:
    """Rewrite the evidence of a chapter as if it worked on arrays of 5,000 and 90,000 elements.

    Each launch compares pairs, a search on the host was timed at the smaller size, and the kernel that comes last was
    counted in two launches and at a size of its own.
    """
    sizes = {"2048x2048": 5000, "4096x1024": 64, "16384x16384": 90000}

    def shrink(row: dict) -> None:
        width = sizes[row["size"]]
        row.update(size=f"{width}x1", width=width, height=1, bytes=16 * width)
        row["work"] = {"unit": "pairs", "amount": width * width}

    path = counts_folder / f"{slug}.json"
    with changed_json(path) as data:
        data["counted_size"] = "5000x1"
        for row in data["rows"]:
            shrink(row)
        last = data["rows"][-1]["kernel"]
        data["rows"] = [row for row in data["rows"] if row["kernel"] != last or row["size"] == "64x1"]
        data["rows"][-1]["counts"].update(launches=2, blocks=7)

    with changed_json(results / machine / f"{slug}.json") as data:
        data["provenance"]["cpu"] = "Invented CPU, 2 cores"
        for row in data["rows"]:
            shrink(row)
            row["fits_l2"] = True
            if row["width"] == 5000:
                row["time"] = {"cold": _sample(0.01), "warm": _sample(0.005)}
        host = {**_row("host_search", 2048, 2048), "reference": True, "time": {"host": _sample(10.0)}}
        shrink(host)
        data["rows"].insert(0, {**host, "fits_l2": True, "counters": None, "model": None})


def write_local(chapters: Path, results: Path, slugs: tuple[str, ...], sizes: tuple[str, ...] | None = None) -> None:
    """Write results of the reader's own invented GPU, half as fast as the other one, for some chapters and sizes."""
    for slug in slugs:
        source = (chapters / slug / f"{slug}.cu").read_text(encoding="utf-8")
        data = result(source, slug, "local", "Invented GPU 2")
        data["rows"] = [row for row in data["rows"] if sizes is None or row["size"] in sizes]
        for row in data["rows"]:
            for time in row["time"].values():
                time.update({key: 2 * time[key] for key in ("median_ms", "p10_ms", "p90_ms")})
        write_json(results / "local" / f"{slug}.json", data)


def change_local(results: Path, slug: str, kernel: str, size: str | None = None, factor: float = 1.0, stale: bool = False) -> None:
    """Change the reader's times of a kernel by a factor, or make it look as if it was measured with another text."""
    with changed_json(results / "local" / f"{slug}.json") as data:
        for row in data["rows"]:
            if row["kernel"] == kernel and size in (None, row["size"]):
                for time in row["time"].values():
                    time.update({key: factor * time[key] for key in ("median_ms", "p10_ms", "p90_ms")})
        if stale:
            data["kernels"][kernel]["hash"] = "sha256:" + 64 * "0"


def add_peers(results: Path, slug: str, machine: str = MACHINE, factor: float = 1.0) -> None:
    """Write two libraries beside the kernels of a result: one of 700 GB/s at all sizes, and one whose check failed at 2048x2048."""
    with changed_json(results / machine / f"{slug}.json") as data:
        ours = {row["size"]: row for row in data["rows"]}
        data["peers"] = []
        for name, sizes, passed in (("library_copy", list(ours), True), ("other_copy", ["2048x2048"], False)):
            for size in sizes:
                row = {key: ours[size][key] for key in ("size", "width", "height", "element_bytes", "bytes", "fits_l2")}
                median = factor * row["bytes"] / 700 / 1e6
                data["peers"].append(
                    {
                        "name": name,
                        "library": "Invented",
                        "version": "3.1",
                        "call": f"{name}(a,\n     b < c);",
                        **row,
                        "check": {"passed": passed, "message": "" if passed else "wrong"},
                        "time": {"cold": _sample(median), "warm": _sample(median / 2)},
                        **({"watts": 700} if size == "2048x2048" else {}),
                    }
                )


@contextmanager
def changed_json(path: Path) -> Iterator[Any]:
    """Give the content of a file, which is written as the body of the statement leaves it."""
    data = json.loads(path.read_text(encoding="utf-8"))
    yield data
    write_json(path, data)


def write_json(path: Path, data: dict) -> None:
    """Write ``data``, making folders as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


def write_evidence(chapters: Path, counts_folder: Path, results: Path, machine: str = MACHINE, gpu: str = GPU) -> None:
    """Write counts and results for each chapter under ``chapters``; ``naive`` is counted on gt200 too."""
    for path in sorted(chapters.glob("*/*.cu")):
        slug, source = path.stem, path.read_text(encoding="utf-8")
        write_json(counts_folder / f"{slug}.json", program(source, slug))
        if slug == "naive":
            write_json(counts_folder / f"{slug}.gt200.json", older_program(source, slug))
        write_json(results / machine / f"{slug}.json", result(source, slug, machine, gpu))


SPECIMEN = """\
// [broken]
__global__ void broken(int* output)
{
    output[threadIdx.x] = 1;
}
// [/broken]
"""


def specimen_report(conflicts: int = 3, hazards: tuple = (), exit_code: int = 0) -> dict:
    """Return an invented report of the model on the specimen."""
    return {
        "machine": "sm_90",
        "hazards": list(hazards),
        "exit_code": exit_code,
        "kernels": [{"name": "broken", "shared_load": shared(1, 1 + conflicts, 1), "shared_store": shared()}],
    }


def write_specimen(chapters: Path, counts_folder: Path, report: dict) -> None:
    """Write the specimen ``broken`` and its report."""
    path = chapters / "errata" / "broken.cu"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SPECIMEN, encoding="utf-8")
    write_json(counts_folder / "errata" / "broken.json", report)


def write_figures(results: Path, figures: dict, machine: str = MACHINE) -> None:
    """Write figures that were measured of the specimen."""
    data = result(SPECIMEN, "errata", machine)
    row = {**data["rows"][0], "size": "1x1", "width": 1, "height": 1, "bytes": 0, "fits_l2": True, "time": None}
    data["rows"] = [{**row, "figures": figures}]
    write_json(results / machine / "errata.json", data)


class Folders:
    """Two chapters, their counts and their results, in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.book = folder / "book"
        self.chapters = folder / "chapters"
        self.results = self.book / "results"
        self.counts = folder / "counts"
        for slug, text in (("copy", COPY), ("naive", NAIVE)):
            path = self.source(slug)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        write_evidence(self.chapters, self.counts, self.results)
        self.book.mkdir(exist_ok=True)

    def evidence(self) -> Evidence:
        """Return the evidence of the invented machine, before any file was read."""
        return Evidence(self.chapters, self.results, self.counts, MACHINE)

    def source(self, slug: str) -> Path:
        """Return the path of a chapter's source."""
        return self.chapters / slug / f"{slug}.cu"
