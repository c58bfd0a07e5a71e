"""``value-table``: a table whose columns are text with blanks, and whose rows fill the blanks."""

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, list_table

#: The text of a cell whose row leaves one of its blanks empty.
NOTHING = "–"


def named(line: str, what: str) -> tuple[str, str]:
    """Return the two parts of ``NAME: TEXT``. Raises ResultError, which calls the line ``what``."""
    name, colon, text = line.strip().partition(": ")
    if not (name and colon and text.strip()):
        raise ResultError(f"{what}: got {line.strip()!r}, accepted: NAME: TEXT")
    return name, text.strip()


def cell(template: str, blanks: list[str]) -> str:
    """Return ``template`` with ``{0}`` and so on replaced by ``blanks``. Raises ResultError if it has other braces."""
    try:
        return template.format(*blanks)
    except IndexError:
        return NOTHING
    except (KeyError, ValueError, AttributeError):
        raise ResultError(f"column: got {template!r}, accepted: text with {{0}}, {{1}} and so on") from None


class ValueTable(EvidenceDirective, directive="value-table"):
    """``.. value-table:: HEADING OF THE FIRST COLUMN``: the same values of several kernels or sizes.

    ``:rows:`` has a line ``NAME: BLANK BLANK …`` for each row, and the content a line ``HEADING: TEXT`` for each further column,
    where ``{0}`` is the first blank of a row, ``{1}`` the second. TEXT may have roles, such as ``:val:``.
    ``:widths:`` is that of list-table.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"rows": directives.unchanged_required, "widths": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        rows = [named(line, "row") for line in self.options.get("rows", "").splitlines() if line.strip()]
        columns = [named(line, "column") for line in self.content if line.strip()]
        if not (rows and columns):
            raise ResultError(f"got {len(rows)} rows and {len(columns)} columns, accepted: one or more of each")
        filled = [[name, *(cell(template, blanks.split()) for _, template in columns)] for name, blanks in rows]
        widths = {"widths": self.options["widths"]} if "widths" in self.options else {}
        return self.parsed(list_table([[self.arguments[0], *(heading for heading, _ in columns)], *filled], **widths))
