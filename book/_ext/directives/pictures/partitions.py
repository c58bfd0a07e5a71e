"""``partition-map``: to which partitions of device memory the requests of concurrent blocks go, from the model's counts."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import counted_size, parse_size
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, picture, render

#: Units of a picture: width of a bar and its gap, height of the highest bar, room for the numbers above and below.
BAR, GAP, HEIGHT, LINE = 26, 6, 84, 18


def bars(requests: list[int], highest: int) -> list[dict[str, Any]]:
    """Return a bar for each partition; ``highest`` fills the height."""
    made = []
    for partition, number in enumerate(requests):
        height = round(HEIGHT * number / highest, 2)
        made.append({"x": partition * (BAR + GAP), "y": LINE + HEIGHT - height, "height": height, "number": number})
    return made


def describe_step(kernel: str, op: str, requests: list[int], blocks: int) -> str:
    """Return the description of a panel."""
    busy = [number for number in requests if number]
    each = f"{min(busy)} to {max(busy)} each" if min(busy) < max(busy) else f"{busy[0]} each"
    return (
        f"The first {op} of the {blocks} concurrent blocks of {kernel}: {plural(sum(requests), 'request')} to "
        f"{len(busy)} of {len(requests)} partitions{', ' + each if len(busy) > 1 else ''}."
    )


class PartitionMap(EvidenceDirective, directive="partition-map"):
    """``.. partition-map:: MACHINE:SLUG load|store``: the first access of blocks that run together, partition by partition.

    ``:kernels:`` chooses among the kernels, ``:size:`` the size.
    """

    required_arguments = 2
    option_spec = {"kernels": directives.unchanged_required, "size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, op = self.arguments
        if op not in ("load", "store"):
            raise ResultError(f"{op!r} is not an access; accepted: load, store")
        program = evidence.program(slug)
        kernels = self.options.get("kernels", "").split() or list(dict.fromkeys(row["kernel"] for row in program["rows"]))
        size = parse_size(self.options.get("size") or counted_size(program, kernels[0]))
        panels = [self._panel(evidence, slug, kernel, op, size) for kernel in kernels]
        highest = max(max(panel["requests"]) for panel in panels)
        for panel in panels:
            panel["bars"] = bars(panel["requests"], highest)
        width = len(panels[0]["bars"]) * (BAR + GAP) - GAP
        html = render(
            "partition_map.html",
            panels=panels,
            machine=program["machine"],
            size=size,
            op=op,
            bar=BAR,
            width=width,
            height=HEIGHT,
            line=LINE,
        )
        return picture(html, " ".join(panel["description"] for panel in panels))

    def _panel(self, evidence: Evidence, slug: str, kernel: str, op: str, size: str) -> dict[str, Any]:
        partitions = evidence.counts_row(slug, kernel, size)["counts"].get("partitions")
        if not partitions:
            raise ResultError(f"the partitions of {slug} are not watched; accepted: machines such as gt200")
        requests = partitions[op]["first_step"]
        if not any(requests):
            raise ResultError(f"{kernel} of {slug} makes no global {op}")
        return {
            "kernel": kernel,
            "requests": requests,
            "used": sum(number > 0 for number in requests),
            "bytes": partitions["bytes"],
            "description": describe_step(kernel, op, requests, partitions["concurrent_blocks"]),
        }
