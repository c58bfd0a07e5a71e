"""Tests the installed package outside of this tree: the example project, the build systems of docs/conflict-free.md, bad input."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import REPOSITORY
from installed_package import Installed, install, run, succeed

from conflict_free.cuda_version import MAJOR, RUNTIME

pytestmark = pytest.mark.skipif("CONFLICT_FREE_BUILD" not in os.environ, reason="CONFLICT_FREE_BUILD names no build folder")

EXAMPLE = REPOSITORY / "docs" / "examples" / "transpose"
PAGE = (REPOSITORY / "docs" / "conflict-free.md").read_text(encoding="utf-8")

ADD = """\
__global__ void add(int* sums) { atomicAdd(sums, 1); }

int main()
{
    int* sums;
    cudaMalloc(&sums, sizeof(int));
    add<<<1, 32>>>(sums);
    return cudaDeviceSynchronize();
}
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory) -> Installed:
    return install(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def project(tmp_path) -> Path:
    (tmp_path / "add.cu").write_text(ADD, encoding="utf-8")
    return tmp_path


def configure(project: Path, installed: Installed, *options: str) -> subprocess.CompletedProcess:
    """Configures the CMake project in a folder."""
    found = f"-DConflictFree_DIR={installed.cmake_dir()}"
    return run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", found, *options, env=installed.environment)


@pytest.mark.long
def test_the_example_project(installed, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project)
    done = configure(project, installed)
    assert done.returncode == 0, done.stdout + done.stderr
    succeed("cmake", "--build", project / "build", env=installed.environment)
    told = succeed("ctest", "--test-dir", project / "build", "-V", env=installed.environment)
    assert "100% tests passed, 0 tests failed out of 2" in told
    assert "[       OK ] Transpose.HasNoBankConflict" in told

    done = installed.conflict_free("run", "--blocks", "1", "build/transpose_test", folder=project)
    assert "not all of it was counted: --launches, --blocks or --budget" in done.stdout
    assert "[  SKIPPED ] Transpose.HasNoBankConflict" in done.stdout

    told = succeed(installed.folder / "bin" / "python", "-m", "pytest", "-q", project, cwd=tmp_path, env=installed.environment)
    assert "1 passed" in told

    failing = ("--fail-if", "shared_load.conflicts == 0", "--fail-if", "barriers > 100")
    done = installed.conflict_free("run", *failing, "build/transpose", folder=project)
    assert done.returncode == 1
    assert done.stderr == "failed: shared_load.conflicts == 0 in transpose, launch 0: shared_load.conflicts is 0\n"


WITHOUT_MODEL = """\
#include <conflict_free/testing.hpp>

#include <cstdio>

int main()
{
    bool ran = false;
    const auto counts = conflict_free::counted([&] { ran = true; });
    std::printf("%d %d %s\\n", ran, counts.counted, counts.why.c_str());
    try {
        counts.all();
    } catch (const conflict_free::NotCounted& error) {
        std::printf("%s\\n", error.what());
    }
}
"""


def test_a_program_that_does_not_run_under_the_model_says_so(installed, tmp_path):
    (tmp_path / "alone.cpp").write_text(WITHOUT_MODEL, encoding="utf-8")
    include = installed.cmake_dir().parents[2] / "include"
    options = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-I", include)
    succeed("g++", *options, "-o", tmp_path / "alone", tmp_path / "alone.cpp")
    why = "this program does not run under the counting model; conflict-free run starts it there"
    assert succeed(tmp_path / "alone", env=installed.environment) == f"1 0 {why}\nnot counted: {why}\n"
    done = installed.conflict_free("run", "./alone", folder=tmp_path)
    assert done.stdout.startswith("1 0 "), "a program that uses no CUDA has not loaded the model"


@pytest.mark.long
def test_make_with_our_nvcc(installed, project):
    (project / "Makefile").write_text("add: add.cu\n\t$(NVCC) -O2 -o $@ $<\n", encoding="utf-8")
    assert (command := 'make NVCC="conflict-free nvcc"') in PAGE
    succeed("sh", "-c", command, cwd=project, env=installed.environment)
    done = installed.conflict_free("run", "./add", folder=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"global +requests", done.stdout) and "add.cu" in done.stdout


@pytest.mark.long
def test_the_three_lines_for_cmake(installed, project):
    lines = re.search(r"```\n((?:set\(CMAKE_CUDA_.*\)\n){3})```", PAGE)
    (project / "toolchain.cmake").write_text(lines[1], encoding="utf-8")
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(add LANGUAGES CXX CUDA)\nadd_executable(add add.cu)\n", encoding="utf-8"
    )
    done = configure(project, installed, f"-DCMAKE_TOOLCHAIN_FILE={project / 'toolchain.cmake'}")
    assert done.returncode == 0, done.stdout + done.stderr
    succeed("cmake", "--build", project / "build", env=installed.environment)
    done = installed.conflict_free("run", "build/add", folder=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "add.cu" in done.stdout


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("thing FAIL_UNLESS x", "got 'FAIL_UNLESS;x', accepted: NAME, FAIL_IF, ARGUMENTS"),
        ("thing FAIL_IF", "FAIL_IF has no value"),
        ("nothing", "got no target, accepted: a program of add_executable"),
        ("thing", "got a target of type UTILITY, accepted: a program of add_executable"),
    ],
)
def test_wrong_calls_in_cmake(installed, tmp_path, call, told):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(wrong LANGUAGES NONE)\nfind_package(ConflictFree REQUIRED)\n"
        f"add_custom_target(thing)\nconflict_free_add_test({call})\n",
        encoding="utf-8",
    )
    done = configure(tmp_path, installed)
    assert done.returncode != 0
    assert told in " ".join(done.stderr.split())


def test_the_package_for_cmake_without_python(installed, tmp_path):
    """Uses the files that cmake --install of the model alone has made, with the command on the PATH."""
    there = installed.folder.parent / "model" / "lib" / "cmake" / "ConflictFree"
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(found LANGUAGES NONE)\nfind_package(ConflictFree REQUIRED)\n"
        "get_target_property(runtime ConflictFree::cudart IMPORTED_LOCATION)\n"
        'message(STATUS "${runtime}, ${ConflictFree_LIBRARY_DIR}, ${CONFLICT_FREE_COMMAND}")\n',
        encoding="utf-8",
    )
    told = succeed("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DConflictFree_DIR={there}", env=installed.environment)
    folder = there.parents[1]
    assert f"{folder / RUNTIME}, {folder}, {installed.folder / 'bin' / 'conflict-free'}\n" in told


def test_a_package_without_its_libraries_is_not_found(installed, tmp_path):
    there = tmp_path / "lib" / "cmake" / "ConflictFree"
    shutil.copytree(installed.cmake_dir(), there)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(wrong LANGUAGES NONE)\nfind_package(ConflictFree REQUIRED)\n", encoding="utf-8"
    )
    done = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DConflictFree_DIR={there}", env=installed.environment)
    assert done.returncode != 0
    assert f"has no {RUNTIME}; install conflict-free anew" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "--fail-if", "shared_load.conflict > 0", "true"), "'.conflict' is unknown; accepted: shared_load.instructions, "),
        (
            ("count", "--fail-if", "conflicts > 0", "add.cu"),
            "'conflicts' is unknown; accepted: name, cycles_at_least, limited_by, barriers, ",
        ),
        (("run", "--fail-if", "shared_load", "true"), "'shared_load' is neither a number nor a comparison"),
        (("run", "--fail-if", "barriers >", "true"), "argument --fail-if: 'barriers >': "),
        (("--nvcc", "x"), "argument --nvcc: 'x' given, nothing is accepted"),
        (("--cmake-dir", "x"), "argument --cmake-dir: 'x' given, nothing is accepted"),
    ],
)
def test_wrong_arguments_are_one_line(installed, project, arguments, told):
    done = installed.conflict_free(*arguments, folder=project)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""


def test_a_program_that_launches_nothing_cannot_be_judged(installed, project):
    done = installed.conflict_free("run", "--fail-if", "barriers > 0", "true", folder=project)
    assert (done.returncode, done.stderr) == (1, "failed: no launch was counted, and --fail-if needs one\n")


WITHOUT_NVCC = """\
from conflict_free.console import run_main
from conflict_free.counting import packaged, subcommands
packaged.cuda.system_nvcc = lambda accepted: None
packaged.cuda_of_wheels = lambda: iter(())
run_main(lambda: subcommands.COMMANDS[{name!r}](["--build-dir", str(packaged.MODEL), {argument!r}]))
"""


@pytest.mark.parametrize(
    ("name", "argument", "code", "told"),
    [
        ("count", "add.cu", 2, f"error: no nvcc of CUDA {MAJOR} here; pip install 'conflict-free[nvcc]' installs one\n"),
        ("run", "true", 1, "the counts are those of the PTX, and were not compared with machine code: no ptxas here\n"),
    ],
)
def test_a_machine_without_nvcc_runs_what_is_built(installed, project, name, argument, code, told):
    script = WITHOUT_NVCC.format(name=name, argument=argument)
    done = run(installed.folder / "bin" / "python", "-c", script, env=installed.environment, cwd=project)
    assert (done.returncode, done.stderr) == (code, told)


def test_a_cache_that_cannot_be_made_is_one_line(installed, project):
    (project / "file").write_text("", encoding="utf-8")
    command = installed.folder / "bin" / "conflict-free"
    done = run(command, "count", "add.cu", cwd=project, env={**installed.environment, "XDG_CACHE_HOME": str(project / "file")})
    assert done.returncode == 2
    assert (
        done.stderr
        == f"error: {project / 'file' / 'conflict-free' / 'count'}: cannot be written: Not a directory; XDG_CACHE_HOME names another folder\n"
    )


def test_a_wheel_without_a_model(installed, tmp_path):
    """Lets pip configure with a folder that is no model, and without the model's folder beside it, as from a source distribution."""
    package = tmp_path / "python"
    shutil.copytree(REPOSITORY / "common" / "python", package, ignore=shutil.ignore_patterns("tests", "__pycache__"))
    for settings, told in (
        ([f"-DCONFLICT_FREE_PREBUILT={tmp_path}"], "accepted: a folder with lib/cmake/ConflictFree"),
        ([], "the folder common/model is missing: install from a checkout of the repository, pip install ./common/python"),
    ):
        done = run("cmake", "-G", "Ninja", "-S", package, "-B", tmp_path / "build", *settings, env=installed.environment)
        assert done.returncode != 0
        assert told in " ".join(done.stderr.split())
        shutil.rmtree(tmp_path / "build")
