"""The entry point, of the script ``jtb`` and of ``python -m jtb``.

Signals are seen to before anything is imported that takes time.
"""

from __future__ import annotations

import os
import sys

from jtb import signals

TYPE_CHECKING = False  # as in signals
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line of this process, and exit with the code of the contract."""
    signals.catch()
    # Nothing here is linear algebra; its threads would take a third of the time to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from jtb.main import main as run

        run()
    except signals.Stopped as stopped:  # while there was nobody else to say so
        if sys.stderr is not None:
            sys.stderr.write(f"jtb: {stopped.word}\n")
        sys.exit(stopped.exit_code)
    finally:
        signals.release()


if __name__ == "__main__":
    main()
