"""Help and version: complete without docstrings; what a report of a fault should have with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from jtb import about
from jtb.main import COMMANDS, app
from tablebase.version import __version__
from tests.processes import ENVIRONMENT


def helps() -> str:
    """The help of every command, one after the other."""
    lines = [("--help",), *((name, "-h") for name in COMMANDS)]
    return "".join(CliRunner().invoke(app, line).stdout for line in lines)


def test_help_is_the_same_without_docstrings() -> None:
    program = "from tests.test_cli_help import helps; import sys; sys.stdout.write(helps())"
    done = subprocess.run(
        [sys.executable, "-OO", "-c", program], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.stdout == helps()
    assert done.stdout.count("Example") >= len(COMMANDS) + 1


def test_an_unknown_library_is_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert about.about(None) == f"jtb {__version__}"
    monkeypatch.setattr(about, "_LIBRARIES", ("numpy", "no-such-library"))
    told = about.about(tmp_path / "none").splitlines()
    assert told[0] == about.about(None)
    assert "no-such-library: not installed" in told
    assert f"tables: {tmp_path / 'none'} (not there yet)" in told
    assert f"tables: {tmp_path}" in about.about(tmp_path).splitlines()
    names = [line.partition(": ")[0] for line in told[1:]]
    assert names[0] == "installed in"
    assert {"Python", "numpy", "platform", "compiled kernels"} <= set(names)


@pytest.mark.parametrize("arguments", [["--version"], ["perft", "--version"]])
def test_the_version_needs_nothing_else(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.stdout) == (0, f"jtb {__version__}\n")
