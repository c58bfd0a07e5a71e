"""The values that the book can show, looked up by key. Directives and scripts share this module, which does not need Sphinx."""

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

from conflict_free.model_files import RATES

from .arithmetic import calculate, is_single
from .metrics import (
    COUNTED,
    MEASURED,
    OF_KERNELS,
    SHARES,
    counts_metric,
    gbps,
    issue_limit,
    parse_size,
    pretty_size,
    rate_unit,
    sample,
    work_rate,
)
from .names import CEILING, CEILING_SLUG, HISTORICAL, PEERS, SPECIMENS, ResultError
from .rows import Rows
from .speeds import SPEED_CLAIMS, WARM, time_of_work, verdict
from .values import COMPARISONS, Comparison, Value, describe, where_it_ran

_COMPARISON = re.compile(r"\s(>=|<=|==|>|<)\s")
_OF_SPEEDS = re.compile(rf"\s({'|'.join(SPEED_CLAIMS)})\s")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?\Z")


class Evidence(Rows):
    """The evidence, and the values of keys such as ``padding.transpose_padded.16384.gbps``."""

    def at(self, machine: str) -> "Evidence":
        """Return the same evidence seen from another machine's results. Files that were read are not read again."""
        made = dataclasses.replace(self, machine=machine)
        made.__dict__["_cache"] = self.__dict__.setdefault("_cache", {})
        return made

    def value(self, key: str) -> Value:
        """Return the value of a key, or of an expression of keys and numbers with ``+ - * /`` and parentheses: ``(A + B) / C``.

        A key is ``slug.kernel.size.metric``, with a measured or a counted metric; ``gt200:slug.kernel.size.metric`` with a counted metric
        of another modeled machine; ``slug.peers.NAME.size.metric`` with a measured metric of a library; ``errata.SPECIMEN.FIGURE`` with a
        figure that a program that shows an error has measured; ``machine.FIELD`` with a field of the provenance, ``l2_mb`` or
        ``memory_gb``; ``rates.RESOURCE`` with the most that the model's bound grants a cycle; or ``historical:MACHINE.kernel.size.gbps``,
        or ``.ms``. Raises ResultError for anything else, or if the evidence is missing or stale.
        """
        if is_single(key):
            return self._single(key.strip())
        parts: list[Value] = []

        def number_of(part: str) -> float:
            if _NUMBER.match(part):
                return float(part)
            parts.append(self._single(part))
            return self._number(part, parts[-1])

        number = calculate(key, number_of)
        if not parts:
            raise ResultError(f"{key!r} names no result")
        return self._computed(key, number, parts)

    @staticmethod
    def _computed(key: str, number: float, parts: Sequence[Value]) -> Value:
        provenances = dict.fromkeys(part.provenance for part in parts if part.provenance)
        return Value(number, f"{key}: {'; and: '.join(provenances)}", stale=any(part.stale for part in parts))

    @staticmethod
    def _number(part: str, value: Value) -> float:
        if isinstance(value.number, str):
            raise ResultError(f"{part.strip()} is not a number, so nothing can be calculated with it")
        return value.number

    def compare(self, expression: str) -> Comparison:
        """Return a comparison of two values, and whether it holds.

        The expression is ``A > B`` with one of ``> < >= <= ==``; a side is a key that ``value`` accepts, or a number. Or it is
        ``A faster than B`` with one of the words of SPEED_CLAIMS, which the rule of ``speeds`` decides; a side is then
        ``slug.kernel.size`` or ``slug.peers.NAME.size``, with ``.warm`` behind it for the warm time.
        Raises ResultError if it is malformed, or the evidence is missing or stale.
        """
        of_speeds = _OF_SPEEDS.split(expression)
        if len(of_speeds) == 3:
            return self._compare_speeds(*(part.strip() for part in of_speeds))
        parts = _COMPARISON.split(expression)
        if len(parts) != 3:
            raise ResultError(
                f"claim {expression!r} is not a comparison of two values; accepted: {' '.join(COMPARISONS)}, {', '.join(SPEED_CLAIMS)}"
            )
        sides = []
        for part in (parts[0].strip(), parts[2].strip()):
            value = Value(float(part), "", ",.12g") if _NUMBER.match(part) else self.value(part)
            if isinstance(value.number, str):
                raise ResultError(f"{part} is not a number, so it cannot be compared")
            sides.append(value)
        left, right = sides
        provenance = "; ".join(dict.fromkeys(side.provenance for side in sides if side.provenance))
        return Comparison(
            COMPARISONS[parts[1]](left.number, right.number), left.text(), parts[1], right.text(), provenance, left.stale or right.stale
        )

    def _compare_speeds(self, left: str, words: str, right: str) -> Comparison:
        times, values = [], []
        for side in (left, right):
            key, state = (side.removesuffix(WARM), "warm") if side.endswith(WARM) else (side, "cold")
            parts = key.split(".")
            if len(parts) == 4 and parts[1] == PEERS:
                row = self.peer_row(parts[0], *parts[2:])
            elif len(parts) == 3:
                row = self.measured_row(*parts)
            else:
                raise ResultError(
                    f"{side!r} is not a time; accepted: slug.kernel.size, slug.{PEERS}.NAME.size, each with or without {WARM}"
                )
            times.append(time_of_work(row, state))
            values.append(self._single(f"{key}.{'warm_' if state == 'warm' else ''}{rate_unit(row)[0]}"))
        found = verdict(*times)
        provenance = "; ".join(dict.fromkeys(value.provenance for value in values))
        holds = found in SPEED_CLAIMS[words]
        stale = any(value.stale for value in values)
        return Comparison(holds, values[0].text(), words, values[1].text(), f"The rule says: {found.value}. {provenance}", stale)

    def _single(self, key: str) -> Value:
        if key.startswith("historical:"):
            return self._historical(key)
        if key.startswith("machine."):
            return self._machine(key)
        if key.startswith("rates."):
            return self._rate(key)
        if key.startswith(f"{SPECIMENS}."):
            return self._figure(key)
        parts = key.split(".", 3)
        if len(parts) != 4 or not all(parts):
            raise ResultError(
                f"key {key!r} is malformed; accepted: slug.kernel.size.metric, gt200:slug.kernel.size.metric, "
                f"slug.{PEERS}.NAME.size.metric, machine.FIELD, rates.RESOURCE, historical:MACHINE.kernel.size.gbps"
            )
        slug, kernel, size, metric = parts
        if kernel == PEERS:
            return self._peer(key)
        if metric in MEASURED:
            return self._measured(slug, self.measured_row(slug, kernel, size), metric, kernel)
        row = self.counts_row(slug, kernel, size)
        number = counts_metric(row["counts"], metric)
        machine = self.program(slug)["machine"]
        return Value(number, f"{kernel} at {pretty_size(row['size'])}: counted by the model for {machine} in this build")

    def _peer(self, key: str) -> Value:
        parts = key.split(".")
        if len(parts) != 5 or not all(parts) or parts[4] not in MEASURED or MEASURED[parts[4]][1] in OF_KERNELS:
            known = [name for name, (_, what) in MEASURED.items() if what not in OF_KERNELS]
            raise ResultError(f"key {key!r} is malformed; accepted: slug.{PEERS}.NAME.size.metric, with one of {', '.join(known)}")
        slug, _, name, size, metric = parts
        row = self.peer_row(slug, name, size)
        return self._measured(slug, row, metric, f"{name} of {row['library']} {row['version']}")

    def _measured(self, slug: str, row: dict[str, Any], metric: str, name: str) -> Value:
        size = row["size"]
        provenance = self.result(slug)["provenance"]
        state, what = MEASURED[metric]
        if what == "gbps":
            number = gbps(row, state)
        elif what == "rate":
            number = work_rate(row, state)
            if metric.removeprefix("warm_") != rate_unit(row)[0]:
                raise ResultError(f"{name} at {size} has no {metric}; its speed is {rate_unit(row)[0]}")
        elif what == "percent":
            number = self.percent_of_memcpy(row, state)
        elif what == "fits_l2":
            number = "fits in L2" if row["fits_l2"] else "larger than L2"
        elif what == "bytes":
            number = row["bytes"]
        elif what == "instructions":
            entry = self.result(slug)["kernels"].get(row.get("kernel"), {})
            if metric not in entry:
                raise ResultError(f"{slug}.{name} has no count of instructions a pair on {self.machine}")
            number = entry[metric]
        elif what == "issue_limit":
            number = issue_limit(self.result(slug), row)
        elif what == "percent_of_issue_limit":
            number = 100 * work_rate(row, state) / issue_limit(self.result(slug), row)
        elif what == "shared_cycles":
            # The shared memory of a multiprocessor serves one wavefront a cycle.
            wavefronts, cycles = (self._counter(slug, row, counter, name) for counter in ("shared_wavefronts", "cycles"))
            number = 100 * wavefronts / (cycles * provenance["multiprocessors"])
        elif what in ("own", "figures"):
            there = row if what == "own" else row.get("figures", {})
            if metric not in there:
                raise ResultError(f"{slug}.{name} at {pretty_size(size)} has no {metric} on {self.machine}")
            number = there[metric]
        elif what in COUNTED:
            number = self._counter(slug, row, metric, name)
        elif what in SHARES:
            part, whole = (self._counter(slug, row, counter, name) for counter in SHARES[what])
            number = 100 * part / whole
        else:
            number = sample(row, state)[what]
        how = f"{where_it_ran(row, provenance) or state}, {sample(row, state)['samples']} samples, " if state else ""
        return Value(
            number,
            f"{name} at {pretty_size(size)}: {how}{describe(provenance)}",
            ".0f" if what == "percent" and number >= 1 else "",
            row.get("stale", False) or what == "percent" and self._ceiling_is_stale(),
        )

    def _ceiling_is_stale(self) -> bool:
        return CEILING in self.stale(CEILING_SLUG)

    def _counter(self, slug: str, row: dict[str, Any], metric: str, name: str) -> int:
        what = MEASURED[metric][1]
        there = (row.get("traffic") or {}) | (row.get(what) or {})
        if metric not in there:
            lacks = COUNTED[what] if not there else f"counter {metric}"
            raise ResultError(f"{slug}.{name} at {pretty_size(row['size'])} has no {lacks} on {self.machine}")
        return there[metric]

    def _figure(self, key: str) -> Value:
        parts = key.split(".")
        if len(parts) != 3 or not all(parts):
            raise ResultError(f"key {key!r} is malformed; accepted: {SPECIMENS}.SPECIMEN.FIGURE")
        figures = self.figures(parts[1]) or {}
        if parts[2] not in figures:
            raise ResultError(f"no figure {key!r} on {self.machine}; {parts[1]} has: {', '.join(figures) or 'none'}")
        provenance = self.result(SPECIMENS)["provenance"]
        stale = self.specimen_is_stale(parts[1])
        return Value(figures[parts[2]], f"{parts[2]} of {parts[1]}: {describe(provenance)}", stale=stale)

    def _machine(self, key: str) -> Value:
        name = key.removeprefix("machine.")
        result = self.some_result(CEILING_SLUG)
        provenance = result["provenance"]
        derived = {
            "l2_mb": provenance["l2_bytes"] / 1e6,
            "memory_gb": provenance["memory_bytes"] / 1e9,
            "ghz": provenance["clocks_after"]["sm_mhz"] / 1e3,
            "name": result["machine"],
        }
        plain = {name: value for name, value in provenance.items() if isinstance(value, (str, int))}
        known = {**plain, **derived}
        if name not in known:
            raise ResultError(f"unknown key {key!r}; accepted after 'machine.': {', '.join(sorted(known))}")
        return Value(known[name], describe(provenance))

    def _rate(self, key: str) -> Value:
        self.on_read(RATES)
        table = json.loads(RATES.read_text(encoding="utf-8"))
        name = key.removeprefix("rates.")
        if name not in table["rates"]:
            raise ResultError(f"unknown key {key!r}; accepted after 'rates.': {', '.join(table['rates'])}")
        rate, run = table["rates"][name], table["provenance"]
        return Value(
            rate["per_cycle"],
            f"{rate['what']} in a cycle, of the {rate['per']}: the most that a kernel was seen to get, by {rate['kernel']}, {run['gpu']}, "
            f"driver {run['driver']}, {run['toolkit']}, {run['date']}",
        )

    def _historical(self, key: str) -> Value:
        parts = key.removeprefix("historical:").split(".")
        if len(parts) != 4 or parts[3] not in ("gbps", "ms"):
            raise ResultError(f"key {key!r} is malformed; accepted: historical:MACHINE.kernel.size.gbps, or .ms")
        machine, kernel, size, metric = parts
        size = parse_size(size)
        for data in self.historical():
            for row in data["rows"]:
                if data["size"] == size and row["kernel"] == kernel and machine in row.get(metric, ()):
                    return Value(
                        row[metric][machine],
                        f"{row['classic_name']} on {data['machines'][machine]} at {pretty_size(size)}, as published ({data['citation']})",
                        "g",
                    )
        raise ResultError(f"no published figure for {key!r} in {self.results / HISTORICAL}")
