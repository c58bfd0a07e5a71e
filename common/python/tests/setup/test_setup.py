"""The set-up, on machines that only pretend to lack things."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import start

from conflict_free import console
from conflict_free.console import Stop
from conflict_free.counting import packaged
from conflict_free.cuda_version import MAJOR, VERSION
from conflict_free.setup import cmake, compiler_warnings, cuda, folders, packages, setup
from conflict_free.setup.packages import Package

ABSENT = Package("libabsent-dev", commands=("absent-command",))


@pytest.fixture
def machine(house, monkeypatch):
    """A machine whose PATH has only what the test puts there, and whose user is nobody in particular."""
    monkeypatch.setenv("PATH", str(house.tools))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(console, "LOGS", house.root / "logs")
    return house


def fake_apt(house, log, make="absent-command", code=0):
    """An apt-get that writes down its arguments and installs one command."""
    house.tool(
        "apt-get",
        f"""
open({str(log)!r}, "a").write(" ".join(argv) + "\\n")
if "install" in argv:
    import os
    path = {str(house.tools / make)!r}
    open(path, "w").write("#!/bin/sh\\n")
    os.chmod(path, 0o755)
    sys.exit({code})
""",
    )
    # apt-get is started through env, which only the usual folders have.
    house.tool(
        "env",
        """
import os
while "=" in argv[0]:
    argv.pop(0)
os.execvp(argv[0], argv)
""",
    )


# --- system packages ---------------------------------------------------------------------------


def test_nothing_is_done_when_all_is_there(machine):
    machine.tool("absent-command", "")
    assert packages.install_packages([ABSENT]) is False


def test_without_permission_one_line_says_what_to_type(machine, tmp_path):
    fake_apt(machine, tmp_path / "log")
    with pytest.raises(Stop) as stop:
        packages.install_packages([ABSENT])
    assert stop.value.code == 2
    assert str(stop.value).endswith("type: sudo apt-get update && sudo apt-get install -y --no-install-recommends libabsent-dev")
    assert "\n" not in str(stop.value)
    assert not (tmp_path / "log").exists()


def test_without_apt_the_packages_are_named(machine):
    with pytest.raises(Stop, match="libabsent-dev") as stop:
        packages.install_packages([ABSENT])
    assert stop.value.code == 2


def test_root_installs_what_is_missing_and_nothing_else(machine, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    fake_apt(machine, tmp_path / "log")
    there = Package("libthere-dev", file=str(tmp_path))
    assert packages.install_packages([there, ABSENT]) is True
    update, install = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert update.endswith("update")
    assert install.endswith("install -y --no-install-recommends libabsent-dev")
    assert "system packages to install: libabsent-dev" in capsys.readouterr().out
    assert packages.install_packages([there, ABSENT]) is False


def test_sudo_without_a_password_is_used(machine, tmp_path):
    fake_apt(machine, tmp_path / "log")
    machine.tool(
        "sudo",
        f"""
import os
open({str(tmp_path / "sudo")!r}, "a").write(" ".join(argv) + "\\n")
argv.pop(0)
sys.exit(0) if argv == ["true"] else os.execvp(argv[0], argv)
""",
    )
    assert packages.install_packages([ABSENT]) is True
    assert "install" in (tmp_path / "sudo").read_text(encoding="utf-8")


def test_sudo_that_asks_for_a_password_is_not_permission(machine, tmp_path):
    fake_apt(machine, tmp_path / "log")
    machine.tool("sudo", "sys.exit(1)")
    with pytest.raises(Stop) as stop:
        packages.install_packages([ABSENT])
    assert stop.value.code == 2


def test_an_installation_that_fails_shows_why(machine, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    fake_apt(machine, tmp_path / "log", code=100)
    with pytest.raises(Stop, match=r"failed \(exit 100\)"):
        packages.install_packages([ABSENT])


def test_a_package_that_does_not_help_is_an_error(machine, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    fake_apt(machine, tmp_path / "log", make="something-else")
    with pytest.raises(Stop, match="installed, but not usable: libabsent-dev"):
        packages.install_packages([ABSENT])


def test_a_header_in_any_include_folder_will_do(machine, monkeypatch, tmp_path):
    package = Package("libabsent-dev", header="absent/header.hpp")
    assert packages.missing_packages([package]) == [package]
    (tmp_path / "include" / "absent").mkdir(parents=True)
    (tmp_path / "include" / "absent" / "header.hpp").write_text("", encoding="utf-8")
    monkeypatch.setenv("CMAKE_PREFIX_PATH", str(tmp_path))
    assert packages.missing_packages([package]) == []


def test_dpkg_is_believed_about_headers_and_not_about_commands(machine):
    machine.tool(
        "dpkg-query",
        """
everything = ["libabsent-dev installed", "libgone-dev config-files", "absent installed"]
names = argv[2:]
print("\\n".join(line for line in everything if not names or line.split()[0] in names))
""",
    )
    command = Package("absent", commands=("absent-command",))
    wanted = [Package("libabsent-dev", header="absent.h"), Package("libgone-dev", header="gone.h"), command]
    assert [p.name for p in packages.missing_packages(wanted)] == ["libgone-dev", "absent"]
    assert packages.missing_packages([command]) == [command]


# --- Python packages ---------------------------------------------------------------------------


@pytest.fixture
def venv(house, monkeypatch, tmp_path):
    """Makes a virtual environment with the packages of an empty list; returns the function, which tells of which lists, and where it is."""
    monkeypatch.setattr(console, "LOGS", house.root / "logs")
    lock = tmp_path / "empty.lock"
    lock.write_text("# nothing\n", encoding="utf-8")
    folder = tmp_path / "venv"

    def make(*more):
        lacking = setup.begin_venv(folder, [lock, *more])
        if lacking:
            setup.fill_venv(folder, lacking)
        return [path.name for path in lacking]

    return make, folder, lock


@pytest.fixture
def quick_venv(venv, monkeypatch):
    """As `venv`, with a Python that is an empty file, because making a true one takes three seconds."""
    folder = venv[1]

    def pretend(title, *_, **__):
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        (folder / "bin" / "python").write_text("", encoding="utf-8")

    for module in (setup, folders):
        monkeypatch.setattr(module, "step", pretend)
    return venv


def test_a_venv_is_made_once_and_made_again_when_it_must_be(quick_venv, monkeypatch):
    make, _, lock = quick_venv
    assert make() == ["empty.lock"]
    assert make() == []
    lock.write_text("# something else\n", encoding="utf-8")
    assert make() == ["empty.lock"]
    assert make() == []
    monkeypatch.setattr(cuda.platform, "python_version", lambda: "3.99.0")
    assert make() == ["empty.lock"]


def test_a_venv_that_was_interrupted_is_made_again(venv, monkeypatch):
    make, folder, _ = venv

    def interrupted(title, *_, **__):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").write_text("", encoding="utf-8")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup, "step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make()
    half = folder / "half"

    def interrupted_later(*_, **__):
        half.touch()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup, "install_locked", interrupted_later)
        with pytest.raises(KeyboardInterrupt):
            make()
    assert half.exists()
    assert make() == ["empty.lock"]
    assert not half.exists()
    assert subprocess.run([folder / "bin" / "python", "-c", "import pip"]).returncode == 0
    assert make() == []


def test_a_venv_without_packages_yet_is_filled_and_not_made_again(quick_venv):
    make, folder, _ = quick_venv
    assert setup.begin_venv(folder, []) == []
    (folder / "the same").touch()
    assert make() == ["empty.lock"]
    assert (folder / "the same").exists()


def test_packages_are_added_to_those_that_are_there(quick_venv, tmp_path):
    """Packages of the tests after those of the book; a set-up for the book asks for none of them, and keeps them."""
    make, folder, lock = quick_venv
    more = tmp_path / "more.lock"
    more.write_text("# nothing\n", encoding="utf-8")
    assert make() == ["empty.lock"]
    (folder / "the same").touch()
    assert make(more) == ["more.lock"]
    assert make() == make(more) == []
    more.write_text("# another\n", encoding="utf-8")
    assert make() == []
    assert (folder / "the same").exists()
    assert make(more) == ["empty.lock", "more.lock"]
    assert not (folder / "the same").exists()


def test_packages_whose_addition_was_interrupted_are_installed_again(quick_venv, monkeypatch, tmp_path):
    make, _, _ = quick_venv
    more = tmp_path / "more.lock"
    more.write_text("# nothing\n", encoding="utf-8")
    make()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup, "install_locked", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make(more)
    assert make() == ["empty.lock"]
    assert make(more) == ["more.lock"]


@pytest.mark.parametrize("tests", [False, True])
@pytest.mark.parametrize("had", ["nothing", "all", "packages of the book", "no packages of Python"])
def test_the_set_up_builds_while_python_packages_are_installed(house, monkeypatch, tmp_path, had, tests):
    """What the build needs is there before it begins; nothing is built beside where nothing is to be installed."""
    done = []
    all_locks = ["requirements.lock", "requirements-test.lock"]
    venv = tmp_path / "venv"
    begun = threading.Event()

    def make(title="", *_, **__):
        (venv / "bin").mkdir(parents=True)
        (venv / "bin" / "python").touch()
        done.append(title)

    def install(title, lock, **_):
        assert begun.wait(20), "the build is to begin meanwhile"
        done.append(title)

    monkeypatch.setattr(setup, "VENV", venv)
    monkeypatch.setattr(setup, "missing_packages", lambda wanted: [])
    monkeypatch.setattr(setup, "give_to_owner", lambda: None)
    monkeypatch.setattr(setup, "install_locked", install)
    monkeypatch.setattr(setup, "version_of", lambda command: cmake.CMAKE_MINIMUM)
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(setup, "step", make)
    monkeypatch.setattr(cuda, "find_or_install_nvcc", lambda: (Path("/cuda/nvcc"), done.append("nvcc") is not None))
    monkeypatch.setattr(cuda, "find_or_install_nccl", lambda: False)
    monkeypatch.setattr(cuda, "present", lambda *_: [Path("/cuda/nvcc")])

    def install_packages(wanted, beside):
        with beside:
            done.append("packages")
        return True

    def build(tools):
        done.append("build")
        begun.set()

    monkeypatch.setattr(setup, "install_packages", install_packages)
    if had != "nothing":
        make()
        done.clear()
        locks = [console.ROOT / name for name in {"all": all_locks, "packages of the book": all_locks[:1]}.get(had, [])]
        setup._stamp(venv).write_text(setup._stamp_text(venv, folders.digests(locks)), encoding="utf-8")
    setup.set_up(tests=tests, beside=build)
    made = sorted(done[:2] if had == "nothing" else done[:1])
    assert made == (["Set-up: virtual environment " + str(venv), "packages"] if had == "nothing" else ["packages"])
    had_locks = {"all": 2, "packages of the book": 1}.get(had, 0)
    installed = [f"Set-up: Python packages of {name}" for name in all_locks[: 2 if tests else 1][had_locks:]]
    assert done[len(made) :] == ["nvcc", *(["build", *installed] if installed else [])]


# --- CUDA --------------------------------------------------------------------------------------


def nvcc(house, version, folder=None):
    return house.tool("nvcc", f"print('Cuda compilation tools, release x, V{version}')", folder)


@pytest.fixture
def no_usual_nvcc(machine, monkeypatch):
    """A machine where only the test's own nvcc counts."""
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith("/usr/local/cuda") and real(path, mode))
    return machine


def test_nvcc_on_the_path(no_usual_nvcc):
    found = nvcc(no_usual_nvcc, f"{VERSION}.48")
    assert cuda.system_nvcc() == found


def test_nvcc_where_cuda_home_says(no_usual_nvcc, monkeypatch, tmp_path):
    found = nvcc(no_usual_nvcc, f"{VERSION}.88", tmp_path / "cuda" / "bin")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert cuda.system_nvcc() == found


@pytest.mark.parametrize("version", ["11.8.89", f"{MAJOR - 1}.9.41", f"{MAJOR}.17.5"])
def test_another_nvcc_is_passed_over(no_usual_nvcc, capsys, version):
    """The model knows one version's PTX and runtime library."""
    nvcc(no_usual_nvcc, version)
    assert cuda.system_nvcc() is None
    assert f"its version is {version}, {VERSION} is accepted" in capsys.readouterr().out


@pytest.mark.parametrize(("version", "is_taken"), [(f"{MAJOR}.17.5", True), (f"{MAJOR - 1}.9.41", False)])
def test_an_installed_package_builds_with_any_nvcc_of_the_same_cuda(no_usual_nvcc, monkeypatch, version, is_taken):
    found = nvcc(no_usual_nvcc, version)
    monkeypatch.setattr(packaged, "is_installed", lambda: True)
    monkeypatch.setattr(packaged, "cuda_of_wheels", lambda: iter(()))
    assert packaged.nvcc() == (found if is_taken else None)


def test_an_nvcc_behind_others_in_the_path(no_usual_nvcc, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / name) for name in ("old", "broken", "good", "new")))
    nvcc(no_usual_nvcc, "12.9.41", tmp_path / "old")
    no_usual_nvcc.tool("nvcc", "sys.exit(1)", tmp_path / "broken")
    found = nvcc(no_usual_nvcc, f"{VERSION}.88", tmp_path / "good")
    nvcc(no_usual_nvcc, "13.5.37", tmp_path / "new")
    assert cuda.system_nvcc() == found
    said = capsys.readouterr().out
    assert "its version is 12.9.41" in said and "its version is unknown" in said and "13.5.37" not in said


def test_a_machine_that_cuda_does_not_exist_for(no_usual_nvcc, monkeypatch):
    monkeypatch.setattr(cuda.platform, "machine", lambda: "riscv64")
    with pytest.raises(Stop, match="riscv64; accepted: Linux on x86_64 or aarch64$"):
        cuda.find_or_install_nvcc()


def test_no_nvcc(no_usual_nvcc):
    assert cuda.system_nvcc() is None


@pytest.mark.parametrize(
    "body, visible", [("print('GPU 0: NVIDIA H200')", True), ("print('No devices were found')", False), ("sys.exit(9)", False)]
)
def test_a_gpu_is_visible_when_the_driver_lists_one(machine, body, visible):
    machine.tool("nvidia-smi", body)
    assert cuda.gpu_visible() is visible


def test_no_driver_no_gpu(machine):
    assert cuda.gpu_visible() is False


# --- CMake -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cache, kept",
    [
        ("CMAKE_HOME_DIRECTORY:INTERNAL={root}\nCMAKE_CUDA_COMPILER:FILEPATH=/cuda/nvcc\n", True),
        ("CMAKE_HOME_DIRECTORY:INTERNAL={root}\n", True),
        ("CMAKE_HOME_DIRECTORY:INTERNAL={root}\nCMAKE_CUDA_COMPILER:FILEPATH=/old/nvcc\n", False),
        ("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n", False),
    ],
)
def test_a_build_folder_that_cmake_could_not_change_is_configured_anew(machine, monkeypatch, cache, kept):
    build = machine.root / "build"
    build.mkdir()
    monkeypatch.setattr(cmake, "ROOT", machine.root)
    monkeypatch.setattr(cmake, "BUILD", build)
    seen = []
    monkeypatch.setattr(cmake, "step", lambda title, command: seen.append([str(word) for word in command]))
    (build / "CMakeCache.txt").write_text(cache.format(root=machine.root), encoding="utf-8")
    tools = cmake.Tools(python=machine.root, cmake=machine.root / "cmake", nvcc=Path("/cuda/nvcc"))
    cmake.configure(tools)
    assert (build / "CMakeCache.txt").exists() is kept
    assert seen[0][1:] == ["--preset", "default", "-DCMAKE_CUDA_COMPILER=/cuda/nvcc"]
    (build / "build.ninja").touch()
    cmake.configure(tools)
    assert len(seen) == 1, "Ninja sees to what changes afterwards"
    cmake.configure(cmake.Tools(python=machine.root, cmake=machine.root / "cmake", nvcc=Path("/newer/nvcc")))
    assert len(seen) == 2


def test_warnings_are_kept_until_their_file_is_compiled_anew(tmp_path, capsys):
    for made in ("a.o", "b.o"):
        (tmp_path / made).touch()
    first = [
        "[1/2] Building CXX object a.o",
        "a.cpp:1:2: warning: unused",
        "[2/2] Building CUDA object b.o",
        "b.cu(1): warning #177-D: unused",
    ]
    compiler_warnings.keep(tmp_path, first)
    assert capsys.readouterr().out == "  | a.cpp:1:2: warning: unused\n  | b.cu(1): warning #177-D: unused\n"
    compiler_warnings.keep(tmp_path, ["[1/1] Building CXX object a.o", "ptxas a.ptx, line 5; warning : Advisory: slow"])
    command = console.module_command(sys.executable, "setup.compiler_warnings", tmp_path)
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "b.cu(1): warning #177-D: unused\n")
    (tmp_path / "b.o").unlink()
    assert subprocess.run(command, capture_output=True).returncode == 0


# --- long commands -----------------------------------------------------------------------------


def test_a_step_that_fails_prints_the_end_of_its_output_and_one_line(machine, capsys):
    command = [sys.executable, "-c", "print('\\n'.join(f'line {n}' for n in range(100))); raise SystemExit(3)"]
    with pytest.raises(Stop, match=r"^Trial failed \(exit 3\).*trial\.log; hint$"):
        console.step("Trial", command, hint="; hint")
    out = capsys.readouterr().out
    assert "| line 99" in out and "| line 10\n" not in out
    assert "line 10\n" in (machine.root / "logs" / "trial.log").read_text(encoding="utf-8")


def test_of_a_build_the_first_failure_is_shown():
    lines = ["[1/3] a", "[2/3] b", "FAILED: b", "b.cpp:1: error", "[3/3] c", "FAILED: c", "stopped"]
    assert console.telling(lines) == ["FAILED: b", "b.cpp:1: error"]
    assert len(console.telling(["FAILED: a"] + ["more"] * 100)) == 40


def test_a_step_whose_command_is_not_there_is_one_line(machine):
    with pytest.raises(Stop, match="cannot run absent-command: No such file"):
        console.step("Trial", ["absent-command"])


def test_what_is_done_meanwhile_shows_its_end_alone(machine, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(console, "LOGS", tmp_path)
    with console.meanwhile(lambda: console.step("Beside", [sys.executable, "-c", ""])):
        console.step("Here", [sys.executable, "-c", "import time; time.sleep(0.5)"])
    assert re.fullmatch(r"Here \.\.\.\nBeside: done in \S+ s\n  done in \S+ s\n", capsys.readouterr().out)
    with (
        pytest.raises(Stop, match="Beside failed"),
        console.meanwhile(lambda: console.step("Beside", [sys.executable, "-c", "raise SystemExit(1)"])),
    ):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("meanwhile", [False, True])
def test_an_interrupted_step_leaves_nothing_running(house, number, meanwhile):
    """The command has a child of its own that would go on writing."""
    written = house.root / "written"
    child = f"import time; f = open({str(written)!r}, 'a')\nwhile True: f.write('x'); f.flush(); time.sleep(0.01)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    (house.root / "scripts" / "long").write_text(
        "import sys; sys.path.insert(0, sys.path[0] + '/../common/python')\nfrom conflict_free import console\n"
        f"def long(): console.step('Long', [sys.executable, '-c', {parent!r}])\n"
        "def beside():\n    with console.meanwhile(long): console.step('Here', [sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"console.run_main({'beside' if meanwhile else 'long'})\n",
        encoding="utf-8",
    )
    process = start([sys.executable, house.root / "scripts" / "long"], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not written.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    assert process.communicate(timeout=20)[1] == "interrupted\n"
    assert process.returncode == 130
    size = written.stat().st_size
    time.sleep(0.1)
    assert written.stat().st_size == size


@pytest.mark.parametrize("interrupted", ["anywhere", "while its thread begins"])
def test_an_interrupt_while_a_command_begins_ends_it(house, monkeypatch, interrupted):
    processes = []
    begun = threading.Event()
    start_thread = threading.Thread.start

    class Begun(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            processes.append(self)
            begun.set()
            if interrupted == "anywhere":
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    def interrupted_start(thread):
        start_thread(thread)
        if "ThreadPool" in thread.name:
            begun.wait()
            raise KeyboardInterrupt

    monkeypatch.setattr(console.subprocess, "Popen", Begun)
    if interrupted == "while its thread begins":
        monkeypatch.setattr(threading.Thread, "start", interrupted_start)
    with pytest.raises(KeyboardInterrupt):
        console.step("Long", [sys.executable, "-c", "import time; time.sleep(60)"])
    assert processes[0].poll() == -signal.SIGTERM


def test_output_that_the_terminal_cannot_show_stops_nothing(machine):
    machine.environment.update(PYTHONIOENCODING="ascii", LC_ALL="C")
    (machine.root / "scripts" / "say").write_text(
        "import sys; sys.path.insert(0, sys.path[0] + '/../common/python')\nfrom conflict_free import console\nconsole.say('2048 × 2048')\n",
        encoding="utf-8",
    )
    done = machine.run("say")
    assert (done.returncode, done.stdout) == (0, "2048 ? 2048\n")
