"""scripts/measure with a GPU, a profiler and chapter programs that pretend."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import test_sass
from conftest import counts, ncu_csv, program_rows
from test_machine_tools import twice

from conflict_free.console import Stop
from conflict_free.evidence import parity
from conflict_free.measuring import counters, measure, measured_result


def measured(house, *arguments, code=0):
    """Runs scripts/measure on the ready programs; returns the result file's content."""
    done = house.run("measure", "--no-setup", "--build-dir", str(house.root / "ready"), "--commit", "abc123", *arguments)
    assert done.returncode == code, done.stderr + done.stdout
    path = house.root / "book" / "results" / "local" / "copy.json"
    return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


# --- the whole way -----------------------------------------------------------------------------


def test_a_measurement(gpu_house):
    done, result = measured(gpu_house)
    rows = {(row["kernel"], row["size"]): row for row in result["rows"]}
    assert len(rows) == 6
    assert rows["copy_plain", "1x1"]["time"] is None
    assert rows["copy_plain", "2048x2048"]["counters"] == parity.model_counters(counts())
    assert rows["copy_plain", "2048x2048"]["model"] == parity.model_counters(counts())
    assert rows["copy_plain", "2048x2048"]["caches"] == dict.fromkeys(counters.CACHES, 65536)
    assert "caches" not in rows["copy_plain", "16384x16384"]
    assert rows["copy_plain", "2048x2048"]["fits_l2"] is True
    assert rows["copy_plain", "16384x16384"]["fits_l2"] is False
    assert rows["copy_plain", "16384x16384"]["counters"] is None
    assert rows["cudaMemcpy", "2048x2048"]["counters"] is None
    assert list(result["kernels"]) == ["copy_plain"]
    provenance = result["provenance"]
    assert provenance["gpu"] == "NVIDIA Pretend"
    assert (provenance["compute_capability"], provenance["l2_bytes"], provenance["memory_bytes"]) == ("9.0", 64 << 20, 1 << 37)
    assert provenance["multiprocessors"] == 100
    assert provenance["toolkit"] == "13.0.88"
    assert provenance["compiler_flags"] == "-O3 -DNDEBUG -std=c++20"
    assert provenance["clocks_before"] == {"sm_mhz": 1980, "memory_mhz": 3201}
    assert provenance["commit"] == "abc123"
    assert provenance["profiler"] == "Nsight Compute 2025.3.1"
    assert provenance["command"] == "scripts/measure"
    assert str(gpu_house.root) not in json.dumps(result)
    assert "1 launches compared, 0 differences" in done.stdout
    assert not list((gpu_house.root / "book" / "results").rglob("*.part"))


def test_a_kernel_of_a_header_is_measured_with_its_text(gpu_house):
    _, before = measured(gpu_house)
    path = gpu_house.root / "chapters" / "copy" / "copy.cu"
    at = path.read_text(encoding="utf-8").index("// [copy_plain]")
    path.with_name("plain.cuh").write_text(path.read_text(encoding="utf-8")[at:], encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8")[:at] + '#include "plain.cuh"\n', encoding="utf-8")
    _, after = measured(gpu_house)
    assert after["kernels"] == before["kernels"]


def arrays(build):
    """The file that the program of a chapter on arrays writes: two launches, pairs, and a search on the host."""
    data = program_rows(build)
    data["counted_size"] = "2048x1"
    data["rows"] = [row for row in data["rows"] if row["width"] > 1]
    for row in data["rows"]:
        row.update(size=f"{row['width']}x1", height=1, work={"unit": "pairs", "amount": row["width"] ** 2})
        if row["counts"]:
            row["counts"].update(launches=2, blocks=65)
        if row["reference"] and build == "gpu":
            row["time"] = {"host": row["time"]["cold"]}
    return data


def test_arrays_are_measured_at_their_own_size_with_the_host_and_all_launches(gpu_house):
    folder = gpu_house.root / "ready" / "chapters" / "copy"
    for build in ("gpu", "model"):
        gpu_house.tool(f"on_{build}", f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(arrays(build))!r})", folder)
    added = {key: value // 2 for key, value in parity.model_counters(counts()).items()}
    text = twice({metric: f"{added[key]}" for key, metric in counters.METRICS.items()})
    gpu_house.tool(
        "ncu",
        f"""
if '--version' in argv:
    print('Version 2025.3.1.0')
else:
    assert argv[-2:] == ['--size', '2048x1'], argv
    open(argv[argv.index('--log-file') + 1], 'w').write({text!r})
""",
    )
    done, result = measured(gpu_house)
    rows = {(row["kernel"], row["size"]): row for row in result["rows"]}
    assert rows["copy_plain", "2048x1"]["counters"] == rows["copy_plain", "2048x1"]["model"] == parity.model_counters(counts())
    assert rows["copy_plain", "16384x1"]["counters"] is None
    assert rows["copy_plain", "2048x1"]["work"] == {"unit": "pairs", "amount": 2048**2}
    assert list(rows["cudaMemcpy", "2048x1"]["time"]) == ["host"]
    assert re.search(r", \d+ cores$", result["provenance"]["cpu"])
    assert "1 launches compared, 0 differences" in done.stdout
    assert re.search(r"copy_plain +16384x1 +1,638.4 Gpairs/s +- +3,276.8 Gpairs/s", done.stdout), done.stdout
    assert re.search(r"cudaMemcpy +16384x1 +1,638.4 Gpairs/s +- +- ", done.stdout), done.stdout


def test_instructions_a_pair_clocks_power_and_figures_are_kept(gpu_house):
    data = arrays("gpu")
    for row in data["rows"]:
        row.update(sm_mhz=1979.5, watts=650.25, figures={"error": 0.25})
    folder = gpu_house.root / "ready" / "chapters" / "copy"
    gpu_house.tool("on_gpu", f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(data)!r})", folder)
    text = test_sass.listing("_Z10copy_plainPf", *test_sass.PAIR, "BRA 0x0")
    gpu_house.tool("cuobjdump", f"assert argv[:3] == ['-sass', '-arch', 'sm_90'], argv; print({text!r})")
    done, result = measured(gpu_house, "--no-counters")
    assert result["kernels"]["copy_plain"]["instructions_per_pair"] == 7
    assert all((row["sm_mhz"], row["watts"], row["figures"]) == (1979.5, 650.25, {"error": 0.25}) for row in result["rows"])
    gpu_house.tool("cuobjdump", "print('nothing')")
    done, result = measured(gpu_house, "--no-counters")
    assert "no instructions per pair of copy_plain: copy has no loop of it over pairs for this GPU" in done.stdout
    assert "instructions_per_pair" not in result["kernels"]["copy_plain"]


def test_a_counter_that_differs_from_the_model_fails_after_writing(gpu_house):
    folder = gpu_house.root / "ready" / "chapters" / "copy"
    data = program_rows("model")
    for row in data["rows"]:
        if row["counts"]:
            row["counts"] = counts(sectors=524289)
    gpu_house.tool("on_model", f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(data)!r})", folder)
    done, result = measured(gpu_house, code=1)
    assert "copy_plain at 2048x2048: global_store_sectors is 524,288 on the GPU and 524,289 in the model" in done.stdout
    assert result is not None


def test_without_permission_the_times_are_measured_all_the_same(gpu_house):
    gpu_house.tool("ncu", "print('==ERROR== ERR_NVGPUCTRPERM - no permission'); sys.exit(1)")
    done, result = measured(gpu_house)
    assert "no counters for copy_plain: this user may not read the GPU's counters" in done.stdout
    assert all(row["counters"] is None for row in result["rows"])
    assert result["provenance"]["profiler"] is None


def test_a_gpu_without_counters_of_its_caches_has_the_others(gpu_house):
    values = {counters.METRICS[key]: str(value) for key, value in parity.model_counters(counts()).items()}
    gpu_house.tool(
        "ncu",
        f"""
text = {ncu_csv(values)!r}
if any(metric in argv[argv.index("--metrics") + 1] for metric in {list(counters.CACHES.values())!r}):
    text = "==ERROR== Failed to find metric"
open(argv[argv.index("--log-file") + 1], "w").write(text)
""",
    )
    _, result = measured(gpu_house)
    row = next(row for row in result["rows"] if row["counters"])
    assert row["counters"] == parity.model_counters(counts())
    assert "caches" not in row


def test_no_counters_runs_no_profiler(gpu_house):
    gpu_house.tool("ncu", "sys.exit('ncu must not run')")
    done, result = measured(gpu_house, "--no-counters")
    assert "no counters: --no-counters" in done.stdout
    assert result["provenance"]["command"] == "scripts/measure --no-counters"


def test_counts_made_elsewhere_are_taken_instead_of_the_model(gpu_house):
    shutil.rmtree(gpu_house.root / "ready" / "common")
    elsewhere = gpu_house.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "copy.json").write_text(json.dumps(program_rows("model")), encoding="utf-8")
    _, result = measured(gpu_house, "--counts", str(elsewhere))
    assert any(row["model"] for row in result["rows"])


def test_without_a_model_the_counts_are_null(gpu_house):
    shutil.rmtree(gpu_house.root / "ready" / "common")
    done, result = measured(gpu_house)
    assert "no counts of the model" in done.stdout
    assert not any(row["model"] for row in result["rows"])


def test_a_chapter_that_cannot_run_here_is_left_out(gpu_house):
    (gpu_house.root / "chapters" / "CMakeLists.txt").write_text("add_subdirectory(copy)\nadd_subdirectory(newer)\n")
    shutil.copytree(gpu_house.root / "chapters" / "copy", gpu_house.root / "chapters" / "newer")
    (gpu_house.root / "chapters" / "newer" / "copy.cu").rename(gpu_house.root / "chapters" / "newer" / "newer.cu")
    programs = gpu_house.root / "ready" / "chapters" / "newer"
    gpu_house.tool("newer", "print('it needs another GPU', file=sys.stderr); sys.exit(77)", programs)
    done, _ = measured(gpu_house)
    assert re.search("newer is not measured: .*it needs another", done.stdout)
    assert not (gpu_house.root / "book" / "results" / "local" / "newer.json").exists()


def test_name_and_output(gpu_house):
    out = gpu_house.root / "out"
    measured(gpu_house, "--name", "h200", "--output", str(out))
    assert json.loads((out / "h200" / "copy.json").read_text(encoding="utf-8"))["machine"] == "h200"


@pytest.mark.parametrize(
    "body, said",
    [
        ("print('check failed: copy_plain', file=sys.stderr); sys.exit(1)", "check failed: copy_plain"),
        ("open(argv[argv.index('--json') + 1], 'w').write('{')", "cannot be read as JSON"),
        ("open(argv[argv.index('--json') + 1], 'w').write('{}')", "at the top level"),
        ("", "no such file"),
    ],
)
def test_a_program_that_fails_leaves_the_old_result(gpu_house, body, said):
    _, before = measured(gpu_house)
    gpu_house.tool("on_gpu", body, gpu_house.root / "ready" / "chapters" / "copy")
    done, after = measured(gpu_house, code=1)
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert after == before


def test_the_program_is_told_the_samples(gpu_house):
    data = json.dumps(program_rows("gpu"))
    gpu_house.tool(
        "on_gpu",
        f"assert argv[:2] == ['--samples', '7']\nopen(argv[3], 'w').write({data!r})",
        gpu_house.root / "ready" / "chapters" / "copy",
    )
    _, result = measured(gpu_house, "--samples", "7")
    assert result["provenance"]["command"] == "scripts/measure --samples 7"


def test_an_unwritable_folder_is_found_before_the_first_measurement(gpu_house):
    (gpu_house.root / "file").write_text("", encoding="utf-8")
    gpu_house.tool("on_gpu", "sys.exit('measured in vain')", gpu_house.root / "ready" / "chapters" / "copy")
    done, _ = measured(gpu_house, "--output", str(gpu_house.root / "file"), code=1)
    assert done.stderr.startswith("error: cannot write to file/local") and done.stderr.count("\n") == 1


def test_a_write_that_breaks_off_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "copy.json"
    path.write_text("old", encoding="utf-8")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(Stop, match="No space left"):
        measured_result.write_json(path, {})
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["copy.json"]


# --- what it refuses ---------------------------------------------------------------------------


def test_no_gpu(house):
    done = house.run("measure", path=str(house.tools))
    assert done.returncode == 77
    assert done.stderr.startswith("error: no GPU") and done.stderr.count("\n") == 1


def test_a_driver_that_fails_is_one_line(gpu_house, driver, tmp_path):
    source = (
        (driver / "cuda.cpp").read_text(encoding="utf-8").replace("int cuInit(unsigned) { return 0;", "int cuInit(unsigned) { return 999;")
    )
    (tmp_path / "cuda.cpp").write_text(source, encoding="utf-8")
    subprocess.run(["g++", "-shared", "-fPIC", "-o", tmp_path / "libcuda.so.1", tmp_path / "cuda.cpp"], check=True)
    gpu_house.environment["LD_LIBRARY_PATH"] = str(tmp_path)
    done, result = measured(gpu_house, code=1)
    assert done.stderr == "error: cannot ask the driver about the GPU: cuInit answered 999\n"
    assert result is None


def test_no_git_needs_a_commit(gpu_house):
    done = gpu_house.run("measure", "--no-setup", "--build-dir", str(gpu_house.root / "ready"))
    assert done.returncode == 2
    assert "--commit SHA is needed" in done.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--samples", "0"], "--samples: '0' given, a whole number from 1 up"),
        (["--samples", "many"], "'many' given"),
        (["--name", "My GPU"], "--name: 'My GPU' given, lower-case letters"),
        (["--name", "historical"], "'historical' given"),
        (["--build-dir", "nowhere"], "'nowhere' given, a folder that exists"),
        (["--counts", "nowhere"], "'nowhere' given, a folder that exists"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_arguments(house, arguments, said):
    done = house.run("measure", *arguments)
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_unknown_chapter(gpu_house):
    done, result = measured(gpu_house, "--chapter", "nonsense", code=2)
    assert done.stderr == "error: --chapter nonsense: no such chapter; accepted: copy\n"
    assert result is None


def test_the_command_that_is_recorded_names_no_folder():
    options = measure.parse(["--chapter", "copy", "--output", "/x", "--name", "h200", "--commit", "abc"])
    assert measured_result.command_line(options) == "scripts/measure --chapter copy --name h200"
