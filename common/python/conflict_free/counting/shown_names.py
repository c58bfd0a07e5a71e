# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Names of kernels as reports show them. Standard library only."""

LONGEST_NAME = 80
_CUT = "..."


def _depths(name: str) -> list[int]:
    """Return for each character how many lists of template arguments it stands in. Their brackets stand outside."""
    depths, depth = [], 0
    for at, character in enumerate(name):
        closes = character == ">" and depth > 0 and name[at - 1] != "-"
        depth -= closes
        depths.append(depth)
        depth += character == "<"
    return depths


def _without_below(name: str, deepest: int) -> str:
    """Return a name in which lists of template arguments deeper than ``deepest`` are cut."""
    kept: list[str] = []
    for character, depth in zip(name, _depths(name)):
        if depth <= deepest:
            kept.append(character)
        elif kept[-1] != _CUT:
            kept.append(_CUT)
    return "".join(kept)


def shown_name(name: str) -> str:
    """Return a kernel's name in at most 80 characters: the innermost template arguments are cut first, the end last."""
    for deepest in range(max(_depths(name), default=0), -1, -1):
        if len(name) <= LONGEST_NAME:
            return name
        name = _without_below(name, deepest)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - len(_CUT)] + _CUT
