"""The measured table of README.md, generated from the book's results."""

import re

from conflict_free.console import ROOT, Stop
from conflict_free.evidence import metrics
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.places import BOOK_MACHINE, CHAPTERS, RESULTS, chapters
from conflict_free.whole_files import write_whole

README = ROOT / "README.md"
BEGIN = "<!-- measured table, written by scripts/check --fix -->"
END = "<!-- end of measured table -->"

# The README shows the steps of the transpose, so that it fits a screen. The book has every kernel.
SHOWN = ("cudaMemcpy", "copy_plain", "transpose_naive_row_read", "transpose_coalesced", "transpose_padded")


def _per_request(row: dict | None, space: str) -> str:
    """Return sectors per request by the GPU's counters."""
    counters = row["counters"] if row else None
    if not counters or not counters[f"{space}_requests"]:
        return "–"
    return metrics.format_number(counters[f"{space}_sectors"] / counters[f"{space}_requests"])


def _measured(evidence: Evidence, row: dict | None) -> str:
    """Return size, speed and percent of cudaMemcpy of a timed row, separated by bars."""
    if row is None:
        return "– | – | –"
    try:
        percent = f"{evidence.percent_of_memcpy(row, 'cold'):.0f}"
    except ResultError:  # cudaMemcpy was not timed at that size
        percent = "–"
    return f"{metrics.pretty_size(row['size'])} | {metrics.speed(row, spec=',.0f')} | {percent}"


def table() -> str:
    """Return the table as Markdown; an empty text without results of the book's machine."""
    evidence = Evidence(chapters=CHAPTERS, results=RESULTS, counts=ROOT / "build", machine=BOOK_MACHINE)
    measured = {slug: evidence.result(slug) for slug in chapters()}
    measured = {slug: result for slug, result in measured.items() if result}
    if not measured:
        return ""
    lines = [
        "| chapter | kernel | sectors per load request | sectors per store request | size | GB/s | % of `cudaMemcpy` |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    counted_sizes = set()
    for slug, result in measured.items():
        for kernel in dict.fromkeys(row["kernel"] for row in result["rows"] if row["kernel"] in SHOWN):
            rows = [row for row in result["rows"] if row["kernel"] == kernel]
            counted = next((row for row in rows if row["counters"]), None)
            counted_sizes |= {metrics.pretty_size(counted["size"])} if counted else set()
            largest = max((row for row in rows if row["time"]), key=metrics.area, default=None)
            lines.append(
                f"| {slug} | `{kernel}` | {_per_request(counted, 'global_load')} "
                f"| {_per_request(counted, 'global_store')} | {_measured(evidence, largest)} |"
            )
    provenance = next(iter(measured.values()))["provenance"]
    caption = (
        f"Measured on one {provenance['gpu']} with CUDA {provenance['toolkit']}: the largest size of each kernel, L2 flushed before each "
        f"launch, median. GB is 10⁹ bytes. Sectors are the GPU's own counters at {' and '.join(sorted(counted_sizes))}."
    )
    return "\n".join([*lines, "", caption])


def _with_table(text: str) -> str:
    body = table()
    wanted = f"{BEGIN}\n{body}\n{END}" if body else f"{BEGIN}\n{END}"
    new, count = re.subn(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: wanted, text, flags=re.DOTALL)
    if count != 1:
        raise Stop(f"README.md has {count} places for the table; accepted: one, between '{BEGIN}' and '{END}'")
    return new


def is_current() -> bool:
    text = README.read_text(encoding="utf-8")
    return _with_table(text) == text


def write() -> bool:
    """Write the table. Return whether the file has changed."""
    text = README.read_text(encoding="utf-8")
    new = _with_table(text)
    if new == text:
        return False
    write_whole(README, new)
    return True
