"""The command conflict-free: its subcommands, its limits on what is counted, and its reports.

The tests that build a program take the model from the build folder that CONFLICT_FREE_BUILD names, as CTest does.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
from counting_tools import BUILD, kernel, needs_model, read_report, report, run_script

from conflict_free.console import Stop
from conflict_free.counting import command_line, html_report, nvcc_command, printed_report, report_diff, sarif_report, saved_report
from conflict_free.cuda_version import MAJOR
from conflict_free.setup import cuda

pytestmark = pytest.mark.long

LAUNCHES = """\
#include <cstdio>

__global__ void add(int* sums, int value) { atomicAdd(&sums[blockIdx.x], value); }
__global__ void once(int* sums) { sums[threadIdx.x] += 1; }

int main()
{
    int *sums, first;
    cudaMalloc(&sums, 64 * sizeof(int));
    cudaMemset(sums, 0, 64 * sizeof(int));
    for (int i = 0; i < 20; ++i) add<<<64, 32>>>(sums, i);
    once<<<1, 64>>>(sums);
    cudaMemcpy(&first, sums, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("first %d\\n", first);
    return first == 190 * 32 + 1 ? 0 : 3;
}
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Runs conflict-free in `folder`."""
    return run_script(folder, "conflict-free", *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with one program for all tests, which is compiled once."""
    folder = tmp_path_factory.mktemp("launches")
    (folder / "launches.cu").write_text(LAUNCHES, encoding="utf-8")
    return folder


# --- what is counted ---------------------------------------------------------------------------


def counted(folder: Path, *options: str) -> tuple[dict, str]:
    done = run(folder, "count", "--build-dir", BUILD, "launches.cu", "--json", "out.json", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_report(folder), done.stdout


@needs_model
def test_launches_that_are_not_counted_are_run(folder):
    data, text = counted(folder, "--launches", "3")
    assert [kernel["name"] for kernel in data["kernels"]] == ["add"] * 3 + ["once"]
    assert [(tally["name"], tally["launches"], tally["counted"]) for tally in data["uncounted"]] == [("add", 20, 3)]
    assert "3 of 20 launches counted" in text
    assert text.endswith("4 of 21 launches counted, 0 hazards, the program's exit code 0\n")


@needs_model
def test_blocks_that_are_not_counted_are_run(folder):
    data, text = counted(folder, "--blocks", "4", "--launches", "1")
    add = data["kernels"][0]
    assert (add["counted_blocks"], add["blocks"], add["global_atomic"]["requests"]) == (4, 64, 4)
    assert "4 of 64 blocks counted" in text
    assert "counted_blocks" not in data["kernels"][1]


@needs_model
def test_everything_is_counted_within_the_budget(folder):
    data, _ = counted(folder)
    assert len(data["kernels"]) == 21
    assert "uncounted" not in data


@needs_model
def test_what_comes_after_the_budget_is_run(folder):
    data, text = counted(folder, "--budget", "1e-9")
    assert sum(tally["launches"] - tally["counted"] for tally in data["uncounted"]) > 0
    assert "first 6081\n" in text


def test_the_budget_is_for_those_who_set_no_limit():
    def options(**given):
        return type("Options", (), {name: given.get(name) for name in ("timeout", "time_limit", "launches", "blocks", "budget", "devices")})

    assert command_line.settings(options()) == {"SIMT_BUDGET": "60"}
    assert command_line.settings(options(launches=300)) == {"SIMT_LAUNCHES": "300"}
    assert command_line.settings(options(blocks=2, budget=1.5)) == {"SIMT_BLOCKS": "2", "SIMT_BUDGET": "1.5"}


# --- programs of other build systems -----------------------------------------------------------


@needs_model
def test_a_program_that_nvcc_built_is_run(folder):
    made = run(folder, "nvcc", "-std=c++17", "-arch=sm_80", "-o", "launches", "launches.cu")
    assert made.returncode == 0, made.stderr
    done = run(folder, "run", "--build-dir", BUILD, "--json", "out.json", "./launches")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "atomicAdd(&sums[blockIdx.x], value);" in done.stdout, "the source is found"
    shown = run(folder, "show", "out.json", "--html", "out.html")
    assert shown.returncode == 0
    assert done.stdout.endswith(shown.stdout)
    assert "atomicAdd(&amp;sums[blockIdx.x], value);" in (folder / "out.html").read_text(encoding="utf-8")
    assert run(folder, "diff", "out.json", "out.json").stdout == "no difference\n"


@needs_model
def test_a_program_that_is_there_is_compared_with_machine_code(folder):
    (folder / "joined.cu").write_text(
        "__global__ void k(float4* p) { __shared__ float s[512]; int t = threadIdx.x; for (int i = 0; i < 4; ++i) s[4 * t + i] = t * i;\n"
        "__syncthreads(); p[t] = *reinterpret_cast<float4*>(&s[4 * (127 - t)]); }\n"
        "int main() { float4* p; cudaMalloc(&p, 2048); k<<<1, 128>>>(p); return cudaDeviceSynchronize(); }\n",
        encoding="utf-8",
    )
    assert run(folder, "nvcc", "-o", "joined", "joined.cu").returncode == 0
    done = run(folder, "run", "--build-dir", BUILD, "--json", "out.json", "./joined")
    assert done.returncode == 0, done.stdout + done.stderr
    (kernel,) = read_report(folder)["kernels"]
    assert kernel["exact"] and [note["sass"] for note in kernel["fused"]] == ["STS.128"]
    assert kernel["shared_store"]["instructions"] == 4, "one of each warp"


@needs_model
def test_lanes_that_leave_a_loop_in_different_rounds_are_marked_where_ptxas_made_several_of_it(folder):
    """Each thread has 8 of 1024 numbers. Of 1000 numbers some threads have 7, and their warps run the loops of ptxas more than once."""
    (folder / "scaled.cu").write_text(
        "__global__ void scale(float* p, int n, float f) { extern __shared__ float s[];\n"
        "for (int i = threadIdx.x; i < n; i += 128) s[i] = p[i];\n"
        "for (int i = threadIdx.x; i < n; i += 128) s[i] *= f;\n"
        "for (int i = threadIdx.x; i < n; i += 128) p[i] = s[i]; }\n"
        "int main() { float* p; cudaMalloc(&p, 4096); cudaMemset(p, 0, 4096);\n"
        "for (int n : {1024, 1000}) scale<<<1, 128, 4096>>>(p, n, 2.0f); return cudaDeviceSynchronize(); }\n",
        encoding="utf-8",
    )
    done = run(folder, "count", "--build-dir", BUILD, "scaled.cu", "--json", "out.json")
    assert done.returncode == 0, done.stdout + done.stderr
    together, apart = read_report(folder)["kernels"]
    assert together["exact"] and together["fused"] == []
    assert not apart["exact"]
    assert {note["line"] for note in apart["fused"]} >= {3}
    assert {note["why"].split(",")[0] for note in apart["fused"]} == {"ptxas splits the loop around it"}


@needs_model
@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["-gencode", "arch=compute_90,code=sm_90", "-cudart", "shared"], "build it with nvcc -gencode arch=compute_90,code=compute_90"),
        (["-gencode", "arch=compute_90,code=compute_90"], "build it with nvcc -cudart shared"),
    ],
)
def test_a_program_that_cannot_be_counted_says_how_to_build_it(folder, options, advice):
    subprocess.run([cuda.present_nvcc(), *options, "-o", "launches", "launches.cu"], cwd=folder, check=True, capture_output=True)
    done = run(folder, "run", "--build-dir", BUILD, "./launches")
    assert done.returncode != 0
    assert advice in done.stdout + done.stderr


def test_a_program_of_another_cuda_says_what_to_rebuild(tmp_path):
    (tmp_path / "other.c").write_text(
        "int cudaGetDeviceCount(int* count) { return *count = 7; } int main() { return 0; }", encoding="utf-8"
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12", "-o", "libcudart.so.12", "other.c"], cwd=tmp_path, check=True)
    subprocess.run(["cc", "-o", "program", "other.c", "-Wl,--no-as-needed", "./libcudart.so.12"], cwd=tmp_path, check=True)
    done = run(tmp_path, "run", "./program")
    assert (done.returncode, len(done.stderr.splitlines())) == (126, 1), done.stderr
    assert f"'program' of CUDA 12 given, a program of CUDA {MAJOR} is accepted: rebuild it" in done.stderr


@needs_model
def test_parts_of_a_program_may_be_linked_on_the_device(folder):
    (folder / "part.cu").write_text("__device__ int doubled(int x) { return 2 * x; }\n", encoding="utf-8")
    (folder / "whole.cu").write_text(
        "extern __device__ int doubled(int x);\n__global__ void k(int* p) { p[threadIdx.x] = doubled(threadIdx.x); }\n"
        "int main() { int *p, x; cudaMalloc(&p, 128); k<<<1, 32>>>(p); cudaMemcpy(&x, p + 9, 4, cudaMemcpyDeviceToHost); return x; }\n",
        encoding="utf-8",
    )
    done = run(folder, "count", "--build-dir", BUILD, "-rdc=true", "whole.cu", "part.cu")
    assert done.returncode == 18, done.stdout + done.stderr


def test_nvcc_is_told_what_the_model_runs():
    words = nvcc_command.with_ptx(["-gencode", "arch=compute_80,code=sm_80", "--cudart=static", "-arch", "sm_75", "-c", "a.cu", "-O3"])
    assert words == ["-lineinfo", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90", "-c", "a.cu", "-O3"]
    assert "arch=compute_90a,code=compute_90a" in nvcc_command.with_ptx(["-arch=sm_90a"])
    assert "-lineinfo" not in nvcc_command.with_ptx(["-G"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "./none"], 127, "argument PROGRAM: './none' given, a program that exists is accepted"),
        (["run", "./launches.cu"], 126, "argument PROGRAM: './launches.cu' given, a file that can be executed is accepted"),
        (["count", "launches.cu", "--blocks", "0"], 2, "argument --blocks: '0' given, a whole number from 1 up is accepted"),
        (["count", "launches.cu", "--devices", "65"], 2, "argument --devices: '65' given, a whole number from 1 to 64 is accepted"),
        (["prun"], 2, "argument COMMAND: 'prun' given, one of count, run, show, diff, nvcc, --cmake-dir, --nvcc is accepted"),
        (["show", "none.json"], 2, "none.json: cannot be read: No such file or directory"),
        (["show", "launches.cu"], 2, "launches.cu: is not a report of conflict-free"),
    ],
)
def test_wrong_arguments_are_one_line(folder, arguments, code, said):
    done = run(folder, *arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr
    assert said in done.stderr


# --- reports -----------------------------------------------------------------------------------


RACE = {
    "kind": "race",
    "kernel": "k",
    "block": [0, 0, 0],
    "threads": [[0, 0, 0], [1, 0, 0]],
    "lines": [{"file": "a.cu", "line": 3}, {"file": "a.cu", "line": 4}],
    "code": "race_in_shared_memory",
    "fields": {},
    "message": "they meet",
    "help": "part <them>",
}
LINKS = [{"from": 0, "to": 1, "bytes": 4096, "sectors": 128}]
TRAP = {"code": "stopped_itself", "fields": {"kernel": "k", "file": "a.cu", "line": 3}, "message": "the kernel stopped itself", "help": ""}


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "a.cu"
    path.write_text("__global__ void k()\n{\n    if (a < b) s[0] = 1;\n}\n", encoding="utf-8")
    return path


#: Reports of an access without conflicts: alone, with a race, with bytes over a link; and of the same access with conflicts.
FREE, RACING, LINKED = (report(kernel(wavefronts=4), **more) for more in ({}, {"hazards": [RACE]}, {"links": LINKS}))
DEAR = report(kernel(wavefronts=128))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (FREE, FREE, []),
        (
            DEAR,
            FREE,
            [
                "k, grid [1, 1, 1] block [32, 2, 1]:",
                "  shared store: wavefronts 128 -> 4, conflicts 124 -> 0",
                "    fixed: a.cu:3 shared store: wavefronts 128 -> 4, conflicts 124 -> 0",
            ],
        ),
        (FREE, report(), ["k: only in the old report"]),
        (FREE, RACING, ["new hazard: race in k: they meet"]),
        (RACING, FREE, ["gone: race in k: they meet"]),
        (FREE, LINKED, ["link from device 0 to 1: sectors 0 -> 128, bytes 0 -> 4,096"]),
    ],
)
def test_a_difference_is_told_by_kernel_and_line(old, new, told):
    assert list(report_diff.differences(old, new)) == told


def test_bytes_over_links_are_shown(capsys):
    printed_report.show(LINKED, [])
    assert re.search(r"^device 0 to 1 +4,096 +128$", capsys.readouterr().out, re.MULTILINE)
    assert "<td>device 0 to 1</td><td>4,096</td><td>128</td>" in html_report.page(LINKED, [])
    printed_report.show(FREE, [])
    assert "link" not in capsys.readouterr().out + html_report.page(FREE, []).split("</style>")[1]


@needs_model
def test_bytes_over_links_are_counted(folder):
    (folder / "two.cu").write_text(
        "__global__ void k(int* there) { there[threadIdx.x] = 1; }\n"
        "int main() { int *p, *q; cudaMalloc(&p, 4096); cudaSetDevice(1); cudaMalloc(&q, 4096); cudaMemcpyPeer(q, 1, p, 0, 4096);\n"
        "cudaDeviceEnablePeerAccess(0, 0); k<<<1, 64>>>(p); return cudaDeviceSynchronize(); }\n",
        encoding="utf-8",
    )
    done = run(folder, "count", "--build-dir", BUILD, "--devices", "2", "two.cu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^link +bytes +sectors\ndevice 0 to 1 +4,096 +128\ndevice 1 to 0 +256 +8$", done.stdout, re.MULTILINE), done.stdout


def test_the_page_has_the_source_and_needs_nothing_else(source):
    page = html_report.page(report(kernel(), hazards=[RACE]), [source])
    assert "    if (a &lt; b) s[0] = 1;" in page
    assert "part &lt;them&gt;" in page
    assert '<td class="cost">32.00</td>' in page
    assert 'data-space="shared"' in page
    assert not any(word in page for word in ("http://", "https://", "src=", "@BODY@"))


def test_editors_are_told_of_hazards_and_costs(source, monkeypatch):
    monkeypatch.chdir(source.parent)
    run_ = sarif_report.log(report(kernel(), hazards=[RACE]), [source])["runs"][0]
    race, cost = run_["results"]
    place = race["locations"][0]["physicalLocation"]
    assert (race["ruleId"], race["level"], place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("race", "error", "a.cu", 3)
    assert race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert (cost["ruleId"], cost["level"]) == ("bank_conflict", "warning")
    assert cost["message"]["text"] == "k: shared store: 128 wavefronts, 4 at best"
    assert {result["ruleId"] for result in run_["results"]} <= {rule["id"] for rule in run_["tool"]["driver"]["rules"]}
    assert not sarif_report.log(FREE, [source])["runs"][0]["results"]


def test_editors_are_told_what_stopped_the_program(source, monkeypatch):
    monkeypatch.chdir(source.parent)
    elsewhere = {**TRAP, "fields": {"kernel": "k"}, "help": "Do not."}
    stopped, unknown = sarif_report.log({**FREE, "errors": [TRAP, elsewhere]}, [source])["runs"][0]["results"]
    assert (stopped["ruleId"], stopped["level"], stopped["message"]["text"]) == ("stopped", "error", "the kernel stopped itself")
    assert stopped["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert unknown["message"]["text"] == "the kernel stopped itself Do not." and "locations" not in unknown


@pytest.mark.parametrize("text", ["", "{", "[]", '{"machine": "sm_90"}', '{"machine": "m", "kernels": [1], "hazards": [], "exit_code": 0}'])
def test_a_damaged_report_is_one_line(tmp_path, text):
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Stop, match="is not a report of conflict-free"):
        saved_report.read(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (1, "space of an access: got None"),
        ({"space": "ether"}, "space of an access: got 'ether', accepted: shared"),
        ({"space": "global", "requests": 1, "sectors": 4, "ideal_sectors": 4, "bytes": 128}, "no wavefronts: it is of another version"),
    ],
)
def test_a_report_without_a_number_of_an_access_is_one_line(tmp_path, line, said):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report(kernel()) | {"kernels": [{"name": "k", "lines": [line]}]}), encoding="utf-8")
    with pytest.raises(Stop, match=said):
        saved_report.read(path)


def test_only_the_readers_own_files_are_shown(source):
    files = [str(source), "/usr/local/cuda/include/cuda.h", str(source.with_name("gone.cu"))]
    assert saved_report.sources_of({"files": files}) == [source]
