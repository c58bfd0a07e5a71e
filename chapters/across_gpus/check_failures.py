#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Breaks runs of the program and looks at how they end: check_failures.py PROGRAM MPIRUN...

MPIRUN is the command that starts processes, with its words before their number.

All processes must end, and a line must name the rank and the reason: the program's, or that of mpirun for a process that was killed.
One process must end well, by mpirun and without it.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SECONDS = 90
SECONDS_TO_END = 10
PROGRAM, *MPIRUN = sys.argv[1:]
# Open MPI and MPICH call the rank differently.
RANK = "${OMPI_COMM_WORLD_RANK-$PMI_RANK}"


def run(command: list[str], meanwhile: Callable[[], None] = lambda: None, **more: str) -> tuple[int, str]:
    """The exit code and the output of a command, under the model with two devices."""
    environment = {**os.environ, "SIMT_DEVICES": "2", **more}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        meanwhile()
        said = process.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        # mpirun passes this on to its processes, if it still answers.
        process.terminate()
        try:
            said = process.communicate(timeout=SECONDS_TO_END)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[0]
        return -1, f"it had not ended after {SECONDS} seconds: {said}"
    return process.returncode, said


def ranks(count: int, *words: str) -> tuple[int, str]:
    return run([*MPIRUN, "-n", str(count), *words])


def shell(count: int, script: str, *words: str, meanwhile: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Ranks that a script starts, to which the program is $0."""
    return run([*MPIRUN, "-n", str(count), "sh", "-c", script, PROGRAM, *words], meanwhile)


def signaled(number: signal.Signals) -> tuple[int, str]:
    """Three ranks wait for each other, and rank 1 gets a signal. Its process, too, must be gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pid"

        def send() -> None:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                time.sleep(0.5)
                if file.exists() and os.path.realpath(f"/proc/{file.read_text().strip()}/exe") == os.path.realpath(PROGRAM):
                    break
            # Open MPI may wait without end for a process that is gone before mpirun has answered its call.
            time.sleep(2)
            os.kill(int(file.read_text()), number)

        # Rank 2 never comes.
        script = f'case {RANK} in 1) echo $$ > "$1"; exec "$0";; 2) exec sleep {2 * SECONDS};; *) exec "$0";; esac'
        code, said = shell(3, script, str(file), meanwhile=send)
        rank, end = Path("/proc", file.read_text().strip()), time.monotonic() + SECONDS_TO_END
        while rank.exists() and time.monotonic() < end:
            time.sleep(0.1)
        return code, said + ("; rank 1 is still there" if rank.exists() else "")


# The command, the exit codes that are right, and a pattern of the line.
CHECKS = {
    "unequal sizes": (
        lambda: shell(2, f'exec "$0" --size 51{RANK}'),
        {1},
        "across_gpus: rank 1: it was called with '--size 511', and rank 0 with something else",
    ),
    "too few GPUs": (
        lambda: ranks(3, PROGRAM),
        {1},
        "across_gpus: rank 2: it has the same GPU as rank 0: start as many processes as there are GPUs, 2",
    ),
    "too little memory": (
        lambda: ranks(2, PROGRAM, "--size", "16777216"),
        {2},
        r"across_gpus: rank [01]: --size: got '16777216x16777216', which needs [\d.]+ GiB of device memory, accepted: .*",
    ),
    # The model's devices are of one process.
    "a call that fails": (
        lambda: ranks(2, PROGRAM),
        {1},
        r"across_gpus: rank [01]: cudaIpcGetMemHandle\(.*\) at .* failed: operation not supported",
    ),
    "another mpirun": (
        lambda: run([PROGRAM], SLURM_STEP_NUM_TASKS="2", SLURM_PROCID="1"),
        {1},
        "across_gpus: rank 0: MPI joins 1 of 2 processes: start them by the mpirun .*",
    ),
    # Open MPI names the rank, MPICH the process and the signal.
    "a rank that is killed": (
        lambda: signaled(signal.SIGKILL),
        {9, 137},
        r"noticed that process rank 1 .* exited on\s+signal 9 \(Killed\)|EXIT STRING: Killed \(signal 9\)",
    ),
    "a rank that is stopped": (
        lambda: signaled(signal.SIGSTOP),
        {1, 9},
        "across_gpus: rank 0: the start of all ranks did not end within 30 seconds",
    ),
    "one process by mpirun": (lambda: ranks(1, PROGRAM, "--devices", "2", "--size", "33x31"), {0}, "10 results checked, .*: all right"),
    "one process": (lambda: run([PROGRAM, "--size", "33x31"]), {0}, "10 results checked, .*: all right"),
}


def main() -> int:
    began = time.monotonic()
    # Most of them wait, beside each other.
    with ThreadPoolExecutor(len(CHECKS)) as pool:
        ended = dict(zip(CHECKS, pool.map(lambda check: check[0](), CHECKS.values())))
    failed = 0
    for (check, (code, said)), (_, codes, line) in zip(ended.items(), CHECKS.values()):
        if code not in codes or not re.search(line, said) or "still there" in said:
            failed += 1
            print(f"{check}: exit code {code}, wanted {codes} and a line {line!r} in:\n{said}")
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} runs ended as they should, in {time.monotonic() - began:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
