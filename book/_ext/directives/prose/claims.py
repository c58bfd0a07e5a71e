"""The role ``claim``: a sentence that compares results, true on the book's machine or the build fails.

Where the reader's own GPU has results, the sentence is marked "holds here" or "differs here". The claims of all pages
are kept, for ``claim-table``.
"""

import re
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import is_measured
from conflict_free.evidence.names import LOCAL, SPEED_WORDS, ResultError, StaleError
from conflict_free.evidence.source import SourceError

from .. import changes
from ..by_page import keep_by_page, kept_of
from ..changes import BEFORE_CHANGE
from ..project import evidence
from .values import value

_PARTS = re.compile(r"(?P<sentence>.+?)\s*\[(?P<expression>[^\[\]]+)\]\Z", re.DOTALL)

#: Words that compare two speeds, and a number that says by how much instead.
_OF_SPEEDS = re.compile(r"\b(faster|slower|as fast|as slow|measurabl[ey])\b")
_FACTOR = re.compile(r"(>=|<=|>|<) (?!1(\.0*)?\Z)[0-9.]+\Z")

#: The name of a kernel, or of a function of CUDA's libraries.
_NAME = re.compile(r"\b([a-z0-9]+_[a-z0-9_]+|cu(?:da|blas)[A-Z]\w*)\b")

#: The words for a verdict on a page: it holds, it differs, or there is nothing to judge by.
WORDS = {"holds": "holds here", "differs": "differs here", "stale": "stale here", "missing": "not measured here"}


#: The note beside a claim after a change of a kernel.
CHANGED = {"stale": BEFORE_CHANGE, "broken": "no longer holds"}


@dataclass(frozen=True)
class Verdict:
    """The verdict of the reader's own results on a comparison: a key of ``WORDS``, the values, and their provenance."""

    kind: str
    values: str
    provenance: str


@dataclass(frozen=True)
class Claim:
    """A claim of a page: its place, its comparison, and the verdicts of the book's machine and the reader's."""

    anchor: str
    sentence: str
    expression: str
    values: str
    local: Verdict | None


def local_verdict(found: Evidence, expression: str) -> Verdict | None:
    """Return the verdict of the reader's GPU on a comparison.

    None if nothing was measured there, or the comparison is of counts, which are the same on every machine.
    """
    if found.machine == LOCAL or not is_measured(expression) or not found.measured_chapters(LOCAL):
        return None
    try:
        compared = found.at(LOCAL).compare(expression)
    except StaleError as error:
        return Verdict("stale", "", str(error))
    except ResultError as error:
        return Verdict("missing", "", str(error))
    return Verdict("holds" if compared.holds else "differs", compared.values, compared.shown)


def with_names(sentence: str) -> list[nodes.Node]:
    """Return a sentence with the names of kernels and functions in it as code."""
    return [nodes.literal("", part) if _NAME.fullmatch(part) else nodes.Text(part) for part in _NAME.split(sentence) if part]


class ClaimRole(SphinxRole):
    """``:claim:`SENTENCE [A > B]```; see ``lookup.Evidence.compare`` for the expression."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the sentence, with a mark beside it where it does not hold."""
        found, match = evidence(self.env), None
        try:
            match = _PARTS.match(self.text)
            if match is None:
                raise ResultError(f"{self.text!r} is not a sentence with a comparison in brackets at its end")
            expression = " ".join(match["expression"].split())
            if (
                _OF_SPEEDS.search(match["sentence"])
                and not _FACTOR.search(expression)
                and not any(f" {w} " in expression for w in SPEED_WORDS)
            ):
                raise ResultError(
                    f"the sentence compares speeds, and {expression!r} does not; accepted: a factor, or between two times: {', '.join(SPEED_WORDS)}"
                )
            compared = found.compare(expression)
        except (ResultError, SourceError) as error:
            if match is not None:
                changes.note(self.env, "broken", f"claim: {match['sentence']}: {error}", self.lineno)
                return [nodes.inline("", match["sentence"], classes=["claim"]), nodes.Text(" "), self._mark("broken", str(error))], []
            message = self.inliner.reporter.error(f":claim: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        anchor = f"claim-{self.env.new_serialno('conflict-free-claim')}"
        verdict = local_verdict(found, expression)
        sentence = " ".join(match["sentence"].split())
        claims_of(self.env).setdefault(self.env.docname, []).append(Claim(anchor, sentence, expression, compared.values, verdict))
        made: list[nodes.Node] = [nodes.inline("", "", *with_names(match["sentence"]), classes=["claim"], ids=[anchor])]
        if verdict is not None:
            tip = {"provenance": verdict.provenance, "tip_id": f"{anchor}-here"}
            made += [nodes.Text(" "), value("", WORDS[verdict.kind], classes=[verdict.kind], **tip)]
        if compared.stale:
            made += [nodes.Text(" "), self._mark("stale", compared.shown)]
        elif not compared.holds:
            changes.note(self.env, "broken", f"claim: {sentence}: {compared.values}", self.lineno)
            made += [nodes.Text(" "), self._mark("broken", compared.shown)]
        return made, []

    def _mark(self, kind: str, provenance: str) -> value:
        """Return the note beside a sentence that does not hold, or whose times are old."""
        tip_id = f"changed-{self.env.new_serialno('conflict-free-changed')}"
        return value("", CHANGED[kind], classes=[kind], provenance=provenance, tip_id=tip_id)


def claims_of(env: BuildEnvironment) -> dict[str, list[Claim]]:
    """Return the claims of each page that was read, by the page's name."""
    return kept_of(env, "claims")


def setup(app: Sphinx) -> None:
    """Register the role."""
    app.add_role("claim", ClaimRole())
    keep_by_page(app, claims_of)
