# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The measurements of scripts/measure, and the files they end in. Runs in the virtual environment."""

from __future__ import annotations

import csv
import ctypes
import io
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
from pathlib import Path

from console import FAILED, NO_GPU, ROOT, USAGE, Stop, run_main, shown_path
from measure import PRESET, commit, parse

try:
    from evidence import RESULTS, chosen_chapters, parity, results, source, source_path
    from rich import box
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Table
except ModuleNotFoundError as missing:
    print(f"error: no Python package {missing.name} here; without --no-setup it is installed",
          file=sys.stderr)
    sys.exit(USAGE)

# The counters that the model's counts are checked against, by their key in a result file.
METRICS = {
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}

# What the table at the end needs.
WIDTH = 110

CLOCKS = {"sm_mhz": "clocks.sm", "memory_mhz": "clocks.mem"}


class NoCounters(Exception):
    """The GPU's counters cannot be read; the text says why in a few words."""


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
_ATTRIBUTES = {"L2_CACHE_SIZE": 38, "COMPUTE_CAPABILITY_MAJOR": 75, "COMPUTE_CAPABILITY_MINOR": 76}


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
    }


def parse_nvcc_version(text: str) -> str:
    """The toolkit's version in the output of `nvcc --version`, for example 13.0.88."""
    found = re.search(r"\bV(\d+\.\d+\.\d+)", text)
    if not found:
        raise Stop("nvcc --version names no version")
    return found.group(1)


def parse_ncu_version(text: str) -> str:
    """The profiler and its version in the output of `ncu --version`."""
    found = re.search(r"\bVersion (\d+(?:\.\d+){1,2})", text)
    return f"Nsight Compute {found.group(1)}" if found else "Nsight Compute"


def toolkit_version(build: Path) -> str:
    """The version of the nvcc that a build folder was configured with."""
    cache = build / "CMakeCache.txt"
    found = re.search(
        r"^CMAKE_CUDA_COMPILER:\w+=(.+)$",
        cache.read_text(encoding="utf-8") if cache.exists() else "", re.MULTILINE,
    )
    if not found:
        raise Stop(f"{build} is not configured with CUDA; build the preset {PRESET}, or give --build-dir")
    try:
        done = subprocess.run([found.group(1), "--version"], capture_output=True, text=True)
    except OSError as error:
        raise Stop(f"cannot run {found.group(1)}: {error.strerror}") from error
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
    wanted = f"/{slug}/{slug}.cu"
    try:
        entries = json.loads(commands.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Stop(f"cannot read {commands}: {error}; configure with a preset") from error
    for entry in entries:
        compiler = entry["command"].split()[0]
        if entry["file"].endswith(wanted) and Path(compiler).name.startswith("nvcc"):
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


def parse_ncu(text: str, kernel: str, launches: int | None) -> dict[str, int]:
    """The six counters of one kernel in the output of `ncu --csv`: the sums of all its launches.

    Raises NoCounters, as well if there is no launch, or not as many as `launches` says.
    """
    if "ERR_NVGPUCTRPERM" in text:
        raise NoCounters("this user may not read the GPU's counters (ERR_NVGPUCTRPERM)")
    problem = re.search(r"^==ERROR== (.+)$", text, re.MULTILINE)
    if problem:
        raise NoCounters(problem.group(1).strip())
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    table = "\n".join(line for line in lines[start:] if line.startswith('"')) if start is not None else ""
    values: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(io.StringIO(table)):
        if re.split(r"[<(]", row["Kernel Name"])[0].split()[-1].split("::")[-1] == kernel:
            values.setdefault(row["ID"], {})[row["Metric Name"]] = row["Metric Value"]
    if len(values) != (launches or max(len(values), 1)):
        raise NoCounters(f"ncu saw {len(values)} launches of {kernel}, wanted {launches or 'at least 1'}")
    counters = dict.fromkeys(METRICS, 0)
    for launch in values.values():
        for key, metric in METRICS.items():
            text = launch.get(metric, "nothing").replace(",", "")
            try:
                number = float(text)
            except ValueError:
                raise NoCounters(f"ncu answered {text} for {metric}") from None
            if not number.is_integer():
                raise NoCounters(f"ncu answered {text} for {metric}, which is not a whole number")
            counters[key] += int(number)
    return counters


def read_counters(ncu: str, program: Path, kernel: str, size: str, launches: int | None) -> dict[str, int]:
    """The GPU's counters for a kernel's `launches` at a size, or however many there are. Raises NoCounters."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        done = subprocess.run(
            [ncu, "--clock-control", "none", "--metrics", ",".join(METRICS.values()), "--csv",
             "--print-units", "base", "--log-file", str(log), "--kernel-name", kernel,
             str(program), "--no-timing", "--kernel", kernel, "--size", size],
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if "==ERROR==" not in text:
        text += "\n" + "\n".join(
            line for line in (done.stdout + done.stderr).splitlines() if line.startswith("==ERROR==")
        )
    counters = parse_ncu(text, kernel, launches)
    if done.returncode:
        raise NoCounters(f"ncu ended with exit code {done.returncode}")
    return counters


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
    if options.name != "local":
        words += ["--name", options.name]
    return shlex.join(words)


def measure_chapter(session: Session, slug: str, show) -> dict:
    """Measures one chapter and returns its result; `show` is told of each stage before it begins."""
    program = session.build / "chapters" / slug / f"{slug}_gpu"
    if not program.exists():
        raise Stop(f"{shown_path(program)} is not there; build the preset {PRESET}, or give --build-dir")
    text = source.read_source(source_path(slug))
    flags = compiler_flags(session.build, slug)
    toolkit = toolkit_version(session.build)
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
        counters = None
        if at_counted_size and session.ncu:
            show(f"counters of {row['kernel']}")
            try:
                launches = counts.get("launches", 1) if counts else None
                counters = read_counters(session.ncu, program, row["kernel"], row["size"], launches)
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
        })

    profiled = any(row["counters"] for row in rows)
    result = {
        "schema": 1,
        "slug": slug,
        "machine": session.name,
        "provenance": {
            "gpu": device["name"],
            "cpu": host_processor(),
            "driver": query_smi(["driver_version"])["driver_version"],
            "toolkit": toolkit,
            "compiler_flags": flags,
            "compute_capability": device["compute_capability"],
            "l2_bytes": device["l2_bytes"],
            "memory_bytes": device["memory_bytes"],
            "clocks_before": before,
            "clocks_after": after,
            "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "commit": session.commit,
            "seed": timed["seed"],
            "profiler": profiler_name(session.ncu) if profiled else None,
            "command": session.command,
        },
        "kernels": {
            kernel: {"hash": source.kernel_hash(text, kernel, source_path(slug))}
            for kernel in kernels
        },
        "rows": rows,
    }
    try:
        results.validate_result(result, f"the result of {slug}")
    except results.ResultError as error:
        raise Stop(str(error)) from error
    return result


def profiler_name(ncu: str) -> str:
    done = subprocess.run([ncu, "--version"], capture_output=True, text=True)
    return parse_ncu_version(done.stdout)


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
        for row in result["rows"]:
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
            measured[slug] = measure_chapter(session, slug, lambda stage: show(slug, stage))
            write_json(session.folder / f"{slug}.json", measured[slug])
    out.print(table(measured))
    for line in session.notes:
        out.print(line, markup=False)
    differing = [line for result in measured.values() for line in differences(result)]
    compared = sum(bool(row["counters"] and row["model"]) for r in measured.values() for row in r["rows"])
    for line in differing:
        out.print(line, markup=False, soft_wrap=True)
    out.print(f"Counters against the model: {compared} launches compared, {len(differing)} differences")
    out.print(f"Results: {shown_path(session.folder)}", soft_wrap=True)
    return FAILED if differing else 0


if __name__ == "__main__":
    run_main(main)
