"""Damage to files and poor conditions, for tests, and what the library has to say to them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tablebase.errors import CorruptTableError
from tablebase.tablefile import (
    TableFile,
)

ROOT = Path(__file__).resolve().parents[2]


def flip(path: Path, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


@contextmanager
def flipped(path: Path, bit: int) -> Iterator[None]:
    flip(path, bit)
    try:
        yield
    finally:
        flip(path, bit)


def read_all(path: Path) -> None:
    """Open a file and read every chunk, as probing would."""
    with TableFile(path) as file:
        for side in range(2):
            file.read(side)


def refusal(path: Path, action: Callable[[Path], object] = TableFile) -> str:
    """The one sentence with which a file is refused."""
    with pytest.raises(CorruptTableError) as caught:
        action(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder that anybody can look into, and the rights of anybody, even for root."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            os.seteuid(user)


def run_python(script: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        **options,
    )
