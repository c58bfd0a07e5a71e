"""``kernel-index``: all kernels of the book, with their counts and the speed of each."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import area, format_number, pretty_size, rate, rate_unit
from conflict_free.evidence.names import CEILING

from ..filled_late import fill_late
from ..project import EvidenceDirective, shown
from ..prose.beside import reading_order
from .classics import NOTHING, counted_cells


def speed(evidence: Evidence, slug: str, kernel: str) -> dict[str, str]:
    """Return a kernel's speed at the largest size that was timed, its unit, and the size; dashes for one that was not timed."""
    rows = [row for row in evidence.result(slug)["rows"] if row["kernel"] == kernel and row["time"]]
    if not rows:
        return {"speed": NOTHING, "unit": "", "size": NOTHING}
    row = max(rows, key=area)
    return {"speed": format_number(rate(row)), "unit": rate_unit(row)[1], "size": pretty_size(row["size"])}


def counts(evidence: Evidence, slug: str) -> dict[str, list[str]]:
    """Return the cells of counts of each kernel of a chapter; dashes where several GPUs are timed, whose kernels the book does not count."""
    result = evidence.result(slug)
    if any(row["time"] and "ranks" in row["time"] for row in result["rows"]):
        return {row["kernel"]: [NOTHING] * 3 for row in result["rows"]}
    return {
        row["kernel"]: counted_cells(evidence, slug, row["kernel"]) for row in evidence.program(slug)["rows"] if row["kernel"] != CEILING
    }


class kernel_index(nodes.General, nodes.Element):
    """The index, filled in when the page is written: ``chapters``, the rows of each by its name."""


class KernelIndex(EvidenceDirective, directive="kernel-index"):
    """``.. kernel-index::``: the measured chapters in reading order, a row for each kernel: counts as in *Classic names*, and its speed."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        chapters = {}
        for slug in evidence.measured_chapters():
            chapters[slug] = [
                dict(zip(("sectors", "wavefronts", "conflicts"), cells), name=name, **speed(evidence, slug, name))
                for name, cells in counts(evidence, slug).items()
            ]
        node = kernel_index(chapters=chapters)
        self.set_source_info(node)
        return [node]


def _titles(env: BuildEnvironment) -> dict[str, str]:
    return {name: title.astext() for name, title in env.titles.items()}


def _fill(app: Sphinx, node: kernel_index, docname: str) -> list[nodes.Node]:
    """Return the HTML of the index, with each kernel a link to its text and each chapter a link to its page."""
    labels = app.env.get_domain("std").anonlabels

    def uri(name: str) -> str:
        page, anchor, *_ = labels.get(f"kernel-{name}".lower(), ("", ""))
        return f"{app.builder.get_relative_uri(docname, page)}#{anchor}" if page else ""

    titles, order = _titles(app.env), reading_order(app.env)
    groups = [
        {
            "title": titles.get(slug, slug),
            "uri": app.builder.get_relative_uri(docname, slug),
            "rows": [dict(row, uri=uri(row["name"])) for row in rows],
        }
        for slug, rows in sorted(
            node["chapters"].items(), key=lambda chapter: order.index(chapter[0]) if chapter[0] in order else len(order)
        )
    ]
    return [shown("kernel_index.html", groups=groups)]


def setup(app: Sphinx) -> None:
    """Register the node."""
    fill_late(app, kernel_index, _titles, _fill)
