"""The first sentence of a launch's report: what to change next, by what limits the launch. Standard library only."""

from collections.abc import Callable, Container, Mapping
from typing import Any

from conflict_free.counts import GROUPS, MEASURES

from .bound import NAMES, Bound, bound_of, multiprocessors
from .launches import place_text
from .mending import all_mended, all_to_mend, times_loaded, times_stored

# Accesses are the next step if the bound falls by at least this share with all accesses at their best.
_WORTH = 0.05
# A sector that is moved at least this often on average counts as moved again.
_AGAIN = 2.0
# Lanes that exchange words through shared memory load each stored word at most this often.
_IN_EXCHANGES = 3.0
# If instructions limit a launch, a share of accesses above the first number asks for wider ones, and above the second for fewer ones first.
_FEW_ACCESSES = 0.1
_MANY_ACCESSES = 0.3
# Up to this share of a multiprocessor's warps hides little of the wait for memory.
_FEW_WARPS = 0.25

_MORE_RESULTS = "keep more results of each thread in registers"
_WIDER = "load 16 bytes at once"
_FEWER_BYTES = "smaller elements, or one kernel in place of several that pass these bytes on"


def _sum(kernel: Mapping[str, Any], space: str, key: str, *operations: str) -> int:
    groups = (group for group in GROUPS.values() if group.space == space and (not operations or group.operation in operations))
    return sum(group.of(kernel).get(key, 0) for group in groups)


def _instructions(kernel: Mapping[str, Any], space: str, *operations: str) -> int:
    return _sum(kernel, space, MEASURES[space].number, *operations)


def _of_wavefronts(kernel: Mapping[str, Any]) -> str:
    """Return the step for a launch whose accesses are at their best, and are too many."""
    all_of_them = kernel["work"]["sum"]["wavefronts"]
    if 2 * _instructions(kernel, "local") >= all_of_them:
        return "fewer accesses to local memory: index arrays by constants alone, as in unrolled loops, so that they stay in registers"
    if 2 * (shared := _sum(kernel, "shared", "ideal_wavefronts")) >= all_of_them:
        if 2 * _sum(kernel, "shared", "ideal_wavefronts", "atomic") >= shared:
            return "fewer atomic operations on shared memory: collect values in registers first, or combine those of a warp by shuffles"
        loads, stores = (_instructions(kernel, "shared", operation) for operation in ("load", "store"))
        if loads <= _IN_EXCHANGES * stores:
            return "fewer accesses to shared memory: let the lanes of a warp exchange values by shuffles"
        arithmetic = kernel["work"]["sum"]["instructions"] - _instructions(kernel, "shared") - _instructions(kernel, "global")
        each = f", {_instructions(kernel, 'shared') / arithmetic:.2f} for each instruction of arithmetic" if arithmetic > 0 else ""
        return f"fewer accesses to shared memory{each}: {_MORE_RESULTS}, and {_WIDER}"
    if (times := times_loaded(kernel)) > _AGAIN:
        return f"fewer loads of the same data, each sector {times:,.0f} times: keep it in shared memory or in registers"
    return "fewer or wider accesses to global memory: load or store 16 bytes at once"


def _of_instructions(kernel: Mapping[str, Any]) -> str:
    """Return the step for a launch that issues as many instructions as it can: what most of them are."""
    accesses = (_instructions(kernel, "shared") + _instructions(kernel, "global")) / kernel["work"]["sum"]["instructions"]
    if accesses > _MANY_ACCESSES:
        return f"fewer instructions, {100 * accesses:.0f} % of them accesses: {_MORE_RESULTS}, and {_WIDER}"
    if accesses > _FEW_ACCESSES:
        return f"fewer instructions, {100 * accesses:.0f} % of them accesses: {_WIDER}, and {_MORE_RESULTS}"
    arithmetic = f"{100 * (1 - accesses):.0f} % of the instructions are arithmetic"
    resources = kernel.get("resources")
    has_tiles = kernel.get("barriers") and _instructions(kernel, "global", "load") and _instructions(kernel, "shared", "store")
    if resources and has_tiles and resources["warps"] <= _FEW_WARPS * resources["most_warps"]:
        few = f"{resources['warps']} of {resources['most_warps']} warps hide little of the wait for memory"
        return f"load the next tile during the arithmetic on this one (double buffering), if the kernel does not: {arithmetic}, and {few}"
    return f"fewer instructions: {arithmetic}; for products of matrices, tensor cores take fewer"


def _of_constants(kernel: Mapping[str, Any]) -> str:
    loads = [line for line in kernel["lines"] if line["space"] == "constant"]
    most = max(loads, key=lambda line: line["words"], default=None)
    place = f" at {place_text(most, ())}" if most else ""
    return (
        f"fewer different words in a load of constant memory{place}, whose lanes take turns: let all lanes read one word, or keep the table in "
        "shared memory"
    )


def _of_loads_in_a_row(work: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda kernel: (
        f"a shorter chain than that of {kernel['work']['most'][work]:,} loads, each of which waits for the address that the one before finds: "
        "divide it among more threads, or put what it visits next to each other"
    )


def _of_stores(kernel: Mapping[str, Any]) -> str:
    if (times := times_stored(kernel)) > _AGAIN:
        return f"fewer stores to the same data, each sector {times:,.0f} times: keep it in registers or in shared memory until it is final"
    return f"fewer bytes stored: {_FEWER_BYTES}"


_STEPS = {
    "wavefronts": _of_wavefronts,
    "instructions": _of_instructions,
    "double_precision": "less double precision: its pipe takes two instructions a cycle, half as many as that of single precision",
    "special_functions": "fewer special functions: their pipe takes one instruction in two cycles",
    "tensor_cores": "fewer products, or of smaller elements: a multiprocessor's tensor cores multiply 2,048 pairs of 16 bits in a cycle",
    "constant_words": _of_constants,
    "barriers": "fewer barriers, which come one after another: let the lanes of a warp exchange values by shuffles, and give each thread more work between two",
    "loads_in_a_row": _of_loads_in_a_row("loads_in_a_row"),
    "shared_loads_in_a_row": _of_loads_in_a_row("shared_loads_in_a_row"),
    "multiprocessor_stores": "fewer bytes stored, or more even blocks: the busiest multiprocessor stores a sector a cycle",
    "l2_stores": _of_stores,
    "l2_input": "fewer stores that write a part of a sector: the way into the L2 takes another cycle for each",
    "l2_loads": f"fewer distinct bytes loaded: {_FEWER_BYTES}",
    "dram": f"fewer distinct bytes: {_FEWER_BYTES}",
}


def _step_of(kernel: Mapping[str, Any], bound: Bound) -> str:
    found = _STEPS[bound.limited_by]
    return found if isinstance(found, str) else found(kernel)


def next_step(kernel: Mapping[str, Any], machine: str, own: Container[str] = ()) -> str:
    """Return a few sentences on how a launch's bound becomes smaller; empty where no bound is known.

    The access that costs most comes first if the bound would be clearly smaller without any excess. Then follows the resource that limits the
    launch, with a step unless that resource only moves bytes.
    """
    bound = bound_of(kernel, machine)
    if not bound or not bound.cycles:
        return ""
    text = f"Limited by {NAMES[bound.limited_by]}. Next: "
    mended = all_mended(kernel, own)
    after = bound_of(mended, machine)
    if after and after.cycles_at_least <= (1 - _WORTH) * bound.cycles_at_least:
        first = next(each for each in all_to_mend(kernel, machine, own) if each.cycles is not None)
        text += f"{first.access} {'at ' if first.location['line'] else ''}{first.place}: {first.pattern}."
        if after.cycles:
            step = "" if after.depends_on_clock else f": {_step_of(mended, after)}"
            text += f" With every access at its best, it is limited by {NAMES[after.limited_by]}{step}."
    else:
        text += f"{_step_of(kernel, bound)}."
    if kernel["blocks"] < multiprocessors():
        text += f" Blocks for {kernel['blocks']} of {multiprocessors()} multiprocessors: the others have nothing to do."
    return text
