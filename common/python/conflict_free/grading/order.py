"""Grades one submission of a class, in a process of ``workers``."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conflict_free.whole_files import write_whole

from .assignment import load as load_assignment
from .building import Toolchain
from .handed_in import Submission
from .judging import grade
from .timing import Gpu

#: A process grades many submissions of one assignment.
load = functools.cache(load_assignment)


def grade_order(settings: Mapping[str, Any], order: Mapping[str, Any]) -> None:
    """Grade a submission by the settings of ``classes.grade_class`` and keep its result. Raises ValueError if the file has changed."""
    submission = Submission.from_json(order["submission"])
    source = submission.read()
    if (source.sha256, source.wrong) != (order["sha256"], order["wrong"]):
        raise ValueError(f"{submission.shown} changed while the class was graded")
    result = grade(
        load(settings["name"]),
        source,
        tools=Toolchain.of(Path(settings["build"])),
        student=submission.student,
        secret=settings["secret"],
        confined=settings["confined"],
        gpu=Gpu.here(Path(settings["gpu"])) if settings["gpu"] else None,
    )
    write_whole(Path(order["place"]), result.to_text())
