"""Result files, counts and published figures: reading, validating, and comparing with the sources. Times are milliseconds a launch."""

import json
from pathlib import Path
from typing import Any

from conflict_free.schemas import Schema

from .names import SCHEMAS, SPECIMENS, ResultError
from .source import SourceError, Sources, read_sources


def _validate(data: Any, schema: str, where: str) -> None:
    for misfit in Schema.of(SCHEMAS / schema).misfits(data):
        raise ResultError(f"{where}: at {misfit.at()}: {misfit.text}")


def _read_json(path: Path) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a number of JSON")

    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=refuse)
    except FileNotFoundError:
        raise ResultError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read as JSON: {error}") from None


def peer_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of libraries in a result. Like other rows they have their name under ``kernel``, too."""
    return [{**row, "kernel": row["name"]} for row in result.get("peers", ())]


def _check_rows(rows: list[dict[str, Any]], where: str) -> None:
    seen: set[tuple[str, str]] = set()
    for index, row in enumerate(rows):
        place = f"{where}/{index}"
        if row["size"] != f"{row['width']}x{row['height']}":
            raise ResultError(f"{place}: size is {row['size']}, but width and height are {row['width']} and {row['height']}")
        key = (row["kernel"], row["size"])
        if key in seen:
            raise ResultError(f"{place}: a second row of {row['kernel']} at {row['size']}; one is accepted")
        seen.add(key)
        for state, sample in (row["time"] or {}).items():
            if not sample["p10_ms"] <= sample["median_ms"] <= sample["p90_ms"]:
                raise ResultError(
                    f"{place}/time/{state}: p10 {sample['p10_ms']}, median {sample['median_ms']}, "
                    f"p90 {sample['p90_ms']} are not in ascending order"
                )


def validate_result(data: Any, where: str = "result") -> None:
    """Check the content of a result file against ``schema.json`` and the rules that a schema cannot express.

    Raises ResultError, whose text starts with ``where``.
    """
    _validate(data, "schema.json", where)
    _check_rows(data["rows"], f"{where}: at rows")
    _check_rows(peer_rows(data), f"{where}: at peers")
    for row in data["rows"]:
        if not row["reference"] and row["kernel"] not in data["kernels"]:
            raise ResultError(f"{where}: at kernels: no hash for {row['kernel']}, which has rows")
    for row in data["rows"] + peer_rows(data):
        if row["fits_l2"] != (row["bytes"] <= data["provenance"]["l2_bytes"]):
            raise ResultError(
                f"{where}: {row['kernel']} at {row['size']} says fits_l2 {row['fits_l2']}, "
                f"but moves {row['bytes']} bytes and the L2 holds {data['provenance']['l2_bytes']}"
            )


def validate_program(data: Any, where: str = "program output") -> None:
    """Check the file that a chapter program wrote with ``--json``. Raises ResultError."""
    _validate(data, "program.schema.json", where)
    _check_rows(data["rows"], f"{where}: at rows")


def validate_historical(data: Any, where: str = "historical figures") -> None:
    """Check a file of published figures. Raises ResultError."""
    _validate(data, "historical.schema.json", where)
    for row in data["rows"]:
        unknown = sorted({*row.get("gbps", ()), *row.get("ms", ())} - set(data["machines"]))
        if unknown:
            raise ResultError(f"{where}: {row['kernel']} has figures of {unknown[0]}, which is not in machines")


def load_result(path: Path) -> dict[str, Any]:
    """Read and validate one ``book/results/<machine>/<slug>.json``; its name must be its slug. Raises ResultError."""
    data = _read_json(path)
    validate_result(data, str(path))
    if data["slug"] != Path(path).stem:
        raise ResultError(f"{path}: slug is {data['slug']}; by its name it must be {Path(path).stem}")
    return data


def load_program(path: Path) -> dict[str, Any]:
    """Read and validate the ``--json`` output of a chapter program. Raises ResultError."""
    data = _read_json(path)
    validate_program(data, str(path))
    return data


def load_historical(path: Path) -> dict[str, Any]:
    """Read and validate one file of published figures. Raises ResultError."""
    data = _read_json(path)
    validate_historical(data, str(path))
    return data


def stale_kernels(result: dict[str, Any], sources: Sources) -> list[str]:
    """Return the kernels of a result whose text has changed or disappeared since the measurement; sorted."""
    stale = []
    for kernel, entry in result["kernels"].items():
        try:
            current = sources.kernel_hash(kernel) == entry["hash"]
        except SourceError:
            current = False
        if not current:
            stale.append(kernel)
    return sorted(stale)


def stale_specimens(result: dict[str, Any], chapters: Path) -> list[str]:
    """Return the programs in the result of SPECIMENS whose text has changed or disappeared since the measurement; sorted."""
    stale = []
    for name, entry in result["kernels"].items():
        path = chapters / SPECIMENS / f"{name}.cu"
        try:
            sources = read_sources(path)
        except SourceError:
            sources = Sources.of_text("", path)
        stale += stale_kernels({"kernels": {name: entry}}, sources)
    return sorted(stale)
