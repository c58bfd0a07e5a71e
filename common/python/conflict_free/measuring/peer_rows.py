"""Times peers of a chapter's kernels, libraries that do the same work, for the key `peers` of a result file.

C++ libraries are timed by programs of common/harness/peers with our harness; Python libraries by peers/time_peers.py, in any Python
of this machine that has them. A library that is missing is named and left out. The kernels' own results stay if a library fails.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conflict_free.console import ROOT, shown_path
from conflict_free.evidence import files, metrics, source
from conflict_free.evidence.names import ResultError

from .measure import CARRIED

SOURCES = ROOT / "common" / "harness" / "peers"
SCRIPT = Path(__file__).with_name("peers") / "time_peers.py"

# The C++ libraries for each subject, with the name of each library's program; no library has the subject "nearest".
CPP = {
    "transpose": {"cuBLAS": "transpose_cublas", "cuTENSOR": "transpose_cutensor"},
    "sum": {"CUB": "sum_cub"},
    "product": {"cuBLAS": "product_cublas", "CUTLASS": "product_cutlass"},
}
# Python libraries by the name of their module, and their subjects.
PYTHON = {"torch": ("PyTorch", ("transpose", "sum", "nearest", "product")), "cupy": ("CuPy", ("transpose", "sum"))}
# Bytes of an element that the libraries work on: a float, a point of three, or a bf16.
ELEMENT_BYTES = {"transpose": 4, "sum": 4, "nearest": 12, "product": 2}


@dataclass
class Peers:
    """The peers of a chapter: rows of its result, libraries that are missing here, and failures."""

    rows: list[dict] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def subject_of(build: Path, slug: str) -> str | None:
    """Return the subject of a chapter's kernels that libraries have, too, from its CMakeLists.txt; None for most chapters."""
    path = build / "chapters" / slug / "peers.json"
    return json.loads(path.read_text(encoding="utf-8"))["subject"] if path.exists() else None


def measure_peers(build: Path, slug: str, result: dict, samples: int | None, show: Callable[[str], None]) -> Peers:
    """Time the peers of a chapter at the sizes at which its kernels were timed; `show` is called with each stage."""
    found = Peers()
    subject = subject_of(build, slug)
    ours: dict[str, dict] = {}
    for row in result["rows"]:
        if not row["time"] or "host" in row["time"] or row["element_bytes"] != ELEMENT_BYTES.get(subject):
            continue
        # A kernel may leave out a part of the matrix; a library takes all of it.
        if row["bytes"] > ours.get(row["size"], {"bytes": -1})["bytes"]:
            ours[row["size"]] = row
    if not ours:
        return found
    wanted = [word for size in ours for word in ("--size", size)]
    wanted += ["--samples", str(samples)] if samples else []
    wanted += ["--seed", str(result["provenance"]["seed"])]
    for library, program in CPP.get(subject, {}).items():
        show(f"peers: {library}")
        _run_cpp(found, build, library, program, wanted, ours)
    for module, (name, subjects) in PYTHON.items():
        if subject not in subjects:
            continue
        show(f"peers: looking for {name}")
        python = python_with(module)
        if python is None:
            found.absent.append(f"no {name}: no Python on the PATH has it, and numpy")
            continue
        command = [str(python), str(SCRIPT), module, subject, *wanted, "--l2-bytes", str(result["provenance"]["l2_bytes"])]
        _run_python(found, name, command, ours, show)
    return found


def _row(found: Peers, ours: dict[str, dict], peer: dict) -> None:
    """Keep the measurement of a peer, with the values of its work that it shares with our kernels."""
    same = ours[peer["size"]]
    common = {key: same[key] for key in ("size", "width", "height", "element_bytes", "bytes", "work", "fits_l2") if key in same}
    own = {key: peer[key] for key in ("name", "library", "version", "call", "check", "time", *metrics.GAUGES) if key in peer}
    found.rows.append({**own, **common})
    if not peer["check"]["passed"]:
        found.failures.append(f"{peer['name']} at {peer['size']} failed its check: {peer['check']['message']}")


def _run_cpp(found: Peers, build: Path, library: str, name: str, wanted: list[str], ours: dict[str, dict]) -> None:
    """Run the program of a library, which times and checks it as a chapter program does its kernels."""
    program = build / "common" / "harness" / "peers" / f"peers_{name}"
    if not program.exists():
        found.absent.append(f"no {library}: {shown_path(program)} is not there; it was not found when the peers were built")
        return
    path = SOURCES / f"{name}.cu"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        try:
            done = subprocess.run([str(program), *wanted, "--json", str(out)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            # Exit code 1 reports that a check failed, as the rows do.
            if done.returncode not in (0, 1) or not out.exists():
                raise ResultError(f"ended with exit code {done.returncode}: {_last_line(done.stderr)}")
            calls = {name: region.text for name, region in source.read_sources(path).regions.items()}
            for row in files.load_program(out)["rows"]:
                told = {"library": row["library"]["name"], "version": row["library"]["version"]}
                _row(found, ours, {**row, **told, "name": row["kernel"], "call": _dedented(calls[row["kernel"]])})
        except (OSError, KeyError, ResultError, source.SourceError) as error:
            found.failures.append(f"{program.name}: {error}")


def _run_python(found: Peers, name: str, command: list[str], ours: dict[str, dict], show: Callable[[str], None]) -> None:
    """Run time_peers.py, and take the rows that it has written, however it ends."""
    with tempfile.TemporaryDirectory() as folder:
        out, errors = Path(folder) / "rows.json", Path(folder) / "stderr"
        try:
            with (
                open(errors, "w", encoding="utf-8") as said,
                subprocess.Popen(
                    [*command, "--json", str(out)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    text=True,
                    errors="replace",
                    env=clean_environment(),
                ) as process,
            ):
                for line in process.stdout:
                    show(f"peers: {name}, {line.strip()}")
            if process.returncode:
                reason = _last_line(errors.read_text(encoding="utf-8", errors="replace"))
                found.failures.append(f"{name} ended with exit code {process.returncode}: {reason}")
            told = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"rows": (), "failures": ()}
            found.failures += told["failures"]
            for row in told["rows"]:
                _row(found, ours, {**row, "library": told["library"], "version": told["version"]})
        except (OSError, KeyError, ValueError) as error:
            found.failures.append(f"{name}: {error}")


def python_with(module: str) -> Path | None:
    """Return the first Python of the PATH, or this one, that has a module and numpy; None if there is none."""
    ask = f"import sys; from importlib.util import find_spec; sys.exit(not (find_spec({module!r}) and find_spec('numpy')))"
    for python in _pythons():
        try:
            done = subprocess.run([str(python), "-c", ask], capture_output=True, stdin=subprocess.DEVNULL, env=clean_environment())
        except OSError:
            continue
        if done.returncode == 0:
            return python
    return None


def _pythons() -> Iterator[Path]:
    """Yield each Python of the PATH once, in its order, then this one."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    candidates = [folder / name for folder in folders for name in ("python3", "python")]
    seen = set()
    for path in [*candidates, Path(sys.executable)]:
        # Links are not resolved: the Python of a virtual environment is a link to one that has other packages.
        if path not in seen and os.access(path, os.X_OK) and path.is_file():
            seen.add(path)
            yield path


def clean_environment() -> dict[str, str]:
    """Return this environment without the Python packages that scripts/carry has brought for our own scripts."""
    there = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = os.pathsep.join(folder for folder in there if folder and Path(folder) != CARRIED / "site")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**environment, "PYTHONPATH": kept} if kept else environment


def _last_line(text: str) -> str:
    return (text.strip() or "it said nothing").splitlines()[-1]


def _dedented(text: str) -> str:
    """Return a region's text without the indentation of its first line."""
    indent = len(text) - len(text.lstrip(" "))
    return "\n".join(line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in text.splitlines())
