"""scripts/new-assignment: the files of an assignment, and its lines in the listings. Standard library only."""

import argparse
import re
from pathlib import Path

from conflict_free.console import ROOT, OneLineParser, Stop, say, shown_path

from .new_files import refuse_existing, write_new

TEMPLATES = Path(__file__).with_name("assignment")
CHAPTERS = ROOT / "chapters"
BOOK = ROOT / "book"
#: The caption of the part of book/index.rst that lists the pages of assignments.
CAPTION = "Assignments"


def _chapters() -> list[str]:
    """Return the chapters that have no assignment yet."""
    return sorted(path.parent.name for path in CHAPTERS.glob("*/CMakeLists.txt") if not (path.parent / "assignment").exists())


def _slug(text: str) -> str:
    known = _chapters()
    if text not in known:
        raise argparse.ArgumentTypeError(
            f"{text!r} given, a chapter without an assignment is accepted: {', '.join(known) or 'there is none'}"
        )
    return text


def in_cmake(text: str, slug: str) -> str:
    """Return a chapter's CMakeLists.txt with the assignment added."""
    return text.rstrip("\n") + f"\nadd_assignment({slug})\n"


def in_index(text: str, slug: str) -> str:
    """Return book/index.rst with the page added at the end of the part that lists assignments."""
    pattern = rf"^\.\. toctree::\n(?:   :.*\n)*   :caption: {CAPTION}\n(?:   :.*\n)*\n(?:   [\w/]+\n)*   [\w/]+$"
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise Stop(f"book/index.rst has no part '{CAPTION}' to put the page in")
    return text[: found.end()] + f"\n   assignments/{slug}" + text[found.end() :]


def made_from_templates(slug: str) -> dict[Path, str]:
    """Return the files of a new assignment and its page, by their place."""
    folder = CHAPTERS / slug / "assignment"
    files = {}
    for template in sorted(TEMPLATES.rglob("*.start")):
        inside = template.relative_to(TEMPLATES).with_suffix("")
        place = BOOK / "assignments" / f"{slug}.rst" if inside.name == "page.rst" else folder / inside
        files[place] = template.read_text(encoding="utf-8").replace("@slug@", slug)
    return files


def main() -> int:
    parser = OneLineParser(
        prog="scripts/new-assignment",
        usage="scripts/new-assignment SLUG",
        description="Makes chapters/SLUG/assignment and its page in the book. It is a small assignment that works: its answers are "
        "graded as it says. docs/teaching.md says what to change.",
    )
    parser.add_argument("slug", metavar="SLUG", type=_slug, help="a chapter, which scripts/new-chapter makes")
    slug = parser.parse_args().slug
    texts = made_from_templates(slug)
    refuse_existing(texts)
    for path, change in ((CHAPTERS / slug / "CMakeLists.txt", in_cmake), (BOOK / "index.rst", in_index)):
        texts[path] = change(path.read_text(encoding="utf-8"), slug)
    write_new(texts, CHAPTERS / slug / "assignment")
    for path in texts:
        say(shown_path(path))
    say()
    say("The assignment works. Next:")
    say(f"  1. Change the task: brief.rst, reverse.cu, slow.cu, driver.cu, try.cu and reference.py in chapters/{slug}/assignment,")
    say("     and task.toml: title, declaration, cases, thresholds, points, hints.")
    say("  2. Write the answers, at least two right and six wrong ones, as files of answers/ or as changes in answers.toml,")
    say("     and say in task.toml what each scores.")
    say(f"  3. Let the grader be graded: scripts/test --only assignment.{slug}")
    say(f"  4. Lead there from the chapter's page, book/{slug}.rst: :doc:`assignments/{slug}`.")
    say(f"  5. Solve it yourself, as a student would, with scripts/grade watch {slug} FILE, and write down the minutes.")
    return 0
