"""The measurements of scripts/measure, one chapter after the other. Runs in the virtual environment."""

import json
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from conflict_free.console import FAILED, NO_GPU, USAGE, Stop, run_main, shown_path
from conflict_free.setup import cmake

from .measure import commit, parse

try:
    from rich import box
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table

    from conflict_free.evidence import files, metrics, parity
    from conflict_free.evidence.names import CEILING, CEILING_SLUG, ResultError
    from conflict_free.evidence.places import RESULTS, SPECIMENS, chosen_chapters

    from . import peer_rows
    from .measured_chapter import measure_chapter
    from .measured_ranks import is_of_ranks, measure_peers_of_ranks, measure_ranks
    from .measured_result import Session, check_writable, command_line, write_json
    from .measured_specimens import measure_specimens
except ModuleNotFoundError as missing:
    print(f"error: no Python package {missing.name} here; without --no-setup it is installed", file=sys.stderr)
    sys.exit(USAGE)

# Columns of the table at the end.
WIDTH = 110


def differences(result: dict) -> list[str]:
    """Return the unexpected differences between the GPU's counters and the model's counts, a line each."""
    exceptions = parity.load_exceptions(RESULTS)
    return [
        f"{row['kernel']} at {row['size']}: {finding}"
        for row in result["rows"]
        if row["counters"] and row["model"]
        for finding in parity.compare(result["slug"], row["kernel"], row["counters"], row["model"], exceptions)
    ]


def add_peers(session: Session, slug: str, result: dict, show) -> dict:
    """Return the result of a chapter with the times of its peers; without them if they are not valid."""
    if is_of_ranks(session.build, slug):
        peers = measure_peers_of_ranks(session.build, result, session.samples, show)
    else:
        peers = peer_rows.measure_peers(session.build, slug, result, session.samples, show)
    for line in peers.absent:
        session.note(line)
    session.peer_failures += [f"{slug}: {line}" for line in peers.failures]
    whole = {**result, "peers": peers.rows} if peers.rows else result
    try:
        files.validate_result(whole, f"the peers of {slug}")
    except ResultError as error:
        session.peer_failures.append(str(error))
        return result
    return whole


def says_peers_are_dropped(session: Session, slug: str) -> None:
    """Note that a file's peers go, since all times of a file are of one run."""
    path = session.folder / f"{slug}.json"
    try:
        had = "peers" in json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if had:
        session.note(f"{slug}.json had times of libraries from another run, which are dropped; --peers takes them anew")


@contextmanager
def stages(out: Console, slugs: list[str]) -> Iterator:
    """Yield a function to call with a slug and a stage: a progress bar on a terminal, else a line each."""
    if not out.is_terminal:
        started = time.monotonic()
        yield lambda slug, stage: out.print(f"[{time.monotonic() - started:6.1f} s] {slug}: {stage}", markup=False)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task("", total=len(slugs))
        yield lambda slug, stage: progress.update(task, completed=slugs.index(slug), description=f"{slug}: {stage}")


def table(measured: dict[str, dict]) -> Table:
    """Return the table of the measurements: one line for each kernel and size."""
    copy = measured.get(CEILING_SLUG, {"rows": ()})["rows"]
    ceiling = {row["size"]: row for row in copy if row["kernel"] == CEILING}
    shown = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("kernel", no_wrap=True)
    shown.add_column("size", justify="right", no_wrap=True)
    for title in ("cold\nGB/s", "cold\n% of cudaMemcpy", "warm\nGB/s", "cold, ms\np10 to p90", "fits\nL2"):
        shown.add_column(title, justify="right", no_wrap=True)
    for result in measured.values():
        for row in result["rows"] + files.peer_rows(result):
            if not row["time"]:
                continue
            cold = metrics.sample(row)
            alone = "ranks" in row["time"] or row.get("work")
            base = None if alone else ceiling.get(row["size"])
            shown.add_row(
                row["kernel"],
                row["size"],
                metrics.speed(row, spec=",.1f"),
                f"{100 * metrics.gbps(row) / metrics.gbps(base):.1f}" if base else "-",
                metrics.speed(row, "warm", ",.1f") if "warm" in row["time"] else "-",
                f"{cold['p10_ms']:.4f} to {cold['p90_ms']:.4f}",
                "yes" if row["fits_l2"] else "no",
            )
        shown.add_section()
    return shown


def main() -> int:
    options = parse(sys.argv[1:])
    slugs = chosen_chapters(options.chapter)
    session = Session(
        build=options.build_dir or cmake.BUILD,
        folder=options.output / options.name,
        name=options.name,
        commit=commit(options.commit),
        command=command_line(options),
        samples=options.samples,
        counts=options.counts,
        ncu=None if options.no_counters else shutil.which("ncu"),
    )
    if session.ncu is None:
        session.note("no counters: " + ("--no-counters" if options.no_counters else "ncu is not on this machine"))
    check_writable(session.folder)
    out = Console(highlight=False)
    out.width = max(out.width, WIDTH)
    measured: dict[str, dict] = {}
    with stages(out, slugs) as show:
        for slug in slugs:
            measure = partial(measure_ranks if is_of_ranks(session.build, slug) else measure_chapter, slug=slug)
            if slug == SPECIMENS:
                measure = measure_specimens
            try:
                measured[slug] = measure(session, show=partial(show, slug))
            except Stop as stop:
                # Some chapters need a newer GPU or toolkit than the others.
                if stop.code != NO_GPU or not measured:
                    raise
                session.note(f"{slug} is not measured: {stop}")
                continue
            if not options.peers:
                says_peers_are_dropped(session, slug)
            write_json(session.folder / f"{slug}.json", measured[slug])
            if options.peers and slug != SPECIMENS:
                # The kernels' own results are saved before the libraries run.
                measured[slug] = add_peers(session, slug, measured[slug], partial(show, slug))
                write_json(session.folder / f"{slug}.json", measured[slug])
    out.print(table(measured))
    for line in session.notes:
        out.print(line, markup=False)
    differing = [line for result in measured.values() for line in differences(result)]
    compared = sum(bool(row["counters"] and row["model"]) for r in measured.values() for row in r["rows"])
    for line in differing:
        out.print(line, markup=False, soft_wrap=True)
    out.print(f"Counters against the model: {compared} launches compared, {len(differing)} differences")
    for line in session.failures + session.peer_failures:
        out.print(line, markup=False, soft_wrap=True)
    if options.peers:
        compared = sum(len(files.peer_rows(result)) for result in measured.values())
        out.print(f"Peers: {compared} times of libraries, {len(session.peer_failures)} failures")
    out.print(f"Results: {shown_path(session.folder)}", soft_wrap=True)
    return FAILED if differing or session.failures or session.peer_failures else 0


if __name__ == "__main__":
    run_main(main)
