"""The options of conflict-free for a counted program, and the environment that passes them to the model. Standard library only."""

import argparse
import sys

from conflict_free.arguments import existing_folder, output_file, whole_number

BUDGET_SECONDS = 60.0
MOST_DEVICES = 64


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} given, a number of seconds above 0 is accepted")
    return seconds


def add_reports(parser: argparse.ArgumentParser) -> None:
    """Add the options that name further outputs."""
    add = parser.add_argument
    add("--json", metavar="OUT", type=output_file, help="also write the counts and hazards to this file")
    add("--html", metavar="OUT", type=output_file, help="also write a page with the source and the counts in its margin")
    add("--whole-names", action="store_true", help="print names of kernels whole, and not in at most 80 characters")
    add("--sarif", metavar="OUT", type=output_file, help="also write hazards and costs for editors and for annotations in CI")


def add_to(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--machine", metavar="NAME", help="the GPU whose rules apply (default: sm_90)")
    add(
        "--devices",
        metavar="N",
        type=whole_number(MOST_DEVICES),
        help="how many GPUs the program sees (default: 1); the report then has the bytes sent between each two of them",
    )
    add_reports(parser)
    add(
        "--launches",
        metavar="N",
        type=whole_number(),
        help="count the first N launches of each kernel and configuration; the others only run",
    )
    add("--blocks", metavar="N", type=whole_number(), help="count N blocks of each launch, spread over its grid; the others only run")
    add(
        "--budget",
        metavar="SECONDS",
        type=_seconds,
        help="count for this long, and launches that repeat an earlier one in the first tenth of it; launches and blocks after it only run "
        "(default: 60 without --launches and --blocks, else no end)",
    )
    add(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        help="how much processor time one kernel may take, and host code without a launch, which ends with exit code 152 (default: 300 s "
        "for host code; a kernel ends when none of its blocks has ended for 60 s)",
    )
    add(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        help="end the whole program after this much time, with what is counted until then and exit code 152 (default: no limit)",
    )
    add(
        "--fail-if",
        metavar="EXPRESSION",
        action="append",
        default=[],
        help="exit code 1 if this holds for any launch, such as 'shared_load.conflicts > 0'; may be given several times",
    )
    add("--build-dir", metavar="DIR", type=existing_folder, help="take the model from this build folder and do not build it")


def settings(options: argparse.Namespace) -> dict[str, str]:
    """Return the environment that passes the options to the model. The machine and the report are passed elsewhere."""
    given = {
        "SIMT_TIMEOUT": options.timeout,
        "SIMT_TIME_LIMIT": options.time_limit,
        "SIMT_LAUNCHES": options.launches,
        "SIMT_BLOCKS": options.blocks,
        "SIMT_BUDGET": options.budget,
        "SIMT_DEVICES": options.devices,
    }
    if sys.stderr.isatty():
        given["SIMT_PROGRESS"] = 1
    if options.budget is None and options.launches is None and options.blocks is None:
        given["SIMT_BUDGET"] = BUDGET_SECONDS
    return {name: f"{value:.15g}" for name, value in given.items() if value is not None}
