"""Running a script on a file system of its own, so small that it fills up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def lines_on_small_disk(script: str, folder: Path, kibibytes: int) -> list[str]:
    """What ``script`` prints, run with ``folder``, on which so small a file system is mounted in a
    name space that ends with the process. Skips where that is not to be had."""
    mounting = f'mount -t tmpfs -o size={kibibytes}k tmpfs "$1" && exec "$2" -c "$3" "$1"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounting, "sh"]
    try:
        done = subprocess.run(
            [*command, str(folder), sys.executable, script],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        pytest.skip("no command unshare")
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no file system of one's own: {done.stderr.strip()}")
    assert done.stderr == ""
    return done.stdout.splitlines()
