"""Tests submissions that want to stop the grader: each gets a verdict in a short time, and leaves nothing behind."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from grading_tools import CONFINED, answer_file, graded, padding
from test_runs import TASK, made_run

from conflict_free.console import Stop
from conflict_free.grading import building, counting_checks, facts, finding, judging, running, safety, scratch, source_text, text_facts
from conflict_free.grading.sandbox import Done, Limits
from conflict_free.grading.tokens import read
from conflict_free.schemas import Schema

LONG = 100_000
#: Lines of this length, each made to keep one of the readers busy. A № becomes another number each time.
LINES = {
    "launches": "k<",
    "kernel names": "k <3> ",
    "functions": "void f(){}",
    "declarations": "void f();",
    "open braces": "{",
    "closed braces": "{}",
    "static": "static ",
    "scopes": "namespace a{",
    "copies": "cudaMemcpy",
    "words": "a",
    "two words": "a b ",
    "different words": "name№ ",
    "launches of kernels": "k<<<1,1>>>();",
    "launches of many": "k№<3><<<1,1>>>();",
    "calls": "printf();",
    "loops": "void f(){for(;;);}",
    "many undefined": "undefined reference to `f№'",
    "many declared": "undefined reference to `f№' f№();",
    "raw strings": 'R"a(',
    "comments": "/*",
    "universal names": "\\u{",
    "splices": "\\\n",
    "digraphs": "<::",
    "spaces": " ",
    "includes": "#include <",
    "undefined": "undefined reference to `",
    "twice": "multiple definition of `",
    "unknown": 'identifier "a',
    "messages": "a b c ",
}
#: The lines of which each reader gets one in any case; the others are a long series.
SAMPLE = {"closed braces", "launches of many", "universal names", "comments", "many declared", "messages"}


def line(name: str) -> str:
    piece = LINES[name]
    text = "".join(piece.replace("№", str(number)) for number in range(LONG)) if "№" in piece else piece * LONG
    return text[:LONG]


@pytest.mark.parametrize("name", [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.long) for name in LINES])
def test_a_long_line_is_read_in_linear_time(name):
    began = time.process_time()
    text = line(name)
    task = {"source": "transpose_doubles.cu", "function": "transpose_doubles", "declaration": "void transpose_doubles()"}
    for said in (f"{text}\ntranspose_doubles.cu(7): error: {text}\n{text}", text):
        found = text_facts.facts(text, vars(Done(1, "", said, None)), task)
        assert Schema.of(facts._SCHEMA).misfits(json.loads(json.dumps(found))) == []
    source_text.meant(text, "nam1e")
    source_text.meant(text, text)
    assert time.process_time() - began < 1.5


def test_a_long_name_is_compared_with_no_other():
    assert source_text.meant("int number;", "numbre") == "number"
    assert source_text.similar("ab" * 5000 + "c", ["ab" * 5000]) is None
    assert source_text.similar("numbre", [*(f"a{number}" for number in range(5000)), "number"]) is None


def test_a_source_is_split_into_tokens_once():
    text = answer_file("padded_by_one").read_text(encoding="utf-8")
    read.cache_clear()
    text_facts.facts(text, None, {})
    assert read.cache_info().misses == 1


@pytest.mark.parametrize(
    "name, seen", [(r"\ud800", r"f\ud800"), (r"\U00110000", r"f\U00110000"), (r"\u{dfff}", r"f\u{dfff}"), (r"\u00e9", "fé")]
)
def test_a_universal_name_of_no_character_stays_a_name(name, seen):
    assert "".join(token.text for token in read(f"f{name}").tokens) == seen


def test_the_reader_begins_without_modules_that_take_long_to_import():
    program = "import sys; sys.path.insert(0, sys.argv[1]); import conflict_free.grading.text_facts; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", program, str(Path(facts.__file__).parents[2])]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "re" in loaded and not {"typing", "difflib", "dataclasses", "inspect", "pathlib", "subprocess"} & set(loaded)


def test_only_the_program_in_the_sandbox_reads_a_text():
    """The grader takes only the type of a message from it."""
    readers = {"tokens", "source_text", "text_admission", "compiler_messages", "text_facts"}
    for path in Path(facts.__file__).parent.glob("*.py"):
        if path.stem not in readers:
            found = re.findall(r"^\s*(?:from|import) .*", path.read_text(encoding="utf-8"), re.MULTILINE)
            for each in set(found) - {"from .compiler_messages import Message"}:
                assert not readers & set(re.findall(r"\w+", each)), f"{path.name}: {each}"


@pytest.mark.parametrize(
    "done, seen",
    [
        (Done(134, "", "LLVM ERROR: out of memory", "signal 6"), "compiling it was stopped: signal 6"),
        (Done(152, "", "", "time"), "compiling it was stopped: too much time"),
        (Done(4, "", "gcc: internal error: b\nPlease submit a report\nSee <file:///a> for more\n", None), "internal error: b"),
    ],
)
def test_a_compiler_that_ends_without_a_message_is_told(done, seen):
    told = text_facts.facts("", vars(done), {"source": "a.cu", "function": "f", "declaration": "void f()"})
    assert told["messages"][0][1] == seen


@pytest.mark.parametrize(
    "done, seen",
    [
        (Done(152, "", "", "time"), "reading its text was stopped: too much time"),
        (Done(139, "", "", "signal 11"), "reading its text was stopped: signal 11"),
        (Done(1, "", "Traceback\nMemoryError\n", None), "the grader could not read its text: MemoryError"),
        (Done(0, "", "", None), "the grader could not read its text: exit code 0"),
        (Done(0, "[" * 100_000, "", None), "the grader could not read its text: exit code 0"),
        (Done(0, '{"refusals": [[1, 2, 3]]}', "", None), "the grader could not read its text: "),
        (Done(0, "[]", "", None), "the grader could not read its text: "),
    ],
)
def test_a_text_that_cannot_be_read_is_a_verdict(monkeypatch, tmp_path, done, seen):
    monkeypatch.setattr(facts, "KEPT", tmp_path)
    run = facts.sandbox.run
    monkeypatch.setattr(facts.sandbox, "run", lambda command, **how: done if facts._PROGRAM in command else run(command, **how))
    found = graded(answer_file("padded_by_one")).first_failed
    assert found.name == "compiles" and found.seen.startswith(seen) and "\n" not in found.seen and found.help
    assert not list(tmp_path.iterdir())


def test_a_text_is_read_once(monkeypatch, tmp_path):
    monkeypatch.setattr(facts, "KEPT", tmp_path / "kept")
    commands, run = [], facts.sandbox.run
    monkeypatch.setattr(facts.sandbox, "run", lambda command, **how: commands.append(command) or run(command, **how))
    read = [
        facts.read(text, None, padding(), tmp_path / "text", confined=CONFINED) for text in ("f<<<1, 2>>>();", "g();", "f<<<1, 2>>>();")
    ]
    assert len(commands) == 2 and read[0] == read[2] != read[1] and read[2].launches_of() == [1]
    for kept in (tmp_path / "kept").iterdir():
        kept.write_text("{", encoding="utf-8")
    assert facts.read("g();", None, padding(), tmp_path / "text", confined=CONFINED) == read[1], "a damaged file is read anew"


@pytest.mark.parametrize(
    "limits, lines, seen",
    [
        # This many take several seconds even on a fast machine.
        (Limits(seconds=1), 10, "reading its text was stopped: too much time"),
        (Limits(memory_megabytes=32), 3, "the grader could not read its text: MemoryError"),
        (Limits(output_kilobytes=0), 1, "reading its text was stopped: too much output"),
    ],
)
def test_reading_a_text_has_limits_of_its_own(tmp_path, monkeypatch, limits, lines, seen):
    monkeypatch.setattr(facts, "LIMITS", limits)
    monkeypatch.setattr(facts, "KEPT", tmp_path / "kept")
    [told] = facts.read(line("closed braces") * lines, None, padding(), tmp_path / "text", confined=CONFINED).messages
    assert told.text == seen and told.help


# --- what a submission says ----------------------------------------------------------------------


@pytest.mark.parametrize("code", ["kernel_does_not_end", "function_without_body", "too_much_static_shared_memory", "block_too_large", "?"])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"file": 1, "line": "2"},
        {"file": "a.cu"},
        {"line": 3},
        {"callee": ["a"], "kernel": None, "error": {}},
        {"callee": "(" * 100_000, "kernel": "\ud800"},
    ],
)
def test_a_forged_note_is_a_complaint(code, fields):
    error = {"code": code, "fields": fields, "message": "\ud800\x1b[2J\nforged", "help": ""}
    told = facts.Facts(launches=[("k", 1)], declarations=[("a", 1, "int a()")])
    found = safety.complaint(made_run([], errors=[error], outcome=None), TASK, told)
    assert found.seen and found.help and all(isinstance(place["line"], int) for place in found.places)


def test_what_is_shown_is_short_and_printable():
    words = judging.Finding(False, "\ud800\x1b[2J\nforged" + "a" * LONG, "b\nc", "\ud800", picture="█\n\ud800").words()
    assert all(text.isprintable() for name in ("seen", "wanted", "help") for text in [words[name]])
    assert len(words["seen"]) < 2000 and words["picture"] == "█\n\ufffd"
    json.dumps(words).encode()


_EMPTY = "void transpose_doubles(double*, const double*, int, int) {{ {} }}\n"
HOSTILE = {
    "surrogates": ("int \\ud800\\udfff_a = b\\ud800;\n", "", "compiles", ""),
    "a long name": (f"int {'a' * 20_000} = {'b' * 20_000};\n", "", "compiles", "is undefined"),
    "a long line": ("#include <cuda_runtime.h>\n" + "void f(){} " * 22_000 + "\n", "", "compiles", ""),
    "nested folders": (
        "#include <sys/stat.h>\n#include <unistd.h>\n",
        'for (int i = 0; i < 5000; i++) if (mkdir("d", 0777) || chdir("d")) return;',
        "safe" if CONFINED else "correct|safe",
        "it wrote files" if CONFINED else "",
    ),
    "launches": (
        "__global__ void nothing() {}\n",
        "for (int i = 0; i < 67000; i++) nothing<<<1, 1>>>();",
        "safe",
        "it launches kernels [0-9,]+ times|it ran for more than 2 seconds",
    ),
    "sleep": ("#include <unistd.h>\n", "sleep(1000);", "safe", "it ran for more than 2 seconds"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_submission_gets_a_verdict(tmp_path, monkeypatch, name):
    before, body, check, seen = HOSTILE[name]
    path = tmp_path / "ada.cu"
    path.write_text(before + _EMPTY.format(body), encoding="utf-8")
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    if name == "sleep":
        monkeypatch.setattr(running, "allowed_seconds", lambda assignment, cases: 2.0)
    began = time.monotonic()
    found = graded(path)
    assert time.monotonic() - began < (15 if name == "sleep" else 90)
    assert found.first_failed.name in check.split("|") and re.search(seen, found.first_failed.seen)
    found.to_text().encode()
    assert os.listdir(tmp_path / "scratch") == []


# --- the last resort -----------------------------------------------------------------------------

#: By the check: the function of the grader that fails.
STAGES = {
    "exists": (judging, "_exists"),
    "compiles": (building, "build"),
    "safe": (safety, "complaint"),
    "correct": (judging, "_correct"),
    "by_kernels": (judging.data_checks, "complaint"),
    "counts.coalesced": (counting_checks, "names_of"),
    "fast": (judging.timing, "fast"),
}


@pytest.mark.parametrize("check", STAGES)
@pytest.mark.parametrize("error", [KeyError("callee"), RecursionError(), UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogate")])
def test_an_error_of_the_grader_is_a_verdict(tmp_path, monkeypatch, check, error):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(judging.timing, "fast", lambda *_, **options: finding.passed())
    monkeypatch.setattr(*STAGES[check], fail)
    submission = answer_file("padded_by_one")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    small = replace(padding().gpu_case, parameters={"width": 5, "height": 3})
    result = graded(submission, replace(padding(), gpu_case=small), gpu=object())
    assert {each.name.partition(".")[0] for each in result.checks} == {name.partition(".")[0] for name in STAGES}
    found = result.first_failed
    assert found.name == check and found.seen.startswith(f"the grader could not make this check: {type(error).__name__}")
    assert "our mistake" in found.help and os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["outcome", "calls", "report"])
def test_what_the_judge_tells_has_one_shape(monkeypatch, name):
    read_json = running._read_json
    monkeypatch.setattr(running, "_read_json", lambda path: {"how": ["finished"]} if path.stem == name else read_json(path))
    found = graded(answer_file("padded_by_one")).first_failed
    assert (
        found.name == "safe" and re.search(f"ValueError: the judge tells of case .*, {name}: ", found.seen) and "our mistake" in found.help
    )


def test_an_error_of_the_machine_is_one_line(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(building, "build", fail)
    with pytest.raises(Stop, match=r"^padded_by_one.cu cannot be graded on this machine: .*No space left on device$"):
        graded(answer_file("padded_by_one"))


def test_any_folder_is_removed(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "empty").mkdir()
    (folder / "link").symlink_to(tmp_path)
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(1500):
            os.mkdir("d")
            Path("file").touch()
            os.chdir("d")
    finally:
        os.chdir(here)
    (folder / "d" / "d").chmod(0)
    scratch.remove(folder)
    assert os.listdir(tmp_path) == []


def test_the_modules_that_the_sandbox_reads_are_compiled_before(tmp_path, monkeypatch):
    shutil.copytree(facts._PACKAGE / "grading", tmp_path / "grading", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(facts, "_PACKAGE", tmp_path)
    facts._compile_readers.cache_clear()
    facts._compile_readers()
    assert Path(importlib.util.cache_from_source(tmp_path / "grading" / "text_facts.py")).is_file()
