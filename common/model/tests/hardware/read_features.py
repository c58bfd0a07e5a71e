#!/usr/bin/env python3
"""Puts the output of feature_probe and texture_probe under Nsight Compute into a table of the counts of one GPU.

    nvcc -std=c++20 -O3 -arch=native -o feature_probe feature_probe.cu
    ncu --clock-control none --csv --page raw --print-units base --metrics $(./read_features.py --metrics FAMILY) \\
        ./feature_probe "FAMILY OPERATION" > probe.txt
    ./read_features.py probe.txt --table TABLE.json

Each file holds one run of ncu with one operation of one family. The program's own lines, one a launch, and the rows of the CSV are
joined by their order. Rows of the table that are measured anew are replaced, others are added. Exit code 1, with one line: a file
that is not a whole run.
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

# By family, the counts of a case, each the sum of some counters.
METRICS = {
    "shared_atomic": [
        ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
        ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ],
    "global_atomic": [
        ["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
        ["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
    ],
    "local": [["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"], ["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"]],
    "constant": [["idc__requests.sum"]],
    "texture": [["l1tex__t_requests_pipe_tex.sum"], ["l1tex__t_sectors_pipe_tex.sum"]],
    "async_copy": [
        ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        ["sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"],
    ],
}
# A copy of two sides has 64 offsets: where the lanes read, and where they write.
CASE = re.compile(r"([a-z_0-9]+) ([a-z_0-9]+) (1|2|4|8|16) (\S+) ([0-9a-f]{8})((?: \d+){32}(?:(?: \d+){32})?)")
KEY_COLUMNS = 5


class BadProbe(Exception):
    """The input is not the output of a whole run. The message says why."""


def counts_of(family, launch, name):
    """The counts of a launch, as integers."""
    values = []
    for metrics in METRICS[family]:
        texts = [launch.get(metric) for metric in metrics]
        if not all(texts):
            raise BadProbe(f"{name}: a launch has no value of {metrics[0]}; take the metrics that --metrics {family} prints")
        values.append(sum(int(text.replace(",", "")) for text in texts))
    return values


def read_run(text, name):
    """The rows of one run."""
    lines = [line for line in re.sub(r"==(PROF|WARNING)==[^\n]*\n", "\n", text).splitlines()]
    cases = [found.groups() for found in map(CASE.fullmatch, lines) if found and found[1] in METRICS]
    # The first row below the column names holds units.
    launches = list(csv.DictReader(line for line in lines if line.startswith('"')))[1:]
    if not cases or len(cases) != len(launches):
        raise BadProbe(f"{name}: {len(cases)} cases, {len(launches)} profiled launches; one launch for each case is needed")
    return [
        [family, operation, int(size), pattern, active, [int(offset) for offset in offsets.split()], counts_of(family, launch, name)]
        for (family, operation, size, pattern, active, offsets), launch in zip(cases, launches, strict=True)
    ]


def merge(table, rows):
    """Puts rows into a table, where they replace rows of the same case."""
    places = {tuple(row[:KEY_COLUMNS]): number for number, row in enumerate(table["rows"])}
    for row in rows:
        number = places.setdefault(tuple(row[:KEY_COLUMNS]), len(table["rows"]))
        table["rows"][number : number + 1] = [row]
    table["metrics"] = METRICS


def write_table(table):
    """The table as JSON with one line for each row."""
    one_line = {key: json.dumps(value) for key, value in table.items()}
    one_line["rows"] = "[" + ",".join("\n " + json.dumps(row, separators=(",", ":")) for row in table["rows"]) + "\n]"
    return "{\n" + ",\n".join(f'"{key}": {text}' for key, text in one_line.items()) + "\n}\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Put profiled runs of feature_probe and texture_probe into a table.")
    parser.add_argument("--metrics", choices=METRICS, metavar="FAMILY", help="print the metrics of a family to give to ncu, and stop")
    parser.add_argument("runs", nargs="*", type=Path, help="what ncu and the program printed")
    parser.add_argument("--table", type=Path, help="the table to put the rows into")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(",".join(metric for metrics in METRICS[options.metrics] for metric in metrics))
        return 0
    if not options.runs or not options.table:
        parser.error("give at least one run and --table")
    try:
        table = json.loads(options.table.read_text(encoding="utf-8"))
        for path in options.runs:
            merge(table, read_run(path.read_text(encoding="utf-8"), path.name))
    except (BadProbe, OSError, ValueError) as error:
        print(f"read_features: {error}", file=sys.stderr)
        return 1
    options.table.write_text(write_table(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
