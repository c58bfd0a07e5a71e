"""The measurements of one chapter: times, counters, counts of the model, traffic, and instructions."""

import subprocess
import tempfile
from pathlib import Path

from conflict_free.console import FAILED, NO_GPU, Stop, shown_path
from conflict_free.counting import model_runtime
from conflict_free.evidence import files, metrics, parity, source
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.places import source_path

from .counters import NoCounters, read_with_caches
from .machine import clocks, compiler, query_device
from .measured_result import Session, provenance, whole_result
from .sass import NoSass, find_cuobjdump, instructions_per_pair, read_sass
from .traffic import read_traffic

# The unit of work whose instructions are counted.
PAIRS = "pairs"


def run_program(program: Path, *arguments: str, environment: dict[str, str] | None = None) -> dict:
    """Run a chapter program with --json and return its output, validated."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        words = [str(program), *arguments, "--json", str(out)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
        except OSError as error:
            raise Stop(f"cannot run {shown_path(program)}: {error.strerror}") from error
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
            raise Stop(f"{program.name} ended with exit code {done.returncode}: {said}", NO_GPU if done.returncode == NO_GPU else FAILED)
        try:
            return files.load_program(out)
        except ResultError as error:
            raise Stop(f"{program.name} --json: {error}") from error


def model_counts(build: Path, counts: Path | None, slug: str, sizes: list[str]) -> dict | None:
    """Return the model's counts for a chapter: from the folder of --counts, or from a run of the program at `sizes`.

    None if there is neither.
    """
    if counts:
        try:
            return files.load_program(counts / f"{slug}.json")
        except ResultError as error:
            raise Stop(f"--counts: {error}") from error
    if not model_runtime.is_built(build):
        return None
    words = [word for size in sizes for word in ("--size", size)]
    return run_program(ready_program(build, slug), *words, environment=model_runtime.environment(build))


def measure_chapter(session: Session, slug: str, show) -> dict:
    """Measure one chapter and return its result; `show` is called with each stage before it begins."""
    program = ready_program(session.build, slug)
    sources = source.read_sources(source_path(slug))
    device = query_device()
    show("times")
    timed, clocks_around = take_times(session, program)
    kernels = dict.fromkeys(row["kernel"] for row in timed["rows"] if not row["reference"])
    counted_at = {kernel: metrics.counted_size(timed, kernel) for kernel in kernels}
    show("counts of the model")
    counted = counts_at(session, slug, counted_at)
    rows = []
    for row in timed["rows"]:
        at_counted_size = counted_at.get(row["kernel"]) == row["size"]
        counts = counted.get((row["kernel"], row["size"])) if at_counted_size else None
        counters = caches = None
        if at_counted_size and session.ncu:
            show(f"counters of {row['kernel']}")
            counters, caches = counters_of(session, program, row, counts)
        rows.append(
            {
                **{
                    key: row[key]
                    for key in ("kernel", "size", "width", "height", "element_bytes", "bytes", "work", "reference")
                    if key in row
                },
                "fits_l2": row["bytes"] <= device["l2_bytes"],
                "check": row["check"],
                "time": row["time"],
                "counters": counters,
                "model": parity.model_counters(counts) if counts else None,
                **({"caches": caches} if caches else {}),
                **{key: row[key] for key in (*metrics.GAUGES, "figures") if row.get(key)},
            }
        )
    if session.ncu and timed.get("traffic_sizes"):
        add_traffic(session, program, rows, timed["traffic_sizes"], show)

    profiled = any(row["counters"] or "traffic" in row for row in rows)
    hashes = {kernel: sources.kernel_hash(kernel) for kernel in kernels}
    told = provenance(session, device, slug, clocks_around, timed["seed"], profiled)
    result = whole_result(session, slug, told, hashes, rows)
    if any((row.get("work") or {}).get("unit") == PAIRS for row in rows):
        show("instructions")
        add_instructions(session, program, device, result["kernels"])
    return result


def ready_program(build: Path, slug: str) -> Path:
    """Return the program of a chapter. Raises Stop if it is not built."""
    program = build / "chapters" / slug / slug
    if not program.exists():
        raise Stop(f"{shown_path(program)} is not there; scripts/measure builds it, or give --build-dir")
    return program


def take_times(session: Session, program: Path) -> tuple[dict, tuple[dict, dict]]:
    """Return the times that a chapter program writes, and the clocks before and after."""
    before = clocks()
    timed = run_program(program, *(["--samples", str(session.samples)] if session.samples else []))
    after = clocks()
    if 0 in (*before.values(), *after.values()):
        session.note("nvidia-smi does not report all clocks; 0 stands for the others")
    return timed, (before, after)


def counts_at(session: Session, slug: str, counted_at: dict[str, str]) -> dict[tuple[str, str], dict]:
    """Return the model's counts by kernel and size, including each kernel at its size in `counted_at`."""
    model = model_counts(session.build, session.counts, slug, list(dict.fromkeys(counted_at.values())))
    if model is None:
        session.note(f"no model in the build folder and no --counts: no counts of the model for {slug}")
        return {}
    return {(row["kernel"], row["size"]): row["counts"] for row in model["rows"] if row["counts"]}


def counters_of(session: Session, program: Path, row: dict, counts: dict | None) -> tuple[dict | None, dict | None]:
    """Return the GPU's counters of a row's kernel, and those of its caches; None for counters that cannot be read."""
    try:
        launches = counts.get("launches", 1) if counts else None
        command = [str(program), "--no-timing", "--kernel", row["kernel"], "--size", row["size"]]
        return read_with_caches(session.ncu, command, row["kernel"], launches)
    except NoCounters as reason:
        session.note(f"no counters for {row['kernel']}: {reason}")
        return None, None


def add_traffic(session: Session, program: Path, rows: list[dict], sizes: list[str], show) -> None:
    """Add the GPU's counters of traffic and of issue slots to the rows of the kernels at some sizes."""
    # In the order in which the program runs them.
    wanted = {(row["kernel"], row["size"]): row for size in sizes for row in rows if row["size"] == size and not row["reference"]}
    if not wanted:
        session.note(f"no counters of traffic: {program.name} ran none of its kernels at {', '.join(sizes)}")
        return
    show(f"traffic at {', '.join(sizes)}")
    try:
        traffic = read_traffic(session.ncu, str(program), list(wanted))
    except NoCounters as reason:
        session.note(f"no counters of traffic of {program.name}: {reason}")
        return
    session.failures += [f"{program.name}: {line}" for line in traffic.missing]
    for run, counters in traffic.rows.items():
        wanted[run]["traffic"] = counters


def add_instructions(session: Session, program: Path, device: dict, kernels: dict[str, dict]) -> None:
    """Add the machine instructions for a pair to each kernel that compares pairs of points."""
    cuobjdump = find_cuobjdump(compiler(session.build))
    if cuobjdump is None:
        session.note("no instructions per pair: cuobjdump is not on this machine")
        return
    try:
        text = read_sass(cuobjdump, program, "sm_" + device["compute_capability"].replace(".", ""))
    except NoSass as reason:
        session.note(f"no instructions per pair of {program.name}: {reason}")
        return
    for kernel, entry in kernels.items():
        count = instructions_per_pair(text, kernel)
        if count is None:
            session.note(f"no instructions per pair of {kernel}: {program.name} has no loop of it over pairs for this GPU")
        else:
            entry["instructions_per_pair"] = count
