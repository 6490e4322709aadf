"""Fixtures and settings for all tests."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, database=None)
settings.load_profile("deterministic")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run the slow tests too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of outside reference data that lies next to the checkout, if it does."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder} with outside reference data")
    return folder


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables; see :func:`tests.tables.made_tables`. Not to be changed."""
    from tests.tables import made_tables

    return made_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture
def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Call it with a file to have the permission to open that one denied, even to root."""

    def forbid(path: Path) -> None:
        opened = os.open

        def refuse(name: str | Path, *arguments: int) -> int:
            if Path(name) == path:
                raise PermissionError(errno.EACCES, "Permission denied", str(name))
            return opened(name, *arguments)

        monkeypatch.setattr(os, "open", refuse)

    return forbid
