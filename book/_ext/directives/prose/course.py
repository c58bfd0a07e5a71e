"""``course-table``: the chapters for somebody who teaches them, in reading order, with an estimate of the time they take."""

from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from conflict_free.evidence.lookup import Evidence

from ..by_page import keep_by_page, kept_of
from ..filled_late import fill_late
from ..listings.folds import folded
from ..project import EvidenceDirective, shown
from .beside import reading_order

#: The estimate: words that are read in a minute, beside code and tables, and minutes for an exercise.
WORDS_A_MINUTE = 120
MINUTES_AN_EXERCISE = 7

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Facts:
    """Facts on a page: the words of its prose that are not folded away, and the exercises."""

    words: int
    exercises: int

    @property
    def reading(self) -> int:
        """Estimated minutes to read it, a multiple of 5."""
        return _fives(self.words / WORDS_A_MINUTE)

    @property
    def solving(self) -> int:
        """Estimated minutes for all its exercises, a multiple of 5."""
        return _fives(self.exercises * MINUTES_AN_EXERCISE)


def _fives(minutes: float) -> int:
    return 5 * max(round(minutes / 5), 1) if minutes else 0


def facts_of(doctree: nodes.document) -> Facts:
    """Return the facts on a page. Its exercises are the items of the numbered lists right below the heading of that name."""
    hidden = {id(node) for fold in doctree.findall(folded) for node in fold.findall(nodes.paragraph)}
    words = sum(len(node.astext().split()) for node in doctree.findall(nodes.paragraph) if id(node) not in hidden)
    exercises = 0
    for section in doctree.findall(nodes.section):
        if section.next_node(nodes.title).astext() == "Exercises":
            exercises += sum(len(child) for child in section if isinstance(child, nodes.enumerated_list))
    return Facts(words, exercises)


class course_table(nodes.General, nodes.Element):
    """The table, filled in when the page is written: ``chapters``, their slugs, and ``kernels``, how many each has."""


class CourseTable(EvidenceDirective, directive="course-table"):
    """``.. course-table::``: a row for each chapter: its lesson, kernels, exercises, and estimated minutes."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        # Sphinx may not have read the other pages yet, so this node keeps the place of the table.
        kernels = {slug: len(evidence.result(slug)["kernels"]) for slug in evidence.measured_chapters()}
        node = course_table(kernels=kernels)
        self.set_source_info(node)
        return [node]


def facts(env: BuildEnvironment) -> dict[str, Facts]:
    """Return the facts on each page that was read, by the page's name."""
    return kept_of(env, "facts")


def _fill(app: Sphinx, node: course_table, docname: str) -> list[nodes.Node]:
    env, rows = app.env, []
    for name in reading_order(env):
        if name in node["kernels"]:
            subject, _, lesson = env.titles[name].astext().partition(": ")
            uri = app.builder.get_relative_uri(docname, name)
            rows.append({"subject": subject, "lesson": lesson, "uri": uri, "kernels": node["kernels"][name], "facts": facts(env)[name]})
    for name in sorted(set(node["kernels"]) - set(reading_order(env))):
        _logger.warning("chapter %s is measured, and no toctree has its page", name, location=docname)
    return [shown("course.html", rows=rows, words=WORDS_A_MINUTE, minutes=MINUTES_AN_EXERCISE)]


def _note(app: Sphinx, doctree: nodes.document) -> None:
    facts(app.env)[app.env.docname] = facts_of(doctree)


def setup(app: Sphinx) -> None:
    """Register the node, and the facts on each page."""
    app.connect("doctree-read", _note)
    keep_by_page(app, facts)
    fill_late(app, course_table, lambda env: dict(facts(env)), _fill)
