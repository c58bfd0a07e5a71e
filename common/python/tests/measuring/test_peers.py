"""scripts/measure --peers, with libraries that pretend."""

import json
import re

import pytest
from conftest import program_rows, sample
from test_measure import measured

pytestmark = pytest.mark.long

CALLED = """\
void library_copy()
{
    // [library_copy]
    copy(a,
         b);
    // [/library_copy]
}
"""


@pytest.fixture
def peers_house(gpu_house):
    """A house whose chapter has peers: a C++ program, and a Python on the PATH with one of the two libraries."""
    ready = gpu_house.root / "ready"
    (ready / "chapters" / "copy" / "peers.json").write_text('{"subject": "transpose"}')
    (gpu_house.root / "common" / "harness" / "peers").mkdir(parents=True)
    (gpu_house.root / "common" / "harness" / "peers" / "transpose_cublas.cu").write_text(CALLED, encoding="utf-8")
    cpp_tells(gpu_house)
    python_tells(gpu_house)
    return gpu_house


def cpp_tells(house, program: str = "peers_transpose_cublas", **changes) -> None:
    """Makes a C++ program, which writes two rows."""
    data = program_rows("gpu")
    data["slug"] = program
    data["rows"] = [row for row in data["rows"] if row["kernel"] == "cudaMemcpy" and row["time"]]
    for row in data["rows"]:
        row.update({"kernel": "library_copy", "library": {"name": "Library", "version": "1.2.3"}, "sm_mhz": 1500, "watts": 690, **changes})
    house.tool(
        program,
        f"""
assert argv[:-1] == ['--size', '2048x2048', '--size', '16384x16384', '--seed', '1', '--json'], argv
open(argv[-1], 'w').write({json.dumps(data)!r})
""",
        house.root / "ready" / "common" / "harness" / "peers",
    )


def python_tells(house, body: str = "", modules: tuple[str, ...] = ("torch",), **changes) -> None:
    """Makes the Python on the PATH, which has modules and writes a row."""
    row = {
        "name": "torch_copy",
        "size": "2048x2048",
        "call": "output.copy_(matrix.t())",
        "check": {"passed": True, "message": ""},
        "time": {"cold": sample(0.5), "warm": sample(0.25)},
        **changes,
    }
    told = {"library": "PyTorch", "version": "2.0", "rows": [row], "failures": []}
    house.tool(
        "python3",
        f"""
if argv[0] == '-c':
    sys.exit(not any(repr(name) in argv[1] for name in {modules!r}))
assert argv[0].endswith('time_peers.py') and argv[1:3] == ['torch', 'transpose'], argv
assert argv[3:-2] == ['--size', '2048x2048', '--size', '16384x16384', '--seed', '1', '--l2-bytes', str(64 << 20)], argv
print('torch_copy at 2048x2048')
open(argv[-1], 'w').write({json.dumps(told)!r})
{body}
""",
    )


def names(result: dict) -> list[tuple[str, str]]:
    return [(row["name"], row["size"]) for row in result.get("peers", ())]


def test_peers_stand_beside_the_kernels(peers_house):
    done, result = measured(peers_house, "--peers")
    assert names(result) == [("library_copy", "2048x2048"), ("library_copy", "16384x16384"), ("torch_copy", "2048x2048")]
    cpp, python = result["peers"][0], result["peers"][-1]
    assert (cpp["library"], cpp["version"], cpp["call"]) == ("Library", "1.2.3", "copy(a,\n     b);")
    assert (cpp["sm_mhz"], cpp["watts"]) == (1500, 690) and "watts" not in python
    assert (python["library"], python["version"], python["call"]) == ("PyTorch", "2.0", "output.copy_(matrix.t())")
    assert python["bytes"] == cpp["bytes"] == 8 * 2048 * 2048 and python["fits_l2"] is True
    assert python["time"]["cold"]["median_ms"] == 0.5
    assert result["provenance"]["command"] == "scripts/measure --peers"
    assert "copy: peers: PyTorch, torch_copy at 2048x2048" in done.stdout
    assert "no cuTENSOR: ready/common/harness/peers/peers_transpose_cutensor is not there" in done.stdout
    assert "no CuPy: no Python on the PATH has it, and numpy" in done.stdout
    assert "Peers: 3 times of libraries, 0 failures" in done.stdout
    assert re.search(r"torch_copy +2048x2048 +67.1 ", done.stdout), done.stdout


def test_peers_move_the_whole_matrix_where_a_kernel_leaves_out_a_part(peers_house):
    data = program_rows("gpu")
    for number, row in enumerate(data["rows"]):
        row["bytes"] -= 8 * (number % 3 == 1) * (1 + number)
    whole = max(row["bytes"] for row in data["rows"] if row["size"] == "2048x2048")
    assert whole != data["rows"][-2]["bytes"]
    write = f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(data)!r})"
    peers_house.tool("on_gpu", write, peers_house.root / "ready" / "chapters" / "copy")
    _, result = measured(peers_house, "--peers")
    assert [row["bytes"] for row in result["peers"] if row["size"] == "2048x2048"] == [whole, whole]


def test_a_second_library_of_cpp_is_asked_too(peers_house):
    (peers_house.root / "common" / "harness" / "peers" / "transpose_cutensor.cu").write_text(
        CALLED.replace("library_copy", "other_copy"), encoding="utf-8"
    )
    cpp_tells(peers_house, program="peers_transpose_cutensor", kernel="other_copy", library={"name": "Other", "version": "4.5.6"})
    _, result = measured(peers_house, "--peers")
    assert [row["library"] for row in result["peers"]] == ["Library"] * 2 + ["Other"] * 2 + ["PyTorch"]


def test_no_peers_without_the_option(peers_house):
    peers_house.tool("python3", "sys.exit('no library must run')")
    peers_house.tool(
        "peers_transpose_cublas", "sys.exit('no library must run')", peers_house.root / "ready" / "common" / "harness" / "peers"
    )
    done, result = measured(peers_house)
    assert "peers" not in result and "Peers" not in done.stdout


def test_peers_of_another_run_do_not_stay(peers_house):
    assert names(measured(peers_house, "--peers")[1])
    done, result = measured(peers_house)
    assert "peers" not in result
    assert "copy.json had times of libraries from another run, which are dropped" in done.stdout


def test_a_chapter_without_peers(peers_house):
    (peers_house.root / "ready" / "chapters" / "copy" / "peers.json").unlink()
    done, result = measured(peers_house, "--peers")
    assert "peers" not in result and "Peers: 0 times of libraries, 0 failures" in done.stdout


def test_libraries_that_are_not_here(peers_house):
    (peers_house.root / "ready" / "common" / "harness" / "peers" / "peers_transpose_cublas").unlink()
    python_tells(peers_house, modules=())
    done, result = measured(peers_house, "--peers")
    assert "peers" not in result
    assert (
        "no cuBLAS: ready/common/harness/peers/peers_transpose_cublas is not there; it was not found when the peers were built"
        in " ".join(done.stdout.split())
    )
    assert "no PyTorch: no Python on the PATH has it" in done.stdout


def break_cpp(house, body):
    house.tool("peers_transpose_cublas", body, house.root / "ready" / "common" / "harness" / "peers")


@pytest.mark.parametrize(
    "breaks, said",
    [
        (
            lambda house: break_cpp(house, "print('cublasSgeam failed', file=sys.stderr); sys.exit(134)"),
            "copy: peers_transpose_cublas: ended with exit code 134: cublasSgeam failed",
        ),
        (lambda house: break_cpp(house, "sys.exit(1)"), "copy: peers_transpose_cublas: ended with exit code 1: it said nothing"),
        (lambda house: break_cpp(house, "open(argv[-1], 'w').write('{')"), "copy: peers_transpose_cublas: "),
        (lambda house: cpp_tells(house, library={"name": "Library"}), '"version" is a required property'),
        (lambda house: cpp_tells(house, kernel="unknown"), "copy: peers_transpose_cublas: 'unknown'"),
    ],
)
def test_a_program_that_fails_loses_neither_the_kernels_nor_other_libraries(peers_house, breaks, said):
    breaks(peers_house)
    done, result = measured(peers_house, "--peers", code=1)
    assert said in done.stdout and "Traceback" not in done.stderr
    assert names(result) == [("torch_copy", "2048x2048")] and len(result["rows"]) == 6
    assert "1 failures" in done.stdout


def test_a_python_that_breaks_keeps_what_it_has_written(peers_house):
    python_tells(peers_house, "print('Traceback\\nKilled', file=sys.stderr); sys.exit(137)")
    done, result = measured(peers_house, "--peers", code=1)
    assert "copy: PyTorch ended with exit code 137: Killed" in done.stdout
    assert names(result)[-1] == ("torch_copy", "2048x2048")


def test_a_library_that_is_wrong_is_kept_with_what_is_wrong(peers_house):
    python_tells(peers_house, check={"passed": False, "message": "it is not the transpose"})
    done, result = measured(peers_house, "--peers", code=1)
    assert "copy: torch_copy at 2048x2048 failed its check: it is not the transpose" in done.stdout
    assert result["peers"][-1]["check"]["passed"] is False


@pytest.mark.parametrize("changes", [{"time": {"cold": sample(0.5)}}, {"size": "7x7"}, {"call": ""}])
def test_peers_that_make_no_valid_file_are_dropped(peers_house, changes):
    python_tells(peers_house, **changes)
    done, result = measured(peers_house, "--peers", code=1)
    assert len(result["rows"]) == 6 and "Traceback" not in done.stderr
    assert "1 failures" in done.stdout


def test_the_carried_packages_are_not_for_the_libraries(peers_house):
    """They belong to our scripts, and may be older than the packages of the library's Python."""
    carried = peers_house.root / ".carry" / "site"
    carried.mkdir(parents=True)
    peers_house.environment["PYTHONPATH"] = "/others"
    python_tells(peers_house, "import os; assert os.environ['PYTHONPATH'] == '/others', os.environ['PYTHONPATH']")
    measured(peers_house, "--peers")
