"""Compiles a subject and its mutants, and keeps programs whose inputs do not change.

All mutants of a subject are one program, each in a namespace of one translation unit: this takes a fraction of the time of separate
programs. A compiled program is kept under the hash of all its inputs.
"""

import hashlib
import pathlib
import re
import subprocess

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include.*$", re.MULTILINE)
ORIGINAL = "original"


class BuildError(Exception):
    """A program cannot be built. The message has the output of the tool."""


def combine(variants):
    """Return one source with each variant in a namespace of its own, and a main() that runs the variant that its first argument names.

    `variants` maps a C++ identifier to the source of a program.
    """
    includes, bodies, cases = [], [], []
    for name, source in variants.items():
        for line in _INCLUDE.findall(source):
            if line.strip() not in includes:
                includes.append(line.strip())
        bodies.append(f"namespace {name} {{\n{_INCLUDE.sub('', source)}\n}}  // namespace {name}\n")
        cases.append(f'    if (name == "{name}") return {name}::main(argc - 1, argv + 1);\n')
    main = (
        f'int main(int argc, char** argv)\n{{\n    const std::string name = argc > 1 ? argv[1] : "";\n{"".join(cases)}    return 2;\n}}\n'
    )
    return "\n".join([*includes, "#include <string>", "", *bodies, main])


class Builder:
    """Builds programs with nvcc, with PTX and no machine code in them."""

    #: The last leaves out a header of g++ that no subject needs, see common/cmake/EnableCuda.cmake.
    OPTIONS = (
        *("-std=c++20", "-lineinfo", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90"),
        "-D_GLIBCXX_BITS_SPECFUN_H",
    )

    def __init__(self, nvcc, source_folder, work_folder):
        self._nvcc = nvcc
        self._source_folder = pathlib.Path(source_folder)
        self._work = pathlib.Path(work_folder)
        self._work.mkdir(parents=True, exist_ok=True)
        headers = sorted(self._source_folder.rglob("*.h*"))
        self._key = _hash(str(nvcc), *self.OPTIONS, *(path.read_bytes() for path in headers))

    def build(self, name, source):
        """Return the path of the program `name`, which is compiled from the CUDA C++ text `source`."""
        program = self._path(name, "program", self._key, source)
        if not program.exists():
            cuda = self._work / f"{name}.cu"
            cuda.write_text(source)
            self._make(program, [self._nvcc, *self.OPTIONS, "-I", str(self._source_folder), "-o", "{out}", str(cuda)])
        return program

    def _path(self, name, suffix, *parts):
        """Return the path of a product. Removes products of the same name and kind that were made from other inputs."""
        path = self._work / f"{name}-{_hash(*parts)[:16]}.{suffix}"
        if not path.exists():
            for old in self._work.glob(f"{name}-*.{suffix}"):
                old.unlink()
        return path

    def _make(self, product, command):
        """Run `command` with {out} replaced by a file, which becomes `product` if the command succeeds."""
        part = product.with_name(product.stem + ".part" + product.suffix)
        done = subprocess.run([part if each == "{out}" else each for each in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"{' '.join(map(str, command))}\n{done.stderr.strip()}")
        part.replace(product)


def _hash(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
