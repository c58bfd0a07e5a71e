"""Programs in Python under conflict-free run: what packages such as Numba, cuda.core, Triton and PyCUDA do, without these packages."""

import subprocess
import sys
from pathlib import Path

import pytest
from counting_tools import BUILD, needs_model, read_report, run_script

from conflict_free.counting import nvcc_command
from conflict_free.cuda_version import MAJOR, RUNTIME
from conflict_free.setup import cuda

pytestmark = [needs_model, pytest.mark.long]


def output_of(folder: Path, text: str, code: int = 0) -> str:
    """Run a Python program under the model, and return its output and the report."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    done = run_script(folder, "conflict-free", "run", "--build-dir", BUILD, "--json", "out.json", sys.executable, "program.py")
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def shared_library(path: Path, text: str, *options: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text(text, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-o", path, source, *options], check=True)
    return path


# NVIDIA's runtime is loaded first, with global symbols, then the linker by its path, then the driver.
LIBRARIES = f"""\
import ctypes

runtime = ctypes.CDLL("./{RUNTIME}", mode=ctypes.RTLD_GLOBAL)
linker = ctypes.CDLL("/nowhere/libnvJitLink.so.{MAJOR}")
driver = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int()
assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
print("devices", count.value, "linker", hasattr(linker, "nvJitLinkVersion"), linker["__nvJitLinkCreate_{MAJOR}_0"]())
print("runtime", runtime.cudaGetDeviceCount(ctypes.byref(count)), count.value)
"""


def test_nvidias_libraries_are_replaced_by_the_models(tmp_path):
    shared_library(tmp_path / RUNTIME, "int cudaGetDeviceCount(int* count) { return *count = 7; }")
    said = output_of(tmp_path, LIBRARIES)
    assert "devices 1 linker False 6" in said and "runtime 0 1" in said, "cuSPARSE loads, and is refused what it asks of the linker"


def test_the_compiler_of_the_packages_is_called(tmp_path):
    packages = tmp_path / "site-packages"
    compiler = shared_library(
        packages / "nvidia" / f"cu{MAJOR}" / "lib" / f"libnvrtc.so.{MAJOR}",
        "int nvrtcVersion(int* major, int* minor) { *major = 77; return *minor = 0; }\n"
        "int nvrtcGetPTX(void* program, char* text) { *text = 80; return 0; }\n",
    )
    caller = shared_library(packages / "package.so", "int nothing;")
    text = f"""\
import ctypes

ctypes.CDLL({str(caller)!r})
compiler = ctypes.CDLL({str(compiler)!r})
major, minor, code = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(2)
assert compiler.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0 and compiler.nvrtcGetCUBIN(None, code) == 0
print("version", major.value, "code", code.value)
"""
    assert "version 77 code b'P'" in output_of(tmp_path, text, code=1), "it loads no runtime, which would write a report"


def test_functions_of_the_driver_have_the_form_that_the_caller_knows(tmp_path):
    """CUDA 13 has given cuCtxGetDevice a second argument, a context."""
    text = """\
import ctypes

driver = ctypes.CDLL("libcuda.so.1")
no_context, device = ctypes.c_int(), ctypes.c_int(7)
assert driver.cuInit(0) == 0
for version in (2000, 12090, 13000, 13050):
    function = ctypes.c_void_p()
    assert driver.cuGetProcAddress_v2(b"cuCtxGetDevice", ctypes.byref(function), version, ctypes.c_uint64(0), None) == 0
    called = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(function.value)
    print(version, called(ctypes.addressof(device), ctypes.addressof(no_context)))
"""
    assert output_of(tmp_path, text).startswith("2000 0\n12090 0\n13000 201\n13050 201\n")


# --- tools that stand in for NVIDIA's ------------------------------------------------------------

PTX = """\
.version 8.7
.target sm_90a
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .b32 %r<3>; .reg .b64 %rd<4>;
    .loc 1 7 0
    ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd3], %r2; ret;
}
.file 1 "kernel.py"
"""
LAUNCH = """
import ctypes

driver = ctypes.CDLL("libcuda.so.1")
driver.cuInit(0)
context, module, function, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
assert driver.cuProfilerInitialize(None, None, 0) == 0
assert driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert driver.cuModuleLoadData(ctypes.byref(module), code) == 0
assert driver.cuModuleGetFunction(ctypes.byref(function), module, b"twice") == 0
assert driver.cuMemAlloc_v2(ctypes.byref(memory), 256) == 0 and driver.cuMemsetD8_v2(memory, 0, 256) == 0
assert driver.cuFuncSetBlockShape(function, 32, 1, 1) == 0
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
assert driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, arguments, None) == 0
assert driver.cuCtxDetach(context) == 0
"""


def test_the_ptxas_of_triton_hands_ptx_through(tmp_path):
    (tmp_path / "kernel.ptx").write_text(PTX, encoding="utf-8")
    text = """\
import os, subprocess

for variable in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
    tool = os.environ[variable]
    print(subprocess.check_output([tool, "--version"], text=True))
    subprocess.run([tool, "-lineinfo", "-v", "--opt-level", "1", "--gpu-name=sm_90a", "kernel.ptx", "-o", "kernel.o"], check=True)
code = open("kernel.o", "rb").read()
assert os.path.exists(os.environ["TRITON_LIBCUDA_PATH"] + "/libcuda.so.1")
"""
    assert f"release {MAJOR}." in output_of(tmp_path, text + LAUNCH)
    (kernel,) = read_report(tmp_path)["kernels"]
    assert (kernel["name"], kernel["global_load"]["sectors"]) == ("twice", 8)
    assert {(line["file"], line["line"]) for line in kernel["lines"]} == {("kernel.py", 7)}


def test_the_nvcc_of_pycuda_makes_ptx(tmp_path):
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void twice(float2* p) { p[threadIdx.x].x *= 2; }\n', encoding="utf-8")
    text = """\
import os, subprocess

# As PyCUDA keeps what it has compiled.
open(os.environ["PYCUDA_CACHE_DIR"] + "/written by a test", "w").close()
os.remove(os.environ["PYCUDA_CACHE_DIR"] + "/written by a test")
subprocess.run(["nvcc", "--version"], check=True)
subprocess.run(["nvcc", "--cubin", "-arch", "sm_90", "-O3", "kernel.cu"], check=True)
code = open("kernel.cubin", "rb").read()
"""
    output_of(tmp_path, text + LAUNCH)
    (kernel,) = read_report(tmp_path)["kernels"]
    assert kernel["global_store"]["sectors"] == 8


def test_nvcc_is_told_to_make_ptx_of_machine_code():
    words = nvcc_command.with_ptx(["--cubin", "-arch", "sm_80", "a.cu"])
    assert words[-4:] == ["-ptx", "-o", "a.cubin", "a.cu"]
    assert nvcc_command.with_ptx(["-cubin", "-o", "b", "a.cu"])[-4:] == ["-ptx", "-o", "b", "a.cu"]


# --- PyTorch's operators -----------------------------------------------------------------------------

# The parts of PyTorch that conflict-free needs: tensors of bytes, which a kernel alone can bring into another order, modes, and operators.
PYTORCH = {
    "__init__.py": """\
import sys
from types import SimpleNamespace as of

uint8 = strided = None
Tag = of(inplace_view="inplace_view")
autograd = of(set_multithreading_enabled=lambda enabled: print("threads for gradients", enabled, file=sys.stderr))

class Storage(list):
    def data_ptr(self):
        return id(self)

class Tensor:
    dtype = layout = None
    def __init__(self, values, place):
        self.device = of(type=place)
        self.set_(Storage(values), 0, (len(values),), (1,))
    def set_(self, storage, first, shape, steps):
        self.storage, self.first, self.shape, self.steps = storage, first, shape, steps
        return self
    def places(self):
        return range(self.first, self.first + self.shape[0] * self.steps[0], self.steps[0])
    def values(self):
        return [self.storage[place] for place in self.places()]
    def to(self, place):
        assert self.device.type == "cpu" or self.steps == (1,), "this takes a kernel"
        return Tensor(self.values(), place)
    def copy_(self, other):
        for place, value in zip(self.places(), other.values()):
            self.storage[place] = value
    untyped_storage, storage_offset, stride = (lambda self: self.storage), (lambda self: self.first), (lambda self: self.steps)
    element_size, numel, is_neg, is_conj = (lambda _: 1), (lambda self: self.shape[0]), (lambda _: False), (lambda _: False)
    def detach(self):
        return self
    def cpu(self):
        return self.to("cpu")

def empty(size, dtype, device="cpu"):
    return Tensor([], getattr(device, "type", device))

def device(name):
    return of(type=name)

from . import _tensor_str, utils

def operator(name, work, writes=False):
    def called(*args, **kwargs):
        given = [value for part in args for value in (part if isinstance(part, list) else [part])]
        print(name, "on", {getattr(value, "device", value).type for value in (*given, *map(device, kwargs.values()))})
        return work(*args)
    called.name = lambda: "aten::" + name
    called.tags = {"inplace_view"} if name == "squeeze_" else set()
    called._schema = of(returns=[of(alias_info=None)], arguments=[of(name="self", alias_info=of(is_write=True) if writes else None)])
    return lambda *args, **kwargs: utils.modes[-1].__torch_dispatch__(called, (), args, kwargs)

def double(tensors):
    for tensor in tensors if isinstance(tensors, list) else [tensors]:
        for place in tensor.places():
            tensor.storage[place] *= 2
    return tensors
""",
    "_tensor_str.py": "def _str(tensor, **_):\n    return f'tensor({tensor.values()})'\n",
    "utils/__init__.py": "modes = []\n",
    "utils/_python_dispatch.py": """\
from . import modes

class TorchDispatchMode:
    def __enter__(self):
        modes.append(self)
""",
    "utils/_pytree.py": """\
def tree_leaves(tree):
    if not isinstance(tree, (tuple, list, dict)):
        return [tree]
    return [leaf for part in (tree.values() if isinstance(tree, dict) else tree) for leaf in tree_leaves(part)]

def tree_map(change, tree):
    if isinstance(tree, (tuple, list)):
        return type(tree)(tree_map(change, part) for part in tree)
    return {key: change(value) for key, value in tree.items()} if isinstance(tree, dict) else change(tree)
""",
}


def test_the_operators_of_pytorch_run_on_the_host(tmp_path):
    for name, text in PYTORCH.items():
        (tmp_path / "torch" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "torch" / name).write_text(text, encoding="utf-8")
    text = """\
import torch
from torch import Tensor

made = torch.operator("rand", lambda: Tensor([3, 4, 5, 6], "cpu"))(device="cuda")
sum = torch.operator("add", lambda a, b: Tensor([x + y for x, y in zip(a.values(), b.values())], "cpu"))(made, made)
print("sum", sum.values(), sum.device.type)
same = torch.operator("mul_", torch.double, writes=True)(made)
print("same", same is made, torch._tensor_str._str(made))
torch.operator("empty", lambda: None)(device="cuda")
torch.operator("neg", lambda a: a)(Tensor([1], "cpu"))
odd, even = (Tensor([], "cuda").set_(made.untyped_storage(), first, (2,), (2,)) for first in (1, 0))
torch.operator("mul_", torch.double, writes=True)(odd)
torch.operator("foreach_mul_", torch.double, writes=True)([even, sum, odd])
print("both", made.values(), sum.values())
torch.operator("squeeze_", lambda a: a, writes=True)(made)
"""
    said = output_of(tmp_path, text, code=1)
    assert said.startswith(
        "rand on {'cpu'}\nadd on {'cpu'}\nsum [6, 8, 10, 12] cuda\nmul_ on {'cpu'}\nsame True tensor([6, 8, 10, 12], device='"
    ), said
    assert "empty on {'cuda'}\nneg on {'cpu'}\n" in said
    assert "both [12, 32, 20, 48] [12, 16, 20, 24]\nsqueeze_ on {'cuda'}\n" in said
    assert said.count("PyTorch's operators run on the host and are not counted") == said.count("threads for gradients False") == 1


def test_configurations_of_triton_run_once_and_have_no_times(tmp_path):
    for name, text in {
        "__init__.py": "from . import testing\n",
        "testing.py": "def do_bench(fn, quantiles=None):\n    1 / 0\n",
        "runtime/__init__.py": "",
        "runtime/autotuner.py": "class Autotuner:\n    def do_bench(self, *_, **__):\n        1 / 0\n",
    }.items():
        (tmp_path / "triton" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "triton" / name).write_text(text, encoding="utf-8")
    text = """\
import triton
from triton.runtime.autotuner import Autotuner

print("runs")
print(triton.testing.do_bench(lambda: print("once")), triton.testing.do_bench(lambda: None, quantiles=(0.5, 0.2)))
of = {name: Autotuner().do_bench(lambda: print("tried", name), quantiles=(0.5, 0.2, 0.8)) for name in "ab"}
print(of, min(of, key=of.get))
"""
    said = output_of(tmp_path, text, code=1)
    assert said.startswith("runs\nonce\nnan [nan, nan]\ntried a\ntried b\n{'a': [0.0, 0.0, 0.0], 'b': [0.0, 0.0, 0.0]} a\n"), said
    assert said.count("the model has no times: Triton runs each configuration once and takes the first") == 1


# --- what cannot be counted ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "said"),
    [
        ("cupy_backends/runtime.so", "CuPy has NVIDIA's CUDA runtime in its own libraries"),
        (
            "libcudart.so.12",
            "libcudart.so.12 is the CUDA runtime of another version: rebuild what loads it with nvcc -cudart shared, of CUDA",
        ),
        ("libcublas.so.13", "libcublas.so.13 asks for it, a library whose kernels are machine code"),
    ],
)
def test_a_library_with_nvidias_runtime_is_named(tmp_path, library, said):
    path = shared_library(
        tmp_path / library,
        "int cuGetExportTable(const void**, const void*); int ask(void) { const void* t; return cuGetExportTable(&t, 0) == 801; }",
    )
    assert said in output_of(
        tmp_path, f"import ctypes\nctypes.CDLL('libcuda.so.1', ctypes.RTLD_GLOBAL)\nprint(ctypes.CDLL({str(path)!r}).ask())", code=1
    )


def test_nvml_does_without_a_table_of_the_driver(tmp_path):
    path = shared_library(
        tmp_path / "libnvidia-ml.so.1",
        "int cuGetExportTable(const void**, const void*); int ask(void) { const void* t; return cuGetExportTable(&t, 0); }",
    )
    said = output_of(tmp_path, f"import ctypes\nctypes.CDLL('libcuda.so.1', ctypes.RTLD_GLOBAL)\nprint(ctypes.CDLL({str(path)!r}).ask())")
    assert said.startswith("801\n") and "not supported" not in said


def test_the_operators_of_pytorch_are_named(tmp_path):
    library = tmp_path / "torch" / "lib" / "libtorch_cuda.so"
    library.parent.mkdir(parents=True)
    (tmp_path / "add.cu").write_text(
        '__global__ void k() {} extern "C" int add() { k<<<1, 1>>>(); return cudaGetLastError(); }', encoding="utf-8"
    )
    options = ("-shared", "-Xcompiler=-fPIC", "-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90")
    subprocess.run([cuda.present_nvcc(), *options, "-o", library, tmp_path / "add.cu"], check=True)
    said = output_of(tmp_path, f"import ctypes\nprint('code', ctypes.CDLL({str(library)!r}).add())", code=1)
    assert "code 209" in said and "PyTorch's own operators are machine code" in said
