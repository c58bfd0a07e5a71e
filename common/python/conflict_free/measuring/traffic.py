"""The GPU's counters of memory traffic and of issue slots, at sizes that are timed. Standard library only.

Each launch is profiled alone, behind caches that are empty: data that an earlier launch has left in the L2 are read from memory again, and
written data that stay in the L2 are no write to memory.
"""

import re
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from .counters import CACHES, METRICS, NoCounters, parse_launches, run_ncu

# The names of a counter in versions of ncu, newest GPUs last, by its key in a result file.
TRAFFIC = {
    "dram_read_bytes": ("dram__bytes_read.sum", "dram__bytes_op_read.sum"),
    "dram_write_bytes": ("dram__bytes_write.sum", "dram__bytes_op_write.sum"),
    "dram_cycles": ("dram__cycles_elapsed.sum",),
    "dram_cycles_active": ("dram__cycles_active.sum",),
    "l2_load_hit_sectors": ("lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",),
    "l2_fabric_cycles_active": ("lts__ltcfabric2ltc_cycles_active.sum",),
    "l2_cycles": ("lts__cycles_elapsed.sum",),
    "l2_input_cycles_active": ("lts__xbar2lts_cycles_active.sum",),
    "l1_wavefronts": ("l1tex__data_pipe_lsu_wavefronts.sum",),
    "shared_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",),
    "instructions": ("smsp__inst_executed.sum",),
    "instructions_issued": ("smsp__inst_issued.sum",),
    "issue_slots_taken": ("smsp__issue_active.sum",),
    "issue_slots": ("smsp__cycles_elapsed.sum",),
    "cycles": ("sm__cycles_elapsed.max",),
} | {key: (metric,) for key, metric in (METRICS | CACHES).items()}

# Counters of parts that only some GPUs have: an L2 in two halves, with a link between them.
OF_SOME_GPUS = {"l2_fabric_cycles_active"}

# A kernel and a size.
Run = tuple[str, str]


@dataclass
class Traffic:
    """The counters of runs, each the sum over the launches of a run, and a line for each counter that ncu does not have."""

    rows: dict[Run, dict[str, int]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def read_traffic(ncu: str, program: str, runs: list[Run]) -> Traffic:
    """Return the counters of a chapter program's runs, which are in its order, size by size.

    A counter that this ncu or this GPU does not know is left out, with a line that names it unless it is one of OF_SOME_GPUS.
    Raises NoCounters if no counter is known, or for any other reason.
    """
    traffic = Traffic()
    names = {key: list(metrics) for key, metrics in TRAFFIC.items()}
    while names:
        try:
            for batch in _batches(runs):
                traffic.rows |= _profile(ncu, program, batch, {key: left[0] for key, left in names.items()})
            return traffic
        except NoCounters as reason:
            unknown = [key for key, left in names.items() if re.search(rf"\b{left[0].split('.')[0]}\b", str(reason))]
            if not unknown:
                raise
            for key in unknown:
                names[key].pop(0)
                if not names[key]:
                    if key not in OF_SOME_GPUS:
                        traffic.missing.append(f"no {key}: {reason}")
                    del names[key]
    raise NoCounters("ncu knows none of the counters of traffic")


def _batches(runs: list[Run]) -> list[list[Run]]:
    """Return the groups of runs that one call of ncu can tell apart: all runs, or those of one size if a kernel would follow itself."""
    if all(one[0] != other[0] for one, other in pairwise(runs)):
        return [runs]
    return [list(same) for _, same in groupby(runs, key=lambda run: run[1])]


def _profile(ncu: str, program: str, runs: list[Run], metrics: dict[str, str]) -> dict[Run, dict[str, int]]:
    """Return the counters of each run from one call of ncu. Raises NoCounters if other kernels run, or in another order."""
    kernels, sizes = (dict.fromkeys(run[i] for run in runs) for i in (0, 1))
    command = [
        program,
        "--no-timing",
        *(word for kernel in kernels for word in ("--kernel", kernel)),
        *(word for size in sizes for word in ("--size", size)),
    ]
    launches = parse_launches(run_ncu(ncu, command, f"regex:^({'|'.join(kernels)})$", metrics.values()))
    groups = [(kernel, list(same)) for kernel, same in groupby(launches, key=lambda launch: launch.kernel)]
    seen, wanted = [kernel for kernel, _ in groups], [kernel for kernel, _ in runs]
    if seen != wanted:
        raise NoCounters(f"ncu saw launches of {', '.join(seen) or 'nothing'}; wanted {', '.join(wanted)}, in this order")
    return {
        run: {key: sum(launch.number(metric) for launch in same) for key, metric in metrics.items()} for run, (_, same) in zip(runs, groups)
    }
