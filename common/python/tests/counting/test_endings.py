"""scripts/count on programs that end early or never: the messages, and the report."""

import argparse
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import REPOSITORY
from counting_tools import BUILD, needs_model, read_report, run

from conflict_free.console import Stop, module_command
from conflict_free.counting import subcommands

pytestmark = pytest.mark.long

pytest_plugins = ["counting_fixtures"]


def test_ctrl_c_while_python_starts_is_one_line():
    def held_back() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)

    command = module_command(sys.executable, "counting.subcommands", "show", "report.json")
    done = subprocess.run(command, preexec_fn=held_back, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_full_folder_for_temporary_files_is_named(monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(subcommands, "_counted_in_folder", full)
    with pytest.raises(Stop, match="is full; TMPDIR can name another"):
        subcommands._counted(argparse.Namespace(), "sm_90", Path("program"))


@needs_model
def test_a_launch_that_is_stopped_says_so(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "-D", "TO_NOWHERE", "--json", "out.json")
    assert done.returncode == 1
    data = read_report(folder)
    assert [kernel.get("stopped") for kernel in data["kernels"]] == [None, True, None]
    assert "counts of each of 2 launches\n" in done.stdout
    assert "stopped before its end; counted until then\n" in done.stdout


@needs_model
def test_the_exit_code_is_the_programs(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "--", "-x")
    assert done.returncode == 1
    assert done.stdout.startswith("value 1, -x\n")
    assert "the program's exit code 1" in done.stdout


@needs_model
def test_a_crash_is_reported_with_what_is_known(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "--json", "out.json", "--", "a", "b")
    assert done.returncode == 134
    assert "3 launches" in done.stdout
    data = read_report(folder)
    assert len(data["kernels"]) == 3 and data["exit_code"] == 134


@needs_model
def test_a_kernel_that_never_ends_is_stopped(folder):
    (folder / "spin.cu").write_text(
        "__global__ void spin(volatile int* p) { while (*p == 0) {} }\n"
        "int main() { int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); spin<<<1, 1>>>(p); return 0; }\n",
        encoding="utf-8",
    )
    done = run(folder, "spin.cu", "--timeout", "1", "--json", "out.json")
    assert done.returncode != 0
    assert "spin" in done.stdout + done.stderr
    read_report(folder)


# A correct launch, and then the ending.
ENDINGS = """\
#include <csignal>
#include <cstdlib>
#include <unistd.h>
__global__ void fill(int* p) { p[threadIdx.x] = 1; }
__global__ void spin(int* p) { for (;;) {} }
__global__ void look(volatile int* p) { while (p[7] != 2) {} }
__global__ void dynamic(int* p) { extern __shared__ int s[]; s[threadIdx.x] = 1; }
__global__ void fixed(int* p, int i) { __shared__ volatile int s[16384]; s[i] = 1; p[i] = s[i]; }
__device__ int depth(int n) { volatile int a[10]; a[0] = n; return depth(n + a[0]) + a[0]; }
__global__ void recurse(int* p) { p[threadIdx.x] = depth(1); }
int main(int argc, char** argv)
{
    int* p;
    cudaMalloc(&p, 128);
    fill<<<1, 32>>>(p);
    switch (argc > 1 ? std::atoi(argv[1]) : 0) {
    ENDING
    }
    return 0;
}
"""

# Each with the exit code, the number of launches that are in the report, and the code of the error.
WAYS_TO_END = (
    ("std::exit(3)", 3, 1, None),
    ("std::exit(719)", 207, 1, None),
    ("_exit(0)", 1, 0, "no_report"),
    ("kill(getpid(), SIGKILL)", 137, 0, "no_report"),
    ("throw 7", 134, 1, "ended_in_host_code"),
    ("*(volatile int*)8 = 1", 139, 1, "ended_in_host_code"),
    ("std::exit(p[7])", 139, 1, "host_accesses_device_memory"),
    ("p[7] = 1", 139, 1, "host_accesses_device_memory"),
    ("spin<<<1, 32>>>(p)", 1, 2, "kernel_does_not_end"),
    ("fill<<<2000000000, 32>>>(p)", 1, 2, "kernel_does_not_end"),
    ("look<<<3, 64>>>(p)", 1, 2, "waits_in_vain"),
    ("for (volatile int i = 0;; i = 1) {}", 152, 1, "host_code_does_not_end"),
    ("for (;;) free(malloc(100))", 152, 1, "host_code_does_not_end"),
    ("fill<<<1, 2048>>>(p)", 1, 1, "block_too_large"),
    ("fill<<<dim3(1, 65536), 32>>>(p)", 1, 1, "grid_too_large"),
    ("dynamic<<<1, 32, 1 << 20>>>(p)", 1, 1, "too_much_dynamic_shared_memory"),
    ("fixed<<<1, 1>>>(p, 0)", 1, 1, "too_much_static_shared_memory"),
    ("recurse<<<1, 32>>>(p)", 1, 2, "too_many_calls"),
    ('setenv("SIMT_KEEP_FREE", "1000000000000000", 1); spin<<<1, 32>>>(p)', 1, 2, "no_memory_left"),
    ('setenv("SIMT_KEEP_FREE", "1000000000000000", 1); cudaMalloc(&p, 128)', 1, 1, "no_memory_left"),
)


# Ways to go on without end, or for long.
GOES_ON = """\
#include <unistd.h>
__global__ void add(int* p) { p[threadIdx.x]++; }
__global__ void same(int* p) { p[threadIdx.x] = 1; }
__global__ void longer(volatile int* p) { for (int i = 0; i < 1 << 30; i++) p[threadIdx.x]++; }
int main(int, char** words)
{
    int* p;
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    switch (*words[1]) {
    case 'a': for (;;) add<<<1, 32>>>(p);
    case 's': for (;;) same<<<1, 32>>>(p);
    case 'l': longer<<<1, 32>>>(p); break;
    default: for (;;) pause();
    }
    return 0;
}
"""

# Kernels and host code with a loop that never ends, among loops that end. The comment marks the line that the message names.
LOOPS = """\
#include <cstdlib>
__device__ __noinline__ int halved(int n) { int turns = 0; while (n > 1) { n /= 2; turns++; } return turns; }
__global__ void around(volatile int* p)
{
    for (int n = 1; n != 0; n = n * 3 | 1)  // around
        for (int i = 0; i < 37; i++)
            p[i % 8] = n;
}
__global__ void within(volatile int* p)
{
    for (int i = 0; i < 10; i++) {
        p[i] = i;
        unsigned n = i + 1;
        while (n) n = n * 3 | 1;  // within
        p[i] = n;
    }
}
__global__ void calls(int* p)
{
    while (p[0] >= 0)  // calls
        p[0] = halved(p[0] + 5);
}
__global__ void some_lanes(int* p)
{
    unsigned n = threadIdx.x;
    do
        n = n * 4;
    while (n % 2 != threadIdx.x / 20);  // some_lanes
    p[threadIdx.x] = n;
}
int main(int, char** words)
{
    int* p;
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    switch (*words[1]) {
    case 'a': around<<<1, 1>>>(p); break;
    case 'w': within<<<2, 96>>>(p); break;
    case 'c': calls<<<1, 1>>>(p); break;
    case 's': some_lanes<<<1, 32>>>(p); break;
    default: while (std::atoi(words[1]) == 0) {}  // host
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Path:
    """A folder with a program for all ways to end, one for all ways to go on and one for all loops: each is compiled once."""
    folder = tmp_path_factory.mktemp("programs")
    cases = "\n    ".join(f"case {number}: {way[0]}; break;" for number, way in enumerate(WAYS_TO_END))
    for name, text in (("endings", ENDINGS.replace("ENDING", cases)), ("goes_on", GOES_ON), ("loops", LOOPS)):
        (folder / f"{name}.cu").write_text(text, encoding="utf-8")
    return folder


@needs_model
@pytest.mark.parametrize("ending, code, launches, error", WAYS_TO_END)
def test_whatever_ends_a_program_is_said_with_what_is_known(programs, ending, code, launches, error):
    number = [way[0] for way in WAYS_TO_END].index(ending)
    done = run(programs, "endings.cu", "--timeout", "1", "--json", "out.json", "--", str(number))
    assert done.returncode == code, done.stdout + done.stderr
    data = read_report(programs)
    assert f"the program's exit code {data['exit_code']}" in done.stdout
    assert len(data["kernels"]) == launches
    assert [each["code"] for each in data["errors"]] == ([error] if error else [])
    assert all(each["message"] in done.stdout.replace("\n", " ") for each in data["errors"])
    assert all(not each["fields"].get("line") for each in data["errors"]) or "2000000000" not in ending
    assert ("Linux kills programs when memory is short" in done.stdout) == (code == 137)
    (programs / "out.json").unlink()


@needs_model
@pytest.mark.parametrize("way", ["add", "same", "longer", "pause"])
def test_a_program_may_have_a_limit_on_its_whole_time(programs, way):
    done = run(programs, "goes_on.cu", "--time-limit", "1", "--launches", "1", "--json", "out.json", "--", way)
    assert done.returncode == 152
    data = read_report(programs)
    assert [(each["name"], each.get("stopped", False)) for each in data["kernels"][:1]] == (
        [] if way == "pause" else [(way, way == "longer")]
    )
    [error] = data["errors"]
    where = (
        f", goes_on.cu:{1 + GOES_ON.partition('pause()')[0].count(chr(10))}" if way == "pause" else f"; the last launch was of kernel {way}"
    )
    assert error["message"] == f"no end within the 1 s of --time-limit{where}" and error["message"] in done.stdout
    (programs / "out.json").unlink()


@needs_model
@pytest.mark.parametrize("loop", ["around", "within", "calls", "some_lanes", "host"])
def test_an_endless_loop_is_named(programs, loop):
    done = run(programs, "loops.cu", "--timeout", "1", "--json", "out.json", "--", loop)
    assert done.returncode == (152 if loop == "host" else 1)
    [line] = [number for number, text in enumerate(LOOPS.splitlines(), start=1) if text.endswith(f"// {loop}")]
    [error] = read_report(programs)["errors"]
    assert error["message"].endswith(f", loops.cu:{line}") and "condition never becomes false" in done.stdout
    (programs / "out.json").unlink()


@needs_model
@pytest.mark.parametrize(
    "ending, error",
    [
        ('std::puts("ready"); std::fflush(stdout); for (volatile int i = 0;; i = 1) {}', "ended_in_host_code"),
        ('std::puts("ready"); std::fflush(stdout); spin<<<1, 32>>>(p)', "ended_in_kernel"),
    ],
)
def test_an_interrupt_is_reported_with_what_is_known(folder, ending, error):
    (folder / "endings.cu").write_text("#include <cstdio>\n" + ENDINGS.replace("ENDING", f"default: {ending};"), encoding="utf-8")
    build = ("--build-dir", BUILD)
    with subprocess.Popen(
        [sys.executable, str(REPOSITORY / "scripts" / "count"), *build, "endings.cu", "--json", "out.json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)  # the program goes on from there
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl+C does
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    data = read_report(folder)
    # The counts of the running kernel are kept.
    assert [kernel.get("stopped", False) for kernel in data["kernels"]] == [False, True][: 1 + (error == "ended_in_kernel")]
    assert [(each["code"], each["fields"]["signal"]) for each in data["errors"]] == [(error, signal.SIGINT)]
    assert data["errors"][0]["message"] in out
    assert {path.name for path in folder.iterdir()} == {"endings.cu", "out.json", "reverse.cu", "start.cuh"}


@needs_model
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_us_ends_the_program(folder, number):
    (folder / "wait.cu").write_text(
        '#include <cstdio>\n#include <unistd.h>\nint main() { std::printf("%d\\n", getpid()); std::fflush(stdout); sleep(1000); }\n',
        encoding="utf-8",
    )
    with subprocess.Popen(
        [sys.executable, str(REPOSITORY / "scripts" / "count"), "--build-dir", BUILD, "wait.cu"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    ) as process:
        program = int(process.stdout.readline())
        process.send_signal(number)
        process.wait(60)
    for _ in range(100):
        if not Path(f"/proc/{program}").exists():
            return
        time.sleep(0.1)
    pytest.fail("the program goes on")


ENDLESS_CHILDREN = """\
__global__ void again(int* depth)
{
    if (threadIdx.x == 0) {
        ++*depth;
        again<<<1, 32>>>(depth);
    }
}
int main()
{
    int* depth;
    cudaMallocManaged(&depth, sizeof(int));
    *depth = 0;
    again<<<1, 32>>>(depth);
    const int error = cudaDeviceSynchronize();
    return error == cudaErrorLaunchMaxDepthExceeded && *depth == 25 ? 0 : 3;
}
"""


@needs_model
def test_a_kernel_that_launches_itself_without_end_is_stopped(folder):
    (folder / "again.cu").write_text(ENDLESS_CHILDREN, encoding="utf-8")
    done = run(folder, "again.cu", "-rdc=true")
    assert "kernel again was not launched by kernel again: it would be 25 launches below the host's" in done.stdout
    assert "the program's exit code 0" in done.stdout
