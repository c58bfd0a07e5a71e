"""Tests grading on each save: the view, the remembered progress, the keys. The grader only pretends."""

import fcntl
import io
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import REPOSITORY
from grading_results import make_result
from rich.console import Console

from conflict_free.grading import watching

LIB = REPOSITORY / "common" / "python"
ASSIGNMENT = SimpleNamespace(name="padding", hints=("Look at the columns.", "Pad each row."))


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def once(path: Path, fails: str = "") -> tuple[int, str]:
    out = io.StringIO()
    console = Console(file=out, width=100, color_system=None)
    code = watching.watch(ASSIGNMENT, path, lambda: make_result("ada", fails, submission=path.name), once=True, out=console)
    return code, out.getvalue()


def test_what_is_left_is_shown(state, tmp_path):
    code, said = once(tmp_path / "work.cu", "counts.conflicts")
    assert code == 1
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert [line.replace("✓", "+").replace("✗", "x") for line in lines[:9]] == [
        "Transpose doubles: work.cu",
        "",
        "+ exists 0 of 0",
        "+ compiles 5 of 5",
        "+ safe 15 of 15",
        "+ correct 40 of 40",
        "x counts.conflicts 0 of 25 31 conflicts",
        "+ counts.sectors 15 of 15",
        "",
    ]
    assert "75 of 100 points, best so far 75" in lines
    assert "left: counts.conflicts" in lines
    assert lines[lines.index("counts.conflicts") + 1 :][:3] == ["case: square", "seen: 31 conflicts", "wanted: at most 0"]


def test_what_is_not_reached_is_said(state, tmp_path):
    _, said = once(tmp_path / "work.cu", "safe")
    assert "correct           0 of 40  not reached" in said
    assert "left: safe, correct, counts.conflicts, counts.sectors" in said


def test_nothing_is_left(state, tmp_path):
    code, said = once(tmp_path / "work.cu")
    assert code == 0 and "Nothing is left: every check passes." in said


def test_progress_is_remembered_and_stands_nowhere_near_the_file(state, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    once(work / "work.cu", "counts.conflicts")
    _, said = once(work / "work.cu", "safe")
    assert "5 of 100 points, best so far 75" in said
    assert "not reached (has passed before)" in said
    assert list(work.iterdir()) == []
    assert len(list(state.rglob("padding-*.json"))) == 1
    _, said = once(work / "another.cu", "safe")
    assert "best so far 5" in said


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', '{"format": "conflict_free/progress/1", "best": null}', "\x00"])
def test_a_broken_memory_is_no_memory(state, tmp_path, text):
    path = watching.progress_file(ASSIGNMENT, tmp_path / "work.cu")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    code, said = once(tmp_path / "work.cu", "safe")
    assert code == 1 and "best so far 5" in said
    assert watching.load(path) == watching.Progress(5, ["compiles", "exists"], 1, 0)


def test_a_memory_that_cannot_be_written_is_no_reason_to_stop(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert once(tmp_path / "work.cu")[0] == 0


def test_hints_come_one_after_the_other():
    progress = watching.Progress()
    hints = [watching.next_hint(ASSIGNMENT, progress) for _ in range(3)]
    assert hints == ["Hint 1 of 2: Look at the columns.", "Hint 2 of 2: Pad each row.", "Hint 2 of 2: Pad each row."]
    assert progress.hints == 2


# --- at a terminal -------------------------------------------------------------------------------

PROGRAM = """
import sys
from pathlib import Path
from types import SimpleNamespace
sys.path[:0] = [{lib!r}, {tests!r}]
from rich.console import Console
from conflict_free.grading import watching
from grading_results import make_result
path = Path(sys.argv[1])
assignment = SimpleNamespace(name="padding", hints=("Look at the columns.", "Pad each row."))
grade = lambda: make_result("ada", path.read_text(encoding="utf-8"), submission=path.name)
sys.exit(watching.watch(assignment, path, grade, once=False, out=Console()))
"""


class Terminal:
    """The program, running at a terminal of its own."""

    def __init__(self, path: Path) -> None:
        self._end, other = pty.openpty()
        code = PROGRAM.format(lib=str(LIB), tests=str(Path(__file__).parent))
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, path],
            stdin=other,
            stdout=other,
            stderr=other,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
            start_new_session=True,
            # The terminal is the session's own, so that Ctrl+C at it is a signal.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other)
        self.said = ""

    def expect(self, text: str) -> str:
        """Wait for a text, and return the output before it."""
        end = time.monotonic() + 30
        while text not in self.said:
            assert time.monotonic() < end, self.said
            if select.select([self._end], [], [], 0.1)[0]:
                self.said += os.read(self._end, 4096).decode("utf-8", "replace")
        before, _, self.said = self.said.partition(text)
        return before

    def press(self, key: str) -> None:
        os.write(self._end, key.encode())


@pytest.fixture
def terminal(state, tmp_path):
    (tmp_path / "work.cu").write_text("safe", encoding="utf-8")
    terminal = Terminal(tmp_path / "work.cu")
    yield terminal
    if terminal.process.poll() is None:
        terminal.process.kill()
        terminal.process.wait()


def test_each_save_is_graded(terminal, tmp_path):
    terminal.expect("best so far 5")
    terminal.expect("h: hint")
    (tmp_path / "new.cu").write_text("correct", encoding="utf-8")
    (tmp_path / "new.cu").replace(tmp_path / "work.cu")  # as editors save
    terminal.expect("20 of 100 points")
    terminal.expect("h: hint")
    (tmp_path / "work.cu").write_text("", encoding="utf-8")
    terminal.expect("every check passes")
    terminal.press("q")
    assert terminal.process.wait(10) == 0


def test_keys(terminal):
    terminal.expect("h: hint")
    terminal.press("h")
    terminal.expect("Hint 1 of 2: Look at the columns.")
    terminal.press("h")
    terminal.expect("Hint 2 of 2: Pad each row.")
    terminal.press("r")
    terminal.expect("best so far 5")
    terminal.press("q")
    assert terminal.process.wait(10) == 1


@pytest.mark.long
def test_ctrl_c_ends_it(terminal):
    terminal.expect("h: hint")
    terminal.press("\x03")
    assert terminal.process.wait(10) == 1
