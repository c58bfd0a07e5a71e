# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The first sentence of a launch's report: what to change next, by what limits the launch. Standard library only."""

from collections.abc import Callable, Container, Mapping
from typing import Any

from conflict_free.counts import GROUPS, MEASURES

from .bound import NAMES, bound_of, multiprocessors
from .mending import what_to_mend

# Of a launch that is limited by wavefronts: how often it may load a sector without a hint to keep the sector.
_FEW_TIMES = 2.0
# Of a launch that is limited by instructions: the part that may be accesses without a hint to make them wider.
_FEW_ACCESSES = 0.1


def _instructions(kernel: Mapping[str, Any], space: str) -> int:
    return sum(group.of(kernel).get(MEASURES[space].number, 0) for group in GROUPS.values() if group.space == space)


def _of_wavefronts(kernel: Mapping[str, Any]) -> str:
    """Return the sentence on a launch whose accesses are at their best, and are too many."""
    shared = sum(group.of(kernel).get("wavefronts", 0) for group in GROUPS.values() if group.space == "shared")
    if 2 * shared >= kernel["work"]["sum"]["wavefronts"]:
        arithmetic = kernel["work"]["sum"]["instructions"] - _instructions(kernel, "shared") - _instructions(kernel, "global")
        each = f", {_instructions(kernel, 'shared') / arithmetic:.2f} for each instruction of arithmetic" if arithmetic > 0 else ""
        return f"fewer accesses to shared memory{each}: keep more results of each thread in registers, and load 16 bytes at once"
    loads, distinct = kernel.get("global_load", {}).get("sectors", 0), kernel["work"]["loaded_sectors"]
    if distinct and loads / distinct > _FEW_TIMES:
        return f"fewer loads of the same data, each sector {loads / distinct:.0f} times: keep it in shared memory or in registers"
    return "fewer or wider accesses to global memory: load 16 bytes at once"


def _of_instructions(kernel: Mapping[str, Any]) -> str:
    """Return the sentence on a launch that issues as many instructions as it can: what most of them are."""
    accesses = (_instructions(kernel, "shared") + _instructions(kernel, "global")) / kernel["work"]["sum"]["instructions"]
    if accesses > _FEW_ACCESSES:
        return f"fewer instructions, {100 * accesses:.0f} % of them accesses: load 16 bytes at once, and keep more results of each thread in registers"
    return f"fewer instructions, {100 * (1 - accesses):.0f} % of them arithmetic: for products of matrices, tensor cores take fewer"


def _of_loads_in_a_row(work: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda kernel: (
        f"a shorter chain than that of {kernel['work']['most'][work]:,} loads, each of which waits for the address that the one before finds: "
        "divide it among more threads, or put what it visits next to each other"
    )


_STEPS = {
    "wavefronts": _of_wavefronts,
    "instructions": _of_instructions,
    "double_precision": "less double precision: its pipe takes two instructions a cycle",
    "special_functions": "fewer special functions: their pipe takes one instruction in two cycles",
    "tensor_cores": "fewer products, or of smaller elements: a multiprocessor's tensor cores multiply 2,048 pairs of 16 bits in a cycle",
    "barriers": "fewer barriers: they come one after another",
    "loads_in_a_row": _of_loads_in_a_row("loads_in_a_row"),
    "shared_loads_in_a_row": _of_loads_in_a_row("shared_loads_in_a_row"),
    "multiprocessor_stores": "fewer bytes stored, or more even blocks: the busiest multiprocessor stores a sector a cycle",
    "l2_stores": "fewer bytes stored",
    "l2_input": "fewer stores that write a part of a sector: the way into the L2 takes another cycle for each",
    "l2_loads": "fewer distinct bytes loaded",
    "dram": "fewer distinct bytes",
}


def next_step(kernel: Mapping[str, Any], machine: str, own: Container[str] = ()) -> str:
    """Return a sentence or two on how a launch's bound becomes smaller; empty where no bound is known.

    An access that costs more than it must comes first if the bound would be smaller without its excess.
    """
    bound = bound_of(kernel, machine)
    if not bound or not bound.cycles:
        return ""
    first = next(iter(what_to_mend(kernel, machine, own)), None)
    if first and first.cycles:
        step = f"{first.place}, {first.access}: {first.pattern}"
    else:
        found = _STEPS[bound.limited_by]
        step = found if isinstance(found, str) else found(kernel)
    text = f"Limited by {NAMES[bound.limited_by]}. Next: {step}."
    if kernel["blocks"] < multiprocessors():
        text += f" Blocks for {kernel['blocks']} of {multiprocessors()} multiprocessors: the others have nothing to do."
    return text
