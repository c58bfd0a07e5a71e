"""Limits the memory of commands by control groups of the kernel, where this process may make some. Standard library only.

A group counts all memory of its processes when they take it: private and shared memory, files in memory, page tables. Groups are used
again for later commands, and are removed at the end of this process.
"""

import atexit
import collections
import contextlib
import functools
import itertools
import os
import re
import subprocess
from pathlib import Path

_MOUNT = Path("/sys/fs/cgroup")
_NAME = "conflict_free-{}-{}"  # with the number of the process that makes it, and a number of its own
_KILLED = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
_numbers = itertools.count()
#: Groups that no command uses at present, by their limit. A lower limit would push the compiler out of the kernel's cache of files.
_free: dict[int, list["Group"]] = collections.defaultdict(list)


class Group:
    """A group of processes that hold at most so many bytes of memory together."""

    def __init__(self, folder: Path, most: int) -> None:
        """Make the group. Raises OSError if this process may not."""
        self.folder, self.most = folder, most
        folder.mkdir()
        atexit.register(self.remove)
        is_first_version = (folder / "memory.limit_in_bytes").exists()
        limit, with_swap = (
            ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes") if is_first_version else ("memory.max", "memory.swap.max")
        )
        self._events = folder / ("memory.oom_control" if is_first_version else "memory.events")
        (folder / limit).write_text(str(most), encoding="ascii")
        with contextlib.suppress(OSError):  # a kernel without swap
            (folder / with_swap).write_text(str(most if is_first_version else 0), encoding="ascii")

    @property
    def processes(self) -> Path:
        """The file that takes the number of a process, or 0 from the process itself: it and its descendants will be in the group."""
        return self.folder / "cgroup.procs"

    def has_killed(self) -> bool:
        """Return whether the kernel has ended a process at the limit; False of a group that another program has removed."""
        try:
            return int(_KILLED.search(self._events.read_text(encoding="ascii"))[1]) > 0
        except OSError:
            return False

    def is_empty(self) -> bool:
        """Return whether the group is there and all its processes have ended. Those of a killed command take a moment."""
        try:
            return not self.processes.read_text(encoding="ascii")
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the group if it is empty."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()


@functools.cache
def _parent(mount: Path = _MOUNT, own_groups: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the folder in which this process can make groups with a limit on memory, or None."""
    try:
        lines = own_groups.read_text(encoding="utf-8").splitlines()
        own = {controllers: place.lstrip("/") for _, controllers, place in (line.split(":", 2) for line in lines)}
        if "memory" in own:
            parent = mount / "memory" / own["memory"]
        else:  # a group of the second version with processes has no groups with limits below it
            parent = (mount / own[""]).parent if own.get("") else mount
            if "memory" not in (parent / "cgroup.subtree_control").read_text(encoding="ascii").split():
                return None
        _remove_left(parent)
        tried = Group(parent / _NAME.format(os.getpid(), next(_numbers)), 1 << 30)
        subprocess.run(["/bin/sh", "-c", 'echo 0 > "$0"', tried.processes], check=True)
        if not _KILLED.search(tried._events.read_text(encoding="ascii")):
            return None
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return None
    return parent


def _remove_left(parent: Path) -> None:
    """Remove the groups of processes that were killed before they could do so."""
    for folder in parent.glob(_NAME.format("*", "*")):
        if not Path("/proc", folder.name.split("-")[1]).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def take(most: int) -> Group | None:
    """Return an empty group for one command, or None if this process may not make one. ``give_back`` makes it free again."""
    groups = _free[most]
    for group in groups:
        if group.is_empty():
            groups.remove(group)
            return group
    parent = _parent()
    with contextlib.suppress(OSError):
        return Group(parent / _NAME.format(os.getpid(), next(_numbers)), most) if parent else None
    return None


def give_back(group: Group) -> None:
    """Make a group free for another command; remove it if the kernel has killed a process in it, since ``has_killed`` would stay true."""
    if group.has_killed():
        group.remove()
    else:
        _free[group.most].append(group)
