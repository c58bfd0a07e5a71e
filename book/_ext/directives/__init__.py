"""Sphinx extension of *Conflict-Free CUDA*: binds code, counts, times and pictures to the prose.

What the numbers mean is in the package ``conflict_free.evidence``; here they are shown, grouped by how: tables, plots, pictures,
listings, prose.
"""

import importlib
from pathlib import Path

from .project import DIRECTIVES

#: Modules with configuration values, roles or handlers, in the order in which they are registered.
HANDLERS = (
    "project",
    "changes",
    "prose.values",
    "prose.claims",
    "prose.beside",
    "listings.folds",
    "listings.listing",
    "tables.kernel_index",
    "pictures.machine",
    "pictures.explorer",
    "prose.predict",
    "prose.terms",
    "prose.api",
    "prose.navigation",
    "prose.search",
    "prose.repository",
    "prose.rules",
    "prose.course",
    "plots.ladder",
    "prose.accessible",
    "prose.ebook",
)


def setup(app):
    """Register configuration values, directives, roles and nodes with Sphinx."""
    for path in sorted(Path(__file__).parent.glob("*/[!_]*.py")):
        importlib.import_module(f".{path.parent.name}.{path.stem}", __name__)  # which puts its directives into DIRECTIVES
    for name in HANDLERS:
        importlib.import_module(f".{name}", __name__).setup(app)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
