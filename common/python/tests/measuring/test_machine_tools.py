"""Tests how the output of the machine's tools is read: profiler, driver, compiler."""

import re

import pytest
from conftest import counts, ncu_csv

from conflict_free.console import Stop
from conflict_free.evidence import parity
from conflict_free.measuring import counters, machine

VALUES = {metric: "1,048,576" for metric in counters.METRICS.values()}


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
    assert found == parity.model_counters(counted)
    assert found == {
        "shared_load_wavefronts": 1,
        "shared_store_wavefronts": 2,
        "global_load_requests": 3,
        "global_store_requests": 4,
        "global_load_sectors": 5,
        "global_store_sectors": 6,
    }


def test_wavefronts_of_matrices_are_added_to_loads_and_stores():
    matrices = {metric: str(number) for number, metric in enumerate(counters.MATRICES.values(), start=7)}
    found = counters.parse_ncu(ncu_csv(VALUES | matrices), "copy_plain", 1)
    assert found == dict.fromkeys(counters.METRICS, 1048576) | {"shared_load_wavefronts": 1048583, "shared_store_wavefronts": 1048584}


@pytest.mark.parametrize(
    "shown", ["copy_plain(float *, const float *, int, int)", "void copy_plain<float>(T1 *)", "chapter::copy_plain(int)"]
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


def test_the_version_of_the_profiler():
    assert counters.parse_ncu_version("Profiler\nVersion 2025.3.1.0 (build 3)\n") == "Nsight Compute 2025.3.1"


def test_flags_say_how_and_not_where():
    command = (
        "/usr/bin/nvcc -forward-unknown-to-host-compiler --options-file x.rsp -I/a/include -isystem /b "
        "-DROOT=/c -DNDEBUG -O3 -std=c++20 '--generate-code=arch=compute_90,code=[sm_90]' -lineinfo -cudart shared "
        "-MD -MT a.o -MF a.d -x cu -c /a/copy.cu -o a.o"
    )
    assert machine.flags_of(command) == ("-DNDEBUG -O3 -std=c++20 --generate-code=arch=compute_90,code=[sm_90] -lineinfo -cudart=shared")
