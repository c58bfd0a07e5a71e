"""Grades in worker processes. A worker that crashes or hangs loses only the submission that it was grading.

Run as a program, this file is a worker. It reads its settings and then orders from stdin, a line of JSON each, and answers each
order with a line on stdout.
"""

import contextlib
import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from conflict_free.console import module_command
from conflict_free.grading.scratch import scratch_folder

#: How long grading one submission may take, in seconds. Its cases have limits of their own; this one is for errors of the grader.
PATIENCE = 900.0
#: How long a terminated worker may take to end its own processes, in seconds.
_GRACE = 5.0


@dataclass(frozen=True)
class Answer:
    """The answer to an order: the value that the function returned, or one line that says why there is none."""

    order: Any
    value: Any = None
    error: str | None = None


class _Worker:
    """A process that carries out orders, one after another."""

    def __init__(self, function: str, settings: dict[str, Any], scratch: str) -> None:
        # In a session of its own: Ctrl+C at the terminal would end the submissions' programs, and that would be graded as a crash.
        self._process = subprocess.Popen(
            module_command(sys.executable, "grading.workers", function),
            # Workers share the processors already: threads of numpy's linear algebra would wait for each other, and busily.
            env={**os.environ, "TMPDIR": scratch, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        # The settings hold the secret of a course. As arguments, everybody on the machine could read them.
        self._unsent = json.dumps(settings) + "\n"

    def carry_out(self, order: Any, patience: float) -> Answer:
        """Wait for the answer to an order, ``patience`` seconds at most."""
        hung = threading.Event()

        def give_up() -> None:
            hung.set()
            self.end()

        late = threading.Timer(patience, give_up)
        late.start()
        try:
            self._process.stdin.write(self._unsent + json.dumps(order) + "\n")
            self._unsent = ""
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        finally:
            late.cancel()
        if line:
            return Answer(order, **json.loads(line))
        code = self._process.wait()
        if hung.is_set():
            return Answer(order, error=f"no result after {patience:g} s; the process that graded it was ended")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Answer(order, error=f"the process that graded it ended with {how}")

    @property
    def alive(self) -> bool:
        """Whether the process can take another order."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the process and all processes that it has started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
                return


def carry_out_all(
    function: str, settings: dict[str, Any], orders: Iterable[Any], jobs: int, patience: float = PATIENCE
) -> Iterator[Answer]:
    """Yield the answers to all orders as they come; ``jobs`` processes work on them.

    ``function`` is "module:name". It is called with ``settings`` and an order, both of them JSON. If you leave the iterator early,
    after Ctrl+C too, close it: that ends all processes that were started.
    """
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    answers: queue.SimpleQueue = queue.SimpleQueue()
    number = 0
    for number, order in enumerate(orders, start=1):
        waiting.put(order)
    stopping = threading.Event()
    workers: dict[int, _Worker] = {}

    def keep_busy(place: int, scratch: str) -> None:
        while not stopping.is_set():
            try:
                order = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                if place not in workers or not workers[place].alive:
                    workers[place] = _Worker(function, settings, scratch)
                answers.put(workers[place].carry_out(order, patience))
            except Exception as error:  # such as no more processes: each order needs an answer
                answers.put(Answer(order, error=f"{type(error).__name__}: {error}"))

    # Killed workers leave their temporary files in this folder.
    with scratch_folder("grade-") as scratch:
        threads = [threading.Thread(target=keep_busy, args=(place, str(scratch)), daemon=True) for place in range(min(jobs, number))]
        try:
            for thread in threads:
                thread.start()
            for _ in range(number):
                yield answers.get()
        finally:
            stopping.set()
            for worker in list(workers.values()):
                worker.end()
            for thread in threads:
                thread.join(_GRACE)


def _serve(function: str) -> None:
    # A terminated process then removes its files, as one that ends by itself does.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    # The answers use the stdout of before. Everything that is printed goes to stderr.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    module, _, name = function.partition(":")
    carry_out = getattr(importlib.import_module(module), name)
    settings = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        try:
            answer = {"value": carry_out(settings, json.loads(line))}
        except Exception as error:  # an error of the grader: it is reported, and grading goes on
            traceback.print_exc()
            said = " ".join(str(error).split())
            answer = {"error": f"{type(error).__name__}: {said}" if said else type(error).__name__}
        try:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
        except BrokenPipeError:  # the process that gave the order was killed; the result is kept
            os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1])
