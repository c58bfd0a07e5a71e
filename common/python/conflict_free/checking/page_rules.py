"""Compile rules of the model for the book's pages, and check that the committed scripts are up to date.

    python common/python/conflict_free checking.page_rules

writes book/_static/NAME.js for each of RULES. The command downloads a compiler of 100 MB; only a change of a rule needs it. The same
sources give the same bytes.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import ROOT, OneLineParser, Stop, run_main, say, shown_path
from conflict_free.evidence.source import strip_comments

COMMAND = "python common/python/conflict_free checking.page_rules"
MODEL = Path("common", "model")
INCLUDES = (MODEL / "include", MODEL / "src")


@dataclass(frozen=True)
class PageRule:
    """A rule that pages apply: the name of its script and of its module, what it is a rule of, and its sources."""

    name: str
    subject: str
    sources: tuple[Path, ...]

    @property
    def script(self) -> Path:
        """The committed script that holds the module."""
        return Path("book", "_static", f"{self.name}.js")


RULES = (
    PageRule(
        "bank_rule",
        "shared memory",
        (MODEL / "src" / "rules" / "explorer" / "bank_rule.cpp", MODEL / "src" / "rules" / "shared_memory.cpp"),
    ),
    PageRule("sector_rule", "global memory", (MODEL / "src" / "rules" / "explorer" / "sector_rule.cpp",)),
)

#: The compiler, as a package for Linux on x86-64.
COMPILER = "ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54"
COMPILE = ("c++", "-c", "-target", "wasm32-wasi", "-std=c++20", "-Os", "-fno-exceptions", "-fno-rtti")
LINK = ("wasm-ld", "--no-entry", "--strip-all", "--gc-sections", "-z", "stack-size=32768")
#: Says what is counted, and nothing of what an access costs.
_NO_RULE = "simt/counts.def"
#: The largest module: a browser compiles it before it shows the page.
MOST_BYTES = 8192

_INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
_DIGEST = re.compile(r"^// Sources: (sha256:\w+)$", re.MULTILINE)

TEXT = """// The model's rule of {subject}, as a module of WebAssembly. Made from {source}
// by {command}. Do not edit.
// Sources: {digest}
"use strict";

(window.conflictFreeRules ??= {{}}).{name} =
  "{module}";
"""


def _with_headers(root: Path, path: Path, seen: dict[Path, str]) -> None:
    """Add a source and the project's own headers that it includes, by name, to ``seen``."""
    if path in seen:
        return
    seen[path] = (root / path).read_text(encoding="utf-8")
    for name in set(_INCLUDE.findall(seen[path])) - {_NO_RULE}:
        found = next((folder / name for folder in (path.parent, *INCLUDES) if (root / folder / name).is_file()), None)
        if found is None:
            raise Stop(f'{path}: "{name}" is not in {", ".join(map(str, INCLUDES))}')
        _with_headers(root, found, seen)


def digest(rule: PageRule, root: Path = ROOT) -> str:
    """Return the hash of a rule's sources and of the compiler's options. Comments and white space do not count."""
    seen: dict[Path, str] = {}
    for path in rule.sources:
        _with_headers(root, path, seen)
    normal = [f"{path.as_posix()} {' '.join(strip_comments(text).split())}" for path, text in sorted(seen.items())]
    normal += [COMPILER, *COMPILE, *LINK]
    return "sha256:" + hashlib.sha256("\n".join(normal).encode("utf-8")).hexdigest()


def page_rules(root: Path = ROOT) -> Iterator[str]:
    """Check that the committed scripts were made from the model's rules."""
    for rule in RULES:
        if not (root / rule.sources[0]).is_file():
            continue
        text = (root / rule.script).read_text(encoding="utf-8") if (root / rule.script).is_file() else ""
        found = _DIGEST.search(text)
        if found is None or found[1] != digest(rule, root):
            yield f"{rule.script.as_posix()}: the rule of {rule.subject} has changed since it was made; run {COMMAND}"


def _run(command: list[str | Path], what: str, folder: Path) -> None:
    # The compiler keeps its caches in the folder.
    caches = {name: str(folder / "cache") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    done = subprocess.run([*map(str, command)], cwd=folder, env=os.environ | caches, capture_output=True, text=True)
    if done.returncode:
        raise Stop(f"{what} failed: {(done.stderr or done.stdout).strip()}")


def install_compiler(folder: Path) -> Path:
    """Install the compiler in an empty folder, and return its path."""
    (folder / "compiler.txt").write_text(COMPILER + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    _run([*pip, "--target", "packages", "-r", "compiler.txt"], "The installation of the compiler", folder)
    return folder / "packages" / "ziglang" / "zig"


def compiled(rule: PageRule, compiler: Path, folder: Path) -> bytes:
    """Return a rule's module. Its parts are left in the folder. Raises Stop for a module of more than MOST_BYTES."""
    includes = [f"-I{ROOT / path}" for path in INCLUDES]
    objects = []
    for path in rule.sources:
        objects.append(folder / f"{path.stem}.o")
        _run([compiler, *COMPILE, *includes, ROOT / path, "-o", objects[-1]], f"The compilation of {path.as_posix()}", folder)
    made = folder / f"{rule.name}.wasm"
    _run([compiler, *LINK, *objects, "-o", made], "Linking", folder)
    module = made.read_bytes()
    if len(module) > MOST_BYTES:
        raise Stop(f"{rule.name}: the module has {len(module)} bytes; at most {MOST_BYTES} are accepted")
    return module


def main() -> int:
    """Compile the rules and write them for the pages."""
    scripts = ", ".join(rule.script.as_posix() for rule in RULES)
    OneLineParser(prog=COMMAND, description=f"Compiles rules of the model into {scripts}.").parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiler = install_compiler(folder)
        for rule in RULES:
            module = compiled(rule, compiler, folder)
            text = TEXT.format(
                subject=rule.subject,
                source=rule.sources[0].as_posix(),
                command=COMMAND,
                digest=digest(rule),
                name=rule.name,
                module=base64.b64encode(module).decode("ascii"),
            )
            (ROOT / rule.script).write_text(text, encoding="utf-8")
            say(f"{shown_path(ROOT / rule.script)}: {len(module)} bytes of WebAssembly")
    return 0


if __name__ == "__main__":
    run_main(main)
