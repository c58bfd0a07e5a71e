"""Values by their keys, and their formats, on an invented machine."""

import json

import pytest
import synthetic
from evidence_tools import BOOK_RESULTS, CHAPTERS, put

from conflict_free.evidence import files, metrics
from conflict_free.evidence.files import validate_result
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import COUNTERS, format_number
from conflict_free.evidence.names import ResultError

pytest_plugins = ["evidence_fixtures"]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("copy.copy_plain.2048.gbps", "1,000"),
        ("copy.copy_plain.2048x2048.warm_gbps", "1,250"),
        ("copy.copy_plain.16384.ms", "2.15"),
        ("copy.copy_plain.16384.p10_ms", "2.08"),
        ("copy.copy_plain.16384.p90_ms", "2.25"),
        ("copy.cudaMemcpy.16384.percent_of_memcpy", "100"),
        ("naive.transpose_naive_row_read.16384.percent_of_memcpy", "41"),
        ("naive.transpose_naive_row_read.2048.warm_percent_of_memcpy", "41"),
        ("copy.copy_plain.2048.fits_l2", "fits in L2"),
        ("copy.copy_plain.16384.fits_l2", "larger than L2"),
        ("naive.transpose_naive_row_read.2048.l1_hit_sectors", "1,000"),
        ("naive.transpose_naive_row_read.2048.l2_load_sectors", "200"),
        ("naive.transpose_naive_row_read.2048.l2_store_sectors", "400"),
        ("naive.transpose_naive_row_read.2048.global_store.sectors_per_request", "32"),
        ("naive.transpose_naive_row_read.4096x1024.global_load.sectors_per_request", "4"),
        ("naive.transpose_naive_row_read.2048.global_store.sectors_over_ideal", "8"),
        ("naive.transpose_naive_row_read.2048.global_store.bytes_moved", "134,217,728"),
        ("copy.copy_shared.2048.shared_load.wavefronts_per_instruction", "1"),
        ("copy.copy_shared.2048.shared_load.conflicts", "0"),
        ("copy.copy_shared.2048.barriers", "4,096"),
        ("copy.copy_shared.2048.blocks", "4,096"),
        ("copy.copy_plain.2048.gbps / naive.transpose_naive_row_read.2048.gbps", "2.22"),
        ("gt200:naive.transpose_naive_row_read.2048.global_store.sectors_per_request", "32"),
        ("gt200:naive.transpose_naive_row_read.2048.partitions_per_step.store", "1.75"),
        ("machine.gpu", "Invented GPU 1"),
        ("machine.l2_mb", "40"),
        ("rates.instructions * 32", "128"),
        ("32 * rates.instructions - rates.instructions * 8 - rates.instructions", "92"),
        ("(rates.instructions + 2 * rates.instructions) * 8 / (rates.instructions - 1)", "32"),
    ],
)
def test_values(evidence, key, text):
    assert evidence.value(key).text() == text


def test_caches_that_were_not_counted_have_no_value(evidence):
    with pytest.raises(ResultError, match=r"copy\.copy_plain at 2048 × 2048 has no counters of the caches"):
        evidence.value("copy.copy_plain.2048.l1_hit_sectors")


def test_the_gpus_wavefronts_are_values_where_they_were_read(project, result):
    key = "copy.copy_shared.2048.shared_store_wavefronts"
    row = next(row for row in result["rows"] if (row["kernel"], row["size"]) == ("copy_shared", "2048x2048"))
    for counters, found in ((None, None), (dict.fromkeys(COUNTERS, 7), "7")):
        row["counters"] = counters
        synthetic.write_json(project.results / synthetic.MACHINE / "copy.json", result)
        if found is None:
            with pytest.raises(ResultError, match="copy_shared at 2048 × 2048 has no counters on"):
                project.evidence().value(key)
        else:
            assert project.evidence().value(key).text() == found


def test_traffic_is_a_value_at_the_sizes_where_it_was_read(project, result):
    row = next(row for row in result["rows"] if (row["kernel"], row["size"]) == ("copy_plain", "16384x16384"))
    traffic = {
        "dram_read_bytes": 1 << 30,
        "dram_write_bytes": 10**9,
        "dram_cycles": 50,
        "dram_cycles_active": 40,
        "l2_load_sectors": 1 << 25,
        "shared_load_wavefronts": 5,
        "global_load_sectors": 6,
        "instructions": 7,
        "issue_slots": 400,
        "issue_slots_taken": 100,
        "cycles": 8,
        "l2_fabric_cycles_active": 90,
        "l2_input_cycles_active": 30,
        "l2_cycles": 120,
        "shared_wavefronts": 40,
    }

    def value(expression):
        synthetic.write_json(project.results / synthetic.MACHINE / "copy.json", result)
        return project.evidence().value(expression)

    key = "copy.copy_plain.16384"
    with pytest.raises(ResultError, match="copy_plain at 16384 × 16384 has no counters of its traffic on"):
        value(f"{key}.dram_read_bytes")
    row["traffic"] = traffic
    for metric, number in traffic.items():
        assert value(f"{key}.{metric}").number == number
    assert value(f"{key}.dram_read_bytes / {key}.bytes").number == 0.5
    assert value(f"{key}.dram_read_bytes / {key}.bytes * 3 / 2").number == 0.75
    assert value(f"{key}.percent_of_issue_slots").text() == "25"
    assert value(f"{key}.percent_of_dram_cycles").text() == "80"
    assert value(f"{key}.percent_of_l2_fabric").text() == "75"
    assert value(f"{key}.percent_of_l2_input").text() == "25"
    result["provenance"]["multiprocessors"] = 10
    assert value(f"{key}.percent_of_shared_cycles").text() == "50"
    with pytest.raises(ResultError, match="copy_plain at 16384 × 16384 has no counter dram_write_bytes on"):
        del traffic["dram_write_bytes"]
        value(f"{key}.dram_write_bytes")
    with pytest.raises(ResultError, match="copy_plain at 2048 × 2048 has no counters of its traffic on"):
        value("copy.copy_plain.2048.percent_of_issue_slots")
    assert metrics.is_measured(f"{key}.dram_read_bytes")
    traffic["dram_bytes"] = 1
    with pytest.raises(ResultError, match="'dram_bytes' was unexpected"):
        files.validate_result(result)


def test_the_issue_limit_is_that_of_the_inner_loop_at_the_clock_that_was_measured(project, result):
    key = "copy.copy_plain.2048"
    row = next(row for row in result["rows"] if (row["kernel"], row["size"]) == ("copy_plain", "2048x2048"))
    row.update(work={"unit": "pairs", "amount": 4e9 * row["time"]["cold"]["median_ms"]}, sm_mhz=2000, watts=700, figures={"error": 0.5})

    def value(metric):
        synthetic.write_json(project.results / synthetic.MACHINE / "copy.json", result)
        return project.evidence().value(f"{key}.{metric}")

    with pytest.raises(ResultError, match="copy_plain has no count of instructions a pair"):
        value("instructions_per_pair")
    result["kernels"]["copy_plain"]["instructions_per_pair"] = 6.4
    with pytest.raises(ResultError, match="has no issue limit"):
        value("percent_of_issue_limit")
    result["provenance"]["multiprocessors"] = 100
    assert value("instructions_per_pair").text() == "6.40"
    assert (value("sm_mhz").number, value("watts").number) == (2000, 700)
    # 100 multiprocessors, 128 lanes, 2 GHz, 6.4 instructions a pair.
    assert value("issue_limit_billions_per_second").number == pytest.approx(4000)
    assert value("percent_of_issue_limit").number == pytest.approx(100)
    assert value("error").number == 0.5
    with pytest.raises(ResultError, match="has no error_bound"):
        value("error_bound")


def test_lines_of_counts_may_be_atomic(project):
    path = project.counts / "copy.json"
    data = json.loads(path.read_text())
    row = next(row for row in data["rows"] if row["counts"])
    row["counts"]["lines"][0]["op"] = "atomic"
    files.validate_program(data)
    row["counts"]["lines"][0]["op"] = "prefetch"
    with pytest.raises(ResultError, match='"prefetch" is not one of'):
        files.validate_program(data)


def test_counts_for_another_machine_are_values(project, evidence):
    data = json.loads((project.counts / "copy.json").read_text())
    data["machine"] = "gt200"
    for row in data["rows"]:
        row["counts"]["barriers"] = 7
    synthetic.write_json(project.counts / "copy.gt200.json", data)
    assert evidence.value("gt200:copy.copy_shared.2048.barriers").text() == "7"
    assert "counted by the model for gt200" in evidence.value("gt200:copy.copy_shared.2048.barriers").provenance
    assert evidence.value("copy.copy_shared.2048.barriers").text() == "4,096"
    with pytest.raises(ResultError, match="no results of chapter gt200:copy"):
        evidence.value("gt200:copy.copy_shared.2048.gbps")
    synthetic.write_json(project.counts / "copy.g80.json", data)
    with pytest.raises(ResultError, match="machine is gt200, wanted g80"):
        evidence.value("g80:copy.copy_shared.2048.barriers")
    with pytest.raises(ResultError, match="fermi.json: no such file"):
        evidence.value("fermi:copy.copy_shared.2048.barriers")


def test_formats(evidence):
    assert evidence.value("copy.copy_plain.16384.ms").text(".4f") == "2.1475"
    with pytest.raises(ResultError, match="format 'zz' does not fit"):
        evidence.value("copy.copy_plain.16384.ms").text("zz")
    with pytest.raises(ResultError, match="not a number"):
        evidence.value("machine.gpu").text(".0f")


def test_provenance_names_machine_software_date_and_commit(evidence):
    said = evidence.value("copy.copy_plain.2048.gbps").provenance
    for part in ("Invented GPU 1", "1.2.3", "CUDA 0.0.0", "2001-02-03", "0123456789", "cold", "40 samples"):
        assert part in said
    assert "counted by the model for sm_90" in evidence.value("copy.copy_plain.2048.barriers").provenance


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("copy", "malformed"),
        ("copy.copy_plain.2048", "malformed"),
        ("copy.copy_plain.2048.", "malformed"),
        ("copy.copy_plain.2k.gbps", "size '2k' is not N or WxH"),
        ("copy.copy_plain.0.gbps", "size '0' is not N or WxH"),
        ("copy.copy_plain.64.gbps", "no size 64x64 of copy_plain in the results of chapter copy on invented"),
        ("copy.copi.2048.gbps", "no kernel 'copi' in the results"),
        ("none.copy_plain.2048.gbps", "no results of chapter none on invented"),
        ("none.copy_plain.2048.barriers", "no such file"),
        ("../copy.copy_plain.2048.gbps", ""),
        ("copy.copy_plain.2048.speed", "unknown metric 'speed'"),
        ("copy.copy_plain.2048.global_store.speed", "unknown metric 'speed' of an access"),
        ("copy.copy_plain.2048.shared_load.wavefronts_per_instruction", "there are none"),
        ("naive.transpose_naive_row_read.2048.partitions_per_step.store", "machines whose partitions are watched"),
        ("machine.color", "unknown key 'machine.color'"),
        ("rates.l9_loads", "unknown key 'rates.l9_loads'; accepted after 'rates.': wavefronts, "),
        ("machine.gpu / machine.l2_bytes", "machine.gpu is not a number"),
        ("machine.l2_bytes - machine.gpu", "machine.gpu is not a number"),
        ("2 * 3", "names no result"),
        ("machine.l2_bytes -", "is malformed"),
        ("(machine.l2_bytes - 2", "is malformed"),
        ("machine.l2_bytes ** 2", "is malformed"),
        ("- machine.l2_bytes * 2", "is malformed"),
        ("machine.l2_bytes / copy.copy_plain.2048.barriers", "is 0"),
        ("historical:gtx280.copy_plain.2048.gbps", "no published figure"),
        ("historical:gtx280.copy_plain", "malformed"),
    ],
)
def test_bad_keys_are_named_in_one_line(evidence, key, message):
    with pytest.raises(ResultError) as error:
        evidence.value(key)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("naive.peers.library_copy.16384.gbps", "700"),
        ("naive.peers.library_copy.16384x16384.warm_gbps", "1,400"),
        ("naive.peers.library_copy.16384.percent_of_memcpy", "64"),
        ("naive.peers.library_copy.2048.samples", "40"),
        ("naive.peers.library_copy.2048.watts", "700"),
        ("copy.copy_plain.16384.gbps / naive.peers.library_copy.16384.gbps", "1.43"),
    ],
)
def test_what_libraries_took_are_values(project, evidence, key, text):
    synthetic.add_peers(project.results, "naive")
    assert evidence.value(key).text() == text
    assert metrics.is_measured(key)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("naive.peers.nothing.2048.gbps", "no peer 'nothing' in the peers of chapter naive on invented; it has: library_copy"),
        ("naive.peers.library_copy.16384.watts", "has no watts on invented"),
        ("naive.peers.library_copy.64.gbps", "no size 64x64 of library_copy in the peers of chapter naive"),
        ("naive.peers.other_copy.2048.gbps", "naive.peers.other_copy.2048 failed its check on invented: wrong"),
        ("naive.peers.library_copy.2048", "malformed; accepted: slug.peers.NAME.size.metric, with one of gbps"),
        ("naive.peers.library_copy.2048.barriers", "malformed; accepted: slug.peers.NAME.size.metric, with one of gbps"),
        ("naive.peers.library_copy.2048.l2_load_sectors", "malformed"),
        ("copy.peers.library_copy.2048.gbps", "no peer 'library_copy' in the peers of chapter copy on invented; it has: none"),
        ("none.peers.library_copy.2048.gbps", "no results of chapter none on invented"),
    ],
)
def test_bad_keys_of_libraries_are_named_in_one_line(project, evidence, key, message):
    synthetic.add_peers(project.results, "naive")
    with pytest.raises(ResultError) as error:
        evidence.value(key)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["peers"], [], "at peers"),
        (["peers", 0, "call"], "", "peers/0/call"),
        (["peers", 0, "version"], KeyError, '"version" is a required property'),
        (["peers", 0, "time", "warm"], KeyError, '"warm" is a required property'),
        (["peers", 0, "time", "warm", "p10_ms"], 1e9, "peers/0/time/warm: p10 1000000000.0"),
        (["peers", 0, "size"], "7x7", "at peers/0: size is 7x7"),
        (["peers", 1, "name"], "other_copy", "a second row of other_copy at"),
        (["peers", 0, "fits_l2"], None, "peers/0/fits_l2"),
    ],
)
def test_broken_peers_are_refused_in_one_line(project, path, value, message):
    synthetic.add_peers(project.results, "naive")
    data = json.loads((project.results / synthetic.MACHINE / "naive.json").read_text())
    if value == "other_copy":
        path = ["peers", [row["size"] for row in data["peers"]].index("2048x2048"), "name"]
    put(data, path, value)
    with pytest.raises(ResultError) as error:
        validate_result(data, "naive.json")
    assert message in str(error.value) and "\n" not in str(error.value)


def test_stale_and_failed_rows_have_no_value(project, evidence, result):
    source = project.source("copy")
    text = source.read_text()
    source.write_text(text.replace("output[i] = input[i]", "output[i] = 2 * input[i]"))
    with pytest.raises(ResultError, match="stale on invented.*run scripts/measure"):
        evidence.value("copy.copy_plain.2048.gbps")
    assert evidence.value("naive.transpose_naive_row_read.2048.percent_of_memcpy").text() == "41", "cudaMemcpy has no text"
    assert evidence.value("naive.transpose_naive_row_read.2048.gbps").text() == "450"
    source.write_text(text)
    result["rows"][2]["check"] = {"passed": False, "message": "3 elements differ"}
    synthetic.write_json(project.results / synthetic.MACHINE / "copy.json", result)
    with pytest.raises(ResultError, match="failed its check on invented: 3 elements differ"):
        evidence.value("copy.copy_plain.2048.gbps")


def test_arrays_have_work_and_the_host_has_one_time(project, evidence):
    synthetic.make_arrays(project.counts, project.results, "naive")
    data = evidence.result("naive")
    assert metrics.is_of_arrays(data) and not metrics.is_of_arrays(evidence.result("copy"))
    assert evidence.value("naive.transpose_naive_row_read.5000x1.billions_per_second").number == pytest.approx(2500)
    assert evidence.value("naive.transpose_naive_row_read.5000x1.warm_billions_per_second").number == pytest.approx(5000)
    host = evidence.value("naive.host_search.5000x1.ms")
    assert host.number == 10 and "on the host, Invented CPU, 2 cores, 40 samples" in host.provenance
    assert evidence.value("naive.host_search.5000x1.ms / naive.transpose_naive_row_read.5000x1.ms").text() == "1,000"
    for key, message in [
        ("naive.host_search.5000x1.warm_ms", "ran on the host, and has no warm time"),
        ("copy.copy_plain.2048.billions_per_second", "has no unit of work but bytes"),
        ("naive.transpose_naive_row_read.5000x1.tflops", "has no tflops; its speed is billions_per_second"),
        ("naive.transpose_naive_row_read.5000x1.percent_of_memcpy", "does other work than moving bytes"),
    ]:
        with pytest.raises(ResultError, match=message):
            evidence.value(key)


def test_counts_are_shown_at_the_chapters_size_or_the_kernels_largest(project, evidence):
    assert metrics.counted_size(evidence.program("naive"), "transpose_naive_row_read") == "2048x2048"
    synthetic.make_arrays(project.counts, project.results, "naive")
    program = evidence.program("naive")
    assert metrics.counted_size(program, "transpose_naive_row_read") == "5000x1"
    assert metrics.counted_size(program, "transpose_naive_column_read") == "64x1"
    assert metrics.counted_size({**program, "counted_size": "1x1"}, "transpose_naive_row_read") == "5000x1"
    with pytest.raises(ResultError, match="no kernel 'none' in the counts of chapter naive"):
        metrics.counted_size(program, "none")
    assert evidence.value("naive.transpose_naive_column_read.64x1.blocks").number == 7
    assert evidence.value("naive.transpose_naive_column_read.64x1.launches").number == 2
    assert evidence.value("naive.transpose_naive_row_read.5000x1.launches").number == 1
    assert evidence.value("naive.transpose_naive_row_read.5000x1.blocks").number == 64 * 64


@pytest.mark.parametrize(
    ("size", "shown"), [("2048x2048", "2048 × 2048"), ("1x1", "1 × 1"), ("1x7", "1 × 7"), ("5000x1", "5,000"), ("0x1", "0")]
)
def test_sizes_for_readers(size, shown):
    assert metrics.pretty_size(size) == shown
    assert metrics.parse_size(size) == size


@pytest.mark.parametrize("size", ["0", "x1", "0x0", "1x0", "01x1", "1x1x1", "-1"])
def test_no_sizes(size):
    with pytest.raises(ResultError, match="is not N or WxH"):
        metrics.parse_size(size)


def test_speed_is_in_bytes_or_in_work():
    row = {"kernel": "k", "size": "10x1", "bytes": 3_000_000, "time": {"cold": {"median_ms": 2.0}, "warm": {"median_ms": 1.0}}}
    assert metrics.speed(row) == "1.50"
    assert metrics.speed(row, "warm", ".0f") == "3"
    assert metrics.speed({**row, "work": {"unit": "pairs", "amount": 8e9}}, "warm") == "8,000 Gpairs/s"
    assert metrics.speed({**row, "work": {"unit": "FLOP", "amount": 8e12}}, "warm", ".0f") == "8000 TFLOP/s"
    assert metrics.speed({**row, "work": None, "time": {"host": {"median_ms": 2.0}}}) == "1.50"


def test_published_figures_are_values():
    evidence = Evidence(CHAPTERS, BOOK_RESULTS, BOOK_RESULTS)
    assert evidence.value("historical:g80.reduce_strided.4194304x1.ms").text() == "3.456"
    with pytest.raises(ResultError, match="no published figure"):
        evidence.value("historical:gt430.nearest_global.10000x1.gbps")
    assert evidence.value("historical:gtx280.copy_plain.2048.gbps").text() == "96.9"
    assert "ruetsch2009transpose" in evidence.value("historical:gtx280.copy_plain.2048.gbps").provenance


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (4, "4"), (4.0, "4"), (1234567, "1,234,567"), (0.012345, "0.0123"), (2.2, "2.20"), (491.3, "491"), (3110.4, "3,110")],
)
def test_numbers_for_readers(number, text):
    assert format_number(number) == text


def test_a_percentage_has_a_no_break_space_before_its_sign():
    assert format_number(0.899, ".0%") == "90\u00a0%"
