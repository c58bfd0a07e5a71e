"""Running a program as a part of this command: it gets the terminal, and ends with this command. Standard library only."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from conflict_free.console import Stop

SIGNAL_OFFSET = 128  # a shell adds this to the number of the signal that ended a program
_GRACE_SECONDS = 5.0
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux


class Ended(BaseException):
    """A signal that ends this command."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def _terminal() -> int | None:
    """Return the terminal that the program reads from, if it belongs to this process."""
    with contextlib.suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        if os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp():
            return number
    return None


def _begin(parent: int, terminal: int | None) -> Callable[[], None]:
    """Return the first steps of the program's process."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)

    def begin() -> None:
        os.setpgid(0, 0)
        with contextlib.suppress(NameError, AttributeError):
            library.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(SIGNAL_OFFSET + signal.SIGKILL)
        if terminal is not None:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.tcsetpgrp(terminal, os.getpgrp())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    return begin


def _kill(process: subprocess.Popen, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@contextlib.contextmanager
def _signals(process_of: Callable[[], subprocess.Popen | None]) -> Iterator[None]:
    """Pass Ctrl+C to the program, whose counts until then are reported. Other signals end the program and this command."""

    def interrupt(number: int, _) -> None:
        process = process_of()
        if process:
            _kill(process, number)

    def end(number: int, _) -> None:
        raise Ended(number)

    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: end, signal.SIGHUP: end, signal.SIGQUIT: end}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _give_terminal_back(terminal: int | None) -> None:
    if terminal is None:
        return
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.tcsetpgrp(terminal, os.getpgrp())
    signal.signal(signal.SIGTTOU, before)


def run(command: Sequence[str | os.PathLike], environment: Mapping[str, str]) -> int:
    """Run a program with its output on ours; return its exit code in the form of a shell."""
    sys.stdout.flush()
    process: subprocess.Popen | None = None
    terminal = _terminal()
    with _signals(lambda: process):
        try:
            process = subprocess.Popen(command, env=environment, preexec_fn=_begin(os.getpid(), terminal))
            code = process.wait()
        except OSError as error:
            raise Stop(f"cannot run the program: {error.strerror}") from error
        except Ended as end:
            if process:
                _kill(process, signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_GRACE_SECONDS)
                _kill(process, signal.SIGKILL)
                process.wait()
            raise Stop(f"ended by signal {end.number}", SIGNAL_OFFSET + end.number) from None
        finally:
            _give_terminal_back(terminal)
    return code if code >= 0 else SIGNAL_OFFSET - code
