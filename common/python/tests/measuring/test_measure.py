# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/measure with a GPU, a profiler and chapter programs that pretend."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
import test_sass
from conftest import counts, ncu_csv, program_rows

from conflict_free.console import Stop
from conflict_free.measuring import counters, machine, measure, measured_chapter, measured_result

VALUES = {metric: "1,048,576" for metric in counters.METRICS.values()}


def measured(house, *arguments, code=0):
    """Runs scripts/measure on the ready programs; returns the result file's content."""
    done = house.run("measure", "--no-setup", "--build-dir", str(house.root / "ready"), "--commit", "abc123", *arguments)
    assert done.returncode == code, done.stderr + done.stdout
    path = house.root / "book" / "results" / "local" / "copy.json"
    return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


# --- what the tools of the machine print -------------------------------------------------------


def test_ncu_counters_are_read_by_name_with_their_thousands_separators():
    assert counters.parse_ncu(ncu_csv(VALUES), "copy_plain", 1) == dict.fromkeys(counters.METRICS, 1048576)


def test_each_counter_has_its_place():
    """The names of the design, each with a value of its own."""
    values = {
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "1",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "2",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "3",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "4",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "5",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "6",
    }
    counted = counts()
    counted["shared_load"]["wavefronts"], counted["shared_store"]["wavefronts"] = 1, 2
    counted["global_load"].update(requests=3, sectors=5)
    counted["global_store"].update(requests=4, sectors=6)
    found = counters.parse_ncu(ncu_csv(values), "copy_plain", 1)
    assert found == measured_chapter.six(counted)
    assert found == {
        "shared_load_wavefronts": 1,
        "shared_store_wavefronts": 2,
        "global_load_requests": 3,
        "global_store_requests": 4,
        "global_load_sectors": 5,
        "global_store_sectors": 6,
    }


@pytest.mark.parametrize(
    "shown",
    [
        "copy_plain(float *, const float *, int, int)",
        "void copy_plain<float>(T1 *)",
        "chapter::copy_plain(int)",
    ],
)
def test_ncu_kernel_names_in_all_their_forms(shown):
    assert counters.parse_ncu(ncu_csv(VALUES, shown), "copy_plain", 1)


@pytest.mark.parametrize("launches", [1, None])
def test_ncu_rows_of_another_kernel_are_not_taken(launches):
    with pytest.raises(counters.NoCounters, match="0 launches of copy_plain"):
        counters.parse_ncu(ncu_csv(VALUES, "copy_plain_2(int)"), "copy_plain", launches)


def twice(values=VALUES):
    return ncu_csv(values) + "\n".join(ncu_csv(values, launch=1).splitlines()[4:])


def test_two_launches_are_not_one():
    with pytest.raises(counters.NoCounters, match="2 launches of copy_plain, wanted 1"):
        counters.parse_ncu(twice(), "copy_plain", 1)
    with pytest.raises(counters.NoCounters, match="1 launches of copy_plain, wanted 2"):
        counters.parse_ncu(ncu_csv(VALUES), "copy_plain", 2)


@pytest.mark.parametrize("launches", [2, None])
def test_the_counters_of_launches_that_belong_together_are_added(launches):
    assert counters.parse_ncu(twice(), "copy_plain", launches) == dict.fromkeys(counters.METRICS, 2 * 1048576)


def test_the_host_processor(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz \nprocessor\t: 1\nmodel name\t: Other\n")
    assert re.fullmatch(r"Some CPU @ 2 GHz, \d+ cores", machine.host_processor(cpuinfo))
    assert "does not tell its name, " in machine.host_processor(tmp_path / "none")


@pytest.mark.parametrize("value", ["n/a", "", "12.5"])
def test_a_counter_that_is_no_whole_number_is_refused(value):
    values = {**VALUES, counters.METRICS["global_load_sectors"]: value}
    with pytest.raises(counters.NoCounters, match="global_op_ld"):
        counters.parse_ncu(ncu_csv(values), "copy_plain", 1)


def test_a_counter_that_is_missing_is_refused():
    values = dict(VALUES)
    del values[counters.METRICS["shared_load_wavefronts"]]
    with pytest.raises(counters.NoCounters, match="nothing for smsp__sass"):
        counters.parse_ncu(ncu_csv(values), "copy_plain", 1)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", "ERR_NVGPUCTRPERM"),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n", "LibraryNotLoaded"),
        ("", "0 launches"),
    ],
)
def test_why_there_are_no_counters(text, reason):
    with pytest.raises(counters.NoCounters, match=reason):
        counters.parse_ncu(text, "copy_plain", 1)


def test_smi_line():
    assert machine.parse_smi("1980, 3201\n", ["clocks.sm", "clocks.mem"]) == {"clocks.sm": "1980", "clocks.mem": "3201"}
    with pytest.raises(Stop, match="wanted 2 values"):
        machine.parse_smi("No devices were found\n", ["clocks.sm", "clocks.mem"])


def test_versions():
    nvcc = "Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.36424714_0\n"
    assert machine.parse_nvcc_version(nvcc) == "13.0.88"
    with pytest.raises(Stop):
        machine.parse_nvcc_version("")
    assert counters.parse_ncu_version("Profiler\nVersion 2025.3.1.0 (build 3)\n") == "Nsight Compute 2025.3.1"


def test_flags_say_how_and_not_where():
    command = (
        "/usr/bin/nvcc -forward-unknown-to-host-compiler --options-file x.rsp -I/a/include -isystem /b "
        "-DROOT=/c -DNDEBUG -O3 -std=c++20 '--generate-code=arch=compute_90,code=[sm_90]' -lineinfo -cudart shared "
        "-MD -MT a.o -MF a.d -x cu -c /a/copy.cu -o a.o"
    )
    assert machine.flags_of(command) == ("-DNDEBUG -O3 -std=c++20 --generate-code=arch=compute_90,code=[sm_90] -lineinfo -cudart=shared")


# --- the whole way -----------------------------------------------------------------------------


def test_a_measurement(gpu_house):
    done, result = measured(gpu_house)
    rows = {(row["kernel"], row["size"]): row for row in result["rows"]}
    assert len(rows) == 6
    assert rows["copy_plain", "1x1"]["time"] is None
    assert rows["copy_plain", "2048x2048"]["counters"] == measured_chapter.six(counts())
    assert rows["copy_plain", "2048x2048"]["model"] == measured_chapter.six(counts())
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
    assert not list((gpu_house.root / "book" / "results").rglob("*.new"))


def test_a_kernel_of_a_header_is_measured_with_its_text(gpu_house):
    _, before = measured(gpu_house)
    path = gpu_house.root / "chapters" / "copy" / "copy.cu"
    at = path.read_text(encoding="utf-8").index("// [copy_plain]")
    path.with_name("plain.cuh").write_text(path.read_text(encoding="utf-8")[at:], encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8")[:at] + '#include "plain.cuh"\n', encoding="utf-8")
    _, after = measured(gpu_house)
    assert after["kernels"] == before["kernels"]


def arrays(build):
    """What the program of a chapter on arrays writes: two launches, pairs, and a search on the host."""
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
    added = {key: value // 2 for key, value in measured_chapter.six(counts()).items()}
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
    assert rows["copy_plain", "2048x1"]["counters"] == rows["copy_plain", "2048x1"]["model"] == measured_chapter.six(counts())
    assert rows["copy_plain", "16384x1"]["counters"] is None
    assert rows["copy_plain", "2048x1"]["work"] == {"unit": "pairs", "amount": 2048**2}
    assert list(rows["cudaMemcpy", "2048x1"]["time"]) == ["host"]
    assert re.search(r", \d+ cores$", result["provenance"]["cpu"])
    assert "1 launches compared, 0 differences" in done.stdout
    assert re.search(r"copy_plain +16384x1 +1,638.4 Gpairs/s +- +3,276.8 Gpairs/s", done.stdout), done.stdout
    assert re.search(r"cudaMemcpy +16384x1 +1,638.4 Gpairs/s +- +- ", done.stdout), done.stdout


def test_instructions_a_pair_clocks_and_figures_are_kept(gpu_house):
    data = arrays("gpu")
    for row in data["rows"]:
        row.update(sm_mhz=1979.5, figures={"error": 0.25})
    folder = gpu_house.root / "ready" / "chapters" / "copy"
    gpu_house.tool("on_gpu", f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(data)!r})", folder)
    text = test_sass.listing("_Z10copy_plainPf", *test_sass.PAIR, "BRA 0x0")
    gpu_house.tool("cuobjdump", f"assert argv[:3] == ['-sass', '-arch', 'sm_90'], argv; print({text!r})")
    done, result = measured(gpu_house, "--no-counters")
    assert result["kernels"]["copy_plain"]["instructions_per_pair"] == 7
    assert all((row["sm_mhz"], row["figures"]) == (1979.5, {"error": 0.25}) for row in result["rows"])
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
    values = {counters.METRICS[key]: str(value) for key, value in measured_chapter.six(counts()).items()}
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
    assert row["counters"] == measured_chapter.six(counts())
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

    monkeypatch.setattr(measured_result.os, "replace", broken)
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


# --- specimens ---------------------------------------------------------------------------------

METRIC = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
SPECIMEN = "// [slow]\n__global__ void slow(int* x) { *x = 1; }\n// [/slow]\n"


@pytest.fixture
def specimens(gpu_house):
    """A house with two programs that show errors: one tells figures of its own, of the other ncu reads a counter."""
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
    commands = json.loads((ready / "compile_commands.json").read_text())
    commands.append({**commands[0], "file": "/x/chapters/errata/slow.cu", "command": commands[0]["command"].replace("copy", "slow")})
    (ready / "compile_commands.json").write_text(json.dumps(commands))
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
    [
        ("sys.exit(3)", "errata_slow ended with exit code 3"),
        ("print('figure cycles fast')", "cycles is fast, which is no number"),
    ],
)
def test_a_specimen_that_fails_is_one_line(specimens, body, message):
    specimens.tool("errata_slow", body, specimens.root / "ready" / "chapters" / "errata")
    done, result = errata(specimens, code=1)
    assert message in done.stderr and done.stderr.count("\n") == 1 and result is None


def test_specimens_that_are_not_listed_are_one_line(specimens):
    (specimens.root / "ready" / "chapters" / "errata" / "measured.json").unlink()
    done, _ = errata(specimens, code=1)
    assert "measured.json" in done.stderr and done.stderr.count("\n") == 1
