"""Libraries beside our kernels, timed and checked: the parts of CuPy and PyTorch that they call run on the host."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import peer_checks
import peer_data
import pytest
from conftest import PEERS
from test_peer_rules import Clock

pytestmark = pytest.mark.long

#: The part of CuPy that the peers call, on the host.
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
    """The output stays poison, or the matrix is copied as it is."""
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
    work = time_peers.Task((matrix,), right, lambda output: peer_checks.is_transposed(matrix, output))
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


#: The part of PyTorch that the peers call, on the host.
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
    def view(self, kind=None):
        if kind is bfloat16: return Bfloat16(numpy.asarray(self))
        return numpy.ndarray.view(self, *() if kind is None else (kind,))
    def argmin(self, dim): return numpy.asarray(self).argmin(axis=dim)
    def topk(self, count, largest):
        assert not largest
        return SimpleNamespace(indices=numpy.asarray(self).argsort(axis=1, kind="stable")[:, :count])
    def diagonal(self, offset):
        view = numpy.ndarray.diagonal(self, offset)
        view.setflags(write=True)
        return view

bfloat16, int16 = "bfloat16", numpy.int16

class Bfloat16:
    # Bits of bf16, which numpy does not have.
    dtype = bfloat16
    def __init__(self, bits): self.bits = bits
    def is_floating_point(self): return True
    def fill_(self, value): self.bits.fill(0x7FC0)
    def view(self, kind): return from_numpy(self.bits)
    def floats(self): return (self.bits.astype(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)

def mm(a, b, out):
    from peer_data import bf16
    out.bits[...] = bf16(a.floats() @ b.floats()).view(numpy.int16)

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
        ("product", "40x130", ["torch_mm"]),
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
