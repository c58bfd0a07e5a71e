"""``specimen``: a program that shows an error of the classics, and the model's report on it."""

import json
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number
from conflict_free.evidence.names import ACCESSES, LOCAL, SPECIMENS, ResultError
from conflict_free.evidence.values import describe

from ..project import EvidenceDirective, shown
from .code import highlight_lines
from .listing import folded_sources, listing


def findings(report: dict[str, Any]) -> list[str]:
    """Return the model's findings on one program: a phrase for each hazard, or the shared-memory counts of its launches.

    Launches that count the same are one phrase.
    """
    said = []
    for hazard in report["hazards"]:
        numbers = sorted({place["line"] for place in hazard["lines"]})
        where = f"line{'s' if len(numbers) > 1 else ''} {' and '.join(map(str, numbers))}"
        said.append(f"{hazard['kind'].replace('_', ' ')} at {where}: {hazard['message']}")
    if said:
        return said
    for kernel in report["kernels"]:
        for key in ("shared_load", "shared_store"):
            access = kernel[key]
            if access["instructions"]:
                said.append(
                    f"{ACCESSES[key]}: {_several(access['instructions'], 'instruction')}, "
                    f"{_several(access['wavefronts'], 'wavefront')}, {_several(access['conflicts'], 'conflict')}"
                )
    return ["no hazard", *dict.fromkeys(said)]


def _several(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class Specimen(EvidenceDirective, directive="specimen"):
    """``.. specimen:: NAME``: the program ``chapters/errata/NAME.cu``, its verdict on its output, and the model's.

    A program that was counted on older machines too shows the counts of each. A program that was measured on the book's
    machine, or on the reader's, shows its figures. The whole program follows, folded, with a link to download it.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        name = self.arguments[0]
        path = evidence.specimen_path(name)
        sources = evidence.sources_of(path)
        part = sources.region(name)
        report = self._report(evidence, name)
        made = [listing(name, part, [{"html": html, "notes": []} for html in highlight_lines(part.text)])]
        verdict = "The program finds its output wrong." if report["exit_code"] else "The program finds no fault in its output."
        made += [nodes.paragraph("", f"{verdict} The model says:"), _bullets(findings(report))]
        for path in sorted((evidence.counts / SPECIMENS).glob(f"{name}.*.json")):
            machine = path.suffixes[0].removeprefix(".")
            older = self._report(evidence, f"{name}.{machine}")
            made += [nodes.paragraph("", f"Of the same program on {machine} it says:"), _bullets(findings(older))]
        return made + self._figures(evidence, name) + folded_sources(self, sources)

    def _report(self, evidence: Evidence, name: str) -> dict[str, Any]:
        """Return the model's report in this build on a program, or on ``NAME.MACHINE``."""
        path = evidence.counts / SPECIMENS / f"{name}.json"
        evidence.on_read(path)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except OSError:
            raise ResultError(f"there is no report {path}; the CMake target 'counts' makes it") from None

    def _figures(self, evidence: Evidence, name: str) -> list[nodes.Node]:
        """Return the measured figures of a program, if there are any."""
        machines = []
        for machine in dict.fromkeys((evidence.machine, LOCAL)):
            figures = evidence.figures(name, machine)
            if figures:
                told = describe(evidence.result(SPECIMENS, machine)["provenance"])
                machines.append({"told": told, "figures": {key: format_number(number) for key, number in figures.items()}})
        return [shown("figures.html", name=name, machines=machines)] if machines else []


def _bullets(texts: list[str]) -> nodes.bullet_list:
    return nodes.bullet_list("", *[nodes.list_item("", nodes.paragraph("", text)) for text in texts])
