#!/usr/bin/env python3
"""Compares the model's counts for the programs of ../programs with the counters of a GPU, launch by launch.

    ncu --clock-control none --cache-control all --csv --print-units base --metrics $(./program_counters.py --metrics) PROGRAM > NAME.csv
    ./program_counters.py --read NAME.csv … --table TABLE.json     puts the counters of each file into the table
    ./program_counters.py --reports FOLDER --table TABLE.json      compares FOLDER/NAME.json, the model's reports

A difference that is known stands under "open" in the table with its reason; every other one is an error, and so is an open entry without a
difference. Exit code 0: equal, except for the open ones; 1: a finding, or a file cannot be understood.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "common" / "python"))

from conflict_free.measuring.counters import COMPARED, NoCounters, gpu_counts, model_counts, parse_launches


def read(path):
    """The counters of the launches in ncu's output, without counters that are 0."""
    launches = parse_launches(path.read_text(encoding="utf-8"))
    if not launches:
        raise NoCounters("there is no launch in it")
    return [{"kernel": launch.kernel, **{key: n for key, n in gpu_counts(launch).items() if n}} for launch in launches]


def differences(launches, report):
    """Each count of a program in which the model and the GPU differ: its name, and both numbers."""
    kernels = report["kernels"]
    if len(kernels) != len(launches):
        yield "launches", len(kernels), len(launches)
        return
    for number, (kernel, launch) in enumerate(zip(kernels, launches, strict=True)):
        for key, counted in model_counts(kernel).items():
            if counted != launch.get(key, 0):
                yield f"{number} {launch['kernel']} {key}", counted, launch.get(key, 0)


def compare(table, folder):
    """One line for each finding."""
    for program, launches in table["programs"].items():
        report = json.loads((folder / f"{program}.json").read_text(encoding="utf-8"))
        is_open = table["open"].get(program, {})
        found = {name: (counted, measured) for name, counted, measured in differences(launches, report)}
        for name in found.keys() - is_open.keys():
            yield "{}: {}: the model counts {}, the GPU {}".format(program, name, *found[name])
        for name in is_open.keys() - found.keys():
            yield f"{program}: {name}: listed as open, but the model counts what the GPU does"


def write_table(table):
    """The table as JSON with one line for each launch."""
    programs = ",\n".join(
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"   {json.dumps(launch)}" for launch in launches) + "\n  ]"
        for name, launches in table["programs"].items()
    )
    return (
        f' {{\n "provenance": {json.dumps(table["provenance"])},\n "open": {json.dumps(table["open"], indent=1)},\n'
        f' "programs": {{\n{programs}\n }}\n}}\n'
    ).lstrip()


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Hold the counts of programs against those of a GPU.")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to give to ncu, and stop")
    parser.add_argument("--read", nargs="+", type=Path, default=[], help="what ncu printed, in files named after the programs")
    parser.add_argument("--reports", type=Path, help="the folder with the model's reports")
    parser.add_argument("--table", type=Path, help="the table of the GPU's counters")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(",".join(sorted({metric for _, metrics in COMPARED.values() for metric in metrics})))
        return 0
    if not options.table or bool(options.read) == bool(options.reports):
        parser.error("give --table, and --read or --reports")
    try:
        table = json.loads(options.table.read_text(encoding="utf-8"))
        if options.read:
            for path in options.read:
                table["programs"][path.stem] = read(path)
            options.table.write_text(write_table(table), encoding="utf-8")
            return 0
        findings = list(compare(table, options.reports))
    except (NoCounters, OSError, ValueError, KeyError) as error:
        print(f"program_counters: {error}", file=sys.stderr)
        return 1
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
