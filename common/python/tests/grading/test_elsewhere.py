"""Tests the scripts that Gradescope and Classroom 50 run, in folders and environments like theirs. scripts/grade only pretends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

ELSEWHERE = REPOSITORY / "common" / "python" / "conflict_free" / "grading" / "elsewhere"
#: Pretends to be scripts/grade: writes its arguments and the secret into the result file, and ends with CODE.
PRETEND = """\
import json, os, sys
option = next(word for word in ("--gradescope", "--classroom50") if word in sys.argv)
with open(sys.argv[sys.argv.index(option) + 1], "w") as out:
    json.dump({"argv": sys.argv[1:], "secret": os.environ.get("CONFLICT_FREE_SECRET")}, out)
sys.exit(CODE)
"""


def pretend(checkout: Path, code: int) -> None:
    (checkout / "scripts").mkdir(parents=True, exist_ok=True)
    (checkout / "scripts" / "grade").write_text(PRETEND.replace("CODE", str(code)), encoding="utf-8")


@pytest.fixture
def autograder(tmp_path) -> Path:
    """Make a folder like Gradescope's."""
    base = tmp_path / "autograder"
    for name in ("submission", "results"):
        (base / name).mkdir(parents=True)
    (base / "submission_metadata.json").write_text(json.dumps({"users": [{"id": 7, "name": "Bea"}, {"id": 12, "name": "Ada"}]}))
    return base


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (2, 2)])
def test_gradescope(autograder, code, ends):
    pretend(autograder / "source" / "conflict-free-cuda", code)
    (autograder / "submission" / "work").mkdir()
    for name in ("transpose_doubles.cu", "try.cu"):
        (autograder / "submission" / "work" / name).write_text("")
    done = subprocess.run(
        [ELSEWHERE / "gradescope" / "run_autograder"], env={"PATH": str(Path(sys.executable).parent), "AUTOGRADER": str(autograder)}
    )
    assert done.returncode == ends
    said = json.loads((autograder / "results" / "results.json").read_text(encoding="utf-8"))["argv"]
    assert said[:3] == ["run", "padding", str(autograder / "submission" / "work" / "transpose_doubles.cu")]
    assert said[said.index("--student") + 1] == "12+7" and said[-1] == "--no-sandbox"


@pytest.mark.parametrize("names", [[], ["a.cu", "b.cu"]])
def test_gradescope_without_a_file_or_with_two(autograder, names):
    pretend(autograder / "source" / "conflict-free-cuda", 1)
    for name in names:
        (autograder / "submission" / name).write_text("")
    subprocess.run(
        [ELSEWHERE / "gradescope" / "run_autograder"],
        check=True,
        env={"PATH": str(Path(sys.executable).parent), "AUTOGRADER": str(autograder)},
    )
    said = json.loads((autograder / "results" / "results.json").read_text(encoding="utf-8"))["argv"]
    assert Path(said[2]).name == "one-file-is-accepted.cu" and not Path(said[2]).exists()


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (2, 2)])
def test_classroom50(tmp_path, code, ends):
    pretend(tmp_path / "checkout", code)
    student = tmp_path / "gpu-101-week-3-ada"
    student.mkdir()
    (student / "transpose_doubles.cu").write_text("")
    done = subprocess.run(
        [sys.executable, ELSEWHERE / "classroom50" / "autograder.py"],
        cwd=student,
        env={"CONFLICT_FREE_CHECKOUT": str(tmp_path / "checkout"), "OWNER": "ada"},
    )
    assert done.returncode == ends
    said = json.loads((student / "result.json").read_text(encoding="utf-8"))["argv"]
    assert said[:5] == ["run", "padding", str(student / "transpose_doubles.cu"), "--student", "ada"]


def test_classroom50_takes_the_repository_from_its_place(tmp_path):
    source = tmp_path / "source"
    pretend(source, 0)
    git = ["git", "-C", source, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "--quiet", "-b", "main"], ["add", "."], ["commit", "--quiet", "-m", "a"]):
        subprocess.run([*git, *words], check=True)
    text = (ELSEWHERE / "classroom50" / "autograder.py").read_text(encoding="utf-8")
    assert text.count("https://example.org/you/conflict-free-cuda.git") == 1
    (tmp_path / "autograder.py").write_text(text.replace("https://example.org/you/conflict-free-cuda.git", str(source)), encoding="utf-8")
    student = tmp_path / "student"
    student.mkdir()
    subprocess.run(
        [sys.executable, tmp_path / "autograder.py"],
        cwd=student,
        check=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "OWNER": "ada", "RUNNER_TEMP": str(tmp_path)},
    )
    assert (student / "result.json").exists()


def test_the_shell_of_gradescope_is_whole():
    subprocess.run(["bash", "-n", ELSEWHERE / "gradescope" / "setup.sh"], check=True)
