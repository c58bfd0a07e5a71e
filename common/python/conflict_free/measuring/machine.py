"""The measured machine: its GPU, its host, and the compiler of its programs."""

import ctypes
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

from conflict_free.console import Stop
from conflict_free.evidence.places import SPECIMENS
from conflict_free.setup import cmake, cuda

CLOCKS = {"sm_mhz": "clocks.sm", "memory_mhz": "clocks.mem"}


def parse_smi(text: str, names: list[str]) -> dict[str, str]:
    """Return one line of `nvidia-smi --query-gpu=... --format=csv,noheader,nounits`, by field."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    values = [value.strip() for value in line.split(",")]
    if len(values) != len(names):
        raise Stop(f"nvidia-smi answered {line!r}; wanted {len(names)} values: {', '.join(names)}")
    return dict(zip(names, values))


def query_smi(names: list[str]) -> dict[str, str]:
    """Return fields of the GPU that the chapter programs use."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip() or "0"
    done = subprocess.run(
        ["nvidia-smi", "-i", visible, f"--query-gpu={','.join(names)}", "--format=csv,noheader,nounits"], capture_output=True, text=True
    )
    if done.returncode:
        raise Stop(f"nvidia-smi failed: {(done.stdout + done.stderr).strip().splitlines()[-1:]}")
    return parse_smi(done.stdout, names)


def clocks() -> dict[str, int]:
    """Return the GPU's present clocks in MHz; 0 for a clock that the driver does not report."""
    found = query_smi(list(CLOCKS.values()))
    return {key: int(found[field]) if found[field].isdigit() else 0 for key, field in CLOCKS.items()}


def host_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the host's processor, and how many of its cores the programs may use."""
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*:\s*(\S.*?)\s*$", text, re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    return f"{found.group(1) if found else 'a processor that does not tell its name'}, {cores} cores"


# Attributes of cuDeviceGetAttribute, by their names in cuda.h without CU_DEVICE_ATTRIBUTE_.
_ATTRIBUTES = {"MULTIPROCESSOR_COUNT": 16, "L2_CACHE_SIZE": 38, "COMPUTE_CAPABILITY_MAJOR": 75, "COMPUTE_CAPABILITY_MINOR": 76}


def query_device() -> dict:
    """Return the properties of the programs' device from the driver: nvidia-smi does not report the size of the L2."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Stop(f"cannot ask the driver about the GPU: {error}") from error

    def call(name: str, *arguments) -> None:
        code = getattr(cuda, name)(*arguments)
        if code:
            raise Stop(f"cannot ask the driver about the GPU: {name} answered {code}")

    device, memory, text = ctypes.c_int(), ctypes.c_size_t(), ctypes.create_string_buffer(256)
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDeviceGetName", text, len(text), device)
    call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
    found = {}
    for name, number in _ATTRIBUTES.items():
        value = ctypes.c_int()
        call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        found[name] = value.value
    return {
        "name": text.value.decode(),
        "compute_capability": f"{found['COMPUTE_CAPABILITY_MAJOR']}.{found['COMPUTE_CAPABILITY_MINOR']}",
        "l2_bytes": found["L2_CACHE_SIZE"],
        "memory_bytes": memory.value,
        "multiprocessors": found["MULTIPROCESSOR_COUNT"],
    }


def compiler(build: Path) -> Path:
    """Return the nvcc that a build folder was configured with."""
    found = cmake.compiler_of(build)
    if not found:
        raise Stop(f"{build} is not configured with CUDA; scripts/measure builds it, or give --build-dir")
    return found


def toolkit_version(build: Path) -> str:
    """Return the version of the nvcc that a build folder was configured with, with all three numbers."""
    nvcc = compiler(build)
    found = cuda.release_of(nvcc)
    if not found:
        raise Stop(f"{nvcc} --version names no version")
    return ".".join(map(str, found))


# Options of a compile command that name places of files.
_WITH_VALUE = {"-o", "-c", "-x", "-MT", "-MF", "-I", "-isystem", "--options-file"}
# Options whose value is the next word, and that change the compilation.
_KEPT_WITH_VALUE = {"-cudart"}
_ALONE = {"-MD", "-MMD", "-forward-unknown-to-host-compiler"}


def flags_of(command: str) -> str:
    """Return the flags of a compile command without compiler, files and folders."""
    kept, words = [], iter(shlex.split(command)[1:])
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif word in _KEPT_WITH_VALUE:
            kept.append(f"{word}={next(words, '')}")
        elif word.startswith("-") and word not in _ALONE and not re.match("-I|-isystem", word) and not re.search(r"(^|[=\"'])/", word):
            kept.append(word)
    return " ".join(kept)


def compiler_flags(build: Path, slug: str) -> str:
    """Return the flags with which nvcc compiled a chapter in a build folder."""
    commands = build / "compile_commands.json"
    # The specimens are many programs with the same flags.
    wanted = re.compile(rf"/{slug}/{'.+' if slug == SPECIMENS else slug}[.]cu$")
    try:
        entries = json.loads(commands.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Stop(f"cannot read {commands}: {error}; scripts/measure configures it") from error
    for entry in entries:
        compiler = entry["command"].split()[0]
        if wanted.search(entry["file"]) and Path(compiler).name.startswith("nvcc"):
            return flags_of(entry["command"])
    raise Stop(f"{commands} has no command of nvcc for {slug}.cu")
