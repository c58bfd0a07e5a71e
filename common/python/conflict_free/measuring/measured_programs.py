"""Programs of others: the model's counts beside the counters of a GPU, launch by launch. Standard library only.

    python measured_programs.py read LIST OUTPUT                    on a machine with a GPU and ncu
    python measured_programs.py compare COUNTERS REPORTS OUTPUT     anywhere

LIST is JSON: for each program its name, the folder to run it in, the program and its arguments. `read` profiles the first launches of each,
twice, and writes ncu's output. REPORTS is a folder with NAME.json of `conflict-free run --launches 1 --json` for each program. `compare`
writes for each program how many counts of first launches are equal, and which differ. A differing count has both of the GPU's numbers if
the GPU's own two runs differ in it.
"""

import argparse
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conflict_free.console import USAGE, OneLineParser, Stop, run_main, say

from .counters import COMPARED, Launch, NoCounters, csv_rows, model_counts, profiler

_LAUNCHES = 20  # launches of each program that ncu profiles
_SECONDS = 25  # seconds for each program under ncu
#: A kernel and how it was launched: its name without namespaces and template arguments, grid and block.
_Launched = tuple[str, tuple[int, ...], tuple[int, ...]]


# --- on the GPU ----------------------------------------------------------------------------------


def _profile(ncu: str, folder: Path, command: list[str]) -> dict[str, Any]:
    first, second = (_profile_once(ncu, folder, command) for _ in range(2))
    return {**first, "again": second["csv"]}


def _profile_once(ncu: str, folder: Path, command: list[str]) -> dict[str, Any]:
    metrics = sorted({metric for _, ours in COMPARED.values() for metric in ours})
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "ncu.csv"
        try:
            done = subprocess.run(
                [*profiler(ncu, metrics, log), "--launch-count", str(_LAUNCHES), *command],
                cwd=folder,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=_SECONDS,
                env={**os.environ, "LC_ALL": "C"},
            )
            ended = done.returncode
        except subprocess.TimeoutExpired:
            ended = None
        return {"rc": ended, "csv": log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""}


def _read(options: argparse.Namespace) -> int:
    ncu = shutil.which("ncu")
    if not ncu:
        raise Stop("no ncu on this machine", USAGE)
    found = {}
    for name, folder, program, arguments in json.loads(options.list.read_text(encoding="utf-8")):
        found[name] = _profile(ncu, Path(folder), [program, *arguments])
        say(f"{name}: exit code {found[name]['rc']}")
    with lzma.open(options.output, "wt", encoding="utf-8") as out:
        json.dump(found, out)
    return 0


# --- anywhere ------------------------------------------------------------------------------------


def short_name(kernel: str) -> str:
    """Return the name of a kernel without return type, namespaces, arguments and template arguments."""
    name = kernel.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    head = re.split(r"[<(]", name)[0].split()
    return head[-1].split("::")[-1] if head else name


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def first_launches(text: str) -> dict[_Launched, list[Launch]]:
    """Return the first launches in the output of `ncu --csv`, by kernel and configuration: one of each template instance, in order."""
    by_number: dict[str, tuple[_Launched, Launch]] = {}
    for row in csv_rows(text):
        key = short_name(row["Kernel Name"]), _sizes(row["Grid Size"]), _sizes(row["Block Size"])
        by_number.setdefault(row["ID"], (key, Launch(row["Kernel Name"], {})))[1].values[row["Metric Name"]] = row["Metric Value"]
    found: dict[_Launched, dict[str, Launch]] = defaultdict(dict)
    for key, launch in by_number.values():
        found[key].setdefault(launch.kernel, launch)
    return {key: list(instances.values()) for key, instances in found.items()}


def _counters(launch: Launch) -> dict[str, int]:
    """Return ncu's counters by the keys of COMPARED, without those that the launch lacks."""
    found = {}
    for key, (_, metrics) in COMPARED.items():
        try:
            found[key] = sum(launch.number(metric) for metric in metrics)
        except NoCounters:
            continue
    return found


def pairs(report: Mapping[str, Any], profiled: Mapping[_Launched, list[Launch]]) -> Iterator[tuple[Mapping[str, Any], Launch]]:
    """Yield a kernel of a report with the first launch of the same name and configuration; template instances in their order."""
    seen: dict[_Launched, int] = defaultdict(int)
    for kernel in report["kernels"]:
        key = short_name(kernel["name"]), tuple(kernel["grid"]), tuple(kernel["block"])
        if seen[key] < len(profiled.get(key, ())):
            yield kernel, profiled[key][seen[key]]
            seen[key] += 1


def compare(name: str, report: Mapping[str, Any], text: str, again: str = "") -> dict[str, Any]:
    """Return one program: its compared launches, the number of equal counts, and the counts that differ.

    ``text`` and ``again`` are ncu's output for two runs; the second may be missing.
    """
    found: dict[str, Any] = {"name": name, "launches": 0, "counts": 0, "equal": 0, "differences": []}
    second = {id(kernel): _counters(launch) for kernel, launch in pairs(report, first_launches(again))}
    for kernel, launch in pairs(report, first_launches(text)):
        found["launches"] += 1
        on_gpu_again = second.get(id(kernel), {})
        counted = model_counts(kernel)
        for key, on_gpu in _counters(launch).items():
            found["counts"] += 1
            found["equal"] += counted[key] == on_gpu
            if counted[key] != on_gpu:
                found["differences"].append(
                    {
                        "kernel": short_name(kernel["name"]),
                        "count": key,
                        "model": counted[key],
                        "gpu": on_gpu,
                        **({"gpu_again": on_gpu_again[key]} if on_gpu_again.get(key, on_gpu) != on_gpu else {}),
                        "marked": sorted({entry["why"] for entry in kernel["fused"]}) if not kernel["exact"] else [],
                    }
                )
    return found


def _compare(options: argparse.Namespace) -> int:
    with lzma.open(options.counters, "rt", encoding="utf-8") as file:
        read = json.load(file)
    programs = []
    for name, profiled in sorted(read.items()):
        path = options.reports / f"{name}.json"
        if path.exists():
            found = compare(name, json.loads(path.read_text(encoding="utf-8")), profiled["csv"], profiled.get("again", ""))
            programs += [found] if found["launches"] else []
    options.output.write_text(json.dumps({"gpu": options.gpu, "programs": programs}, indent=1) + "\n", encoding="utf-8")
    equal = sum(not each["differences"] for each in programs)
    marked = sum(bool(each["differences"]) and all(one["marked"] for one in each["differences"]) for each in programs)
    say(f"{len(programs)} programs: {equal} equal, {marked} where only marked kernels differ, {len(programs) - equal - marked} others")
    return 0


def main() -> int:
    parser = OneLineParser(prog="python measured_programs.py", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, parser_class=OneLineParser)
    reading, comparing = commands.add_parser("read"), commands.add_parser("compare")
    reading.add_argument("list", metavar="LIST", type=Path)
    reading.set_defaults(command=_read)
    comparing.add_argument("counters", metavar="COUNTERS", type=Path)
    comparing.add_argument("reports", metavar="REPORTS", type=Path)
    comparing.add_argument("--gpu", default="NVIDIA H200", help="what was measured")
    comparing.set_defaults(command=_compare)
    for each in (reading, comparing):
        each.add_argument("output", metavar="OUTPUT", type=Path)
    options = parser.parse_args(sys.argv[1:])
    return options.command(options)


if __name__ == "__main__":
    run_main(main)
