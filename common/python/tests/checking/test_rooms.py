"""The rooms of the package: each imports those before it and none after it, and no two modules import each other."""

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import conflict_free

PACKAGE = Path(conflict_free.__file__).parent
ROOMS = (
    "needs_python",
    "console",
    "launch",
    "arguments",
    "whole_files",
    "model_files",
    "cuda_version",
    "counts",
    "schemas",
    "setup",
    "evidence",
    "counting",
    "measuring",
    "grading",
    "trials",
    "checking",
    "rendering",
    "scaffolding",
)


def imports(path: Path) -> Iterator[str]:
    """Yield the modules of the package that a module imports, such as ``evidence.lookup``."""
    here = path.relative_to(PACKAGE).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            base = here[: len(here) - node.level]
        elif (node.module or "").partition(".")[0] == "conflict_free":
            base = ()
        else:
            continue
        within = (node.module or "").removeprefix("conflict_free").strip(".")
        parts = (*base, *within.split(".")) if within else base
        for name in node.names:
            both = (*parts, name.name)
            yield ".".join(both if PACKAGE.joinpath(*both).with_suffix(".py").is_file() else parts)


def modules() -> dict[str, set[str]]:
    """Return the imports of each module, by its name."""
    paths = [path for path in PACKAGE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py")]
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): set(imports(path)) for path in paths}


def test_each_room_is_known():
    assert {name.partition(".")[0] for name in modules()} == set(ROOMS)


def test_rooms_import_in_one_direction():
    wrong = [
        f"{name} imports {wanted}"
        for name, found in modules().items()
        for wanted in found
        if wanted and ROOMS.index(wanted.partition(".")[0]) > ROOMS.index(name.partition(".")[0])
    ]
    assert wrong == []


def test_no_module_imports_itself_by_others():
    graphlib.TopologicalSorter(modules()).prepare()  # which names a cycle, if there is one
