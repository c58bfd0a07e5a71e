# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/count: its arguments, its programs and its report.

The tests that build a program take the model from the build folder that CONFLICT_FREE_BUILD names, as CTest does.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from conftest import REPOSITORY

from conflict_free.counting import count, launches, printed_report, subcommands

BUILD = os.environ.get("CONFLICT_FREE_BUILD")
SCHEMA = json.loads((REPOSITORY / "common" / "model" / "report.schema.json").read_text(encoding="utf-8"))

needs_model = pytest.mark.skipif(not BUILD, reason="CONFLICT_FREE_BUILD names no build folder")

HEADER = """\
#pragma once
__device__ float doubled(float x) { return 2 * x; }
template <class T>
void start(T* out) { reverse<<<1, 64>>>(out); }
"""
SOURCE = """\
#include <cstdio>
#include <cstdlib>

template <class T>
__global__ void reverse(T* out)
{
    __shared__ T tile[64];
    tile[threadIdx.x] = threadIdx.x;
#ifndef RACE
    __syncthreads();
#endif
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
#include "start.cuh"

int main(int argc, char** argv)
{
    float *out;
    cudaMalloc(&out, 64 * sizeof(float));
#ifdef TO_NOWHERE
    start(out);
    start(static_cast<float*>(nullptr));
    start(out);
#else
    for (int i = 0; i < 3; ++i) start(out);
#endif
    std::printf("value %d, %s\\n", VALUE, argc > 1 ? argv[1] : "no argument");
    if (argc > 2) std::abort();
    return argc - 1;
}
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Runs scripts/count in `folder` with the model that is built."""
    build = ("--build-dir", BUILD) if BUILD else ()
    return subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "count"), *build, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "reverse.cu").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "start.cuh").write_text(HEADER, encoding="utf-8")
    return tmp_path


# --- programs ----------------------------------------------------------------------------------


@needs_model
def test_a_program_is_counted_line_by_line(folder):
    done = run(folder, "reverse.cu", "-D", "VALUE=7", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("value 7, no argument\nCounted by the rules of sm_90\n")
    assert "reverse<float>   grid 1 · block 64 · 256 bytes of shared memory · counts of each of 3 launches" in done.stdout
    assert "shared store      2 1.00    8     tile[threadIdx.x] = threadIdx.x;" in done.stdout
    assert done.stdout.endswith("3 launches, 0 hazards, the program's exit code 0\n")
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
    assert [kernel["launch"] for kernel in data["kernels"]] == [0, 1, 2]
    assert data["kernels"][0]["global_store"]["sectors"] == 8
    for kernel in data["kernels"]:
        for space, number in (("shared", "wavefronts"), ("global", "sectors")):
            for op in ("load", "store"):
                lines = [line[number] for line in kernel["lines"] if (line["space"], line["op"]) == (space, op)]
                assert sum(lines) == kernel[f"{space}_{op}"][number]


@needs_model
def test_a_hazard_is_an_exit_code_and_quotes_both_lines(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "-D", "RACE", "--json", "out.json")
    assert done.returncode == 1
    assert "race in reverse<float>, block (0, 0, 0), threads" in done.stdout
    assert "  reverse.cu:12  out[threadIdx.x] = tile[63 - threadIdx.x];" in done.stdout
    assert "  reverse.cu:8   tile[threadIdx.x] = threadIdx.x;" in done.stdout
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
    assert data["exit_code"] == 0
    assert any(hazard["kind"] == "race" for hazard in data["hazards"])


@needs_model
def test_a_launch_that_is_stopped_says_so(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "-D", "TO_NOWHERE", "--json", "out.json")
    assert done.returncode == 1
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
    assert [kernel.get("stopped") for kernel in data["kernels"]] == [None, True, None]
    assert "counts of each of 2 launches\n" in done.stdout
    assert "stopped before its end, counted until then\n" in done.stdout


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
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
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
    jsonschema.validate(json.loads((folder / "out.json").read_text(encoding="utf-8")), SCHEMA)


# A correct launch, and then the ending.
ENDINGS = """\
#include <cstdlib>
#include <unistd.h>
__global__ void fill(int* p) { p[threadIdx.x] = 1; }
__global__ void spin(int* p) { for (;;) {} }
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


# Each with the exit code, the number of launches that are in the report, and what is said.
WAYS_TO_END = (
    ("std::exit(3)", 3, 1, "the program's exit code 3"),
    ("std::exit(719)", 207, 1, "the program's exit code 207"),
    ("_exit(0)", 1, 0, "the program left no report of what it did (it ended with exit code 0)"),
    ("throw 7", 134, 1, "in host code: ended by signal 6 (Aborted)"),
    ("*(volatile int*)8 = 1", 139, 1, "in host code: ended by signal 11 (Segmentation fault)"),
    ("std::exit(p[7])", 139, 1, ", endings.cu:20; copy it with cudaMemcpy, or use managed memory, ended by signal 11 (Segmentation fault)"),
    ("p[7] = 1", 139, 1, "host code writes device memory at 0x"),
    ("spin<<<1, 32>>>(p)", 1, 2, "kernel spin, block (0, 0, 0): did not end within 1 s of processor time"),
    ("fill<<<2000000000, 32>>>(p)", 1, 2, "did not end within 1 s of processor time"),
    ("fill<<<1, 2048>>>(p)", 1, 1, "kernel fill was not launched: no block of sm_90 has 2048 x 1 x 1 threads"),
    ("fill<<<dim3(1, 65536), 32>>>(p)", 1, 1, "kernel fill was not launched: no grid has 1 x 65536 x 1 blocks"),
    ("dynamic<<<1, 32, 1 << 20>>>(p)", 1, 1, "kernel dynamic was not launched: 1048576 bytes of dynamic shared memory"),
    ("fixed<<<1, 1>>>(p, 0)", 1, 1, "kernel fixed was not launched: "),
    ("recurse<<<1, 32>>>(p)", 1, 2, "as by recursion without end"),
)


@pytest.fixture(scope="module")
def endings(tmp_path_factory) -> Path:
    """A folder with one program for all ways to end, which is compiled once."""
    folder = tmp_path_factory.mktemp("endings")
    cases = "\n    ".join(f"case {number}: {way[0]}; break;" for number, way in enumerate(WAYS_TO_END))
    (folder / "endings.cu").write_text(ENDINGS.replace("ENDING", cases), encoding="utf-8")
    return folder


@needs_model
@pytest.mark.parametrize("ending, code, launches, said", WAYS_TO_END)
def test_whatever_ends_a_program_is_said_with_what_is_known(endings, ending, code, launches, said):
    number = [way[0] for way in WAYS_TO_END].index(ending)
    done = run(endings, "endings.cu", "--timeout", "1", "--json", "out.json", "--", str(number))
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
    data = json.loads((endings / "out.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
    assert len(data["kernels"]) == launches
    (endings / "out.json").unlink()


@needs_model
@pytest.mark.parametrize(
    "ending, said",
    [
        ('std::puts("ready"); std::fflush(stdout); for (volatile int i = 0;; i = 1) {}', "in host code: ended by signal 2 (Interrupt)"),
        ('std::puts("ready"); std::fflush(stdout); spin<<<1, 32>>>(p)', "while kernel spin ran: ended by signal 2 (Interrupt)"),
    ],
)
def test_an_interrupt_is_reported_with_what_is_known(folder, ending, said):
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
    assert said in out
    data = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert len(data["kernels"]) == 1
    assert {path.name for path in folder.iterdir()} == {"endings.cu", "out.json", "reverse.cu", "start.cuh"}


@needs_model
def test_a_source_without_main_is_named(folder):
    (folder / "kernel.cu").write_text("__global__ void k() {}\n", encoding="utf-8")
    done = run(folder, "kernel.cu")
    assert done.returncode == 2
    assert done.stderr == "error: kernel.cu has no main function: the model runs a whole program\n"


@needs_model
def test_a_program_is_compiled_once_until_a_file_of_it_changes(folder):
    first = run(folder, "reverse.cu", "-DVALUE=2")
    assert run(folder, "reverse.cu", "-DVALUE=2").stdout == first.stdout
    (folder / "start.cuh").write_text(HEADER.replace("1, 64", "2, 64"), encoding="utf-8")
    assert "grid 2" in run(folder, "reverse.cu", "-DVALUE=2").stdout


@needs_model
def test_included_files_may_lie_in_other_folders(folder):
    (folder / "elsewhere").mkdir()
    (folder / "start.cuh").rename(folder / "elsewhere" / "start.cuh")
    done = run(folder, "reverse.cu", "-DVALUE=1")
    assert done.returncode == 2
    assert "reverse.cu:14:" in done.stderr and "start.cuh" in done.stderr
    assert run(folder, "reverse.cu", "-DVALUE=1", "-I", "elsewhere").returncode == 0


MAIN = """\
#include <cstdio>
__global__ void add(int* p);
extern __device__ int step();
int main()
{
    int *p, value = 0;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    add<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", value);
}
"""


@needs_model
def test_a_program_of_several_files_is_linked(folder):
    (folder / "main.cu").write_text(MAIN, encoding="utf-8")
    (folder / "add.cu").write_text("__device__ int step();\n__global__ void add(int* p) { *p += step(); }\n", encoding="utf-8")
    (folder / "step.cu").write_text("__device__ int step() { return 42; }\n", encoding="utf-8")
    done = run(folder, "main.cu", "add.cu", "step.cu", "-rdc=true", "-arch=sm_80")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("42\nCounted")


@needs_model
def test_joined_accesses_are_counted_joined(folder):
    (folder / "wide.cu").write_text(WIDE, encoding="utf-8")
    done = run(folder, "wide.cu", "--json", "out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    (kernel,) = json.loads((folder / "out.json").read_text(encoding="utf-8"))["kernels"]
    assert kernel["exact"] and kernel["shared_store"]["instructions"] == 4
    assert kernel["fused"][0]["sass"] == "STS.128"
    assert "wide.cu:5: st.shared.u32 -> STS.128: ptxas joins 4 neighboring accesses into one" in done.stdout


WIDE = """\
__global__ void wide(float4* out)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) s[4 * t + i] = t * i;
    __syncthreads();
    out[t] = *reinterpret_cast<float4*>(&s[4 * (127 - t)]);
}
int main() { float4* p; cudaMalloc(&p, 128 * 16); wide<<<1, 128>>>(p); return cudaDeviceSynchronize(); }
"""


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


@needs_model
def test_older_machines_count_by_their_own_rules(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "--machine", "fermi")
    assert "Counted by the rules of fermi\n" in done.stdout
    done = run(folder, "reverse.cu", "-DVALUE=1", "--machine", "riva128")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "argument --machine: 'riva128' given, one of sm_90, " in done.stderr


# --- sources that cannot be counted ------------------------------------------------------------


@needs_model
def test_a_compile_error_names_file_and_line(folder):
    (folder / "wrong.cu").write_text("int main()\n{\n    return undefined;\n}\n", encoding="utf-8")
    done = run(folder, "wrong.cu", "--json", "out.json")
    assert done.returncode == 2
    assert "wrong.cu(3): error: " in done.stderr and "undefined" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: wrong.cu does not compile")
    assert not (folder / "out.json").exists()


# --- arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["nowhere.cu"], "'nowhere.cu' given, a CUDA source file is accepted"),
        (["."], "'.' given, a CUDA source file is accepted"),
        (["reverse.cu", "--json", "nowhere/out.json"], "--json: 'nowhere/out.json' given"),
        (["reverse.cu", "--json", "."], "--json: '.' given"),
        (["reverse.cu", "-D"], "argument -D: nothing given, a value is accepted"),
        (["reverse.cu", "-c"], "argument -c: given, options with which nvcc makes a program are accepted"),
        (["reverse.cu", "-o", "x"], "argument -o: given"),
        (["reverse.cu", "--timeout", "0"], "--timeout: '0' given, a number of seconds above 0 is accepted"),
        (["reverse.cu", "--timeout", "inf"], "--timeout: 'inf' given"),
        (["reverse.cu", "--build-dir", "."], "--build-dir: '.' given"),
        ([], "FILE.cu"),
        (["reverse.cu", "other.cu"], "other.cu"),
    ],
)
def test_wrong_arguments_are_one_line(folder, arguments, named):
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert named in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_what_follows_the_dashes_is_the_programs(folder):
    options = count.parse([str(folder / "reverse.cu"), "-DA=b c", "-D", "F(x)=x", "-rdc=true", "-lcurand", "--", "--json", "-D", "--"])
    assert options.files == [folder / "reverse.cu"]
    assert options.nvcc == ["-DA=b c", "-D", "F(x)=x", "-rdc=true", "-lcurand"]
    assert options.arguments == ["--json", "-D", "--"]
    assert options.json is None


# --- the model's library -----------------------------------------------------------------------


def test_the_model_is_built_when_it_is_new(tmp_path, monkeypatch, capsys):
    """The set-up, the configuration and the build only tell that they were called."""
    source = tmp_path / "common" / "model" / "src" / "a.cpp"
    source.parent.mkdir(parents=True)
    source.write_text("int a;", encoding="utf-8")
    (tmp_path / "build" / count.PRESET).mkdir(parents=True)
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("", encoding="utf-8")
    calls = []
    monkeypatch.setattr(count, "ROOT", tmp_path)
    monkeypatch.setattr(count.folders, "VENV", tmp_path / "venv")
    for module, name in ((count.setup, "set_up"), (count.cmake, "configure"), (count.cmake, "build")):
        monkeypatch.setattr(module, name, lambda *_, name=name, **__: calls.append(name) or print(name))
    assert count.build_model() == count.build_model() == tmp_path / "build" / count.PRESET
    assert calls == ["set_up", "configure", "build"]
    assert capsys.readouterr() == ("", "set_up\nconfigure\nbuild\n")  # stdout is the program's
    source.write_text("int a, b;", encoding="utf-8")
    count.build_model()
    assert len(calls) == 6


# --- the report --------------------------------------------------------------------------------


def shared(instructions=0, wavefronts=0, ideal=0):
    return {"instructions": instructions, "wavefronts": wavefronts, "ideal_wavefronts": ideal, "conflicts": wavefronts - ideal}


def global_(requests=0, sectors=0, ideal=0, size=0):
    return {"requests": requests, "sectors": sectors, "ideal_sectors": ideal, "bytes": size}


def kernel(launch=0, **changes) -> dict:
    """A launch of one block whose line 3 stores with conflicts."""
    return {
        "name": "k",
        "launch": launch,
        "grid": [1, 1, 1],
        "block": [32, 2, 1],
        "shared_bytes": 0,
        "shared_load": shared(),
        "shared_store": shared(4, 128, 4),
        "global_load": global_(),
        "global_store": global_(),
        "barriers": 1,
        "lines": [{"file": "a.cu", "line": 3, "space": "shared", "op": "store", **shared(4, 128, 4)}],
        **changes,
    }


def report(*kernels, **changes) -> dict:
    data = {"machine": "sm_90", "kernels": list(kernels), "hazards": [], "exit_code": 0, **changes}
    jsonschema.validate(data, SCHEMA)
    return data


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "a.cu"
    path.write_text("__global__ void k()\n{\n\ts[0] = 1;\n}\n// after\n", encoding="utf-8")
    return path


def shown(capsys, data: dict, *sources: Path) -> str:
    printed_report.show(data, sources)
    return capsys.readouterr().out


def test_launches_of_one_configuration_are_folded():
    folded = launches.fold([kernel(0), kernel(1), kernel(2, block=[64, 1, 1]), kernel(3)])
    assert [(launches.number, launches.differ) for launches in folded] == [(3, False), (1, False)]
    assert folded[0].counts["shared_store"]["wavefronts"] == 128


def test_a_launch_that_was_stopped_is_not_summed_with_whole_ones(capsys):
    half = {"shared_store": shared(2, 64, 2), "stopped": True}
    text = shown(capsys, report(kernel(0), kernel(1, **half), kernel(2), kernel(3, **half), kernel(4, **{**half, "barriers": 0})))
    assert re.findall(r"^k +(.*)", text, re.MULTILINE) == [
        "grid 1 · block 32 x 2 · counts of each of 2 launches",
        "grid 1 · block 32 x 2 · sums of 3 launches · stopped before its end, counted until then",
    ]


def test_launches_that_differ_are_summed():
    other = kernel(
        1,
        shared_store=shared(5, 10, 5),
        lines=[
            {"file": "a.cu", "line": 2, "space": "shared", "op": "store", **shared(1, 2, 1)},
            {"file": "a.cu", "line": 3, "space": "shared", "op": "store", **shared(4, 8, 4)},
        ],
    )
    (folded,) = launches.fold([kernel(0), other])
    assert folded.differ and folded.number == 2
    assert folded.counts["shared_store"] == shared(9, 138, 9)
    assert folded.counts["barriers"] == 2 and folded.counts["grid"] == [1, 1, 1]
    assert [(line["line"], line["wavefronts"]) for line in folded.counts["lines"]] == [(2, 2), (3, 136)]


def test_the_listing_shows_the_function_and_its_counts(capsys, source):
    text = shown(capsys, report(kernel()), source)
    assert "\n1 barrier\n" in text
    assert "k   grid 1 · block 32 x 2\n" in text
    assert "store              4         128        4        124            32.00\n" in text
    assert "shared store      4 32.00    3     s[0] = 1;\n" in text
    assert "   1 __global__ void k()\n" in text and "// after" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_rare_counts_are_shown(capsys, source):
    lines = [
        {"file": "a.cu", "line": 3, "space": "constant", "op": "load", "instructions": 4, "words": 8},
        {"file": "a.cu", "line": 3, "space": "global", "op": "async_copy", **global_(4, 64, 64, 2048)},
    ]
    text = shown(
        capsys,
        report(
            kernel(
                lines=lines,
                local_store=global_(2, 8, 8, 256),
                constant_load={"instructions": 4, "words": 8},
                async_copy={"global": global_(4, 64, 64, 2048), "shared": shared(4, 16, 16)},
            )
        ),
        source,
    )
    assert re.search(r"^local +requests.*\nstore +2 +8 ", text, re.MULTILINE)
    assert re.search(r"^constant +instructions +words +words each\nload +4 +8 +2.00$", text, re.MULTILINE)
    assert len(re.findall(r"^async copy +4 ", text, re.MULTILINE)) == 2
    assert "constant load" in text and "global async copy" in text


def test_what_is_not_exact_says_so(capsys, source):
    note = {"file": "a.cu", "line": 3, "ptx": "ld.shared.f32", "sass": "LDS.64", "why": "w"}
    text = shown(capsys, report(kernel(exact=False, fused=[note])), source)
    assert "not exact: a GPU makes other accesses than those that are counted\n  a.cu:3: ld.shared.f32 -> LDS.64: w\n" in text


def test_lines_of_unknown_files_are_counted_but_not_listed(capsys, source):
    lines = [{"file": "", "line": 0, "space": "shared", "op": "store", **shared(4, 128, 4)}]
    text = shown(capsys, report(kernel(lines=lines)), source)
    assert "32.00" in text and "s[0]" not in text


def test_a_line_behind_the_end_of_a_changed_file_is_no_crash(capsys, source):
    lines = [{"file": "a.cu", "line": 30, "space": "global", "op": "load", **global_(4, 4, 4, 128)}]
    assert "global load" in shown(capsys, report(kernel(lines=lines)), source)


def test_a_function_on_one_line_is_listed_alone(capsys, tmp_path):
    source = tmp_path / "a.cu"
    source.write_text("#include <x>\ntemplate <class T>\n__device__ T f(T* s) { return *s; }\nstruct Other {\n};\n", encoding="utf-8")
    text = shown(capsys, report(kernel(lines=[{"file": "a.cu", "line": 3, "space": "shared", "op": "store", **shared(4, 128, 4)}])), source)
    assert "__device__ T f" in text and "template" in text and "Other" not in text


def test_a_hazard_of_an_unknown_place_is_shown(capsys):
    hazard = {
        "kind": "out_of_bounds",
        "kernel": "k",
        "block": [1, 0, 0],
        "threads": [],
        "lines": [{"file": "x.cu", "line": 3}],
        "message": "behind the end",
        "help": "",
    }
    text = shown(capsys, report(hazards=[hazard], exit_code=3))
    assert "out of bounds in k, block (1, 0, 0)\n  behind the end\n  x.cu:3\n" in text
    assert text.endswith("0 launches, 1 hazard, the program's exit code 3\n")


def test_the_exit_code_says_what_went_wrong():
    assert subcommands.exit_code(report()) == 0
    assert subcommands.exit_code(report(exit_code=7)) == 7
    assert subcommands.exit_code(report(errors=["stopped"])) == 1
    assert subcommands.exit_code(report(errors=["stopped"], exit_code=124)) == 124
    hazard = {"kind": "race", "kernel": "k", "block": [0, 0, 0], "threads": [], "lines": [], "message": "m", "help": ""}
    assert subcommands.exit_code(report(hazards=[hazard], exit_code=7)) == 1


@pytest.mark.parametrize("text", [None, "", "{"])
def test_a_program_that_leaves_no_report_is_no_silent_pass(tmp_path, text):
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    data = subcommands.read_report(path, "sm_90", 0)
    jsonschema.validate(data, SCHEMA)
    assert subcommands.exit_code(data) == 1


def test_the_json_is_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out.json"
    subcommands.write_json(target, report())
    assert json.loads(target.read_text(encoding="utf-8")) == report()
    target.unlink()
    target.mkdir()
    with pytest.raises(subcommands.Stop, match="cannot be written"):
        subcommands.write_json(target, report())
    assert list(tmp_path.iterdir()) == [target]
