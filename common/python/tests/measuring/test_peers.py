# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Libraries beside our kernels: their data, their checks, their sampling, and scripts/measure --peers with ones that pretend."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, program_rows, sample
from test_measure import measured

from conflict_free.setup import cmake, cuda

PEERS = REPOSITORY / "common" / "python" / "conflict_free" / "measuring" / "peers"
sys.path.insert(0, str(PEERS))

import numpy as np  # noqa: E402
import peer_checks  # noqa: E402  found by the line above
import peer_data  # noqa: E402
import peer_sampling  # noqa: E402

# --- data ----------------------------------------------------------------------------------------

GENERATOR = """\
#include <cuda_runtime.h>
#include "points.hpp"
#include <cstdio>
int main()
{
    using namespace conflict_free;
    std::vector<float> floats(2500000);
    conflict_free::fill_random(floats, 7);
    std::fwrite(floats.data(), 4, floats.size(), stdout);
    std::vector<float3> points(5000);
    random_points(points, 3);
    for (const float3& p : points) std::fwrite(&p, 4, 3, stdout);
}
"""


def test_the_data_are_those_of_our_kernels(tmp_path):
    """Made by the C++ that the chapters use, over more than one part and with copies of copies among the points."""
    (tmp_path / "generator.cpp").write_text(GENERATOR, encoding="utf-8")
    common = REPOSITORY / "common"
    points = next(path for folder in ("common/harness/include", "chapters") for path in (REPOSITORY / folder).rglob("points.hpp"))
    includes = [common / "harness" / "include", common / "model" / "include", points.parent]
    nvcc = cuda.system_nvcc() or cmake.ROOT / ".cuda/toolkit/nvidia/cu13/bin/nvcc"
    subprocess.run(
        [
            nvcc,
            "-std=c++20",
            "-O1",
            *(f"-I{folder}" for folder in includes),
            "generator.cpp",
            common / "harness" / "src" / "random.cpp",
            common / "harness" / "src" / "verify.cpp",
            "-c",
        ],
        check=True,
        cwd=tmp_path,
    )
    subprocess.run(["g++", "-o", "generator", "-pthread", *map(str, tmp_path.glob("*.o"))], check=True, cwd=tmp_path)
    made = np.frombuffer(subprocess.run([tmp_path / "generator"], capture_output=True, check=True).stdout, np.float32)
    assert np.array_equal(made[:2500000], peer_data.random_floats(2500000, 7))
    assert np.array_equal(made[2500000:].reshape(5000, 3), peer_data.random_points(5000, 3))


# --- checks --------------------------------------------------------------------------------------


def test_a_transpose_is_compared_bit_by_bit():
    matrix = peer_data.random_floats(130 * 70, 1).reshape(70, 130)
    right = np.ascontiguousarray(matrix.T)
    assert peer_checks.is_transposed(matrix, right) == ""
    for wrong in (np.nextafter(right[129, 69], 2), np.nan):
        output = right.copy()
        output[129, 69] = wrong
        assert peer_checks.is_transposed(matrix, output) == "an element in rows 128 to 129 is not the transpose's"
    assert "70 by 130" in peer_checks.is_transposed(matrix, matrix)


def test_a_sum_may_round_but_not_lose_a_number():
    numbers = peer_data.random_floats(1 << 20, 5)
    exact = float(numbers.sum(dtype=np.float64))
    assert peer_checks.is_sum(numbers, float(np.float32(exact))) == ""
    assert peer_checks.is_sum(numbers, float(numbers.reshape(-1, 4096).sum(axis=0).sum())) == ""
    assert "rounding explains" in peer_checks.is_sum(numbers, exact - float(numbers[1000]))
    assert "rounding explains" in peer_checks.is_sum(numbers, float("nan"))


def test_nearest_neighbors_may_be_any_of_equals():
    points = peer_data.random_points(300, 2)
    least = peer_checks.least_squared_distances(points)
    squares = ((points[:, None].astype(np.float64) - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    assert np.array_equal(least * 2.0**-20, squares.min(axis=1))
    nearest = squares.argmin(axis=1)
    assert peer_checks.are_nearest(points, least, nearest) == ""
    backwards = 299 - squares[:, ::-1].argmin(axis=1)
    assert (backwards != nearest).any() and peer_checks.are_nearest(points, least, backwards) == ""
    assert "of 1 of 300 points the neighbor is not a nearest one, the first of them 7" in peer_checks.are_nearest(
        points, least, np.where(np.arange(300) == 7, squares[7].argsort()[-2], nearest)
    )
    for wrong in (7, -1, 300):
        assert f"point 7 has neighbor {wrong}" in peer_checks.are_nearest(points, least, np.where(np.arange(300) == 7, wrong, nearest))


# --- sampling ------------------------------------------------------------------------------------


def test_the_rules_of_sampling_are_those_of_our_harness():
    backend = (REPOSITORY / "common" / "harness" / "src" / "timing.cu").read_text(encoding="utf-8")
    constants = dict(re.findall(r"^constexpr (?:std::size_t|int|double) (\w+) = ([\d.]+);", backend, re.MULTILINE))
    ours = {name.lower(): value for name, value in vars(peer_sampling).items() if name.isupper()}
    both = ours.keys() - {"most_sets", "samples"}
    assert {name: float(constants[name]) for name in both} == {name: ours[name] for name in both}
    assert f"std::clamp<std::size_t>((wanted + bytes_of_set - 1) / bytes_of_set, 1, {peer_sampling.MOST_SETS})" in backend
    options = (REPOSITORY / "common" / "harness" / "include" / "conflict_free" / "chapter.hpp").read_text(encoding="utf-8")
    assert f"int samples = {peer_sampling.SAMPLES};" in options


class Clock:
    """A GPU of which each call takes `ms`, and which keeps what it was asked for."""

    def __init__(self, ms: float) -> None:
        self.ms, self.now, self.said = ms, 0.0, []

    def flush(self) -> None:
        self.said.append("flush")

    def call(self, number: int) -> None:
        self.said.append(number)
        self.now += self.ms

    def event(self) -> "Clock.Event":
        return self.Event(self)

    class Event:
        def __init__(self, clock: "Clock") -> None:
            self.clock = clock

        def record(self) -> None:
            self.at = self.clock.now

    def milliseconds(self, begin, end) -> float:
        return end.at - begin.at

    def synchronize(self) -> None:
        pass


def test_cold_samples_use_each_set_once_behind_a_flush_and_warm_ones_the_first():
    gpu = Clock(0.4)
    times = peer_sampling.measure_times(gpu, gpu.call, sets=2, samples=12)
    assert gpu.said == [0, 1, 0, 0] + 12 * ["flush", 0, 1] + 12 * [0, 0, 0]
    assert peer_sampling.used_sets(times, 2) == 2
    assert times["cold"]["launches_per_sample"] == 2 and times["warm"]["launches_per_sample"] == 3
    assert all(time[key] == pytest.approx(0.4) for time in times.values() for key in ("median_ms", "p10_ms", "p90_ms"))
    assert times["cold"]["samples"] == times["warm"]["samples"] == 12


def test_each_set_that_a_sample_uses_is_worked_on_before_and_no_other():
    gpu = Clock(0.25)
    times = peer_sampling.measure_times(gpu, gpu.call, sets=64, samples=10)
    assert gpu.said[: gpu.said.index("flush")] == [0, 1, 2, 0, 3] and peer_sampling.used_sets(times, 64) == 4
    gpu = Clock(100)
    times = peer_sampling.measure_times(gpu, gpu.call, sets=64, samples=10)
    assert gpu.said[: gpu.said.index("flush")] == [0, 1, 2, 0] and peer_sampling.used_sets(times, 64) == 3


def test_the_distances_of_our_points_are_exact_by_a_product_of_matrices():
    """As PyTorch makes them: squares and -2 times the product in one product, added in any order."""
    points = peer_data.random_points(400, 9)
    norm, one = (points**2).sum(axis=1, keepdims=True), np.ones((400, 1), np.float32)
    left, right = np.hstack([-2 * points, norm, one]), np.hstack([points, one, norm]).T
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1], [3, 4, 1, 2, 0]):
        squares = np.zeros((400, 400), np.float32)
        for k in order:
            squares = squares + left[:, [k]] * right[[k], :]
        assert squares.dtype == np.float32
        assert np.array_equal(squares, ((points[:, None].astype(np.float64) - points[None]) ** 2).sum(axis=2))


def test_a_long_call_has_fewer_samples_but_ten():
    for ms, samples in ((60, 33), (1000, 10), (1, 50)):
        gpu = Clock(ms)
        assert peer_sampling.measure_times(gpu, gpu.call, 1, 50)["cold"]["samples"] == samples


def test_the_spread():
    assert peer_sampling.spread([5.0, 1.0, 2.0, 4.0, 3.0], 7) == {
        "median_ms": 3.0,
        "p10_ms": pytest.approx(1.4),
        "p90_ms": pytest.approx(4.6),
        "samples": 5,
        "launches_per_sample": 7,
    }


@pytest.mark.parametrize(
    "set_bytes, free, sets", [(60, 10**9, 4), (61, 10**9, 4), (1, 10**9, 64), (10**6, 10**9, 1), (60, 240, 2), (60, 60, 1)]
)
def test_the_sets_of_buffers(set_bytes, free, sets):
    assert peer_sampling.sets_of_buffers(set_bytes, 60, free) == sets


# --- a library that pretends ---------------------------------------------------------------------

#: CuPy, as far as it is asked for, on the host.
CUPY = """\
import time
from types import SimpleNamespace
import numpy
from numpy import copyto, empty, float32, nan, ndarray, sum, zeros

__version__ = "0.1"
asarray, asnumpy = numpy.array, numpy.array

class Event:
    def record(self):
        self.at = time.perf_counter()
    def synchronize(self):
        pass

class Device:
    mem_info = (1 << 34, 1 << 34)
    def synchronize(self):
        pass

cuda = SimpleNamespace(Event=Event, Device=Device, get_elapsed_time=lambda a, b: 1e3 * (b.at - a.at))
get_default_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None)
"""


@pytest.fixture
def pretend_cupy(tmp_path) -> Path:
    """A folder for PYTHONPATH with a CuPy on the host."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "cupy.py").write_text(CUPY, encoding="utf-8")
    return folder


def time_peers(folder: Path, *arguments: str) -> tuple[subprocess.CompletedProcess, dict]:
    out = folder / "rows.json"
    done = subprocess.run(
        [sys.executable, PEERS / "time_peers.py", *arguments, "--seed", "1", "--l2-bytes", "1000000", "--samples", "10", "--json", out],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return done, json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}


@pytest.mark.parametrize(
    "subject, sizes, name, call",
    [
        ("transpose", ("300x200", "33x31"), "cupy_copyto", "cupy.copyto(output, matrix.T)"),
        ("sum", ("100000x1", "257x1"), "cupy_sum", "cupy.sum(numbers, out=output)"),
    ],
)
def test_a_library_is_timed_and_checked_at_each_size(pretend_cupy, subject, sizes, name, call):
    done, told = time_peers(pretend_cupy, "cupy", subject, *(word for size in sizes for word in ("--size", size)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name} at {size}" for size in sizes]
    assert (told["library"], told["version"], told["failures"]) == ("CuPy", "0.1", [])
    assert [(row["name"], row["size"], row["call"]) for row in told["rows"]] == [(name, size, call) for size in sizes]
    assert all(row["check"] == {"passed": True, "message": ""} for row in told["rows"])
    assert all(row["time"][state]["samples"] == 10 for row in told["rows"] for state in ("cold", "warm"))


@pytest.mark.parametrize("written", ["output", "matrix.ravel(order='F').reshape(output.shape)"])
def test_what_does_not_transpose_fails_its_check(pretend_cupy, written):
    """What stays poison, and what is copied as it is."""
    broken = f"def copyto(output, matrix):\n    output[...] = {written}\n"
    (pretend_cupy / "cupy.py").write_text(f"{CUPY}\n{broken}", encoding="utf-8")
    _, told = time_peers(pretend_cupy, "cupy", "transpose", "--size", "64x32")
    assert told["rows"][0]["check"] == {"passed": False, "message": "an element in rows 0 to 63 is not the transpose's"}


def test_what_an_earlier_call_left_right_does_not_pass():
    import time_peers

    class Host(Clock):
        moved = staticmethod(np.copy)
        back = staticmethod(np.asarray)

        def free_bytes(self) -> int:
            return 1 << 30

        def poison(self, array) -> None:
            array.fill(np.nan)

        def milliseconds(self, begin, end) -> float:
            return 1.0

    matrix = peer_data.random_floats(64 * 32, 1).reshape(32, 64)
    right = np.ascontiguousarray(matrix.T)
    work = time_peers.Task(matrix, right, lambda output: peer_checks.is_transposed(matrix, output))
    does = time_peers.measure(Host(1.0), lambda output, given: np.copyto(output, given.T), work, 10, 60)
    does_nothing = time_peers.measure(Host(1.0), lambda output, given: None, work, 10, 60)
    assert does["check"]["passed"] and not does_nothing["check"]["passed"]


def test_a_size_that_breaks_loses_no_other(pretend_cupy):
    broken = (
        "def copyto(output, matrix):\n    if matrix.size > 2000: raise MemoryError('no room\\nat all')\n    numpy.copyto(output, matrix)"
    )
    (pretend_cupy / "cupy.py").write_text(f"{CUPY}\n{broken}\n", encoding="utf-8")
    done, told = time_peers(pretend_cupy, "cupy", "transpose", "--size", "64x32", "--size", "30x20")
    assert done.returncode == 0
    assert told["failures"] == ["cupy_copyto at 64x32: no room"]
    assert [row["size"] for row in told["rows"]] == ["30x20"]


#: PyTorch, as far as it is asked for, on the host.
TORCH = """\
import time
from types import SimpleNamespace
import numpy
from numpy import inf, nan

__version__ = "0.2"

class Tensor(numpy.ndarray):
    def t(self): return self.T
    def copy_(self, other): self[...] = other
    def fill_(self, value): self[...] = value
    def is_floating_point(self): return self.dtype.kind == "f"
    def cuda(self): return self.copy()
    def cpu(self): return self
    def numpy(self): return numpy.asarray(self)
    def argmin(self, dim): return numpy.asarray(self).argmin(axis=dim)
    def topk(self, count, largest):
        assert not largest
        return SimpleNamespace(indices=numpy.asarray(self).argsort(axis=1, kind="stable")[:, :count])
    def diagonal(self, offset):
        view = numpy.ndarray.diagonal(self, offset)
        view.setflags(write=True)
        return view

def from_numpy(array): return array.view(Tensor)
def zeros(count, device): return from_numpy(numpy.zeros(count, numpy.float32))
def empty(shape, device): return from_numpy(numpy.empty(shape, numpy.float32))
def sum(numbers, dim, out): numpy.sum(numbers, axis=dim, out=out)
def cdist(a, b):
    return numpy.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2)).view(Tensor)

class Event:
    def __init__(self, enable_timing): assert enable_timing
    def record(self): self.at = time.perf_counter()
    def synchronize(self): pass
    def elapsed_time(self, end): return 1e3 * (end.at - self.at)

cuda = SimpleNamespace(Event=Event, synchronize=lambda: None, empty_cache=lambda: None, mem_get_info=lambda: (1 << 34, 1 << 34))
"""


@pytest.fixture
def pretend_torch(tmp_path) -> Path:
    """A folder for PYTHONPATH with a PyTorch on the host."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "torch.py").write_text(TORCH, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "subject, size, names",
    [
        ("transpose", "300x200", ["torch_copy"]),
        ("sum", "100000x1", ["torch_sum"]),
        ("nearest", "200x1", ["torch_cdist_topk", "torch_cdist_argmin"]),
    ],
)
def test_what_is_asked_of_pytorch(pretend_torch, subject, size, names):
    done, told = time_peers(pretend_torch, "torch", subject, "--size", size)
    assert done.returncode == 0 and told["failures"] == [], done.stderr
    assert [row["name"] for row in told["rows"]] == names
    assert all(row["check"]["passed"] for row in told["rows"]), told["rows"]


def test_too_many_points_are_left_out(pretend_torch):
    done, told = time_peers(pretend_torch, "torch", "nearest", "--size", "65537x1", "--size", "100x1")
    assert done.stdout.splitlines() == ["torch_cdist_topk at 100x1", "torch_cdist_argmin at 100x1"]


def test_the_distances_are_made_in_rows_that_fit(pretend_torch, monkeypatch):
    monkeypatch.syspath_prepend(str(pretend_torch))
    import peers_of_torch

    try:
        monkeypatch.setattr(peers_of_torch, "_DISTANCES", 30 * 200 + 7)
        points = peer_data.random_points(200, 4)
        least = peer_checks.least_squared_distances(points)
        for function in peers_of_torch.CALLS["nearest"]:
            nearest = np.full(200, -1)
            function(nearest, peers_of_torch.torch.from_numpy(points))
            assert peer_checks.are_nearest(points, least, nearest) == ""
    finally:
        del sys.modules["torch"], sys.modules["peers_of_torch"]


# --- scripts/measure --peers ---------------------------------------------------------------------

CALLED = """\
void library_copy()
{
    // [library_copy]
    copy(a,
         b);
    // [/library_copy]
}
"""


@pytest.fixture
def peers_house(gpu_house):
    """A house whose chapter has peers: a C++ program, and a Python on the PATH with one of the two libraries."""
    ready = gpu_house.root / "ready"
    (ready / "chapters" / "copy" / "peers.json").write_text('{"subject": "transpose"}')
    (gpu_house.root / "common" / "harness" / "peers").mkdir(parents=True)
    (gpu_house.root / "common" / "harness" / "peers" / "transpose_cublas.cu").write_text(CALLED, encoding="utf-8")
    cpp_tells(gpu_house)
    python_tells(gpu_house)
    return gpu_house


def cpp_tells(house, program: str = "peers_transpose_cublas", **changes) -> None:
    """Makes a C++ program, which writes two rows."""
    data = program_rows("gpu")
    data["slug"] = program
    data["rows"] = [row for row in data["rows"] if row["kernel"] == "cudaMemcpy" and row["time"]]
    for row in data["rows"]:
        row.update({"kernel": "library_copy", "library": {"name": "Library", "version": "1.2.3"}, **changes})
    house.tool(
        program,
        f"""
assert argv[:-1] == ['--size', '2048x2048', '--size', '16384x16384', '--seed', '1', '--json'], argv
open(argv[-1], 'w').write({json.dumps(data)!r})
""",
        house.root / "ready" / "common" / "harness" / "peers",
    )


def python_tells(house, body: str = "", modules: tuple[str, ...] = ("torch",), **changes) -> None:
    """Makes the Python on the PATH, which has modules and writes a row."""
    row = {
        "name": "torch_copy",
        "size": "2048x2048",
        "call": "output.copy_(matrix.t())",
        "check": {"passed": True, "message": ""},
        "time": {"cold": sample(0.5), "warm": sample(0.25)},
        **changes,
    }
    told = {"library": "PyTorch", "version": "2.0", "rows": [row], "failures": []}
    house.tool(
        "python3",
        f"""
if argv[0] == '-c':
    sys.exit(not any(repr(name) in argv[1] for name in {modules!r}))
assert argv[0].endswith('time_peers.py') and argv[1:3] == ['torch', 'transpose'], argv
assert argv[3:-2] == ['--size', '2048x2048', '--size', '16384x16384', '--seed', '1', '--l2-bytes', str(64 << 20)], argv
print('torch_copy at 2048x2048')
open(argv[-1], 'w').write({json.dumps(told)!r})
{body}
""",
    )


def names(result: dict) -> list[tuple[str, str]]:
    return [(row["name"], row["size"]) for row in result.get("peers", ())]


def test_peers_stand_beside_the_kernels(peers_house):
    done, result = measured(peers_house, "--peers")
    assert names(result) == [("library_copy", "2048x2048"), ("library_copy", "16384x16384"), ("torch_copy", "2048x2048")]
    cpp, python = result["peers"][0], result["peers"][-1]
    assert (cpp["library"], cpp["version"], cpp["call"]) == ("Library", "1.2.3", "copy(a,\n     b);")
    assert (python["library"], python["version"], python["call"]) == ("PyTorch", "2.0", "output.copy_(matrix.t())")
    assert python["bytes"] == cpp["bytes"] == 8 * 2048 * 2048 and python["fits_l2"] is True
    assert python["time"]["cold"]["median_ms"] == 0.5
    assert result["provenance"]["command"] == "scripts/measure --peers"
    assert "copy: peers: PyTorch, torch_copy at 2048x2048" in done.stdout
    assert "no cuTENSOR: ready/common/harness/peers/peers_transpose_cutensor is not there" in done.stdout
    assert "no CuPy: no Python on the PATH has it, and numpy" in done.stdout
    assert "Peers: 3 times of libraries, 0 failures" in done.stdout
    assert re.search(r"torch_copy +2048x2048 +67.1 ", done.stdout), done.stdout


def test_peers_move_the_whole_matrix_where_a_kernel_leaves_out_a_part(peers_house):
    data = program_rows("gpu")
    for number, row in enumerate(data["rows"]):
        row["bytes"] -= 8 * (number % 3 == 1) * (1 + number)
    whole = max(row["bytes"] for row in data["rows"] if row["size"] == "2048x2048")
    assert whole != data["rows"][-2]["bytes"]
    write = f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(data)!r})"
    peers_house.tool("on_gpu", write, peers_house.root / "ready" / "chapters" / "copy")
    _, result = measured(peers_house, "--peers")
    assert [row["bytes"] for row in result["peers"] if row["size"] == "2048x2048"] == [whole, whole]


def test_a_second_library_of_cpp_is_asked_too(peers_house):
    (peers_house.root / "common" / "harness" / "peers" / "transpose_cutensor.cu").write_text(
        CALLED.replace("library_copy", "other_copy"), encoding="utf-8"
    )
    cpp_tells(peers_house, program="peers_transpose_cutensor", kernel="other_copy", library={"name": "Other", "version": "4.5.6"})
    _, result = measured(peers_house, "--peers")
    assert [row["library"] for row in result["peers"]] == ["Library"] * 2 + ["Other"] * 2 + ["PyTorch"]


def test_no_peers_without_the_option(peers_house):
    peers_house.tool("python3", "sys.exit('no library must run')")
    peers_house.tool(
        "peers_transpose_cublas", "sys.exit('no library must run')", peers_house.root / "ready" / "common" / "harness" / "peers"
    )
    done, result = measured(peers_house)
    assert "peers" not in result and "Peers" not in done.stdout


def test_peers_of_another_run_do_not_stay(peers_house):
    assert names(measured(peers_house, "--peers")[1])
    done, result = measured(peers_house)
    assert "peers" not in result
    assert "copy.json had times of libraries, which are of another run, and are gone" in done.stdout


def test_a_chapter_without_peers(peers_house):
    (peers_house.root / "ready" / "chapters" / "copy" / "peers.json").unlink()
    done, result = measured(peers_house, "--peers")
    assert "peers" not in result and "Peers: 0 times of libraries, 0 failures" in done.stdout


def test_libraries_that_are_not_here(peers_house):
    (peers_house.root / "ready" / "common" / "harness" / "peers" / "peers_transpose_cublas").unlink()
    python_tells(peers_house, modules=())
    done, result = measured(peers_house, "--peers")
    assert "peers" not in result
    assert (
        "no cuBLAS: ready/common/harness/peers/peers_transpose_cublas is not there; it was not found when the peers were built"
        in " ".join(done.stdout.split())
    )
    assert "no PyTorch: no Python on the PATH has it" in done.stdout


def break_cpp(house, body):
    house.tool("peers_transpose_cublas", body, house.root / "ready" / "common" / "harness" / "peers")


@pytest.mark.parametrize(
    "breaks, said",
    [
        (
            lambda house: break_cpp(house, "print('cublasSgeam failed', file=sys.stderr); sys.exit(134)"),
            "copy: peers_transpose_cublas: ended with exit code 134: cublasSgeam failed",
        ),
        (lambda house: break_cpp(house, "sys.exit(1)"), "copy: peers_transpose_cublas: ended with exit code 1: it said nothing"),
        (lambda house: break_cpp(house, "open(argv[-1], 'w').write('{')"), "copy: peers_transpose_cublas: "),
        (lambda house: cpp_tells(house, library={"name": "Library"}), "'version' is a required property"),
        (lambda house: cpp_tells(house, kernel="unknown"), "copy: peers_transpose_cublas: 'unknown'"),
    ],
)
def test_a_program_that_fails_loses_neither_the_kernels_nor_other_libraries(peers_house, breaks, said):
    breaks(peers_house)
    done, result = measured(peers_house, "--peers", code=1)
    assert said in done.stdout and "Traceback" not in done.stderr
    assert names(result) == [("torch_copy", "2048x2048")] and len(result["rows"]) == 6
    assert "1 failures" in done.stdout


def test_a_python_that_breaks_keeps_what_it_has_written(peers_house):
    python_tells(peers_house, "print('Traceback\\nKilled', file=sys.stderr); sys.exit(137)")
    done, result = measured(peers_house, "--peers", code=1)
    assert "copy: PyTorch ended with exit code 137: Killed" in done.stdout
    assert names(result)[-1] == ("torch_copy", "2048x2048")


def test_a_library_that_is_wrong_is_kept_with_what_is_wrong(peers_house):
    python_tells(peers_house, check={"passed": False, "message": "it is not the transpose"})
    done, result = measured(peers_house, "--peers", code=1)
    assert "copy: torch_copy at 2048x2048 failed its check: it is not the transpose" in done.stdout
    assert result["peers"][-1]["check"]["passed"] is False


@pytest.mark.parametrize("changes", [{"time": {"cold": sample(0.5)}}, {"size": "7x7"}, {"call": ""}])
def test_peers_that_make_no_valid_file_are_dropped(peers_house, changes):
    python_tells(peers_house, **changes)
    done, result = measured(peers_house, "--peers", code=1)
    assert len(result["rows"]) == 6 and "Traceback" not in done.stderr
    assert "1 failures" in done.stdout


def test_the_carried_packages_are_not_for_the_libraries(peers_house):
    """They are of our scripts, and may be older than what the library's Python has."""
    carried = peers_house.root / ".carry" / "site"
    carried.mkdir(parents=True)
    peers_house.environment["PYTHONPATH"] = "/others"
    python_tells(peers_house, "import os; assert os.environ['PYTHONPATH'] == '/others', os.environ['PYTHONPATH']")
    measured(peers_house, "--peers")
