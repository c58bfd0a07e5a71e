"""The places of the counting model's files: within an installed package, or in the checkout.

Standard library only.
"""

from pathlib import Path

from .console import ROOT

#: The model of an installed package; a checkout has none here, and builds it.
MODEL = Path(__file__).resolve().parent / "model"
_SOURCES = ROOT / "common" / "model"

#: The list of all counts.
COUNTS = (MODEL if MODEL.is_dir() else _SOURCES) / "include" / "simt" / "counts.def"

_SHARED = MODEL / "share" / "conflict_free" if MODEL.is_dir() else _SOURCES
#: The schema of the model's reports without the counts, which counts.report_schema() adds.
REPORT_SCHEMA = _SHARED / "report.schema.json"
#: The best rates of a GPU, for the lower bound on a launch's cycles.
RATES = _SHARED / "rates.json"
#: The folder of the model's files for CMake.
CMAKE_FILES = MODEL / "lib" / "cmake" / "ConflictFree" if MODEL.is_dir() else _SOURCES / "cmake"
