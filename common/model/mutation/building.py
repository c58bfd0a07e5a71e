# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

"""Compiles a subject and its mutants for the counting model, and keeps what does not change.

All mutants of a subject are one program: each is a namespace of one translation unit, which takes a fraction of the time
of programs of their own. What was compiled is kept under the hash of all that went into it.
"""

import hashlib
import json
import pathlib
import re
import subprocess

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include.*$", re.MULTILINE)
ORIGINAL = "original"


class BuildError(Exception):
    """A program cannot be built. The message holds what the tool said."""


def combine(variants):
    """One source with each variant in a namespace of its own, and a main() that runs the one named first.

    `variants` maps a C++ identifier to the source of a program.
    """
    includes, bodies, cases = [], [], []
    for name, source in variants.items():
        for line in _INCLUDE.findall(source):
            if line.strip() not in includes:
                includes.append(line.strip())
        bodies.append(f"namespace {name} {{\n{_INCLUDE.sub('', source)}\n}}  // namespace {name}\n")
        cases.append(f'    if (name == "{name}") return {name}::main(argc - 1, argv + 1);\n')
    main = f"int main(int argc, char** argv)\n{{\n    const std::string name = argc > 1 ? argv[1] : \"\";\n{''.join(cases)}    return 2;\n}}\n"
    return "\n".join([*includes, "#include <string>", "", *bodies, main])


class Builder:
    """Builds programs the way `toolchain` says, a file that the build of the model writes (model_toolchain.json)."""

    def __init__(self, toolchain, source_folder, work_folder):
        self._tools = json.loads(pathlib.Path(toolchain).read_text())
        self._source_folder = pathlib.Path(source_folder)
        self._work = pathlib.Path(work_folder)
        self._work.mkdir(parents=True, exist_ok=True)
        headers = [self._source_folder]
        headers += [pathlib.Path(folder) for folder in self._tools["include_folders"]]
        files = [path for folder in headers for path in sorted(folder.rglob("*.h*")) if path.is_file()]
        files += [pathlib.Path(self._tools["translator"])]
        self._compile_key = _hash(json.dumps(self._compile_command()), *(path.read_bytes() for path in files))
        self._link_key = _hash(*(_content(option) for option in self._tools["link_options"]))

    def build(self, name, source):
        """Path of the program called `name` made from `source`, CUDA C++."""
        compiled = self._path(name, "o", self._compile_key, source)
        if not compiled.exists():
            self._compile(self._work / f"{name}.cu", source, compiled)
        program = self._path(name, "program", self._link_key, compiled.name)
        if not program.exists():
            self._make(program, [self._tools["compiler"], "-o", "{out}", str(compiled), *self._tools["link_options"]])
        return program

    def _compile(self, cuda, source, compiled):
        cuda.write_text(source)
        translated = cuda.with_suffix(".cpp")
        self._make(translated, [self._tools["translator"], str(cuda), "{out}"])
        self._make(compiled, [*self._compile_command(), "-c", "-o", "{out}", str(translated)])

    def _compile_command(self):
        folders = [option for folder in self._tools["include_folders"] for option in ("-isystem", folder)]
        return [self._tools["compiler"], *self._tools["compile_options"], *folders, "-iquote", str(self._source_folder)]

    def _path(self, name, suffix, *parts):
        """Where a product belongs. Products of the same name and kind from other inputs are removed."""
        path = self._work / f"{name}-{_hash(*parts)[:16]}.{suffix}"
        if not path.exists():
            for old in self._work.glob(f"{name}-*.{suffix}"):
                old.unlink()
        return path

    def _make(self, product, command):
        """Runs `command` with {out} replaced by a file that becomes `product` if all goes well."""
        part = product.with_name(product.stem + ".part" + product.suffix)
        done = subprocess.run([part if each == "{out}" else each for each in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"{' '.join(map(str, command))}\n{done.stderr.strip()}")
        part.replace(product)


def _content(option):
    """A link option, with the contents of the library that it names."""
    path = pathlib.Path(option)
    return path.read_bytes() if path.is_file() else option


def _hash(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
