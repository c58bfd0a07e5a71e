# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Reads from /proc which processes a command has started, and how much memory they hold. Standard library only."""

import contextlib
import os
import re
from collections.abc import Iterator

#: Fields of /proc/PID/status: the process's memory that no file on a disk backs, and its page tables.
_HELD = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s*(\d+) kB", re.MULTILINE)
#: In /proc/PID/smaps_rollup: the same without page tables. Memory that several processes share is divided among them.
_DIVIDED = re.compile(rb"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s*(\d+) kB", re.MULTILINE)
_PAGE_TABLES = re.compile(rb"^VmPTE:\s*(\d+) kB", re.MULTILINE)
_KILOBYTE = 1024


def tree(pid: int) -> Iterator[int]:
    """Yield the number of a process and those of all its descendants."""
    waiting = [pid]
    while waiting:
        pid = waiting.pop()
        yield pid
        with contextlib.suppress(OSError):  # it has ended
            for thread in os.listdir(f"/proc/{pid}/task"):
                waiting += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())


def held_bytes(pid: int, most: int) -> int:
    """Return the bytes of memory that a process and its descendants hold: private and shared memory, swap, and page tables.

    Memory that several processes share counts once if the sum would be above ``most``, and else in each of them.
    """
    processes = list(tree(pid))
    held = sum(_sum(_HELD, f"/proc/{each}/status") for each in processes)
    if held <= most or len(processes) == 1:
        return held
    divided = sum(_sum(_DIVIDED, f"/proc/{each}/smaps_rollup") + _sum(_PAGE_TABLES, f"/proc/{each}/status") for each in processes)
    return min(held, divided or held)


def _sum(pattern: re.Pattern[bytes], path: str) -> int:
    return sum(map(int, pattern.findall(_read(path)))) * _KILOBYTE


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has ended, or belongs to somebody else
        return b""
