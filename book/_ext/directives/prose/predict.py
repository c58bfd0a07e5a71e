"""``predict`` and ``answer``: a question to settle before reading on, with its answer folded away.

The fold is the browser's own, so it works by keyboard and without JavaScript. With it, ``_static/predict.js`` takes numbers and says at
once whether they are right.
"""

import itertools
import json
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import UNMARKED, evidence, pass_by, render
from .ebook import EPUB


class predict(nodes.General, nodes.Element):
    """A question, with its answer inside."""


class tries(nodes.General, nodes.Element):
    """The fields for ``asked``, the numbers that a reader may try."""


class answer(nodes.General, nodes.Element):
    """The folded answer of a question. ``label`` is what the fold shows."""


def asked_number(found: Evidence, line: str) -> dict[str, Any]:
    """Return label, right number and hints of ``LABEL = NUMBER | WRONG: HINT | …``; NUMBER may be ``KEY|FORMAT`` of the evidence. Raises ResultError."""
    question, *wrong = (part.strip() for part in line.split(" | "))
    label, equals, right = (part.strip() for part in question.rpartition(" = "))
    hints = [tuple(part.strip() for part in one.partition(":")[::2]) for one in wrong]
    if not equals or not all(number and hint for number, hint in hints):
        raise ResultError(f"{line!r} is not 'LABEL = NUMBER | WRONG: HINT | …'")
    key, _, spec = (part.strip() for part in right.partition("|"))
    number = right if right.replace(".", "", 1).isdecimal() else found.value(key).text(spec or ",.12g").replace(",", "")
    if number in dict(hints):
        raise ResultError(f"{line!r} has a hint for the right number")
    return {"label": label, "right": number, "hints": json.dumps(dict(hints))}


def place_fields(node: predict, asked: list[dict[str, Any]]) -> None:
    """Put the field for the number ``1. The lane`` into the first item of a question's list, and those without a number before the answer."""
    items = next((child.children for child in node if isinstance(child, nodes.enumerated_list)), [])
    for one in asked:
        number, _, label = one["label"].partition(". ")
        if number.isdecimal() and int(number) <= len(items):
            items[int(number) - 1] += tries(asked=[{**one, "label": label}])
        else:
            node.insert(next(place for place, child in enumerate(node) if isinstance(child, answer)), tries(asked=[one]))


def in_order(asked: list[dict[str, Any]]) -> None:
    """Raise ResultError unless labels that begin with a question's number, ``1. The lane``, count 1, 1, 2, 3 without a gap."""
    numbers = [number for number, dot, _ in (one["label"].partition(". ") for one in asked) if dot and number.isdecimal()]
    questions = [number for number, _ in itertools.groupby(numbers)]
    if questions != [str(place) for place in range(1, len(questions) + 1)]:
        raise ResultError(f":numbers: are for the questions {', '.join(numbers)}; accepted: the first questions, in order")


class Predict(SphinxDirective):
    """``.. predict::``: the body is the question; it holds exactly one ``answer``.

    ``:numbers:`` lets a reader try: a line for each number, ``LABEL = NUMBER | WRONG: HINT | …``, where NUMBER may be a key of the
    role ``val``, with its format, and a hint is shown for a wrong number that people give.
    """

    has_content = True
    option_spec = {"numbers": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Parse the body."""
        self.assert_has_content()
        node = predict()
        self.set_source_info(node)
        try:
            asked = [asked_number(evidence(self.env), line) for line in self.options.get("numbers", "").splitlines() if line.strip()]
            in_order(asked)
        except ResultError as error:
            raise self.error(f"predict: {error}") from None
        self.state.nested_parse(self.content, self.content_offset, node)
        found = sum(isinstance(child, answer) for child in node.children)
        if found != 1:
            raise self.error(f"a predict has exactly one answer inside; this one has {found}")
        place_fields(node, asked)
        return [node]


class Answer(SphinxDirective):
    """``.. answer::``: the folded part; an argument replaces the label of the fold."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse the body."""
        self.assert_has_content()
        node = answer(label=self.arguments[0] if self.arguments else "Show the answer")
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def _visit_predict(self, node: predict) -> None:
    self.body.append('<div class="predict" role="group" aria-label="Predict">\n<p class="predict-title">Before you read on</p>\n')


def _depart_predict(self, node: predict) -> None:
    self.body.append("</div>\n")


def _visit_tries(self, node: tries) -> None:
    if self.builder.name != EPUB:
        self.body.append(render("predict_numbers.html", asked=node["asked"]))


def _visit_answer(self, node: answer) -> None:
    self.body.append(f'<details class="answer">\n<summary>{self.encode(node["label"])}</summary>\n')


def _depart_answer(self, node: answer) -> None:
    self.body.append("</details>\n")


def _add_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Load the script on the pages that need it."""
    if doctree is not None and next(doctree.findall(tries), None):
        app.add_js_file("predict.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the directives and their nodes."""
    app.connect("html-page-context", _add_script)
    app.add_node(predict, html=(_visit_predict, _depart_predict), **UNMARKED)
    app.add_node(tries, html=(_visit_tries, pass_by), **UNMARKED)
    app.add_node(answer, html=(_visit_answer, _depart_answer), **UNMARKED)
    app.add_directive("predict", Predict)
    app.add_directive("answer", Answer)
