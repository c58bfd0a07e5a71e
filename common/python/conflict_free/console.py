# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What the scripts print, and how they run long commands. Standard library only."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / "build" / "logs"

FAILED = 1
USAGE = 2
NO_GPU = 77
NO_SANDBOX = 77
INTERRUPTED = 130

# Without a terminal there is no line to rewrite, so a long step says where it is this often.
_HEARTBEAT_SECONDS = 20.0
_REDRAW_SECONDS = 0.1
_TAIL_LINES = 40
# What an interrupted command gets to end by itself.
_GRACE_SECONDS = 5.0


class Stop(Exception):
    """Ends the program: `message` goes to stderr as one line, `code` is the exit code."""

    def __init__(self, message: str, code: int = FAILED):
        super().__init__(message)
        self.code = code


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, with exit code 2."""

    def __init__(self, *args, **kwargs):
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        accepted = " ".join(option for action in self._actions for option in action.option_strings[-1:])
        self.exit(USAGE, f"error: {message}; accepted: {accepted}\n")


def say(text: str = "") -> None:
    """Prints a line at once, whatever stdout is connected to and whatever its encoding."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def run_main(main) -> NoReturn:
    """Calls `main()` and ends the process with its exit code, errors as one line each."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # As for Ctrl+C: what was started is ended, and nothing is left half-written.
        signal.signal(number, signal.default_int_handler)
    try:
        code = main()
    except Stop as stop:
        sys.stdout.flush()
        print(f"error: {stop}", file=sys.stderr, flush=True)
        code = stop.code
    except KeyboardInterrupt:
        sys.stdout.flush()
        print("interrupted", file=sys.stderr, flush=True)
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    sys.exit(code)


def shown_path(path: Path) -> str:
    """`path` as a person would type it from the repository's root."""
    try:
        return str(path.relative_to(ROOT))
    except ValueError:
        return str(path)


def use_venv(module: str) -> None:
    """Goes on in the virtual environment, which has the pinned versions. Without one, this Python must have `module`."""
    venv = ROOT / ".venv"
    python = venv / "bin" / "python"
    if python.exists() and Path(sys.prefix).resolve() != venv.resolve():
        sys.stdout.flush()
        os.execv(python, [str(python), *sys.argv])
    if not importlib.util.find_spec(module):
        print(f"error: no Python package {module} here; run scripts/test once, it installs it", file=sys.stderr)
        sys.exit(USAGE)


def module_command(python: str | os.PathLike, module: str, *arguments: str | os.PathLike) -> list[str]:
    """The command with which `python` runs a module of this package, for example "rendering.summary"."""
    return [str(python), str(Path(__file__).parent), module, *map(str, arguments)]


class _StatusLine:
    """The last line of a step's output: rewritten in place on a terminal, else a line now and then."""

    def __init__(self, title: str):
        self._terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._title = title
        self._shown = time.monotonic()
        if self._terminal:
            self._write(title)
        else:
            say(f"{title} ...")

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        encoding = sys.stdout.encoding or "ascii"
        text = text.encode(encoding, "replace").decode(encoding)
        sys.stdout.write("\r\x1b[K" + text[:width])
        sys.stdout.flush()

    def update(self, line: str) -> None:
        now = time.monotonic()
        if self._terminal:
            if now - self._shown >= _REDRAW_SECONDS:
                self._write(f"{self._title}: {line}")
                self._shown = now
        elif now - self._shown >= _HEARTBEAT_SECONDS:
            say(f"  {line}")
            self._shown = now

    def close(self, outcome: str) -> None:
        if self._terminal:
            self._write("")
            say(f"{self._title}: {outcome}")
        else:
            say(f"  {outcome}")


def telling(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a failed command's output that tell why: Ninja's first failure, else the end."""
    first = next((n for n, line in enumerate(lines) if line.startswith("FAILED: ")), None)
    if first is None:
        return lines[-_TAIL_LINES:]
    end = next((n for n in range(first, len(lines)) if re.match(r"\[\d+/\d+\] ", lines[n])), len(lines))
    return lines[first:end][:_TAIL_LINES]


_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _end(process: subprocess.Popen) -> None:
    """Ends a command with everything that it has started, and returns when none of it can write any more."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        except PermissionError:
            # Run by sudo: only sudo itself may be told, and it tells the others.
            process.send_signal(number)
        try:
            # Ends when the last of them has closed the pipe.
            process.communicate(timeout=_GRACE_SECONDS)
            return
        except subprocess.TimeoutExpired:
            pass


def step(
    title: str,
    command: Sequence[str | os.PathLike],
    *,
    env: Mapping[str, str] | None = None,
    hint: str = "",
    progress=lambda line: line,
) -> list[str]:
    """Runs a long command, shows where it is, keeps its output in build/logs; returns its lines.

    `progress` turns a line of output into what is shown of it (None: nothing). A command that fails
    ends the program: the end of its output is printed, then one line with `hint`.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / (re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".log")
    words = [str(word) for word in command]
    status = _StatusLine(title)
    started = time.monotonic()
    lines = []
    with open(log, "w", encoding="utf-8") as out:
        out.write(f"$ {shlex.join(words)}\n")
        try:
            process = subprocess.Popen(
                words,
                cwd=ROOT,
                env=None if env is None else {**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            status.close("failed")
            raise Stop(f"{title}: cannot run {words[0]}: {error.strerror}") from error
        current = {"line": ""}
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(_HEARTBEAT_SECONDS):
                seconds = time.monotonic() - started
                status.update(f"{current['line']} ({seconds:.0f} s)".strip())

        threading.Thread(target=beat, daemon=True).start()
        try:
            for line in process.stdout:
                line = _ESCAPES.sub("", line).rstrip()
                out.write(line + "\n")
                lines.append(line)
                shown = progress(line) if line else None
                if shown:
                    current["line"] = shown
                    status.update(shown)
            code = process.wait()
        except BaseException:
            _end(process)
            status.close("stopped")
            raise
        finally:
            ended.set()
    seconds = time.monotonic() - started
    if code == 0:
        status.close(f"done in {seconds:.1f} s")
        return lines
    status.close(f"failed after {seconds:.1f} s")
    for line in telling(lines):
        say(f"  | {line}")
    raise Stop(f"{title} failed (exit {code}); all of its output is in {shown_path(log)}{hint}")
