"""Names of kernels as reports show them. Standard library only."""

import re

LONGEST_NAME = 80
_CUT = "..."
# The namespaces and classes of an argument, such as "cuda::std::" in "sum<cuda::std::plus>".
_NAMESPACES = re.compile(r"(?<=[<, ])(?:\w+::)+(?=\w)")


def _depths(name: str) -> list[int]:
    """Return the number of lists of template arguments around each character. A list's own brackets stand outside of it."""
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


def _with_first_arguments(name: str) -> str:
    """Return a name with as many arguments of its first template as there is room for; empty if there is room for none."""
    depths = _depths(name)
    end = next((at for at, depth in enumerate(depths) if depth == 0 and name[at] == ">"), len(name))
    rest = f", {_CUT}{name[end:]}"
    fits = [at for at in range(end) if name[at] == "," and depths[at] == 1 and at + len(rest) <= LONGEST_NAME]
    return name[: fits[-1]] + rest if fits else ""


def shown_name(name: str) -> str:
    """Return a kernel's name in at most 80 characters.

    Of the template arguments the namespaces are cut first, then arguments of arguments from the innermost on, then the last arguments. The end
    of the name is cut last.
    """
    if len(name) > LONGEST_NAME:
        name = _NAMESPACES.sub("", name)
    for deepest in range(max(_depths(name), default=0), -1, -1):
        if len(name) <= LONGEST_NAME:
            return name
        name = (_with_first_arguments(name) if deepest == 0 else "") or _without_below(name, deepest)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - len(_CUT)] + _CUT
