"""A small repository of its own for each test that writes, and programs that pretend."""

import compileall
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from made_counts import global_, shared

REPOSITORY = Path(__file__).resolve().parents[3]
#: Programs that run beside libraries: a script's own folder is where it finds its modules.
PEERS = REPOSITORY / "common" / "python" / "conflict_free" / "measuring" / "peers"
sys.path[:0] = [str(REPOSITORY / "common" / "python"), str(PEERS)]

from conflict_free import cuda_version  # noqa: E402  found by the line above
from conflict_free.model_files import COUNTS, RATES, REPORT_SCHEMA  # noqa: E402

DEMO_SOURCE = """\
// [constants]
constexpr int TILE_DIM = 32;
// [/constants]
// [copy_plain]
__global__ void copy_plain(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }
// [/copy_plain]
"""

#: The two lines of a licence; {0} is the sign of a comment.
CODE = "SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors\n{0} SPDX-License-Identifier: MIT\n"
PROSE = "SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors\n{0} SPDX-License-Identifier: CC-BY-4.0\n"


def start(command: list, **options) -> subprocess.Popen:
    """Starts a program that Ctrl+C interrupts, also where the tests themselves run in the background."""
    return subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)


@dataclass
class House:
    """A repository with our scripts and one chapter, `copy`, whose programs only pretend."""

    root: Path
    tools: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, script: str, *arguments: str, path: str | None = None) -> subprocess.CompletedProcess:
        """Runs a script with the pretending tools first on the PATH, or with `path` as the whole PATH."""
        env = {
            "PATH": path if path is not None else f"{self.tools}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.environment,
        }
        return subprocess.run(
            [sys.executable, str(self.root / "scripts" / script), *arguments],
            capture_output=True,
            text=True,
            env=env,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )

    def tool(self, name: str, body: str, folder: Path | None = None) -> Path:
        """Makes an executable Python program whose variable `argv` is `sys.argv[1:]`."""
        path = (folder or self.tools) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\nimport sys, json\nargv = sys.argv[1:]\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path


LEFT_OUT = shutil.ignore_patterns("tests", "historical", "local", "h200")


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of our package with its bytecode. Without bytecode, each script in each house would compile each module again."""
    copy = tmp_path_factory.mktemp("package") / "conflict_free"
    shutil.copytree(REPOSITORY / "common" / "python" / "conflict_free", copy, ignore=LEFT_OUT)
    compileall.compile_dir(copy, quiet=1)
    return copy


@pytest.fixture
def house(package: Path, tmp_path: Path) -> House:
    root = tmp_path / "house"
    for folder in ("scripts", "book/results"):
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=LEFT_OUT)
    # No test changes a module, so all houses share the files of one copy.
    shutil.copytree(package, root / "common" / "python" / "conflict_free", copy_function=os.link)
    for path in (*REPOSITORY.glob("requirements*"), REPOSITORY / "ruff.toml", *REPOSITORY.glob(".clang-format*")):
        shutil.copy(path, root)
    for path in (COUNTS, REPORT_SCHEMA, RATES, cuda_version.SOURCE, REPOSITORY / "chapters" / ".clang-format"):
        copy = root / path.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    chapter = root / "chapters" / "copy"
    chapter.mkdir()
    (chapter / "copy.cu").write_text(DEMO_SOURCE, encoding="utf-8")
    (root / "chapters" / "CMakeLists.txt").write_text("add_subdirectory(copy)\n", encoding="utf-8")
    tools = tmp_path / "tools"
    tools.mkdir()
    return House(root, tools)


def sample(median: float) -> dict:
    return {"median_ms": median, "p10_ms": median * 0.9, "p90_ms": median * 1.1, "samples": 5, "launches_per_sample": 10}


def counts(**changes: int) -> dict:
    """The model's counts for a plain copy of 2048x2048."""
    moved = global_(131072, 524288, 524288, 16777216)
    accesses = {"shared_load": shared(), "shared_store": shared(), "global_load": moved, "global_store": {**moved, **changes}}
    return {"grid": [64, 64, 1], "block": [32, 8, 1], "shared_bytes": 0, **accesses, "barriers": 0, "lines": []}


def program_rows(build: str) -> dict:
    """The file that a chapter program writes with --json."""
    rows = []
    for kernel, reference in (("cudaMemcpy", True), ("copy_plain", False)):
        for side in (1, 2048, 16384):
            rows.append(
                {
                    "kernel": kernel,
                    "size": f"{side}x{side}",
                    "width": side,
                    "height": side,
                    "element_bytes": 4,
                    "bytes": 8 * side * side,
                    "reference": reference,
                    "check": {"passed": True, "message": ""},
                    "expectations": [],
                    "counts": counts() if build == "model" and not reference and side == 2048 else None,
                    "time": {"cold": sample(side / 1e5), "warm": sample(side / 2e5)} if build == "gpu" and side > 1 else None,
                }
            )
    data = {"schema": 1, "slug": "copy", "build": build, "machine": "sm_90", "seed": 1, "rows": rows}
    if build == "gpu":
        data["machine"] = "NVIDIA Pretend"
    return data


DRIVER = """\
#include <cstddef>
#include <cstring>
extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGet(int* device, int number) { *device = number; return 0; }
int cuDeviceGetName(char* name, int size, int) { std::strncpy(name, "NVIDIA Pretend", size); return 0; }
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { *bytes = std::size_t{1} << 37; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
    *value = attribute == 16 ? 100 : attribute == 38 ? 64 << 20 : attribute == 75 ? 9 : attribute == 76 ? 0 : -1;
    return 0;
}
}
"""


@pytest.fixture(scope="session")
def driver(tmp_path_factory) -> Path:
    """A folder with a driver library that only pretends."""
    folder = tmp_path_factory.mktemp("driver")
    (folder / "cuda.cpp").write_text(DRIVER, encoding="utf-8")
    subprocess.run(["g++", "-shared", "-fPIC", "-o", folder / "libcuda.so.1", folder / "cuda.cpp"], check=True)
    return folder


# A chapter's program that runs `on_model` beside it if the model is first in the search path of libraries, else `on_gpu`.
CHAPTER_PROGRAM = """
import os, pathlib
first = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)[0]
program = pathlib.Path(sys.argv[0]).with_name("on_model" if first.endswith("common/model/lib") else "on_gpu")
os.execv(program, [str(program), *argv])
"""

NCU_HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
    '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
)


def ncu_csv(values: dict[str, str], kernel: str = "copy_plain(float *, const float *, int, int)", launch: int = 0) -> str:
    """The output of `ncu --csv --log-file`, as it was recorded, with other values."""
    lines = [
        "==PROF== Connected to process 4242 (copy)",
        '==PROF== Profiling "copy_plain" - 0: 0%....50%....100% - 1 pass',
        "==PROF== Disconnected from process 4242",
        NCU_HEADER,
    ]
    lines += [
        f'"{launch}","4242","copy","127.0.0.1","{kernel}","1","7","(32, 8, 1)","(64, 64, 1)","0",'
        f'"9.0","Command line profiler metrics","{metric}","","{value}"'
        for metric, value in values.items()
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def gpu_house(house: House, driver: Path) -> House:
    """A house with a GPU, a profiler and a build folder `ready` that all only pretend."""
    from conflict_free.counting import model_runtime
    from conflict_free.evidence import parity
    from conflict_free.measuring import counters

    house.environment["LD_LIBRARY_PATH"] = str(driver)
    ready = house.root / "ready"
    programs = ready / "chapters" / "copy"
    write = "open(argv[argv.index('--json') + 1], 'w').write({!r})"
    house.tool("on_gpu", write.format(json.dumps(program_rows("gpu"))), programs)
    house.tool("on_model", write.format(json.dumps(program_rows("model"))), programs)
    house.tool("copy", CHAPTER_PROGRAM, programs)
    model = model_runtime.libraries(ready)
    model.mkdir(parents=True)
    (model / cuda_version.RUNTIME).write_text("", encoding="utf-8")
    nvcc = house.tool("nvcc", "print('Cuda compilation tools, release 13.0, V13.0.88')")
    (ready / "CMakeCache.txt").write_text(f"CMAKE_CUDA_COMPILER:FILEPATH={nvcc}\n", encoding="utf-8")
    command = f"{nvcc} -forward-unknown-to-host-compiler -I/x/include -O3 -DNDEBUG -std=c++20 -x cu -c /x/copy.cu -o copy.o"
    (ready / "compile_commands.json").write_text(
        json.dumps([{"directory": "/x", "file": "/x/chapters/copy/copy.cu", "command": command}]), encoding="utf-8"
    )
    house.tool(
        "nvidia-smi",
        """
answers = {"clocks.sm": "1980", "clocks.mem": "3201", "driver_version": "580.1"}
if argv == ["-L"]:
    print("GPU 0: NVIDIA Pretend (UUID: GPU-0)")
else:
    query = next(a for a in argv if a.startswith("--query-gpu="))
    print(", ".join(answers[name] for name in query.split("=")[1].split(",")))
""",
    )
    values = {counters.METRICS[key]: f"{value:,}" for key, value in parity.model_counters(counts()).items()}
    values |= dict.fromkeys(counters.CACHES.values(), "65,536")
    house.tool(
        "ncu",
        f"""
if argv == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\\nVersion 2025.3.1.0 (build 1) (public-release)")
else:
    open(argv[argv.index("--log-file") + 1], "w").write({ncu_csv(values)!r})
""",
    )
    return house


@pytest.fixture
def tidy(gpu_house):
    """A repository in which nothing is to be found."""
    root = gpu_house.root
    (root / "build").mkdir(exist_ok=True)
    (root / "ready").rename(root / "build" / "ready")
    (root / "chapters" / "copy" / "CMakeLists.txt").touch()
    (root / "chapters" / "copy" / "copy.cu").write_text("// " + CODE.format("//") + DEMO_SOURCE, encoding="utf-8")
    (root / "chapters" / "copy" / "README.md").write_text("<!-- " + PROSE.format("").replace("\n", " -->\n"), encoding="utf-8")
    (root / "book" / "copy.rst").write_text(".. " + PROSE.format(".."), encoding="utf-8")
    (root / "book" / "index.rst").write_text(
        ".. " + PROSE.format("..") + "\n.. toctree::\n   :caption: Part I: The transpose\n\n   copy\n", encoding="utf-8"
    )
    (root / "README.md").write_text(
        "<!-- "
        + PROSE.format("").replace("\n", " -->\n")
        + "<!-- measured table, written by scripts/check --fix -->\n<!-- end of measured table -->\n",
        encoding="utf-8",
    )
    return gpu_house
