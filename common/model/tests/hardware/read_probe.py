#!/usr/bin/env python3
"""Turns the output of access_probe under Nsight Compute into a table of the counts of one GPU.

    nvcc -arch=native -o access_probe access_probe.cu
    ncu --clock-control none --csv --page raw --metrics $(./read_probe.py --metrics) ./access_probe > probe.txt
    ./read_probe.py probe.txt --output TABLE.json --driver 580.159.04 --toolkit "CUDA 13.0" --date 2026-11-20 …

The program's own lines, one a launch, and the rows of the CSV come mixed in probe.txt; they are joined by their order.
Several files are repetitions of one run: they must agree in every count, and the table says how many there were. Cases that the model is known to get wrong are listed under
"open" in the table: write them there by hand. A list in the file that --output replaces is kept.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

# The counters of the access that a case is about. The other accesses of its kernel go to other counters.
METRICS = {
    ("shared", "load"): ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ("shared", "store"): ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    ("global", "load"): ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    ("global", "store"): ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
}
COLUMNS = ["space", "op", "bytes", "pattern", "active", "offsets", "counts"]
PROVENANCE = ["driver", "toolkit", "profiler", "date", "command"]
CASE = re.compile(r"(shared|global) (load|store) (4|8|16) (\S+) ([0-9a-f]{8})((?: \d+){32})")


class BadProbe(Exception):
    """The input is not the output of a whole run. The message says why."""


def count_of(row, metric, name):
    """One counter of a launch, as an integer."""
    text = row.get(metric)
    if not text:
        raise BadProbe(f"{name}: no value of {metric} for launch {row.get('ID')}; take the metrics that --metrics prints")
    return int(text.replace(",", ""))


def read_run(text, name):
    """One run's table rows, and its first CSV row, which describes the GPU."""
    cases = [found.groups() for found in map(CASE.fullmatch, text.splitlines()) if found]
    # The first row below the column names holds units.
    launches = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))[1:]
    if not cases or len(cases) != len(launches):
        raise BadProbe(f"{name}: {len(cases)} cases, {len(launches)} profiled launches; one launch for each case is needed")
    rows = []
    for (space, operation, size, pattern, active, offsets), launch in zip(cases, launches, strict=True):
        counts = [count_of(launch, metric, name) for metric in METRICS[space, operation]]
        rows.append([space, operation, int(size), pattern, active, [int(offset) for offset in offsets.split()], counts])
    return rows, launches[0]


def key_of(row):
    """The name of a case in the list of open cases: its line without the offsets."""
    return " ".join(str(part) for part in row[:5])


def read_open(path):
    """The open cases of an earlier table, or an empty list of them."""
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))["open"]
    return {"note": "", "cases": []}


def write_table(table):
    """The table as JSON with one line for each row and each open case."""
    one_line = {key: json.dumps(value) for key, value in table.items()}
    one_line["open"] = '{{\n  "note": {},\n  "cases": [{}]\n }}'.format(
        json.dumps(table["open"]["note"]), ",".join(f"\n   {json.dumps(case)}" for case in table["open"]["cases"])
    )
    rows = ",".join("\n  " + json.dumps(row, separators=(",", ":")) for row in table["rows"])
    one_line["rows"] = f"[{rows}\n ]"
    return "{\n" + ",\n".join(f' "{key}": {text}' for key, text in one_line.items()) + "\n}\n"


def make_table(runs, provenance, open_cases):
    """The table of the given runs, each a pair of text and name."""
    rows, launch = read_run(*runs[0])
    for text, name in runs[1:]:
        for first, again in zip(rows, read_run(text, name)[0], strict=True):
            if first != again:
                raise BadProbe(f"{name}: {key_of(again)!r} has the counts {again[-1]}, in {runs[0][1]} it has {first[-1]}")
    keys = {key_of(row) for row in rows}
    if unknown := [case for case in open_cases["cases"] if case not in keys]:
        raise BadProbe(f"open case {unknown[0]!r} is not among the cases of the run")
    gpu = launch.get("device__attribute_display_name", "unknown")
    return {
        "schema": 1,
        "provenance": {"gpu": gpu, "compute_capability": launch["CC"], **provenance, "runs": len(runs)},
        "columns": COLUMNS,
        "counts": {"shared": ["wavefronts"], "global": ["requests", "sectors"]},
        "open": open_cases,
        "rows": rows,
    }


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Turn a profiled run of access_probe into a table.")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to give to ncu, and stop")
    parser.add_argument("runs", nargs="*", type=Path, help="what ncu and the program printed")
    parser.add_argument("--output", type=Path, help="the table to write")
    for name in PROVENANCE:
        parser.add_argument(f"--{name}", default="unknown", help=f"the {name} of the run, for the record")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(",".join(sorted({metric for metrics in METRICS.values() for metric in metrics})))
        return 0
    if not options.runs or not options.output:
        parser.error("give at least one run and --output")
    provenance = {name: getattr(options, name) for name in PROVENANCE}
    try:
        runs = [(path.read_text(encoding="utf-8"), path.name) for path in options.runs]
        table = make_table(runs, provenance, read_open(options.output))
    except (BadProbe, OSError) as error:
        print(f"read_probe: {error}", file=sys.stderr)
        return 1
    options.output.write_text(write_table(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
