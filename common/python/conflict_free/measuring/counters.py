"""The GPU's own counters, read by ncu. Standard library only."""

import csv
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# The counters with which the model's counts are compared, by their key in a result file.
METRICS = {
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}

# Counters of the caches, which the model does not have: sectors of loads that the L1 had, and sectors that went between
# the L1 and the L2. A GPU that lacks one of these metrics is measured without them.
CACHES = {
    "l1_hit_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l2_load_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_store_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
}

_SHARED = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"

# The wavefronts of ldmatrix and stmatrix, which the model counts among loads and stores: they are added to the counters of METRICS.
MATRICES = {"shared_load_wavefronts": _SHARED.format("ldsm"), "shared_store_wavefronts": _SHARED.format("stsm")}

_COPIES = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"


def _in_l1(unit: str, *accesses: str) -> tuple[str, ...]:
    return tuple(f"l1tex__t_{unit}_pipe_{access}.sum" for access in accesses)


# How each of the model's counts is compared with counters, for any kernel: the sum of the first is that of the second. The model tells
# asynchronous copies (cp.async) from loads, and the GPU counts their reads among the loads of global memory; the GPU tells ldmatrix and
# stmatrix from loads and stores, and the model does not.
COMPARED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = (
    {
        "shared_load": (("shared_load.wavefronts",), (_SHARED.format("ld"), _SHARED.format("ldsm"))),
        "shared_store": (("shared_store.wavefronts",), (_SHARED.format("st"), _SHARED.format("stsm"))),
        "shared_atomic": (("shared_atomic.wavefronts",), (_SHARED.format("atom"),)),
        "async_copy": (("async_copy.shared.wavefronts",), (_COPIES,)),
    }
    | {
        f"{name}_{unit}": (tuple(f"{count}.{unit}" for count in counts), _in_l1(unit, *accesses))
        for name, counts, accesses in (
            ("global_load", ("global_load", "async_copy.global"), ("lsu_mem_global_op_ld",)),
            ("global_store", ("global_store",), ("lsu_mem_global_op_st",)),
            ("global_atomic", ("global_atomic",), ("lsu_mem_global_op_atom", "lsu_mem_global_op_red")),
            ("local_load", ("local_load",), ("lsu_mem_local_op_ld",)),
            ("local_store", ("local_store",), ("lsu_mem_local_op_st",)),
        )
        for unit in ("requests", "sectors")
    }
    | {"texture_requests": (("texture_load.requests", "texture_store.requests"), _in_l1("requests", "tex"))}
)


def _count(kernel: dict, path: str) -> int:
    """Return a count of a kernel in the model's report; 0 if the report has no such group."""
    found: dict | int = kernel
    for word in path.split("."):
        found = found.get(word, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, int) else 0


def model_counts(kernel: dict) -> dict[str, int]:
    """Return the counts of a kernel in the model's report, by the keys of COMPARED."""
    return {key: sum(_count(kernel, path) for path in paths) for key, (paths, _) in COMPARED.items()}


def gpu_counts(launch: "Launch") -> dict[str, int]:
    """Return the counters of a launch, by the keys of COMPARED. Raises NoCounters if one was not read."""
    return {key: sum(launch.number(metric) for metric in metrics) for key, (_, metrics) in COMPARED.items()}


class NoCounters(Exception):
    """The GPU's counters cannot be read; the text gives the reason in a few words."""


def parse_ncu_version(text: str) -> str:
    """Return the profiler and its version in the output of `ncu --version`."""
    found = re.search(r"\bVersion (\d+(?:\.\d+){1,2})", text)
    return f"Nsight Compute {found.group(1)}" if found else "Nsight Compute"


def profiler_name(ncu: str) -> str:
    done = subprocess.run([ncu, "--version"], capture_output=True, text=True)
    return parse_ncu_version(done.stdout)


@dataclass(frozen=True)
class Launch:
    """A profiled launch: its kernel's name, and ncu's value of each metric."""

    kernel: str
    values: dict[str, str]

    def number(self, metric: str) -> int:
        """Return a metric as a whole number. Raises NoCounters if the value is not one, or was not read."""
        text = self.values.get(metric, "nothing").replace(",", "")
        try:
            number = float(text)
        except ValueError:
            raise NoCounters(f"ncu answered {text} for {metric}") from None
        if not number.is_integer():
            raise NoCounters(f"ncu answered {text} for {metric}, which is not a whole number")
        return int(number)


def csv_rows(text: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the table in the output of `ncu --csv`, a row for each launch and metric; none without a table."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), len(lines))
    yield from csv.DictReader(line for line in lines[start:] if line.startswith('"'))


def parse_launches(text: str) -> list[Launch]:
    """Return the launches in the output of `ncu --csv`, in their order. Raises NoCounters if ncu reports an error."""
    if "ERR_NVGPUCTRPERM" in text:
        raise NoCounters("this user may not read the GPU's counters (ERR_NVGPUCTRPERM)")
    problem = re.search(r"^==ERROR== (.+)$", text, re.MULTILINE)
    if problem:
        raise NoCounters(problem.group(1).strip())
    launches: dict[str, Launch] = {}
    for row in csv_rows(text):
        kernel = re.split(r"[<(]", row["Kernel Name"])[0].split()[-1].split("::")[-1]
        launches.setdefault(row["ID"], Launch(kernel, {})).values[row["Metric Name"]] = row["Metric Value"]
    return list(launches.values())


def parse_ncu(text: str, kernel: str, launches: int | None, metrics: dict[str, str] = METRICS) -> dict[str, int]:
    """Return the counters of one kernel in the output of `ncu --csv`, by their keys in `metrics`: the sums over all launches.

    Raises NoCounters if there is no launch, or another number than `launches`.
    """
    found = [launch for launch in parse_launches(text) if launch.kernel == kernel]
    if len(found) != (launches or max(len(found), 1)):
        raise NoCounters(f"ncu saw {len(found)} launches of {kernel}, wanted {launches or 'at least 1'}")
    return {key: sum(_sum(launch, key, metric) for launch in found) for key, metric in metrics.items()}


def _sum(launch: Launch, key: str, metric: str) -> int:
    """Return a metric of a launch, with that of MATRICES if ncu was asked for it."""
    added = MATRICES.get(key)
    return launch.number(metric) + (launch.number(added) if added in launch.values else 0)


def profiler(ncu: str, metrics: Iterable[str], log: Path) -> list[str]:
    """Return the words before a command with which ncu writes metrics of its kernels to a file, as `ncu --csv` does.

    The clocks are left alone, as in timing. For metrics that need several passes ncu repeats a launch with the memory restored, and
    each pass begins with flushed and invalid caches, which is ncu's default.
    """
    controls = ["--clock-control", "none", "--cache-control", "all", "--metrics", ",".join(metrics)]
    return [ncu, *controls, "--csv", "--print-units", "base", "--log-file", str(log)]


def run_ncu(ncu: str, command: list[str], kernels: str, metrics: Iterable[str]) -> str:
    """Return the output of `ncu --csv` on the kernels of a command, which are named in the form of ncu's --kernel-name.

    See profiler(). Raises NoCounters if the command fails and ncu gives no reason.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        done = subprocess.run(
            [*profiler(ncu, metrics, log), "--kernel-name", kernels, *command],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if "==ERROR==" not in text:
        text += "\n" + "\n".join(line for line in (done.stdout + done.stderr).splitlines() if line.startswith("==ERROR=="))
    if done.returncode and not re.search("==ERROR==|ERR_NVGPUCTRPERM", text):
        raise NoCounters(f"ncu ended with exit code {done.returncode}")
    return text


def read_counters(
    ncu: str, command: list[str], kernel: str, launches: int | None, metrics: dict[str, str] = METRICS, added: Iterable[str] = ()
) -> dict[str, int]:
    """Return the GPU's counters for a kernel's `launches` in a command, or however many there are. Raises NoCounters."""
    return parse_ncu(run_ncu(ncu, command, kernel, [*metrics.values(), *added]), kernel, launches, metrics)


def read_with_caches(ncu: str, command: list[str], kernel: str, launches: int | None) -> tuple[dict[str, int], dict[str, int] | None]:
    """Return the counters of METRICS, and those of CACHES or None if ncu lacks one of these or of MATRICES. Raises NoCounters."""
    try:
        found = read_counters(ncu, command, kernel, launches, METRICS | CACHES, MATRICES.values())
    except NoCounters:
        return read_counters(ncu, command, kernel, launches), None
    return {key: found[key] for key in METRICS}, {key: found[key] for key in CACHES}
