"""The measurements of a chapter whose program runs on several GPUs."""

import functools
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conflict_free.console import NO_GPU, Stop
from conflict_free.evidence import files, metrics, source
from conflict_free.evidence.metrics import PIECES
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.places import source_path

from . import peer_rows
from .machine import clocks, query_device
from .measured_chapter import ready_program
from .measured_result import Session, provenance, whole_result

# Two are enough for every step, and most machines with several have a multiple of two.
GPUS = 2
SIZES = tuple(f"{1 << n}x{1 << n}" for n in range(8, 16))
TIMED_SIZES = SIZES[-3:]
# A matrix that, with its transpose, needs more memory than one GPU of the book's machine has.
LARGE_SIZE, LARGE_KERNELS, LARGE_SAMPLES = "160000x160000", ("direct",), 5
# The traffic of the links is counted over this many samples.
LINK_KERNELS, LINK_SAMPLES = ("peer_copy", "in_pieces", "direct"), 200
SAMPLES = 50
SECONDS = 120
SECONDS_TO_END = 10
# The program's message about a size that is too large: the memory that it needs and the free memory.
TOO_LARGE = re.compile(r"needs [\d.]+ GiB of device memory, .*")
SCRIPT = Path(__file__).with_name("peers") / "time_peers_of_ranks.py"


def is_of_ranks(build: Path, slug: str) -> bool:
    """Return whether a chapter's program runs on several GPUs."""
    return (build / "chapters" / slug / "ranks.json").exists()


def visible_gpus() -> list[str]:
    """Return the numbers of the GPUs that the programs may use."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], capture_output=True, text=True)
    except OSError:
        return []
    found = done.stdout.split() if done.returncode == 0 else []
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    return found if chosen is None else [number for number in chosen.split(",") if number in found]


def built_with(build: Path, slug: str) -> dict:
    """Return the build of a program of several GPUs: the version of NCCL, and the command that starts processes, if any."""
    return json.loads((build / "chapters" / slug / "ranks.json").read_text(encoding="utf-8"))


def run_ranks(mpirun: list[str], command: list[str]) -> None:
    """Run a command as a process for each GPU, or once without `mpirun`. Raises Stop with the line of a process that fails."""
    name = Path(command[0]).name
    process = subprocess.Popen(
        [*mpirun, "-n", str(GPUS), *command] if mpirun else command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=peer_rows.clean_environment(),
    )
    try:
        said = process.communicate(timeout=SECONDS)[1].strip().splitlines()
    except subprocess.TimeoutExpired:
        # mpirun passes the signal on to its processes.
        process.terminate()
        try:
            process.communicate(timeout=SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        raise Stop(f"{name} took longer than {SECONDS} seconds") from None
    if process.returncode:
        # The error of the program stands before that of mpirun.
        own = [line for line in said if line.startswith(f"{name}: ")]
        last = (own or said[-1:] or ["it said nothing"])[0]
        raise Stop(f"{name} ended with exit code {process.returncode}: {last}")


def times(mpirun: list[str], program: Path, sizes: tuple[str, ...], kernels: tuple[str, ...], samples: int, *more: str) -> list[dict]:
    """Return the rows that a program writes for some kernels, or all, at some sizes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        words = [word for size in sizes for word in ("--size", size)]
        words += [word for kernel in kernels for word in ("--kernel", kernel)]
        # One process has a thread for each GPU.
        words += [] if mpirun else ["--devices", str(GPUS)]
        run_ranks(mpirun, [str(program), *words, "--samples", str(samples), *more, "--json", str(out)])
        try:
            return files.load_program(out)["rows"]
        except ResultError as error:
            raise Stop(f"{program.name} --json: {error}") from error


def parse_links(text: str) -> int:
    """Return the KiB that a GPU has sent over all its links, of `nvidia-smi nvlink -gt`."""
    return sum(int(number) for number in re.findall(r"Tx:\s*(\d+) KiB", text))


def sent_kib(kind: str) -> int:
    """Return the KiB that the first GPU has sent over its links:

    `d` for data, `r` with packet headers. 0 if the driver does not report it.
    """
    done = subprocess.run(["nvidia-smi", "nvlink", "-gt", kind, "-i", visible_gpus()[0]], capture_output=True, text=True)
    return parse_links(done.stdout) if done.returncode == 0 else 0


@contextmanager
def counted_links(figures: dict[str, float]) -> Iterator[None]:
    """Add to `figures` the bytes that the first GPU sends over its links in the meantime."""
    kinds = {"link_data_kib": "d", "link_raw_kib": "r"}
    before = {name: sent_kib(kind) for name, kind in kinds.items()}
    yield
    for name, kind in kinds.items():
        figures[name] = sent_kib(kind) - before[name]


def topology() -> str:
    """Return the connection between the first two GPUs, such as NV18."""
    done = subprocess.run(["nvidia-smi", "topo", "-m"], capture_output=True, text=True)
    found = re.search(r"^GPU0\s+X\s+(\S+)", re.sub(r"\x1b\[[0-9;]*m", "", done.stdout), re.MULTILINE)
    return found.group(1) if found else "unknown"


def measure_ranks(session: Session, slug: str, show) -> dict:
    """Measure a chapter of several GPUs and return its result. Raises Stop with exit code 77 if there are too few."""
    if len(visible_gpus()) < GPUS:
        raise Stop(f"{slug} needs {GPUS} GPUs, this machine has {len(visible_gpus())}", NO_GPU)
    built = built_with(session.build, slug)
    program, device, before = ready_program(session.build, slug), query_device(), clocks()
    measured = functools.partial(times, built["mpirun"], program)
    samples = session.samples or SAMPLES
    show("times")
    timed = measured(SIZES, (), samples)
    by_run = {(row["kernel"], row["size"]): row for row in timed}
    show(f"times at {LARGE_SIZE}")
    try:
        timed += measured((LARGE_SIZE,), LARGE_KERNELS, LARGE_SAMPLES)
    except Stop as stop:
        if (needs := TOO_LARGE.search(str(stop))) is None:
            raise
        show(f"left out {LARGE_SIZE}: it {needs[0]}")
    for pieces in PIECES:
        show(f"times in {pieces} pieces")
        for row in measured(TIMED_SIZES, ("in_pieces", "in_equal_pieces"), samples, "--pieces", str(pieces)):
            by_run[row["kernel"], row["size"]]["figures"][f"gbps_in_{pieces}_pieces"] = metrics.gbps(row)
    for kernel in LINK_KERNELS:
        show(f"links of {kernel}")
        with counted_links(by_run[kernel, SIZES[-1]]["figures"]):
            measured(SIZES[-1:], (kernel,), LINK_SAMPLES)
    kept = ("kernel", "size", "width", "height", "element_bytes", "bytes", "work", "reference", "check", "time", "figures")
    rows = [
        {**{key: row[key] for key in kept}, "fits_l2": row["bytes"] <= device["l2_bytes"], "counters": None, "model": None} for row in timed
    ]
    sources = source.read_sources(source_path(slug))
    hashes = {row["kernel"]: sources.kernel_hash(row["kernel"]) for row in rows if not row["reference"]}
    told = provenance(session, device, slug, (before, clocks()), 0, False)
    told |= {"gpus": GPUS, "links": topology(), "nccl": built["nccl"]}
    return whole_result(session, slug, told, hashes, rows)


def measure_peers_of_ranks(build: Path, result: dict, samples: int | None, show) -> peer_rows.Peers:
    """Time PyTorch at the sizes at which a chapter's kernels are compared."""
    found = peer_rows.Peers()
    show("peers: PyTorch")
    mpirun, python = built_with(build, result["slug"])["mpirun"], peer_rows.python_with("torch")
    if not mpirun:
        found.absent.append("no MPI: PyTorch needs a process for each GPU")
        return found
    if python is None:
        found.absent.append("no PyTorch: no Python on the PATH has it, and numpy")
        return found
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        words = [word for size in TIMED_SIZES for word in ("--size", size.split("x")[0])]
        try:
            words += ["--samples", str(samples or SAMPLES), "--json", str(out), "--meet", str(Path(folder) / "meet")]
            run_ranks(mpirun, [str(python), str(SCRIPT), *words])
            told = json.loads(out.read_text(encoding="utf-8"))
        except (Stop, OSError, ValueError) as error:
            found.failures.append(f"PyTorch: {error}")
            return found
    for row in told:
        found.rows.append({**row, "fits_l2": row["bytes"] <= result["provenance"]["l2_bytes"]})
        if not row["check"]["passed"]:
            found.failures.append(f"{row['name']} of PyTorch at {row['size']}: {row['check']['message']}")
    return found
