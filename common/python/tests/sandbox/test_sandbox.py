"""Tests the sandbox: what a command in it can see, write, use and call."""

import os
import platform
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pyseccomp
import pytest

from conflict_free.console import Stop
from conflict_free.grading import cgroups, sandbox, scratch
from conflict_free.grading.sandbox import Job, Limits, run, run_together
from conflict_free.grading.seccomp import REFUSED, STARTING, filter_of_calls

SMALL = Limits(seconds=1, memory_megabytes=256, output_kilobytes=16, file_megabytes=8, processes=8)
ALONE = Limits(seconds=1, memory_megabytes=256, output_kilobytes=16, file_megabytes=8, processes=1)
PYTHON = "/usr/bin/python3"
PACKAGE = Path(__file__).parents[2]


def shell(command: str, folder: Path, limits: Limits = SMALL, **options):
    return run(["sh", "-c", command], readable=options.pop("readable", []), writable=folder, limits=limits, **options)


def test_a_command_writes_to_its_folder_and_reads_what_it_is_given(tmp_path):
    given, folder = tmp_path / "given", tmp_path / "folder"
    given.write_text("data", encoding="utf-8")
    folder.mkdir()
    done = shell(f"cat {given} > copy; cat copy; echo problem >&2; exit 3", folder, readable=[given])
    assert (done.returncode, done.stdout, done.stderr, done.stopped_by) == (3, "data", "problem\n", None)
    assert (folder / "copy").read_text() == "data"


@pytest.mark.parametrize(
    "command", ["cat /etc/passwd", "ls /root", "ls /home", "echo x > /x", "echo x > /dev/shm/x", "echo x > /usr/x", f"cat {__file__}"]
)
def test_nothing_else_is_there(command, tmp_path):
    assert shell(command, tmp_path).returncode != 0


def test_the_cache_of_the_loader_can_be_read(tmp_path):
    assert int(shell("wc -c < /etc/ld.so.cache", tmp_path).stdout) == Path("/etc/ld.so.cache").stat().st_size


def test_what_it_is_given_cannot_be_changed(tmp_path):
    given, folder = tmp_path / "given", tmp_path / "folder"
    given.write_text("data", encoding="utf-8")
    folder.mkdir()
    assert shell(f"echo x > {given}; rm {given}", folder, readable=[given]).returncode != 0
    assert given.read_text() == "data"


def test_the_kernel_has_each_limit(tmp_path):
    limits = Limits(seconds=1.5, memory_megabytes=64, file_megabytes=3, processes=2)
    # The limits of this process differ, so that none is right by inheritance.
    other = {resource.RLIMIT_STACK: 4 << 20, resource.RLIMIT_CORE: 1 << 20}
    own = {what: resource.getrlimit(what) for what in other}
    try:
        for what, limit in other.items():
            resource.setrlimit(what, (limit, own[what][1]))
        told = shell("ulimit -t; ulimit -Ht; ulimit -d; ulimit -s; ulimit -f; ulimit -n; ulimit -c", tmp_path, limits).stdout
    finally:
        for what, limit in own.items():
            resource.setrlimit(what, limit)
    assert [*map(int, told.split())] == [2, 3, 64 << 10, 8 << 10, 3 << 11, 256, 0]


def test_the_environment_of_the_grader_is_not_seen(tmp_path, monkeypatch):
    monkeypatch.setenv("CONFLICT_FREE_SECRET", "hidden")
    done = shell("env; cat /proc/*/environ", tmp_path, environment={"GIVEN": "1"})
    assert "hidden" not in done.stdout and "GIVEN=1" in done.stdout


def test_other_processes_are_not_seen(tmp_path):
    own = 4  # bubblewrap, the shell, ls and wc
    assert int(shell("ls -d /proc/[0-9]* | wc -l", tmp_path).stdout) <= own


@pytest.mark.parametrize(
    ("command", "stopped_by"),
    [
        ("while :; do :; done", "time"),
        ("yes", "output"),
        ("yes >&2", "output"),
        ("head -c 20000000 /dev/zero > x", "files"),
        ("for i in 1 2 3 4; do head -c 4000000 /dev/zero > x$i; done; sleep 1", "files"),
        ("kill -SEGV $$", "system call"),
    ],
)
def test_limits_end_it(command, stopped_by, tmp_path):
    done = shell(command, tmp_path)
    assert done.stopped_by == stopped_by
    assert len(done.stdout) <= SMALL.output_kilobytes * 1024


def test_a_read_of_an_empty_pipe_does_not_wait(tmp_path, monkeypatch):
    """A program can take back what it has written, after the selector has seen it and before it is read."""

    class Selector(selectors.DefaultSelector):
        def select(self, timeout=None):
            time.sleep(timeout)
            return [(key, selectors.EVENT_READ) for key in self.get_map().values()]

    monkeypatch.setattr(selectors, "DefaultSelector", Selector)
    assert shell("exec sleep 5", tmp_path, Limits(seconds=0.2)).stopped_by == "time"


def test_an_exit_code_above_those_of_signals_is_no_signal(tmp_path):
    done = shell("exit 255", tmp_path)
    assert (done.returncode, done.stopped_by) == (255, None)


def test_a_sleeper_ends_too(tmp_path):
    assert shell("exec sleep 60", tmp_path, Limits(seconds=0.2)).stopped_by == "time"


@pytest.mark.skipif(not Path(PYTHON).exists(), reason="no system Python to make system calls with")
@pytest.mark.parametrize(
    ("call", "stopped_by"),
    [
        ("os.fork()", "system call"),
        ("os.kill(os.getppid(), 9)", "system call"),
        ("__import__('socket').socket()", "system call"),
        ("__import__('socket').socket(1)", None),
        ("os.abort()", "signal 6"),
        ("print('fine')", None),
    ],
)
def test_system_calls_that_reach_others_end_a_program_that_may_start_none(call, stopped_by, tmp_path):
    assert run([PYTHON, "-S", "-c", f"import os; {call}"], readable=[], writable=tmp_path, limits=ALONE).stopped_by == stopped_by


@pytest.mark.skipif(platform.machine() != "x86_64", reason="calls of x32 and of i386 are x86-64's")
@pytest.mark.parametrize(
    ("machine_code", "stopped_by"),
    [
        ("b8 27 00 00 00 0f 05 c3", None),  # getpid
        ("b8 27 00 00 40 0f 05 c3", "system call"),  # getpid by its number of x32
        ("b8 14 00 00 00 cd 80 c3", "system call"),  # getpid of i386
    ],
)
def test_calls_by_the_numbers_of_another_architecture_end_a_program(machine_code, stopped_by, tmp_path):
    call = "import ctypes, mmap; code = mmap.mmap(-1, 4096, prot=7); code.write(bytes.fromhex(%r))" % machine_code
    call += "; ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()"
    assert run([PYTHON, "-S", "-c", call], readable=[], writable=tmp_path, limits=SMALL).stopped_by == stopped_by


@pytest.mark.parametrize(("architecture", "missing"), [("X86_64", set()), ("AARCH64", {"fork", "vfork"})])
@pytest.mark.parametrize("may_start", [True, False])
def test_the_same_calls_are_refused_on_both_architectures(architecture, missing, may_start):
    made = filter_of_calls(may_start_processes=may_start, architecture=getattr(pyseccomp.Arch, architecture))
    with tempfile.TemporaryFile("w+") as file:
        made.export_pfc(file)
        file.seek(0)
        text = file.read()
    assert f"filter for arch {architecture.lower()} " in text and text.count("filter for arch") == 1
    # A call that the architecture does not have appears with a number above 999.
    refused = set(re.findall(r'filter for syscall "(\w+)" \(\d{1,3}\)', text))
    assert refused == {*REFUSED, "memfd_create", "socket", *(() if may_start else STARTING)} - missing
    assert text.count("action ALLOW") == 1 and re.search(r"invalid architecture action\naction KILL_PROCESS", text)


@pytest.mark.skipif(not Path(PYTHON).exists(), reason="no system Python to allocate with")
def test_memory_is_limited_and_reserved_addresses_are_free(tmp_path):
    reserve = "import mmap; mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0); print('reserved')"
    assert run([PYTHON, "-S", "-c", reserve], readable=[], writable=tmp_path, limits=ALONE).stdout == "reserved\n"
    assert "MemoryError" in run([PYTHON, "-S", "-c", "bytearray(1 << 30)"], readable=[], writable=tmp_path, limits=ALONE).stderr


#: Programs that hold memory which RLIMIT_DATA does not count.
HOLDERS = {
    "shared memory": "m = mmap.mmap(-1, 1 << 30)\nfor at in range(0, 1 << 30, 4096): m[at] = 1",
    "page tables": "m = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)\n"
    "for at in range(0, 1 << 38, 1 << 21): m[at]",
    "memory of several processes": "for _ in range(5): os.fork() or hold(bytearray(100 << 20))\ntime.sleep(9)",
}


@pytest.mark.skipif(not Path(PYTHON).exists(), reason="no system Python to allocate with")
@pytest.mark.parametrize("has_group", [True, False], ids=["group", "looks"])
@pytest.mark.parametrize("name", HOLDERS)
def test_all_memory_that_is_held_is_limited(name, has_group, tmp_path, monkeypatch):
    if not has_group:
        monkeypatch.setattr(cgroups, "take", lambda most: None)
    elif not (group := cgroups.take(SMALL.most_held)):
        pytest.skip("no control groups that limit memory here")
    else:
        cgroups.give_back(group)
        monkeypatch.setattr(sandbox, "held_bytes", lambda *_: 0)
    program = f"import mmap, os, time\nhold = lambda memory: time.sleep(9)\n{HOLDERS[name]}\ntime.sleep(9)"
    done = run([PYTHON, "-S", "-c", program], readable=[], writable=tmp_path, limits=Limits(seconds=9, memory_megabytes=256, processes=8))
    assert done.stopped_by == "memory"


@pytest.mark.skipif(not Path(PYTHON).exists(), reason="no system Python to allocate with")
def test_a_group_in_which_a_process_was_ended_serves_no_other_command(tmp_path):
    command = [PYTHON, "-S", "-c", f"import mmap\n{HOLDERS['shared memory']}"]
    assert run(command, readable=[], writable=tmp_path, limits=ALONE).stopped_by == "memory"
    time.sleep(0.5)  # a group whose processes are still ending may stay
    assert shell("true", tmp_path).stopped_by is None


def test_no_group_outlives_its_maker(tmp_path):
    if not (group := cgroups.take(SMALL.most_held)):
        pytest.skip("no control groups that limit memory here")
    cgroups.give_back(group)
    left = group.folder.with_name("conflict_free-999999999-0")
    left.mkdir()
    maker = "import os; from conflict_free.grading import cgroups; group = cgroups.take(1 << 28); print(os.getpid(), group.folder.is_dir())"
    done = subprocess.run([sys.executable, "-c", maker], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    pid, was_there = done.stdout.split()
    assert was_there == "True" and not left.exists() and not list(left.parent.glob(f"conflict_free-{pid}-*"))


#: By the version of control groups: this process's line, the folder for groups, and the files with the limits and the events.
VERSIONS = {
    "first": ("4:memory:/grader", "memory/grader", ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"), "memory.oom_control"),
    "second": ("0::/slice/grader", "slice", ("memory.max", "memory.swap.max"), "memory.events"),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_groups_of_either_version_are_found_and_limited(version, tmp_path, monkeypatch):
    line, parent, limits, events = VERSIONS[version]
    (tmp_path / "own").write_text(f"1:cpu:/\n{line}\n", encoding="ascii")
    (tmp_path / parent).mkdir(parents=True)
    (tmp_path / parent / "cgroup.subtree_control").write_text("cpu memory", encoding="ascii")
    mkdir = Path.mkdir

    def mkdir_of_kernel(folder: Path) -> None:
        mkdir(folder)
        for name, text in {**dict.fromkeys(limits, ""), events: "oom_kill 0\n", "cgroup.procs": ""}.items():
            (folder / name).write_text(text, encoding="ascii")

    monkeypatch.setattr(Path, "mkdir", mkdir_of_kernel)
    monkeypatch.setattr(cgroups.atexit, "register", lambda *_: None)
    assert cgroups._parent(tmp_path, tmp_path / "own") == tmp_path / parent
    group = cgroups.Group(tmp_path / parent / "group", 4096)
    swap = 4096 if version == "first" else 0
    assert [int((group.folder / name).read_text()) for name in limits] == [4096, swap] and group.is_empty() and not group.has_killed()
    (group.folder / events).write_text("max 3\noom_kill 1\n", encoding="ascii")
    assert group.has_killed()


@pytest.mark.skipif(not Path(PYTHON).exists(), reason="no system Python to allocate with")
def test_there_are_no_files_in_memory(tmp_path):
    command = [PYTHON, "-S", "-c", "import os; os.memfd_create('x')"]
    assert run(command, readable=[], writable=tmp_path, limits=ALONE).stderr.endswith(
        "PermissionError: [Errno 1] Operation not permitted\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "exec 3>>/proc/sys/vm/swappiness",
        "exec 3>>/proc/sys/kernel/core_pattern",
        "exec 3<>/proc/1/mem",
        "exec 3>/proc/self/mem",
        "exec 3>/proc/self/oom_score_adj",
    ],
)
def test_nothing_of_proc_can_be_written(command, tmp_path):
    """The files are only opened: where this fails, nothing of the machine changes."""
    assert shell(f"({command}) 2>/dev/null && echo written", tmp_path).stdout == ""


def test_a_command_runs_as_nobody_of_this_machine(tmp_path):
    """Root inside a user namespace could write what root owns outside of it."""
    assert shell("touch file; id -u; id -g; grep CapEff /proc/self/status", tmp_path).stdout.split() == [
        "65534",
        "65534",
        "CapEff:",
        "0000000000000000",
    ]
    assert os.geteuid() != 0 or (tmp_path / "file").stat().st_uid == 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's files are unreadable for nobody")
def test_what_nobody_can_read_is_refused_to_root(tmp_path):
    (tmp_path / "given").touch(mode=0o600)
    (tmp_path / "folder").mkdir()
    with pytest.raises(Stop, match="root runs a submission as nobody, who cannot read this"):
        shell("true", tmp_path / "folder", readable=[tmp_path / "given"])


@pytest.mark.parametrize(
    "command",
    [
        "i=0; while [ $i -lt 300 ]; do mkdir d && cd d || exit; i=$((i+1)); done",
        "i=0; while [ $i -lt 500 ]; do mkdir d$i || exit; i=$((i+1)); done",
    ],
)
def test_folders_without_end_are_too_many_files(command, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "_MOST_ENTRIES", 400)  # more than the first has, which is too deep
    folder = tmp_path / "folder"
    folder.mkdir()
    assert shell(command, folder, Limits(seconds=20, processes=8)).stopped_by == "files"
    scratch.remove(folder)


def together(folder: Path, *commands: str, **options):
    jobs = []
    for number, command in enumerate(commands):
        own = folder / str(number)
        own.mkdir()
        jobs.append(Job(["sh", "-c", command], [], own, SMALL, **options))
    return run_together(jobs)


def test_two_that_belong_together_see_neither_each_others_files_nor_each_other(tmp_path):
    first, second = together(tmp_path, "echo secret > file; sleep 0.3", f"sleep 0.1; cat {tmp_path}/0/file; ls -d /proc/[0-9]* | wc -l")
    assert (first.returncode, first.stopped_by) == (0, None) and "secret" not in second.stdout and int(second.stdout) <= 4


def test_two_talk_over_a_socket_that_both_are_given(tmp_path):
    ends = socket.socketpair()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    talk = "import socket, sys; s = socket.socket(fileno=int(sys.argv[1])); s.sendall(b'{0}'); print(s.recv(9).decode())"
    jobs = [
        Job([PYTHON, "-c", talk.format(name), str(end.fileno())], [], tmp_path / name, SMALL, descriptors=[end.fileno()])
        for name, end in zip(("one", "other"), ends)
    ]
    done = run_together(jobs, started=lambda: [end.close() for end in ends])
    assert [each.stdout for each in done] == ["other\n", "one\n"] and all(each.stopped_by is None for each in done)


def test_after_the_first_has_ended_the_other_gets_a_moment(tmp_path):
    first, second = together(tmp_path, "true", "sleep 60")
    assert first.stopped_by is None and second.stopped_by == "time"


def test_who_closes_its_output_and_goes_on_is_ended(tmp_path):
    done = shell("exec >&- 2>&-; sleep 60", tmp_path, Limits(seconds=0.2, processes=8))
    assert done.stopped_by == "time"


def test_a_group_that_another_program_has_removed_is_not_taken_again():
    if not (group := cgroups.take(SMALL.most_held)):
        pytest.skip("this machine lets no process limit groups")
    cgroups.give_back(group)
    group.folder.rmdir()
    other = cgroups.take(SMALL.most_held)
    assert other and other.folder != group.folder and other.is_empty() and not group.has_killed()
    cgroups.give_back(other)


@pytest.mark.parametrize("confined", [True, False])
def test_a_command_that_cannot_be_limited_is_no_end_of_the_command(confined, tmp_path, monkeypatch):
    gone = SimpleNamespace(processes=tmp_path / "gone" / "cgroup.procs", has_killed=lambda: False)
    monkeypatch.setattr(cgroups, "take", lambda most: gone)
    monkeypatch.setattr(cgroups, "give_back", lambda group: None)
    with pytest.raises(OSError, match="a command cannot be limited: .*gone"):
        shell("exit 0", tmp_path, confined=confined)
