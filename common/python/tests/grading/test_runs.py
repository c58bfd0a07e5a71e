"""Tests the judging of runs: thresholds, outputs against a reference, complaints, and whether kernels have done the work."""

from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from made_counts import global_, line, shared
from test_pictures import LAUNCH, bank_access

from conflict_free.grading import cases, counting_checks, data_checks, printing, safety
from conflict_free.grading.assignment import AssignmentError
from conflict_free.grading.comparing import difference
from conflict_free.grading.facts import Facts
from conflict_free.grading.parts import Case, KernelWork, Limits, Movement, Threshold
from conflict_free.grading.result import Place
from conflict_free.grading.running import Run
from conflict_free.grading.sandbox import Done

#: By the compiler's output: of 64 blocks of a warp, the registers leave room for as few as are accepted.
RESOURCES = {
    "registers": 90,
    "spilled_store_bytes": 0,
    "spilled_load_bytes": 0,
    "blocks": 22,
    "most_warps": 64,
    "limited_by": ["registers"],
}


def kernel(conflicts: int) -> dict:
    loads, stores = shared(10, 10 + conflicts, 10), shared(10, 10, 10)
    moved = dict.fromkeys(("global_load", "global_store"), global_(10, 40, 40, 1280))
    lines = [line(7, "shared", "load", loads), line(3, "shared", "store", stores)]
    found = {"name": "turn", "grid": [2, 3, 1], "block": [32, 1, 1], "exact": True, "resources": RESOURCES, "barriers": 6}
    return {**found, "shared_load": loads, "shared_store": stores, **moved, "lines": lines}


#: The judge's report on kernels that use global memory by ordinary loads and stores.
ORDINARY = {
    "block": {"narrow": 8, "narrow_stores": 8, "loaded": 64, "stored": 64},
    "busiest": {"accesses": 20},
    "narrow_global": 8,
    "slots": 8,
    "global_slots": 8,
    "idle_blocks": data_checks.MOST_IDLE_BLOCKS,
    "cluster_accesses": 0,
    "cluster_barriers": 0,
    "sleeps": 0,
    "executed": 20_000,
    "room": {"blocks": 3, "without_shared": 9},
    "bulk_load": global_(),
    "bulk_store": global_(),
}
USED = {"bytes": 16, "loaded": 16, "stored": 16, "filled": 0, "copied": 0}


def made_run(
    kernels: list,
    *,
    name: str = "small",
    hazards=(),
    errors=(),
    outcome="finished",
    failure="",
    message=None,
    code=0,
    stopped=None,
    report: bool = True,
    moved: dict | None = None,
    used: dict | None = None,
    otherwise: dict | None = None,
    allocations: int = 16,
) -> Run:
    values = numpy.zeros(4, numpy.float32)
    case = cases.DrawnCase(Case(name, {"width": 4}), {"width": 4}, {"input": values}, {"output": values}, {})
    made = {"kernels": kernels, "hazards": list(hazards), "errors": list(errors)} if report else None
    moved = {"to_host": 0, "to_device": 0, "within_device": 0, "set": 0, "parameters": 0, **(moved or {})}
    calls = {
        "copies": {way: {"bytes": moved[way]} for way in ("to_host", "to_device", "within_device")},
        "fills": {"bytes": moved["set"]},
        "allocations": {"calls": allocations},
        "most_parameter_bytes": moved["parameters"],
        "data": {**ORDINARY, **(otherwise or {}), "buffers": {"input": USED, "output": {**USED, **(used or {})}}},
    }
    return Run(case, Done(code, "", "", stopped), Done(0, "", "", None), made, outcome, failure, message or {}, calls, {}, [])


class Source:
    """A submission without a program."""

    def places(self, found):
        return tuple(Place("ada.cu", each["line"]) for each in found)

    def traced(self, case):
        return [
            {
                **LAUNCH,
                "blocks": [
                    {
                        "block": [0, 0, 0],
                        "accesses": [{**bank_access(1), "file": "a.cu", "line": 7}, {**bank_access(4), "file": "a.cu", "line": 7}],
                    }
                ],
            }
        ]


def threshold(count: str, limit: str = "0", *, upper: bool = True, name: str = "t", after: str | None = None) -> Threshold:
    return Threshold(name, count, limit, upper, 10, "Help.", after)


def found(runs: list[Run], *thresholds: Threshold) -> dict:
    return counting_checks.findings(SimpleNamespace(thresholds=thresholds), runs, Source())


def test_counts_are_summed_over_the_launches_of_a_case():
    finding = found([made_run([kernel(5), kernel(6)])], threshold("shared_load.conflicts + shared_store.conflicts"))["counts.t"]
    assert (finding.passed, finding.seen, finding.wanted) == (
        False,
        "shared_load.conflicts + shared_store.conflicts is 11 (case small: width 4)",
        "at most 0",
    )
    assert finding.case == "small" and finding.help == "Help."


def test_the_worst_lines_and_the_worst_access_are_shown():
    finding = found([made_run([kernel(5)])], threshold("shared_load.conflicts"))["counts.t"]
    assert [place.line for place in finding.lines] == [7]
    assert "4 wavefronts, ideal: 1" in finding.picture and finding.drawing.startswith("<svg")


def test_expressions_may_name_parameters_launches_blocks_and_barriers():
    run = made_run([kernel(0), kernel(0)])
    for expression, value in (
        ("width * 2", 8),
        ("launches", 2),
        ("kernels", 1),
        ("blocks", 12),
        ("barriers", 12),
        ("ceil(width / 3)", 2),
        ("global_load.sectors / global_load.requests", 4),
    ):
        assert found([run], threshold(expression, str(value)))["counts.t"].passed
        assert not found([run], threshold(expression, f"{value} - 1"))["counts.t"].passed


def test_a_lower_bound_fails_below_it():
    run = made_run([kernel(0)])
    assert not found([run], threshold("shared_load.instructions", "11", upper=False))["counts.t"].passed
    assert found([run], threshold("shared_load.instructions", "10", upper=False))["counts.t"].passed


def test_a_check_that_passes_quotes_the_tightest_case():
    runs = [made_run([kernel(conflicts)], name=name) for name, conflicts in (("a", 1), ("b", 3), ("c", 2))]
    finding = found(runs, threshold("shared_load.conflicts", "4"))["counts.t"]
    assert (finding.passed, finding.seen) == (True, "shared_load.conflicts is 3 (case b)")
    finding = found(runs, threshold("shared_load.conflicts", "1", upper=False))["counts.t"]
    assert (finding.passed, finding.seen) == (True, "shared_load.conflicts is 1 (case a)")


def test_every_case_has_to_keep_every_limit():
    assert not found([made_run([kernel(0)]), made_run([kernel(9)], name="odd")], threshold("shared_load.conflicts"))["counts.t"].passed


def test_sums_have_all_ways_in_them():
    one, served = {"requests": 1, "sectors": 2, "bytes": 33}, shared(1, 3, 1)
    every_way = {
        "name": "k",
        "grid": [1, 1, 1],
        "lines": [],
        "async_copy": {"global": one, "shared": served},
        **{f"{space}_{op}": one for space in ("global", "local", "texture") for op in ("load", "store")},
        "global_atomic": one,
        **{f"shared_{op}": served for op in ("load", "store", "atomic")},
    }
    bulk = global_(1, 2, 2, 33) | {"wavefronts": 3}
    names = counting_checks.names_of(made_run([every_way], otherwise={"bulk_load": bulk, "bulk_store": bulk}))
    assert names["shared"] == {"instructions": 6, "wavefronts": 18, "ideal_wavefronts": 10, "conflicts": 8}
    assert (names["reads"]["requests"], names["writes"]["requests"], names["traffic"]["requests"]) == (5, 5, 10)
    assert names["traffic"]["sectors"] == 20 and names["block"]["loaded"] == 64


def test_a_threshold_that_means_nothing_after_another_is_not_reached():
    checks = found(
        [made_run([kernel(9)])], threshold("shared_load.conflicts", name="a"), threshold("launches", "1", name="b", after="counts.a")
    )
    assert list(checks) == ["counts.a"]
    checks = found(
        [made_run([kernel(0)])], threshold("shared_load.conflicts", name="a"), threshold("launches", "1", name="b", after="counts.a")
    )
    assert list(checks) == ["counts.a", "counts.b"]


@pytest.mark.parametrize("expression", ["shared_load.conflict", "depth", "1 +", "launches / 0", "'a'", "launches == 1", "__import__('os')"])
def test_an_expression_that_is_wrong_is_its_authors_fault(expression):
    with pytest.raises(AssignmentError, match="^threshold t: ") as error:
        found([made_run([kernel(0)])], threshold(expression))
    assert "\n" not in str(error.value)


# --- outputs -------------------------------------------------------------------------------------


def compare(actual: list, expected: list, tolerance: float = 0, before: list | None = None, dtype=numpy.float64):
    array = numpy.array(expected, dtype)
    case = cases.DrawnCase(
        Case("small", {"width": 2}),
        {"width": 2},
        {},
        {"output": array},
        {"output": numpy.array(before or [-9] * len(expected), dtype).reshape(array.shape)},
    )
    return difference(case, {"output": numpy.array(actual, dtype)}, tolerance)


def test_right_outputs_have_no_difference():
    assert compare([[1, 2], [3, 4]], [[1, 2], [3, 4]], before=[[0, 0], [0, 0]]) is None
    assert compare([1.0 + 1e-9], [1.0], 1e-6) is None
    assert compare([7], [7], dtype=numpy.int32) is None


def test_a_wrong_element_is_named_with_both_values():
    wrong = compare([[1, 2], [3, 5]], [[1, 2], [3, 4]], before=[[0, 0], [0, 0]])
    assert wrong.seen == "1 of 4 elements of output are wrong; the first, output[1][1], is 5.0"
    assert wrong.wanted == "output[1][1] is 4.0"


def test_elements_that_nobody_wrote_are_called_that():
    assert compare([1, -9, -9], [1, 2, 3]).seen == "2 of 3 elements of output were never written; the first is output[1]"
    assert compare([5, -9], [1, 2]).seen == "2 of 2 elements of output are wrong; the first, output[0], is 5.0"


def test_nan_is_never_right():
    assert compare([float("nan")], [1.0]) and compare([float("nan")], [1.0], 1e-6)
    assert compare([1.0 + 1e-5], [1.0], 1e-6) and compare([1.0 + 1e-15], [1.0])


# --- what is wrong with a run --------------------------------------------------------------------

TASK = SimpleNamespace(limits=Limits(2, 256, 8), function="turn", source=Path("a.cu"), movement=Movement(bytes_set=8), kernels=KernelWork())

HAZARD = {
    "kind": "out_of_bounds",
    "kernel": "k",
    "block": [1, 0, 0],
    "threads": [],
    "message": "reads",
    "help": "Look.",
    "lines": [{"file": "a.cu", "line": 3}],
}


ERROR = {
    "code": "ended_in_kernel",
    "fields": {"kernel": "k", "signal": 11},
    "message": "while kernel k ran: ended by signal 11",
    "help": "",
}


def test_a_run_without_fault_has_none():
    assert safety.complaint(made_run([]), TASK, Facts()) is None
    many = made_run([])
    many.calls["launches"] = 10_001
    assert safety.complaint(many, TASK, Facts()).seen == "it launches kernels 10,001 times, accepted: at most 10,000"


@pytest.mark.parametrize(
    "options, seen",
    [
        ({"hazards": [HAZARD], "stopped": "time", "errors": [ERROR]}, "out of bounds in k, block (1, 0, 0): reads"),
        ({"stopped": "time", "outcome": None}, "it ran for more than 2 seconds"),
        ({"stopped": "memory", "outcome": None}, "it wanted more than 256 megabytes of memory"),
        ({"stopped": "output", "outcome": None}, "it printed more than 8 kilobytes"),
        ({"errors": [ERROR], "outcome": None}, "while kernel k ran: ended by signal 11"),
        ({"outcome": None, "code": 0}, "the program ended before turn returned (exit code 0)"),
        ({"report": False}, "the program ended before turn returned (exit code 0)"),
        (
            {"outcome": "failed", "failure": "cudaGetLastError() at trial.cpp:9 failed: out of memory", "code": 1},
            "the CUDA runtime reports an error: out of memory",
        ),
        ({"code": 3}, "the CUDA runtime reports an error: exit code 3"),
    ],
)
def test_the_most_telling_fault_is_named(options, seen):
    complaint = safety.complaint(made_run([], **options), TASK, Facts())
    assert complaint.seen == seen and complaint.help.endswith(".")


def test_what_the_model_refuses_has_its_help_and_its_place():
    error = {
        "code": "stopped_itself",
        "fields": {"kernel": "k", "file": "a.cu", "line": 10},
        "message": "kernel k: the kernel stopped itself, a.cu:10",
        "help": "",
    }
    said = safety.complaint(made_run([], errors=[error], outcome=None), TASK, Facts())
    assert said.seen == "kernel k: the kernel stopped itself" and said.places == [{"file": "a.cu", "line": 10}]
    assert said.help.startswith("Look at what")
    refused = {
        "code": "block_too_large",
        "fields": {"kernel": "k", "error": "cudaErrorInvalidConfiguration"},
        "message": "kernel k was not launched",
        "help": "Ask for less.",
    }
    said = safety.complaint(made_run([], errors=[refused], outcome=None), TASK, Facts(launches=[("l", 2), ("k", 3)]))
    assert said.help == "Ask for less." and said.places == [{"file": "a.cu", "line": 3}]


def test_what_the_judge_does_not_allow_is_told_with_its_lines():
    message = {"code": "frees_a_buffer", "fields": {"buffer": "input"}, "message": "it frees the memory of input", "help": "Do not."}
    said = safety.complaint(made_run([], outcome="broken", message=message), TASK, Facts())
    assert (said.seen, said.help) == ("it frees the memory of input", "Do not.")


@pytest.mark.parametrize(
    "moved, seen",
    [
        ({"to_host": 4}, "it copies 4 bytes of device memory to the host (cudaMemcpyAsync), accepted: none"),
        ({"within_device": 4}, "it copies 4 bytes within device memory (cudaMemcpyAsync), accepted: none"),
        ({"to_device": 1025}, "it copies 1,025 bytes from the host to device memory (cudaMemcpyAsync), accepted: at most 1,024"),
        ({"set": 9}, "it sets 9 bytes of device memory (cudaMemset), accepted: at most 8"),
        ({"parameters": 257}, "it launches a kernel with 257 bytes of arguments, accepted: at most 256"),
    ],
)
def test_what_moves_by_other_ways_is_refused_with_its_call_and_line(moved, seen):
    found = Facts(calls=[("printf", 2), ("cudaMemcpyAsync", 3), ("cudaMemset", 4)], launches=[("k", 5)])
    complaint = safety.complaint(made_run([], moved=moved), TASK, found)
    assert complaint.seen == seen
    assert complaint.places == [{"file": "a.cu", "line": {"set": 4, "parameters": 5}.get(next(iter(moved)), 3)}]


# --- whether kernels have done the work -----------------------------------------------------------------


def by_kernels(task=TASK, kernels=(), **options):
    return data_checks.complaint(made_run(list(kernels), **options), task, Source())


def test_kernels_load_and_store_everything():
    assert by_kernels() is None
    assert by_kernels(used={"stored": 12, "copied": 4}).seen == "of 16 bytes of output, 12 are written last by kernels, 4 by copies"
    assert by_kernels(used={"stored": 0}).seen == "of 16 bytes of output, 0 are written last by kernels"
    run = made_run([])
    run.calls["data"]["buffers"]["input"] = {**USED, "loaded": 12}
    assert data_checks.complaint(run, TASK, Source()).seen == "kernels load 12 bytes of input"
    task = SimpleNamespace(**{**vars(TASK), "kernels": KernelWork(loads={"input": "3 * width"})})
    assert data_checks.complaint(run, task, Source()) is None


def test_what_the_task_lets_a_program_set_needs_no_kernel():
    assert by_kernels(used={"stored": 8, "filled": 8}) is None
    assert by_kernels(used={"stored": 4, "filled": 12}).seen.endswith("4 are written last by kernels, 12 by cudaMemset")


def test_a_check_that_passes_names_the_tightest_limit():
    task = SimpleNamespace(**{**vars(TASK), "kernels": KernelWork(narrow="3 * width")})
    assert (
        data_checks.closest([made_run([])], task)
        == "; a block accesses shared memory 8 times with at most half of a warp, at most 12 (case small)"
    )
    assert data_checks.closest([], task) == ""


ONE, TWO = {"kernels": [kernel(0)]}, {"kernels": [kernel(0)] * 2}
#: Limits of a task on what kernels do: a run within the limit, one beyond it, and what is seen of that.
LIMITS = [
    ({"accesses": "10 * width"}, ONE, TWO, "warps access memory 80 times"),
    ({"read_accesses": "2.5 * width"}, ONE, TWO, "warps load from global memory 20 times"),
    ({}, {"kernels": [kernel(0)] * 4}, {"kernels": [kernel(0)] * 5}, "it launches kernels 5 times"),
    (
        {"busiest_accesses": "5 * width"},
        {},
        {"busiest": {"accesses": 21}},
        "the warps of the busiest multiprocessor access memory 21 times",
    ),
    ({"narrow": "2 * width"}, {}, {"block": {**ORDINARY["block"], "narrow": 9}}, "accesses shared memory 9 times"),
    ({"narrow_stores": "2 * width"}, {}, {"block": {**ORDINARY["block"], "narrow_stores": 9}}, "stores to shared memory 9 times"),
    ({"narrow_global": "2.2 * width"}, {}, {"narrow_global": 9}, "access global memory 9 times with at most half"),
    ({"slots": "2.2 * width"}, {}, {"slots": 9}, "access memory 9 times"),
    ({"global_slots": "2.2 * width"}, {}, {"global_slots": 9}, "access global memory 9 times with most of their lanes"),
]


@pytest.mark.parametrize(("limits", "within", "beyond", "seen"), LIMITS)
def test_what_is_done_by_few_lanes_or_blocks_is_beyond_a_limit(limits, within, beyond, seen):
    task = SimpleNamespace(**{**vars(TASK), "kernels": KernelWork(**limits)})
    assert by_kernels(task, **within) is None
    found = by_kernels(task, **(beyond if "kernels" in beyond else {"otherwise": beyond}))
    assert seen in found.seen
    # A limit that is no whole number is shown rounded down, so that a count above it exceeds the shown number.
    assert found.wanted == "at most 8" or "2.2 * width" not in limits.values()


def test_instructions_are_limited_by_the_accesses_to_memory():
    names = counting_checks.names_of(made_run([kernel(0)]))
    most = 40 * (names["traffic"]["requests"] + names["shared"]["ideal_wavefronts"]) + 50_000
    assert by_kernels(kernels=[kernel(0)], otherwise={"executed": most}) is None
    found = by_kernels(kernels=[kernel(0)], otherwise={"executed": most + 1})
    assert found.seen.startswith(f"warps execute {most + 1:,} instructions") and found.wanted == f"at most {most:,}"


def test_ways_that_nobody_has_counted_are_refused_by_name():
    assert "shared memory of other blocks" in by_kernels(otherwise={"cluster_accesses": 32}).seen
    assert by_kernels(otherwise={"cluster_barriers": 2}).seen == "blocks of a cluster wait for one another at 2 barriers"
    assert (
        by_kernels(otherwise={"sleeps": 1}).seen
        == "warps wait 1 times: they sleep, give up a barrier, or use too many fences, prefetches, readings of the clock, or loads that acquire or are volatile"
    )
    assert by_kernels() is None
    for room, is_left in {(1, 1): True, (1, 2): False, (2, 6): True, (2, 7): False}.items():
        found = by_kernels(otherwise={"room": dict(zip(("blocks", "without_shared"), room))})
        assert not found if is_left else found.seen == "shared memory leaves room for {} of {} blocks on a multiprocessor".format(*room)
    for resources, seen in {
        "blocks": "leave room for 21 of 64 blocks",
        "spilled_load_bytes": "has too few registers, and stores and loads 21 bytes a thread",
    }.items():
        assert seen in by_kernels(kernels=[{**kernel(0), "resources": {**RESOURCES, resources: 21}}]).seen
    by_shared_memory = {**RESOURCES, "blocks": 21, "limited_by": ["shared memory"]}
    assert by_kernels(kernels=[{**kernel(0), "resources": by_shared_memory}]) is None
    assert by_kernels(kernels=[{**kernel(0), "resources": None}]).seen == "the compiler has made no kernel turn"
    assert by_kernels(allocations=17).seen == "it allocates device memory 17 times"
    assert by_kernels(otherwise={"idle_blocks": 4225}).seen == "4,225 blocks are launched and access no memory"


def test_a_launch_that_is_not_exact_is_refused_with_its_line():
    waits = {**kernel(0), "exact": False, "fused": [{"file": "a.cu", "line": 5, "ptx": "", "sass": "", "why": "threads look here"}]}
    refused = by_kernels(kernels=[kernel(0), waits])
    assert refused.seen == "kernel turn makes accesses that cannot be counted: threads look here"
    assert [place.line for place in refused.lines] == [5]
    assert by_kernels(kernels=[{**kernel(0), "exact": False, "stopped": True, "fused": []}]) is None


def test_printf_has_no_price():
    stored = {"requests": 2, "sectors": 3, "ideal_sectors": 3, "bytes": 16}
    lines = [
        {"file": f"/tmp/{file}", "line": line, "space": "local", "op": "store", **stored}
        for file, line in (("a.cu", 5), ("a.cu", 6), ("b.cu", 5))
    ]
    run = made_run([{**kernel(0), "local_store": {name: 3 * count for name, count in stored.items()}, "lines": lines}])
    assert counting_checks.names_of(printing.without_printing(run, "a.cu", {5}))["local_store"]["sectors"] == 6
    assert printing.without_printing(run, "a.cu", set()) is run


def test_constant_memory_holds_no_data():
    assert by_kernels(kernels=[{**kernel(0), "constant_load": {"words": 4097}}]) is None
    assert "constant memory" in by_kernels(kernels=[{**kernel(0), "constant_load": {"words": 4098}}]).seen
