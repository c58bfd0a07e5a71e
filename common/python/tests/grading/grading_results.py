"""Makes results for tests without grading."""

import hashlib

from conflict_free.grading.result import Check, Place, Result


def make_result(student: str | None = "ada", fails: str = "", *, submission: str = "", content: str = "", seen: str = "") -> Result:
    """Return a result in which the check `fails` failed and stopped the later ones. Without `fails`, all checks passed."""
    submission = submission or f"{student}.cu"
    points = {"exists": 0, "compiles": 5, "safe": 15, "correct": 40, "counts.conflicts": 25, "counts.sectors": 15}
    checks, stopped = [], False
    for name, most in points.items():
        if stopped:
            checks.append(Check(name, None, 0, most))
        elif name == fails:
            checks.append(
                Check(
                    name,
                    False,
                    0,
                    most,
                    seen=seen or "31 conflicts",
                    wanted="at most 0",
                    help="Pad the tile.",
                    lines=(Place(submission, 12, "tile[threadIdx.x][0] = 1;"),),
                    case="square",
                    picture="bank 0 <- lane 0",
                )
            )
            stopped = not name.startswith("counts.")
        else:
            checks.append(Check(name, True, most, most, seen="0"))
    digest = hashlib.sha256(f"{student}{content}".encode()).hexdigest()
    return Result(
        "padding", "Transpose doubles", student, submission, hashlib.sha256(content.encode()).hexdigest(), digest, "sm_90", tuple(checks)
    )
