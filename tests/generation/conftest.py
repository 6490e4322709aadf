"""Fixtures: folders of tables that were made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tablebase.generation import generate
from tests.generation.runs import FEW


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of two animals and :data:`FEW` of three."""
    folder = tmp_path_factory.mktemp("made")
    generate(folder, pieces=2, materials=FEW, jobs=2)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of ``made`` to do harm to."""
    return Path(shutil.copytree(made, tmp_path / "data"))
