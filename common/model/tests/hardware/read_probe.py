#!/usr/bin/env python3
"""Put the output of access_probe, feature_probe and texture_probe under Nsight Compute into a table of the counts of one GPU.

    nvcc -std=c++20 -O3 -arch=native -o access_probe access_probe.cu
    ncu --clock-control none --csv --page raw --print-units base --metrics $(./read_probe.py --metrics "shared load" …) \\
        ./access_probe > probe.txt
    ./read_probe.py probe.txt --table h200_access.json --driver 580.159.04 --toolkit "CUDA 13.0" --date 2026-11-20 …

access_probe runs the families "shared load" to "global store" at once. feature_probe and texture_probe take one family and operation:
``./feature_probe "local store"``. The program's own lines, one a launch, and the rows of the CSV come mixed in probe.txt; they are joined
by their order. Several files are repetitions or other families: they must agree in every count of a common case. Rows of
the table that are measured anew are replaced, others are added. A case that the model is known to get wrong is listed under "open" in the
table by hand. Exit code 1, with one line: a file that is not a whole run, or an open case without a row.
"""

import argparse
import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path

# By family, the counts of a case, each the sum of some counters. Other accesses of its kernel go to other counters.
METRICS = {
    "shared load": {"wavefronts": ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]},
    "shared store": {"wavefronts": ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]},
    "global load": {
        "requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        "sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    },
    "global store": {
        "requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
        "sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    },
    "shared_atomic": {
        "wavefronts": ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
        "load_wavefronts": ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    },
    "global_atomic": {
        "requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
        "sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
    },
    "local": {
        "store_requests": ["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"],
        "store_sectors": ["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
    },
    "constant": {"requests_of_constant_cache": ["idc__requests.sum"]},
    "texture": {"requests": ["l1tex__t_requests_pipe_tex.sum"], "sectors": ["l1tex__t_sectors_pipe_tex.sum"]},
    "async_copy": {
        "global_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        "global_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        "shared_wavefronts": ["sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"],
    },
}
COLUMNS = ["space or family", "op", "bytes", "pattern", "active", "offsets", "counts"]
KEY_COLUMNS = 5
PROVENANCE = ["driver", "toolkit", "profiler", "date", "command"]
# A copy of two sides has 64 offsets: where the lanes read, and where they write.
CASE = re.compile(r"([a-z_0-9]+) ([a-z_0-9]+) (1|2|4|8|16) (\S+) ([0-9a-f]{8})((?: \d+){32}(?:(?: \d+){32})?)")


class BadProbe(Exception):
    """The input is not the output of a whole run. The message says why."""


def metrics_of(space, operation):
    """The counts of a case by name; None if the line is no case."""
    return METRICS.get(space) or METRICS.get(f"{space} {operation}")


def key_of(row):
    """The name of a case in the list of open cases: its line without the offsets."""
    return " ".join(str(part) for part in row[:KEY_COLUMNS])


def count_of(launch, metrics, name):
    """A count of a launch, as an integer."""
    texts = [launch.get(metric) for metric in metrics]
    if not all(texts):
        raise BadProbe(f"{name}: launch {launch.get('ID')} has no value of {metrics[0]}; take the metrics that --metrics prints")
    return sum(int(text.replace(",", "")) for text in texts)


def read_run(text, name):
    """One run's rows by the names of their cases, and its first CSV row, which describes the GPU."""
    lines = re.sub(r"==(PROF|WARNING)==[^\n]*\n", "\n", text).splitlines()
    cases = [found.groups() for found in map(CASE.fullmatch, lines) if found and metrics_of(*found.group(1, 2))]
    # The first row below the column names holds units.
    launches = list(csv.DictReader(line for line in lines if line.startswith('"')))[1:]
    if not cases or len(cases) != len(launches):
        raise BadProbe(f"{name}: {len(cases)} cases, {len(launches)} profiled launches; one launch for each case is needed")
    rows = {}
    for (space, operation, size, pattern, active, offsets), launch in zip(cases, launches, strict=True):
        counts = [count_of(launch, metrics, name) for metrics in metrics_of(space, operation).values()]
        row = [space, operation, int(size), pattern, active, [int(offset) for offset in offsets.split()], counts]
        rows[key_of(row)] = row
    return rows, launches[0]


def put_runs(table, runs, provenance):
    """Puts the rows of runs, each a pair of text and name, into a table, and the given parts of the provenance."""
    rows, times = {}, Counter()
    for text, name in runs:
        measured, launch = read_run(text, name)
        for key, row in measured.items():
            if row != rows.setdefault(key, row):
                raise BadProbe(f"{name}: {key!r} has the counts {row[-1]}, in a file before it has {rows[key][-1]}")
        times.update(measured.keys())
    all_rows = {key_of(row): row for row in table["rows"]} | rows
    if unknown := [case for case in table["open"]["cases"] if case not in all_rows]:
        raise BadProbe(f"open case {unknown[0]!r} is not among the cases of the table")
    gpu = {"gpu": launch.get("device__attribute_display_name", "unknown"), "compute_capability": launch.get("CC", "unknown")}
    table["provenance"] |= gpu | provenance | {"runs": max(times.values())}
    table["counts"] = {row[0]: list(metrics_of(*row[:2])) for row in all_rows.values()}
    table["rows"] = list(all_rows.values())


def write_table(table):
    """The table as JSON with one line for each row."""
    one_line = {key: json.dumps(value) for key, value in table.items()}
    one_line["rows"] = "[" + ",".join("\n " + json.dumps(row, separators=(",", ":")) for row in table["rows"]) + "\n]"
    return "{\n" + ",\n".join(f'"{key}": {text}' for key, text in one_line.items()) + "\n}\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Put profiled runs of the probes into a table.")
    parser.add_argument(
        "--metrics", nargs="+", choices=METRICS, metavar="FAMILY", help="print the metrics of families to give to ncu, and stop"
    )
    parser.add_argument("runs", nargs="*", type=Path, help="what ncu and the program printed")
    parser.add_argument("--table", type=Path, help="the table to put the rows into; it is made if it does not exist")
    for name in PROVENANCE:
        parser.add_argument(f"--{name}", help=f"the {name} of the run, for the record")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(",".join(sorted({metric for family in options.metrics for metrics in METRICS[family].values() for metric in metrics})))
        return 0
    if not options.runs or not options.table:
        parser.error("give at least one run and --table")
    given = {name: getattr(options, name) for name in PROVENANCE if getattr(options, name)}
    made = dict.fromkeys(PROVENANCE, "unknown")
    table = {"schema": 1, "provenance": made, "columns": COLUMNS, "counts": {}, "open": {"note": "", "cases": []}, "rows": []}
    try:
        if options.table.exists():
            table |= json.loads(options.table.read_text(encoding="utf-8"))
        runs = [(path.read_text(encoding="utf-8"), path.name) for path in options.runs]
        put_runs(table, runs, given)
    except (BadProbe, OSError, ValueError) as error:
        print(f"read_probe: {error}", file=sys.stderr)
        return 1
    options.table.write_text(write_table(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
