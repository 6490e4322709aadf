"""A package of one small kernel, kept as those of the real one are, to be tampered with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

_SUMS = """
from tablebase.jit import kernel
from tablebase.parts import plus


@kernel
def total(n):
    result = 0
    for i in range(n):
        result = plus(result, i)
    return result
"""
_PARTS = """
from tablebase.jit import part


@part
def plus(a, b):
    return a + b
"""
_RUN = """
import json
from tablebase.jit import kernel_cache_state
from tablebase.sums import total

answer, state = total(10), kernel_cache_state()
print(json.dumps([answer, state.loaded, state.compiled, state.damaged, state.reason]))
"""


class Outcome(NamedTuple):
    """What a process says: what the kernel returned, and the state of the cache."""

    answer: int
    loaded: int
    compiled: int
    damaged: int
    reason: str | None


COMPILED = Outcome(45, 0, 1, 0, None)
LOADED = Outcome(45, 1, 0, 0, None)
MENDED = Outcome(45, 0, 1, 1, None)


class SmallPackage:
    """A folder with a package ``tablebase`` of little more than the real ``tablebase.jit``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "tablebase"
        self.cache = folder / "cache"
        shutil.copytree(
            ROOT / "tablebase" / "jit",
            self.package / "jit",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        shutil.copy(ROOT / "tablebase" / "version.py", self.package)
        for name, text in (("__init__", ""), ("sums", _SUMS), ("parts", _PARTS)):
            (self.package / f"{name}.py").write_text(text, "utf-8")

    def edit(self, module: str, old: str, new: str) -> None:
        """Replace a text in a module that has it."""
        path = self.package / f"{module}.py"
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def start(self, script: str = _RUN, **environment: str) -> subprocess.Popen[str]:
        """A process that runs ``script`` with this package."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        return subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=self.folder,
            env={
                **kept,
                "PYTHONPATH": str(self.folder),
                "PYTHONDONTWRITEBYTECODE": "1",
                "JTB_CACHE": str(self.cache),
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, **environment: str) -> Outcome:
        """Call the kernel in a process of its own."""
        return outcome(self.start(**environment))

    def kernels(self) -> list[Path]:
        """The files of the cache."""
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


def outcome(process: subprocess.Popen[str]) -> Outcome:
    """What a process said in the end, and nothing but that."""
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return Outcome(*json.loads(out))
