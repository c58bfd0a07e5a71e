"""Pretends to grade, for tests of grading a class: the text of a submission says what happens."""

import atexit
import os
import signal
import time
from pathlib import Path

from grading_results import make_result

from conflict_free.grading.handed_in import Submission
from conflict_free.whole_files import write_whole


def grade_order(settings: dict, order: dict) -> None:
    """Keep a result in which the check fails that the submission's text names, or obey the text's first word."""
    submission = Submission.from_json(order["submission"])
    with open(os.environ["PRETEND_LOG"], "a", encoding="utf-8") as log:
        log.write(submission.student + "\n")
    source = submission.read()
    content = "exists" if submission.path is None else source.text
    word, _, rest = content.partition(" ")
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "raise":
        raise ValueError(rest)
    if word == "hang":
        time.sleep(600)
    if word == "slow":
        time.sleep(0.5)
    if word == "print":
        print("what a library says on stdout")
    fails = content if content in ("exists", "safe", "correct", "counts.conflicts") else ""
    write_whole(Path(order["place"]), make_result(submission.student, fails, submission=source.name, content=content).to_text())


def register_removal(settings: dict, place: str) -> None:
    """Make a file that the end of this process removes."""
    Path(place).touch()
    atexit.register(Path(place).unlink)
