"""Facts that the environment keeps for each page. They are dropped when the page is read again, and merged after parallel reading."""

from collections.abc import Callable, Iterable
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def kept_of(env: BuildEnvironment, name: str) -> dict[str, Any]:
    """Return the facts that the environment keeps under a name, by page."""
    return env.__dict__.setdefault(f"conflict_free_{name}", {})


def keep_by_page(app: Sphinx, kept: Callable[[BuildEnvironment], dict[str, Any]]) -> None:
    """Connect the handlers that drop and merge the facts that ``kept`` returns for an environment."""

    def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        kept(env).pop(docname, None)

    def merge(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment) -> None:
        kept(env).update({name: found for name, found in kept(other).items() if name in docnames})

    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
