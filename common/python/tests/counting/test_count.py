"""scripts/count: its programs, its arguments, and the library that it builds."""

import subprocess
import sys

import pytest
from conftest import REPOSITORY
from counting_tools import BUILD, HEADER, needs_model, read_report, run

from conflict_free.counting import count, report_diff

pytest_plugins = ["counting_fixtures"]


@needs_model
def test_a_program_is_counted_line_by_line(folder):
    done = run(folder, "reverse.cu", "-D", "VALUE=7", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("value 7, no argument\nCounted by the rules of sm_90\n")
    assert "reverse<float>   grid 1 · block 64 · 256 bytes of shared memory · counts of each of 3 launches" in done.stdout
    assert "shared store      2  1.00    8     tile[threadIdx.x] = threadIdx.x;" in done.stdout
    assert done.stdout.endswith("3 launches, 0 hazards, the program's exit code 0\n")
    data = read_report(folder)
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
    data = read_report(folder)
    assert data["exit_code"] == 0
    assert any(hazard["kind"] == "race" for hazard in data["hazards"])


@needs_model
@pytest.mark.parametrize(
    ("reader", "said"), [("head -1", ""), ("> /dev/full", "error: the output cannot be written: No space left on device\n")]
)
def test_files_are_written_where_the_text_is_not_read_to_its_end(folder, reader, said):
    # The pipe is closed, or the disk is full, before the report is printed.
    count = f"{sys.executable} {REPOSITORY}/scripts/count --build-dir {BUILD} reverse.cu -DVALUE=1 --whole-names --json out.json"
    command = f"{count} {'' if reader.startswith('>') else '|'} {reader}"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == said
    assert len(read_report(folder)["kernels"]) == 3


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
def test_a_report_names_no_file_of_a_library(folder, capsys):
    (folder / "library").mkdir()
    (folder / "library" / "put.cuh").write_text("__device__ void put(int* p) { p[32 * threadIdx.x] = 1; }\n", encoding="utf-8")
    text = "#include <put.cuh>\n__global__ void k(int* p) {\n    put(p);\n}\n"
    text += "int main() { int* p; cudaMalloc(&p, 4096); k<<<1, BLOCK>>>(p); return cudaDeviceSynchronize(); }\n"
    (folder / "calls.cu").write_text(text, encoding="utf-8")
    for block in (16, 32):
        done = run(folder, "calls.cu", "-isystem", "library", "-D", f"BLOCK={block}", "--json", f"{block}.json")
        assert done.returncode == 0, done.stderr
    assert report_diff.main([str(folder / "16.json"), str(folder / "32.json")]) == 1
    shown = capsys.readouterr().out
    assert "calls.cu:3 global store: wavefronts 4 -> 32, sectors 16 -> 32" in shown and "put.cuh" not in shown


@needs_model
def test_the_language_standard_is_that_of_nvcc_or_of_its_options(folder):
    """C++20 has a function of this name in the namespace std, which makes the call ambiguous."""
    (folder / "standard.cu").write_text(
        "#include <cmath>\nusing namespace std;\nfloat lerp(float a, float b, float t) { return a + t * (b - a); }\n"
        "int main() { return static_cast<int>(lerp(0.0f, 1.0f, 0.0f)); }\n",
        encoding="utf-8",
    )
    assert run(folder, "standard.cu").returncode == 0
    assert run(folder, "standard.cu", "-std=c++20").returncode == 2


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
    (kernel,) = read_report(folder)["kernels"]
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
def test_older_machines_count_by_their_own_rules(folder):
    done = run(folder, "reverse.cu", "-DVALUE=1", "--machine", "fermi")
    assert "Counted by the rules of fermi, as published: they were not checked on a GPU\n" in done.stdout
    assert "registers" not in done.stdout
    done = run(folder, "reverse.cu", "-DVALUE=1", "--machine", "riva128")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "argument --machine: 'riva128' given, one of sm_90, " in done.stderr


#: The warps that a multiprocessor holds by its 16, 32 or 24 blocks of 2 warps, and the most that it could hold.
HELD = [("sm_75", 32, 32, "threads"), ("sm_80", 64, 64, "threads"), ("sm_86", 32, 48, "blocks"), ("sm_89", 48, 48, "threads")]


@needs_model
@pytest.mark.parametrize(("machine", "warps", "most", "limit"), [*HELD, ("sm_100", 64, 64, "threads"), ("sm_120", 48, 48, "threads")])
def test_registers_and_warps_are_those_of_the_machine(folder, machine, warps, most, limit):
    done = run(folder, "reverse.cu", "-DVALUE=1", "--machine", machine, "--json", "out.json")
    assert done.stderr == ""
    assert f" registers a thread; {warps} of {most} warps on a multiprocessor, limited by {limit}\n" in done.stdout
    assert all(kernel["resources"]["registers"] > 0 for kernel in read_report(folder)["kernels"])


@needs_model
def test_a_kernel_that_a_machine_cannot_run_has_no_registers_there(folder):
    source = """\
__global__ void copy(int* out) {
    __shared__ int tile[32];
    unsigned at = __cvta_generic_to_shared(tile + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" :: "r"(at), "l"(out + threadIdx.x));
    out[threadIdx.x] = tile[threadIdx.x] + 1;
}
int main() { int* p; cudaMalloc(&p, 128); copy<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
"""
    (folder / "copy.cu").write_text(source, encoding="utf-8")
    assert " registers a thread; " in run(folder, "copy.cu", "--machine", "sm_80").stdout
    done = run(folder, "copy.cu", "--machine", "sm_75")
    assert " registers a thread; " not in done.stdout
    assert done.stderr.startswith("what the kernels take of sm_75 is not known: ptxas ended with ") and "sm_80" in done.stderr
    assert done.stderr.count("\n") == 1


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
    (tmp_path / "build").mkdir()
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("", encoding="utf-8")
    calls = []
    monkeypatch.setattr(count, "ROOT", tmp_path)
    monkeypatch.setattr(count.cmake, "BUILD", tmp_path / "build")
    monkeypatch.setattr(count.folders, "VENV", tmp_path / "venv")
    for module, name in ((count.setup, "set_up"), (count.cmake, "configure"), (count.cmake, "build")):
        monkeypatch.setattr(module, name, lambda *_, name=name, **__: calls.append(name) or print(name))
    assert count.build_model() == count.build_model() == tmp_path / "build"
    assert calls == ["set_up", "configure", "build"]
    assert capsys.readouterr() == ("", "set_up\nconfigure\nbuild\n")  # stdout is the program's
    source.write_text("int a, b;", encoding="utf-8")
    count.build_model()
    assert len(calls) == 6


# A program whose kernel comes as text, as NVRTC's and Numba's do.
LOADED = r"""
#include <cuda.h>
const char* text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    st.global.u32 [%rd2+8], %r1;
    ret;
}
)";
int main()
{
    CUdevice device; CUcontext context; CUmodule module; CUfunction function; CUdeviceptr p;
    cuInit(0); cuDeviceGet(&device, 0); cuCtxCreate(&context, nullptr, 0, device);
    if (cuModuleLoadData(&module, text)) return 3;
    cuModuleGetFunction(&function, module, "twice"); cuMemAlloc(&p, 64); cuMemsetD8(p, 0, 64);
    void* arguments[] = {&p};
    return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
}
"""


@needs_model
def test_a_kernel_that_the_program_loads_is_compared_too(folder):
    (folder / "loaded.cu").write_text(LOADED, encoding="utf-8")
    done = run(folder, "loaded.cu", "-lcuda", "--json", "out.json")
    assert "twice" in done.stdout and "not compared" not in done.stdout, done.stdout + done.stderr
    (kernel,) = read_report(folder)["kernels"]
    assert kernel["exact"] and kernel["fused"] == []
