# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Grading in processes of their own: one that crashes or hangs takes nothing with it but the submission it was at.

Run as a program, this file is such a process: it reads its settings and then orders from
stdin, a line of JSON each, and answers each order with a line on stdout.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from conflict_free.console import module_command

#: What grading one submission may take, in seconds. Its cases have limits of their own; this one is for an error of ours.
PATIENCE = 900.0
#: What an ended process gets to end what it has started.
_GRACE = 5.0


@dataclass(frozen=True)
class Answer:
    """What became of an order: what the function returned, or one line on why it returned nothing."""

    order: Any
    value: Any = None
    error: str | None = None


class _Worker:
    """One process that carries out orders, one after another."""

    def __init__(self, function: str, settings: dict[str, Any], scratch: str) -> None:
        # In a session of its own: Ctrl+C at the terminal would end the programs that it runs, and be graded as their crash.
        self._process = subprocess.Popen(
            module_command(sys.executable, "grading.workers", function),
            env={**os.environ, "TMPDIR": scratch},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        # Not among its arguments, where everybody on the machine could read the secret of a course.
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
        """Whether it can take another order."""
        return self._process.poll() is None

    def end(self) -> None:
        """End it with all that it has started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
                return


def carry_out_all(
    function: str, settings: dict[str, Any], orders: Iterable[Any], jobs: int, patience: float = PATIENCE
) -> Iterator[Answer]:
    """Yield the answers to all orders, each as soon as it is there; ``jobs`` processes work at them.

    ``function`` is "module:name" and is called with ``settings`` and an order, both of them JSON. Close the iterator if
    you leave it early, after Ctrl+C too: that ends all processes and what they have started.
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
            except Exception as error:  # the machine is out of processes, say; nobody may wait for an answer forever
                answers.put(Answer(order, error=f"{type(error).__name__}: {error}"))

    # What an ended process leaves behind goes with this folder.
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as scratch:
        threads = [threading.Thread(target=keep_busy, args=(place, scratch), daemon=True) for place in range(min(jobs, number))]
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
    # The answers go where stdout went; whatever prints, prints to stderr.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    module, _, name = function.partition(":")
    carry_out = getattr(importlib.import_module(module), name)
    settings = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        try:
            answer = {"value": carry_out(settings, json.loads(line))}
        except Exception as error:  # of ours: the class is graded on, and told
            traceback.print_exc()
            said = " ".join(str(error).split())
            answer = {"error": f"{type(error).__name__}: {said}" if said else type(error).__name__}
        try:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
        except BrokenPipeError:  # who gave the order was killed; what it was for is done all the same
            os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1])
