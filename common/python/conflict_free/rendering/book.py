"""scripts/book: set-up, build, check, render, and a summary of what was counted and measured."""

import functools
import hashlib
import http.server
import os
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path

from conflict_free.console import ROOT, OneLineParser, Stop, module_command, say
from conflict_free.counting import model_runtime
from conflict_free.setup import cmake, cuda, setup


def parse(arguments: list[str]):
    parser = OneLineParser(
        prog="scripts/book",
        usage="scripts/book [--strict] [--epub] [--pdf] [--serve | --open | --watch]",
        description="Does all the set-up, builds every chapter, runs and checks each one (on the "
        "GPU if there is one, else on the counting model), renders the book, and prints a summary "
        "and where index.html is. A kernel may be changed: the book then has its new counts, crosses out the times that "
        "were measured before, and marks what no longer holds. Exit code 0: the book is there; 1: a build failed, or with "
        "--strict something does not hold; 2: wrong arguments, or system packages that may not be installed.",
    )
    parser.add_argument(
        "--strict", action="store_true", help="fail on checks, expectations and claims that do not hold, and on stale times"
    )
    parser.add_argument("--epub", action="store_true", help="make an EPUB of the book, too")
    parser.add_argument("--pdf", action="store_true", help="print the book as one PDF, too; needs Chromium")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--serve", action="store_true", help="serve the book on 127.0.0.1 until Ctrl+C")
    shown.add_argument("--open", action="store_true", help="open the book in the browser")
    shown.add_argument("--watch", action="store_true", help="serve the book, and render it again whenever a file is saved, until Ctrl+C")
    return parser.parse_args(arguments)


def _programs_state(build: Path, selection: str) -> str:
    """Return a text that changes whenever a chapter program or the counting model changes."""
    state = hashlib.sha256(selection.encode())
    for program in sorted([*(build / "chapters").glob("*/*"), *model_runtime.libraries(build).glob("*")]):
        if program.is_file() and os.access(program, os.X_OK):
            found = program.stat()
            state.update(f"{program} {found.st_size} {found.st_mtime_ns}\n".encode())
    return state.hexdigest()


def check_chapters(tools: cmake.Tools, build: Path) -> bool:
    """Run the chapters' checks, unless these programs have passed them before. Return whether all pass."""
    on_gpu = cuda.gpu_visible()
    selection = r"^chapter\.[^.]+\.gpu$" if on_gpu else r"^chapter\.[^.]+\.model$"
    stamp = build / "checked.stamp"
    state = _programs_state(build, selection)
    where = "on the GPU" if on_gpu else "on the counting model"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == state:
        say(f"Checks {where}: passed before, and no program has changed since")
        return True
    say(f"Checks {where}:")
    code = cmake.test(tools, "-R", selection, "-j", str(os.cpu_count() or 1))
    if code == 0:
        stamp.write_text(state, encoding="utf-8")
    return code == 0


def free_port() -> int:
    """Return the usual port of this machine's own address, or another free one if that is taken. Raises Stop if none is free."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for port in (8000, 0):
            try:
                taken.bind(("127.0.0.1", port))
                break
            except OSError as error:
                if port == 0:
                    raise Stop(f"cannot serve on 127.0.0.1: {error.strerror}") from error
        return taken.getsockname()[1]


def serve(html: Path) -> None:
    """Serve the book to this machine alone, until it is interrupted."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(html))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), handler)
    say(f"Serving http://127.0.0.1:{server.server_address[1]}/ (Ctrl+C ends it)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def main() -> int:
    options = parse(sys.argv[1:])
    tools = setup.set_up(pdf=options.pdf, beside=cmake.begin_build)
    build = cmake.configure(tools)
    cmake.build(tools, "the pages", "book_pages")
    index = build / "html" / "index.html"
    if not index.exists():
        raise Stop(f"the book was built, but {index} is not there")
    say(f"The pages are there: {index}")
    # In the same build ninja would compile it before the pages.
    cmake.build(tools, "what no page needs", "programs")
    passed = check_chapters(tools, build)
    if options.epub:
        cmake.build(tools, "the book as one file", "book")
    sys.stdout.flush()
    subprocess.run(module_command(tools.python, "rendering.summary", build / "counts", ROOT / "book" / "results"), check=False)
    if options.pdf:
        pdf = build / "pdf" / "conflict-free-cuda.pdf"
        if subprocess.run(module_command(tools.python, "rendering.book_pdf", index.parent, pdf), check=False).returncode:
            return 1
    if options.open:
        webbrowser.open(index.as_uri())
    strict = ["--strict"] if options.strict else []
    held = subprocess.run(module_command(tools.python, "rendering.changes", *strict, build), check=False).returncode == 0
    say(str(index))
    if options.serve:
        serve(index.parent)
    if options.watch:
        return subprocess.run(module_command(tools.python, "rendering.watch", tools.cmake, build)).returncode
    return 1 if options.strict and not (passed and held) else 0
