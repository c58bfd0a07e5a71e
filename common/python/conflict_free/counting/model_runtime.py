"""The place of the counting model, in a build folder or an installed package, and the environment with which a program finds it.

Standard library only.
"""

import os
from pathlib import Path

from conflict_free import cuda_version

from . import packaged

VARIABLE = "LD_LIBRARY_PATH"
AUDIT_VARIABLE = "LD_AUDIT"
AUDIT = "libconflict_free_audit.so"


def libraries(build: Path) -> Path:
    """Return the folder of the model's libraries in a build folder or in an installed package."""
    return build / "lib" if build == packaged.MODEL else build / "common" / "model" / "lib"


def is_built(build: Path) -> bool:
    return (libraries(build) / cuda_version.RUNTIME).exists()


def environment(build: Path, **more: str) -> dict[str, str]:
    """Return this environment with the changes that let a CUDA program run under the model of a build folder."""
    there = os.environ.get(VARIABLE)
    first = str(libraries(build).resolve())
    return {**os.environ, VARIABLE: f"{first}{os.pathsep}{there}" if there else first, **more}


def auditing(build: Path) -> dict[str, str]:
    """Return the environment that hides NVIDIA's linker of machine code from Python packages: they then pass PTX to the model's driver."""
    own, there = str((libraries(build) / AUDIT).resolve()), os.environ.get(AUDIT_VARIABLE)
    return {AUDIT_VARIABLE: f"{own}{os.pathsep}{there}" if there else own}
