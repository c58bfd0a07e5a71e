"""``found-in-the-wild``: an error that the model found in a published program, as it was recorded."""

import json
from pathlib import Path
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, shown

#: Beside the pages: the records, and the folder of host programs for kernels that have no suitable one.
FILE, HOSTS = "found_in_the_wild.json", "wild"

#: The keys of each finding; ``host`` may be there too.
NEEDED = {"name", "program", "repository", "commit", "file", "lines", "command", "shown", "on_gpu", "mended"}


def load_findings(path: Path) -> dict[str, dict[str, Any]]:
    """Return the findings of the file by name. Raises ResultError if it is malformed, or if a host program is missing."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["findings"]
    except (OSError, KeyError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read as findings of JSON: {error}") from None
    for one in found:
        if set(one) - {"host"} != NEEDED:
            raise ResultError(f"{path}: finding {one.get('name')!r} needs exactly {', '.join(sorted(NEEDED))}, and may have host")
        if "host" in one and not (path.parent / HOSTS / one["host"]).is_file():
            raise ResultError(f"{path}: finding {one['name']!r}: there is no host program {HOSTS}/{one['host']}")
    return {one["name"]: one for one in found}


class FoundInTheWild(EvidenceDirective, directive="found-in-the-wild"):
    """``.. found-in-the-wild:: NAME``: program, commit, lines, command, what the model printed, a GPU's own checker, and the mend."""

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        path = Path(self.env.app.confdir) / FILE
        self.env.note_dependency(str(path))
        findings = load_findings(path)
        name = self.arguments[0]
        if name not in findings:
            raise ResultError(f"{name!r} is not recorded; accepted: {', '.join(findings)}")
        return [shown("found.html", hosts=f"book/{HOSTS}", **{"host": "", **findings[name]})]
