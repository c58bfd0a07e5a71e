"""``assignment`` (an assignment's whole page except its title) and ``assignment-table`` (all of them, for teachers)."""

import json
import re
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import switch_source_input

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.source import read_source

from ..project import EvidenceDirective
from .predict import answer

FORMAT = "conflict_free/assignment/1"

#: The machine that is counted for by default.
DEFAULT_MACHINE = "sm_90"

#: The demand of each check that every assignment has, in a student's words.
WANTED = {
    "exists": "The file is there, and it is text.",
    "safe": "No hazard, and an end within the limits.",
    "correct": "Every output is right, at the sizes below and at sizes that you do not see.",
    "by_kernels": "Your kernels load every element of the inputs, are the last to write every element of the outputs, and let all lanes take part.",
}


def described(evidence: Evidence, name: str) -> dict[str, Any]:
    """Return the build's description of an assignment. Raises ResultError."""
    path = evidence.counts.parent / "assignments" / f"{name}.json"
    evidence.on_read(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise ResultError(f"there is no assignment {path}; the CMake target 'book' describes each in chapters/*/assignment") from None
    if data.get("format") != FORMAT:
        raise ResultError(f"{path} has the format {data.get('format')!r}, {FORMAT!r} is accepted")
    return data


def sizes(parameters: dict[str, int]) -> str:
    """Return the parameters of a case in words."""
    return ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in parameters.items())


# Code in a hint, which is plain text for the terminal too: a name with a dot, an underscore or a hump,
# a call, a vector type.
_CODE = re.compile(
    r"(?<![\w.])(?:__\w+|[A-Za-z]\w*(?:\.[A-Za-z]\w*)+|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|(?:u?int|float|double|uchar)[1-4])(?:\([^()]*\))?(?!\w)"
)


def inline(text: str) -> list[nodes.Node]:
    """Return plain text with its code marked as code."""
    text = " ".join(text.split())
    made: list[nodes.Node] = []
    at = 0
    for match in _CODE.finditer(text):
        made += [nodes.Text(text[at : match.start()]), _code(match[0])]
        at = match.end()
    return [*made, nodes.Text(text[at:])]


class _AssignmentDirective(EvidenceDirective):
    """The common part of both directives."""

    def parsed_of(self, source: str, text: str) -> list[nodes.Node]:
        """Return the nodes of the reStructuredText of another file, ``source``, which messages about it name."""
        holder = nodes.Element()
        lines = StringList(text.splitlines(), source=source)
        with switch_source_input(self.state, lines):
            self.state.nested_parse(lines, 0, holder)
        return holder.children

    def words(self, text: str) -> list[nodes.Node]:
        """Return the nodes of reStructuredText of this module's own."""
        return self.parsed(text.splitlines())

    def section(self, title: str, *children: nodes.Node) -> nodes.section:
        """Return a section of the page."""
        node = nodes.section("", nodes.title("", title), *children, names=[nodes.fully_normalize_name(title)])
        self.state.document.note_implicit_target(node, node)
        return node

    def table(self, heads: list[str], rows: list[list[list[nodes.Node]]], widths: list[int], title: str = "") -> nodes.table:
        """Return a table; a cell is a list of inline nodes."""
        group = nodes.tgroup(cols=len(heads))
        group.extend(nodes.colspec(colwidth=width) for width in widths)
        group += nodes.thead("", _row([[nodes.Text(head)] for head in heads]))
        group += nodes.tbody("", *map(_row, rows))
        table = nodes.table("", group, classes=["assignment"])
        if title:
            table.insert(0, nodes.title("", title))
        self.set_source_info(table)
        return table


def _row(cells: list[list[nodes.Node]]) -> nodes.row:
    return nodes.row("", *[nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells])


def _text(words: object) -> list[nodes.Node]:
    return [nodes.Text(str(words))]


def _code(words: str) -> nodes.literal:
    return nodes.literal(words, words)


class AssignmentPage(_AssignmentDirective, directive="assignment"):
    """``.. assignment:: NAME``: the brief, the checks, the starter, hints, and the commands to work with.

    It stands alone on its page, below a title that is the assignment's own.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        name = self.arguments[0]
        data = described(evidence, name)
        title = next(iter(self.state.document.findall(nodes.title)), None)
        if title is None or title.astext() != data["title"]:
            raise ResultError(f"the page's title is {title.astext() if title else ''!r}; that of its assignment is {data['title']!r}")
        return [
            *self._opening(data),
            *self._brief(evidence, data),
            self._checks(data),
            self._starter(data),
            self._work(data),
            self._hints(data),
        ]

    def _opening(self, data: dict[str, Any]) -> list[nodes.Node]:
        machine = "" if data["machine"] == DEFAULT_MACHINE else f" The rules that count are those of the machine ``{data['machine']}``."
        return self.words(
            f"*{data['summary']}*\n\nIt belongs to :doc:`/{data['name']}`. Plan {data['minutes']} minutes; it gives {data['max_points']} "
            f"points.{machine} You need no GPU."
        )

    def _brief(self, evidence: Evidence, data: dict[str, Any]) -> list[nodes.Node]:
        path = evidence.chapters / data["name"] / "assignment" / data["brief"]
        evidence.on_read(path)
        text = read_source(path)
        for place, number in data["numbers"].items():
            text = text.replace(place, number)
        return self.parsed_of(str(path), text)

    def _checks(self, data: dict[str, Any]) -> nodes.section:
        wanted = {name: _text(words) for name, words in WANTED.items()}
        wanted["compiles"] = [nodes.Text("It compiles, and defines "), _code(data["declaration"]), nodes.Text(".")]
        points = dict(data["points"])
        fast = points.pop("fast")
        for threshold in data["thresholds"]:
            name = threshold["check"]
            points[name] = threshold["points"]
            bound = " is at most " if threshold["is_upper"] else " is at least "
            wanted[name] = [_code(threshold["count"]), nodes.Text(bound), _code(threshold["limit"]), nodes.Text(".")]
        rows = [[[_code(name)], _text(number), wanted[name]] for name, number in points.items()]
        if fast:
            ratio = nodes.Text(f"On a GPU: at least {data['minimum_gpu_ratio']:g} of our solution's speed, in the same run.")
            rows.append([[_code("fast")], _text(f"{fast} more"), [ratio]])
        table = self.table(["check", "points", "what it wants"], rows, [22, 14, 64])
        limits = data["limits"]
        seen = [[_text(case["name"].replace("_", " ")), _text(sizes(case["parameters"]))] for case in data["visible_cases"]]
        cases = self.table(["case", "sizes"], seen, [40, 60])
        return self.section(
            "What is checked",
            *self.words(
                "In this order. The first of ``exists``, ``compiles``, ``safe``, ``correct`` and ``by_kernels`` that "
                "fails stops the others. The counts are summed over all launches of a case, and every case has to keep every limit."
            ),
            table,
            *self.words(
                f"These cases you see. There are {data['hidden_cases']} more, whose sizes and data are drawn for each student anew."
            ),
            cases,
            *self.words(
                f"A case may take {limits['seconds']:g} s, {limits['memory_megabytes']:,} MB of memory, and print "
                f"{limits['output_kilobytes']:,} kB."
            ),
        )

    def _starter(self, data: dict[str, Any]) -> nodes.section:
        block = nodes.literal_block(data["starter"], data["starter"], language="cuda")
        self.set_source_info(block)
        return self.section(
            "The starter",
            *self.words(
                f"This is ``{data['source']}``. It compiles and is safe to run, and gives {data['starter_points']} points. "
                "Work between the marks, or anywhere else: what has to stay is the declaration of the function."
            ),
            block,
        )

    def _work(self, data: dict[str, Any]) -> nodes.section:
        name, folder = data["name"], "work"
        source, attempt = f"{folder}/{data['source']}", f"{folder}/{data['try']}"
        machine = "" if data["machine"] == DEFAULT_MACHINE else f" --machine {data['machine']}"
        lines = {
            f"scripts/grade release {name} {folder}": "once: the starter, and a program to try it with",
            f"scripts/grade watch {name} {source}": "grades each time you save",
            f"scripts/grade run {name} {source}": "grades once",
            f"scripts/count {attempt}{machine}": "runs it, and shows its accesses line by line",
        }
        widest = max(map(len, lines))
        commands = "\n".join(f"{command:<{widest}}  # {what}" for command, what in lines.items())
        block = nodes.literal_block(commands, commands, language="sh")
        self.set_source_info(block)
        return self.section(
            "How to work",
            block,
            *self.words(
                f"With a GPU, ``nvcc {data['try']}`` makes an ordinary program. Hand in ``{data['source']}``, that file alone. "
                "It is graded as it is at home, at other hidden sizes if your teacher has set a secret."
            ),
        )

    def _hints(self, data: dict[str, Any]) -> nodes.section:
        folds = []
        for number, hint in enumerate(data["hints"], start=1):
            fold = answer(label=f"Show hint {number}")
            self.set_source_info(fold)
            fold += nodes.paragraph("", "", *inline(hint))
            folds.append(fold)
        return self.section(
            "Hints", *self.words(f"They are there for ``scripts/grade hint {data['name']}`` too. Look at your own counts first."), *folds
        )


class AssignmentTable(_AssignmentDirective, directive="assignment-table"):
    """``.. assignment-table::``: a row for each assignment: points, minutes, checks on counts, answers that grade the grader.

    ``:rubric:`` gives the points of each check instead.
    """

    option_spec = {"rubric": lambda argument: True}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        folder = evidence.counts.parent / "assignments"
        found = [
            described(evidence, path.stem)
            for path in sorted(folder.glob("*.json"))
            if (evidence.chapters / path.stem / "assignment").is_dir()
        ]
        if not found:
            raise ResultError(f"there is no assignment in {folder}; the CMake target 'book' describes each in chapters/*/assignment")
        found.sort(key=lambda data: data["minutes"])
        return [self._rubric(found) if "rubric" in self.options else self._all(found)]

    def _link(self, data: dict[str, Any]) -> list[nodes.Node]:
        return self.words(f":doc:`/assignments/{data['name']}`")[0].children

    def _all(self, found: list[dict[str, Any]]) -> nodes.table:
        rows = []
        for data in found:
            effort = nodes.Text(f", {data['minutes']} minutes, {data['max_points']} points")
            rows.append([[*self._link(data), effort], _text(data["summary"])])
        return self.table(["assignment", "what it asks for"], rows, [40, 60])

    def _rubric(self, found: list[dict[str, Any]]) -> nodes.table:
        rows = []
        for data in found:
            counts = sum(threshold["points"] for threshold in data["thresholds"])
            points = data["points"]
            checks = (points[check] for check in ("compiles", "safe", "correct"))
            numbers = (*checks, counts, data["max_points"], points["fast"] or "none", data["starter_points"])
            rows.append([self._link(data), *map(_text, numbers)])
        heads = ["assignment", "compiles", "safe", "correct", "counts", "together", "on a GPU, more", "the starter gets"]
        return self.table(heads, rows, [30, 10, 10, 10, 10, 10, 10, 10])
