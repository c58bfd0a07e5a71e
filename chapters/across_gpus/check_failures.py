#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Breaks runs of the program and looks at how they end: check_failures.py PROGRAM.

Each process must end within ten seconds, with exit code 1 and one line that names the rank and the reason. A process that
is alone, started by whatever launcher, must end well.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

SECONDS = 10
# As in frames.hpp.
GREETING, ANSWER, FAILURE, ALIVE = 0x53494D54, 0x53494D56, 0x53494D57, 0x53494D58
SIZE = ("--size", "64")
# The environments in which torchrun, mpirun and srun start one process.
ALONE = {
    "torchrun": {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1"},
    "mpirun": {
        "OMPI_COMM_WORLD_RANK": "0",
        "OMPI_COMM_WORLD_SIZE": "1",
        "OMPI_COMM_WORLD_LOCAL_RANK": "0",
        "OMPI_COMM_WORLD_LOCAL_SIZE": "1",
    },
    "srun": {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_LOCALID": "0"},
}


#: Below those that systems give to sockets without a port of their own: a rank that calls again and again must not get the port
#: that it calls, nor that of another run.
_PORTS = range(20_000, 30_000)
_not_given = set(_PORTS)
#: A process that is started while a port is tried would hold that port until it is itself.
_ports_and_starts = threading.Lock()


def free_port() -> int:
    """A port that nobody listens at, and that no other run has been given."""
    with _ports_and_starts:
        while True:
            port = random.choice(sorted(_not_given))
            _not_given.remove(port)
            with socket.socket() as one, contextlib.suppress(OSError):
                one.bind(("127.0.0.1", port))
                return port


def started(command: Sequence[str], place: dict[str, str], **options) -> subprocess.Popen:
    """A process with more in its environment."""
    with _ports_and_starts:
        return subprocess.Popen(command, env={**os.environ, **place}, stderr=subprocess.PIPE, text=True, **options)


class Run:
    """Processes of one run that is to fail."""

    def __init__(self, program: str, ranks: int) -> None:
        self.program, self.ranks, self.port = program, ranks, free_port()
        self.processes: dict[int, subprocess.Popen] = {}

    def start(self, rank: int, *arguments: str, ranks: int | None = None) -> None:
        count = str(ranks or self.ranks)
        # The model gives each process as many devices as there are ranks on the host.
        place = {
            "RANK": str(rank),
            "WORLD_SIZE": count,
            "LOCAL_RANK": str(rank),
            "LOCAL_WORLD_SIZE": count,
            "SIMT_DEVICES": count,
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(self.port),
        }
        self.processes[rank] = started([self.program, *arguments], place, stdout=subprocess.DEVNULL)

    def start_and_hold(self) -> None:
        """Starts all ranks but the last, whose part is played here: it is let in, lives, and keeps the others waiting."""
        for rank in range(self.ranks - 1):
            self.start(rank, *SIZE)
        all_are_in = threading.Event()
        threading.Thread(target=self._play_last_rank, args=(all_are_in,), daemon=True).start()
        if not all_are_in.wait(SECONDS):
            raise RuntimeError("the ranks have not met")

    def _play_last_rank(self, all_are_in: threading.Event) -> None:
        hub = self._connected()
        texts = (str(self.ranks - 1), str(self.ranks), " ".join(SIZE))
        greeting = b"".join(struct.pack("<I", len(text)) + text.encode() for text in texts)
        hub.sendall(struct.pack("<II", GREETING, len(greeting)) + greeting)
        hub.settimeout(0.5)
        end = time.monotonic() + 2 * SECONDS
        while time.monotonic() < end:
            try:
                hub.sendall(struct.pack("<II", ALIVE, 0))
                header = hub.recv(8, socket.MSG_WAITALL)
                kind, length = struct.unpack("<II", header) if len(header) == 8 else (FAILURE, 0)
                if kind == FAILURE:
                    return
                if length:
                    hub.recv(length, socket.MSG_WAITALL)
                if kind == ANSWER:
                    all_are_in.set()
            except TimeoutError:
                continue
            except OSError:
                return

    def _connected(self) -> socket.socket:
        for _ in range(400):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=5)
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise RuntimeError("rank 0 does not listen")

    def signal(self, rank: int, number: signal.Signals) -> None:
        self.processes[rank].send_signal(number)

    def wrong_ends(self, line: str, ranks: Sequence[int]) -> list[str]:
        """What is wrong with how these ranks end from now on. ``line`` is a pattern."""
        wrong, began = [], time.monotonic()
        for rank in ranks:
            process = self.processes[rank]
            try:
                said = process.communicate(timeout=max(0.1, began + SECONDS - time.monotonic()))[1].strip()
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                wrong.append(f"rank {rank} had not ended after {SECONDS} seconds")
                continue
            if process.returncode != 1 or not re.fullmatch(f"across_gpus: rank {rank} ends: {line}", said):
                wrong.append(f"rank {rank}: exit code {process.returncode}, and {said!r}; wanted 1, and one line with {line!r}")
        return wrong


def a_rank_that_is_missing(program: str) -> list[str]:
    run = Run(program, 2)
    run.start(0)
    return run.wrong_ends("rank 1 of 2 did not come within 8 seconds", [0])


def rank_0_that_is_missing(program: str) -> list[str]:
    run = Run(program, 2)
    run.start(1)
    return run.wrong_ends(r"rank 0 did not come within 8 seconds to 127\.0\.0\.1:\d+", [1])


def unequal_sizes(program: str) -> list[str]:
    run = Run(program, 2)
    run.start(0, "--size", "512")
    run.start(1, "--size", "513")
    return run.wrong_ends("rank 1 was called with --size 513, rank 0 with --size 512", [0, 1])


def unequal_numbers_of_ranks(program: str) -> list[str]:
    run = Run(program, 2)
    run.start(0)
    run.start(1, ranks=3)
    return run.wrong_ends("rank 1 counts 3 ranks, rank 0 counts 2", [0, 1])


def too_little_memory(program: str) -> list[str]:
    run = Run(program, 2)
    for rank in (0, 1):
        run.start(rank, "--size", "16777216")
    return run.wrong_ends(r"rank [01]: too little memory: needs [\d.]+ GB, its GPU has [\d.]+ GB left of [\d.]+ GB", [0, 1])


def a_rank_that_is_killed(program: str) -> list[str]:
    run = Run(program, 3)
    run.start_and_hold()
    run.signal(1, signal.SIGKILL)
    return run.wrong_ends("rank 1 died: its process has ended", [0])


def rank_0_that_is_killed(program: str) -> list[str]:
    run = Run(program, 3)
    run.start_and_hold()
    run.signal(0, signal.SIGKILL)
    return run.wrong_ends("rank 0 died: its process has ended", [1])


def _stopped(program: str, stopped: int, other: int, line: str) -> list[str]:
    """The other rank ends while one is stopped, and the stopped one as soon as it goes on."""
    run = Run(program, 3)
    run.start_and_hold()
    run.signal(stopped, signal.SIGSTOP)
    wrong = run.wrong_ends(line, [other])
    run.signal(stopped, signal.SIGCONT)
    return wrong + run.wrong_ends(f".*{line}", [stopped])


def a_rank_that_is_stopped(program: str) -> list[str]:
    return _stopped(program, 1, 0, "rank 1 has not been heard from for 5 seconds")


def rank_0_that_is_stopped(program: str) -> list[str]:
    return _stopped(program, 0, 1, "rank 0 has not been heard from for 5 seconds")


def one_process(program: str) -> list[str]:
    wrong = []
    for launcher, place in ALONE.items():
        place = {**place, "SIMT_DEVICES": "1", "MASTER_PORT": str(free_port())}
        alone = started([program, "--size", "33x31"], place, stdout=subprocess.PIPE)
        printed, said = alone.communicate(timeout=60)
        if alone.returncode or "33 x 31        1 rank " not in printed:
            wrong.append(f"by {launcher}: exit code {alone.returncode}, and {said.strip()!r}")
    return wrong


CHECKS = (
    a_rank_that_is_missing,
    rank_0_that_is_missing,
    unequal_sizes,
    unequal_numbers_of_ranks,
    too_little_memory,
    a_rank_that_is_killed,
    rank_0_that_is_killed,
    a_rank_that_is_stopped,
    rank_0_that_is_stopped,
    one_process,
)


def main() -> int:
    program, began = sys.argv[1], time.monotonic()
    # Most of them wait, beside each other.
    with ThreadPoolExecutor(len(CHECKS)) as pool:
        found = dict(zip(CHECKS, pool.map(lambda check: check(program), CHECKS)))
    for check, complaints in found.items():
        for complaint in complaints:
            print(f"{check.__name__.replace('_', ' ')}: {complaint}")
    failed = sum(map(bool, found.values()))
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} runs ended as they should, in {time.monotonic() - began:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
