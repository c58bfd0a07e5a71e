# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Runs a command that is not to be trusted: in namespaces of its own, under limits, with nothing to see but its input.

bubblewrap makes the namespaces: no network, no other processes, the system's programs and libraries read-only, and of
all other files those that are named. What is written goes to one folder and to a small memory disk.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import resource
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grading.machine import readable_code
from grading.seccomp import filter_of_calls

#: Nobody: the user that a confined program is, inside.
_NOBODY = "65534"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache", "/etc/alternatives")
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}
_MEGABYTE = 1 << 20
_LOOK_EVERY = 0.02  # seconds between two looks at the clock and at what was written
_SIGNAL_OFFSET = 128  # of the exit code by which bubblewrap tells that a signal ended the program
_STOPPED_BY_SIGNAL = {signal.SIGXCPU: "time", signal.SIGXFSZ: "files", signal.SIGKILL: "memory", signal.SIGSYS: "system call"}


@dataclass(frozen=True)
class Limits:
    """What a command may use.

    `seconds` of processor time, and four times as much of real time; `memory_megabytes` that a process may write to
    (address ranges that are only reserved are free); `output_kilobytes` to stdout and stderr together;
    `file_megabytes` in files together; `processes`: 1 for a program that may start no other.
    """

    seconds: float = 10
    memory_megabytes: int = 1024
    output_kilobytes: int = 64
    file_megabytes: int = 64
    processes: int = 1


@dataclass(frozen=True)
class Done:
    """How a command ended.

    `returncode` is as a shell gives it: 128 + the number of the signal that ended it. `stopped_by` is None, or what
    ended it: "time", "memory", "output", "files", "system call" (one that the sandbox refuses) or "signal 11".
    """

    returncode: int
    stdout: str
    stderr: str
    stopped_by: str | None


@functools.cache
def available() -> str | None:
    """None if commands can be confined here, or one line that says why not."""
    if shutil.which("bwrap") is None:
        return "bwrap is not there; the package bubblewrap has it"
    if not readable_code():
        return f"the code of a submission can be examined on x86_64 only, and this machine is {os.uname().machine}"
    with contextlib.ExitStack() as stack:
        command = _confined(["true"], [], None, Limits(), {}, stack.enter_context(_filter(Limits())))
        done = subprocess.run(command.words, pass_fds=command.descriptors, env=_ENVIRONMENT, capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    return f"bwrap cannot confine programs on this machine: {lines[0] if lines else f'exit code {done.returncode}'}"


def run(command: Sequence[str | os.PathLike], *, readable: Sequence[Path], writable: Path, limits: Limits,
        environment: Mapping[str, str] = {}, confined: bool = True,
        devices: Sequence[Path] = ()) -> Done:
    """Runs `command` in the folder `writable` and waits for its end. stdin is empty.

    It sees the system's programs and libraries, `readable` (files and folders, at their own places) and `writable`,
    the only place where what it writes is kept. `environment` is all of it that is not fixed.
    `devices` are device files that it may use; then no call of the system is filtered, as drivers make many.
    With `confined=False` there are limits, and nothing else.
    """
    with contextlib.ExitStack() as stack:
        writable = writable.resolve()
        if confined:
            if reason := available():
                raise RuntimeError(reason)
            made = _confined(command, readable, writable, limits, environment, None if devices else stack.enter_context(_filter(limits)), devices)
        else:
            made = _Command([str(word) for word in command], (), {**_ENVIRONMENT, **environment})
        process = stack.enter_context(subprocess.Popen(
            made.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=writable,
            env=made.environment, pass_fds=made.descriptors, preexec_fn=functools.partial(_limit, limits), start_new_session=True))
        stack.callback(_end, process)
        return _watch(process, writable, limits)


@dataclass(frozen=True)
class _Command:
    words: list[str]
    descriptors: tuple[int, ...]
    environment: dict[str, str]


@contextlib.contextmanager
def _filter(limits: Limits) -> Iterator[int]:
    """A descriptor from which the filter of system calls is read."""
    descriptor = os.memfd_create("filter")
    try:
        os.write(descriptor, filter_of_calls(may_start_processes=limits.processes > 1) or b"")
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _system_folders() -> list[str]:
    """The system's programs and libraries, read-only. Links such as /bin stay what they are."""
    words = []
    for path in _SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            words += ["--ro-bind", path, path]
    return words


def _confined(command: Sequence[str | os.PathLike], readable: Sequence[Path], writable: Path | None, limits: Limits,
              environment: Mapping[str, str], filter_descriptor: int | None, devices: Sequence[Path] = ()) -> _Command:
    # By its path: the program is looked for in the environment that is given to it.
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--uid", _NOBODY, "--gid", _NOBODY,
             "--hostname", "sandbox", "--cap-drop", "ALL", *_system_folders(), "--proc", "/proc", "--dev", "/dev",
             "--size", str(limits.file_megabytes * _MEGABYTE), "--tmpfs", "/tmp"]
    for path in devices:
        words += ["--dev-bind", str(path), str(path)]
    if devices:
        words += ["--ro-bind", "/sys", "/sys"]
    for path in readable:
        words += ["--ro-bind", str(path.resolve()), str(path.absolute())]
    if writable is not None:
        words += ["--bind", str(writable), str(writable), "--chdir", str(writable)]
    # What holds the other mounts is memory without a limit of its own.
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    if filter_descriptor is not None:
        words += ["--seccomp", str(filter_descriptor)]
    # bubblewrap stays as the first process inside, where its environment can be read: it gets no other one than the program.
    return _Command([*words, "--", *map(str, command)], () if filter_descriptor is None else (filter_descriptor,), {**_ENVIRONMENT, **environment})


def _limit(limits: Limits) -> None:
    """Called in the new process, before it becomes the command."""
    seconds = math.ceil(limits.seconds)
    files = limits.file_megabytes * _MEGABYTE
    # Reserved addresses must not count: the model reserves terabytes. RLIMIT_DATA is of what can be written.
    for what, limit in ((resource.RLIMIT_CPU, (seconds, seconds + 1)),
                        (resource.RLIMIT_DATA, (limits.memory_megabytes * _MEGABYTE,) * 2),
                        (resource.RLIMIT_STACK, (8 * _MEGABYTE,) * 2),
                        (resource.RLIMIT_FSIZE, (files, files)),
                        (resource.RLIMIT_NOFILE, (256, 256)),
                        (resource.RLIMIT_CORE, (0, 0))):
        most = resource.getrlimit(what)[1]
        resource.setrlimit(what, tuple(min(each, most) if most != resource.RLIM_INFINITY else each for each in limit))


def _written(folder: Path) -> int:
    """Bytes of all files in a folder, also of those in folders of it."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def _end(process: subprocess.Popen) -> None:
    """Ends the command with all that it started, of which some may outlive it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _watch(process: subprocess.Popen, writable: Path, limits: Limits) -> Done:
    """Reads the output until the command ends, or ends it where it goes beyond a limit."""
    texts = {process.stdout: bytearray(), process.stderr: bytearray()}
    before, deadline = _written(writable), time.monotonic() + 4 * limits.seconds + 1
    stopped_by = None
    looked = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for stream in texts:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(_LOOK_EVERY):
                piece = os.read(key.fd, 1 << 16)
                texts[key.fileobj] += piece
                if not piece:
                    selector.unregister(key.fileobj)
            now = time.monotonic()
            if sum(map(len, texts.values())) > limits.output_kilobytes * 1024:
                stopped_by = "output"
            elif now > deadline:
                stopped_by = "time"
            elif now - looked > _LOOK_EVERY:
                looked = now
                if _written(writable) - before > limits.file_megabytes * _MEGABYTE:
                    stopped_by = "files"
            if stopped_by:
                _end(process)
                break
    code = process.wait()
    code = code if code >= 0 else _SIGNAL_OFFSET - code
    if stopped_by is None and code > _SIGNAL_OFFSET:
        stopped_by = _STOPPED_BY_SIGNAL.get(code - _SIGNAL_OFFSET, f"signal {code - _SIGNAL_OFFSET}")
    most = limits.output_kilobytes * 1024
    stdout, stderr = (bytes(text[:most]).decode("utf-8", "replace") for text in texts.values())
    return Done(code, stdout, stderr, stopped_by)
