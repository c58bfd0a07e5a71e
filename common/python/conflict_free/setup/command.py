"""scripts/setup: does the set-up and builds nothing, for images and containers. Standard library only."""

import sys

from conflict_free.console import OneLineParser

from . import packages, setup


def main() -> int:
    parser = OneLineParser(
        prog="scripts/setup",
        description="Does the set-up of scripts/book and of the other scripts, and builds nothing. Exit code 2: wrong arguments, "
        "or system packages that may not be installed.",
    )
    parser.add_argument("--packages", action="store_true", help="install only system packages, which needs root")
    parser.add_argument(
        "--tests", action="store_true", help="also install what scripts/test --all needs: a browser, a sandbox, a dictionary, MPI"
    )
    options = parser.parse_args(sys.argv[1:])
    if options.packages:
        packages.install_packages(setup.packages_for(tests=options.tests, mpi=options.tests))
    else:
        setup.set_up(tests=options.tests, mpi=options.tests)
    return 0
