"""Tests what scripts/book does after the build."""

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from conftest import start

from conflict_free.cuda_version import RUNTIME
from conflict_free.rendering import book
from conflict_free.setup import cmake, cuda


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A build folder with one chapter program, and a CTest that notes its calls and answers `code`."""
    program = tmp_path / "chapters" / "copy" / "copy"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    calls, answer = [], {"code": 0}

    def ctest(tools, *arguments):
        calls.append(arguments)
        return answer["code"]

    monkeypatch.setattr(cmake, "test", ctest)
    monkeypatch.setattr(cuda, "gpu_visible", lambda: False)
    return tmp_path, program, calls, answer


TOOLS = cmake.Tools(python=Path("python"), cmake=Path("cmake"), nvcc=Path("nvcc"))


def test_checks_that_passed_are_not_run_again_until_a_program_changes(built):
    folder, program, calls, _ = built
    assert book.check_chapters(TOOLS, folder) and book.check_chapters(TOOLS, folder)
    assert len(calls) == 1
    program.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    assert book.check_chapters(TOOLS, folder)
    assert len(calls) == 2


def test_checks_that_failed_are_run_again(built):
    folder, _, calls, answer = built
    answer["code"] = 8
    assert not book.check_chapters(TOOLS, folder)
    assert not book.check_chapters(TOOLS, folder)
    assert len(calls) == 2


def test_on_the_gpu_where_there_is_one(built, monkeypatch):
    folder, _, calls, _ = built
    book.check_chapters(TOOLS, folder)
    monkeypatch.setattr(cuda, "gpu_visible", lambda: True)
    book.check_chapters(TOOLS, folder)
    assert [r"^chapter\.[^.]+\.model$", r"^chapter\.[^.]+\.gpu$"] == [arguments[1] for arguments in calls]


def test_checks_are_run_again_when_the_model_changes(built):
    folder, _, calls, _ = built
    library = folder / "common" / "model" / "lib" / RUNTIME
    library.parent.mkdir(parents=True)
    library.write_text("", encoding="utf-8")
    library.chmod(0o755)
    assert book.check_chapters(TOOLS, folder)
    library.write_text("new", encoding="utf-8")
    assert book.check_chapters(TOOLS, folder)
    assert len(calls) == 2


def test_the_models_libraries_are_there_before_the_chapters_run(tmp_path, monkeypatch):
    """A chapter's program loads them when it starts, so no link depends on them."""
    targets = []
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "index.html").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["book"])
    monkeypatch.setattr(book.setup, "set_up", lambda **_: TOOLS)
    monkeypatch.setattr(cmake, "configure", lambda *arguments: tmp_path)
    monkeypatch.setattr(cmake, "build", lambda tools, what, *named: targets.extend(named))
    monkeypatch.setattr(book.subprocess, "run", lambda command, **options: subprocess.CompletedProcess(command, 0))
    seen = []
    monkeypatch.setattr(book, "check_chapters", lambda *arguments: seen.extend(targets) or True)
    assert book.main() == 0
    assert "programs" in seen
    assert "book_pages" in seen
    assert "book" not in targets, "the EPUB is made on demand"
    monkeypatch.setattr(sys, "argv", ["book", "--epub"])
    assert book.main() == 0
    assert targets[-1] == "book"


def test_the_book_is_served_on_this_machine_alone(tmp_path):
    (tmp_path / "index.html").write_text("the book", encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(Path(book.__file__).parents[2])!r});"
        f"from conflict_free.rendering import book; from pathlib import Path; book.serve(Path({str(tmp_path)!r}))"
    )
    server = start([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[1]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=20) as page:
            assert page.read() == b"the book"
        # Another address of this machine stands for those that others can reach.
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", int(address.rstrip("/").rpartition(":")[2])), timeout=20)
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) == 0
    finally:
        server.kill()
        server.communicate()


def test_serve_and_open_exclude_each_other(house):
    done = house.run("book", "--serve", "--open")
    assert done.returncode == 2
    assert "not allowed with argument --serve" in done.stderr and done.stderr.count("\n") == 1
