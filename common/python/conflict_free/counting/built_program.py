"""Building a program from CUDA source files with nvcc. The program is kept until one of its inputs changes."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import USAGE, Stop, doing
from conflict_free.setup import cmake

from . import exactness, machine_code, model_runtime, packaged
from .nvcc_command import values, with_ptx

CACHE = packaged.kept("count")
KEPT_PROGRAMS = 128
MANIFEST = "manifest.json"
PROGRAM = "program"
# The engine looks for the facts on a program's machine code beside the program, under this name.
EXACTNESS = PROGRAM + ".exactness"

# Endings of files that nvcc links and does not compile.
_LINKED = (".o", ".obj", ".a", ".so", ".lib")
_FOR_PTXAS = ("-Xptxas", "--ptxas-options")
_REGISTERS = ("-maxrregcount", "--maxrregcount")


@dataclass(frozen=True)
class Program:
    """A program that is ready to run, and the reader's own files among its sources."""

    path: Path
    sources: tuple[Path, ...]


@dataclass(frozen=True)
class Toolchain:
    """The tools that build and read programs: those of a build folder, or of an installed package, which may lack a compiler."""

    nvcc: Path | None
    reader: Path

    @classmethod
    def of(cls, build: Path) -> "Toolchain":
        return cls(_nvcc_of(build), model_runtime.libraries(build) / "ptx_of_program")


def _nvcc_of(build: Path) -> Path | None:
    """Return the compiler that the build folder was configured with; for an installed package, the compiler of this machine."""
    if build == packaged.MODEL:
        return packaged.nvcc()
    found = cmake.compiler_of(build)
    if not found:
        raise Stop(f"{build} has no CUDA compiler; configure it anew", USAGE)
    return found


def _digest(path: str | os.PathLike) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _key(toolchain: Toolchain, files: Sequence[Path], options: Sequence[str]) -> str:
    own = [__file__, exactness.__file__, machine_code.__file__]
    parts = [[str(file) for file in files], os.getcwd(), list(options), str(toolchain.nvcc), [_digest(path) for path in own]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _kept(folder: Path) -> Program | None:
    """Return the program in a folder of the cache, unless one of its inputs has changed."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if any(_digest(path) != digest for path, digest in manifest["files"].items()):
        return None
    with contextlib.suppress(OSError):
        os.utime(folder)  # the date tells when the program was last used
    return Program(folder / PROGRAM, tuple(map(Path, manifest["sources"])))


def _prerequisites(rule: Path) -> list[str]:
    """Return the prerequisites of a Makefile rule in the form that compilers write."""
    text = rule.read_text(encoding="utf-8").replace("\\\n", " ").split(": ", 1)[1]
    words = text.replace("\\ ", "\0").split()
    return [word.replace("\0", " ").replace("\\#", "#").replace("$$", "$") for word in words]


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    packaged.make_kept(CACHE.name)
    folder = Path(tempfile.mkdtemp(prefix=".making-", dir=CACHE))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def build_options(options: Sequence[str]) -> list[str]:
    """Return nvcc's options with those that a counted program needs: PTX that the model runs, and lines of host code."""
    return ["-Xcompiler=-g1", *with_ptx(options)]


def ptxas_options(options: Sequence[str]) -> list[str]:
    """Return the options among those for nvcc that change the work of ptxas."""
    passed, rest = values(options, _FOR_PTXAS)
    registers, _ = values(rest, _REGISTERS)
    words = [word for value in passed for word in value.split(",") if word not in ("-v", "--verbose")]
    return words + [word for value in registers for word in ("-maxrregcount", value)]


def _run_compiler(command: Sequence[str | os.PathLike]) -> subprocess.CompletedProcess[str]:
    """Run nvcc; return its messages."""
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False
    )


def _link(files: Sequence[Path], command: Sequence[str | os.PathLike]) -> None:
    """Link with nvcc. A missing main function and missing symbols get a message of one line."""
    with doing("linking"):
        done = _run_compiler(command)
    named = ", ".join(map(str, files))
    if done.returncode and "undefined reference to `main'" in done.stdout:
        raise Stop(f"{named} has no main function: the model runs a whole program", USAGE)
    sys.stderr.write(done.stdout)
    if done.returncode:
        raise Stop(f"{named} cannot be linked; the linker's messages are above", USAGE)


def _compile(toolchain: Toolchain, files: Sequence[Path], options: Sequence[str], folder: Path) -> list[str]:
    """Compile and link in `folder`. Return all files that the compiler has read, except those of the system."""
    words = build_options(options)
    read, linked = [], []
    for number, file in enumerate(files):
        if file.suffix in _LINKED:
            linked.append(file)
            read.append(str(file))
            continue
        compiled, rule = folder / f"{number}.o", folder / f"{number}.d"
        with doing(f"compiling {file}"):
            done = _run_compiler([toolchain.nvcc, *words, "-MMD", "-MF", rule, "-c", "-o", compiled, file])
        sys.stderr.write(done.stdout)
        if done.returncode:
            raise Stop(f"{file} does not compile; nvcc's messages are above", USAGE)
        linked.append(compiled)
        read += _prerequisites(rule)
    # A machine without NVIDIA's driver has no libcuda for -lcuda. The model's runtime has its functions.
    (folder / "libcuda.so").symlink_to(toolchain.reader.with_name("libconflict_free_runtime.so"))
    _link(files, [toolchain.nvcc, *words, "-o", folder / PROGRAM, *linked, f"-L{folder}"])
    for compiled in folder.glob("*.o"):
        compiled.unlink()
    return read


def _compare(toolchain: Toolchain, program: Path, options: Sequence[str], output: Path) -> None:
    """Write the comparison of a program with its machine code, so that the counts can follow ptxas."""
    try:
        if toolchain.nvcc is None:
            raise machine_code.NoMachineCode("no ptxas here")
        with doing("comparing the program with its machine code"):
            exactness.write(program, toolchain.reader, toolchain.nvcc, output, ptxas_options(options))
    except machine_code.NoMachineCode as why:
        exactness.write_unknown(output, str(why))
        print(f"the counts are those of the PTX, and were not compared with machine code: {why}", file=sys.stderr)


def compared(toolchain: Toolchain, program: Path, folder: Path, machine: str, options: Sequence[str] = ()) -> Path:
    """Return the file with the comparison of a program: the file beside the program, or a new file in ``folder``.

    It has what the program's kernels take of the machine. ``options`` are nvcc's for the program.
    """
    known = program.with_name(program.name + ".exactness")
    if not known.exists():
        known = folder / EXACTNESS
        _compare(toolchain, program, (), known)
    if toolchain.nvcc is None or not machine_code.is_other(machine):
        return known
    made = folder / f"{machine}.exactness"
    with doing(f"asking for the registers on {machine}"):
        why = exactness.write_for(machine, known, program, toolchain.reader, toolchain.nvcc, made, ptxas_options(options))
    if why:
        print(f"what the kernels take of {machine} is not known: {why}", file=sys.stderr)
    return made


def _forget_old_programs() -> None:
    folders = sorted((path for path in CACHE.glob("[0-9a-f]*") if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for folder in folders[:-KEPT_PROGRAMS]:
        shutil.rmtree(folder, ignore_errors=True)


def make(toolchain: Toolchain, files: Sequence[Path], options: Sequence[str]) -> Program:
    """Return the program of some source files, from the cache or newly built.

    Raises Stop with exit code 2, after nvcc's messages on stderr, if the sources do not compile.
    """
    if toolchain.nvcc is None:
        raise Stop(packaged.NO_NVCC, USAGE)
    kept = CACHE / _key(toolchain, files, options)
    if program := _kept(kept):
        return program
    with _workplace() as folder:
        read = _compile(toolchain, files, options, folder)
        _compare(toolchain, folder / PROGRAM, options, folder / EXACTNESS)
        own = dict.fromkeys(path for path in read if not path.startswith((f"{folder}/", "/usr/", str(toolchain.nvcc.parents[1]))))
        sources = [path for path in own if Path(path).suffix not in _LINKED]
        manifest = {"sources": sources, "files": {path: _digest(path) for path in own}}
        (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        shutil.rmtree(kept, ignore_errors=True)
        with contextlib.suppress(OSError):  # another scripts/count has built the same program in the meantime
            folder.rename(kept)
    _forget_old_programs()
    program = _kept(kept)
    if program is None:
        raise Stop(f"{', '.join(map(str, files))} changed while it was compiled; run it again")
    return program
