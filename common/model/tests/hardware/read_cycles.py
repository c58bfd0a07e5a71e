#!/usr/bin/env python3
"""Puts the cycles of launches of other people's programs into the table that the lower bound is compared with.

    scripts/conflict-free run --launches 1 --json FOLDER/NAME.json PROGRAM …
    ncu --clock-control none --cache-control none --csv --print-units base --metrics $(./read_cycles.py --metrics) \
        --launch-count 200 --log-file FOLDER/NAME.csv PROGRAM …
    ./read_cycles.py FOLDER --source NAME=REPOSITORY@COMMIT … --table h200_cycles.json --gpu "NVIDIA H200" …

With --launches 1 the model counts the first launch of each kernel and configuration, and its cycles are those of the first that ncu saw.
The table has only the counts that the bound needs. A program that is in the table already is replaced. Programs of others are not in this
repository, and their names say where they come from. A chapter's program, run under the model with --json, is measured likewise, at a size
that is too large to be counted in each build; its place begins with chapters/.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "common" / "python"))

from conflict_free.counting.bound import certain_work
from conflict_free.measuring.counters import COMPARED, Launch, NoCounters, csv_rows, gpu_counts, model_counts, parse_launches

CYCLES = "sm__cycles_active.max"
METRICS = sorted({CYCLES, *(metric for _, metrics in COMPARED.values() for metric in metrics)})
PROVENANCE = ("gpu", "driver", "toolkit", "profiler", "date")
OF_THE_BOUND = ("blocks", "counted_blocks", "stopped", "work")


#: A kernel's name without arguments, and its grid and block: x, y, z.
Configuration = tuple[str, tuple[int, ...], tuple[int, ...]]


def short(name: str) -> str:
    return re.split(r"[<(]", name)[0].split()[-1].split("::")[-1]


def first_launches(text: str) -> dict[Configuration, list[Launch]]:
    """Return the first launch of each instance of a template, by configuration. Raises NoCounters if ncu reports an error."""
    first: dict[Configuration, dict[str, Launch]] = {}
    rows = {row["ID"]: row for row in csv_rows(text)}
    for launch, row in zip(parse_launches(text), rows.values(), strict=True):
        grid, block = (tuple(map(int, re.findall(r"\d+", row[size]))) for size in ("Grid Size", "Block Size"))
        first.setdefault((launch.kernel, grid, block), {}).setdefault(row["Kernel Name"], launch)
    return {configuration: list(instances.values()) for configuration, instances in first.items()}


def kernels_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the counted launches of a report; those of a chapter's program, by ``--json``, are in its rows."""
    if "kernels" in report:
        return report["kernels"]
    return [{**row["counts"], "name": row["kernel"]} for row in report["rows"] if row["counts"]]


def launches_of(report: dict[str, Any], profiled: dict[Configuration, list[Launch]]) -> list[dict[str, Any]]:
    """Return an entry for each launch that is counted alone and profiled: its cycles, the bound's counts, and the counts that differ.

    ncu and the model write the arguments of templates in different ways. So the instances of a template are told apart by their order,
    if both have seen the same number of them.
    """
    instances: dict[Configuration, list[str]] = {}
    for kernel in kernels_of(report):
        names = instances.setdefault((short(kernel["name"]), tuple(kernel["grid"]), tuple(kernel["block"])), [])
        if kernel["name"] not in names:
            names.append(kernel["name"])
    found = []
    for kernel in kernels_of(report):
        configuration = (short(kernel["name"]), tuple(kernel["grid"]), tuple(kernel["block"]))
        names, launches = instances[configuration], profiled.get(configuration, [])
        if kernel["launches"] > 1 or len(names) != len(launches):
            continue
        launch = launches[names.index(kernel["name"])]
        whole = "counted_blocks" not in kernel and not kernel.get("stopped")
        counted, measured = model_counts(kernel), gpu_counts(launch)
        differ = {key: [number, measured[key]] for key, number in counted.items() if whole and number != measured[key]}
        entry = {"kernel": launch.kernel, "cycles": launch.number(CYCLES)} | {key: kernel[key] for key in OF_THE_BOUND if key in kernel}
        entry["work"] = certain_work(kernel)
        if "resources" in kernel:
            entry["resources"] = {"blocks": kernel["resources"]["blocks"]}
        found.append(entry | {"exact": kernel["exact"]} | ({"differ": differ} if differ else {}))
    return found


def write(table: dict[str, Any], path: Path) -> None:
    """Write a table, with a line for each launch."""
    programs = ",\n".join(
        f'  {json.dumps(name)}: {{"source": {json.dumps(program["source"])}, "launches": [\n'
        + ",\n".join(f"   {json.dumps(launch)}" for launch in program["launches"])
        + "\n  ]}"
        for name, program in sorted(table["programs"].items())
    )
    text = f'{{\n "provenance": {json.dumps(table["provenance"])},\n "programs": {{\n{programs}\n }}\n}}\n'
    path.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Put cycles of launches into the table that the lower bound is held against.")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to give to ncu, and stop")
    parser.add_argument("folder", nargs="?", type=Path, help="the folder with NAME.json and NAME.csv of each program")
    parser.add_argument("--source", action="append", default=[], metavar="NAME=PLACE", help="where a program comes from; repeatable")
    parser.add_argument("--table", type=Path, help="the table to write; programs in it that are not read again stay")
    for name in PROVENANCE:
        parser.add_argument(f"--{name}", default="unknown", help=f"the {name} of the run, for the record")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(",".join(METRICS))
        return 0
    if not options.folder or not options.table or not options.source:
        parser.error("give a folder, --table, and a --source for each program")
    table = json.loads(options.table.read_text(encoding="utf-8")) if options.table.exists() else {"programs": {}}
    table["provenance"] = {name: getattr(options, name) for name in PROVENANCE}
    failed = False
    for name, _, place in (source.partition("=") for source in options.source):
        try:
            report = json.loads((options.folder / f"{name}.json").read_text(encoding="utf-8"))
            launches = launches_of(report, first_launches((options.folder / f"{name}.csv").read_text(encoding="utf-8")))
            if not launches:
                raise NoCounters("no launch is counted and profiled")
            table["programs"][name] = {"source": place, "launches": launches}
        except (NoCounters, OSError, ValueError) as error:
            print(f"read_cycles: {name}: {error}", file=sys.stderr)
            failed = True
    write(table, options.table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
