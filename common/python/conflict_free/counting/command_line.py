# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The options that conflict-free has for a program that it counts, and what they tell the model. Standard library only."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

BUDGET_SECONDS = 60.0
MOST_DEVICES = 64
WITH_VALUE = (
    "--machine",
    "--json",
    "--html",
    "--sarif",
    "--timeout",
    "--launches",
    "--blocks",
    "--budget",
    "--devices",
    "--fail-if",
    "--build-dir",
)


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} given, a folder that exists is accepted")
    return Path(text)


def _output(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} given, a file in a folder that can be written is accepted")
    return path


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} given, a number of seconds above 0 is accepted")
    return seconds


def _whole(text: str, most: int = 10**15) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 0 < number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} given, a whole number above 0 is accepted")
    return number


def _devices(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_DEVICES):
        raise argparse.ArgumentTypeError(f"{text!r} given, a whole number from 1 to {MOST_DEVICES} is accepted")
    return int(text)


def add_reports(parser: argparse.ArgumentParser) -> None:
    """Where else the counts go."""
    add = parser.add_argument
    add("--json", metavar="OUT", type=_output, help="also write the counts and hazards to this file")
    add("--html", metavar="OUT", type=_output, help="also write a page with the source and the counts in its margin")
    add("--sarif", metavar="OUT", type=_output, help="also write what is wrong for editors and for annotations in CI")


def add_to(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--machine", metavar="NAME", help="the GPU whose rules apply (default: sm_90)")
    add(
        "--devices",
        metavar="N",
        type=_devices,
        help="how many GPUs the program sees (default: 1); the report then has the bytes that each has sent each other",
    )
    add_reports(parser)
    add("--launches", metavar="N", type=_whole, help="count the first N launches of each kernel and configuration; the others only run")
    add("--blocks", metavar="N", type=_whole, help="count N blocks of each launch, spread over its grid; the others only run")
    add(
        "--budget",
        metavar="SECONDS",
        type=_seconds,
        help="count for this long; launches and blocks after it only run (default: 60 without --launches and --blocks, else no end)",
    )
    add(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        help="how much processor time one kernel may take (default: a kernel ends if for 60 s none of its blocks has ended)",
    )
    add(
        "--fail-if",
        metavar="EXPRESSION",
        action="append",
        default=[],
        help="exit code 1 if this holds for any launch, such as 'shared_load.conflicts > 0'; may be given several times",
    )
    add("--build-dir", metavar="DIR", type=_folder, help="take the model from this build folder and build nothing of it")


def settings(options: argparse.Namespace) -> dict[str, str]:
    """The environment that tells the model of the options, but for the machine and the report."""
    given = {
        "SIMT_TIMEOUT": options.timeout,
        "SIMT_LAUNCHES": options.launches,
        "SIMT_BLOCKS": options.blocks,
        "SIMT_BUDGET": options.budget,
        "SIMT_DEVICES": options.devices,
    }
    if options.budget is None and options.launches is None and options.blocks is None:
        given["SIMT_BUDGET"] = BUDGET_SECONDS
    return {name: f"{value:.15g}" for name, value in given.items() if value is not None}
