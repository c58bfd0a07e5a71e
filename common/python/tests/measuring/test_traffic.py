"""The counters of traffic, with a profiler that pretends."""

import json
import shutil

import pytest
from conftest import DEMO_SOURCE, NCU_HEADER, program_rows
from test_measure import measured

from conflict_free.measuring import counters, traffic

# A profiler of kernels that are launched a number of times at a size: the first metric is 1 in the first launch of all, the second 2, and
# each further launch adds 100. The profiler notes its calls, and may lack metrics or answer otherwise.
NCU = """
import pathlib, re
if argv == ["--version"]:
    print("Version 2025.3.1.0 (build 1)")
    sys.exit()
asked = pathlib.Path(__file__).with_name("ncu_calls.json")
asked.write_text(json.dumps([*(json.loads(asked.read_text()) if asked.exists() else []), argv]))
log = open(argv[argv.index("--log-file") + 1], "w")
metrics = argv[argv.index("--metrics") + 1].split(",")
for metric in metrics:
    if metric in {unknown!r}:
        log.write("==PROF== Connected to process 4242\\n==ERROR== Failed to find metric regex:^" + re.escape(metric) + "$\\n")
        sys.exit(1)
pattern = argv[argv.index("--kernel-name") + 1]
named = re.compile(pattern[6:] if pattern.startswith("regex:") else re.escape(pattern) + "$").match
log.write("==PROF== Connected to process 4242\\n" + {header!r} + "\\n")
launch = 0
given = lambda option: [value for word, value in zip(argv, argv[1:]) if word == option]
for size in given("--size"):
    for kernel, at, count in {launches!r}:
        for _ in range(count if at == size and kernel in given("--kernel") and named(kernel) else 0):
            for place, metric in enumerate(metrics):
                value = {answers!r}.get(metric, f"{{1 + place + 100 * launch:,}}")
                log.write(f'"{{launch}}","4242","p","h","{{kernel}}(float *)","1","7","(1, 1, 1)","(1, 1, 1)","0","9.0","s","{{metric}}","","{{value}}"\\n')
            launch += 1
"""

LARGE, ODD = "16384x16384", "8191x16385"
METRICS = [names[0] for names in traffic.TRAFFIC.values()]


def profiler(house, launches, unknown=(), answers=None) -> str:
    body = NCU.format(launches=launches, unknown=list(unknown), answers=answers or {}, header=NCU_HEADER)
    return str(house.tool("ncu", body))


def calls(house) -> list[list[str]]:
    return json.loads((house.tools / "ncu_calls.json").read_text())


def test_the_counters_of_the_traffic_are_those_of_the_schema():
    from conflict_free.evidence.places import RESULTS

    schema = json.loads((RESULTS / "schema.json").read_text(encoding="utf-8"))
    assert set(schema["$defs"]["row"]["properties"]["traffic"]["properties"]) == set(traffic.TRAFFIC)


def test_one_call_reads_all_kernels_at_all_sizes_and_adds_the_launches_of_a_run(house):
    read = [("one", LARGE), ("two", LARGE), ("one", ODD), ("two", ODD)]
    launches = [("one", LARGE, 1), ("two", LARGE, 2), ("one_more", LARGE, 1), ("one", ODD, 1), ("two", ODD, 3)]
    found = traffic.read_traffic(profiler(house, launches), "prog", read)
    assert list(found.rows) == read and found.missing == []
    first, second = list(traffic.TRAFFIC)[:2]
    assert [(row[first], row[second]) for row in found.rows.values()] == [
        (1, 2),
        (101 + 201, 102 + 202),
        (301, 302),
        (401 + 501 + 601, 402 + 502 + 602),
    ]
    assert all(list(row) == list(traffic.TRAFFIC) for row in found.rows.values())
    [call] = calls(house)
    assert call[:6] == ["--clock-control", "none", "--cache-control", "all", "--metrics", ",".join(METRICS)]
    assert call[call.index("--kernel-name") + 1 :] == [
        "regex:^(one|two)$",
        "prog",
        "--no-timing",
        "--kernel",
        "one",
        "--kernel",
        "two",
        "--size",
        LARGE,
        "--size",
        ODD,
    ]


def test_sizes_that_one_call_could_not_tell_apart_have_calls_of_their_own(house):
    found = traffic.read_traffic(profiler(house, [("one", LARGE, 2), ("one", ODD, 3)]), "prog", [("one", LARGE), ("one", ODD)])
    first = next(iter(traffic.TRAFFIC))
    assert [row[first] for row in found.rows.values()] == [1 + 101, 1 + 101 + 201]
    assert [call[call.index("--size") :] for call in calls(house)] == [["--size", LARGE], ["--size", ODD]]


@pytest.mark.parametrize(
    "launches, seen", [([], "nothing"), ([("one", LARGE, 1)], "one"), ([("two", LARGE, 1), ("one", LARGE, 1)], "two, one")]
)
def test_other_launches_than_those_that_were_wanted_are_refused(house, launches, seen):
    with pytest.raises(counters.NoCounters, match=f"ncu saw launches of {seen}; wanted one, two, in this order"):
        traffic.read_traffic(profiler(house, launches), "prog", [("one", LARGE), ("two", LARGE)])


def test_a_counter_that_the_profiler_does_not_know_is_named_and_left_out(house):
    ncu = profiler(house, [("one", LARGE, 1)], unknown=["smsp__issue_active.sum"], answers={"sm__cycles_elapsed.max": "n/a"})
    found = traffic.read_traffic(ncu, "prog", [("one", LARGE)])
    assert set(found.rows["one", LARGE]) == set(traffic.TRAFFIC) - {"issue_slots_taken", "cycles"}
    assert found.missing == [
        r"no issue_slots_taken: Failed to find metric regex:^smsp__issue_active\.sum$",
        "no cycles: ncu answered n/a for sm__cycles_elapsed.max",
    ]


def test_a_part_that_only_some_gpus_have_is_missed_by_none(house):
    ncu = profiler(house, [("one", LARGE, 1)], unknown=["lts__ltcfabric2ltc_cycles_active.sum"])
    found = traffic.read_traffic(ncu, "prog", [("one", LARGE)])
    assert set(found.rows["one", LARGE]) == set(traffic.TRAFFIC) - {"l2_fabric_cycles_active"} and found.missing == []


def test_a_counter_is_asked_for_by_its_newer_name_where_the_older_is_unknown(house):
    ncu = profiler(house, [("one", LARGE, 1)], unknown=["dram__bytes_read.sum"])
    found = traffic.read_traffic(ncu, "prog", [("one", LARGE)])
    assert found.missing == [] and found.rows["one", LARGE]["dram_read_bytes"] == 1
    assert "dram__bytes_op_read.sum,dram__bytes_write.sum" in calls(house)[-1][5]


def test_a_profiler_that_knows_nothing_ends(house):
    ncu = profiler(house, [("one", LARGE, 1)], unknown=[name for names in traffic.TRAFFIC.values() for name in names])
    with pytest.raises(counters.NoCounters, match="none of the counters of traffic"):
        traffic.read_traffic(ncu, "prog", [("one", LARGE)])


# --- the whole way -----------------------------------------------------------------------------


@pytest.fixture
def traffic_house(gpu_house):
    """A house whose chapter has two kernels and names two sizes; the reference runs at them too."""
    (gpu_house.root / "chapters" / "copy" / "copy.cu").write_text(
        DEMO_SOURCE + "// [copy_twice]\n__global__ void copy_twice() {}\n// [/copy_twice]\n", encoding="utf-8"
    )
    data = program_rows("gpu")
    second = [{**row, "kernel": "copy_twice"} for row in data["rows"] if not row["reference"]]
    data["rows"] = sorted(data["rows"] + second, key=lambda row: row["width"])
    data["traffic_sizes"] = [LARGE, "2048x2048"]
    programs = gpu_house.root / "ready" / "chapters" / "copy"
    gpu_house.tool("on_gpu", f"open(argv[argv.index('--json') + 1], 'w').write({json.dumps(data)!r})", programs)
    # The profiler's numbers are not the model's.
    shutil.rmtree(gpu_house.root / "ready" / "common")
    return gpu_house


LAUNCHES = [(kernel, size, 1) for kernel in ("copy_plain", "copy_twice") for size in (LARGE, "2048x2048")]


def test_the_traffic_stands_in_the_rows_of_the_kernels_at_the_named_sizes(traffic_house):
    profiler(traffic_house, LAUNCHES)
    done, result = measured(traffic_house)
    rows = {(row["kernel"], row["size"]): row for row in result["rows"]}
    assert {run for run, row in rows.items() if "traffic" in row} == {run[:2] for run in LAUNCHES}
    first = next(iter(traffic.TRAFFIC))
    assert [
        rows[run]["traffic"][first]
        for run in [("copy_plain", LARGE), ("copy_twice", LARGE), ("copy_plain", "2048x2048"), ("copy_twice", "2048x2048")]
    ] == [1, 101, 201, 301]
    assert f"copy: traffic at {LARGE}, 2048x2048" in done.stdout
    assert sum("regex:^(copy_plain|copy_twice)$" in call for call in calls(traffic_house)) == 1
    assert result["provenance"]["profiler"] == "Nsight Compute 2025.3.1"


def test_a_counter_that_is_unknown_fails_after_writing(traffic_house):
    profiler(traffic_house, LAUNCHES, unknown=["smsp__inst_executed.sum"])
    done, result = measured(traffic_house, "--peers", code=1)
    assert r"copy: no instructions: Failed to find metric regex:^smsp__inst_executed\.sum$" in done.stdout
    assert "Peers: 0 times of libraries, 0 failures" in done.stdout
    rows = [row for row in result["rows"] if "traffic" in row]
    assert len(rows) == 4 and not any("instructions" in row["traffic"] for row in rows)


def test_traffic_that_cannot_be_read_leaves_the_rest(traffic_house):
    profiler(traffic_house, LAUNCHES[:3])
    done, result = measured(traffic_house)
    assert "no counters of traffic of copy: ncu saw launches of copy_plain, copy_twice, copy_plain; wanted" in done.stdout
    assert not any("traffic" in row for row in result["rows"])


def test_no_counters_reads_no_traffic(traffic_house):
    traffic_house.tool("ncu", "sys.exit('ncu must not run')")
    _, result = measured(traffic_house, "--no-counters")
    assert not any("traffic" in row for row in result["rows"])
