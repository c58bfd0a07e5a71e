"""Tests building a submission: the messages of compiler and linker, and the kept drivers and programs."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from grading_tools import CONFINED, build_folder, changed_copy, padding

from conflict_free.console import Stop
from conflict_free.grading import assignment, building, sandbox
from conflict_free.grading.building import Toolchain
from conflict_free.grading.compiler_messages import Message, messages
from conflict_free.grading.sandbox import Done


def said(text: str, stopped_by: str | None = None) -> list[Message]:
    task = {"source": padding().source.name, "function": padding().function, "declaration": padding().declaration}
    return list(messages(vars(Done(2, "", text, stopped_by)), "", task))


@pytest.mark.parametrize(
    "text, message",
    [
        (
            'transpose_doubles.cu(7): error: identifier "tiel" is undefined\n      tiel[0] = 1;\n      ^\n\n1 error detected\n',
            Message(7, 'identifier "tiel" is undefined'),
        ),
        ("transpose_doubles.cu(3): error #20169: a thing\n", Message(3, "a thing")),
        ('transpose_doubles.cu(1): catastrophic error: cannot open source file "x.h"\n', Message(1, 'cannot open source file "x.h"')),
        ("transpose_doubles.cu:9:14: error: expected ‘;’ before ‘}’ token\n", Message(9, "expected ‘;’ before ‘}’ token")),
        ("transpose_doubles.cu:2:10: fatal error: x.h: No such file or directory\n", Message(2, "x.h: No such file or directory")),
        ("/usr/include/c++/12/vector(12): error: a thing deep inside\n", Message(0, "a thing deep inside")),
        (
            "/usr/bin/ld: driver.o: in function `main':\ndriver.cu:(.text+0x5): undefined reference to `transpose_doubles(double*, double const*, int, int)'\n"
            "collect2: error: ld returned 1 exit status\n",
            Message(0, "it defines no function transpose_doubles", f"Define exactly: {padding().declaration}."),
        ),
        (
            "/usr/bin/ld: x.o: undefined reference to `helper(int)'\n",
            Message(0, "helper(int) is used and nowhere defined", "Define it in this file: nothing else is linked with it."),
        ),
        (
            "/usr/bin/ld: x.o: in function `main':\nx.cu:(.text+0x0): multiple definition of `main'; driver.o: first defined here\n",
            Message(0, "main is defined by the driver, too", "Leave it out, or give it another name."),
        ),
        ("transpose_doubles.cu(3): error: #error \x1b[2Jgone\n", Message(3, "#error \ufffd[2Jgone")),
        ("nvcc fatal   : Unknown option\n", Message(0, "Unknown option")),
        ("", Message(0, "the compiler ended with exit code 2")),
    ],
)
def test_what_the_compiler_says_is_told_with_its_line(text, message):
    assert said(text)[0] == message


def test_the_same_error_of_two_compilations_is_told_once():
    assert len(said("transpose_doubles.cu(7): error: one\n" * 2 + "transpose_doubles.cu(8): error: two\n")) == 2


def test_a_compiler_that_was_stopped_is_told():
    help_line = "Look for an include or a template that never ends, and for an array that is far too large."
    assert said("", "time") == [Message(0, "compiling it was stopped: too much time", help_line)]


def test_no_header_but_those_of_special_functions_is_left_out(tmp_path):
    source = tmp_path / "empty.cu"
    source.touch()

    def headers(*options: str) -> set[Path]:
        listed = subprocess.run([Toolchain.of(build_folder()).nvcc, "-M", *options, source], capture_output=True, text=True, check=True)
        return {Path(word).resolve() for word in listed.stdout.split() if word.startswith("/")}

    left_out = headers("-std=c++20") - headers("-std=c++20", *building.WITHOUT_SPECIAL_FUNCTIONS)
    assert {path.parent.name for path in left_out} == {"tr1"}


def test_a_driver_is_made_once_until_a_header_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "KEPT", tmp_path / "kept")
    tools = Toolchain.of(build_folder())
    task = assignment.load_folder(changed_copy(tmp_path), "padding")
    task.driver.write_text("int main() {}\n", encoding="utf-8")
    first = building.driver_object(tools, task)
    made = os.stat(first).st_mtime_ns
    assert building.driver_object(tools, task) == first and os.stat(first).st_mtime_ns == made
    more = tmp_path / "more"
    more.mkdir()
    (more / "new.hpp").write_text("", encoding="utf-8")
    changed = Toolchain(**{**vars(tools), "include_folders": [*tools.include_folders, str(more)]})
    assert building.driver_object(changed, task) != first


def test_a_driver_that_cannot_be_kept_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(building, "KEPT", tmp_path / "file")
    task = assignment.load_folder(changed_copy(tmp_path), "padding")
    task.driver.write_text("int main() {}\n", encoding="utf-8")
    with pytest.raises(Stop, match=f"^the driver of assignment padding cannot be kept in {tmp_path / 'file'}: "):
        building.driver_object(Toolchain.of(build_folder()), task)


def test_a_program_is_compiled_once_until_its_text_or_its_driver_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(building, "KEPT_PROGRAMS", 2)
    folder = tmp_path / "made"
    folder.mkdir()
    task = assignment.load_folder(changed_copy(tmp_path), "padding")
    task.driver.write_text("int main() {}\n", encoding="utf-8")
    compiled = []

    def compile_in_no_time(command, *, writable, **_options):
        """Compile every text that ends in a semicolon, and complain about any other."""
        compiled.append(command)
        source = writable / task.source.name
        if source.name in command and "-v" in command and "refuse" in source.read_text(encoding="utf-8"):
            return Done(1, "", "ptxas error   : too much", None)
        if source.name in command and not source.read_text(encoding="utf-8").endswith(";"):
            return Done(1, "", f'{source.name}(1): error: expected a ";"', None)
        made = Path(command[command.index("-o") + 1])
        made.write_text(task.driver.read_text(encoding="utf-8"), encoding="utf-8")
        made.chmod(0o755)
        return Done(
            0, "", "ptxas info    : Function properties for f\n 0 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads\n", None
        )

    monkeypatch.setattr(sandbox, "run", compile_in_no_time)

    def compiles(text: str, **options) -> int:
        compiled.clear()
        time.sleep(0.02)  # so that the times of two uses differ
        (folder / "program").unlink(missing_ok=True)
        built = building.build(Toolchain.of(build_folder()), task, text, folder, **{"confined": CONFINED, **options})
        if built.program:
            assert os.access(built.program, os.X_OK) and list(built.resources["f"]) == [0, 1, 2]
        return len(compiled)

    assert compiles("int a;") == 2, "the driver and the text"
    assert [compiles("int a;"), compiles("int b;"), compiles("int a;")] == [0, 1, 0]
    assert compiles("int a") == compiles("int a") == 1, "what does not compile is not kept"
    assert [compiles("int c;"), compiles("int a;"), compiles("int b;")] == [1, 0, 1], "those that were used last are kept"
    assert compiles("int b;", confined=False) == CONFINED, "an unconfined compiler reads other files"
    task.driver.write_text("int main() { return 0; }\n", encoding="utf-8")
    assert compiles("int b;") == 2
    assert compiles("int refused;") == 2, "what ptxas refuses is compiled without it"
    assert not list((tmp_path / "kept").rglob(".making-*"))
