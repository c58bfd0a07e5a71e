"""Tests what every script does with its arguments, and on a machine that lacks something."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

SCRIPTS = ["book", "test", "setup", "measure", "check", "new-chapter", "carry", "lock", "count", "conflict-free", "grade", "new-assignment"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_help(house, script):
    done = house.run(script, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: scripts/{script}")
    assert done.stderr == ""


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_unknown_argument_is_one_line(house, script):
    done = house.run(script, "--frobnicate")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("error: ")
    assert done.stdout == ""


def test_the_unknown_argument_and_the_accepted_ones_are_named(house):
    done = house.run("book", "--serv")
    assert "--serv" in done.stderr and "accepted: --help --strict --epub --pdf --serve --open --watch" in done.stderr


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_executable_and_start_with_python(script):
    path = REPOSITORY / "scripts" / script
    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env python3\n")


@pytest.mark.parametrize("script", [script for script in SCRIPTS if script != "check"])
def test_what_runs_before_the_set_up_needs_the_standard_library_alone(house, script):
    """-S and -I: no site packages, as on a bare machine."""
    done = subprocess.run([sys.executable, "-S", "-I", str(house.root / "scripts" / script), "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_old_python_is_turned_away(house):
    code = (
        "import sys; sys.version_info = (3, 9, 2); sys.argv = ['book'];"
        f"sys.path.insert(0, {str(house.root / 'common' / 'python')!r}); from conflict_free import needs_python"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Python 3.10 or later is needed, this is 3.9.2")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("script", ["book", "test"])
def test_without_permission_to_install(house, script):
    """A user who may not install anything, on a machine with apt-get and little else."""
    shim = house.root / "shim"
    shim.mkdir()
    (shim / "sitecustomize.py").write_text("import os\nos.geteuid = lambda: 1000\n", encoding="utf-8")
    house.environment["PYTHONPATH"] = str(shim)
    house.tool("apt-get", "sys.exit('apt-get must not run')")
    done = house.run(script, path=str(house.tools))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "sudo apt-get install -y --no-install-recommends cmake ninja-build g++" in done.stderr
    assert ("chromium" in done.stderr) is (script == "test")
    assert not (house.root / ".venv").exists()


def test_the_whole_test_run_needs_packages_in_the_virtual_environment_alone():
    """The script itself stays in the machine's own Python after the set-up, which is -S and -I here."""
    code = f"""if True:
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(REPOSITORY / "common" / "python")!r})
        sys.argv[1:] = ["--", "--quiet"]
        from conflict_free.checking import run_tests
        tools = run_tests.cmake.Tools(python=Path({sys.executable!r}), cmake=Path("cmake"), nvcc=Path("nvcc"))
        run_tests.setup.set_up = lambda **_: tools
        run_tests.cmake.configure = lambda *arguments: Path("build")
        run_tests.cmake.build = lambda *arguments: None
        run_tests.cmake.test = lambda *arguments: print(*arguments[1:])
        run_tests._names = lambda tools, build, *selection: ["book.every_page.long.1", "book.every_page.long.2", "assignment.padding"]
        run_tests.main()
    """
    done = subprocess.run([sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran, left_out = done.stdout.splitlines()[-2:]
    assert ran.startswith("-j ") and ran.endswith(" -LE ^long$ --quiet")
    named = "book.every_page.long.* (2), assignment.*"
    assert left_out == f"Left out of the long series: {named}. scripts/test --all runs them."


def test_ctest_arguments_are_passed_on():
    from conflict_free.checking import run_tests

    assert run_tests.parse(["--", "-R", "chapter", "--", "-V"])[1] == ["-R", "chapter", "--", "-V"]


def test_check_without_packages_and_without_a_venv_says_what_to_do(house):
    done = subprocess.run([sys.executable, "-S", "-I", str(house.root / "scripts" / "check")], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: no Python package jsonschema_rs here; run scripts/test once, it installs it\n"


def test_measure_without_packages_says_so(gpu_house):
    gpu_house.environment["PYTHONPATH"] = str(gpu_house.root)
    (gpu_house.root / "jsonschema_rs.py").write_text("raise ModuleNotFoundError(name='jsonschema_rs')", encoding="utf-8")
    done = gpu_house.run("measure", "--no-setup", "--build-dir", str(gpu_house.root / "ready"), "--commit", "a")
    assert done.returncode == 2
    assert done.stderr == "error: no Python package jsonschema_rs here; without --no-setup it is installed\n"


def test_a_part_of_the_tests_builds_what_it_needs():
    from conflict_free.checking.run_tests import targets_of

    assert targets_of(["chapter.copy.model", "chapter.copy.gpu"]) == ["chapters/copy/all", "conflict_free_cudart", "conflict_free_cuda"]
    assert targets_of(["python.measuring"]) == []
    assert targets_of(["book.browser", "book.epub"]) == ["book"]
    assert targets_of(["model.Warp.Reconverges"]) == ["common/model/all"]
    assert targets_of(["model.program.wmma"]) == ["model_program_wmma", "conflict_free_cudart", "conflict_free_cuda"]
    assert targets_of(["assignment.naive.graded", "assignment.naive", "assignments.cheats"]) == ["naive_graded", "cheats_graded"]
    assert targets_of(["scripts.shown_code"]) == ["all", "book"]
    assert targets_of(["book.spelling"]) == ["book_pages"]  # its assignments are described there
    assert targets_of(["python.measuring", "unheard_of"]) == ["all", "book"]


def test_a_pattern_that_is_none_is_told(capsys):
    from conflict_free.checking import run_tests
    from conflict_free.console import USAGE, Stop

    with pytest.raises(Stop, match="argument --only: '\\[' is not a regular expression") as stop:
        run_tests.parse(["--only", "["])
    assert stop.value.code == USAGE


def test_a_pattern_without_a_test_is_told_after_the_build(monkeypatch):
    from conflict_free.checking import run_tests
    from conflict_free.console import USAGE, Stop

    built = []
    monkeypatch.setattr(sys, "argv", ["test", "--only", "no.such"])
    monkeypatch.setattr(run_tests.setup, "set_up", lambda **_: None)
    monkeypatch.setattr(run_tests, "_no_sandbox", lambda tools: "")
    monkeypatch.setattr(run_tests.cmake, "configure", lambda tools: Path("build"))
    monkeypatch.setattr(run_tests.cmake, "build", lambda tools, *targets: built.extend(targets[1:]))
    monkeypatch.setattr(run_tests, "_names", lambda tools, build, *selection: [])
    with pytest.raises(Stop, match=r"argument --only: no test's name matches 'no\.such'; ctest -N --test-dir build lists them") as stop:
        run_tests.main()
    assert stop.value.code == USAGE and built == ["all", "book"], "a test may be unknown until its program is built"
