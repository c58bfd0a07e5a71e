"""Output of the scripts, and the running of long commands. Standard library only."""

import argparse
import contextlib
import errno
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / "build" / "logs"

FAILED = 1
USAGE = 2
NO_GPU = 77
NO_SANDBOX = 77
INTERRUPTED = 130

# Without a terminal there is no line to rewrite, so a long step prints its progress this often.
_HEARTBEAT_SECONDS = 20.0
_REDRAW_SECONDS = 0.1
_TAIL_LINES = 40
# Time for an interrupted command to end by itself.
_GRACE_SECONDS = 5.0


class Stop(Exception):
    """An error that ends the program: `message` goes to stderr as one line, `code` is the exit code."""

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
    """Print a line without delay. Characters that stdout cannot encode become question marks."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


@contextlib.contextmanager
def doing(what: str) -> Iterator[None]:
    """Show on stderr what is being done, and remove the line afterwards; show nothing where stderr is no terminal."""
    shows = sys.stderr.isatty()
    if shows:
        print(f"\r\x1b[K{what} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shows:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def run_main(main) -> NoReturn:
    """Call `main()` and end the process with its exit code. Each error is one line."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # As after Ctrl+C, started commands end and no file stays half-written.
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
    except OSError as error:
        if error.errno == errno.ENOSPC:
            print(f"error: the output cannot be written: {error.strerror}", file=sys.stderr, flush=True)
        elif not isinstance(error, BrokenPipeError):
            raise
        # The reader of our output has closed the pipe, or its disk is full; Python would complain about that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    sys.exit(code)


def shown_path(path: Path) -> str:
    """Return `path` as a person types it in the root of the repository."""
    try:
        return str(path.relative_to(ROOT))
    except ValueError:
        return str(path)


def use_venv(module: str) -> None:
    """Run this script again with the Python of the virtual environment. Without one, this Python must have `module`."""
    venv = ROOT / ".venv"
    python = venv / "bin" / "python"
    if python.exists() and Path(sys.prefix).resolve() != venv.resolve():
        sys.stdout.flush()
        os.execv(python, [str(python), *sys.argv])
    if not importlib.util.find_spec(module):
        print(f"error: no Python package {module} here; run scripts/test once, it installs it", file=sys.stderr)
        sys.exit(USAGE)


def module_command(python: str | os.PathLike, module: str, *arguments: str | os.PathLike) -> list[str]:
    """Return the command with which `python` runs a module of this package, for example "rendering.summary"."""
    return [str(python), str(Path(__file__).parent), module, *map(str, arguments)]


class _StatusLine:
    """The status of a step: one line that is rewritten on a terminal, or a line now and then elsewhere.

    A step of meanwhile() shows only its end, with its title, because the line belongs to the step that runs beside it.
    """

    def __init__(self, title: str):
        self._terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._beside = threading.current_thread() is not threading.main_thread()
        self._title = title
        self._shown = time.monotonic()
        if self._terminal and not self._beside:
            self._write(title)
        elif not self._beside:
            say(f"{title} ...")

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        encoding = sys.stdout.encoding or "ascii"
        text = text.encode(encoding, "replace").decode(encoding)
        sys.stdout.write("\r\x1b[K" + text[:width])
        sys.stdout.flush()

    def update(self, line: str) -> None:
        if self._beside:
            return
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
        if self._terminal or self._beside:
            say(f"{self._title}: {outcome}")
        else:
            say(f"  {outcome}")


def telling(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines that explain why a command failed: Ninja's first failure, or the last lines."""
    first = next((n for n, line in enumerate(lines) if line.startswith("FAILED: ")), None)
    if first is None:
        return lines[-_TAIL_LINES:]
    end = next((n for n in range(first, len(lines)) if re.match(r"\[\d+/\d+\] ", lines[n])), len(lines))
    return lines[first:end][:_TAIL_LINES]


_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _signal(process: subprocess.Popen, number: int) -> None:
    """Send a signal to a command and all processes that it has started."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
    except PermissionError:
        # The command runs under sudo: only sudo itself accepts the signal, and passes it on.
        process.send_signal(number)


def _end(process: subprocess.Popen) -> None:
    """End a command and all processes that it has started; return when none of them can write."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(process, number)
        try:
            # This returns when the last process has closed the pipe.
            process.communicate(timeout=_GRACE_SECONDS)
            return
        except subprocess.TimeoutExpired:
            pass


#: The commands that steps are running.
_running: set[subprocess.Popen] = set()


@contextlib.contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Do `work` in a thread while the body of the `with` runs, then wait for it. An exception of either of them is raised here.

    If the body is interrupted or fails, the command that `work` is running is ended.
    """
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            yield
            done.result()
        except BaseException:
            for process in list(_running):
                _signal(process, signal.SIGTERM)
            raise


class _CannotRun(Exception):
    pass


@contextlib.contextmanager
def _running_command(words: Sequence[str], env: Mapping[str, str] | None) -> Iterator[subprocess.Popen]:
    """A command that runs while the body of the `with` does. An exception in the body ends it and all that it has started."""
    begun = []
    beginning = threading.Lock()
    abandoned = False

    def start() -> None:
        with beginning:
            if abandoned:
                return
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
                raise _CannotRun(error.strerror) from error
            begun.append(process)
            _running.add(process)

    try:
        # A signal can end Popen() after the command has begun, and then nothing knows the command's process. In another
        # thread no signal does.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(start).result()
        yield begun[0]
    except BaseException:
        # The thread is perhaps still at work: a signal can also end the wait for it.
        with beginning:
            abandoned = True
        for process in begun:
            _end(process)
        raise
    finally:
        _running.difference_update(begun)


def step(
    title: str, command: Sequence[str | os.PathLike], *, env: Mapping[str, str] | None = None, hint: str = "", progress=lambda line: line
) -> list[str]:
    """Run a long command, show its progress, and keep its output in build/logs. Return its lines.

    `progress` returns the text to show for a line of output, or None. Raises Stop for a command that fails, after the last
    lines of its output; the message ends with `hint`.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / (re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".log")
    words = [str(word) for word in command]
    status = _StatusLine(title)
    started = time.monotonic()
    lines = []
    with open(log, "w", encoding="utf-8") as out:
        out.write(f"$ {shlex.join(words)}\n")
        current = {"line": ""}
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(_HEARTBEAT_SECONDS):
                seconds = time.monotonic() - started
                status.update(f"{current['line']} ({seconds:.0f} s)".strip())

        threading.Thread(target=beat, daemon=True).start()
        try:
            with _running_command(words, env) as process:
                for line in process.stdout:
                    line = _ESCAPES.sub("", line).rstrip()
                    out.write(line + "\n")
                    lines.append(line)
                    shown = progress(line) if line else None
                    if shown:
                        current["line"] = shown
                        status.update(shown)
                code = process.wait()
        except _CannotRun as error:
            status.close("failed")
            raise Stop(f"{title}: cannot run {words[0]}: {error}") from error
        except BaseException:
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
