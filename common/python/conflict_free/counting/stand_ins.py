"""Replacements of NVIDIA's tools and PyTorch's operators while a program runs, since the model takes PTX where a GPU takes machine
code: the ptxas of Triton, the nvcc of PyCUDA, and the operators in in_python/sitecustomize.py. Standard library only.
"""

import contextlib
import os
import shlex
import sys
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import module_command

from . import model_runtime, packaged

_IN_PYTHON = Path(__file__).with_name("in_python")
#: Hands PTX through. The version tells Triton which PTX to write.
_PTXAS = f"""#!/bin/sh
for word; do
    case $before$word in --version) echo 'Cuda compilation tools, release {cuda_version.VERSION}, V{cuda_version.VERSION}.0'; exit ;;
    -o*) ;; *.ptx) from=$word ;; esac
    [ "$before" = -o ] && to=$word
    before=$word
done
exec cp "$from" "$to"
"""


def _write(tool: Path, text: str) -> str:
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(text, encoding="utf-8")
    tool.chmod(0o755)
    return str(tool)


def path_of_tools(program: Path) -> str:
    """Return the PATH, with NVIDIA's packages for a Python that is the program."""
    packages = sorted((program.parents[1] / "lib").glob("python3*/site-packages/nvidia/cu*/bin"))
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, packages)])


def settings(build: Path, folder: Path) -> dict[str, str]:
    """Write the tools into a folder, and return the environment in which a program finds them."""
    path = os.environ.get("PATH", os.defpath)
    ours = shlex.join(module_command(sys.executable, "counting.command", "nvcc"))
    clean = f"env -u {model_runtime.VARIABLE} -u {model_runtime.AUDIT_VARIABLE} PATH={shlex.quote(path)}"
    nvcc = _write(folder / "bin" / "nvcc", f'#!/bin/sh\nexec {clean} {ours} "$@"\n')
    ptxas = _write(folder / "ptxas", _PTXAS)
    pycuda = packaged.kept("pycuda")
    # PyCUDA makes no other folder than its usual one.
    with contextlib.suppress(OSError):
        pycuda.mkdir(parents=True, exist_ok=True)
    return {
        "PYTHONPATH": os.pathsep.join([str(_IN_PYTHON), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PATH": f"{Path(nvcc).parent}{os.pathsep}{path}",
        "TRITON_PTXAS_PATH": ptxas,
        "TRITON_PTXAS_BLACKWELL_PATH": ptxas,
        # Their own caches hold machine code for a GPU.
        "TRITON_CACHE_DIR": str(packaged.kept("triton")),
        "PYCUDA_CACHE_DIR": str(pycuda),
        "TRITON_LIBCUDA_PATH": str(model_runtime.libraries(build).resolve()),
    }
