"""Fixtures: files that hold small tables with made-up values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sample_tables import LARGE, SMALL, write_sample


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of two animals: one chunk for either side to move."""
    path = tmp_path_factory.mktemp("small") / "standard" / "EvP.dtw.h5"
    write_sample(path, SMALL)
    return path


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of four animals: 28 chunks for either side to move."""
    path = tmp_path_factory.mktemp("large") / "standard" / "ELvTP.dtw.h5"
    write_sample(path, LARGE)
    return path
