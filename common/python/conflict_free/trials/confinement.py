"""Whether the trials grade in a sandbox."""

import sys

from conflict_free.grading import sandbox


def confined() -> bool:
    """Return whether this machine can confine programs; print a warning if it cannot."""
    reason = sandbox.available()
    if reason:
        print(f"warning: graded without a sandbox: {reason}", file=sys.stderr)
    return reason is None
