"""Grades a class of 200 three times: in one run, killed and resumed, interrupted and resumed. Run it by hand; it takes minutes.

    .venv/bin/python common/python/tests/grading/two_hundred.py [--students N] [--assignment NAME] [--build-dir DIR] [--no-sandbox]

The submissions are the answers of an assignment, in turn, each with an edit of its own, except some equal ones. Prints the wall time of a
submission. The exit code is 1 if the three CSV files differ.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(REPOSITORY / "common" / "python"))

from conflict_free.grading.assignment import Assignment, load  # noqa: E402  found by the line above

_LOOK_SECONDS = 0.1
#: One of so many students hands in the same file as another.
_COPIED = 20


def make_class(folder: Path, task: Assignment, students: int) -> None:
    """Write the submissions in an order that is independent of their names."""
    texts = [task.text_of(answer.name) for answer in task.answers]
    numbers = random.Random(1).sample(range(students), students)
    for number in numbers:
        edit = "" if number % _COPIED == 0 else f"\n// handed in by student {number}\n"
        (folder / f"student{number:03}.cu").write_text(texts[number % len(texts)] + edit, encoding="utf-8")


class Runs:
    """Runs of the command, and their kept results."""

    def __init__(self, options: argparse.Namespace, folder: Path, room: Path) -> None:
        self._command = [
            sys.executable,
            REPOSITORY / "scripts" / "grade",
            "run-all",
            options.assignment,
            folder,
            *(["--build-dir", options.build_dir] if options.build_dir else []),
            *([] if options.confined else ["--no-sandbox"]),
        ]
        self._room = room

    def start(self, name: str) -> subprocess.Popen:
        """Start a run that keeps its results under a name."""
        return subprocess.Popen([*self._command, "--csv", self.csv(name), "--kept", self._room / name])

    def csv(self, name: str) -> Path:
        """Return the CSV file of a run."""
        return self._room / f"{name}.csv"

    def kept(self, name: str) -> int:
        """Return the number of results that a run has kept."""
        return len(list((self._room / name).rglob("*.json")))

    def stop_at(self, name: str, number: int, by: signal.Signals) -> None:
        """Start a run, and send it a signal when it has kept ``number`` results."""
        process = self.start(name)
        while self.kept(name) < number and process.poll() is None:
            time.sleep(_LOOK_SECONDS)
        process.send_signal(by)
        process.wait()
        print(
            f"{by.name} at {self.kept(name)} kept results: exit code {process.returncode}, "
            f"CSV {'there' if self.csv(name).exists() else 'not there'}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--assignment", default="padding")
    parser.add_argument("--build-dir")
    parser.add_argument("--no-sandbox", dest="confined", action="store_false")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="two_hundred_") as scratch:
        folder = Path(scratch) / "class"
        folder.mkdir()
        make_class(folder, load(options.assignment), options.students)
        runs = Runs(options, folder, Path(scratch))
        began = time.monotonic()
        code = runs.start("at_once").wait()
        took = time.monotonic() - began
        print(f"{options.students} submissions in {took:.1f} s, {took / options.students:.2f} s each; exit code {code}", flush=True)
        for name, by in (("killed", signal.SIGKILL), ("interrupted", signal.SIGINT)):
            for third in (1, 2):
                runs.stop_at(name, third * options.students // 3, by)
            code |= runs.start(name).wait()
        texts = {name: runs.csv(name).read_bytes() for name in ("at_once", "killed", "interrupted")}
        same = len(set(texts.values())) == 1
        print("the same bytes three times" if same else "the CSV files differ", flush=True)
        return 0 if same and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
