"""Runs the commands of scripts/grade in the virtual environment, except ``answer``. command_line.py parses their arguments."""

import argparse
import os
import sys

from rich.console import Console

from conflict_free.console import FAILED, USAGE, Stop, run_main, say
from conflict_free.setup import cuda
from conflict_free.whole_files import write_asked

from . import assignment, building, classes, exports, feedback, handed_in, release, sandbox, shards, watching
from .building import Toolchain
from .command_line import parser
from .judging import grade
from .result import Result
from .timing import Gpu


def require_sandbox(confined: bool) -> None:
    """Raise Stop if this machine cannot confine a submission. Warn if the submission is to run unconfined."""
    if not confined:
        print("warning: without a sandbox: the submission can do all that you can", file=sys.stderr, flush=True)
    elif reason := sandbox.available():
        raise Stop(f"no sandbox here: {reason}; for your own code, --no-sandbox is accepted", USAGE)


def gpu_of(options: argparse.Namespace) -> Gpu | None:
    """Return the GPU to time on, or None without ``--gpu``. Raises Stop without a CUDA compiler."""
    if not options.gpu:
        return None
    nvcc = options.nvcc or cuda.system_nvcc()
    if nvcc is None:
        raise Stop("--gpu: no nvcc on this machine; without --build-dir it is installed", USAGE)
    return Gpu.here(nvcc)


def _list(options: argparse.Namespace) -> int:
    tasks = [assignment.load(name) for name in assignment.names()]
    widest = max((len(task.name) for task in tasks), default=0)
    for task in tasks:
        say(f"{task.name:<{widest}}  {task.max_points:>3} points  about {task.minutes:>3} minutes  {task.title}")
    return 0


def _release(options: argparse.Namespace) -> int:
    for path in release.release(assignment.load(options.assignment), options.folder):
        say(str(path))
    return 0


def _run(options: argparse.Namespace) -> int:
    task = assignment.load(options.assignment)
    require_sandbox(options.confined)
    with feedback.progress() as progress:
        result = grade(
            task,
            options.submission,
            tools=Toolchain.of(options.build_dir),
            student=options.student,
            secret=options.secret,
            confined=options.confined,
            gpu=gpu_of(options),
            progress=progress,
        )
    feedback.show(result)
    _write(options, result)
    return 0 if result.passed else FAILED


def _write(options: argparse.Namespace, result: Result) -> None:
    """Write the files that the options name."""
    texts = {
        "json": result.to_text,
        "gradescope": lambda: exports.gradescope(result),
        "classroom50": lambda: exports.classroom50(result, os.environ),
        "junit": lambda: exports.junit([result]),
    }
    for option, text in texts.items():
        if path := getattr(options, option):
            write_asked(path, text(), f"--{option}")
    missing = exports.classroom50_missing(os.environ)
    if options.classroom50 and missing:
        print(
            f"warning: --classroom50: {', '.join(missing)} of Classroom 50's runner not set; the file has placeholders",
            file=sys.stderr,
            flush=True,
        )
    if options.picture:
        drawing = next((check.drawing for check in result.checks if check.drawing), None)
        if drawing:
            write_asked(options.picture, drawing, "--picture")
        else:
            print(f"no picture in {options.picture}: no check that failed is about an access", file=sys.stderr)


def _run_all(options: argparse.Namespace) -> int:
    task = assignment.load(options.assignment)
    require_sandbox(options.confined)
    gpu, tools = gpu_of(options), Toolchain.of(options.build_dir)
    found = handed_in.find(options.folder, task.source.name)
    for option in ("json_dir", "gradescope_dir", "kept"):
        path = getattr(options, option)
        if path and path.resolve().is_relative_to(options.folder.resolve()):
            raise Stop(
                f"argument --{option.replace('_', '-')}: {str(path)!r} given, a folder outside of what was handed in is accepted", USAGE
            )
    for line in found.passed_over:
        say(f"passed over: {line}")
    settings = classes.Settings(task.name, options.build_dir.resolve(), options.secret, options.confined, gpu and str(gpu.nvcc))
    # Two submissions on a GPU at the same time would slow each other down.
    jobs = options.jobs or (1 if options.gpu else len(os.sched_getaffinity(0)))
    submissions, part = found.submissions, None
    if options.shard:
        part = shards.Part.of(options.shard, submissions, task.name, [classes.state_of_grader(task), tools.version(), settings.shared()])
        submissions = [
            submission for submission in submissions if shards.share_of(submission.student, options.shard.of) == options.shard.number
        ]
    building.driver_object(tools, task)  # compiled here once, so that no worker has to
    graded = classes.grade_class(task, submissions, settings, jobs, options.kept or classes.KEPT)
    classes.write(
        submissions,
        graded,
        csv=options.csv,
        json_dir=options.json_dir,
        gradescope_dir=options.gradescope_dir,
        junit=options.junit,
        part=part,
    )
    for line in classes.summary(graded):
        say(line)
    return classes.exit_code(graded)


def _merge(options: argparse.Namespace) -> int:
    rows, checks = shards.merge(options.parts)
    write_asked(options.csv, exports.class_csv(rows, checks), "--csv")
    for line in classes.same_files((row["student"], row["sha256"]) for row in rows):
        say(line)
    failed = [row for row in rows if row["status"] != "graded"]
    for row in failed:
        say(f"not graded: {row['student']}: {row['seen']}")
    say(f"{len(rows)} students of {len(options.parts)} parts in {options.csv}")
    return FAILED if failed else 0


def _watch(options: argparse.Namespace) -> int:
    task = assignment.load(options.assignment)
    require_sandbox(options.confined)
    tools, gpu = Toolchain.of(options.build_dir), gpu_of(options)

    def grade_it() -> Result:
        return grade(
            task, options.submission, tools=tools, student=options.student, secret=options.secret, confined=options.confined, gpu=gpu
        )

    return watching.watch(task, options.submission, grade_it, once=options.once, out=Console(highlight=False))


def _hint(options: argparse.Namespace) -> int:
    say(assignment.load(options.assignment).hints[options.number - 1])
    return 0


_COMMANDS = {"list": _list, "release": _release, "run": _run, "run-all": _run_all, "merge": _merge, "watch": _watch, "hint": _hint}


def main() -> int:
    options = parser().parse_args()
    return _COMMANDS[options.command](options)


if __name__ == "__main__":
    run_main(main)
