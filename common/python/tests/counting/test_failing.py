"""Tests the conditions of --fail-if against the counts of launches, and the reports of the pytest fixture."""

import json

import pytest
from conftest import counts
from made_counts import shared

from conflict_free.console import Stop
from conflict_free.counting import failing, pytest_plugin, report_in_tests
from conflict_free.counts import GROUPS, NUMBERS


def launch(name: str, number: int, **shared_load: int) -> dict:
    kernel = {**counts(), "name": name, "launch": number, "lines": []}
    kernel["shared_load"] = shared(4, 4, 4) | shared_load
    return kernel


DATA = {
    "machine": "sm_90",
    "kernels": [launch("padded", 0), launch("plain", 1, wavefronts=128, conflicts=124), launch("plain", 2, wavefronts=6, conflicts=2)],
    "hazards": [],
    "exit_code": 0,
}


@pytest.mark.parametrize(
    ("condition", "failed"),
    [
        ("shared_load.conflicts > 0", ["shared_load.conflicts is 124", "shared_load.conflicts is 2"]),
        ("shared_load.conflicts > 100", ["shared_load.conflicts is 124"]),
        ("name == 'padded' and shared_load.conflicts > 0", []),
        ("shared_load.wavefronts_per_instruction > 1.5", ["wavefronts_per_instruction is 32"]),
        ("shared_store.wavefronts_per_instruction > 0", []),
        ("global_load.sectors / shared_atomic.instructions > 1", ["divides by 0"] * 3),
        ("launch == 0", ["launch is 0"]),
    ],
)
def test_each_launch_is_judged(condition, failed):
    failing.check([condition])
    lines = failing.failures([condition], DATA)
    assert len(lines) == len([line for line in lines if line.startswith("failed: ")]) == len(failed)
    assert all(text in line for text, line in zip(failed, lines))


def test_many_launches_are_told_in_few_lines():
    data = {"machine": "sm_90", "kernels": [launch("plain", number, conflicts=1) for number in range(300)]}
    lines = failing.failures(["shared_load.conflicts > 0"], data)
    assert len(lines) == 6
    assert lines[-1] == "failed: shared_load.conflicts > 0 in 295 more launches"


def test_nothing_that_was_counted_is_no_success():
    assert failing.failures(["barriers > 0"], {"kernels": []}) == ["failed: no launch was counted, and --fail-if needs one"]
    assert failing.failures([], {"kernels": []}) == []


def test_a_resource_that_no_launch_can_have_is_refused():
    failing.check(["limited_by == 'dram'", "limited_by != '' or name == 'dramm'"])
    with pytest.raises(Stop, match="limited_by is never 'dramm'; it is one of .*dram"):
        failing.check(["barriers > 0 and limited_by != 'dramm'"])


@pytest.mark.parametrize(
    "condition", ["conflicts > 0", "shared_load.conflict > 0", "shared_load", "name", "barriers >", "open('x')", "name > 3", ""]
)
def test_what_is_no_expression_is_refused(condition):
    with pytest.raises(Stop, match="argument --fail-if: ") as stop:
        failing.check([condition])
    assert stop.value.code == 2
    assert "\n" not in str(stop.value)


def test_every_count_has_a_name():
    names = failing.names_of({}, "sm_90")
    assert set(NUMBERS) <= set(names)
    assert all(set(group.measure.keys) <= set(names[name]) for name, group in GROUPS.items())


# --- the report of the fixture -----------------------------------------------------------------


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.json").write_text(json.dumps(DATA), encoding="utf-8")
    return report_in_tests.read(tmp_path / "report.json", "")


def test_launches_of_a_kernel_are_added_up(report):
    plain = report.kernel("plain")
    assert plain.shared_load.conflicts == plain["shared_load"]["conflicts"] == 126
    assert plain.shared_load.wavefronts_per_instruction == 134 / 8
    assert [each.shared_load.conflicts for each in report.launches] == [0, 124, 2]
    assert (report.exit_code, report.hazards, report.errors) == (0, [], [])


def test_an_unknown_kernel_or_count_names_those_there_are(report):
    with pytest.raises(KeyError, match="no launch of 'tiled' was counted; launched: padded, plain"):
        report.kernel("tiled")
    with pytest.raises(AttributeError, match="'conflict' is not counted; accepted: instructions, wavefronts, ideal_wavefronts, conflicts"):
        _ = report.kernel("plain").shared_load.conflict


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda programs: programs.count("missing.cu"), "error: argument FILE.cu: 'missing.cu' given, a CUDA source file is accepted"),
        (lambda programs: programs.run("missing"), "missing' given, a program that exists is accepted"),
    ],
)
def test_what_cannot_be_counted_raises_what_the_command_says(tmp_path, call, told):
    with pytest.raises(pytest_plugin.CountingError, match=told):
        call(pytest_plugin.ConflictFree(tmp_path))
