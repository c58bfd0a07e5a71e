"""Checks that kernels have done the work: they load every input, they write every output last, and all lanes take part."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .assignment import Assignment
from .counting_checks import Submitted, names_of
from .expressions import value_of
from .finding import Finding
from .refusals import BYTES_A_CONSTANT_WORD, MOST_ALLOCATIONS, MOST_CONSTANT_WORDS, MOST_IDLE_BLOCKS, MOST_KEPT_OUT
from .running import Run

#: Of a warp.
_LANES = 32


def complaint(run: Run, assignment: Assignment, source: Submitted) -> Finding | None:
    """Return the first part of the work that kernels have not done themselves, or None."""
    return next(_complaints(run, assignment, source), None)


def _complaints(run: Run, assignment: Assignment, source: Submitted) -> Iterator[Finding]:
    buffers = run.calls["data"]["buffers"]
    for name in run.case.inputs:
        yield from _not_loaded(name, buffers.get(name, {}), run, assignment)
    for name in run.case.expected:
        yield from _not_stored(name, buffers.get(name, {}), assignment)
    yield from _by_other_ways(run, buffers)
    yield from _not_exact(run, source)
    yield from _by_few_lanes(run, assignment)


def _by_other_ways(run: Run, buffers: Mapping[str, Mapping[str, int]]) -> Iterator[Finding]:
    """Yield the uses of memory, and of blocks, whose costs no threshold counts."""
    data = run.calls["data"]
    if data["cluster_accesses"]:
        yield Finding(
            False,
            f"kernels access shared memory of other blocks, or by st.async or red.async, {data['cluster_accesses']:,} times",
            "none",
            "Use the block's own shared memory with ordinary loads and stores: the others' costs are not counted.",
        )
    if data["cluster_barriers"]:
        yield Finding(
            False,
            f"blocks of a cluster wait for one another at {data['cluster_barriers']:,} barriers",
            "none",
            "Let each block work without the others: __syncthreads() is the barrier of a block.",
        )
    if data["sleeps"]:
        yield Finding(
            False,
            f"warps wait {data['sleeps']:,} times: they sleep, give up a barrier, or use too many fences, prefetches, readings of the clock, or loads that acquire or are volatile",
            "none",
            "Take out what waits for a time: barriers wait for threads, and order their accesses.",
        )
    blocks, without_shared = data["room"]["blocks"], data["room"]["without_shared"]
    if blocks * MOST_KEPT_OUT < without_shared or blocks == 1 < without_shared:
        yield Finding(
            False,
            f"shared memory leaves room for {blocks:,} of {without_shared:,} blocks on a multiprocessor",
            f"at least two, and one in {MOST_KEPT_OUT}",
            "Take no more shared memory than the data of a block need: while a block waits for memory, others go on.",
        )
    for kernel in run.report["kernels"]:
        yield from _registers(kernel["name"], math.prod(kernel["block"]), kernel.get("resources"))
    if (allocations := run.calls["allocations"]["calls"]) > MOST_ALLOCATIONS:
        yield Finding(
            False,
            f"it allocates device memory {allocations:,} times",
            f"at most {MOST_ALLOCATIONS}",
            "Allocate what you need once: the GPU waits for each allocation and release.",
        )
    kernels = run.report["kernels"]
    words = sum(kernel.get("constant_load", {}).get("words", 0) for kernel in kernels)
    most = MOST_CONSTANT_WORDS + sum(sums["bytes"] for sums in buffers.values()) // BYTES_A_CONSTANT_WORD
    if words > most:
        yield Finding(
            False,
            f"kernels read {words:,} words of constant memory",
            f"at most {most:,}",
            "Read the data from global memory: constant memory is for what all threads share.",
        )
    if data["idle_blocks"] > MOST_IDLE_BLOCKS:
        yield Finding(
            False,
            f"{data['idle_blocks']:,} blocks are launched and access no memory",
            f"at most {MOST_IDLE_BLOCKS:,}",
            "Divide the size by what one block does, and round up: a block that finds nothing to do takes time all the same.",
        )
    requests = sum(kernel.get(f"texture_{op}", {}).get("requests", 0) for kernel in kernels for op in ("load", "store"))
    if requests:
        yield Finding(
            False,
            f"kernels make {requests:,} requests for textures or surfaces",
            "none",
            "Load and store through pointers: the task is about the addresses of the lanes.",
        )


def _registers(kernel: str, threads: int, resources: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Yield what is wrong with the registers of a kernel's machine code, in blocks of so many threads."""
    if not resources:
        yield Finding(
            False,
            f"the compiler has made no kernel {kernel}",
            "kernels of this file",
            "Launch kernels by <<<grid, block>>>: what a program loads while it runs is not counted.",
        )
        return
    if spilled := resources["spilled_store_bytes"] + resources["spilled_load_bytes"]:
        yield Finding(
            False,
            f"kernel {kernel} has too few registers, and stores and loads {spilled:,} bytes a thread in their place",
            "none",
            "Leave the number of registers to the compiler, or keep fewer values at a time: others go through local memory.",
        )
        return
    most = resources["most_warps"] // math.ceil(threads / _LANES)
    if "registers" in resources["limited_by"] and resources["blocks"] * MOST_KEPT_OUT < most:
        yield Finding(
            False,
            f"the {resources['registers']} registers a thread of kernel {kernel} leave room for {resources['blocks']} of {most} blocks on a "
            "multiprocessor",
            f"one in {MOST_KEPT_OUT}",
            "Keep fewer values at a time: while a warp waits for memory, others go on.",
        )


def _not_exact(run: Run, source: Submitted) -> Iterator[Finding]:
    """Yield the launches whose accesses on a GPU differ from the counted ones."""
    for kernel in run.report["kernels"]:
        # A stopped launch is inexact for that reason alone, and another check names the reason for the stop.
        if not kernel["exact"] and not kernel.get("stopped"):
            note = kernel["fused"][-1]
            yield Finding(
                False,
                f"kernel {kernel['name']} makes accesses that cannot be counted: {note['why']}",
                "kernels whose accesses are the same on every GPU",
                "Let no thread wait for another one in a loop: use a barrier or a second launch, or let the block that is done last go on.",
                source.places([note]),
            )


_MORE_BLOCKS = "Let more blocks share the work: each block stays on one multiprocessor, and the others wait for it."
#: The messages about the limits of `few_lanes`, and their help.
FEW_LANES = {
    "atomics": (
        "warps make {:,} atomic operations",
        "Use ordinary loads and stores, and an atomic operation where several threads change one number.",
    ),
    "accesses": (
        "warps access memory {:,} times (in shared memory, once for each wavefront without conflicts)",
        "Let all lanes of a warp take part in each access: one lane after another is no way round a conflict.",
    ),
    "shared_accesses": (
        "warps access shared memory {:,} times (once for each wavefront without conflicts)",
        "Let all lanes of a warp take part in each access: one lane after another is no way round a conflict.",
    ),
    "read_accesses": (
        "warps load from global memory {:,} times",
        "Let all lanes of a warp take part in each load: a load of fewer lanes takes as long.",
    ),
    "busiest_accesses": (
        "the warps of the busiest multiprocessor access memory {:,} times (in shared memory, once for each wavefront without conflicts)",
        "Let more blocks share the work: a GPU spreads blocks over its multiprocessors, and each block stays on one.",
    ),
    "narrow": (
        "a block accesses shared memory {:,} times with at most half of a warp",
        "Let all lanes of a warp take part in each access: one half after the other is no way round a conflict.",
    ),
    "narrow_stores": (
        "a block stores to shared memory {:,} times with at most half of a warp",
        "Let all lanes of a warp take part in each store: one part after the other is no way round a conflict.",
    ),
    "narrow_global": (
        "warps access global memory {:,} times with at most half of their lanes",
        "Let all lanes of a warp take part in each access: one part after the other takes as many times as long.",
    ),
    "slots": (
        "while warps wait for the busiest one of their block at each barrier, they have time to access memory {:,} times in all",
        "Let all warps of a block work between two barriers: one after another, they take as many times as long.",
    ),
    "global_slots": (
        "while warps wait for the busiest one of their block at each barrier, they have time to access global memory {:,} times with most of their lanes",
        "Let all warps of a block work between two barriers: one after another, they take as many times as long.",
    ),
    "loaded": ("a block loads {:,} bytes of the data", _MORE_BLOCKS),
    "stored": ("a block writes {:,} bytes to global memory", _MORE_BLOCKS),
    "launches": (
        "it launches kernels {:,} times",
        "Let one launch do the work of many: launches come one after another, and a grid has as many blocks as the data need.",
    ),
    "instructions": (
        "warps execute {:,} instructions (the call of a printf by a thread is a hundred)",
        "Take out what the result does not need, and index arithmetic of inner loops: instructions take time beside the accesses to memory.",
    ),
}


def few_lanes(names: Mapping[str, Any], assignment: Assignment) -> Iterator[tuple[str, int, float]]:
    """Yield the name of each limit on operations of warps and on launches, their number in a run with these ``names``, and the limit."""
    made = {
        "instructions": names["executed"],
        "atomics": names["global_atomic"]["requests"] + names["shared_atomic"]["instructions"],
        "accesses": names["traffic"]["requests"] + names["shared"]["ideal_wavefronts"],
        "shared_accesses": names["shared"]["ideal_wavefronts"],
        "read_accesses": names["reads"]["requests"],
        "busiest_accesses": names["busiest"]["accesses"],
        "narrow_global": names["narrow_global"],
        "launches": names["launches"],
        **{name: names["block"][name] for name in ("narrow", "narrow_stores", "loaded", "stored")},
        "slots": names["slots"],
        "global_slots": names["global_slots"],
    }
    for name, number in made.items():
        if (limit := getattr(assignment.kernels, name)) is not None:
            yield name, number, value_of(limit, names, f"kernels.{name}")


def closest(runs: Sequence[Run], assignment: Assignment) -> str:
    """Return the words about the limit to which the runs come closest, and in which case."""
    found = [
        (made / most, FEW_LANES[name][0].format(made), math.floor(most), run.case.name)
        for run in runs
        for name, made, most in few_lanes(names_of(run), assignment)
        if made
    ]
    return "; {1}, at most {2:,} (case {3})".format(*max(found)) if found else ""


def _by_few_lanes(run: Run, assignment: Assignment) -> Iterator[Finding]:
    for name, made, most in few_lanes(names_of(run), assignment):
        if made > most:
            seen, help_ = FEW_LANES[name]
            yield Finding(False, seen.format(made), f"at most {math.floor(most):,}", help_)


def _not_loaded(name: str, sums: Mapping[str, Any], run: Run, assignment: Assignment) -> Iterator[Finding]:
    all_of_it = run.case.inputs[name].nbytes
    wanted = (
        value_of(assignment.kernels.loads[name], run.case.parameters, f"kernels.loads.{name}")
        if name in assignment.kernels.loads
        else all_of_it
    )
    loaded = sums.get("loaded", 0)
    if loaded < wanted:
        yield Finding(
            False,
            f"kernels load {loaded:,} bytes of {name}",
            f"all {wanted:,}",
            f"Let a kernel load every element of {name}, with ordinary loads, and compute with what it has loaded.",
        )


def _not_stored(name: str, sums: Mapping[str, Any], assignment: Assignment) -> Iterator[Finding]:
    all_of_it, by_kernels, by_sets, by_copies = (sums.get(key, 0) for key in ("bytes", "stored", "filled", "copied"))
    # cudaMemset may write within its limit, for example the zeros that kernels add to.
    allowed = by_sets if by_sets <= assignment.movement.bytes_set else 0
    if by_kernels + allowed < all_of_it:
        others = f", {by_copies:,} by copies" if by_copies else f", {by_sets:,} by cudaMemset" if by_sets else ""
        yield Finding(
            False,
            f"of {all_of_it:,} bytes of {name}, {by_kernels:,} are written last by kernels{others}",
            f"all {all_of_it:,} by kernels",
            f"Let a kernel store every element of {name}.",
        )
