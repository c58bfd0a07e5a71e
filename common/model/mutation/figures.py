"""Tables of the mutants by kind and by the detector that catches them, for the terminal and for the documentation."""

import pathlib

from catalog import DETECTORS, KINDS

BEGIN = "<!-- mutants: begin (written by common/model/mutation/run.py --write-docs) -->"
END = "<!-- mutants: end -->"


def table(subjects):
    """Return a header and rows of text: a kind, and the numbers of its mutants, of those for each detector, and of harmless ones."""
    mutants = [mutant for subject in subjects for mutant in subject.mutants]
    used = [each for each in DETECTORS if any(each in mutant.expect for mutant in mutants)]
    rows = [["Bug", "mutants", *(each.replace("_", " ") for each in used), "harmless"]]
    for kind in KINDS:
        rows.append(_row(kind, [mutant for mutant in mutants if mutant.kind == kind], used))
    rows.append(_row("all", mutants, used))
    return rows


def _row(title, mutants, used):
    numbers = [
        len(mutants),
        *(sum(each in mutant.expect for mutant in mutants) for each in used),
        sum(bool(mutant.harmless) for mutant in mutants),
    ]
    return [title, *(str(number) if number else "" for number in numbers)]


def plain(rows):
    """Return the table for a terminal."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def section(subjects):
    """Return the section of the documentation, with its markers."""
    mutants = [mutant for subject in subjects for mutant in subject.mutants]
    harmless = [mutant for mutant in mutants if mutant.harmless]
    rows = table(subjects)
    lines = [BEGIN, ""]
    lines += [
        f"The test `model.mutation` plants bugs in {len(subjects)} correct programs, one at a time: {len(mutants)} mutants.",
        f"It demands that the model catches each of the {len(mutants) - len(harmless)} harmful ones in the way that the bug calls for, and",
        f"that it reports nothing for the {len(harmless)} harmless ones and for the correct programs. A mutant can be caught in several",
        "ways. The detectors are the hazards, the counts (more bank conflicts or more sectors than the correct program",
        "has), a launch that is refused (`kernel error`), and the result itself, where the model has nothing to report.",
        "",
    ]
    lines += ["| " + " | ".join(rows[0]) + " |", "|---|" + "---:|" * (len(rows[0]) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows[1:]]
    lines += ["", "The harmless mutants:", ""]
    lines += [f"- `{mutant.name}`: {mutant.harmless}" for mutant in harmless]
    return "\n".join([*lines, "", END])


def write(path, subjects):
    """Write the section into a file, in place of the old one or at the end. The heading belongs to the page."""
    path = pathlib.Path(path)
    before, after = _around(path.read_text())
    path.write_text(before + section(subjects) + after)


def is_current(path, subjects):
    """Return whether the file has the current section."""
    path = pathlib.Path(path)
    return path.is_file() and section(subjects) in path.read_text()


def _around(text):
    if BEGIN not in text:
        return text.rstrip("\n") + "\n\n", "\n"
    return text[: text.index(BEGIN)], text[text.index(END) + len(END) :]
