"""Runs an untrusted command in namespaces of its own, under limits. It sees only its input.

bubblewrap makes the namespaces. They have no network and no other processes. The system's programs and libraries and the named
files are read-only. The command can write to one folder and to a small memory disk.
"""

import contextlib
import functools
import math
import os
import resource
import secrets
import selectors
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conflict_free.console import USAGE, Stop
from conflict_free.grading import cgroups
from conflict_free.grading.processes import held_bytes
from conflict_free.grading.seccomp import filter_of_calls

#: The user and group of a confined program: nobody.
_NOBODY = 65534
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache", "/etc/alternatives")
_IN_SYSTEM = tuple(f"{path}/" for path in _SYSTEM)
#: Options that make a folder. bubblewrap makes the folders above a path by itself, but root's for root alone.
_FOR_ALL = ("--perms", "0755", "--dir")
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}
_MEGABYTE = 1 << 20
_MOMENT = 2.0  # seconds that the other commands get after the first one has ended
_LOOK_EVERY = 0.02  # seconds between two checks of the limits
_MOST_ENTRIES, _DEEPEST = 4096, 16  # more files and folders, or deeper ones, count as too many files
_MEGABYTES_MORE = 16  # the stack and page tables of a program that uses all of its memory
_SIGNAL_OFFSET = 128  # bubblewrap ends with this plus the number of the signal that ended the program
#: The last line on stderr of a shell that cannot set a limit. No command can guess it.
_NOT_STARTED = secrets.token_hex()
_STOPPED_BY_SIGNAL = {signal.SIGXCPU: "time", signal.SIGXFSZ: "files", signal.SIGKILL: "memory", signal.SIGSYS: "system call"}


@dataclass(frozen=True)
class Limits:
    """The resources that a command may use.

    `seconds` is processor time. `real_seconds` is real time, four times as much unless given. `memory_megabytes` is the memory that
    each process can write to, and that all processes together hold, shared memory and page tables included; address ranges that are
    only reserved do not count. `output_kilobytes` limits stdout and stderr together, `file_megabytes` all files together. With
    `processes` = 1 the command can start no other program.
    """

    seconds: float = 10
    memory_megabytes: int = 1024
    output_kilobytes: int = 64
    file_megabytes: int = 64
    processes: int = 1
    real_seconds: float | None = None

    @property
    def most_held(self) -> int:
        """The bytes of memory that all processes together may hold."""
        return (self.memory_megabytes + _MEGABYTES_MORE) * _MEGABYTE


@dataclass(frozen=True)
class Done:
    """How a command ended.

    `returncode` is that of a shell: 128 plus the number of the signal that ended the command. `stopped_by` is None, or the limit
    that ended the command: "time", "memory", "output", "files", "system call" (a refused one) or "signal 11".
    """

    returncode: int
    stdout: str
    stderr: str
    stopped_by: str | None


@functools.cache
def available() -> str | None:
    """Return None if commands can be confined here, else one line that says why not."""
    if shutil.which("bwrap") is None:
        return "bwrap is not there; the package bubblewrap has it"
    with contextlib.ExitStack() as stack:
        try:
            descriptor = stack.enter_context(_filter(Limits()))
        except RuntimeError:
            return "libseccomp is not there; the package libseccomp2 has it"
        command = _confined(["true"], [], None, Limits(), {}, descriptor)
        done = subprocess.run(
            command.words, pass_fds=command.descriptors, env=_ENVIRONMENT, capture_output=True, text=True, errors="replace"
        )
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    return f"bwrap cannot confine programs on this machine: {lines[0] if lines else f'exit code {done.returncode}'}"


@dataclass(frozen=True)
class Job:
    """A command to run in the folder `writable`, the only place whose files outlive the command.

    It sees the system's programs and libraries, and the files and folders `readable` at their own paths. `environment` is added to
    the fixed variables. `devices` are device files that the command may use; with them no system call is filtered, because drivers
    make many kinds. `descriptors` are open file descriptors that the command inherits.
    """

    command: Sequence[str | os.PathLike]
    readable: Sequence[Path]
    writable: Path
    limits: Limits
    environment: Mapping[str, str] = field(default_factory=dict)
    devices: Sequence[Path] = ()
    descriptors: Sequence[int] = ()


def run(
    command: Sequence[str | os.PathLike],
    *,
    readable: Sequence[Path],
    writable: Path,
    limits: Limits,
    environment: Mapping[str, str] = {},
    confined: bool = True,
    devices: Sequence[Path] = (),
) -> Done:
    """Run `command` and wait for its end; see Job. stdin is empty. `confined=False` keeps the limits and drops the namespaces."""
    return run_together([Job(command, readable, writable, limits, environment, devices)], confined=confined)[0]


def run_together(jobs: Sequence[Job], *, confined: bool = True, started: Callable[[], None] = lambda: None) -> list[Done]:
    """Run commands at the same time, and wait for the end of all. When the first of `jobs` has ended, the others get a moment.

    `started` is called when all commands have begun. Raises OSError if a command cannot be put under its limits.
    """
    if confined and (reason := available()):
        raise Stop(f"no sandbox here: {reason}", USAGE)
    with contextlib.ExitStack() as stack:
        watched = [_start(job, stack, confined=confined) for job in jobs]
        started()
        _watch(watched)
        return [each.done() for each in watched]


def _start(job: Job, stack: contextlib.ExitStack, *, confined: bool) -> "_Watched":
    writable = job.writable.resolve()
    group = cgroups.take(job.limits.most_held)
    if group:
        stack.callback(cgroups.give_back, group)
    if confined:
        if _is_root():
            _give_to_nobody(writable, job.readable)
        made = _confined(
            job.command,
            job.readable,
            writable,
            job.limits,
            job.environment,
            None if job.devices else stack.enter_context(_filter(job.limits)),
            job.devices,
        )
    else:
        made = _Command([str(word) for word in job.command], (), {**_ENVIRONMENT, **job.environment})
    process = stack.enter_context(
        subprocess.Popen(
            _limited(made.words, job.limits, group),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=writable,
            env=made.environment,
            pass_fds=(*made.descriptors, *job.descriptors),
            start_new_session=True,
        )
    )
    stack.callback(_end, process)
    return _Watched(process, job, group)


def _give_to_nobody(writable: Path, readable: Sequence[Path]) -> None:
    """Let the user nobody write into a folder and change its files. Raises Stop if that user cannot read the other paths."""
    for path in (writable, *writable.iterdir()):
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
    writable.chmod(0o755)  # bubblewrap goes there as root without any capability
    for path in readable:
        if not path.stat().st_mode & stat.S_IROTH:
            raise Stop(f"{path}: root runs a submission as nobody, who cannot read this; chmod -R o+rX is needed, or another user", USAGE)


@dataclass(frozen=True)
class _Command:
    words: list[str]
    descriptors: tuple[int, ...]
    environment: dict[str, str]


@contextlib.contextmanager
def _filter(limits: Limits) -> Iterator[int]:
    """Yield a descriptor from which the filter of system calls can be read."""
    with os.fdopen(os.memfd_create("filter"), "wb", buffering=0) as file:
        file.write(_instructions(may_start_processes=limits.processes > 1))
        file.seek(0)
        yield file.fileno()


@functools.cache
def _instructions(*, may_start_processes: bool) -> bytes:
    """Return the filter of system calls as the kernel reads it. It is the same for all commands, and takes long to make."""
    with tempfile.TemporaryFile() as file:
        filter_of_calls(may_start_processes=may_start_processes).export_bpf(file)
        file.seek(0)
        return file.read()


def _system_folders() -> list[str]:
    """Return the options that show the system's programs and libraries read-only. Links such as /bin stay links."""
    words = [*_FOR_ALL, "/etc"]
    for path in _SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            words += ["--ro-bind", path, path]
    return words


@functools.cache
def _is_root() -> bool:
    """Return whether this process is root of the machine, and not only of a user namespace."""
    return os.geteuid() == 0 and Path("/proc/self/uid_map").read_text(encoding="ascii").split()[:2] == ["0", "0"]


def _as_nobody() -> tuple[list[str], list[str]]:
    """Return the options of bubblewrap and the words before the command that make the command run as nobody.

    In a user namespace that root makes, nobody would be another name for root: files of /proc that belong to root could be written.
    So root makes no user namespace, and the command gives up root's id, with the two capabilities that this takes.
    """
    if not _is_root():
        return ["--unshare-all", "--uid", str(_NOBODY), "--gid", str(_NOBODY), "--cap-drop", "ALL"], []
    namespaces = [f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")]
    capabilities = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*namespaces, *capabilities], ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--"]


def _confined(
    command: Sequence[str | os.PathLike],
    readable: Sequence[Path],
    writable: Path | None,
    limits: Limits,
    environment: Mapping[str, str],
    filter_descriptor: int | None,
    devices: Sequence[Path] = (),
) -> _Command:
    options, before = _as_nobody()
    # An absolute path, because bubblewrap would be searched on the PATH of the command's environment.
    words = [
        *(shutil.which("bwrap") or "bwrap", *options, "--die-with-parent", "--new-session"),
        *("--hostname", "sandbox", *_system_folders(), "--proc", "/proc", "--dev", "/dev"),
        *("--size", str(limits.file_megabytes * _MEGABYTE), "--perms", "1777", "--tmpfs", "/tmp"),
    ]
    for path in devices:
        words += ["--dev-bind", str(path), str(path)]
    if devices:
        words += ["--ro-bind", "/sys", "/sys"]
    paths = [path.absolute() for path in (*readable, *([writable] if writable else []))]
    for folder in sorted({str(folder) for path in paths for folder in path.parents} - {"/"}):
        if not f"{folder}/".startswith(_IN_SYSTEM):
            words += [*_FOR_ALL, folder]
    for path in readable:
        words += ["--ro-bind", str(path.resolve()), str(path.absolute())]
    if writable is not None:
        words += ["--bind", str(writable), str(writable), "--chdir", str(writable)]
    # The root of the mounts is a memory disk without a limit of its own. Files of /proc can write to other processes of the sandbox.
    words += ["--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"]
    if filter_descriptor is not None:
        words += ["--seccomp", str(filter_descriptor)]
    # bubblewrap stays as the first process inside, where its environment can be read: it gets the program's environment.
    return _Command(
        [*words, "--", *before, *map(str, command)],
        () if filter_descriptor is None else (filter_descriptor,),
        {**_ENVIRONMENT, **environment},
    )


def _limited(words: Sequence[str], limits: Limits, group: cgroups.Group | None) -> list[str]:
    """Return a command that takes a group and limits for itself and goes on as ``words``.

    It is a shell, because copying this process, in order to set them between fork and exec, would take longer than a small run.
    """
    seconds = math.ceil(limits.seconds)
    # The model reserves terabytes of addresses. RLIMIT_DATA counts only private memory that can be written.
    wanted = (
        (resource.RLIMIT_CPU, "-St", seconds, 1),
        (resource.RLIMIT_CPU, "-Ht", seconds + 1, 1),
        (resource.RLIMIT_DATA, "-d", limits.memory_megabytes * _MEGABYTE, 1024),
        (resource.RLIMIT_STACK, "-s", 8 * _MEGABYTE, 1024),
        (resource.RLIMIT_FSIZE, "-f", limits.file_megabytes * _MEGABYTE, 512),
        (resource.RLIMIT_NOFILE, "-n", 256, 1),
        (resource.RLIMIT_CORE, "-c", 0, 512),
    )
    steps = [f"echo 0 > {shlex.quote(str(group.processes))}"] if group else []
    for what, option, limit, unit in wanted:
        most = resource.getrlimit(what)[1]
        steps.append(f"ulimit {option} {(limit if most == resource.RLIM_INFINITY else min(limit, most)) // unit}")
    failed = f"{{ echo {_NOT_STARTED} >&2; exit 1; }}"
    return ["/bin/sh", "-c", f'{" && ".join(steps)} || {failed}; exec "$@"', "sh", *words]


def _written(folder: Path) -> float:
    """Return the bytes of all files below a folder; infinity if there are too many files and folders, or if they are too deep."""
    total, number, waiting = 0, 0, [(os.fspath(folder), 0)]
    while waiting:
        place, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                number += 1
                if number > _MOST_ENTRIES or depth > _DEEPEST:
                    return math.inf
                with contextlib.suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
    return total


def _end(process: subprocess.Popen) -> None:
    """Kill the command and all processes of its session; some of them may outlive the command."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class _Watched:
    """A running command, its output so far, and the limit that stopped it, if one did."""

    def __init__(self, process: subprocess.Popen, job: Job, group: cgroups.Group | None) -> None:
        self.process, self.limits, self.folder, self._group = process, job.limits, job.writable, group
        self.texts = {process.stdout: bytearray(), process.stderr: bytearray()}
        self.open_streams = len(self.texts)
        self.stopped_by: str | None = None
        self._before, self._looked = _written(job.writable), time.monotonic()
        real_seconds = job.limits.real_seconds
        self.deadline = self._looked + (4 * job.limits.seconds if real_seconds is None else real_seconds) + 1

    def beyond(self, now: float) -> str | None:
        """Return the limit that the command exceeds, or None."""
        if sum(map(len, self.texts.values())) > self.limits.output_kilobytes * 1024:
            return "output"
        if now > self.deadline:
            return "time"
        if now - self._looked > _LOOK_EVERY:
            self._looked = now
            if self._has_too_much_memory():
                return "memory"
            if self._has_too_many_files():
                return "files"
        return None

    def _has_too_much_memory(self) -> bool:
        most = self.limits.most_held
        return self._group.has_killed() if self._group else held_bytes(self.process.pid, most) > most

    def _has_too_many_files(self) -> bool:
        return _written(self.folder) - self._before > self.limits.file_megabytes * _MEGABYTE

    def done(self) -> Done:
        """Wait for the end of the command and return how it ended. Raises OSError if it could not begin."""
        try:
            code = self.process.wait(max(self.deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:  # the command has closed its output and goes on
            self.stopped_by = "time"
            _end(self.process)
            code = self.process.wait()
        code = code if code >= 0 else _SIGNAL_OFFSET - code
        stopped_by = "memory" if self._group and self._group.has_killed() else self.stopped_by
        if stopped_by is None and _SIGNAL_OFFSET < code < _SIGNAL_OFFSET + signal.NSIG:  # a program may end with 255 by itself
            stopped_by = _STOPPED_BY_SIGNAL.get(code - _SIGNAL_OFFSET, f"signal {code - _SIGNAL_OFFSET}")
        if stopped_by is None and self._has_too_many_files():
            stopped_by = "files"
        most = self.limits.output_kilobytes * 1024
        stdout, stderr = (bytes(text[:most]).decode("utf-8", "replace") for text in self.texts.values())
        if stderr.endswith(f"{_NOT_STARTED}\n"):
            raise OSError(f"a command cannot be limited: {stderr.splitlines()[0]}")
        return Done(code, stdout, stderr, stopped_by)


def _watch(watched: Sequence[_Watched]) -> None:
    """Read the output until all commands have closed it, and kill those that exceed a limit."""
    with selectors.DefaultSelector() as selector:
        for each in watched:
            for stream in each.texts:
                # A program can open its own end of a pipe again and read what it has written before it is read here.
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, each)
        while selector.get_map():
            for key, _ in selector.select(_LOOK_EVERY):
                try:
                    piece = os.read(key.fd, 1 << 16)
                except BlockingIOError:
                    continue
                key.data.texts[key.fileobj] += piece
                if not piece:
                    selector.unregister(key.fileobj)
                    key.data.open_streams -= 1
            now = time.monotonic()
            for each in watched:
                if each.open_streams and (limit := each.beyond(now)):
                    each.stopped_by = limit
                    _end(each.process)
                    for stream in each.texts:
                        with contextlib.suppress(KeyError):
                            selector.unregister(stream)
                    each.open_streams = 0
            if not watched[0].open_streams:
                for each in watched[1:]:
                    each.deadline = min(each.deadline, now + _MOMENT)


if __name__ == "__main__":
    print(available() or "")
