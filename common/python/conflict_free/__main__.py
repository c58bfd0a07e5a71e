"""Run a module of this package with any Python, which need not have the package installed.

    python common/python/conflict_free MODULE [ARGUMENT ...]

MODULE is a name within the package, for example trials.answers.
"""

import runpy
import signal
import sys
from pathlib import Path

if __name__ == "__main__":
    # Python has put this folder first, where modules of the package would hide others of the same name.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    sys.argv = sys.argv[1:]
    try:
        # The parent may hold Ctrl+C back until here, since Python answers it with a traceback while it starts.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        runpy.run_module(f"conflict_free.{sys.argv[0]}", run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:
        # Ctrl+C while the module imports others; run_main() answers later ones.
        print("interrupted", file=sys.stderr)
        sys.exit(130)
