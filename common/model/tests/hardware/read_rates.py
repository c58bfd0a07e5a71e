#!/usr/bin/env python3
"""Turns the cycles of rates.cu on a GPU, and the model's counts of the same program, into the table of rates of the lower bound.

    nvcc -std=c++20 -O3 -lineinfo -cudart shared -gencode "arch=compute_90a,code=[sm_90a,compute_90a]" -o rates rates.cu
    ncu --clock-control none --csv --print-units base --metrics $(./read_rates.py --metrics) --log-file rates1.csv ./rates
    scripts/conflict-free run --budget 600 --json counts.json ./rates
    ./read_rates.py counts.json rates1.csv … --output common/model/rates.json --gpu "NVIDIA H200" --driver 580.159.04 …

Several files of ncu are repetitions; the fewest cycles count.
"""

import argparse
import csv
import json
import math
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

CYCLES = "sm__cycles_active.max"
PROVENANCE = ("gpu", "driver", "toolkit", "profiler", "date")
# Of the H200, as machines.cpp has them for sm_90.
MULTIPROCESSORS = 132
L2_BYTES = 60 << 20
# The highest clock of its multiprocessors, at which the rates are measured. L2 and DRAM have clocks of their own.
SM_MHZ = 1980


def _loaded_past_l1(kernel: dict[str, Any]) -> float:
    return kernel["global_load"]["sectors"] if kernel["name"].startswith(("l2_", "dram_")) else 0


def _in_dram(kernel: dict[str, Any]) -> float:
    if not kernel["name"].startswith("dram_"):
        return 0
    return kernel["work"]["loaded_sectors"] + kernel["work"]["stored_sectors"]


def _into_l2(work: dict[str, int]) -> int:
    return work["stored_sectors"] + work["partly_written_lines"]


# For each rate: what a kernel asks for, on one multiprocessor or on all, and whether multiprocessors share it.
_Amount = Callable[[dict[str, Any]], float]


def _of_multiprocessors(work: str) -> _Amount:
    return lambda kernel: kernel["work"]["sum"][work]


def _of_block(work: str) -> _Amount:
    return lambda kernel: kernel["work"]["most"][work]


RATES: dict[str, tuple[str, str, _Amount]] = {
    "wavefronts": ("multiprocessor", "wavefronts of the L1's data pipe", _of_multiprocessors("wavefronts")),
    "instructions": ("multiprocessor", "instructions of warps", _of_multiprocessors("instructions")),
    "double_precision": ("multiprocessor", "instructions of warps in double precision", _of_multiprocessors("double_precision")),
    "special_functions": ("multiprocessor", "approximate functions of warps", _of_multiprocessors("special_functions")),
    "tensor_cores": ("multiprocessor", "multiplications of 16-bit elements", _of_multiprocessors("tensor_multiplications")),
    "constant_words": ("multiprocessor", "words of constant memory that lanes of a load read", _of_multiprocessors("constant_words")),
    "multiprocessor_stores": ("multiprocessor", "sectors stored to the L2", _of_multiprocessors("stored_sectors")),
    "l2_stores": ("gpu", "sectors stored to the L2", lambda kernel: kernel["work"]["sum"]["stored_sectors"]),
    "l2_input": ("gpu", "cycles of the way into the L2", lambda kernel: _into_l2(kernel["work"]["sum"])),
    "l2_loads": ("gpu", "sectors loaded from the L2", _loaded_past_l1),
    "dram": ("gpu", "sectors between DRAM and the L2", _in_dram),
    "barriers": ("block", "barriers of a block", _of_block("barriers")),
    "loads_in_a_row": ("block", "loads that wait for one another", _of_block("loads_in_a_row")),
    "shared_loads_in_a_row": ("block", "loads of shared memory that wait for one another", _of_block("shared_loads_in_a_row")),
}


# Four schedulers issue an instruction a cycle each. A scheduler has 16 lanes for double precision, 4 for special functions, and a tensor
# core for 512 multiplications of 16-bit elements. A load of constants takes two cycles for each address, of 8 bytes at most. The parts of the L2 have 82 cycles of their own in one of a multiprocessor at its highest
# clock (lts__cycles_elapsed.sum). Kernels come close to these rates and never above them, so that the table has these rates in place of
# the measured ones.
LIMITS = {
    "instructions": 4.0,
    "double_precision": 2.0,
    "special_functions": 0.5,
    "tensor_cores": 2048.0,
    "constant_words": 1.0,
    "l2_input": 82.0,
}


class BadRates(Exception):
    """The input is not that of a whole run. The message says why."""


def read_cycles(texts: Iterable[str]) -> dict[str, int]:
    """Return the fewest cycles of each kernel in ncu's output of several runs."""
    cycles: dict[str, int] = {}
    for text in texts:
        for row in csv.DictReader(line for line in text.splitlines() if line.startswith('"')):
            if row["Metric Name"] == CYCLES:
                name, value = row["Kernel Name"].split("(")[0], row["Metric Value"].replace(",", "")
                if not value.isdigit():
                    raise BadRates(f"{name}: ncu answered {value} for {CYCLES}")
                cycles[name] = min(int(value), cycles.get(name, int(value)))
    return cycles


def rounded_up(rate: float) -> float:
    """Return a rate with three significant digits, rounded up: another kernel may come a little closer to the GPU's limit."""
    unit = 10.0 ** (math.floor(math.log10(rate)) - 2)
    return float(f"{math.ceil(rate / unit) * unit:.3g}")


def make_table(report: dict[str, Any], cycles: dict[str, int], provenance: dict[str, str]) -> dict[str, Any]:
    """Return the best rate of each kind, and the kernel that reached it. Raises BadRates if a kernel has no cycles, or was not counted."""
    rates: dict[str, dict[str, Any]] = {}
    for kernel in report["kernels"]:
        name = kernel["name"].split("(")[0]
        if name not in cycles:
            raise BadRates(f"{name}: counted by the model, and not measured")
        if "counted_blocks" in kernel:
            raise BadRates(f"{name}: {kernel['counted_blocks']} of {kernel['blocks']} blocks counted; give conflict-free a larger --budget")
        for rate, (per, what, amount) in RATES.items():
            sharers = min(kernel["blocks"], MULTIPROCESSORS) if per == "multiprocessor" else 1
            reached = amount(kernel) / sharers / cycles[name]
            if reached > rates.get(rate, {"per_cycle": 0})["per_cycle"]:
                rates[rate] = {"per": per, "what": what, "per_cycle": reached, "kernel": name, "cycles": cycles[name]}
    for name, rate in rates.items():
        if rate["per_cycle"] > LIMITS.get(name, math.inf):
            raise BadRates(f"{rate['kernel']}: {rate['per_cycle']:.3f} {rate['what']} a cycle, and a multiprocessor has {LIMITS[name]}")
        rate["per_cycle"] = LIMITS.get(name, rounded_up(rate["per_cycle"]))
    gpu = {"machine": report["machine"], "multiprocessors": MULTIPROCESSORS, "l2_bytes": L2_BYTES, "sm_mhz": SM_MHZ}
    return {"provenance": provenance, **gpu, "rates": {rate: rates[rate] for rate in RATES}}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Turn a profiled run of rates.cu into the table of rates.")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to give to ncu, and stop")
    parser.add_argument("counts", nargs="?", type=Path, help="the model's report")
    parser.add_argument("runs", nargs="*", type=Path, help="what ncu wrote")
    parser.add_argument("--output", type=Path, help="the table to write")
    for name in PROVENANCE:
        parser.add_argument(f"--{name}", default="unknown", help=f"the {name} of the run, for the record")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(CYCLES)
        return 0
    if not options.counts or not options.runs or not options.output:
        parser.error("give a report, at least one run, and --output")
    try:
        report = json.loads(options.counts.read_text(encoding="utf-8"))
        cycles = read_cycles(path.read_text(encoding="utf-8") for path in options.runs)
        table = make_table(report, cycles, {name: getattr(options, name) for name in PROVENANCE})
    except (BadRates, OSError) as error:
        print(f"read_rates: {error}", file=sys.stderr)
        return 1
    options.output.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
