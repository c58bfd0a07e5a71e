"""Start a script of this repository: the `main` of a module of this package, where each error is one line."""

import importlib

from conflict_free import needs_python  # noqa: F401  first: it turns away a Python that cannot read the rest
from conflict_free.console import run_main, use_venv


def launch(module: str, *arguments, needs: str = "") -> None:
    """Call `module`'s main with `arguments`, in the virtual environment if it `needs` a package of it."""
    if needs:
        use_venv(needs)
    run_main(lambda: importlib.import_module("conflict_free." + module).main(*arguments))
