"""Grades each answer of an assignment, its starter and its solution, and compares the results with task.toml.

python common/python/conflict_free trials.answers grade NAME --build-dir DIR --output FILE     grades them all into one file
python common/python/conflict_free trials.answers check NAME --graded FILE                     compares the file with task.toml
python common/python/conflict_free trials.answers time NAME                                    times the right ones on this machine's GPU
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from conflict_free.console import FAILED, USAGE, OneLineParser, Stop, run_main, say
from conflict_free.grading import regions, release, sandbox, text_facts, timing
from conflict_free.grading.answer_texts import SOLUTION, STARTER
from conflict_free.grading.assignment import TRY, Assignment
from conflict_free.grading.building import OPTIONS, Toolchain
from conflict_free.grading.cases import draw, seed_of
from conflict_free.grading.facts import Facts
from conflict_free.grading.judging import grade
from conflict_free.grading.parts import Outcome
from conflict_free.grading.result import GATES, Result
from conflict_free.grading.scratch import scratch_folder
from conflict_free.setup import cuda
from conflict_free.whole_files import write_asked

from . import compiled_together, templates
from .confinement import confined

#: An answer that fails one of these checks never runs.
BEFORE_RUNS = GATES[: GATES.index("compiles") + 1]
#: Some cheats have constructors, which would run in the other answers' programs too.
_COMPILED_ALONE = (SOLUTION, "constructor_function", "exit_before_main")
#: A constant variable may fill its memory, so that a second one in the same program has no room.
_FILLED = "__constant__"
_SHORT = 8  # a line of the solution up to this length, such as "}" or "else", may stand in any file


def submissions(task: Assignment, folder: Path) -> dict[str, Path]:
    """Write the starter, the solution and all answers into ``folder``; return the files by name."""
    files = {name: folder / f"{name}.cu" for name in task.outcomes()}
    for name, path in files.items():
        path.write_text(task.text_of(name), encoding="utf-8")
    return files


def grade_all(task: Assignment, tools: Toolchain, *, confined: bool) -> dict[str, Result]:
    """Grade the starter, the solution and all answers of an assignment.

    Most are compiled together, and their texts are read without a sandbox. The solution and a few cheats are compiled and read alone, as
    students' files are.
    """
    with scratch_folder("conflict_free_") as folder:
        files = submissions(task, folder)
        texts = {
            name: task.text_of(name)
            for name, outcome in task.outcomes().items()
            if name not in _COMPILED_ALONE and outcome.fails not in BEFORE_RUNS and _FILLED not in task.text_of(name)
        }
        built = compiled_together.build_all(tools, task, texts, folder, confined=confined)
        facts = {name: Facts.of(text_facts.facts(texts[name], None, {})) for name in built}
        return {
            name: grade(task, path, tools=tools, confined=confined, built=built.get(name), facts=facts.get(name))
            for name, path in files.items()
        }


def try_both(task: Assignment, tools: Toolchain) -> dict[str, int]:
    """Run the released program try.cu with the starter and with the solution, under the model. Return the exit codes.

    Raises Stop if the program does not compile.
    """
    codes, texts = {}, {STARTER: task.starter(), SOLUTION: task.solution()}
    with tempfile.TemporaryDirectory() as scratch:
        trial = release.files(task)[TRY]
        included = f'#include "{task.source.name}"\n'
        if trial.count(included) != 1:
            raise Stop(f"{TRY} of assignment {task.name} does not include {task.source.name} once")
        unit, program = Path(scratch, "both.cu"), Path(scratch, "program")
        both = (trial.replace(included, text) for text in texts.values())
        unit.write_text(compiled_together.unit_of(both, TRY, "main", "int main(int argc, char** argv)"), encoding="utf-8")
        done = subprocess.run([tools.nvcc, *OPTIONS, "-nodlink", "-o", program, unit], capture_output=True, text=True)
        if done.returncode:
            raise Stop(f"{TRY} of assignment {task.name} does not compile: {(done.stderr + done.stdout).strip().splitlines()[0]}")
        environment = {"LD_LIBRARY_PATH": str(tools.runtime), "SIMT_MACHINE": task.machine}
        for name, each in zip(texts, compiled_together.programs(program, len(texts))):
            codes[name] = subprocess.run([each], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    return codes


def complaints(task: Assignment, results: Mapping[str, Result], tried: Mapping[str, int] | None = None) -> Iterator[str]:
    """Yield a line for each difference from task.toml. ``tried`` is the result of ``try_both``, or None to leave it out."""
    yield from _complaints_about_source(task)
    if tried and tried[SOLUTION] != 0:
        yield f"{TRY} ends with exit code {tried[SOLUTION]} on the solution, 0 is expected"
    if tried and tried[STARTER] != 1 and task.starter_expected.fails == "correct":
        yield f"{TRY} ends with exit code {tried[STARTER]} on the starter, which is not correct: 1 is expected"
    expected = task.outcomes()
    if set(results) != set(expected):
        yield f"{', '.join(sorted(set(results) ^ set(expected)))}: graded or in task.toml, but not both"
    for name in expected.keys() & results.keys():
        yield from _complaints_about(name, results[name], expected[name])
    right = sum(not outcome.fails for name, outcome in expected.items() if name not in (STARTER, SOLUTION))
    if right < 2 or len(expected) - 2 - right < 6:
        yield f"{right} right and {len(expected) - 2 - right} wrong answers: at least 2 and 6 are needed"


def _complaints_about(name: str, result: Result, expected: Outcome) -> Iterator[str]:
    failed = result.first_failed
    first = failed.name if failed else ""
    said = f"{failed.seen} {failed.help}" if failed else ""
    if result.points != expected.points:
        yield f"{name}: {result.points} points, {expected.points} are expected"
    if not expected.has(first):
        yield f"{name}: fails {first or 'nothing'} ({said}), {expected.fails or 'nothing'} is expected"
    elif expected.says not in said:
        yield f"{name}: {first} says {said!r}, {expected.says!r} is expected in it"
    elif failed and not (failed.seen and failed.wanted and failed.help):
        yield f"{name}: {first} leaves the student without what was seen, what was wanted or help"


def _complaints_about_source(task: Assignment) -> Iterator[str]:
    """Yield a line if starter and solution differ outside of the regions, and for each solution line that a released file shows."""
    source = task.source.read_text(encoding="utf-8")
    if not any(region.marked for region in regions.parse(source, task.source.name)):
        yield f"{task.source.name} has no {regions.BEGIN}"
    if not regions.differ_only_inside(task.starter(), task.solution(), source, task.source.name):
        yield f"{task.source.name}: starter and solution differ outside of the marked regions"
    secrets = {line for line in regions.solution_lines(source, task.source.name) if len(line) > _SHORT}
    for name, text in release.files(task).items():
        for line in text.splitlines():
            if line.strip() in secrets:
                yield f"{name} is handed out with a line of the solution: {line.strip()}"


def _grade(options: argparse.Namespace) -> int:
    task = templates.load(options.name)
    tools = Toolchain.of(options.build_dir)
    results = grade_all(task, tools, confined=confined())
    data = {"results": {name: result.to_json() for name, result in results.items()}, "tried": try_both(task, tools)}
    write_asked(options.output, json.dumps(data, indent=1, ensure_ascii=False) + "\n", "--output")
    return 0


def _check(options: argparse.Namespace) -> int:
    task = templates.load(options.name)
    data = json.loads(options.graded.read_text(encoding="utf-8"))
    results = {name: Result.from_json(each) for name, each in data["results"].items()}
    found = list(complaints(task, results, data["tried"]))
    for complaint in found:
        say(complaint)
    say(f"{task.name}: {len(task.outcomes())} submissions graded, {len(found)} complaints")
    return FAILED if found else 0


def _time(options: argparse.Namespace) -> int:
    task = templates.load(options.name)
    nvcc = cuda.system_nvcc()
    if not task.gpu_case or not nvcc:
        say(f"{task.name}: no time is asked for" if nvcc else "no nvcc on this machine")
        return 0 if nvcc else USAGE
    case, failed = draw(task, task.gpu_case, seed_of(task.name, None, "")), 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, path in submissions(task, Path(scratch)).items():
            if task.outcomes()[name].fails:
                continue
            with tempfile.TemporaryDirectory() as folder:
                found = timing.fast(
                    task,
                    path.read_text(encoding="utf-8"),
                    case,
                    timing.Gpu.here(nvcc),
                    Path(folder),
                    confined=sandbox.available() is None,
                    progress=lambda what: None,
                )
            say(f"{task.name}, {name}: {found.seen}; {found.wanted}")
            failed += not found.passed
    return FAILED if failed else 0


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free trials.answers", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, parser_class=OneLineParser)
    for name, run, option in (("grade", _grade, "--output"), ("check", _check, "--graded")):
        made = commands.add_parser(name)
        made.add_argument("name", metavar="NAME")
        made.add_argument(option, metavar="FILE", type=Path, required=True)
        made.set_defaults(command=run)
        if name == "grade":
            made.add_argument("--build-dir", metavar="DIR", type=Path, required=True)
    timer = commands.add_parser("time")
    timer.add_argument("name", metavar="NAME")
    timer.set_defaults(command=_time)
    options = parser.parse_args()
    return options.command(options)


if __name__ == "__main__":
    run_main(main)
