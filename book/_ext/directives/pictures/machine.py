"""``machine-map`` (the parts of a GPU, with their sizes and speeds), ``machine-part`` (a small copy of it, with parts marked),
``warp-map`` (which warp and lane a thread of a block is) and ``access-strips`` (the sectors or wavefronts of a warp's words).
"""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from conflict_free.evidence.banks import bank_of
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number
from conflict_free.evidence.names import CEILING_SLUG, SECTOR_BYTES, SPECIMENS, ResultError
from conflict_free.evidence.sentences import plural

from ..filled_late import fill_late
from ..project import EvidenceDirective, picture, pictured, render, shown
from .banks import NARROW_BANKS
from .rounds import FILLS

#: The parts of a multiprocessor of compute capability 9.0, by the CUDA C++ Programming Guide.
SCHEDULERS, THREADS, REGISTER_KIB, L1_KIB, SHARED_KIB, BLOCK_SHARED_KIB, BANKS, BANK_BYTES = 4, 2048, 256, 256, 228, 227, 32, 4

#: The page of the whole map.
MAP_PAGE = "machine"

#: The sources of the speeds: a copy from DRAM, a copy within the L2, the cycles of a load without conflicts.
DRAM_SPEED, L2_SPEED = "copy.cudaMemcpy.16384.gbps", "copy.cudaMemcpy.2048.warm_gbps"
SHARED_CYCLES = "errata.slower_by_ways.full_cycles_1"

#: The cycles from one load to the next that needs its data, by part.
LATENCIES = {part: f"errata.loads_in_a_row.{part}_cycles" for part in ("shared", "l1", "l2", "dram")}

#: The parts, as the map and its small copies name them: those of a multiprocessor, and those that all of them share.
OWN_PARTS = {"registers": "Registers", "shared": "Shared memory", "l1": "L1"}
COMMON_PARTS = {"l2": "L2", "dram": "DRAM"}

WARP = 32

#: Units of a warp-map: a cell, and the space above for the name.
CELL, HEAD = 17, 4

#: Units of an access-strip: a word, a row of words, and the room for the numbers of words before it and of banks above it.
WORD, ROW, LEFT, ABOVE = 24, 19, 36, 17

#: Rows of an access-strip that are drawn.
MOST_ROWS = {"sectors": 8, "banks": 4}


def machine(evidence: Evidence) -> dict[str, Any]:
    """Return the templates' data on the book's machine: sizes, speeds, and their provenance. Raises ResultError."""
    provenance = evidence.some_result(CEILING_SLUG)["provenance"]
    cycles = evidence.value(SHARED_CYCLES)
    multiprocessors = provenance["multiprocessors"]
    # The clock during the measured cycles; another run's clock may be that of an idle GPU.
    clock = evidence.some_result(SPECIMENS)["provenance"]["clocks_after"]["sm_mhz"]
    shared = multiprocessors * BANKS * BANK_BYTES * clock / float(cycles.number) / 1e3
    dram, l2 = evidence.value(DRAM_SPEED), evidence.value(L2_SPEED)
    return {
        "gpu": provenance["gpu"],
        "multiprocessors": multiprocessors,
        "threads": f"{THREADS:,}",
        "warps": THREADS // WARP,
        "schedulers": SCHEDULERS,
        "register_kib": REGISTER_KIB,
        "l1_kib": L1_KIB,
        "shared_kib": SHARED_KIB,
        "block_shared_kib": BLOCK_SHARED_KIB,
        "banks": BANKS,
        "l2_mb": format_number(provenance["l2_bytes"] / 1e6, ".0f"),
        "memory_gb": format_number(provenance["memory_bytes"] / 1e9, ".0f"),
        "shared_gbps": format_number(round(shared, -2)),
        "l2_gbps": l2.text(),
        "dram_gbps": dram.text(),
        "latency": {part: evidence.value(key).text(".0f") for part, key in LATENCIES.items()},
        "provenance": f"{dram.provenance}; {l2.provenance}; {cycles.provenance}, at {clock} MHz",
    }


class MachineMap(EvidenceDirective, directive="machine-map"):
    """``.. machine-map::``: the book's machine as boxes: multiprocessors, L2 and memory. Sizes are those of the result files.

    The speed of the memory is that of ``cudaMemcpy``, that of the L2 (a lower bound) of a copy whose matrices lie in it, and that of shared memory the
    bytes of all banks, over the measured cycles of a load without conflicts. The latencies are those of one thread that walks from load to load.
    """

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        found = machine(evidence)
        latency = found["latency"]
        said = (
            f"{found['gpu']}: {found['multiprocessors']} multiprocessors, each with {SCHEDULERS} schedulers, {REGISTER_KIB} KiB of registers, and "
            f"{L1_KIB} KiB that L1 and shared memory share; an L2 of {found['l2_mb']} MB; {found['memory_gb']} GB of DRAM. Shared memory delivers "
            f"{found['shared_gbps']} GB/s in all multiprocessors together, the L2 at least {found['l2_gbps']}, DRAM {found['dram_gbps']}. "
            f"A load waits {latency['shared']} cycles for shared memory, {latency['l1']} for the L1, {latency['l2']} for the L2, {latency['dram']} for DRAM."
        )
        return pictured("machine_map.html", said, names=OWN_PARTS | COMMON_PARTS, **found)


class MachinePart(EvidenceDirective, directive="machine-part"):
    """``.. machine-part:: PART …``: the map of the machine in one line, a link to it, with the parts marked that the page is about.

    Parts are ``registers``, ``shared``, ``l1``, ``l2`` and ``dram``.
    """

    required_arguments = 1
    final_argument_whitespace = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        names = OWN_PARTS | COMMON_PARTS
        marked = self.arguments[0].split()
        for part in marked:
            if part not in names:
                raise ResultError(f"{part!r} is not a part of the machine; accepted: {', '.join(names)}")
        found = machine(evidence)
        size = {
            "registers": f"{found['register_kib']} KiB",
            "l1": f"{found['l1_kib']} KiB with shared memory",
            "shared": f"at most {found['block_shared_kib']} KiB a block",
            "l2": f"{found['l2_mb']} MB",
            "dram": f"{found['memory_gb']} GB",
        }

        def drawn(parts: dict[str, str]) -> list[dict[str, Any]]:
            return [{"part": part, "name": name, "size": size[part], "here": part in marked} for part, name in parts.items()]

        said = "The part of the machine that this page is about: " + ", ".join(names[part] for part in marked) + "."
        node = machine_part(own=drawn(OWN_PARTS), common=drawn(COMMON_PARTS), description=said)
        self.set_source_info(node)
        return [node]


def _fill(app: Sphinx, node: "machine_part", docname: str) -> list[nodes.Node]:
    """Return the HTML of a small copy, which links to the map."""
    uri = app.builder.get_relative_uri(docname, MAP_PAGE)
    return [shown("machine_part.html", uri=uri, own=node["own"], common=node["common"], description=node["description"])]


class machine_part(nodes.General, nodes.Element):
    """A small copy of the map, filled in when the page is written: ``own`` and ``common`` parts, and a ``description``."""


def block_of(width: int, height: int) -> dict[str, Any]:
    """Return the template's data for a block: a cell for each thread, with its warp and lane."""
    cells = []
    for number in range(width * height):
        warp, lane = divmod(number, WARP)
        cells.append({"x": number % width * CELL, "y": HEAD + number // width * CELL, "lane": lane, "fill": FILLS[warp], "warp": warp})
    return {"width": width, "height": height, "cells": cells, "warps": -(-width * height // WARP)}


class WarpMap(EvidenceDirective, directive="warp-map"):
    """``.. warp-map:: WxH …``: blocks of threads, side by side, each thread with its lane, in the color of its warp."""

    required_arguments = 1
    final_argument_whitespace = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        blocks = []
        for text in self.arguments[0].split():
            width, times, height = text.partition("x")
            if not (times and width.isdecimal() and height.isdecimal() and 0 < int(width) * int(height) <= WARP * len(FILLS)):
                raise ResultError(f"{text!r} is not a block; accepted: WxH with at most {WARP * len(FILLS)} threads")
            blocks.append(block_of(int(width), int(height)))
        said = " ".join(
            f"A block of {one['width']} × {one['height']} threads has {one['warps']} warps; a warp is "
            + (
                f"{WARP // one['width']} rows of it."
                if one["width"] < WARP
                else f"{WARP / one['width']:g} of a row."
                if one["width"] > WARP
                else "a row of it."
            )
            for one in blocks
        )
        return pictured("warp_map.html", said, blocks=blocks, cell=CELL, head=HEAD)


def strip_of(kind: str, stride: int) -> dict[str, Any]:
    """Return the template's data for a warp whose lanes access words that are ``stride`` apart: in ``sectors`` or in ``banks``."""
    words = [stride * lane for lane in range(WARP)]
    if kind == "sectors":
        parts = [word * BANK_BYTES // SECTOR_BYTES for word in words]
        found = sorted(set(parts))
        cost = f"{plural(len(found), 'sector')}: {len(found) * SECTOR_BYTES} bytes move, and {WARP * BANK_BYTES} are asked for"
    else:
        # The words of a bank take one wavefront each, in the order of the lanes.
        parts = [sum(bank_of(word, BANKS) == bank_of(before, BANKS) for before in words[:lane]) for lane, word in enumerate(words)]
        found = sorted(set(parts))
        used = len({bank_of(word, BANKS) for word in words})
        cost = f"{plural(len(found), 'wavefront')}, {plural(len(found), 'word')} in {'one bank' if used == 1 else f'each of {used} banks'}"
    if (rows := words[-1] // BANKS + 1) > MOST_ROWS[kind]:
        cost += f" (the first {MOST_ROWS[kind]} of {rows} rows are drawn)"
    return {
        "label": "Lane i asks for word " + ("i" if stride == 1 else f"{stride}i"),
        "cost": cost,
        "excess": len(found) > (WARP * BANK_BYTES // SECTOR_BYTES if kind == "sectors" else 1),
        "pages": [(name, drawn_strip(kind, words, parts, across)) for name, across in (("wide", BANKS), ("narrow", NARROW_BANKS))],
    }


def drawn_strip(kind: str, words: list[int], parts: list[int], across: int) -> dict[str, Any]:
    """Return the places of all parts of a strip with ``across`` words side by side. On a phone, half of the banks stand below the others."""
    lanes = {word: lane for lane, word in enumerate(words)}
    each, rows = SECTOR_BYTES // BANK_BYTES, min(words[-1] // BANKS + 1, MOST_ROWS[kind])
    cells, labels, banks, frames, above = [], [], [], [], ABOVE if kind == "banks" else 0
    for word in range(rows * BANKS):
        row, column = divmod(word, BANKS)
        block, at = divmod(column, across)
        below = block * rows + row if kind == "banks" else row * (BANKS // across) + block
        x, y = LEFT + at * WORD, below * ROW + (block + 1) * above
        if at == 0:
            labels.append({"y": y, "word": word})
        if kind == "banks" and row == 0:
            banks.append({"x": x + WORD / 2, "y": y - 4, "bank": column})
        lane = lanes.get(word)
        # A sector moves whole; of a bank only the word moves that a lane asks for.
        part = word // each if kind == "sectors" else None if lane is None else parts[lane]
        if kind == "sectors" and part in parts and word % each == 0:
            frames.append({"x": x, "y": y, "width": each * WORD})
        cells.append({"x": x, "y": y, "lane": lane, "color": part % len(FILLS) if part in parts else None})
    height = max(cell["y"] for cell in cells) + ROW
    return {
        "cells": cells,
        "frames": frames,
        "labels": labels,
        "banks": banks,
        "fills": FILLS,
        "width": LEFT + WORD * across,
        "height": height,
    }


class AccessStrips(EvidenceDirective, directive="access-strips"):
    """``.. access-strips:: sectors|banks``: words of memory, the lanes that access them, and the sectors or wavefronts that they take.

    ``:strides: N …`` are the words from lane to lane, a strip each. A drawing by the rules of the machine, without a run.
    """

    required_arguments = 1
    option_spec = {"strides": directives.positive_int_list}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        kind = self.arguments[0]
        if kind not in ("sectors", "banks"):
            raise ResultError(f"{kind!r} is not a way that memory is divided; accepted: sectors, banks")
        strips = [strip_of(kind, stride) for stride in self.options.get("strides", [1])]
        said = " ".join(f"{one['label']}: {one['cost']}." for one in strips)
        html = render("access_strips.html", kind=kind, strips=strips, word=WORD, row=ROW, left=LEFT)
        return picture(html, said)


def setup(app: Sphinx) -> None:
    """Register the node."""
    fill_late(app, machine_part, lambda env: {}, _fill)
