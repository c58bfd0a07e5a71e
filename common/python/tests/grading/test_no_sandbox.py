"""Tests a machine that cannot confine programs: the limits that remain, and the messages. ../sandbox tests the sandbox."""

import selectors
import sys
import time

from conflict_free.grading import sandbox
from conflict_free.grading.sandbox import Limits, run
from conflict_free.trials import cheats


def test_there_are_limits_still(tmp_path):
    limits = Limits(seconds=1, memory_megabytes=256, output_kilobytes=16, file_megabytes=8, processes=8)
    command = [sys.executable, "-c", "while True: print('more' * 1000)"]
    assert run(command, readable=[], writable=tmp_path, limits=limits, confined=False).stopped_by == "output"


def test_a_program_that_takes_back_its_output_does_not_stop_the_grader(tmp_path, monkeypatch):
    """A program can open its end of a pipe again, and read what it has written after the selector has seen it."""

    class Eager(selectors.DefaultSelector):
        def select(self, timeout=None):
            super().select(timeout)
            return [(key, selectors.EVENT_READ) for key in self.get_map().values()]

    monkeypatch.setattr(selectors, "DefaultSelector", Eager)
    began = time.monotonic()
    done = run(["sleep", "20"], readable=[], writable=tmp_path, limits=Limits(seconds=0.2), confined=False)
    assert done.stopped_by == "time" and time.monotonic() - began < 15


def test_a_machine_without_bubblewrap_is_told(monkeypatch):
    sandbox.available.cache_clear()
    monkeypatch.setenv("PATH", "/nowhere")
    assert "bubblewrap" in sandbox.available()
    sandbox.available.cache_clear()


def test_a_machine_without_libseccomp_is_told(monkeypatch):
    monkeypatch.delitem(sys.modules, "pyseccomp", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    sandbox._instructions.cache_clear()
    sandbox.available.cache_clear()
    assert "libseccomp2" in sandbox.available()
    sandbox.available.cache_clear()


def test_a_container_that_forbids_namespaces_is_told(tmp_path, monkeypatch):
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", encoding="utf-8")
    bwrap.chmod(0o755)
    sandbox.available.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert sandbox.available().endswith("bwrap: No permissions to create new namespace")
    sandbox.available.cache_clear()


def test_most_cheats_are_graded_without_a_sandbox():
    needing = [
        (name, layer) for name, outcomes in cheats.expected().items() for layer in cheats.LAYERS if cheats.needs_sandbox(outcomes[layer])
    ]
    assert ("includes_password_file", "without_text") in needing and ("forks", "without_text") in needing
    assert ("forks", "all") not in needing and len(needing) < len(cheats.names()) / 2


def test_what_was_not_graded_is_complained_about():
    for in_sandbox in (False, True):
        missing = [
            line for line in cheats.complaints({name: {} for name in cheats.names()}, in_sandbox=in_sandbox) if line.endswith("not graded")
        ]
        held = [
            outcome for each in cheats.expected().values() for layer, outcome in each.items() if cheats.needs_sandbox(outcome) == in_sandbox
        ]
        assert len(missing) == len(held) > 0
