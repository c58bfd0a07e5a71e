"""Runs the command ``answer`` of scripts/grade: prints an answer whole, or lists the answers of an assignment and what each scores."""

from conflict_free.console import run_main, say
from conflict_free.grading.command_line import parser

from . import templates


def main() -> int:
    options = parser().parse_args()
    task = templates.load(options.assignment)
    if options.answer:
        say(task.text_of(options.answer).removesuffix("\n"))
        return 0
    outcomes = task.outcomes()
    widest = max(map(len, outcomes))
    for name, outcome in outcomes.items():
        say(f"{name:<{widest}}  {outcome.points:>3} points  {f'fails {outcome.fails}' if outcome.fails else 'passes'}")
    return 0


if __name__ == "__main__":
    run_main(main)
