# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Building a submission: what compiler and linker say, as it is told, and the driver that is kept ready."""

from __future__ import annotations

import os

import pytest
from grading_tools import build_folder, padding

from conflict_free.grading import building
from conflict_free.grading.building import Message, Toolchain, _messages
from conflict_free.grading.sandbox import Done


def said(text: str, stopped_by: str | None = None) -> list[Message]:
    return list(_messages(Done(2, "", text, stopped_by), "", padding()))


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
            Message(0, "main is defined, and is the driver's", "Leave it out, or give it another name."),
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
    assert said("", "time") == [Message(0, "compiling it was stopped: too much time", "Look for an include or a template that never ends.")]


def test_a_driver_is_made_once_until_a_header_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "KEPT", tmp_path / "kept")
    tools = Toolchain.of(build_folder())
    first = building.driver_object(tools, padding())
    made = os.stat(first).st_mtime_ns
    assert building.driver_object(tools, padding()) == first and os.stat(first).st_mtime_ns == made
    more = tmp_path / "more"
    more.mkdir()
    (more / "new.hpp").write_text("", encoding="utf-8")
    changed = Toolchain(**{**vars(tools), "include_folders": [*tools.include_folders, str(more)]})
    assert building.driver_object(changed, padding()) != first
