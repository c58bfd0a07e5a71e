"""Plants bugs in correct kernels and tests that the counting model catches them.

Every subject must be clean for several random inputs and odd sizes. Every mutant must be caught by the detectors that its entry in
mutants/*.toml names, or be clean if the entry says that it is harmless. The exit code is 1 if a subject or a mutant is not as expected,
and 2 if the data or the command line is wrong.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import building
import catalog
import figures
import judging

FOLDER = pathlib.Path(__file__).resolve().parent
SEEDS = range(1, 6)
KERNEL_SECONDS = "5"
#: Ends a program that hangs outside of a kernel. Real time, with room for a busy machine.
RUN_SECONDS = 600


class Runner:
    """Runs variants of one subject's program."""

    def __init__(self, program, subject, libraries):
        self._program = program
        self._subject = subject
        # The model's runtime is found before any other.
        others = os.environ.get("LD_LIBRARY_PATH")
        self._libraries = f"{libraries}:{others}" if others else str(libraries)

    def run(self, variant, seed):
        """Run a variant once under the model, and return the observation. Removes the report."""
        report = self._program.with_name(f"{self._subject.name}-{variant}-{seed}.json")
        report.unlink(missing_ok=True)
        environment = os.environ | {
            "LD_LIBRARY_PATH": self._libraries,
            "SIMT_REPORT": str(report),
            "SIMT_TIMEOUT": KERNEL_SECONDS,
            "SIMT_MACHINE": "sm_90",
        }
        command = [self._program, variant, str(seed), *self._subject.sizes]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            return judging.no_report(f"did not end within {RUN_SECONDS} s")
        if not report.is_file():
            return judging.no_report(f"left no report and exit code {done.returncode}: {done.stderr.strip()}")
        observation = judging.observe(json.loads(report.read_text()), done.returncode, done.stdout)
        report.unlink()
        return observation


def check_subject(builder, libraries, subject, mutants):
    """Build a subject with its mutants and run all of them. Return the failures, each with its observation."""
    variants = {building.ORIGINAL: subject.source} | {mutant.id: mutant.apply(subject.source) for mutant in mutants}
    try:
        runner = Runner(builder.build(subject.name, building.combine(variants)), subject, libraries)
    except building.BuildError as error:
        return [f"{subject.name}: cannot be built\n{error}"]
    originals = {seed: runner.run(building.ORIGINAL, seed) for seed in SEEDS}
    failures = []
    for seed, observation in originals.items():
        if complaint := judging.complaint_about_subject(observation):
            failures.append(describe(f"{subject.name}, correct, with seed {seed}", complaint, observation))
    for mutant in mutants:
        observation = runner.run(mutant.id, SEEDS[0])
        found = judging.detectors(observation, originals[SEEDS[0]])
        if complaint := judging.complaint_about_mutant(mutant, found):
            failures.append(describe(f"{mutant.name} ({mutant.kind})", complaint, observation))
    return failures


def describe(title, complaint, observation):
    """Return the text of a failure: its name, the reason, and the output of the model and of the program."""
    return "\n    ".join([f"{title}: {complaint}", *observation.messages[:12]])


def choose(subjects, only):
    """Return the subjects and mutants that `only` names (SUBJECT or SUBJECT.ID); all if it is None."""
    if only is None:
        return [(subject, subject.mutants) for subject in subjects]
    name, _, mutant_id = only.partition(".")
    chosen = [
        (subject, [mutant for mutant in subject.mutants if mutant_id in ("", mutant.id)]) for subject in subjects if subject.name == name
    ]
    if not chosen or (mutant_id and not chosen[0][1]):
        raise catalog.CatalogError(f"--only: '{only}' given, SUBJECT or SUBJECT.ID is accepted, as in mutants/*.toml")
    return chosen


def run_all(arguments, subjects):
    """Build and run the requested mutants, print the outcome, and return the exit code."""
    work = pathlib.Path(arguments.work)
    builder = building.Builder(arguments.nvcc, FOLDER / "subjects", work / "alone" if arguments.only else work)
    chosen = choose(subjects, arguments.only)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # The largest programs run first, so that no core is idle at the end.
        chosen.sort(key=lambda pair: -len(pair[1]) * len(pair[0].source))
        failures = [
            failure
            for each in pool.map(lambda pair: check_subject(builder, pathlib.Path(arguments.libraries).resolve(), *pair), chosen)
            for failure in each
        ]
    for failure in failures:
        print(failure, file=sys.stderr)
    count = sum(len(mutants) for _, mutants in chosen)
    if failures:
        again = f"{pathlib.Path(__file__).name} --libraries {arguments.libraries} --work {arguments.work} --only NAME"
        print(f"{len(failures)} of {count} mutants and {len(chosen)} subjects are not as expected; one alone: {again}", file=sys.stderr)
        return 1
    if arguments.only is None:
        print(figures.plain(figures.table(subjects)))
    print(f"{len(chosen)} subjects clean, {count} mutants as expected")
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", metavar="FOLDER", help="where the model's runtime library is")
    parser.add_argument("--nvcc", default="nvcc", help="the CUDA compiler (default: the one on the PATH)")
    parser.add_argument("--work", help="folder for what is built; kept for the next run")
    parser.add_argument("--only", metavar="NAME", help="SUBJECT or SUBJECT.ID")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that are built or run at a time (default: one a core)")
    parser.add_argument("--write-docs", metavar="FILE", help="write the section of figures into FILE, and do nothing else")
    parser.add_argument("--check-docs", metavar="FILE", help="check that FILE holds the section of figures, and do nothing else")
    chosen = parser.parse_args(arguments)
    if not (chosen.write_docs or chosen.check_docs or (chosen.libraries and chosen.work)):
        parser.error("--libraries and --work are needed")
    return chosen


def main(arguments=None):
    chosen = parse(arguments)
    try:
        subjects = catalog.load(FOLDER)
        if chosen.write_docs:
            figures.write(chosen.write_docs, subjects)
            return 0
        if chosen.check_docs:
            if figures.is_current(chosen.check_docs, subjects):
                return 0
            print(f"error: {chosen.check_docs} does not hold today's figures; write them with --write-docs", file=sys.stderr)
            return 1
        return run_all(chosen, subjects)
    except (catalog.CatalogError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
