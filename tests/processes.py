"""Running the command as a process of its own, from a shell that sets up what it finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

__all__ = ["ENVIRONMENT", "JTB", "PYTHON", "ROOT", "run", "run_python"]

ROOT: Final = Path(__file__).resolve().parent.parent
PYTHON: Final = (sys.executable, "-W", "error")
JTB: Final = (*PYTHON, "-m", "jtb")
ENVIRONMENT: Final = {
    **{k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LC_", "LANG", "JTB"))},
    "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "cli"))),
    "LC_ALL": "C.UTF-8",
}
"""That of the tests, without what concerns locales and Python."""


def run(
    *arguments: str | bytes | Path,
    setup: str = "",
    redirect: str = "",
    environment: dict[str, str] | None = None,
    **more: Any,
) -> subprocess.CompletedProcess[bytes]:
    """``jtb`` with ``arguments``, from a shell: after the commands in ``setup``, with the streams
    led to where ``redirect`` says."""
    return subprocess.run(
        ["sh", "-c", f'{setup or ":"} && exec "$@" {redirect}', "sh", *JTB, *arguments],
        env=ENVIRONMENT | (environment or {}),
        **{"capture_output": True, **more},
    )


def run_python(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A Python program that may import the command."""
    return subprocess.run(
        [*PYTHON, "-c", program, *arguments], env=ENVIRONMENT, capture_output=True, text=True
    )
