"""Reads from /proc which processes a command has started, and how much memory they hold. Standard library only."""

import contextlib
import os
from collections.abc import Iterator, Sequence

#: Fields of /proc/PID/status: the process's memory that no file on a disk backs, and its page tables.
_PAGE_TABLES = b"\nVmPTE:"
_HELD = (b"\nRssAnon:", b"\nRssShmem:", b"\nVmSwap:", _PAGE_TABLES)
#: In /proc/PID/smaps_rollup: the same without page tables. Memory that several processes share is divided among them.
_DIVIDED = (b"\nPss_Anon:", b"\nPss_Shmem:", b"\nSwapPss:")
_KILOBYTE = 1024
#: /proc gives at most a page of a list at a time.
_PIECE = 1 << 14


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
    divided = sum(_sum(_DIVIDED, f"/proc/{each}/smaps_rollup") + _sum((_PAGE_TABLES,), f"/proc/{each}/status") for each in processes)
    return min(held, divided or held)


def _sum(fields: Sequence[bytes], path: str) -> int:
    """Return the bytes that some fields of a file name. This runs fifty times a second, and a pattern would take several times as long."""
    text, total = _read(path), 0
    for field in fields:
        if (at := text.find(field)) >= 0:
            total += int(text[at + len(field) : text.index(b"kB", at)])
    return total * _KILOBYTE


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:  # it has ended, or belongs to somebody else
        return b""
    text = b""
    try:
        while piece := os.read(file, _PIECE):
            text += piece
    except OSError:
        return b""
    finally:
        os.close(file)
    return text
