"""The fewest cycles that a launch can take on a GPU, from its counts. Standard library only.

For each resource of the GPU: the launch's demand, divided by the best rate that any kernel has reached. The largest of these numbers of
cycles is a lower bound. It is no estimate of a time: other things may take longer, and nothing is added up.

The busiest of S multiprocessors has at least 1/S of all work, at least the work of the busiest block, and, since one has ceil(B / S) of B
blocks, at least that many times the least work of a block. The same holds for the waits of blocks in the S places where blocks run at a
time.
"""

import copy
import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conflict_free.model_files import RATES

_SECTOR_BYTES = 32
#: A wavefront of the L1 has at most the sectors of a line of 128 bytes.
SECTORS_OF_WAVEFRONT = 4
#: Ends the notes on accesses that the model counts as ptxas joins them.
COUNTED_AS_JOINED = "the wide access is counted"


@functools.cache
def _rates() -> Mapping[str, Any]:
    return json.loads(RATES.read_text(encoding="utf-8"))


def clock_mhz() -> int:
    """Return the multiprocessors' clock at which the rates of the L2 and of DRAM hold: these two have clocks of their own."""
    return _rates()["sm_mhz"]


def multiprocessors() -> int:
    """Return the number of multiprocessors of the GPU whose rates are known."""
    return _rates()["multiprocessors"]


@dataclass(frozen=True)
class Resource:
    """A part of a GPU that limits launches: its key in the table of rates, its name, and the amount that a launch asks of it."""

    key: str
    name: str
    amount: Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class Bound:
    """The fewest cycles of a launch by resource, the largest number first. Resources that the launch does not use are left out."""

    cycles: Mapping[str, int]

    @property
    def cycles_at_least(self) -> int:
        """The fewest cycles that the launch takes; 0 if no resource limits it."""
        return next(iter(self.cycles.values()), 0)

    @property
    def limited_by(self) -> str:
        """The key of the resource that takes the most cycles; empty if no resource limits the launch."""
        return next(iter(self.cycles), "")

    @property
    def depends_on_clock(self) -> bool:
        """Whether all multiprocessors share the resource: at a lower clock it does more in each of their cycles."""
        return bool(self.cycles) and _rates()["rates"][self.limited_by]["per"] == "gpu"


def _of_busiest(kernel: Mapping[str, Any], work: str, places_of_multiprocessor: int = 1) -> float:
    """Return a lower bound, for any order of the blocks, on the work of the busiest multiprocessor, or of the busiest place for a block."""
    blocks = kernel.get("counted_blocks", kernel["blocks"])
    if not blocks:
        return 0
    places = min(multiprocessors() * max(places_of_multiprocessor, 1), blocks)
    # A report of an earlier version has fewer kinds of work.
    total, least, most = (kernel["work"][part].get(work, 0) for part in ("sum", "least", "most"))
    # Uncounted blocks may do anything, so the blocks of one place cannot be counted.
    rounds = math.ceil(blocks / places) if blocks == kernel["blocks"] and not kernel.get("stopped") else 0
    return max(total / places, most, rounds * least)


def _one_after_another(kernel: Mapping[str, Any], work: str) -> float:
    """Return a lower bound on the waits of blocks that run one after another. The machine code tells how many blocks run at a time."""
    return _of_busiest(kernel, work, kernel["resources"]["blocks"] if "resources" in kernel else kernel["blocks"])


def _into_l2(kernel: Mapping[str, Any]) -> float:
    """Return the cycles that the way into the L2 takes for stores: one for a sector, and another where a part of a sector is written."""
    work = kernel["work"]["sum"]
    return work["stored_sectors"] + work.get("partly_written_lines", 0)


def _past_l2(kernel: Mapping[str, Any]) -> float:
    """Return the sectors that the L2 cannot have held before the launch, nor keep after it."""
    held = _rates()["l2_bytes"] // _SECTOR_BYTES * kernel.get("launches", 1)
    return sum(max(kernel["work"][touched] - held, 0) for touched in ("loaded_sectors", "stored_sectors"))


#: All resources, from the lanes outward.
RESOURCES = (
    Resource("wavefronts", "wavefronts of the L1 and shared memory", lambda kernel: _of_busiest(kernel, "wavefronts")),
    Resource("instructions", "instructions", lambda kernel: _of_busiest(kernel, "instructions")),
    Resource("double_precision", "arithmetic in double precision", lambda kernel: _of_busiest(kernel, "double_precision")),
    Resource("special_functions", "special functions", lambda kernel: _of_busiest(kernel, "special_functions")),
    Resource("tensor_cores", "products of tensor cores", lambda kernel: _of_busiest(kernel, "tensor_multiplications")),
    Resource("constant_words", "different words of constant memory", lambda kernel: _of_busiest(kernel, "constant_words")),
    Resource("barriers", "barriers, one after another", lambda kernel: _one_after_another(kernel, "barriers")),
    Resource("loads_in_a_row", "loads that wait for one another", lambda kernel: _one_after_another(kernel, "loads_in_a_row")),
    Resource(
        "shared_loads_in_a_row",
        "loads of shared memory that wait for one another",
        lambda kernel: _one_after_another(kernel, "shared_loads_in_a_row"),
    ),
    Resource("multiprocessor_stores", "stores of the busiest multiprocessor", lambda kernel: _of_busiest(kernel, "stored_sectors")),
    Resource("l2_stores", "stores to the L2", lambda kernel: kernel["work"]["sum"]["stored_sectors"]),
    Resource("l2_input", "stores on the way into the L2", _into_l2),
    Resource("l2_loads", "first loads from the L2", lambda kernel: kernel["work"]["loaded_sectors"]),
    Resource("dram", "DRAM, past what the L2 holds", _past_l2),
)
NAMES = {resource.key: resource.name for resource in RESOURCES}


def uncertain_places(kernel: Mapping[str, Any]) -> set[str]:
    """Return the lines, each ``FILE:LINE``, at which a GPU may make fewer accesses than were counted, by the notes on the machine code."""
    if kernel.get("exact", True):
        return set()
    notes = (note for note in kernel.get("fused", ()) if note["line"] or note["ptx"])
    return {f"{note['file']}:{note['line']}" for note in notes if not note["why"].endswith(COUNTED_AS_JOINED)}


def certain_work(kernel: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the work of a launch without the accesses that a GPU may leave out. The shares of single blocks are then 0."""
    places = uncertain_places(kernel)
    lines = [line for line in kernel.get("lines", ()) if f"{line['file']}:{line['line']}" in places]
    if not lines:
        return kernel["work"]
    work = copy.deepcopy(kernel["work"])
    for line in lines:
        stores = line["op"] in ("store", "atomic")
        if line["space"] == "shared":
            gone = {"wavefronts": line["wavefronts"], "instructions": line["instructions"]}
        elif line["space"] == "global":
            gone = {"wavefronts": line["wavefronts"], "instructions": line["requests"], "stored_sectors": line["sectors"] if stores else 0}
            # Lines are not counted for each access. An access writes parts of at most as many lines as it moves sectors.
            gone["partly_written_lines"] = gone["stored_sectors"]
            touched = "stored_sectors" if stores else "loaded_sectors"
            work[touched] = max(work[touched] - line["sectors"], 0)
        elif line["space"] == "constant":
            gone = {"constant_words": line["words"]}
        else:
            continue
        for key, number in gone.items():
            work["sum"][key] = max(work["sum"].get(key, 0) - number, 0)
            work["least"][key] = work["most"][key] = 0
    return work


def bound_of(kernel: Mapping[str, Any], machine: str) -> Bound | None:
    """Return the bound of a launch in a report on `machine`; None where no rates are known, or the report has no `work`."""
    if "work" not in kernel:
        return None
    table = _rates()
    if machine != table["machine"]:
        return None
    kernel = {**kernel, "work": certain_work(kernel)}
    cycles = {each.key: math.floor(each.amount(kernel) / table["rates"][each.key]["per_cycle"]) for each in RESOURCES}
    return Bound(dict(sorted(((key, number) for key, number in cycles.items() if number), key=lambda item: -item[1])))


def with_largest_bound(kernels: Iterable[Mapping[str, Any]], machine: str) -> Mapping[str, Any]:
    """Return the launch with the highest bound."""
    bounds = ((bound_of(kernel, machine), kernel) for kernel in kernels)
    return max(bounds, key=lambda pair: pair[0].cycles_at_least if pair[0] else 0)[1]
