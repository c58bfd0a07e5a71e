"""scripts/measure on programs that show errors, which pretend."""

import json

import pytest
from conftest import ncu_csv
from synthetic import changed_json

METRIC = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"

SPECIMEN = "// [slow]\n__global__ void slow(int* x) { *x = 1; }\n// [/slow]\n"


@pytest.fixture
def specimens(gpu_house):
    """A house with two programs that show errors: one prints figures of its own, and ncu reads a counter of the other."""
    for name in ("slow", "counted"):
        path = gpu_house.root / "chapters" / "errata" / f"{name}.cu"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SPECIMEN.replace("slow", name), encoding="utf-8")
    (gpu_house.root / "chapters" / "CMakeLists.txt").write_text("add_subdirectory(copy)\nadd_subdirectory(errata)\n")
    ready = gpu_house.root / "ready"
    programs = ready / "chapters" / "errata"
    gpu_house.tool("errata_slow", "print('figure cycles 6.5\\nit is slow'); sys.exit(1)", programs)
    gpu_house.tool("errata_counted", "pass", programs)
    (programs / "measured.json").write_text(json.dumps({"slow": [], "counted": [METRIC]}))
    with changed_json(ready / "compile_commands.json") as commands:
        commands.append({**commands[0], "file": "/x/chapters/errata/slow.cu", "command": commands[0]["command"].replace("copy", "slow")})
    gpu_house.tool(
        "ncu",
        f"""
if argv == ["--version"]:
    print("Version 2025.3.1.0 (build 1)")
else:
    assert argv[argv.index("--metrics") + 1] == "{METRIC}" and argv[argv.index("--kernel-name") + 1] == "counted"
    open(argv[argv.index("--log-file") + 1], "w").write({ncu_csv({METRIC: "21,965"}, "counted(int *)")!r})
""",
    )
    return gpu_house


def errata(house, *arguments, code=0):
    done = house.run(
        "measure", "--no-setup", "--build-dir", str(house.root / "ready"), "--commit", "abc123", "--chapter", "errata", *arguments
    )
    assert done.returncode == code, done.stderr + done.stdout
    path = house.root / "book" / "results" / "local" / "errata.json"
    return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def test_specimens_are_measured_into_a_result_with_provenance(specimens):
    _, result = errata(specimens)
    figures = {row["kernel"]: row["figures"] for row in result["rows"]}
    assert figures == {"slow": {"cycles": 6.5}, "counted": {METRIC.replace(".", "_"): 21965}}
    assert result["provenance"]["gpu"] == "NVIDIA Pretend"
    assert result["provenance"]["profiler"] == "Nsight Compute 2025.3.1"
    assert result["provenance"]["compiler_flags"] == "-O3 -DNDEBUG -std=c++20"
    assert set(result["kernels"]) == {"slow", "counted"}


def test_without_ncu_a_specimen_has_its_own_figures_alone(specimens):
    done, result = errata(specimens, "--no-counters")
    assert [row["kernel"] for row in result["rows"]] == ["slow"]
    assert result["provenance"]["profiler"] is None
    assert "counted has no figures" in done.stdout


def test_all_chapters_are_measured_before_the_specimens(specimens):
    from conflict_free.evidence import places

    assert places.chosen_chapters(None)[-1] == "errata"
    assert "errata" not in places.chapters()


@pytest.mark.parametrize(
    "body, message",
    [("sys.exit(3)", "errata_slow ended with exit code 3"), ("print('figure cycles fast')", "cycles is fast, which is no number")],
)
def test_a_specimen_that_fails_is_one_line(specimens, body, message):
    specimens.tool("errata_slow", body, specimens.root / "ready" / "chapters" / "errata")
    done, result = errata(specimens, code=1)
    assert message in done.stderr and done.stderr.count("\n") == 1 and result is None


def test_specimens_that_are_not_listed_are_one_line(specimens):
    (specimens.root / "ready" / "chapters" / "errata" / "measured.json").unlink()
    done, _ = errata(specimens, code=1)
    assert "measured.json" in done.stderr and done.stderr.count("\n") == 1
