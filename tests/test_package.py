"""What ``import tablebase`` gives, and that it costs nothing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import tablebase

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = (
    "open_tablebase Position Material Rules generate verify TablebaseError MissingTableError"
    " CorruptTableError FenError IllegalPositionError MaterialError"
)


def run(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_every_public_name_is_there() -> None:
    assert set(CONTRACT.split()) <= set(tablebase.__all__) <= set(dir(tablebase))
    for name in tablebase.__all__:
        assert getattr(tablebase, name) is not None


def test_every_public_name_is_loaded_from_where_it_is() -> None:
    for home, names in tablebase._HOMES.items():
        for name in names:
            module = getattr(getattr(tablebase, name), "__module__", f"tablebase.{home}")
            assert f"{module}.".startswith(f"tablebase.{home}."), name


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match=r"tablebase.*'no_such_name'"):
        tablebase.no_such_name  # noqa: B018


@pytest.mark.parametrize("name", ["generate", "verify"])
def test_no_module_has_the_name_of_a_function(name: str) -> None:
    assert isinstance(getattr(tablebase, name), FunctionType)
    assert importlib.util.find_spec(f"tablebase.{name}") is None


def test_importing_loads_nothing_heavy() -> None:
    loaded = run("import sys, tablebase; print(*sys.modules)").split()
    assert "tablebase" in loaded
    assert not {"numpy", "numba", "h5py", "tablebase.probe"} & set(loaded)
    names = "Position, Material, Rules, Tablebase, open_tablebase, generate, verify"
    loaded = run(f"import sys; from tablebase import {names}; print(*sys.modules)").split()
    assert "tablebase.probe" in loaded
    assert not {"numba", "h5py", "click", "tqdm"} & set(loaded)
