"""The content that a reader's change of a kernel has made stale or untrue, page by page, for the pages and for the end of scripts/book."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .by_page import keep_by_page, kept_of

#: The words that stand beside a time of a kernel whose text has changed.
BEFORE_CHANGE = "measured before your change"


@dataclass(frozen=True)
class Change:
    """``stale``: ``text`` is a kernel whose times are crossed out; ``broken``: it names the claim that fails, in one line."""

    kind: str
    page: str
    line: int
    text: str


def changes_of(env: BuildEnvironment) -> dict[str, list[Change]]:
    """Return the changes of each page that was read, by the page's name."""
    return kept_of(env, "changes")


def note(env: BuildEnvironment, kind: str, text: str, line: int = 0) -> None:
    """Keep a change of the page that is being read, once."""
    there = changes_of(env).setdefault(env.docname, [])
    change = Change(kind, env.docname, line, " ".join(text.split()))
    if change not in there:
        there.append(change)


def notice(text: str) -> nodes.Node:
    """Return a paragraph for a page that names a claim that fails there."""
    return nodes.paragraph("", text, classes=["changed"])


def _all(env: BuildEnvironment) -> Iterator[Change]:
    for page in sorted(changes_of(env)):
        yield from changes_of(env)[page]


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.name == "html":
        path = Path(app.outdir).with_name("changes.json")
        path.write_text(json.dumps([asdict(change) for change in _all(app.env)], indent=1) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the handlers."""
    keep_by_page(app, changes_of)
    app.connect("build-finished", _write)
