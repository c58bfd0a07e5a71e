"""Compare a kernel that a program has loaded while it ran with its machine code: NVCC MACHINE TEXT.ptx OUTPUT. Called by the model."""

import sys
from pathlib import Path

from . import exactness
from .machine_code import NoMachineCode


def main(nvcc: str, machine: str, ptx: str, output: str) -> None:
    try:
        exactness.write_text(Path(ptx), Path(nvcc), machine, Path(output))
    except NoMachineCode as why:
        exactness.write_unknown(Path(output), str(why))


if __name__ == "__main__":
    main(*sys.argv[1:])
