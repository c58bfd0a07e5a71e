"""scripts/book --watch: serve the book, render it again whenever a file is saved, and reload the page in the browser."""

import argparse
import subprocess
import time
from pathlib import Path

from livereload import Server

from conflict_free.console import ROOT, Stop, run_main, say, telling

from . import book, changes

_WATCHED = ("chapters", "book", "common")


def render(cmake: Path, build: Path) -> None:
    """Render the changed pages, and print the time that it took or the reason of the failure."""
    started = time.monotonic()
    done = subprocess.run([cmake, "--build", build, "--target", "book_pages"], cwd=ROOT, capture_output=True, text=True)
    seconds = time.monotonic() - started
    if done.returncode:
        for line in telling(done.stdout.splitlines()):
            say(f"  | {line}")
        say(f"Not rendered, after {seconds:.1f} s: see above")
        return
    for line in changes.lines(build):
        say(line)
    say(f"Rendered in {seconds:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cmake", type=Path)
    parser.add_argument("build", type=Path)
    options = parser.parse_args()
    port = book.free_port()
    server = Server()
    for folder in _WATCHED:
        server.watch(str(ROOT / folder), lambda: render(options.cmake, options.build), ignore=lambda path: "__pycache__" in path)
    say(f"Watching {', '.join(_WATCHED)}; the book is at http://127.0.0.1:{port}/ (Ctrl+C ends it)")
    try:
        server.serve(root=str(options.build / "html"), host="127.0.0.1", port=port, restart_delay=0)
    except OSError as error:
        raise Stop(f"cannot serve on 127.0.0.1:{port}: {error.strerror}") from error
    return 0


if __name__ == "__main__":
    run_main(main)
