"""Grades the cheats that try to forge a verdict, for one assignment. Each is a template that fits every assignment.

``trials.answers`` grades the cheats by meaning, with the answers of each assignment that lists them.

    python common/python/conflict_free trials.cheats grade NAME --build-dir DIR --output FILE    grades them all into a file, with and
                                                                         without text admission
    python common/python/conflict_free trials.cheats check --graded FILE                         compares the file with outcomes.toml and the
                                                                         table of docs/grading.md; --fix writes the table
    python common/python/conflict_free trials.cheats check --graded FILE --in-sandbox            compares the outcomes that need the sandbox

A machine without a sandbox does not try the outcomes that need one, and their check ends with exit code 77.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from conflict_free.console import FAILED, NO_SANDBOX, ROOT, OneLineParser, Stop, run_main, say
from conflict_free.grading import assignment, sandbox
from conflict_free.grading.answer_texts import tomllib
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.cases import seed_of
from conflict_free.grading.scratch import scratch_folder

from . import templates

#: The graders that are tried, and their columns in the table.
LAYERS = {"all": "as graded", "without_text": "without text admission"}
PAGE = ROOT / "docs" / "grading.md"
OUTCOMES = Path(__file__).with_name("outcomes.toml")
#: Cheats with one of these texts reach beyond a namespace: to names of libraries, to files, or into other programs before they begin.
_ALONE = re.compile(r"extern|__attribute__|asm|__FILE__|include \"|\b(?:struct|class)\b")
_BEGIN, _END = (
    "<!-- table of attacks, written by python common/python/conflict_free trials.cheats check --fix -->",
    "<!-- end of the table of attacks -->",
)


def names() -> list[str]:
    """Return the names of all cheats that try to forge a verdict."""
    return sorted(path.stem for path in templates.FORGED.glob("*.cu"))


def aim(name: str) -> str:
    """Return the first comment of a cheat, which says what it tries."""
    return re.match(r"// (.*)\n\n", templates.text_of(name))[1]


# --- with and without text admission -----------------------------------------------------------------


def needs_sandbox(outcome: Mapping[str, str | bool]) -> bool:
    """Return whether only the sandbox gives this outcome. Without a sandbox such a cheat may do harm."""
    return bool(outcome.get("sandbox"))


def _outcomes(task: Assignment, build: Path, *, confined: bool) -> dict[str, dict[str, dict[str, str]]]:
    from conflict_free.grading.building import Toolchain
    from conflict_free.grading.judging import Grading

    from .compiled_together import build_all

    tools = Toolchain.of(build)
    found: dict[str, dict[str, dict[str, str]]] = {}
    texts = {name: templates.filled(task, name) for name in expected()}
    with scratch_folder("conflict_free_") as folder:
        # A cheat that does not compile would spoil the common program. Where one of several checks fails, the addresses in the cheat's
        # own program decide which.
        kept_out = {name for name, layers in expected().items() for each in layers.values() if re.search(r"compiles|\|", each["fails"])}
        together = {name: text for name, text in texts.items() if name not in kept_out and not _ALONE.search(text)}
        built = build_all(tools, task, together, folder, confined=confined)
        for name, outcomes in expected().items():
            path = folder / f"{name}.cu"
            path.write_text(texts[name], encoding="utf-8")
            found[name] = {}
            with Grading(task, path, tools=tools, confined=confined, built=built.get(name)) as grading:
                for layer in LAYERS:
                    if needs_sandbox(outcomes[layer]) and not confined:
                        continue
                    if layer == "without_text" and "all" in found[name]:
                        if not (grading.facts and grading.facts.refusals):
                            found[name][layer] = found[name]["all"]
                            continue
                        grading.facts = replace(grading.facts, refusals=())
                    failed = grading.grade(seed_of(task.name, None, "")).first_failed
                    found[name][layer] = {"fails": failed.name if failed else "", "seen": failed.seen if failed else ""}
    return found


# --- outcomes ------------------------------------------------------------------------------------


def expected() -> dict[str, dict[str, dict[str, str]]]:
    """Return the outcome that each cheat must have: by its name and layer, the check that ``fails`` and what it ``says``."""
    layers = tomllib.loads(OUTCOMES.read_text(encoding="utf-8"))
    return {name: {layer: layers[layer].get(name, outcome) for layer in LAYERS} for name, outcome in layers["all"].items()}


def complaints(found: Mapping[str, Mapping[str, Mapping[str, str]]], *, in_sandbox: bool) -> Iterator[str]:
    """Yield a line for each difference from outcomes.toml, among the outcomes that need the sandbox or among the others."""
    wanted = expected()
    if wanted.keys() != set(names()):
        yield f"{', '.join(sorted(wanted.keys() ^ set(names())))}: a file or in outcomes.toml, but not both"
    if wanted.keys() != found.keys():
        yield f"{', '.join(sorted(wanted.keys() ^ found.keys()))}: graded or in outcomes.toml, but not both"
    for name in sorted(found.keys() & wanted.keys()):
        for layer in LAYERS:
            want = wanted[name][layer]
            if needs_sandbox(want) != in_sandbox:
                continue
            seen = found[name].get(layer)
            if seen is None:
                yield f"{name}, {LAYERS[layer]}: not graded"
            elif seen["fails"] not in want["fails"].split("|") or want["says"] not in seen["seen"]:
                yield (
                    f"{name}, {LAYERS[layer]}: {seen['fails'] or 'nothing'} fails with {seen['seen']!r}; "
                    f"{want['fails'] or 'nothing'} is expected to fail, with {want['says']!r}"
                )


def _cell(outcome: Mapping[str, str]) -> str:
    if not outcome["fails"]:
        return outcome["because"]
    checks = " or ".join(f"`{name}`" for name in outcome["fails"].split("|"))
    return checks + (f": {outcome['says']}" if outcome["says"] else ": a crash, or no output")


def table() -> str:
    """Return the table of attacks and outcomes, in Markdown."""
    rows = ["| attack | what it tries | " + " | ".join(LAYERS.values()) + " |", "|---" * (2 + len(LAYERS)) + "|"]
    for name, outcome in sorted(expected().items()):
        cells = [_cell(outcome[layer]) for layer in LAYERS]
        rows.append(f"| `{name}` | {aim(name)} | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _page() -> tuple[str, str, str]:
    """Return the text before the table, the table, and the text after it."""
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN + "\n")
    now, found_end, behind = rest.partition("\n" + _END)
    if not found or not found_end:
        raise Stop(f"{PAGE.relative_to(ROOT)} has no place for the table of attacks")
    return before + _BEGIN + "\n", now, "\n" + _END + behind


def _grade(options: argparse.Namespace) -> int:
    reason = sandbox.available()
    if reason:
        print(f"warning: graded without a sandbox, and without the outcomes that need one: {reason}", file=sys.stderr)
    found = _outcomes(assignment.load(options.name), options.build_dir, confined=reason is None)
    data = {"no_sandbox": reason, "outcomes": found}
    options.output.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _check(options: argparse.Namespace) -> int:
    data = json.loads(options.graded.read_text(encoding="utf-8"))
    if options.in_sandbox and data["no_sandbox"]:
        if sandbox.available() is None:
            raise Stop(f"{options.graded} was made without a sandbox, and there is one now: remove it, then run this again")
        say(f"skipped: {data['no_sandbox']}")
        return NO_SANDBOX
    found = list(complaints(data["outcomes"], in_sandbox=options.in_sandbox))
    before, now, behind = _page()
    if now != table():
        if options.fix:
            PAGE.write_text(before + table() + behind, encoding="utf-8")
        else:
            found.append("docs/grading.md: the table of attacks is not what outcomes.toml says; write it with --fix")
    for complaint in found:
        say(complaint)
    held = sum(needs_sandbox(outcomes[layer]) == options.in_sandbox for outcomes in expected().values() for layer in LAYERS)
    say(
        f"{len(expected())} cheats with {len(LAYERS)} sets of layers: {held} outcomes that {'' if options.in_sandbox else 'do not '}need "
        f"the sandbox, {len(found)} complaints"
    )
    return FAILED if found else 0


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free trials.cheats", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, parser_class=OneLineParser)
    grading, checking = commands.add_parser("grade"), commands.add_parser("check")
    grading.add_argument("name", metavar="NAME")
    grading.add_argument("--build-dir", metavar="DIR", type=Path, required=True)
    grading.add_argument("--output", metavar="FILE", type=Path, required=True)
    grading.set_defaults(command=_grade)
    checking.add_argument("--graded", metavar="FILE", type=Path, required=True)
    checking.add_argument("--in-sandbox", action="store_true")
    checking.add_argument("--fix", action="store_true")
    checking.set_defaults(command=_check)
    options = parser.parse_args()
    return options.command(options)


if __name__ == "__main__":
    run_main(main)
