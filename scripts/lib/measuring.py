# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The measurements of scripts/measure, and the files they end in. Runs in the virtual environment."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from console import FAILED, NO_GPU, ROOT, USAGE, Stop, run_main, shown_path
from counters import NoCounters, profiler_name, read_counters, read_with_caches
from measure import PRESET, commit, parse
from sass import NoSass, find_cuobjdump, instructions_per_pair, read_sass

try:
    import peer_rows
    from evidence import CHAPTERS, RESULTS, SPECIMENS, chosen_chapters, parity, results, source, source_path
    from rich import box
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table
except ModuleNotFoundError as missing:
    print(f"error: no Python package {missing.name} here; without --no-setup it is installed",
          file=sys.stderr)
    sys.exit(USAGE)

# What the table at the end needs.
WIDTH = 110

# The unit of work whose instructions are counted.
PAIRS = "pairs"

CLOCKS = {"sm_mhz": "clocks.sm", "memory_mhz": "clocks.mem"}


# --- tools of the machine ----------------------------------------------------------------------


def parse_smi(text: str, names: list[str]) -> dict[str, str]:
    """One line of `nvidia-smi --query-gpu=... --format=csv,noheader,nounits`, by field."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    values = [value.strip() for value in line.split(",")]
    if len(values) != len(names):
        raise Stop(f"nvidia-smi answered {line!r}; wanted {len(names)} values: {', '.join(names)}")
    return dict(zip(names, values))


def query_smi(names: list[str]) -> dict[str, str]:
    """Fields of the GPU that the chapter programs use."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip() or "0"
    done = subprocess.run(
        ["nvidia-smi", "-i", visible, f"--query-gpu={','.join(names)}",
         "--format=csv,noheader,nounits"],
        capture_output=True, text=True,
    )
    if done.returncode:
        raise Stop(f"nvidia-smi failed: {(done.stdout + done.stderr).strip().splitlines()[-1:]}")
    return parse_smi(done.stdout, names)


def clocks() -> dict[str, int]:
    """The GPU's clocks now, in MHz; 0 where the driver does not tell."""
    found = query_smi(list(CLOCKS.values()))
    return {
        key: int(found[field]) if found[field].isdigit() else 0 for key, field in CLOCKS.items()
    }


def host_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The host's processor, and how many of its cores the programs may use."""
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*:\s*(\S.*?)\s*$", text, re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    return f"{found.group(1) if found else 'a processor that does not tell its name'}, {cores} cores"


# Attributes of cuDeviceGetAttribute, by their names in cuda.h without CU_DEVICE_ATTRIBUTE_.
_ATTRIBUTES = {"MULTIPROCESSOR_COUNT": 16, "L2_CACHE_SIZE": 38, "COMPUTE_CAPABILITY_MAJOR": 75, "COMPUTE_CAPABILITY_MINOR": 76}


def query_device() -> dict:
    """The device that the chapter programs use, by the driver: nvidia-smi does not tell the size of the L2."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Stop(f"cannot ask the driver about the GPU: {error}") from error

    def call(name: str, *arguments) -> None:
        code = getattr(cuda, name)(*arguments)
        if code:
            raise Stop(f"cannot ask the driver about the GPU: {name} answered {code}")

    device, memory, text = ctypes.c_int(), ctypes.c_size_t(), ctypes.create_string_buffer(256)
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDeviceGetName", text, len(text), device)
    call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
    found = {}
    for name, number in _ATTRIBUTES.items():
        value = ctypes.c_int()
        call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        found[name] = value.value
    return {
        "name": text.value.decode(),
        "compute_capability": f"{found['COMPUTE_CAPABILITY_MAJOR']}.{found['COMPUTE_CAPABILITY_MINOR']}",
        "l2_bytes": found["L2_CACHE_SIZE"],
        "memory_bytes": memory.value,
        "multiprocessors": found["MULTIPROCESSOR_COUNT"],
    }


def parse_nvcc_version(text: str) -> str:
    """The toolkit's version in the output of `nvcc --version`, for example 13.0.88."""
    found = re.search(r"\bV(\d+\.\d+\.\d+)", text)
    if not found:
        raise Stop("nvcc --version names no version")
    return found.group(1)


def compiler(build: Path) -> Path:
    """The nvcc that a build folder was configured with."""
    cache = build / "CMakeCache.txt"
    found = re.search(
        r"^CMAKE_CUDA_COMPILER:\w+=(.+)$",
        cache.read_text(encoding="utf-8") if cache.exists() else "", re.MULTILINE,
    )
    if not found:
        raise Stop(f"{build} is not configured with CUDA; build the preset {PRESET}, or give --build-dir")
    return Path(found.group(1))


def toolkit_version(build: Path) -> str:
    """The version of the nvcc that a build folder was configured with."""
    nvcc = compiler(build)
    try:
        done = subprocess.run([str(nvcc), "--version"], capture_output=True, text=True)
    except OSError as error:
        raise Stop(f"cannot run {nvcc}: {error.strerror}") from error
    return parse_nvcc_version(done.stdout)


# Options of a compile command that say where files are, not how they are compiled.
_WITH_VALUE = {"-o", "-c", "-x", "-MT", "-MF", "-I", "-isystem", "--options-file"}
_ALONE = {"-MD", "-MMD", "-forward-unknown-to-host-compiler"}


def flags_of(command: str) -> str:
    """The flags of a compile command without compiler, files and folders."""
    kept, words = [], iter(shlex.split(command)[1:])
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif word.startswith("-") and word not in _ALONE and not re.match("-I|-isystem", word) \
                and not re.search(r"(^|[=\"'])/", word):
            kept.append(word)
    return " ".join(kept)


def compiler_flags(build: Path, slug: str) -> str:
    """The flags with which nvcc compiled a chapter in a build folder."""
    commands = build / "compile_commands.json"
    # Specimens are many programs, compiled alike.
    wanted = re.compile(rf"/{slug}/{'.+' if slug == SPECIMENS else slug}[.]cu$")
    try:
        entries = json.loads(commands.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Stop(f"cannot read {commands}: {error}; configure with a preset") from error
    for entry in entries:
        compiler = entry["command"].split()[0]
        if wanted.search(entry["file"]) and Path(compiler).name.startswith("nvcc"):
            return flags_of(entry["command"])
    raise Stop(f"{commands} has no command of nvcc for {slug}.cu")


# --- chapter programs --------------------------------------------------------------------------


def run_program(program: Path, *arguments: str) -> dict:
    """Runs a chapter program with --json and returns what it wrote, validated."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        words = [str(program), *arguments, "--json", str(out)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Stop(f"cannot run {shown_path(program)}: {error.strerror}") from error
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
            raise Stop(
                f"{program.name} ended with exit code {done.returncode}: {said}",
                NO_GPU if done.returncode == NO_GPU else FAILED,
            )
        try:
            return results.load_program(out)
        except results.ResultError as error:
            raise Stop(f"{program.name} --json: {error}") from error


def model_counts(build: Path, counts: Path | None, slug: str, sizes: list[str]) -> dict | None:
    """What the model counted for a chapter: from the folder of --counts, or by running the program at `sizes`.

    None if there is neither.
    """
    if counts:
        try:
            return results.load_program(counts / f"{slug}.json")
        except results.ResultError as error:
            raise Stop(f"--counts: {error}") from error
    program = build / "chapters" / slug / f"{slug}_model"
    if not program.exists():
        return None
    return run_program(program, *(word for size in sizes for word in ("--size", size)))


def six(counts: dict) -> dict[str, int]:
    """A launch's counts under the names of a result file's counters."""
    return {
        f"{space}_{what}": counts[space][what]
        for space, whats in (("shared_load", ["wavefronts"]), ("shared_store", ["wavefronts"]),
                             ("global_load", ["requests", "sectors"]),
                             ("global_store", ["requests", "sectors"]))
        for what in whats
    }


# --- counters ----------------------------------------------------------------------------------


def differences(result: dict) -> list[str]:
    """Where the GPU's counters are not the model's counts, and are not known to differ, a line each."""
    exceptions = parity.load_exceptions(RESULTS)
    return [
        f"{row['kernel']} at {row['size']}: {finding}"
        for row in result["rows"] if row["counters"] and row["model"]
        for finding in parity.compare(result["slug"], row["kernel"], row["counters"], row["model"], exceptions)
    ]


# --- results -----------------------------------------------------------------------------------


def write_json(path: Path, data: dict) -> None:
    """Writes a file whole or not at all."""
    new = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(new, path)
    except OSError as error:
        raise Stop(f"cannot write {shown_path(path)}: {error.strerror}") from error
    finally:
        new.unlink(missing_ok=True)


def check_writable(folder: Path) -> None:
    """Finds out before the first measurement that results cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Stop(f"cannot write to {shown_path(folder)}: {error.strerror}") from error


@dataclass
class Session:
    """One call of scripts/measure: what it was asked for, and what it has to say at the end."""

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

    def note(self, text: str) -> None:
        """Keeps a line for the end, once."""
        if text not in self.notes:
            self.notes.append(text)


def command_line(options) -> str:
    """The command that was given, without the options that name places on this machine."""
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


def measure_chapter(session: Session, slug: str, show) -> dict:
    """Measures one chapter and returns its result; `show` is told of each stage before it begins."""
    program = session.build / "chapters" / slug / f"{slug}_gpu"
    why = program.with_name("not_built.txt")
    if why.exists():
        raise Stop(why.read_text(encoding="utf-8").strip(), NO_GPU)
    if not program.exists():
        raise Stop(f"{shown_path(program)} is not there; build the preset {PRESET}, or give --build-dir")
    text = source.read_source(source_path(slug))
    device = query_device()

    show("times")
    before = clocks()
    samples = ["--samples", str(session.samples)] if session.samples else []
    timed = run_program(program, *samples)
    after = clocks()
    if 0 in (*before.values(), *after.values()):
        session.note("nvidia-smi does not tell all clocks; 0 stands for those")

    kernels = dict.fromkeys(row["kernel"] for row in timed["rows"] if not row["reference"])
    counted_at = {kernel: results.counted_size(timed, kernel) for kernel in kernels}

    show("counts of the model")
    model = model_counts(session.build, session.counts, slug, list(dict.fromkeys(counted_at.values())))
    if model is None:
        session.note(f"no {slug}_model in the build folder and no --counts: no counts of the model")
    counted = {
        (row["kernel"], row["size"]): row["counts"]
        for row in (model or {"rows": ()})["rows"] if row["counts"]
    }

    rows = []
    for row in timed["rows"]:
        at_counted_size = counted_at.get(row["kernel"]) == row["size"]
        counts = counted.get((row["kernel"], row["size"])) if at_counted_size else None
        counters = caches = None
        if at_counted_size and session.ncu:
            show(f"counters of {row['kernel']}")
            try:
                launches = counts.get("launches", 1) if counts else None
                command = [str(program), "--no-timing", "--kernel", row["kernel"], "--size", row["size"]]
                counters, caches = read_with_caches(session.ncu, command, row["kernel"], launches)
            except NoCounters as reason:
                session.note(f"no counters for {row['kernel']}: {reason}")
        rows.append({
            **{key: row[key] for key in ("kernel", "size", "width", "height", "element_bytes",
                                         "bytes", "work", "reference") if key in row},
            "fits_l2": row["bytes"] <= device["l2_bytes"],
            "check": row["check"],
            "time": row["time"],
            "counters": counters,
            "model": six(counts) if counts else None,
            **({"caches": caches} if caches else {}),
            **{key: row[key] for key in ("sm_mhz", "figures") if row.get(key)},
        })

    profiled = any(row["counters"] for row in rows)
    hashes = {kernel: source.kernel_hash(text, kernel, source_path(slug)) for kernel in kernels}
    told = provenance(session, device, slug, (before, after), timed["seed"], profiled)
    result = whole_result(session, slug, told, hashes, rows)
    if any((row.get("work") or {}).get("unit") == PAIRS for row in rows):
        show("instructions")
        add_instructions(session, program, device, result["kernels"])
    return result


def add_instructions(session: Session, program: Path, device: dict, kernels: dict[str, dict]) -> None:
    """Adds to each kernel that compares pairs of points how many machine instructions a pair takes."""
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


def provenance(
    session: Session, device: dict, slug: str, clocks_around: tuple[dict, dict], seed: int, profiled: bool
) -> dict:
    """Where a result comes from."""
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
    """The content of a result file, validated."""
    result = {
        "schema": 1,
        "slug": slug,
        "machine": session.name,
        "provenance": told,
        "kernels": {kernel: {"hash": hashed} for kernel, hashed in hashes.items()},
        "rows": rows,
    }
    try:
        results.validate_result(result, f"the result of {slug}")
    except results.ResultError as error:
        raise Stop(str(error)) from error
    return result


# --- peers -------------------------------------------------------------------------------------


def add_peers(session: Session, slug: str, result: dict, show) -> dict:
    """The result of a chapter with what its peers took; without them if what they told is not valid."""
    peers = peer_rows.measure_peers(session.build, slug, result, session.samples, show)
    for line in peers.absent:
        session.note(line)
    session.failures += [f"{slug}: {line}" for line in peers.failures]
    whole = {**result, "peers": peers.rows} if peers.rows else result
    try:
        results.validate_result(whole, f"the peers of {slug}")
    except results.ResultError as error:
        session.failures.append(str(error))
        return result
    return whole


def says_peers_are_dropped(session: Session, slug: str) -> None:
    """Notes that a file's peers go, since all times of a file are of one run."""
    path = session.folder / f"{slug}.json"
    try:
        had = "peers" in json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if had:
        session.note(f"{slug}.json had times of libraries, which are of another run, and are gone; --peers takes them anew")


# --- specimens ---------------------------------------------------------------------------------


def parse_figures(text: str, name: str) -> dict[str, float]:
    """The lines `figure NAME NUMBER` of what a specimen has said."""
    figures = {}
    for key, number in re.findall(r"^figure (\w+) (\S+)$", text, re.MULTILINE):
        try:
            figures[key] = float(number)
        except ValueError:
            raise Stop(f"{name} says that {key} is {number}, which is no number") from None
    return figures


def measure_specimens(session: Session, show) -> dict:
    """Measures the programs that show errors, as their chapter lists them, and returns their result."""
    folder = session.build / "chapters" / SPECIMENS
    listing = folder / "measured.json"
    try:
        wanted = json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Stop(f"cannot read {shown_path(listing)}: {error}; build the preset {PRESET}") from error
    device, before = query_device(), clocks()
    hashes, rows, profiled = {}, [], False
    for name, metrics in wanted.items():
        show(name)
        program, path = folder / f"{SPECIMENS}_{name}_gpu", CHAPTERS / SPECIMENS / f"{name}.cu"
        try:
            done = subprocess.run([str(program)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Stop(f"cannot run {shown_path(program)}: {error.strerror}") from error
        # 1 says that the output is wrong, as it is in some.
        if done.returncode not in (0, 1):
            raise Stop(f"{program.name} ended with exit code {done.returncode}: {done.stderr.strip()}")
        figures = parse_figures(done.stdout, program.name)
        if metrics and session.ncu:
            try:
                keys = {metric.replace(".", "_"): metric for metric in metrics}
                figures |= read_counters(session.ncu, [str(program)], name, 1, keys)
                profiled = True
            except NoCounters as reason:
                session.note(f"no counters for {name}: {reason}")
        if not figures:
            session.note(f"{name} has no figures")
            continue
        hashes[name] = source.kernel_hash(source.read_source(path), name, path)
        rows.append({
            "kernel": name, "size": "1x1", "width": 1, "height": 1, "element_bytes": 4, "bytes": 0,
            "reference": False, "fits_l2": True, "check": {"passed": True, "message": ""}, "time": None,
            "counters": None, "model": None, "figures": figures,
        })
    if not rows:
        raise Stop("no specimen has a figure")
    told = provenance(session, device, SPECIMENS, (before, clocks()), 0, profiled)
    return whole_result(session, SPECIMENS, told, hashes, rows)


@contextmanager
def stages(out: Console, slugs: list[str]) -> Iterator:
    """Yields what to call with a slug and a stage: a progress bar on a terminal, else a line each."""
    if not out.is_terminal:
        started = time.monotonic()
        yield lambda slug, stage: out.print(f"[{time.monotonic() - started:6.1f} s] {slug}: {stage}", markup=False)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task("", total=len(slugs))
        yield lambda slug, stage: progress.update(
            task, completed=slugs.index(slug), description=f"{slug}: {stage}"
        )


def table(measured: dict[str, dict]) -> Table:
    """What was measured: one line for each kernel and size."""
    copy = measured.get(results.CEILING_SLUG, {"rows": ()})["rows"]
    ceiling = {row["size"]: row for row in copy if row["kernel"] == results.CEILINGS[1]}
    shown = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("kernel", no_wrap=True)
    shown.add_column("size", justify="right", no_wrap=True)
    for title in ("cold\nGB/s", "cold\n% of copy", "warm\nGB/s", "cold, ms\np10 to p90", "fits\nL2"):
        shown.add_column(title, justify="right", no_wrap=True)
    for result in measured.values():
        for row in result["rows"] + results.peer_rows(result):
            if not row["time"]:
                continue
            cold = results.sample(row)
            base = None if row.get("work") else ceiling.get(row["size"])
            shown.add_row(
                row["kernel"], row["size"], results.speed(row, spec=",.1f"),
                f"{100 * results.gbps(row) / results.gbps(base):.1f}" if base else "-",
                results.speed(row, "warm", ",.1f") if "warm" in row["time"] else "-",
                f"{cold['p10_ms']:.4f} to {cold['p90_ms']:.4f}", "yes" if row["fits_l2"] else "no",
            )
        shown.add_section()
    return shown


def main() -> int:
    options = parse(sys.argv[1:])
    slugs = chosen_chapters(options.chapter)
    session = Session(
        build=options.build_dir or ROOT / "build" / PRESET,
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
            measure = measure_specimens if slug == SPECIMENS else partial(measure_chapter, slug=slug)
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
                # The kernels' own results are safe by now, whatever a library does.
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
    for line in session.failures:
        out.print(line, markup=False, soft_wrap=True)
    if options.peers:
        compared = sum(len(results.peer_rows(result)) for result in measured.values())
        out.print(f"Peers: {compared} times of libraries, {len(session.failures)} failures")
    out.print(f"Results: {shown_path(session.folder)}", soft_wrap=True)
    return FAILED if differing or session.failures else 0


if __name__ == "__main__":
    run_main(main)
