# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``counted-table`` (what the model counted) and ``measured-table`` (what GPUs took)."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from conflict_free.evidence import parity
from conflict_free.evidence.files import peer_rows
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import access_metric, counted_size, format_number, gbps, is_of_arrays, parse_size, sample, work_rate
from conflict_free.evidence.names import ACCESSES, CEILING, CEILING_SLUG, COUNTED_SIZE, LOCAL, PUBLISHED_CEILING, ResultError
from conflict_free.evidence.values import describe

from ..project import EvidenceDirective, raw_html, render
from ..prose.beside import LOCAL_HINT, gpu_name

#: Sizes of a measured table of matrices: the classic one, and one far larger than any L2.
MEASURED_SIZES = "2048x2048 16384x16384"


def counted_rows(counts: dict[str, Any]) -> list[dict[str, str]]:
    """Return the rows of one kernel: one for each kind of access it makes, then its barriers."""
    rows = []
    for key, words in ACCESSES.items():
        access = counts[key]
        if key.startswith("global"):
            one, many, unit = "requests", "sectors", "sector"
        else:
            one, many, unit = "instructions", "wavefronts", "wavefront"
        if not access[one]:
            continue
        per = access_metric(access, f"{many}_per_{one[:-1]}")
        ideal = access_metric(access, f"ideal_{many}_per_{one[:-1]}")
        excess = access[many] - access[f"ideal_{many}"]
        rows.append(
            {
                "access": words,
                "count": f"{access[one]:,}",
                "one": one if access[one] != 1 else one[:-1],
                "per": format_number(per),
                "ideal": format_number(ideal),
                "unit": unit if per == 1 else many,
                "excess": f"{excess:,}",
                "excess_unit": "conflicts" if key.startswith("shared") else many,
                "wasteful": excess > 0,
            }
        )
    return rows


def confirmed(evidence: Evidence, slug: str, kernel: str, size: str, counts: dict[str, Any]) -> bool:
    """Return whether the counters of the book's GPU say the same as ``counts``.

    False if they were not read, or differ where ``parity_exceptions.json`` says so. Raises ResultError if they differ
    elsewhere.
    """
    result = evidence.result(slug)
    if result is None or kernel in evidence.stale(slug):
        return False
    for row in result["rows"]:
        if row["kernel"] == kernel and row["size"] == size and row["counters"]:
            exceptions = parity_exceptions(evidence)
            wrong = parity.compare(slug, kernel, row["counters"], parity.model_counters(counts), exceptions)
            if wrong:
                raise ResultError(f"{slug}.{kernel}.{size}: {'; '.join(wrong)}")
            return not any((entry.slug, entry.kernel) == (slug, kernel) for entry in exceptions)
    return False


def parity_exceptions(evidence: Evidence) -> list[parity.ParityException]:
    """Return the listed differences between counters and counts."""
    evidence.on_read(evidence.results / parity.EXCEPTIONS)
    return parity.load_exceptions(evidence.results)


class ParityTable(EvidenceDirective):
    """``.. parity-table::``: the model's counts against the counters of the book's GPU, a row a kernel.

    A chapter that the model cannot run has no counts to compare, and no row. Unexplained differences fail the build; explained ones are shown with their reason.
    """

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        exceptions = parity_exceptions(evidence)
        rows = []
        for path in sorted((evidence.results / evidence.machine).glob("*.json")):
            result = evidence.result(path.stem)
            for row in result["rows"]:
                if row["counters"] and evidence.program(path.stem)["rows"]:
                    rows.append(_parity_row(evidence, path.stem, row, exceptions))
        if not rows:
            raise ResultError(f"no counters in {evidence.results / evidence.machine}")
        gpu = result["provenance"]
        return [raw_html(render("parity.html", rows=rows, gpu=gpu, total=len(rows)))]


def _parity_row(evidence: Evidence, slug: str, row: dict[str, Any], exceptions: list[parity.ParityException]) -> dict[str, Any]:
    """Return one row of the parity table: how many of the six counters are equal, and why others are not."""
    counts = evidence.counts_row(slug, row["kernel"], row["size"])["counts"]
    model = parity.model_counters(counts)
    wrong = parity.compare(slug, row["kernel"], row["counters"], model, exceptions)
    if wrong:
        raise ResultError(f"{slug}.{row['kernel']}.{row['size']}: {'; '.join(wrong)}")
    return {
        "kernel": row["kernel"],
        "size": row["size"],
        "equal": sum(row["counters"][name] == model[name] for name in model),
        "of": len(model),
        "events": f"{sum(model.values()):,}",
        "different": [
            {"name": name.replace("_", " "), "gpu": f"{row['counters'][name]:,}", "model": f"{model[name]:,}", "why": entry.why}
            for entry in exceptions
            if (entry.slug, entry.kernel) == (slug, row["kernel"])
            for name in entry.counters
        ],
    }


class CountedTable(EvidenceDirective):
    """``.. counted-table:: SLUG``: what the model counted in this build for each kernel of a chapter.

    The caption says whether the counters of the book's GPU confirm it; if they differ, the build fails.
    ``gt200:SLUG`` shows the counts for another modeled machine.
    ``:kernels:`` chooses and orders kernels; ``:size: WxH`` chooses the size, for all of them.
    """

    required_arguments = 1
    option_spec = {"kernels": directives.unchanged_required, "size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        program = evidence.program(slug)
        names = self.options.get("kernels", "").split() or list(
            dict.fromkeys(row["kernel"] for row in program["rows"] if not row["reference"])
        )
        kernels = []
        for name in names:
            size = parse_size(self.options.get("size") or counted_size(program, name))
            counts = evidence.counts_row(slug, name, size)["counts"]
            kernels.append(
                {
                    "name": name,
                    "size": size,
                    "launches": counts.get("launches", 1),
                    "grid": " × ".join(str(n) for n in _trim(counts["grid"])),
                    "block": " × ".join(str(n) for n in _trim(counts["block"])),
                    "shared": f"{counts['shared_bytes']:,}",
                    "rows": counted_rows(counts),
                    "barriers": f"{counts['barriers']:,}",
                    "confirmed": confirmed(evidence, slug, name, size, counts),
                }
            )
        if not kernels:
            raise ResultError(f"chapter {slug} has no counted kernels")
        result = evidence.result(slug)
        return [
            raw_html(
                render(
                    "counted.html",
                    kernels=kernels,
                    sizes=list(dict.fromkeys(kernel["size"] for kernel in kernels)),
                    machine=program["machine"],
                    confirmed=[kernel["name"] for kernel in kernels if kernel["confirmed"]],
                    gpu=result["provenance"] if result else None,
                )
            )
        ]


class PartitionTable(EvidenceDirective):
    """``.. partition-table:: gt200:SLUG``: how the concurrent blocks of each kernel spread over the partitions of memory.

    ``:kernels:`` chooses and orders kernels; ``:size: WxH`` chooses the size.
    """

    required_arguments = 1
    option_spec = {"kernels": directives.unchanged_required, "size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        size = parse_size(self.options.get("size", COUNTED_SIZE))
        program = evidence.program(slug)
        names = self.options.get("kernels", "").split() or [
            row["kernel"] for row in program["rows"] if not row["reference"] and row["size"] == size
        ]
        kernels = []
        for name in names:
            counts = evidence.counts_row(slug, name, size)["counts"]
            if "partitions" not in counts:
                raise ResultError(f"{slug}.{name}: the model watches no partitions on {program['machine']}")
            kernels.append({"name": name, **partition_row(counts["partitions"])})
        if not kernels:
            raise ResultError(f"{slug} has no kernel counted at {size}")
        first = counts["partitions"]
        machine, count, wide = program["machine"], first["count"], first["bytes"]
        return [raw_html(render("partitions.html", kernels=kernels, size=size, machine=machine, count=count, bytes=wide))]


def partition_row(partitions: dict[str, Any]) -> dict[str, Any]:
    """Return one kernel's line: concurrent blocks, and for each operation the mean and the steps by partitions used."""
    row: dict[str, Any] = {"blocks": partitions["concurrent_blocks"]}
    for op in ("load", "store"):
        mean, steps = partitions[op]["mean"], partitions[op]["steps"]
        row[op] = {
            "mean": format_number(mean),
            "camped": mean < partitions["count"] / 2,
            "steps": [{"used": used, "number": f"{number:,}"} for used, number in enumerate(steps, start=1) if number],
        }
    return row


def _trim(extent: list[int]) -> list[int]:
    """Return an extent of three without trailing ones, two at least."""
    return extent[:2] if extent[2] == 1 else extent


def measured_groups(
    evidence: Evidence, slug: str, kernels: list[str], sizes: list[str], machine: str, strict: bool, peers: bool = True
) -> list[dict[str, Any]]:
    """Return the table of one machine: a group per size, the ceiling first, and libraries last if ``peers``.

    Without ``kernels``, those that were timed at the size. ``strict`` raises ResultError for a row that is missing or
    stale; otherwise a missing row is left out and a stale one is marked. Arrays have no ceiling: a copy of a
    matrix does not tell how fast an array can be worked on.
    """
    result = evidence.result(slug, machine)
    arrays = is_of_arrays(result)
    ceiling = None if arrays else evidence.result(CEILING_SLUG, machine)
    groups = []
    for size in sizes:
        timed = dict.fromkeys(row["kernel"] for row in result["rows"] if row["size"] == size and row["time"])
        wanted = [] if arrays else [(CEILING_SLUG, CEILING)]
        wanted += [(slug, name) for name in kernels or timed if name != CEILING]
        rows, shown, own = [], None, False
        copy = None if arrays else _row(evidence, ceiling, CEILING_SLUG, CEILING, size, machine, strict)
        for from_slug, name in wanted:
            row = _row(evidence, ceiling if from_slug == CEILING_SLUG else result, from_slug, name, size, machine, strict)
            if row is None:
                continue
            shown, own = row, own or from_slug == slug
            on_host = "host" in row["time"]
            rows.append(
                {
                    "name": name,
                    "ceiling": on_host or name == CEILING,
                    "on_host": on_host,
                    "library": "",
                    "stale": name in evidence.stale(from_slug, machine),
                    "states": [_state(row, copy, state) for state in (["cold"] if on_host else ["cold", "warm"])],
                }
            )
        if own and peers:
            rows += _peers(result, size, copy)
        if own:
            groups.append({"size": size, "work": _work(shown), "fits": shown["fits_l2"], "rows": rows})
    return groups


def _peers(result: dict[str, Any], size: str, copy: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the rows of libraries at a size whose results were right."""
    return [
        {
            "name": row["name"],
            "ceiling": False,
            "on_host": False,
            "library": f"{row['library']} {row['version']}",
            "call": row["call"],
            "stale": False,
            "states": [_state(row, copy, state) for state in ("cold", "warm")],
        }
        for row in peer_rows(result)
        if row["size"] == size and row["check"]["passed"]
    ]


def add_local(evidence: Evidence, groups: list[dict[str, Any]], slug: str) -> bool:
    """Put the reader's own cold times beside the book's rows; return whether there are any.

    A row gets ``here``: rate and percentage of the copy, ``stale`` for what was measured with another text, or None.
    """
    found = False
    for group in groups:
        kernels = [row["name"] for row in group["rows"] if not row["library"]]
        theirs = measured_groups(evidence, slug, kernels, [group["size"]], LOCAL, strict=False)
        rows = {row["name"]: row for local in theirs for row in local["rows"]}
        for row in group["rows"]:
            here = rows.get(row["name"])
            row["here"] = here and {**here["states"][0], "stale": here["stale"]}
            found = found or here is not None
    return found


def _work(row: dict[str, Any]) -> str:
    """Return what a launch of a row gets done, for readers."""
    if row.get("work"):
        return f"{row['work']['amount']:,.0f} {row['work']['unit']}"
    return f"{row['bytes'] / 1e6:,.0f} MB read and written"


def _row(
    evidence: Evidence, result: dict[str, Any] | None, slug: str, kernel: str, size: str, machine: str, strict: bool
) -> dict[str, Any] | None:
    if strict:
        return evidence.measured_row(slug, kernel, size, machine)
    for row in (result or {"rows": []})["rows"]:
        if row["kernel"] == kernel and row["size"] == size and row["check"]["passed"] and row["time"]:
            return row
    return None


def _state(row: dict[str, Any], copy: dict[str, Any] | None, state: str) -> dict[str, str]:
    time = sample(row, state)
    percent = format_number(100 * gbps(row, state) / gbps(copy, state), ".0f") if copy else "–"
    return {
        "rate": format_number(work_rate(row, state) if row.get("work") else gbps(row, state)),
        "percent": percent,
        "median": format_number(time["median_ms"]),
        "p10": format_number(time["p10_ms"]),
        "p90": format_number(time["p90_ms"]),
    }


class MeasuredTable(EvidenceDirective):
    """``.. measured-table:: SLUG``: times of a chapter's kernels, a tab for each machine.

    The tabs are the book's machine, published figures of these kernels, and the reader's GPU.
    ``:kernels:`` chooses and orders kernels; ``:sizes:`` chooses sizes, which for arrays are all that were timed.
    Libraries that were timed beside the kernels stand last, with what they were called with below the table;
    ``:no-peers:`` leaves them out.
    """

    required_arguments = 1
    option_spec = {
        "kernels": directives.unchanged_required,
        "sizes": directives.unchanged_required,
        "no-peers": directives.flag,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        result = evidence.result(slug)
        if result is None:
            raise ResultError(
                f"no results of chapter {slug} on {evidence.machine}: {evidence.results / evidence.machine / slug}.json does not exist"
            )
        timed = dict.fromkeys(row["size"] for row in result["rows"] if row["time"])
        by_default = " ".join(timed) if is_of_arrays(result) else MEASURED_SIZES
        sizes = [parse_size(size) for size in self.options.get("sizes", by_default).split()]
        kernels = self.options.get("kernels", "").split()
        groups = measured_groups(evidence, slug, kernels, sizes, evidence.machine, strict=True, peers=self._peers)
        tabs = [self._machine(evidence, slug, groups, evidence.machine)]
        tabs += self._published(evidence, kernels or list(dict.fromkeys(row["kernel"] for row in result["rows"])))
        tabs.append(self._local(evidence, slug, kernels, sizes))
        text = [".. tab-set::", "   :sync-group: machine", "   :class: measured", ""]
        for label, sync, body in tabs:
            text += [f"   .. tab-item:: {label}", f"      :sync: {sync}", ""]
            text += ["      " + line if line else "" for line in body.splitlines()] + [""]
        return self.parsed(text)

    @property
    def _peers(self) -> bool:
        return "no-peers" not in self.options

    def _local(self, evidence: Evidence, slug: str, kernels: list[str], sizes: list[str]) -> tuple[str, str, str]:
        """Return the reader's tab: their times at the table's sizes, or at those they have, or how to get some."""
        result = evidence.result(slug, LOCAL)
        if result is None:
            return "Your GPU", LOCAL, LOCAL_HINT
        groups = measured_groups(evidence, slug, kernels, sizes, LOCAL, strict=False, peers=self._peers)
        if not groups:
            others = dict.fromkeys(row["size"] for row in result["rows"] if row["time"])
            groups = measured_groups(evidence, slug, kernels, list(others), LOCAL, strict=False, peers=self._peers)
        if not groups:
            return f"Your GPU: {result['provenance']['gpu']}", LOCAL, "Your results have no times of these kernels."
        return self._machine(evidence, slug, groups, LOCAL)

    def _machine(self, evidence: Evidence, slug: str, groups: list[dict[str, Any]], machine: str) -> tuple[str, str, str]:
        result = evidence.result(slug, machine)
        samples = sorted({time["samples"] for row in result["rows"] for time in (row["time"] or {}).values()})
        beside = machine != LOCAL and evidence.result(slug, LOCAL) is not None and add_local(evidence, groups, slug)
        html = render(
            "measured.html",
            groups=groups,
            here=gpu_name(evidence, LOCAL) if beside else "",
            arrays=is_of_arrays(result),
            unit=next((f"billion {row['work']['unit']}/s" for row in result["rows"] if row.get("work")), "GB/s"),
            cpu=result["provenance"].get("cpu", "a processor that is not named"),
            on_host=any(row["on_host"] for group in groups for row in group["rows"]),
            calls={row["name"]: row for group in groups for row in group["rows"] if row["library"]}.values(),
            machine=describe(result["provenance"]),
            l2=f"{result['provenance']['l2_bytes'] / 1e6:,.0f}",
            samples=" to ".join(f"{n:,}" for n in dict.fromkeys((samples[0], samples[-1]))),
        )
        gpu = result["provenance"]["gpu"]
        label = f"Your GPU: {gpu}" if machine == LOCAL else gpu
        return label, machine, _raw(html)

    def _published(self, evidence: Evidence, kernels: list[str]) -> list[tuple[str, str, str]]:
        tabs = []
        for data in evidence.historical():
            rows = [row for row in data["rows"] if row["kernel"] in kernels]
            if not rows:
                continue
            # The copy of the same publication is the ceiling of its figures.
            ceilings = [row for row in data["rows"] if row["kernel"] == PUBLISHED_CEILING and row not in rows]
            html = render("published.html", data=data, rows=[*ceilings, *rows], ceilings=ceilings)
            note = f"Figures of :cite:t:`{data['citation']}`. {data['note']}"
            tabs.append((data.get("label", "As published"), data["citation"], f"{_raw(html)}\n\n{note}"))
        return tabs


def _raw(html: str) -> str:
    """Return reStructuredText that puts ``html`` into the page."""
    return ".. raw:: html\n\n" + "\n".join("   " + line for line in html.splitlines())


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("counted-table", CountedTable)
    app.add_directive("parity-table", ParityTable)
    app.add_directive("measured-table", MeasuredTable)
    app.add_directive("partition-table", PartitionTable)
