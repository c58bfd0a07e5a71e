"""Reports as files: reading what --json has written, showing it again, and writing it as pages in other formats."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import USAGE, OneLineParser, Stop
from conflict_free.counts import MEASURES
from conflict_free.whole_files import write_asked

from . import command_line, html_report, printed_report, sarif_report

# Headers of NVIDIA and of the system are on this machine, but are not the reader's files.
_SYSTEM_PARTS = (
    "/usr/",
    f"/nvidia/{cuda_version.WHEELS}/",
    "/conflict-free/toolkit/",
    "/targets/x86_64-linux/include/",
    "/targets/sbsa-linux/include/",
)


def read(path: Path) -> dict:
    """Return a report that --json has written. Raises Stop with one line if the file is not a report."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Stop(f"{path}: cannot be read: {error.strerror}", USAGE) from error
    except ValueError as error:
        raise Stop(f"{path}: is not a report of conflict-free: {error}", USAGE) from error
    shapes = {"machine": str, "kernels": list, "hazards": list, "exit_code": int}
    if not isinstance(data, dict) or any(not isinstance(data.get(key), shape) for key, shape in shapes.items()):
        raise Stop(f"{path}: is not a report of conflict-free: an object with {', '.join(shapes)} is accepted", USAGE)
    if any(
        not isinstance(kernel, dict) or not isinstance(kernel.get("name"), str) or not isinstance(kernel.get("lines"), list)
        for kernel in data["kernels"]
    ):
        raise Stop(f"{path}: is not a report of conflict-free: a kernel has no name or no lines", USAGE)
    for line in (line for kernel in data["kernels"] for line in kernel["lines"]):
        space = line.get("space") if isinstance(line, dict) else None
        if space not in MEASURES:
            raise Stop(
                f"{path}: is not a report of conflict-free: space of an access: got {space!r}, accepted: {', '.join(MEASURES)}", USAGE
            )
        if missing := [key for key in MEASURES[space].keys if not isinstance(line.get(key), int)]:
            raise Stop(f"{path}: an access to {space} memory has no {', '.join(missing)}: it is of another version; count again", USAGE)
    return data


def sources_of(data: dict) -> list[Path]:
    """Return the source files of a report that belong to the reader and still exist."""
    paths = [Path(file) for file in data.get("files", ()) if not any(part in file for part in _SYSTEM_PARTS)]
    return [path for path in paths if path.is_file()]


def write_pages(options: argparse.Namespace, data: dict, sources: Sequence[Path]) -> None:
    """Write the files that the options ask for."""
    if options.html:
        write_asked(options.html, html_report.page(data, sources), "--html")
    if options.sarif:
        write_asked(options.sarif, json.dumps(sarif_report.log(data, sources), indent=1) + "\n", "--sarif")


def main(words: Sequence[str]) -> int:
    parser = OneLineParser(
        prog="conflict-free show",
        usage="conflict-free show REPORT [--html OUT] [--sarif OUT]",
        description="Shows a report that --json has written, with the source in its present state.",
    )
    parser.add_argument("report", metavar="REPORT", type=Path, help="the file that --json of count or run has written")
    command_line.add_reports(parser)
    options = parser.parse_args(words)
    data = read(options.report)
    sources = sources_of(data)
    printed_report.show(data, sources, options.whole_names)
    write_pages(options, data, sources)
    return 0
