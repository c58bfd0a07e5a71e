"""The metrics of a row: sizes, rates, counts and their ratios. A GB is 10**9 bytes; times are milliseconds a launch."""

import json
import math
import re
from typing import Any

from conflict_free.counts import GROUPS, MEASURES, NUMBERS

from .names import COUNTED_SIZE, PEERS, SCHEMAS, SECTOR_BYTES, SPECIMENS, SPEED_WORDS, ResultError

#: The unit of work of a product: a multiplication or an addition of two numbers.
FLOP = "FLOP"

_SIZE = re.compile(r"([1-9][0-9]*|0(?=x))(?:x([1-9][0-9]*))?\Z")


def parse_size(text: str) -> str:
    """Return ``WxH`` for ``N`` or ``WxH``. Raises ResultError for anything else."""
    match = _SIZE.match(text)
    if match is None:
        raise ResultError(f"size {text!r} is not N or WxH with positive integers")
    return f"{match[1]}x{match[2] or match[1]}"


def pretty_size(size: str) -> str:
    """Return a size for readers: ``2048 × 2048``, or ``1,000`` for the length of an array."""
    width, height = size.split("x")
    return f"{int(width):,}" if height == "1" and width != "1" else f"{width} × {height}"


def is_of_arrays(data: dict[str, Any]) -> bool:
    """Return whether a result or a program's output is about arrays: a size is then a length."""
    return all(row["height"] == 1 for row in data["rows"])


def area(row: dict[str, Any]) -> int:
    """Return the number of elements of a row, which orders sizes."""
    return row["width"] * row["height"]


def counted_size(data: dict[str, Any], kernel: str) -> str:
    """Return the size at which a kernel's counts are shown, and compared with the counters of a GPU.

    This is the size that the chapter names, or the kernel's largest if the kernel does not run at that size. ``data`` is the output
    of a chapter program. Raises ResultError for an unknown kernel.
    """
    rows = [row for row in data["rows"] if row["kernel"] == kernel]
    if not rows:
        known = ", ".join(dict.fromkeys(row["kernel"] for row in data["rows"]))
        raise ResultError(f"no kernel {kernel!r} in the counts of chapter {data['slug']}; it has: {known or 'none'}")
    wanted = data.get("counted_size", COUNTED_SIZE)
    return wanted if any(row["size"] == wanted for row in rows) else max(rows, key=area)["size"]


def failures(row: dict[str, Any]) -> list[str]:
    """Return the failures of a row that a chapter's program has found, a line each: its output, and its expectations on counts."""
    where = f"{row['kernel']} at {pretty_size(row['size'])}"
    found = [] if row["check"]["passed"] else [f"{where} is wrong: {row['check']['message']}"]
    for judged in row["expectations"]:
        if not judged["passed"]:
            found.append(f"{where} does not have {judged['text']}: it is {format_number(judged['seen'])}")
    return found


def sample(row: dict[str, Any], state: str = "cold") -> dict[str, Any]:
    """Return the times of a row, ``state`` cold or warm. A row of the host, or of several GPUs, has one time, which
    counts as cold.

    Raises ResultError for the warm time of such a row.
    """
    for only, where in (("host", "on the host"), ("ranks", "on several GPUs")):
        if only in row["time"]:
            if state == "warm":
                raise ResultError(f"{row['kernel']} at {row['size']} ran {where}, and has no warm time")
            return row["time"][only]
    return row["time"][state]


def gbps(row: dict[str, Any], state: str = "cold", which: str = "median_ms") -> float:
    """Return GB/s (10**9 bytes a second) of a row: its useful bytes over its time in ``state``, cold or warm."""
    return row["bytes"] / sample(row, state)[which] / 1e6


def rate_unit(row: dict[str, Any]) -> tuple[str, str]:
    """Return the metric of a row's speed, and its unit for readers."""
    if not row.get("work"):
        return "gbps", "GB/s"
    unit = row["work"]["unit"]
    return ("tflops", "TFLOP/s") if unit == FLOP else ("billions_per_second", f"billion {unit}/s")


def work_rate(row: dict[str, Any], state: str = "cold", which: str = "median_ms") -> float:
    """Return the units of a row's work a second: 10**12 floating-point operations, or 10**9 of any other unit.

    Raises ResultError if the unit of work is the byte.
    """
    if not row.get("work"):
        raise ResultError(f"{row['kernel']} at {row['size']} has no unit of work but bytes; its metric is gbps")
    return row["work"]["amount"] / sample(row, state)[which] / (1e9 if row["work"]["unit"] == FLOP else 1e6)


#: Lanes of all instructions that a multiprocessor issues in a cycle: one instruction from each of four schedulers.
LANES_ISSUED_PER_CYCLE = 4 * 32


def issue_limit(result: dict[str, Any], row: dict[str, Any]) -> float:
    """Return the most 10**9 pairs a second that a kernel could compare if only its inner loop were issued.

    The clock is the one measured while the row ran. Raises ResultError if the result lacks the clock, the multiprocessors or the
    instructions.
    """
    entry = result["kernels"].get(row["kernel"], {})
    per_pair, multiprocessors = entry.get("instructions_per_pair"), result["provenance"].get("multiprocessors")
    if not (per_pair and multiprocessors and row.get("sm_mhz")):
        raise ResultError(
            f"{row['kernel']} at {row['size']} has no issue limit: it takes instructions_per_pair of the kernel, "
            f"multiprocessors of the provenance and sm_mhz of the row"
        )
    return multiprocessors * LANES_ISSUED_PER_CYCLE * row["sm_mhz"] / per_pair / 1e3


def rate(row: dict[str, Any], state: str = "cold") -> float:
    """Return a row's speed, in the unit of rate_unit()."""
    return work_rate(row, state) if row.get("work") else gbps(row, state)


def speed(row: dict[str, Any], state: str = "cold", spec: str = "") -> str:
    """Return a row's speed in a format of Python: GB/s without the unit, and other work with it, such as Gpairs/s."""
    unit = f" {rate_unit(row)[1].replace('billion ', 'G')}" if row.get("work") else ""
    return format_number(rate(row, state), spec) + unit


#: The number of pieces of a transpose across GPUs, for measurements that set it.
PIECES = (3, 4, 5, 6, 8)

#: Readings while launches of a row follow one another: the clock of the multiprocessors, and the power of the GPU.
GAUGES = ("sm_mhz", "watts")

#: The six counters of a result: its key, the kind of access, the model's count.
COUNTERS = {
    "shared_load_wavefronts": ("shared_load", "wavefronts"),
    "shared_store_wavefronts": ("shared_store", "wavefronts"),
    "global_load_requests": ("global_load", "requests"),
    "global_store_requests": ("global_store", "requests"),
    "global_load_sectors": ("global_load", "sectors"),
    "global_store_sectors": ("global_store", "sectors"),
}

#: Counters of a row by their keys, in words for a message on a missing one. A row with traffic has all of them.
COUNTED = {"caches": "counters of the caches", "counters": "counters", "traffic": "counters of its traffic"}

_IN_SCHEMA = json.loads((SCHEMAS / "schema.json").read_text(encoding="utf-8"))["$defs"]
#: The counters of a GPU that the schema of results has, as metrics of a row: those of its traffic, unless it has them at every size.
COUNTERS_OF_GPU = {
    name: ("", kind)
    for kind, described in (
        ("traffic", _IN_SCHEMA["row"]["properties"]["traffic"]),
        ("caches", _IN_SCHEMA["row"]["properties"]["caches"]),
        ("counters", _IN_SCHEMA["counters"]),
    )
    for name in described["properties"]
}

#: Metrics of a measured row: the state, and the value taken from it.
MEASURED = {
    "gbps": ("cold", "gbps"),
    "ms": ("cold", "median_ms"),
    "p10_ms": ("cold", "p10_ms"),
    "p90_ms": ("cold", "p90_ms"),
    "samples": ("cold", "samples"),
    "percent_of_memcpy": ("cold", "percent"),
    "billions_per_second": ("cold", "rate"),
    "warm_gbps": ("warm", "gbps"),
    "warm_billions_per_second": ("warm", "rate"),
    "tflops": ("cold", "rate"),
    "warm_tflops": ("warm", "rate"),
    "warm_ms": ("warm", "median_ms"),
    "warm_p10_ms": ("warm", "p10_ms"),
    "warm_p90_ms": ("warm", "p90_ms"),
    "warm_percent_of_memcpy": ("warm", "percent"),
    "fits_l2": ("", "fits_l2"),
    "bytes": ("", "bytes"),
    **{gauge: ("", "own") for gauge in GAUGES},
    "error": ("", "figures"),
    "link_bytes": ("", "figures"),
    "link_data_kib": ("", "figures"),
    "link_raw_kib": ("", "figures"),
    **{f"gbps_in_{pieces}_pieces": ("", "figures") for pieces in PIECES},
    "error_bound": ("", "figures"),
    "instructions_per_pair": ("", "instructions"),
    "issue_limit_billions_per_second": ("", "issue_limit"),
    "percent_of_issue_limit": ("cold", "percent_of_issue_limit"),
    **COUNTERS_OF_GPU,
    "percent_of_dram_cycles": ("", "dram_cycles"),
    "percent_of_issue_slots": ("", "issue_slots"),
    "percent_of_shared_cycles": ("", "shared_cycles"),
    "percent_of_l2_input": ("", "l2_input"),
    "percent_of_l2_fabric": ("", "l2_fabric"),
}

#: Shares in percent: the counter of the part, and that of the whole.
SHARES = {
    "dram_cycles": ("dram_cycles_active", "dram_cycles"),
    "issue_slots": ("issue_slots_taken", "issue_slots"),
    "l2_fabric": ("l2_fabric_cycles_active", "l2_cycles"),
    "l2_input": ("l2_input_cycles_active", "l2_cycles"),
}

#: Metrics that only our kernels have, and no library.
OF_KERNELS = (*COUNTED, "figures", "instructions", "issue_limit", "percent_of_issue_limit", "shared_cycles", *SHARES)

#: Ratios of the counts of a kind of access, such as ``sectors_per_request`` and ``sectors_over_ideal``: over, under.
_PER = {
    **{f"{key}_per_{measure.one}": (key, measure.number) for measure in MEASURES.values() for key in measure.keys[1:]},
    **{f"{measure.cost}_over_ideal": (measure.cost, measure.ideal) for measure in MEASURES.values() if measure.ideal},
}


def access_metric(access: dict[str, Any], name: str) -> float:
    """Return a metric of one kind of access (``global_load``, …): a raw count, ``bytes_moved``, or a ratio of counts.

    Raises ResultError for an unknown name, or for a ratio over zero.
    """
    if name in _PER:
        over, under = _PER[name]
        if over in access and under in access:
            if access[under] == 0:
                raise ResultError(f"{name} asks for a ratio over {under}, and there are none")
            return access[over] / access[under]
    elif name == "bytes_moved" and "sectors" in access:
        return access["sectors"] * SECTOR_BYTES
    elif isinstance(access.get(name), int):
        return access[name]
    known = [key for key, value in access.items() if isinstance(value, int)]
    known += [key for key, (over, under) in _PER.items() if over in access and under in access]
    if "sectors" in access:
        known.append("bytes_moved")
    raise ResultError(f"unknown metric {name!r} of an access; accepted: {', '.join(known)}")


def is_measured(expression: str) -> bool:
    """Return whether a key, a ratio or a comparison of keys depends on the measured GPU."""
    if any(f" {words} " in expression for words in SPEED_WORDS):
        return True
    keys = [word.split(".", 3) for word in expression.split() if not word.startswith("historical:")]
    return any(key[0] in ("machine", SPECIMENS) or len(key) == 4 and (key[1] == PEERS or key[3] in MEASURED) for key in keys)


#: The ending of a metric that is a count over the number of blocks.
OF_A_BLOCK = "_per_block"


def counts_metric(counts: dict[str, Any], name: str) -> float:
    """Return a metric of a launch's counts, e.g. ``barriers``, ``blocks`` or ``global_store.sectors_per_request``.

    A raw count of a kind of access with ``_per_block`` behind it, such as ``shared_load.wavefronts_per_block``, is that of one block.
    ``partitions_per_step.load`` and ``.store`` are the partitions of device memory that concurrent blocks
    use together, on average, on machines whose partitions are watched. Raises ResultError for an unknown name.
    """
    head, _, rest = name.partition(".")
    if head == "partitions_per_step" and rest in ("load", "store"):
        if "partitions" not in counts:
            raise ResultError(f"{name} is of machines whose partitions are watched, such as gt200")
        return counts["partitions"][rest]["mean"]
    if head in GROUPS and GROUPS[head].of(counts) and rest:
        total, of_a_block = rest.removesuffix(OF_A_BLOCK), rest.endswith(OF_A_BLOCK)
        return access_metric(GROUPS[head].of(counts), total) / (counts_metric(counts, "blocks") if of_a_block else 1)
    if name in (*NUMBERS, "shared_bytes"):
        if name not in counts:
            raise ResultError(f"no {name} in these counts")
        return counts[name]
    if name == "blocks":
        return counts.get("blocks", math.prod(counts["grid"]))
    if name == "launches":
        return counts.get("launches", 1)
    if name == "threads_per_block":
        return math.prod(counts["block"])
    if name == "threads":
        return math.prod(counts["grid"]) * math.prod(counts["block"])
    raise ResultError(
        f"unknown metric {name!r}; accepted: {', '.join((*MEASURED, *NUMBERS))}, shared_bytes, blocks, "
        f"launches, threads_per_block, threads, or one of {', '.join(GROUPS)} with a dot and its metric"
    )


def glance(counts: dict[str, Any]) -> dict[str, float | None]:
    """Return the main counts of a launch; None for counts that are missing.

    ``load_sectors`` and ``store_sectors`` are those of one request to global memory, ``wavefronts`` those of one instruction on shared
    memory, and ``conflicts`` all conflicts of loads and stores.
    """
    shared = [counts[key] for key in ("shared_load", "shared_store")]
    instructions = sum(access["instructions"] for access in shared)

    def sectors(access: dict[str, Any]) -> float | None:
        return access["sectors"] / access["requests"] if access["requests"] else None

    return {
        "load_sectors": sectors(counts["global_load"]),
        "store_sectors": sectors(counts["global_store"]),
        "wavefronts": sum(access["wavefronts"] for access in shared) / instructions if instructions else None,
        "conflicts": sum(access["conflicts"] for access in shared) if instructions else None,
    }


def format_number(number: float, spec: str = "") -> str:
    """Return a number for readers in a format of Python, or without one by the rule of the book.

    The rule: integers in full with thousands separated, all other numbers to three significant digits.
    A percentage has a no-break space before its sign. Raises ResultError for a format that does not fit.
    """
    if spec:
        try:
            return format(number, spec).replace("%", "\u00a0%")
        except ValueError as error:
            raise ResultError(f"format {spec!r} does not fit {number!r}: {error}") from None
    if isinstance(number, bool) or float(number).is_integer():
        return f"{int(number):,}"
    decimals = max(0, 2 - math.floor(math.log10(abs(number))))
    return f"{number:,.{decimals}f}"
