"""``bandwidth-plot``: the bandwidth of every measured kernel at one size, as a plot with its spread."""

import hashlib
import io
import json
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number, gbps, parse_size, pretty_size
from conflict_free.evidence.names import CEILING, LOCAL, ResultError
from conflict_free.evidence.values import describe_all

from ..changes import BEFORE_CHANGE
from ..project import SKIPPED, EvidenceDirective
from ..prose.beside import gpu_name
from ..prose.ebook import EPUB

#: Far larger than any L2.
PLOTTED_SIZE = "16384x16384"

#: Colors by theme: text, muted text, bars of kernels, bars of ceilings, whiskers, bars of the reader's GPU.
THEMES = {
    "light": {"text": "#1f2328", "muted": "#59636e", "kernel": "#0b6e99", "ceiling": "#b3bcc6", "whisker": "#1f2328", "here": "#a33d00"},
    "dark": {"text": "#e6edf3", "muted": "#9aa5b1", "kernel": "#58b6de", "ceiling": "#5b6570", "whisker": "#e6edf3", "here": "#ffab70"},
}

_COLOR = re.compile(r"#[0-9a-f]{6}\b")
#: For each theme, its colors by those of the light theme.
_IN_THEME = {theme: {color: colors[part] for part, color in THEMES["light"].items()} for theme, colors in THEMES.items()}

#: Width in inches by the width of the page; on a phone the picture is scaled less, so its text stays legible.
WIDTHS = {"wide": 8.0, "narrow": 4.2}


class bandwidth_plot(nodes.General, nodes.Element):
    """A plot to be drawn when the page is written: ``rows``, ``alt`` and ``caption``."""


def bandwidth_rows(evidence: Evidence, size: str, kernels: list[str] | None = None) -> list[dict[str, Any]]:
    """Return a row per kernel measured on the book's machine at ``size``, the highest bandwidth first.

    ``here`` is the bar of the reader's GPU, None where that GPU has none.

    ``kernels`` chooses among them. Raises ResultError if there is none, one of ``kernels`` is not measured, or a kernel
    is stale or failed its check.
    """
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted((evidence.results / evidence.machine).glob("*.json")):
        slug = path.stem
        for row in evidence.result(slug)["rows"]:
            if row["size"] != size or (kernels and row["kernel"] not in kernels):
                continue
            row = evidence.measured_row(slug, row["kernel"], size)
            rows[row["kernel"]] = {
                "kernel": row["kernel"],
                "label": f"{row['kernel']} ({BEFORE_CHANGE})" if row.get("stale") else row["kernel"],
                "slug": slug,
                "ceiling": row["kernel"] == CEILING,
                **_bar(row),
                "here": _here(evidence, slug, row["kernel"], size),
            }
    missing = [kernel for kernel in kernels or () if kernel not in rows]
    if missing:
        raise ResultError(f"no result at {size} in {evidence.results / evidence.machine} for {', '.join(missing)}")
    if not rows:
        raise ResultError(f"no result at {size} in {evidence.results / evidence.machine}")
    return sorted(rows.values(), key=lambda row: -row["gbps"])


def _bar(row: dict[str, Any]) -> dict[str, float]:
    return {"gbps": gbps(row), "low": gbps(row, which="p90_ms"), "high": gbps(row, which="p10_ms")}


def _here(evidence: Evidence, slug: str, kernel: str, size: str) -> dict[str, float] | None:
    """Return the bar of the reader's GPU; None if the kernel was not measured there, or had another text."""
    try:
        return _bar(evidence.measured_row(slug, kernel, size, LOCAL))
    except ResultError:
        return None


def draw(rows: list[dict[str, Any]], width: str, paths: Mapping[str, Path]) -> None:
    """Write the plot as SVG to the path of each theme; the same rows give the same bytes."""
    # Imported here, because the import takes a second and most pages do not need it.
    import matplotlib
    from matplotlib.figure import Figure

    colors = THEMES["light"]
    narrow = width == "narrow"
    both = any(row["here"] for row in rows)
    settings = {
        "svg.hashsalt": "conflict-free",
        "svg.fonttype": "path",
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "text.color": colors["text"],
    }
    with matplotlib.rc_context(settings):
        step = (0.62 if narrow else 0.4) * (1.5 if both else 1)
        figure = Figure(figsize=(WIDTHS[width], 0.55 + step * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        height = (0.4 if narrow else 0.62) / (1.5 if both else 1)
        for place, row in enumerate(rows):
            middle = place - height / 2 if both else place
            _draw_bar(axes, middle, row, height, colors["ceiling" if row["ceiling"] else "kernel"], colors)
            if row["here"]:
                _draw_bar(axes, place + height / 2, row["here"], height, colors["here"], colors, hollow=True)
        bars = [bar for row in rows for bar in (row, row["here"]) if bar]
        axes.set_xlim(0, max(bar["high"] for bar in bars) * (1.22 if narrow else 1.12))
        axes.set_ylim(len(rows) - 0.5, -0.75 if narrow else -0.5)
        if narrow:
            axes.set_yticks([])
            for place, row in enumerate(rows):
                above = place - (height + 0.07 if both else 0.3)
                axes.text(0, above, row["label"], va="bottom", family="DejaVu Sans Mono", fontsize=9.5)
        else:
            axes.set_yticks(range(len(rows)), [row["label"] for row in rows], family="DejaVu Sans Mono", fontsize=9.5)
        axes.set_xlabel("GB/s", color=colors["muted"])
        axes.tick_params(axis="x", colors=colors["muted"])
        axes.tick_params(axis="y", length=0, colors=colors["text"])
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(colors["muted"])
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
    # To lay the figure out takes long, and themes differ in colors alone.
    for theme, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(_COLOR.sub(lambda color: _IN_THEME[theme].get(color[0], color[0]), drawn.getvalue()), encoding="utf-8")
        partial.replace(path)


def _draw_bar(
    axes: Any, place: float, bar: dict[str, float], height: float, color: str, colors: dict[str, str], hollow: bool = False
) -> None:
    """Draw one bar with its whisker and its figure; ``hollow`` is the reader's, so that it differs without color too."""
    axes.barh(place, bar["gbps"], height=height, edgecolor=color, color="none" if hollow else color, linewidth=1.4 if hollow else 0)
    spread = [[bar["gbps"] - bar["low"]], [bar["high"] - bar["gbps"]]]
    axes.errorbar(bar["gbps"], place, xerr=spread, fmt="none", ecolor=colors["whisker"], capsize=3, linewidth=1.2)
    axes.annotate(
        format_number(bar["gbps"]),
        (max(bar["gbps"], bar["high"]), place),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        color=colors["text"],
    )


class BandwidthPlot(EvidenceDirective, directive="bandwidth-plot"):
    """``.. bandwidth-plot::``: the measured kernels of the book's machine, cold.

    ``:size: WxH`` chooses the size, ``:kernels:`` chooses among the kernels.
    """

    option_spec = {"size": directives.unchanged_required, "kernels": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        size = parse_size(self.options.get("size", PLOTTED_SIZE))
        rows = bandwidth_rows(evidence, size, self.options.get("kernels", "").split())
        provenances = [evidence.result(row["slug"])["provenance"] for row in rows]
        described = "; ".join(
            f"{row['label']} {format_number(row['gbps'])} ({format_number(row['low'])} to {format_number(row['high'])})" for row in rows
        )
        alt = f"Bars of bandwidth in GB/s at {pretty_size(size)}, cold, with the spread from p10 to p90: {described}."
        here = [f"{row['kernel']} {format_number(row['here']['gbps'])}" for row in rows if row["here"]]
        ceiling = "; gray: cudaMemcpy, the ceiling" if any(row["ceiling"] for row in rows) else ""
        caption = f"Effective bandwidth at {pretty_size(size)}, cold; bar: median, whisker: p10–p90{ceiling}. {describe_all(provenances)}."
        if here:
            name = gpu_name(evidence, LOCAL)
            alt += f" On your GPU, {name}: {'; '.join(here)}."
            caption += f" Hollow: your GPU, {name}."
        return [bandwidth_plot(rows=rows, alt=alt, caption=caption)]


def _visit_html(self, node: bandwidth_plot) -> None:
    digest = hashlib.sha256(json.dumps(node["rows"], sort_keys=True).encode())
    digest.update(self.builder.config.conflict_free_fingerprint.encode())
    names = {}
    # The EPUB has one theme, and one picture for all widths.
    themes, widths = (("light",), ("wide",)) if self.builder.name == EPUB else (THEMES, WIDTHS)
    for width in widths:
        paths = {}
        for theme in themes:
            name = f"bandwidth-{digest.hexdigest()[:16]}-{theme}-{width}.svg"
            paths[theme] = Path(self.builder.outdir) / self.builder.imagedir / name
            names[theme, width] = posixpath.join(self.builder.imgpath, name)
        if not all(path.is_file() for path in paths.values()):
            draw(node["rows"], width, paths)
    self.body.append('<figure class="bandwidth">\n')
    alt = self.attval(node["alt"])
    for theme in themes:
        image = f'<img src="{names[theme, "wide"]}" alt="{alt}"/>'
        if self.builder.name != EPUB:
            narrow = f'<source media="(max-width: 40em)" srcset="{names[theme, "narrow"]}"/>'
            image = f'<picture class="only-{theme}">{narrow}{image}</picture>'
        self.body.append(f"{image}\n")
    self.body.append(f"<figcaption>{self.encode(node['caption'])}</figcaption>\n</figure>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive and its node."""
    app.add_node(bandwidth_plot, html=(_visit_html, None), **SKIPPED)
