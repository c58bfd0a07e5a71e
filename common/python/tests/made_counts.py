"""Counts of accesses as reports have them, for tests that make up a report."""


def shared(instructions: int = 0, wavefronts: int = 0, ideal: int = 0) -> dict:
    """Return counts of accesses to shared memory."""
    return {"instructions": instructions, "wavefronts": wavefronts, "ideal_wavefronts": ideal, "conflicts": wavefronts - ideal}


def global_(requests: int = 0, sectors: int = 0, ideal: int = 0, size: int = 0) -> dict:
    """Return counts of accesses to global memory, each of whole lines."""
    return {"requests": requests, "sectors": sectors, "ideal_sectors": ideal, "wavefronts": max(requests, sectors // 4), "bytes": size}


def warp_lanes(step: int) -> dict:
    """Return the first access of a line whose lanes are ``step`` bytes apart and take 4 bytes each."""
    return {"size": 4, "lanes": [step * lane for lane in range(32)]}


def line(number: int, space: str, op: str, counts: dict, file: str = "a.cu") -> dict:
    """Return the counts of a line of the source."""
    return {"file": file, "line": number, "space": space, "op": op, **counts}
