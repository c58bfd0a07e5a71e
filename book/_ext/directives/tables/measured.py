"""``measured-table``: times that were measured on GPUs."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.files import peer_rows
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number, gbps, is_of_arrays, parse_size, rate, rate_unit, sample
from conflict_free.evidence.names import CEILING, CEILING_SLUG, LOCAL, PUBLISHED_CEILING
from conflict_free.evidence.values import describe

from ..project import EvidenceDirective, render
from ..prose.beside import LOCAL_HINT, gpu_name

#: Sizes of a measured table of matrices: the classic one, and one far larger than any L2.
MEASURED_SIZES = "2048x2048 16384x16384"


def is_of_bytes(result: dict[str, Any]) -> bool:
    """Return whether the speeds of a result can be compared with that of a copy of a matrix."""
    return not is_of_arrays(result) and not any(row.get("work") for row in result["rows"])


def measured_groups(
    evidence: Evidence, slug: str, kernels: list[str], sizes: list[str], machine: str, strict: bool, peers: bool = True
) -> list[dict[str, Any]]:
    """Return the table of one machine: a group per size, the ceiling first, and libraries last if ``peers``.

    Without ``kernels``, those that were timed at the size. ``strict`` raises ResultError for a row that is missing or stale; otherwise a
    missing row is left out and a stale one is marked. Only work that is counted in bytes, on matrices, has a ceiling: a copy.
    """
    result = evidence.result(slug, machine)
    copied = is_of_bytes(result)
    ceiling = evidence.result(CEILING_SLUG, machine) if copied else None
    groups = []
    for size in sizes:
        timed = dict.fromkeys(row["kernel"] for row in result["rows"] if row["size"] == size and row["time"])
        wanted = [(CEILING_SLUG, CEILING)] if copied else []
        wanted += [(slug, name) for name in kernels or timed if name != CEILING]
        rows, shown, own = [], None, False
        copy = _row(evidence, ceiling, CEILING_SLUG, CEILING, size, machine, strict) if copied else None
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
            # The copy, which stands first, is one of floats. At the same size, kernels of other elements move other bytes.
            other = copy is not None and abs(copy["bytes"] / shown["bytes"] - 1) > 0.01
            of_copy = f"{copy['bytes'] / 1e6:,.0f} MB" if other else ""
            groups.append({"size": size, "work": _work(shown), "of_copy": of_copy, "fits": shown["fits_l2"], "rows": rows})
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

    A row gets ``here``: rate and percentage of the copy, ``stale`` for a time of another text, or None.
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
    """Return the work of the launch of a row, in words for readers."""
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
        "rate": format_number(rate(row, state)),
        "percent": percent,
        "median": format_number(time["median_ms"]),
        "p10": format_number(time["p10_ms"]),
        "p90": format_number(time["p90_ms"]),
    }


class MeasuredTable(EvidenceDirective, directive="measured-table"):
    """``.. measured-table:: SLUG``: times of a chapter's kernels, a tab for each machine.

    The tabs are the book's machine, published figures of these kernels, and the reader's GPU. ``:kernels:`` chooses and orders kernels;
    ``:sizes:`` chooses sizes, which for arrays are all that were timed. Libraries that were timed beside the kernels stand last, with their
    calls below the table; ``:no-peers:`` leaves them out.
    """

    required_arguments = 1
    option_spec = {"kernels": directives.unchanged_required, "sizes": directives.unchanged_required, "no-peers": directives.flag}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        result = evidence.some_result(slug)
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
            copied=is_of_bytes(result),
            unit=rate_unit(result["rows"][0])[1],
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
