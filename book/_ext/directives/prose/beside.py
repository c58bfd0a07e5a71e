"""The reader's GPU beside the book's: ``machine-table``, ``claim-table`` and ``ratio-table``."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import is_measured
from conflict_free.evidence.names import LOCAL, ResultError, StaleError

from ..filled_late import fill_late
from ..listings.folds import fold
from ..project import EvidenceDirective, shown
from .claims import WORDS, Claim, claims_of

#: How a reader gets their own results.
LOCAL_HINT = "Run ``scripts/measure`` and then ``scripts/book`` on a machine with an NVIDIA GPU: its times appear here."


def gpu_name(evidence: Evidence, machine: str | None = None) -> str:
    """Return the name of a machine's GPU by any of its results, an empty text if it has none."""
    for slug in evidence.measured_chapters(machine):
        return evidence.result(slug, machine)["provenance"]["gpu"]
    return ""


def reading_order(env: BuildEnvironment) -> list[str]:
    """Return the pages in the order in which ``index.rst`` lists them, itself first."""
    found = [env.config.root_doc]
    for name in found:
        found += [child for child in env.toctree_includes.get(name, ()) if child not in found]
    return found


# --------------------------------------------------------------------------------------- machines


def open_beside(is_local: bool, label: str, table: list[nodes.Node]) -> list[nodes.Node]:
    """Return a table; without results of the reader's own it is folded away below its label, because the pages have the same values."""
    return table if is_local else [fold(label, table)]


def _range(numbers: Iterable[int], unit: str = "") -> str:
    """Return one number, or the lowest and the highest, with a unit."""
    chosen = sorted(set(numbers))
    return f"{' to '.join(f'{n:,}' for n in dict.fromkeys((chosen[0], chosen[-1])))}{unit}"


def machine_facts(evidence: Evidence, machine: str) -> dict[str, str]:
    """Return the facts of a machine's result files about it and its measurement, by label."""
    results = [evidence.result(slug, machine) for slug in evidence.measured_chapters(machine)]
    if not results:
        raise ResultError(f"no results in {evidence.results / machine}")
    provenances = [result["provenance"] for result in results]
    first = provenances[0]

    def all_of(key: str) -> str:
        return ", ".join(dict.fromkeys(provenance[key] or "none" for provenance in provenances))

    def clocks(which: str) -> str:
        read = [provenance[when][which] for provenance in provenances for when in ("clocks_before", "clocks_after")]
        return _range(read, " MHz") if any(read) else "not told"

    times = [time for result in results for row in result["rows"] for time in (row["time"] or {}).values()]
    failed = sum(not row["check"]["passed"] for result in results for row in result["rows"])
    return {
        "GPU": all_of("gpu"),
        "compute capability": all_of("compute_capability"),
        "memory": f"{first['memory_bytes'] / 1e9:,.0f} GB",
        "L2": f"{first['l2_bytes'] / 1e6:,.0f} MB",
        "host": ", ".join(dict.fromkeys(provenance.get("cpu", "not told") for provenance in provenances)),
        "driver": all_of("driver"),
        "CUDA": all_of("toolkit"),
        "flags of nvcc": all_of("compiler_flags"),
        "counters read by": all_of("profiler"),
        "clock of the multiprocessors, before and after": clocks("sm_mhz"),
        "clock of the memory, before and after": clocks("memory_mhz"),
        "samples of a time": _range(time["samples"] for time in times) if times else "none",
        "launches in a sample": _range(time["launches_per_sample"] for time in times) if times else "none",
        "times that were taken": f"{len(times):,}",
        "checks of the output": f"{sum(len(result['rows']) for result in results):,}, {failed or 'none'} failed",
        "measured on": ", ".join(sorted({provenance["date"][:10] for provenance in provenances})),
        "commit": ", ".join(dict.fromkeys(provenance["commit"][:10] for provenance in provenances)),
        "chapters": f"{len(results)}",
    }


class MachineTable(EvidenceDirective, directive="machine-table"):
    """``.. machine-table::``: what the result files say of the book's machine, and of the reader's where it is."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        ours = machine_facts(evidence, evidence.machine)
        theirs = machine_facts(evidence, LOCAL) if evidence.measured_chapters(LOCAL) else None
        return open_beside(
            bool(theirs), "The machine of this book, and how it was measured", [shown("machines.html", ours=ours, theirs=theirs)]
        )


# ----------------------------------------------------------------------------------------- claims


class claim_table(nodes.General, nodes.Element):
    """All claims of the book, filled in when the page is written: ``book``, ``local``, names of the GPUs."""


class ClaimTable(EvidenceDirective, directive="claim-table"):
    """``.. claim-table::``: every claim of every page, and what the book's and the reader's GPU say of it."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        # The other pages may not have been read yet: this is the place of the table.
        node = claim_table(book=gpu_name(evidence), local=gpu_name(evidence, LOCAL))
        self.set_source_info(node)
        return [node]


def summary(claims: Iterable[Claim]) -> str:
    """Return one sentence: how many claims about times hold on the reader's GPU."""
    kinds = Counter(claim.local.kind for claim in claims if claim.local)
    judged = kinds["holds"] + kinds["differs"]
    said = f"Of the claims that your results can judge, {kinds['holds']} of {judged} hold on your GPU"
    open_ones = [f"{kinds[kind]} {words}" for kind, words in (("stale", "stale"), ("missing", "not measured")) if kinds[kind]]
    return f"{said}. {'; '.join(open_ones).capitalize()}." if open_ones else f"{said}."


def _fill(app: Sphinx, node: claim_table, docname: str) -> list[nodes.Node]:
    env = app.env
    pages = [(name, claims_of(env)[name]) for name in reading_order(env) if claims_of(env).get(name)]
    groups = [
        {"title": env.titles[name].astext(), "uri": app.builder.get_relative_uri(docname, name), "claims": claims} for name, claims in pages
    ]
    every = [claim for _, claims in pages for claim in claims]
    said = [nodes.paragraph("", summary(every))] if node["local"] else []
    table = shown("claims.html", groups=groups, book=node["book"], local=node["local"], words=WORDS, total=len(every))
    return [*said, *open_beside(bool(node["local"]), "The claims, with what each compares", [table])]


# ----------------------------------------------------------------------------------------- ratios


class RatioTable(EvidenceDirective, directive="ratio-table"):
    """``.. ratio-table::``: ratios on the book's machine and on the reader's, a line each: ``KEY / KEY | LABEL``.

    A line belongs to the chapter of its first key, and each measured chapter must have one.
    """

    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        groups: dict[str, list[dict[str, str]]] = {}
        for line in filter(None, (line.strip() for line in self.content)):
            expression, bar, label = (part.strip() for part in line.partition("|"))
            if not (bar and label and is_measured(expression)):
                raise ResultError(f"{line!r} is not 'KEY / KEY | LABEL' with keys that are measured")
            ours = evidence.value(expression)
            groups.setdefault(expression.split(".")[0], []).append(
                {
                    "label": label,
                    "expression": expression,
                    "ours": ours.text(),
                    "stale": ours.stale,
                    "provenance": ours.provenance,
                    **_local_ratio(evidence, expression),
                }
            )
        missing = [slug for slug in evidence.measured_chapters() if slug not in groups]
        if missing:
            raise ResultError(f"no ratio of {', '.join(missing)}; each measured chapter has one")
        local = gpu_name(evidence, LOCAL)
        return open_beside(
            bool(local), "The ratios on the book's machine", [shown("ratios.html", groups=groups, book=gpu_name(evidence), local=local)]
        )


def _local_ratio(evidence: Evidence, expression: str) -> dict[str, Any]:
    """Return the reader's own value of a ratio, or why there is none."""
    try:
        return {"theirs": evidence.at(LOCAL).value(expression).text(), "why": ""}
    except StaleError as error:
        return {"theirs": "stale", "why": str(error)}
    except ResultError as error:
        return {"theirs": "–", "why": str(error)}


class LocalHint(EvidenceDirective, directive="local-hint"):
    """``.. local-hint::``: one line on how to get results of one's own, nothing where they are there."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        if evidence.measured_chapters(LOCAL):
            return []
        found, messages = self.parse_inline(LOCAL_HINT)
        return [nodes.paragraph(LOCAL_HINT, "", *found, *messages, classes=["local-hint"])]


def setup(app: Sphinx) -> None:
    """Register the node."""
    fill_late(app, claim_table, lambda env: sorted((name, tuple(claims)) for name, claims in claims_of(env).items()), _fill)
