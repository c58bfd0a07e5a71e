#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Breaks runs of the program and looks at how they end: check_failures.py PROGRAM.

Each process must end within ten seconds, with exit code 1 and one line that names the rank and the reason.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import time

SECONDS = 10
# As in frames.hpp.
GREETING = 0x53494D54


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(program: str, rank: int, ranks: int, port: int, *arguments: str) -> subprocess.Popen:
    place = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(ranks),
             "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return subprocess.Popen([program, *arguments], env={**os.environ, **place}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def packed(*texts: str) -> bytes:
    return b"".join(struct.pack("<I", len(text)) + text.encode() for text in texts)


def greet_and_die(port: int, *arguments: str) -> None:
    """Comes as rank 1 of 2, is let in, and is gone."""
    for _ in range(200):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as hub:
                greeting = packed("1", "2", " ".join(arguments))
                hub.sendall(struct.pack("<II", GREETING, len(greeting)) + greeting)
                hub.recv(8)
            return
        except ConnectionRefusedError:
            time.sleep(0.02)


def check(name: str, processes: list[subprocess.Popen], line: str, began: float) -> list[str]:
    """What is wrong with how the processes ended."""
    wrong = []
    for process in processes:
        try:
            said = process.communicate(timeout=max(0.1, began + SECONDS - time.monotonic()))[1].strip()
        except subprocess.TimeoutExpired:
            process.kill()
            wrong.append(f"{name}: a process had not ended after {SECONDS} seconds")
            continue
        if process.returncode != 1 or len(said.splitlines()) != 1 or line not in said:
            wrong.append(f"{name}: exit code {process.returncode}, and {said!r}; wanted 1, and one line with {line!r}")
    return wrong


def main() -> int:
    program, began = sys.argv[1], time.monotonic()
    # The slowest first: it waits beside the others.
    missing = [start(program, 0, 2, free_port())]
    wrong = []
    port = free_port()
    sizes = [start(program, rank, 2, port, "--size", size) for rank, size in enumerate(("512", "513"))]
    wrong += check("unequal sizes", sizes, "rank 1 was called with --size 513, rank 0 with --size 512", began)
    port = free_port()
    counts = [start(program, 0, 2, port), start(program, 1, 3, port)]
    wrong += check("unequal numbers of ranks", counts, "rank 1 counts 3 ranks, rank 0 counts 2", began)
    port = free_port()
    left = start(program, 0, 2, port, "--size", "64")
    greet_and_die(port, "--size", "64")
    wrong += check("a process that dies", [left], "rank 1 died: its process has ended", began)
    port = free_port()
    large = [start(program, 0, 1, port, "--size", "16777216")]
    wrong += check("too little memory", large, "rank 0: too little memory: needs ", began)
    wrong += check("a rank that is missing", missing, "rank 1 of 2 did not come within 8 seconds", began)
    for line in wrong:
        print(line)
    print(f"{5 - len({line.partition(':')[0] for line in wrong})} of 5 failures ended as they should, in {time.monotonic() - began:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
