# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What a student is shown of a result."""

from __future__ import annotations

from console import say

from .result import Check, Result

_MARKS = {True: "passed", False: "FAILED", None: "not reached"}


def show(result: Result) -> None:
    """Print a result."""
    say(f"{result.title}: {result.submission}, by the rules of {result.machine}")
    say()
    for check in result.checks:
        say(f"{_MARKS[check.passed]:<12} {check.points:>3} / {check.max_points:<3} {check.name}")
        if check.passed is False:
            _show_failed(check)
    say()
    say(f"{result.points} of {result.max_points} points")


def _show_failed(check: Check) -> None:
    say(f"    seen:   {check.seen}")
    say(f"    wanted: {check.wanted}")
    for place in check.lines:
        say(f"    {place.file}:{place.line}: {place.text}")
    say(f"    {check.help}")
    if check.picture:
        say()
        for line in check.picture.splitlines():
            say(f"    {line}")
