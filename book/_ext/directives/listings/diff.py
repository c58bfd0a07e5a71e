"""``kernel-diff``: the lines that change between two kernels, generated from their tested sources."""

import difflib
import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.source import Sources

from ..project import EvidenceDirective, shown
from .code import highlight_lines
from .folds import fold
from .listing import kernel_listing

#: The mark in place of lines that both kernels have.
GAP = {"kind": "gap", "mark": "", "html": "⋯"}


def _is_comment(lines: list[str]) -> bool:
    """Return whether no line holds code."""
    return all(line.strip().startswith("//") or not line.strip() for line in lines)


def diff_lines(old: str, new: str, old_name: str = "", new_name: str = "", above: int = 0) -> list[dict[str, Any]]:
    """Return the lines that are in one text only, each ``del`` or ``ins`` with its highlighted HTML, a ``gap`` between places.

    The first place that replaces lines has up to ``above`` lines before it, marked ``same``, with a gap for comments. Empty lines,
    places where only comments differ, and the names of the two kernels count as no change.
    """
    compared = re.sub(rf"\b{re.escape(old_name)}\b", new_name, old) if old_name else old
    before, after = compared.splitlines(), new.splitlines()
    before_html, after_html = highlight_lines(old), highlight_lines(new)
    merged: list[dict[str, Any]] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changed, end = False, 0
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal" or _is_comment(before[old_from:old_to] + after[new_from:new_to]):
            continue
        hunk = [{"kind": "del", "mark": "−", "html": before_html[n]} for n in range(old_from, old_to) if before[n].strip()]
        hunk += [{"kind": "ins", "mark": "+", "html": after_html[n]} for n in range(new_from, new_to) if after[n].strip()]
        start = new_from
        if tag == "replace" and not changed:
            changed, start = True, max(end, new_from - above)
            start = next((n for n in range(start, new_from) if not _is_comment([after[n]])), new_from)
        context: list[dict[str, Any]] = []
        for n in range(start, new_from):
            if not _is_comment([after[n]]):
                context.append({"kind": "same", "mark": "", "html": after_html[n]})
            elif after[n].strip() and context and context[-1] is not GAP:
                context.append(GAP)
        if merged and hunk and not (context and all(not line.strip() for line in after[end:start])):
            merged.append(GAP)
        merged += context + hunk
        end = new_to
    return merged


def function_text(sources: Sources, name: str) -> str:
    """Return the text of a function of the program, from the line at the left edge that begins it to its closing brace.

    Raises ResultError if the program has no such function.
    """
    wanted = re.compile(rf"^\w[^;\n]*\b{re.escape(name)}\([^;]*?\)\n?\s*\{{.*?(?:^\}}|\}}$)", re.MULTILINE | re.DOTALL)
    for file in sources.files:
        if found := wanted.search(file.text):
            return found[0]
    raise ResultError(f"{sources.files[0].path} has no function {name}")


class KernelDiff(EvidenceDirective, directive="kernel-diff"):
    """``.. kernel-diff:: SLUG.KERNEL SLUG.KERNEL``: the lines that change from the first kernel to the second.

    The second kernel is folded below, whole, with the model's counts in its margin; ``:size:`` and ``:of:`` are as those of
    ``kernel-listing``, and ``:no-counts:`` leaves the margin empty. ``:no-listing:`` leaves out the fold, for a kernel that
    the page shows elsewhere. ``:above: N`` shows N lines before the first line that changes, such as its loop. ``:grids: OLD NEW`` names the functions of the host that give the two kernels their grids, and adds the lines
    in which these differ.
    """

    required_arguments = 2
    option_spec = {
        "size": directives.unchanged_required,
        "of": directives.unchanged_required,
        "no-counts": directives.flag,
        "no-listing": directives.flag,
        "above": directives.nonnegative_int,
        "grids": directives.unchanged_required,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        sides = []
        for argument in self.arguments:
            slug, name = self.kernel_argument(argument)
            sides.append((slug, evidence.sources(slug).region(name)))
        (old_slug, old), (new_slug, new) = sides
        lines = diff_lines(old.text, new.text, old.name, new.name, self.options.get("above", 0))
        if "grids" in self.options:
            names = self.options["grids"].split()
            if len(names) != 2:
                raise ResultError(f":grids: {self.options['grids']!r} does not name two functions")
            texts = [function_text(evidence.sources(slug), name) for slug, name in zip((old_slug, new_slug), names)]
            lines += [GAP, *diff_lines(*texts, *names)]
        changes = shown(
            "diff.html",
            old=f"{old_slug}.{old.name}" if old_slug != new_slug else old.name,
            new=f"{new_slug}.{new.name}" if old_slug != new_slug else new.name,
            lines=lines,
        )
        if "no-listing" in self.options:
            return [changes]
        counted = "no-counts" not in self.options
        whole = kernel_listing(
            self, evidence, new_slug, new.name, counted=counted, size=self.options.get("size"), of=self.options.get("of")
        )
        return [changes, fold(f"The whole kernel, {new.name}", whole, code=True)]
