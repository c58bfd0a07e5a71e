"""The version of CUDA whose compiler, headers and runtime the model knows, and the names that follow from it. Standard library only."""

import re

from .model_files import CMAKE_FILES

SOURCE = CMAKE_FILES / "CudaVersion.cmake"
#: The version as text, such as 12.9, and that of nvdisasm.
VERSION, NVDISASM = re.findall(r"^set\(CONFLICT_FREE_\w+_VERSION (\d+\.\d+)\)$", SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
PARTS = tuple(int(part) for part in VERSION.split("."))
MAJOR = PARTS[0]
#: The file name of the runtime that programs load.
RUNTIME = f"libcudart.so.{MAJOR}"
#: The folder that NVIDIA's packages for Python share, below the folder nvidia.
WHEELS = f"cu{MAJOR}"
