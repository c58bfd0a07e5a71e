# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Compile the model's rule of shared memory for the book's pages, and check that the committed script is up to date.

    python common/python/conflict_free checking.bank_rule

writes book/_static/bank_rule.js. The command downloads a compiler of 100 MB; only a change of the rule needs it. The same sources
give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conflict_free.console import ROOT, OneLineParser, Stop, run_main, say, shown_path
from conflict_free.evidence.source import strip_comments

COMMAND = "python common/python/conflict_free checking.bank_rule"
SCRIPT = Path("book", "_static", "bank_rule.js")
MODEL = Path("common", "model")
SOURCES = (MODEL / "src" / "rules" / "explorer" / "bank_rule.cpp", MODEL / "src" / "rules" / "shared_memory.cpp")
INCLUDES = (MODEL / "include", MODEL / "src")

#: The compiler, as a package for Linux on x86-64.
COMPILER = "ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54"
COMPILE = ("c++", "-c", "-target", "wasm32-wasi", "-std=c++20", "-Os", "-fno-exceptions", "-fno-rtti")
LINK = ("wasm-ld", "--no-entry", "--strip-all", "--gc-sections", "-z", "stack-size=32768")
#: The largest module: a browser compiles it before it shows the page.
MOST_BYTES = 8192

_INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
_DIGEST = re.compile(r"^// Sources: (sha256:\w+)$", re.MULTILINE)

TEXT = """// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The model's rule of shared memory, as a module of WebAssembly. Made from {sources}
// by {command}. Do not edit.
// Sources: {digest}
"use strict";

window.conflictFreeBankRule =
  "{module}";
"""


def _with_headers(root: Path, path: Path, seen: dict[Path, str]) -> None:
    """Add a source and the project's own headers that it includes, by name, to ``seen``."""
    if path in seen:
        return
    seen[path] = (root / path).read_text(encoding="utf-8")
    for name in _INCLUDE.findall(seen[path]):
        found = next((folder / name for folder in (path.parent, *INCLUDES) if (root / folder / name).is_file()), None)
        if found is None:
            raise Stop(f'{path}: "{name}" is not in {", ".join(map(str, INCLUDES))}')
        _with_headers(root, found, seen)


def digest(root: Path = ROOT) -> str:
    """Return the hash of the sources and of the compiler's options. Comments and white space do not count."""
    seen: dict[Path, str] = {}
    for path in SOURCES:
        _with_headers(root, path, seen)
    normal = [f"{path.as_posix()} {' '.join(strip_comments(text).split())}" for path, text in sorted(seen.items())]
    normal += [COMPILER, *COMPILE, *LINK]
    return "sha256:" + hashlib.sha256("\n".join(normal).encode("utf-8")).hexdigest()


def bank_rule(root: Path = ROOT) -> Iterator[str]:
    """Check that the committed script was made from the model's rule of shared memory."""
    if not (root / SOURCES[0]).is_file():
        return
    text = (root / SCRIPT).read_text(encoding="utf-8") if (root / SCRIPT).is_file() else ""
    found = _DIGEST.search(text)
    if found is None or found[1] != digest(root):
        yield f"{SCRIPT.as_posix()}: the rule of shared memory has changed since it was made; run {COMMAND}"


def _run(command: list[str | Path], what: str, folder: Path) -> None:
    # The compiler keeps its caches in the folder.
    caches = {name: str(folder / "cache") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    done = subprocess.run([*map(str, command)], cwd=folder, env=os.environ | caches, capture_output=True, text=True)
    if done.returncode:
        raise Stop(f"{what} failed: {(done.stderr or done.stdout).strip()}")


def compiled(folder: Path) -> bytes:
    """Return the module, made in an empty folder."""
    (folder / "compiler.txt").write_text(COMPILER + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    _run([*pip, "--target", "packages", "-r", "compiler.txt"], "The installation of the compiler", folder)
    compiler = folder / "packages" / "ziglang" / "zig"
    includes = [f"-I{ROOT / path}" for path in INCLUDES]
    objects = []
    for path in SOURCES:
        objects.append(folder / f"{path.stem}.o")
        _run([compiler, *COMPILE, *includes, ROOT / path, "-o", objects[-1]], f"The compilation of {path.as_posix()}", folder)
    module = folder / "bank_rule.wasm"
    _run([compiler, *LINK, *objects, "-o", module], "Linking", folder)
    return module.read_bytes()


def main() -> int:
    """Compile the rule and write it for the pages."""
    parser = OneLineParser(prog=COMMAND, description=f"Compiles the model's rule of shared memory into {SCRIPT.as_posix()}.")
    parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        module = compiled(Path(folder))
    if len(module) > MOST_BYTES:
        raise Stop(f"the module has {len(module)} bytes; at most {MOST_BYTES} are accepted")
    text = TEXT.format(sources=SOURCES[0].as_posix(), command=COMMAND, digest=digest(), module=base64.b64encode(module).decode("ascii"))
    (ROOT / SCRIPT).write_text(text, encoding="utf-8")
    say(f"{shown_path(ROOT / SCRIPT)}: {len(module)} bytes of WebAssembly")
    return 0


if __name__ == "__main__":
    run_main(main)
