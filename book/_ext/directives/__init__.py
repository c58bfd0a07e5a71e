"""Sphinx extension of *Conflict-Free CUDA*: binds code, counts, times and pictures to the prose.

What the numbers mean is in the package ``conflict_free.evidence``; here they are shown, grouped by how: tables, plots, pictures,
listings, prose.
"""

import importlib

from .project import DIRECTIVES

#: Modules with directives, roles or handlers of their own, in the order in which they are registered.
MODULES = (
    "project",
    "changes",
    "prose.values",
    "prose.claims",
    "tables.classics",
    "prose.beside",
    "tables.counting",
    "listings.folds",
    "listings.listing",
    "listings.diff",
    "listings.steps",
    "tables.counted",
    "tables.measured",
    "tables.value_table",
    "tables.kernel_index",
    "pictures.sectors",
    "pictures.row_sectors",
    "listings.specimens",
    "listings.found",
    "pictures.banks",
    "pictures.tile_banks",
    "pictures.rounds",
    "pictures.lane_tile",
    "pictures.fragment_map",
    "pictures.machine",
    "pictures.stages",
    "pictures.timeline",
    "plots.exchange_plot",
    "pictures.explorer",
    "pictures.flow",
    "pictures.loops",
    "pictures.block_orders",
    "pictures.tile_orders",
    "pictures.sector_warps",
    "pictures.partitions",
    "plots.value_bars",
    "plots.bounds",
    "plots.stacked_bars",
    "plots.curves",
    "plots.bandwidth_plot",
    "plots.speedup_plot",
    "prose.predict",
    "prose.terms",
    "prose.api",
    "prose.search",
    "prose.rules",
    "prose.course",
    "plots.ladder",
    "prose.assignments",
    "prose.accessible",
    "prose.ebook",
)


def setup(app):
    """Register configuration values, directives, roles and nodes with Sphinx."""
    for name in MODULES:
        module = importlib.import_module(f".{name}", __name__)
        if hasattr(module, "setup"):
            module.setup(app)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
